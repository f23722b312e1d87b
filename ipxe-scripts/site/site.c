// SPDX-License-Identifier: GPL-2.0-or-later
/* site: what can be asked of a site once it is read. See site.h. */
#include "site/site.h"

#include <arpa/inet.h>
#include <fcntl.h>

#include "address/client_id.h"
#include "base/sha256.h"
#include "site/names.h"
#include "site/private.h"

const char *const site_fabric_names[FABRIC_MAX] = {"ethernet", "roce", "infiniband"};
const char *const site_identity_names[IDENTITY_MAX] = {"flexboot", "ipxe", "hw", "rfc4361", "uuid"};
const char *const site_loader_names[LOADER_MAX] = {"bios", "efi-x64", "efi-arm64"};
const char *const site_loader_files[LOADER_MAX] = {
	"undionly.kpxe", "ipxe-x64.efi", "ipxe-arm64.efi"};

struct site *site_free(struct site *s)
{
	if (!s)
		return NULL;
	names_free(s->node_names);
	arena_free(s->arena);
	free(s);
	return NULL;
}

const struct site_node *site_node_find(const struct site *s, const char *name)
{
	size_t i = names_find(s->node_names, name);

	return i == NAMES_NONE ? NULL : &s->nodes[i];
}

const char *site_path(struct site *s, const char *path)
{
	if (path[0] == '/' || !*s->dir)
		return path;
	return must(arena_printf(s->arena, "%s/%s", s->dir, path));
}

