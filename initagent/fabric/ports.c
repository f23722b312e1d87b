// SPDX-License-Identifier: GPL-2.0-or-later

#include "fabric/private.h"
#include "fabric/rdma_link.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>

#include "value.h"

#define CLASS	   "/sys/class/infiniband"
#define ARPHRD_IB  32 /* linux/if_arp.h ARPHRD_INFINIBAND: an IPoIB netdev */
#define PORT_MAX   255
#define SYSFS_SIZE 128

static const char *const layer_names[LINK_LAYER_MAX] = {"unknown", "InfiniBand", "Ethernet"};
static const char *const state_names[PORT_STATE_MAX] = {
	"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER"};
static const char *const phys_names[PORT_PHYS_MAX] = {"unknown", "Sleep", "Polling", "Disabled",
	"Training", "LinkUp", "ErrorRecovery", "PhyTest", "?", "Offline"};

const char *link_layer_name(enum link_layer l)
{
	return (unsigned)l < LINK_LAYER_MAX ? layer_names[l] : "?";
}

const char *port_state_name(enum port_state s)
{
	return (unsigned)s < PORT_STATE_MAX ? state_names[s] : "?";
}

const char *port_phys_name(enum port_phys p)
{
	return (unsigned)p < PORT_PHYS_MAX ? phys_names[p] : "?";
}

int ports_parse_state(const char *text, int max)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end != ':' || n < 0 || n >= max)
		return -EINVAL;
	return (int)n;
}

int ports_parse_gid(const char *text, uint8_t ret[static 16])
{
	uint8_t raw[16];

	/* Eight groups of four digits, joined by ':'. */
	if (strlen(text) != 8 * 5 - 1)
		return -EINVAL;
	for (int i = 0; i < 8; i++, text += 5)
		if (value_hex(text, 4, raw + 2 * i, 2) < 0 || text[4] != (i < 7 ? ':' : 0))
			return -EINVAL;
	memcpy(ret, raw, sizeof(raw));
	return 0;
}

/* The node GUID is written in four groups: the GID of an all-zero prefix. */
static uint64_t read_node_guid(const struct env *env, const char *device)
{
	char text[SYSFS_SIZE], gid[SYSFS_SIZE + 32];
	uint8_t raw[16];

	if (env_read(env, text, sizeof(text), CLASS "/%s/node_guid", device) < 0)
		return 0;
	snprintf(gid, sizeof(gid), "0000:0000:0000:0000:%s", text);
	return ports_parse_gid(gid, raw) == 0 ? get_be(raw + 8, 8) : 0;
}

static unsigned long port_number(
	const struct env *env, const struct fabric_port *p, const char *attribute)
{
	return env_number(env, CLASS "/%s/ports/%u/%s", p->device, p->port, attribute);
}

static int port_state(
	const struct env *env, const struct fabric_port *p, const char *attribute, int max)
{
	char text[SYSFS_SIZE];
	int r = env_read(
		env, text, sizeof(text), CLASS "/%s/ports/%u/%s", p->device, p->port, attribute);

	return r < 0 ? r : ports_parse_state(text, max);
}

static void read_layer(const struct env *env, struct fabric_port *p)
{
	char text[SYSFS_SIZE];

	p->link_layer = LINK_LAYER_UNKNOWN;
	if (env_read(env, text, sizeof(text), CLASS "/%s/ports/%u/link_layer", p->device,
		    p->port) >= 0)
		for (int l = LINK_LAYER_INFINIBAND; l < LINK_LAYER_MAX; l++)
			if (streq(text, layer_names[l]))
				p->link_layer = (enum link_layer)l;
	/* enum rdma_node_type: "4: RNIC" is iWARP. */
	p->iwarp = env_read(env, text, sizeof(text), CLASS "/%s/node_type", p->device) > 0 &&
		   text[0] == '4';
}

