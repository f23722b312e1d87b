// SPDX-License-Identifier: GPL-2.0-or-later
/* Which interface is meant: addresses in every form people and boot loaders write them. */
#include "check.h"

#include "link/netdev.h"

#include <linux/if_link.h>

static struct netdev ipoib(void)
{
	return (struct netdev){
		.ifindex = 5,
		.name = "ib0",
		.hwtype = 32,
		.hw = {.len = 20,
			.bytes = {0x80, 0, 0x12, 0x34, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xb8, 0xce,
				0xf6, 3, 0, 0x31, 0x33, 0x3e}},
	};
}

static bool named(const struct netdev *dev, const char *text)
{
	struct hw_addr hw;

	CHECK_INT(value_hw(text, strlen(text), &hw), 0);
	return netdev_matches(dev, &hw);
}

TEST(infiniband_forms)
{
	struct netdev dev = ipoib();

	CHECK(named(&dev, "b8:ce:f6:03:00:31:33:3e")); /* port GUID */
	CHECK(named(&dev, "b8-ce-f6-03-00-31-33-3e"));
	CHECK(named(&dev, "b8:ce:f6:31:33:3e")); /* 48-bit form of boot ROMs */
	CHECK(named(&dev, "ba:ce:f6:31:33:3e")); /* marked as a local address: ConnectX-3 */
	/* 20 bytes of another boot: QPN and subnet prefix differ */
	CHECK(named(&dev, "00:00:99:99:fe:80:00:00:00:00:00:01:b8:ce:f6:03:00:31:33:3e"));
	CHECK(!named(&dev, "b8:ce:f6:03:00:31:33:3f"));
	CHECK(!named(&dev, "b8:ce:f6:31:33:3f"));
	CHECK(!named(&dev, "80:00:12:34:fe:80")); /* its first six bytes are no identity */
	CHECK(!named(&dev, "80:00:12:34:fe:80:00:00:00:00:00:00:b8:ce:f6:03:00:31:33:3f"));
	dev.hw.len = 8;
	CHECK(!named(&dev, "b8:ce:f6:03:00:31:33:3e"));
}

TEST(ethernet_forms)
{
	struct netdev dev = {.hwtype = 1, .hw = {.len = 6, .bytes = {2, 0, 0, 0, 0, 1}}};

	CHECK(named(&dev, "02:00:00:00:00:01"));
	CHECK(!named(&dev, "02:00:00:00:00:02"));
	CHECK(!named(&dev, "02:00:00:00:00:01:00:00"));
	dev.permanent = (struct link_hw){.len = 6, .bytes = {2, 0, 0, 0, 0, 2}};
	CHECK(named(&dev, "02:00:00:00:00:02"));
	dev.hwtype = 772;
	CHECK(!named(&dev, "02:00:00:00:00:01")); /* loopback is nobody */
}

/* A link message with just these attributes. */
static struct nl_msg *message(int ifindex, unsigned flags)
{
	const struct ifinfomsg ifi = {.ifi_index = ifindex, .ifi_type = 1, .ifi_flags = flags};

	return netlink_msg(RTM_NEWLINK, 0, &ifi, sizeof(ifi));
}

static int parse(struct nl_msg *msg, struct netdev *ret)
{
	int e;

	CHECK(msg);
	e = netdev_parse(nlmsg_hdr(msg), ret);
	nlmsg_free(msg);
	return e;
}

