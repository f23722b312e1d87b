/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rdma_nl: one RDMA netlink request and its answers (client NLDEV), over libnl-3. Keeps the
 * kernel's real errno and its extended text, which libnl would drop.
 */
#pragma once

#include <netlink/msg.h>

#include "base/util.h"

/* Longest time one request may take; the kernel answers from the same call. */
#define RDMA_NL_TIMEOUT_SEC 5

/* Sees each answer's attributes (index 0 .. RDMA_NLDEV_ATTR_MAX-1). */
typedef void (*rdma_nl_row)(struct nlattr **tb, void *data);

/*
 * rdma_nl_new: an empty request for RDMA_NLDEV_CMD_*; flags e.g. NLM_F_ACK or NLM_F_DUMP. NULL when
 * out of memory. The caller adds attributes with nla_put_*() and frees it with nlmsg_free().
 */
struct nl_msg *rdma_nl_new(int command, int flags);

/*
 * rdma_nl_talk: sends and reads to the end. row may be NULL. Returns 0 or the kernel's -errno, with
 * its extended text in errtext ("" when it gave none); -EINTR when a list changed while it was read: ask again. errtext may be NULL.
 */
int rdma_nl_talk(struct nl_msg *msg, rdma_nl_row row, void *data, char *errtext, size_t size);