/* The last part of what a link of the device points to; NULL without one. */
static const char *link_name(const struct env *env, const char *device, const char *link,
	char target[static PATH_MAX])
{
	char path[PATH_MAX];
	ssize_t len;

	if (env_path(env, path, sizeof(path), CLASS "/%s/%s", device, link) < 0)
		return NULL;
	len = readlink(path, target, PATH_MAX - 1);
	if (len <= 0)
		return NULL;
	target[len] = 0;
	return path_last(target);
}

/* "0000:3b:00.0" out of the device link; soft devices have none or a virtual parent. */
static void read_pci(const struct env *env, struct fabric_port *p)
{
	char target[PATH_MAX];
	const char *name = link_name(env, p->device, "device", target);
	unsigned n[4];
	char tail;

	p->pci[0] = 0;
	if (name && sscanf(name, "%4x:%2x:%2x.%1x%c", &n[0], &n[1], &n[2], &n[3], &tail) == 4)
		(void)strscpy(p->pci, name, sizeof(p->pci));
}

/* A netdev of the same adapter with this port number and, for InfiniBand, of type IPoIB. */
static bool is_ports_netdev(const struct env *env, const struct fabric_port *p, const char *netdev)
{
	unsigned long port = env_number(env, CLASS "/%s/device/net/%s/dev_port", p->device, netdev);
	unsigned long type = env_number(env, CLASS "/%s/device/net/%s/type", p->device, netdev);

	return port == p->port - 1 &&
		(type == ARPHRD_IB) == (p->link_layer == LINK_LAYER_INFINIBAND);
}

/* The first by name: P_Key children ("ib0.8001") sort after their parent. */
static void netdev_of_adapter(const struct env *env, struct fabric_port *p)
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, CLASS "/%s/device/net", p->device);
	const struct dirent *d;

	while ((d = dir_next(dir)))
		if (strlen(d->d_name) < sizeof(p->netdev) &&
			(!*p->netdev || strcmp(d->d_name, p->netdev) <= 0) &&
			is_ports_netdev(env, p, d->d_name))
			(void)strscpy(p->netdev, d->d_name, sizeof(p->netdev));
}

static void read_netdev(const struct env *env, struct fabric_port *p)
{
	p->netdev[0] = 0;
	/* Not for InfiniBand: there the attribute is empty. */
	if (p->link_layer == LINK_LAYER_ETHERNET &&
		env_read(env, p->netdev, sizeof(p->netdev), CLASS "/%s/ports/%u/gid_attrs/ndevs/0",
			p->device, p->port) > 0)
		return;
	p->netdev[0] = 0;
	/* rxe names its netdev even while that has no GID. */
	if (env_read(env, p->netdev, sizeof(p->netdev), CLASS "/%s/parent", p->device) > 0)
		return;
	p->netdev[0] = 0;
	netdev_of_adapter(env, p);
	/* An RNIC without an adapter of its own (siw) has nothing about it in sysfs. */
	if (!*p->netdev && p->iwarp && p->port == 1)
		(void)rdma_link_netdev(p->device, p->netdev);
}

static void read_guids(const struct env *env, struct fabric_port *p)
{
	char text[SYSFS_SIZE];
	uint8_t raw[16];

	p->node_guid = read_node_guid(env, p->device);
	p->guid = p->node_guid;
	if (p->link_layer == LINK_LAYER_INFINIBAND &&
		env_read(env, text, sizeof(text), CLASS "/%s/ports/%u/gids/0", p->device, p->port) >
			0 &&
		ports_parse_gid(text, raw) == 0 && get_be(raw + 8, 8) != 0)
		p->guid = get_be(raw + 8, 8);
}

void fabric_driver(const struct env *env, const char *device, char *buf, size_t size)
{
	char target[PATH_MAX];
	const char *name = link_name(env, device, "device/driver", target);

	(void)strscpy(buf, name ? name : device, size);
}

