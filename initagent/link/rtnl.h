/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rtnl: one request socket to the kernel's rtnetlink. Messages are made with libnl-3's nlmsg_ and nla_
 * functions; sending, receiving and the kernel's extended ack are here. Answers are read without
 * callbacks, so that the caller's code reads from top to bottom. (libnl-route-3's objects are not used:
 * they cost 80 KB, refuse link messages with attributes younger than themselves, and have no
 * names for IPoIB.)
 */
#pragma once

#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "base/util.h"
#include "link/link.h"

#define RTNL_ERROR_MAX 192

struct rtnl;

/* rtnl_new: opens the socket. 0 or -errno. */
int rtnl_new(struct rtnl **ret);
struct rtnl *rtnl_free(struct rtnl *r);
DEFINE_FREEP(struct rtnl, rtnl_free)

/*
 * rtnl_send: sends msg (freed in any case; NULL: -ENOMEM, so that a failed builder needs no check
 * of its own). what describes it for rtnl_error(). Answers left from an earlier request are dropped.
 */
int rtnl_send(struct rtnl *r, struct nl_msg *msg, const char *what);

/*
 * rtnl_next: the next message of the answer, valid until the next call. Returns 1, 0 at the end, or the
 * kernel's -errno; -EINTR at the end of a list that changed while it was read (NLM_F_DUMP_INTR): something may be
 * missing in it or be there twice, so it counts for nothing and is asked for again, RTNL_LIST_TRIES times at most.
 */
#define RTNL_LIST_TRIES 5
int rtnl_next(struct rtnl *r, struct nlmsghdr **ret);

/* rtnl_call: rtnl_send() and the answer's end. 0 or -errno. */
int rtnl_call(struct rtnl *r, struct nl_msg *msg, const char *what);

/* rtnl_get: the same, keeping the first message of the answer. -ENODATA when there is none. */
int rtnl_get(struct rtnl *r, struct nl_msg *msg, const char *what, struct nlmsghdr **ret);

/* rtnl_error: "what: error: the kernel's words" of the last failure; never NULL. */
const char *rtnl_error(const struct rtnl *r);

/*
 * The builders: a message of type beginning with a fixed header, then attributes. Each takes the message
 * over and returns it, or NULL when out of memory (or given NULL), so that a chain of them needs
 * one check: rtnl_send()'s.
 */
struct nl_msg *rtnl_msg(int type, int flags, const void *header, size_t size);
struct nl_msg *rtnl_put(struct nl_msg *msg, int type, const void *data, size_t len);
struct nl_msg *rtnl_put_u32(struct nl_msg *msg, int type, uint32_t value);
/* rtnl_put_addr: adds nothing when the family is 0. */
struct nl_msg *rtnl_put_addr(struct nl_msg *msg, int type, const struct inet_addr *addr);

/* rtnl_addr: the address in an attribute (may be NULL); false when absent or of a wrong size. */
bool rtnl_addr(const struct nlattr *attr, int family, struct inet_addr *ret);