enum site_loader uki_machine(struct site *s, const char *path)
{
	_cleanup_close_ int fd = open(site_path(s, path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t at[4], pe[6];

	/* The PE header: its offset, and its mark, which the machine follows. */
	if (fd < 0 || pread(fd, at, 4, 0x3c) != 4 ||
		pread(fd, pe, 6, at[0] | at[1] << 8 | at[2] << 16) != 6)
		return LOADER_EFI_X64;
	return memcmp(pe, "PE\0\0\x64\xaa", 6) == 0 ? LOADER_EFI_ARM64 : LOADER_EFI_X64;
}

const char *file_digest(struct site *s, struct site_file *f, bool look)
{
	static uint8_t piece[1 << 16];
	uint8_t digest[SHA256_SIZE];
	char text[SHA256_TEXT];
	_cleanup_close_ int fd = -1;
	struct sha256 sum;
	ssize_t n = 0;

	if (f->digest)
		return f->digest;
	/* a path that is none, and what is no file, check_files.c tells */
	if (look && f->path.text)
		fd = open(site_path(s, f->path.text), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	sha256_init(&sum);
	while (fd >= 0 && (n = read(fd, piece, sizeof(piece))) > 0)
		sha256_update(&sum, piece, (size_t)n);
	sha256_final(&sum, digest);
	if (fd < 0 || n < 0)
		memset(digest, 0, sizeof(digest));
	f->digest = must(arena_printf(s->arena, "sha256:%s", sha256_text(digest, text)));
	return f->digest;
}

uint32_t site_netmask(const struct site_network *n)
{
	return n->prefix ? UINT32_MAX << (32 - n->prefix) : 0;
}

uint32_t site_broadcast(const struct site_network *n)
{
	return n->subnet | ~site_netmask(n);
}

bool site_inside(const struct site_network *n, uint32_t addr)
{
	return n->subnet_at.line && (addr & site_netmask(n)) == n->subnet;
}

bool site_in_pool(const struct site_network *n, uint32_t addr)
{
	return n->pool_at.line && addr >= n->pool_first && addr <= n->pool_last;
}

const struct site_server *site_server_at(const struct site *s, uint32_t addr)
{
	for (size_t i = 0; i < s->n_servers; i++)
		if (s->servers[i].address.at.line && s->servers[i].address.addr == addr)
			return &s->servers[i];
	return NULL;
}

bool site_any_loader(const struct site *s)
{
	for (size_t i = 0; i < LOADER_MAX; i++)
		if (s->loaders[i].text)
			return true;
	return false;
}

bool image_is_signed(const struct site_image *m)
{
	return m->signing.text && !streq(m->signing.text, "off");
}

const char *initrd_name(char buf[static INITRD_NAME_SIZE], const struct site_image *m, size_t i)
{
	snprintf(buf, INITRD_NAME_SIZE, m->initrds.n > 1 ? "initrd%zu" : "initrd", i);
	return buf;
}

const char *addr_text(uint32_t addr)
{
	static char texts[4][INET_ADDRSTRLEN];
	static unsigned int next;
	const struct in_addr a = {htonl(addr)};

	return inet_ntop(AF_INET, &a, texts[next++ % ARRAY_SIZE(texts)], sizeof(texts[0]));
}

bool read_addr(const char *s, size_t len, uint32_t *ret)
{
	struct inet_addr a;

	if (value_ipv4(s, len, &a) < 0)
		return false;
	*ret = ntohl(a.v4.s_addr);
	return true;
}

const char *server_url(const struct site_server *v)
{
	static char texts[4][sizeof("http://255.255.255.255:65535")];
	static unsigned int next;
	char *text = texts[next++ % ARRAY_SIZE(texts)];

	snprintf(text, sizeof(texts[0]), v->port.value != 80 ? "http://%s:%u" : "http://%s",
		addr_text(v->address.addr), v->port.value);
	return text;
}

void identity_lemac(const uint8_t guid[static 8], uint8_t mac[static 6])
{
	memcpy(mac, guid, 3);
	memcpy(mac + 3, guid + 5, 3);
}

size_t identity_bytes(enum site_identity form, const struct site_node *n, const struct site_port *p,
	uint8_t bytes[static IDENTITY_BYTES])
{
	static const enum client_id_form forms[IDENTITY_MAX] = {
		[IDENTITY_FLEXBOOT] = CLIENT_ID_FLEXBOOT,
		[IDENTITY_IPXE] = CLIENT_ID_LEMAC,
		[IDENTITY_HW] = CLIENT_ID_HW,
		[IDENTITY_RFC4361] = CLIENT_ID_RFC4361,
		[IDENTITY_UUID] = CLIENT_ID_UUID,
	};
	struct link_hw hw = {.len = sizeof(p->guid)};
	struct client_id id;

	memcpy(hw.bytes, p->guid, sizeof(p->guid));
	if (client_id_infiniband(&id, forms[form], &hw, n->has_uuid ? n->uuid : NULL) < 0)
		return 0;
	memcpy(bytes, id.bytes, id.len);
	return id.len;
}

void put_head(struct text *t, const struct site *s, const char *comment, const char *what)
{
	text_printf(t,
		"%s %s of site %s. Written by initagent-site: change the site file instead.\n",
		comment, what, s->name.text);
}

static bool port_has_id(const struct site_port *p, const struct site_found *f)
{
	uint8_t lemac[6];

	if (f->id_len == 8)
		return p->has_guid && memcmp(p->guid, f->id, 8) == 0;
	if (p->has_mac && memcmp(p->mac, f->id, 6) == 0)
		return true;
	if (!p->has_guid)
		return false;
	identity_lemac(p->guid, lemac);
	/* a ROM may have marked it as a local address */
	return (lemac[0] | 2) == (f->id[0] | 2) && memcmp(lemac + 1, f->id + 1, 5) == 0;
}

/* What is not an identity is looked for as an address. */
static void find_port(const struct site *s, uint32_t addr, struct site_found *f)
{
	for (size_t i = 0; i < s->n_nodes; i++)
		for (size_t k = 0; k < s->nodes[i].n_ports; k++) {
			const struct site_port *p = &s->nodes[i].ports[k];

			if (f->id_len ? !port_has_id(p, f)
				      : !p->address.at.line || p->address.addr != addr)
				continue;
			f->node = &s->nodes[i];
			f->port = p;
			return;
		}
}

bool site_find(const struct site *s, const char *text, struct site_found *ret)
{
	struct site_found f = {.node = site_node_find(s, text)};
	uint32_t addr = 0;

	if (f.node) {
		f.port = &f.node->ports[0];
	} else {
		f.id_len = read_octets(text, f.id, 8) ? 8 : read_octets(text, f.id, 6) ? 6 : 0;
		if (f.id_len || read_addr(text, strlen(text), &addr))
			find_port(s, addr, &f);
	}
	*ret = f;
	return f.node || f.id_len;
}
