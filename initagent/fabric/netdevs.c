// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netdevs: the netdevs on a port, from sysfs alone, so that it works on any host and on fixture
 * trees. An IPoIB interface belongs to the port whose GUID ends its address (RFC 4391, 9.1.1); its
 * partition is in its broadcast address, since interfaces made by netlink have no pkey file.
 */
#include "fabric/private.h"

#define NET	   "/sys/class/net"
#define TYPE_IPOIB 32	  /* linux/if_arp.h ARPHRD_INFINIBAND */
#define FLAG_UP	   0x1	  /* linux/if.h IFF_UP */
#define ADDR_LEN   20	  /* IPoIB: flags and QPN (4), GID (16) */
#define ADDR_PKEY  8	  /* in the broadcast address: 00ffffff, then ff12:401b:PKEY:... */
#define ADDR_GUID  12

/* "80:00:02:08:fe:80:...": false unless it has all 20 bytes. */
static bool net_address(const struct env *env, const char *name, const char *attribute,
	struct hw_addr *ret)
{
	char text[HW_ADDR_TEXT + 8];
	int len = env_read(env, text, sizeof(text), NET "/%s/%s", name, attribute);

	return len > 0 && value_hw(text, (size_t)len, ret) == 0 && ret->len == ADDR_LEN;
}

static bool has_guid(const struct env *env, const char *name, uint64_t guid)
{
	struct hw_addr a;

	return net_address(env, name, "address", &a) && get_be(a.bytes + ADDR_GUID, 8) == guid;
}

static bool is_on(const struct env *env, const struct fabric_port *p, const char *name)
{
	if (streq(p->netdev, name))
		return true;
	return p->link_layer != LINK_LAYER_ETHERNET &&
	       env_number(env, NET "/%s/type", name) == TYPE_IPOIB && has_guid(env, name, p->guid);
}

static void fill(const struct env *env, const struct fabric_port *p, const char *name,
	struct fabric_netdev *ret)
{
	struct hw_addr broadcast;

	memset(ret, 0, sizeof(*ret));
	(void)strscpy(ret->name, name, sizeof(ret->name));
	ret->mtu = (unsigned)env_number(env, NET "/%s/mtu", name);
	ret->up = env_number(env, NET "/%s/flags", name) & FLAG_UP;
	/* Unreadable (EINVAL) while the interface is down. */
	ret->carrier = env_number(env, NET "/%s/carrier", name) == 1;
	if (p->link_layer == LINK_LAYER_ETHERNET)
		return;
	if (net_address(env, name, "broadcast", &broadcast))
		ret->pkey = (uint16_t)get_be(broadcast.bytes + ADDR_PKEY, 2);
	if (env_read(env, ret->mode, sizeof(ret->mode), NET "/%s/mode", name) < 0)
		ret->mode[0] = 0;
}

static int compare(const void *a, const void *b)
{
	const struct fabric_netdev *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

size_t fabric_netdevs(const struct env *env, const struct fabric_port *port,
	struct fabric_netdev list[static FABRIC_NETDEVS_MAX])
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, NET);
	const struct dirent *d;
	size_t n = 0;

	while (n < FABRIC_NETDEVS_MAX && (d = dir_next(dir)))
		if (strlen(d->d_name) < IFNAMSIZ && is_on(env, port, d->d_name))
			fill(env, port, d->d_name, &list[n++]);
	qsort(list, n, sizeof(*list), compare);
	return n;
}
