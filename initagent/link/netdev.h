/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netdev: one interface as a link message of the kernel describes it. Pure. */
#pragma once

#include <linux/rtnetlink.h>

#include "base/netlink.h"
#include "link/link.h"

/* netdev_parse: fills ret from an RTM_NEWLINK or RTM_DELLINK message. 0 or -EBADMSG. */
int netdev_parse(struct nlmsghdr *h, struct netdev *ret);

/* netdev_state_name: "down", "no carrier" or "carrier". */
const char *netdev_state_name(const struct netdev *dev);

/* link_msg: a link message, about one interface or, with 0, none. */
struct nl_msg *link_msg(int type, int flags, int ifindex);

/* link_put_addr: as netlink_put(); adds nothing when the family is 0. */
struct nl_msg *link_put_addr(struct nl_msg *msg, int type, const struct inet_addr *addr);

/*
 * link_read_addr: the address in an attribute (may be NULL); false when absent or of a wrong size.
 */
bool link_read_addr(const struct nlattr *attr, int family, struct inet_addr *ret);
