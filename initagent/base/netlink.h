/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netlink: one request socket of a netlink protocol (route, RDMA, generic). Owns the socket and the
 * answer's buffer. In: messages made with libnl-3's nlmsg_ and nla_ functions. Out: the answer's
 * messages, read without callbacks so that the caller's code reads from top to bottom, and the
 * kernel's errno and extended ack. (libnl-route-3's objects are not used: they cost 80 KB, refuse
 * link messages with attributes younger than themselves, and have no names for IPoIB.)
 * Callers: address/, link/, fabric/, root/block/. Tests: link/test_links.c, link/test_torn_lists.c.
 */
#pragma once

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/util.h"

#define NETLINK_ERROR_MAX 192

struct netlink;

/*
 * netlink_new: opens the socket of a protocol (NETLINK_ROUTE). 0 or -errno; -EPROTONOSUPPORT: the
 * kernel has none such.
 */
int netlink_new(struct netlink **ret, int protocol);
struct netlink *netlink_free(struct netlink *n);
DEFINE_FREEP(struct netlink, netlink_free)

struct nl_sock;

/*
 * netlink_listen: a socket of NETLINK_ROUTE that does not block and hears those groups (RTNLGRP_*,
 * 0 ends them). 0 or -errno.
 */
int netlink_listen(struct nl_sock **ret, const int *groups);

/*
 * netlink_send: sends msg (freed in any case; NULL: -ENOMEM, so that a failed builder needs no
 * check of its own). what describes it for netlink_error(). Answers left from an earlier request
 * are dropped.
 */
int netlink_send(struct netlink *n, struct nl_msg *msg, const char *what);

/*
 * netlink_next: the next message of the answer, valid until the next call. Returns 1, 0 at the end,
 * or the kernel's -errno; -EINTR at the end of a list that changed while it was read
 * (NLM_F_DUMP_INTR): something may be missing in it or be there twice, so it counts for nothing and
 * is asked for again, NETLINK_LIST_TRIES times at most.
 */
#define NETLINK_LIST_TRIES 5
int netlink_next(struct netlink *n, struct nlmsghdr **ret);

/* netlink_call: netlink_send() and the answer's end. 0 or -errno. */
int netlink_call(struct netlink *n, struct nl_msg *msg, const char *what);

/* netlink_get: the same, keeping the first message of the answer. -ENODATA when there is none. */
int netlink_get(struct netlink *n, struct nl_msg *msg, const char *what, struct nlmsghdr **ret);

/* netlink_error: "what: error: the kernel's words" of the last failure; never NULL. */
const char *netlink_error(const struct netlink *n);

/* netlink_words: the kernel's extended ack alone; "" when it gave none. */
const char *netlink_words(const struct netlink *n);

/*
 * The builders: a message of type beginning with a fixed header, then attributes. Each takes the
 * message over and returns it, or NULL when out of memory (or given NULL), so that a chain of them
 * needs one check: netlink_send()'s. netlink_msg: header may be NULL with size 0.
 */
struct nl_msg *netlink_msg(int type, int flags, const void *header, size_t size);
struct nl_msg *netlink_put(struct nl_msg *msg, int type, const void *data, size_t len);
struct nl_msg *netlink_put_u32(struct nl_msg *msg, int type, uint32_t value);
struct nl_msg *netlink_put_u64(struct nl_msg *msg, int type, uint64_t value);
struct nl_msg *netlink_put_string(struct nl_msg *msg, int type, const char *text);

/* netlink_u32: the number in an attribute; 0 when it is absent (NULL) or shorter. */
static inline uint32_t netlink_u32(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= 4 ? nla_get_u32(attr) : 0;
}
