/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firmware: the options that mean the same as a boot table, see firmware.h. What is written has
 * passed the alphabets of host names, NQNs and numbers: no value of a table can become a word of
 * its own.
 */
#include "firmware.h"
#include "parser.h"
#include "url.h"

static const uint8_t zeroes[16];

/* The discovery subsystem: where the firmware found no other, the server is asked again. */
static bool is_discovery(const struct firmware_path *p)
{
	return streq(p->nqn, NQN_DISCOVERY);
}

bool firmware_wants_nbft(const struct boot_plan *line)
{
	const struct plan_root *root = &line->root;

	if (root->no_nbft)
		return false;
	return root->kind == PLAN_ROOT_REMOTE ? root->block.nbft
		: !root->text && !line->given[OPTION_ROOT] && !root->no_nvmf;
}

bool firmware_wants_ibft(const struct boot_plan *line)
{
	for (size_t i = 0; i < line->net.n_ips; i++)
		if (line->net.ips[i].methods & PLAN_IP_IBFT)
			return true;
	return false;
}

bool firmware_wants_origin(const struct boot_plan *line)
{
	for (size_t i = 0; i < line->n_extensions; i++)
		if (!line->extensions[i].url)
			return true;
	return plan_is_fetched(line->root.kind) && !line->root.image.url;
}

bool firmware_names_image(const struct boot_plan *line)
{
	const char *root = line->given[OPTION_ROOT] ? line->root.text : NULL;

	return root && !pull_finds_disk(root);
}

/* A word of a command line: in quotes it would be several. */
bool firmware_is_origin(const char *url)
{
	struct url u;

	return url_parse(&u, url, strlen(url)) == 0 && !strchr(url, '"');
}

/* A router or DNS server that no host can be is as good as none. */
static void drop_no_hosts(struct firmware_iface *i)
{
	if (i->gateway.family != i->addr.family || !inet_is_host(&i->gateway))
		i->gateway.family = 0;
	for (size_t k = 0; k < ARRAY_SIZE(i->dns); k++)
		if (!inet_is_host(&i->dns[k]))
			i->dns[k].family = 0;
}

const char *firmware_check(struct firmware_iface *i)
{
	static const struct hw_addr none = {.len = 6};

	if (hw_addr_equal(&i->hwaddr, &none) || value_hw_group(&i->hwaddr))
		return "an interface has no valid hardware address";
	if (i->vlan > 4094)
		return "not a VLAN's number";
	if (i->prefix > (i->six ? 128 : 32) ||
		(i->addr.family == AF_INET && !i->dhcp && !i->prefix))
		return "not the length of a prefix";
	if (!i->dhcp && i->addr.family && !inet_is_host(&i->addr))
		return "an interface has an address that no host can have";
	drop_no_hosts(i);
	if (!value_hostname(i->hostname, strlen(i->hostname)))
		*i->hostname = 0;
	return NULL;
}

/* --- interfaces ----------------------------------------------------------------------------- */

/* The first of the list with that hardware address: VLANs and both families share one. */
static size_t first_of(const struct firmware *f, size_t i)
{
	size_t k = 0;

	while (!hw_addr_equal(&f->ifaces[k].hwaddr, &f->ifaces[i].hwaddr))
		k++;
	return k;
}

/* What interface i is called: as ifname= says, else by its place in the table. True: by ifname=. */
static bool name_of(const struct firmware *f, size_t i, const struct boot_plan *line,
	char ret[static 16])
{
	for (size_t k = 0; k < line->net.n_ifnames; k++)
		if (hw_addr_equal(&line->net.ifnames[k].hwaddr, &f->ifaces[i].hwaddr)) {
			snprintf(ret, 16, "%s", line->net.ifnames[k].name);
			return true;
		}
	snprintf(ret, 16, "%.4s%hhu", f->name, (unsigned char)first_of(f, i));
	return false;
}

