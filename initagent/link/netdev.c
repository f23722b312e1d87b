// SPDX-License-Identifier: GPL-2.0-or-later
/* netdev: see netdev.h and netdev_matches() in link.h. */
#include "link/netdev.h"

#include <net/if_arp.h>

#define IPOIB_HW_LEN 20 /* RFC 4391 section 9.1.1: flags and QPN 4, subnet prefix 8, port GUID 8 */
#define GUID_LEN     8
#define LOWER_UP     0x10000 /* IFF_LOWER_UP; linux/if.h cannot stand beside net/if.h */

static void take_hw(const struct nlattr *attr, struct link_hw *ret)
{
	ret->len = 0;
	if (!attr || nla_len(attr) <= 0 || nla_len(attr) > LINK_HW_MAX)
		return;
	ret->len = (uint8_t)nla_len(attr);
	memcpy(ret->bytes, nla_data(attr), ret->len);
}

static void take_string(const struct nlattr *attr, char *dst, size_t size)
{
	size_t len = attr ? strnlen(nla_data(attr), (size_t)nla_len(attr)) : 0;

	if (len >= size)
		len = size - 1;
	if (len)
		memcpy(dst, nla_data(attr), len);
	dst[len] = 0;
}

/*
 * Carrier that carries. A driver's carrier shows at once, but until the kernel's link watch has
 * replaced the "noop" queue every packet is dropped without a word; its own notification follows
 * that.
 */
static bool carries(const struct nlattr *qdisc, unsigned flags)
{
	char name[IFNAMSIZ];

	take_string(qdisc, name, sizeof(name));
	return flags & LOWER_UP && !streq(name, "noop");
}

/* linux/if_link.h, IFLA_INFO_DATA of kind "bond". */
#define BOND_AD_INFO	 23 /* IFLA_BOND_AD_INFO: there in 802.3ad alone */
#define BOND_PARTNER_MAC 5  /* IFLA_BOND_AD_INFO_PARTNER_MAC in it: zero until one was seen */

/* A bond has "carrier" over one slave even where the switch does not answer its LACPDUs. */
static bool lacks_partner(struct nlattr *data)
{
	static const uint8_t none[6];
	struct nlattr *tb[BOND_AD_INFO + 1] = {0}, *ad[BOND_PARTNER_MAC + 1] = {0};

	if (!data || nla_parse_nested(tb, BOND_AD_INFO, data, NULL) < 0 || !tb[BOND_AD_INFO] ||
		nla_parse_nested(ad, BOND_PARTNER_MAC, tb[BOND_AD_INFO], NULL) < 0)
		return false;
	return !ad[BOND_PARTNER_MAC] || nla_len(ad[BOND_PARTNER_MAC]) < 6 ||
		!memcmp(nla_data(ad[BOND_PARTNER_MAC]), none, 6);
}

/*
 * IFLA_LINK counts in another namespace when IFLA_LINK_NETNSID is there: such a parent is not
 * ours. Hardware names itself as its parent on some drivers.
 */
static int take_parent(struct nlattr *const *tb, int ifindex)
{
	int parent = (int)netlink_u32(tb[IFLA_LINK]);

	return tb[IFLA_LINK_NETNSID] || parent == ifindex ? 0 : parent;
}

