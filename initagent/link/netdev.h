/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netdev: one interface as a link message of the kernel describes it. Pure. */
#pragma once

#include "link/link.h"
#include "link/rtnl.h"

/* netdev_parse: fills ret from an RTM_NEWLINK or RTM_DELLINK message. 0 or -EBADMSG. */
int netdev_parse(struct nlmsghdr *h, struct netdev *ret);

/* netdev_state_name: "down", "no carrier" or "carrier". */
const char *netdev_state_name(const struct netdev *dev);