void fabric_firmware(const struct env *env, const char *device, char *buf, size_t size)
{
	if (env_read(env, buf, size, CLASS "/%s/fw_ver", device) < 0)
		buf[0] = 0;
}

int ports_read(const struct env *env, struct fabric_port *port)
{
	struct fabric_port p = *port;
	int state = port_state(env, &p, "state", PORT_STATE_MAX);
	int phys = port_state(env, &p, "phys_state", PORT_PHYS_MAX);

	if (state == -ENOENT || state == -ENODEV)
		return state;
	/* sm_lid is read after state: it is set before the port turns ACTIVE. */
	p.state = state < 0 ? PORT_NOP : (enum port_state)state;
	p.phys = phys < 0 ? PHYS_UNKNOWN : (enum port_phys)phys;
	p.lid = (uint32_t)port_number(env, &p, "lid");
	p.sm_lid = (uint32_t)port_number(env, &p, "sm_lid");
	p.lmc = (unsigned)port_number(env, &p, "lid_mask_count");
	p.sm_sl = (unsigned)port_number(env, &p, "sm_sl");
	read_layer(env, &p);
	read_guids(env, &p);
	read_netdev(env, &p);
	read_pci(env, &p);
	if (env_read(env, p.rate, sizeof(p.rate), CLASS "/%s/ports/%u/rate", p.device, p.port) < 0)
		p.rate[0] = 0;
	*port = p;
	return 0;
}

/* The node is last made of what sysfs has of it. */
bool ports_have_uverbs(const struct env *env, const char *device)
{
	char path[PATH_MAX];
	glob_t found;
	bool has;

	if (env_path(env, path, sizeof(path), CLASS "/%s/device/infiniband_verbs/*/dev",
		    device) < 0)
		return false;
	has = glob(path, GLOB_NOSORT, NULL, &found) == 0;
	if (has)
		globfree(&found);
	return has;
}

static size_t scan_device(
	const struct env *env, const char *device, struct fabric_port *list, size_t n)
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, CLASS "/%s/ports", device);
	const struct dirent *d;

	while (n < PORTS_MAX && (d = dir_next(dir))) {
		struct fabric_port *p = &list[n];
		char *end;
		unsigned long number = strtoul(d->d_name, &end, 10);

		if (!isdigit((unsigned char)d->d_name[0]) || *end || !number || number > PORT_MAX)
			continue;
		memset(p, 0, sizeof(*p));
		p->port = (unsigned)number;
		(void)strscpy(p->device, device, sizeof(p->device));
		snprintf(p->name, sizeof(p->name), "%s/%u", p->device, p->port);
		n += ports_read(env, p) == 0;
	}
	return n;
}

static int compare(const void *a, const void *b)
{
	const struct fabric_port *x = a, *y = b;
	int c = strverscmp(x->device, y->device);

	return c ? c : (x->port > y->port) - (x->port < y->port);
}

int ports_scan(const struct env *env, struct fabric_port **ret)
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, CLASS);
	struct fabric_port *list = calloc(PORTS_MAX, sizeof(*list));
	const struct dirent *d;
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	*ret = list;
	while ((d = dir_next(dir)))
		if (strlen(d->d_name) < sizeof(list->device))
			n = scan_device(env, d->d_name, list, n);
	qsort(list, n, sizeof(*list), compare);
	return (int)n;
}

#define RATE_MAX 100000 /* Gb/s; sysfs holds what the driver wrote, so it is checked */

unsigned rate_parse(const char *text)
{
	char *end;
	unsigned long whole;
	unsigned tenths = 0;

	if (*text < '0' || *text > '9')
		return 0;
	whole = strtoul(text, &end, 10);
	if (end[0] == '.' && end[1] >= '0' && end[1] <= '9') {
		tenths = (unsigned)(end[1] - '0');
		end += 2;
	}
	if (strncmp(end, " Gb/sec", 7) != 0 || whole > RATE_MAX)
		return 0;
	return (unsigned)whole * 1000 + tenths * 100;
}