/* The same, or the VLAN's on it, which has no room behind a long name. */
static void device_of(const struct firmware *f, size_t i, const struct boot_plan *line,
	char ret[static 16])
{
	unsigned int vlan = f->ifaces[i].vlan;
	char name[16];

	name_of(f, i, line, name);
	if (!vlan)
		memcpy(ret, name, 16);
	else if (snprintf(ret, 16, "%.15s.%u", name, vlan) >= 16)
		snprintf(ret, 16, "vlan%u", vlan);
}

/* Has the line an ip= for it, or one for every interface? */
static bool line_has_ip(const struct boot_plan *line, const struct firmware_iface *i,
	const char *device)
{
	for (size_t k = 0; k < line->net.n_ips; k++) {
		const struct plan_ip *ip = &line->net.ips[k];

		if (ip->methods & PLAN_IP_IBFT)
			continue;
		if (ip->ifname ? streq(ip->ifname, device)
			       : !ip->match.len ||
					 (!i->vlan && hw_addr_equal(&ip->match, &i->hwaddr)))
			return true;
	}
	return false;
}

/* IPv6 in brackets; nothing for none. */
static void put_inet(FILE *out, const char *before, const struct inet_addr *a)
{
	char text[INET_ADDR_TEXT];
	bool six = a->family == AF_INET6;

	if (a->family)
		fprintf(out, "%s%s%s%s", before, six ? "[" : "", inet_text(a, text),
			six ? "]" : "");
}

static void put_ip(FILE *out, const struct firmware_iface *i, const char *device)
{
	char text[INET_ADDR_TEXT];

	if (i->dhcp) {
		fprintf(out, "ip=%s:dhcp%s ", device, i->six ? "6" : "");
		/* what the firmware's own lease was */
		if (i->addr.family == AF_INET && inet_is_host(&i->addr))
			fprintf(out, "rd.net.dhcp.request=%s:%s ", device,
				inet_text(&i->addr, text));
		return;
	}
	if (!i->addr.family)
		return;
	put_inet(out, "ip=", &i->addr);
	put_inet(out, "::", &i->gateway);
	fprintf(out, "%s:", i->gateway.family ? "" : "::");
	if (i->prefix)
		fprintf(out, "%d", i->prefix);
	fprintf(out, ":%s:%s:none", i->hostname, device);
	put_inet(out, ":", &i->dns[0]);
	put_inet(out, ":", &i->dns[1]);
	fputc(' ', out);
}

static bool same_link(const struct firmware *f, size_t i, size_t k)
{
	return first_of(f, i) == first_of(f, k) && f->ifaces[i].vlan == f->ifaces[k].vlan;
}

/* Does the line make interface i, or what was put for one before it? */
static bool is_made(const struct firmware *f, size_t i, const struct boot_plan *line,
	const char *device)
{
	for (size_t k = 0; k < line->net.n_links; k++)
		if (streq(line->net.links[k].name, device))
			return true;
	for (size_t k = 0; k < i; k++)
		if (same_link(f, i, k))
			return true;
	return false;
}

/* Does the line set it up, or the same DHCP of one before it? */
static bool has_ip(const struct firmware *f, size_t i, const struct boot_plan *line,
	const char *device)
{
	const struct firmware_iface *iface = &f->ifaces[i];

	for (size_t k = 0; k < i; k++)
		if (same_link(f, i, k) && iface->dhcp && f->ifaces[k].dhcp &&
			f->ifaces[k].six == iface->six)
			return true;
	return line_has_ip(line, iface, device);
}

static void put_iface(FILE *out, const struct firmware *f, size_t i, const struct boot_plan *line)
{
	const struct firmware_iface *iface = &f->ifaces[i];
	char name[16], device[16], hw[HW_ADDR_TEXT];
	bool known = name_of(f, i, line, name);

	device_of(f, i, line, device);
	if (!known && first_of(f, i) == i)
		fprintf(out, "ifname=%s:%s ", name, hw_text(&iface->hwaddr, hw));
	if (iface->vlan && !is_made(f, i, line, device))
		fprintf(out, "vlan=%s:%s ", device, name);
	if (!has_ip(f, i, line, device))
		put_ip(out, iface, device);
}