TEST(messages)
{
	static const uint8_t hw[40] = {1, 2, 3, 4, 5, 6};
	struct netdev dev;

	CHECK_INT(parse(netlink_put(message(3, 1 | 0x10000), IFLA_IFNAME, "eth0", 5), &dev), 0);
	CHECK(dev.up && dev.carrier);
	CHECK_STR(netdev_state_name(&dev), "carrier");
	CHECK_INT(parse(netlink_put(netlink_put(message(3, 1 | 0x10000), IFLA_IFNAME, "eth0", 5),
				IFLA_QDISC, "noop", 5),
			  &dev), 0);
	CHECK_STR(netdev_state_name(&dev), "no carrier"); /* packets would be dropped */
	CHECK_INT(parse(netlink_put(netlink_put(message(3, 1 | 0x10000), IFLA_IFNAME, "eth0", 5),
				IFLA_QDISC, "noqueue", 8),
			  &dev), 0);
	CHECK(dev.carrier);
	CHECK_INT(dev.mtu, 0);
	CHECK_INT(parse(netlink_put(message(3, 1), IFLA_IFNAME, "eth0", 5), &dev), 0);
	CHECK_STR(netdev_state_name(&dev), "no carrier");
	CHECK_INT(parse(message(3, 0), &dev), -EBADMSG);			      /* no name */
	/* no index */
	CHECK_INT(parse(netlink_put(message(0, 0), IFLA_IFNAME, "eth0", 5), &dev), -EBADMSG);
	/* a name without terminator, addresses too long for anything, an MTU of two bytes */
	CHECK_INT(parse(netlink_put(message(3, 0), IFLA_IFNAME, "a-name-longer-than-16", 21), &dev),
		0);
	CHECK_STR(dev.name, "a-name-longer-t");
	CHECK_INT(parse(netlink_put(netlink_put(netlink_put(message(3, 0), IFLA_IFNAME, "eth0", 5),
					    IFLA_ADDRESS, hw, sizeof(hw)), IFLA_MTU, hw, 2),
			  &dev), 0);
	CHECK_INT(dev.hw.len, 0);
	CHECK_INT(dev.mtu, 0);
	CHECK_INT(parse(netlink_put(netlink_put(message(3, 0), IFLA_IFNAME, "eth0", 5),
				IFLA_ADDRESS, hw, 32),
			  &dev), 0);
	CHECK_INT(dev.hw.len, 32);
}

TEST(parents)
{
	struct netdev dev;

	CHECK_INT(parse(netlink_put_u32(
				netlink_put(message(3, 0), IFLA_IFNAME, "x", 2), IFLA_LINK, 2),
			  &dev), 0);
	CHECK_INT(dev.parent_ifindex, 2);
	CHECK_INT(parse(netlink_put_u32(
				netlink_put(message(3, 0), IFLA_IFNAME, "x", 2), IFLA_LINK, 3),
			  &dev), 0);
	CHECK_INT(dev.parent_ifindex, 0); /* itself */
	CHECK_INT(parse(netlink_put_u32(
				netlink_put_u32(netlink_put(message(3, 0), IFLA_IFNAME, "x", 2),
					IFLA_LINK, 2), IFLA_LINK_NETNSID, 0),
			  &dev), 0);
	CHECK_INT(dev.parent_ifindex, 0); /* counts in another namespace */
}

/* A bond in 802.3ad whose partner has this MAC: IFLA_BOND_AD_INFO, in it PARTNER_MAC. */
static struct nl_msg *lacp_bond(const uint8_t mac[6])
{
	struct nl_msg *msg = message(4, 0x11043); /* up, running, lower up, master */
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO), *data, *ad;

	CHECK(info && nla_put_string(msg, IFLA_INFO_KIND, "bond") == 0);
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	ad = nla_nest_start(msg, 23);
	CHECK(data && ad && nla_put(msg, 5, 6, mac) == 0);
	nla_nest_end(msg, ad);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	CHECK(nla_put_string(msg, IFLA_IFNAME, "bond0") == 0);
	return msg;
}

TEST(a_bond_tells_whether_it_has_an_lacp_partner)
{
	static const uint8_t none[6], some[6] = {2, 0, 0, 0, 0, 9};
	struct nl_msg *msg = lacp_bond(none);
	struct netdev dev;

	CHECK_INT(netdev_parse(nlmsg_hdr(msg), &dev), 0);
	CHECK(dev.no_partner && dev.up);
	nlmsg_free(msg);
	msg = lacp_bond(some);
	CHECK_INT(netdev_parse(nlmsg_hdr(msg), &dev), 0);
	CHECK(!dev.no_partner);
	nlmsg_free(msg);
}
