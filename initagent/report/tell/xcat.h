/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xcat: the node's state at an xCAT master, as its own initramfs tells it: "lsdef -i status" shows
 * it. xcatd's install monitor (sbin/xcatd, port 3002) says "ready", takes one line, says "done",
 * and knows the node by the name of its address. Internal to tell/.
 */
#pragma once

#include "report/tell/collector.h"

enum xcat_state { XCAT_UNTOLD, XCAT_NETBOOTING, XCAT_FAILED, XCAT_STATE_MAX };

/* xcat_wanted: what the master is to know of this boot. xcat_state_name: "netbooting". */
enum xcat_state xcat_wanted(const struct tell_queue *q);
const char *xcat_state_name(enum xcat_state s);

/* xcat_push: connects when there is something to tell; as far as it goes without waiting. */
void xcat_push(struct collector *c, const struct tell_queue *q, int epoll, uint64_t now);