/* --- the namespace -------------------------------------------------------------------------- */

/* The less the better: what the firmware could reach, then what it knew. */
static int rank(const struct firmware_path *p)
{
	return is_discovery(p) ? 2 : p->unavailable;
}

static const struct firmware_path *best_of(const struct firmware *f)
{
	const struct firmware_path *best = NULL;

	for (size_t i = 0; i < f->n_paths; i++)
		if (!best || rank(&f->paths[i]) < rank(best))
			best = &f->paths[i];
	return best;
}

/* Is b another way to the namespace of a? */
static bool same_namespace(const struct firmware_path *a, const struct firmware_path *b)
{
	return streq(a->nqn, b->nqn) && a->nsid == b->nsid &&
		memcmp(a->uuid, b->uuid, sizeof(a->uuid)) == 0;
}

static void put_portal(FILE *out, const struct firmware *f, const struct firmware_path *p,
	const struct boot_plan *line)
{
	char text[INET_ADDR_TEXT], device[16];
	bool six = p->addr.family == AF_INET6;

	fprintf(out, "%s%s", six ? "[" : "", inet_text(&p->addr, text));
	if (six && IN6_IS_ADDR_LINKLOCAL(&p->addr.v6) && p->iface >= 0) {
		device_of(f, (size_t)p->iface, line, device);
		fprintf(out, "%%%s", device);
	}
	fprintf(out, "%s:%u", six ? "]" : "", p->port);
}

static void put_uuid(FILE *out, const char *option, const uint8_t uuid[static 16])
{
	fputs(option, out);
	for (size_t i = 0; i < 16; i++)
		fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* Which namespace, unless root= says so, how to connect, and what root= adds. */
static void put_options(FILE *out, const struct firmware_path *p, const struct boot_plan *line)
{
	const struct plan_block *block = &line->root.block;
	const char *more = line->root.text ? strchr(line->root.text, ',') : NULL;

	if (block->unit || block->uuid)
		;
	else if (memcmp(p->uuid, zeroes, sizeof(zeroes)) != 0)
		put_uuid(out, ",uuid=", p->uuid);
	else if (p->nsid)
		fprintf(out, ",nsid=%u", p->nsid);
	fprintf(out, "%s%s%s ", p->header_digest ? ",hdr_digest" : "",
		p->data_digest ? ",data_digest" : "", more ? more : "");
}

static void put_root(FILE *out, const struct firmware *f, const struct firmware_path *best,
	const struct boot_plan *line)
{
	fputs("root=nvmf:tcp:", out);
	put_portal(out, f, best, line);
	for (size_t i = 0; i < f->n_paths; i++)
		if (&f->paths[i] != best && same_namespace(&f->paths[i], best)) {
			fputc(',', out);
			put_portal(out, f, &f->paths[i], line);
		}
	if (!is_discovery(best))
		fprintf(out, ":%s", best->nqn);
	put_options(out, best, line);
}

/* A host has one name: where the line gives it, the table's number is that of another. */
static void put_host(FILE *out, const struct firmware *f, const struct boot_plan *line)
{
	if (!*f->hostnqn || line->given[OPTION_RD_NVMF_HOSTNQN])
		return;
	fprintf(out, "rd.nvmf.hostnqn=%s ", f->hostnqn);
	if (line->given[OPTION_RD_NVMF_HOSTID] || !memcmp(f->hostid, zeroes, sizeof(zeroes)))
		return;
	put_uuid(out, "rd.nvmf.hostid=", f->hostid);
	fputc(' ', out);
}

bool firmware_options(FILE *out, const struct firmware *f, const struct boot_plan *line)
{
	const struct firmware_path *best = best_of(f);

	for (size_t i = 0; i < f->n_ifaces; i++)
		put_iface(out, f, i, line);
	if (!best)
		return false;
	put_root(out, f, best, line);
	put_host(out, f, line);
	return true;
}