int netdev_parse(struct nlmsghdr *h, struct netdev *ret)
{
	struct nlattr *tb[IFLA_MAX + 1] = {0}, *info[IFLA_INFO_MAX + 1] = {0};
	const struct ifinfomsg *ifi = nlmsg_data(h);

	if (nlmsg_parse(h, sizeof(*ifi), tb, IFLA_MAX, NULL) < 0 || ifi->ifi_index <= 0)
		return -EBADMSG;
	if (tb[IFLA_LINKINFO] && nla_parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL) < 0)
		return -EBADMSG;
	memset(ret, 0, sizeof(*ret)); /* padding too: two reads of one state compare equal */
	ret->ifindex = ifi->ifi_index;
	ret->hwtype = ifi->ifi_type;
	ret->mtu = netlink_u32(tb[IFLA_MTU]);
	ret->up = ifi->ifi_flags & IFF_UP;
	ret->carrier = carries(tb[IFLA_QDISC], ifi->ifi_flags);
	ret->noarp = ifi->ifi_flags & IFF_NOARP || ifi->ifi_type == ARPHRD_LOOPBACK;
	ret->parent_ifindex = take_parent(tb, ifi->ifi_index);
	ret->master_ifindex = (int)netlink_u32(tb[IFLA_MASTER]);
	take_string(tb[IFLA_IFNAME], ret->name, sizeof(ret->name));
	take_string(info[IFLA_INFO_KIND], ret->kind, sizeof(ret->kind));
	ret->no_partner = streq(ret->kind, "bond") && lacks_partner(info[IFLA_INFO_DATA]);
	take_hw(tb[IFLA_ADDRESS], &ret->hw);
	take_hw(tb[IFLA_BROADCAST], &ret->broadcast);
	take_hw(tb[IFLA_PERM_ADDRESS], &ret->permanent);
	return *ret->name ? 0 : -EBADMSG;
}

const char *netdev_state_name(const struct netdev *dev)
{
	if (!dev->up)
		return "down";
	return dev->carrier ? "carrier" : "no carrier";
}

bool netdev_is_made(const struct netdev *dev)
{
	return streq(dev->kind, "vlan") || streq(dev->kind, "bond") || streq(dev->kind, "bridge");
}

bool netdev_is_upper(const struct netdev *dev, const struct netdev *lower)
{
	return netdev_is_made(dev) && (lower->master_ifindex == dev->ifindex ||
		dev->parent_ifindex == lower->ifindex);
}

/*
 * The 48-bit form of a port GUID that boot ROMs use: the middle two bytes left out. FlexBoot may
 * set the bit of a local address.
 */
static bool guid_matches_short(const uint8_t *guid, const uint8_t *mac)
{
	return !((guid[0] ^ mac[0]) & ~2) && !memcmp(guid + 1, mac + 1, 2) &&
	       !memcmp(guid + 5, mac + 3, 3);
}

static bool ipoib_matches(const struct netdev *dev, const struct hw_addr *hw)
{
	const uint8_t *guid = dev->hw.bytes + IPOIB_HW_LEN - GUID_LEN;

	if (dev->hw.len != IPOIB_HW_LEN)
		return false;
	if (hw->len == 6)
		return guid_matches_short(guid, hw->bytes);
	if (hw->len < GUID_LEN)
		return false;
	return !memcmp(guid, hw->bytes + hw->len - GUID_LEN, GUID_LEN);
}

static bool hw_equal(const struct link_hw *a, const struct hw_addr *b)
{
	return a->len && a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

bool netdev_matches(const struct netdev *dev, const struct hw_addr *hw)
{
	if (dev->hwtype == ARPHRD_INFINIBAND)
		return ipoib_matches(dev, hw);
	if (dev->hwtype == ARPHRD_LOOPBACK)
		return false;
	return hw_equal(&dev->hw, hw) || hw_equal(&dev->permanent, hw);
}

struct nl_msg *link_msg(int type, int flags, int ifindex)
{
	const struct ifinfomsg ifi = {.ifi_family = AF_UNSPEC, .ifi_index = ifindex};

	return netlink_msg(type, flags, &ifi, sizeof(ifi));
}

struct nl_msg *link_put_addr(struct nl_msg *msg, int type, const struct inet_addr *addr)
{
	if (!addr->family)
		return msg;
	return netlink_put(msg, type, addr->bytes, inet_addr_len(addr->family));
}

bool link_read_addr(const struct nlattr *attr, int family, struct inet_addr *ret)
{
	if (!attr || (size_t)nla_len(attr) != inet_addr_len(family))
		return false;
	*ret = (struct inet_addr){.family = (sa_family_t)family};
	memcpy(ret->bytes, nla_data(attr), inet_addr_len(family));
	return true;
}
