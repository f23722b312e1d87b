// SPDX-License-Identifier: GPL-2.0-or-later
/* rtnl: see rtnl.h. */
#include "link/rtnl.h"

#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>

/* What the kernel fills at most in one go (netlink_recvmsg, NLMSG_GOODSIZE up to 32 KiB). */
#define BUFFER_SIZE 32768

struct rtnl {
	struct nl_sock *sock;
	int fd;
	uint32_t seq;	       /* of the request under way */
	bool torn;	       /* the list under way changed while it was read */
	struct nlmsghdr *next; /* in buffer */
	int left;	       /* bytes from next on */
	char what[64];
	char error[RTNL_ERROR_MAX];
	char buffer[BUFFER_SIZE] __attribute__((aligned(NLMSG_ALIGNTO)));
};

struct rtnl *rtnl_free(struct rtnl *r)
{
	if (!r)
		return NULL;
	if (r->sock)
		nl_socket_free(r->sock);
	free(r);
	return NULL;
}

int rtnl_new(struct rtnl **ret)
{
	_cleanup_(rtnl_freep) struct rtnl *r = calloc(1, sizeof(*r));
	int on = 1;

	if (!r)
		return -ENOMEM;
	r->sock = nl_socket_alloc();
	if (!r->sock)
		return -ENOMEM;
	if (nl_connect(r->sock, NETLINK_ROUTE) < 0)
		return errno ? -errno : -EIO;
	r->fd = nl_socket_get_fd(r->sock);
	/* Both only make answers better or smaller: kernels without them (before 4.12) still work. */
	setsockopt(r->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(r->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	*ret = r;
	r = NULL;
	return 0;
}

const char *rtnl_error(const struct rtnl *r)
{
	return r->error;
}

static int fail(struct rtnl *r, int error, const char *words)
{
	snprintf(r->error, sizeof(r->error), "%s: %s%s%s", r->what, strerror(-error),
		words ? ": " : "", words ? words : "");
	return error;
}

int rtnl_send(struct rtnl *r, struct nl_msg *msg, const char *what)
{
	int sent;

	r->next = NULL;
	r->left = 0;
	r->torn = false;
	strscpy(r->what, what, sizeof(r->what));
	if (!msg)
		return fail(r, -ENOMEM, NULL);
	errno = 0;
	sent = nl_send_auto(r->sock, msg);
	r->seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	return sent < 0 ? fail(r, errno ? -errno : -EIO, NULL) : 0;
}

/*
 * The kernel works a request off inside send(), and continues a dump inside each recv(): the answer is
 * always there, and one that is not would never come.
 */
static int refill(struct rtnl *r)
{
	ssize_t n;

	do
		n = recv(r->fd, r->buffer, sizeof(r->buffer), MSG_TRUNC | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n > sizeof(r->buffer))
		return -EMSGSIZE;
	r->next = (struct nlmsghdr *)r->buffer;
	r->left = (int)n;
	return 0;
}

/* The kernel's words in an error message, NULL if none (include/uapi/linux/netlink.h). */
static const char *extended_ack(struct nlmsghdr *h)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1] = {0};
	struct nlmsgerr *e = nlmsg_data(h);
	int fixed = sizeof(*e);

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return NULL;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		fixed += (int)e->msg.nlmsg_len - NLMSG_HDRLEN;
	if (nlmsg_parse(h, fixed, tb, NLMSGERR_ATTR_MAX, NULL) < 0 || !tb[NLMSGERR_ATTR_MSG])
		return NULL;
	return nla_get_string(tb[NLMSGERR_ATTR_MSG]);
}

/* An acknowledgement or refusal; both end the answer. */
static int ended(struct rtnl *r, struct nlmsghdr *h)
{
	const struct nlmsgerr *e = nlmsg_data(h);

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*e)))
		return fail(r, -EBADMSG, NULL);
	return e->error ? fail(r, e->error, extended_ack(h)) : 0;
}

/* A dump's end carries an error number too. */
static int done(struct rtnl *r, struct nlmsghdr *h)
{
	int error;

	if (h->nlmsg_len >= NLMSG_LENGTH(sizeof(error))) {
		memcpy(&error, nlmsg_data(h), sizeof(error));
		if (error < 0)
			return fail(r, error, NULL);
	}
	return r->torn ? fail(r, -EINTR, "the list changed while it was read") : 0;
}

int rtnl_next(struct rtnl *r, struct nlmsghdr **ret)
{
	for (;;) {
		struct nlmsghdr *h;
		int e;

		if (!nlmsg_ok(r->next, r->left)) {
			e = refill(r);
			if (e < 0)
				return fail(r, e, NULL);
			continue;
		}
		h = r->next;
		r->next = nlmsg_next(h, &r->left);
		if (h->nlmsg_seq != r->seq)
			continue; /* left over from a request that was given up */
		r->torn |= (h->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
		if (h->nlmsg_type == NLMSG_ERROR)
			return ended(r, h);
		if (h->nlmsg_type == NLMSG_DONE)
			return done(r, h);
		*ret = h;
		return 1;
	}
}

int rtnl_call(struct rtnl *r, struct nl_msg *msg, const char *what)
{
	struct nlmsghdr *h;
	int e = rtnl_send(r, msg, what);

	if (e < 0)
		return e;
	do
		e = rtnl_next(r, &h);
	while (e > 0);
	return e;
}

int rtnl_get(struct rtnl *r, struct nl_msg *msg, const char *what, struct nlmsghdr **ret)
{
	int e = rtnl_send(r, msg, what);

	if (e < 0)
		return e;
	e = rtnl_next(r, ret);
	if (e == 0)
		return fail(r, -ENODATA, NULL);
	return e < 0 ? e : 0;
}

struct nl_msg *rtnl_msg(int type, int flags, const void *header, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (msg && nlmsg_append(msg, (void *)(uintptr_t)header, size, NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

struct nl_msg *rtnl_put(struct nl_msg *msg, int type, const void *data, size_t len)
{
	if (msg && nla_put(msg, type, (int)len, data) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

struct nl_msg *rtnl_put_u32(struct nl_msg *msg, int type, uint32_t value)
{
	return rtnl_put(msg, type, &value, sizeof(value));
}

struct nl_msg *rtnl_put_addr(struct nl_msg *msg, int type, const struct inet_addr *addr)
{
	if (!addr->family)
		return msg;
	return rtnl_put(msg, type, addr->bytes, inet_addr_len(addr->family));
}

bool rtnl_addr(const struct nlattr *attr, int family, struct inet_addr *ret)
{
	if (!attr || (size_t)nla_len(attr) != inet_addr_len(family))
		return false;
	*ret = (struct inet_addr){.family = (sa_family_t)family};
	memcpy(ret->bytes, nla_data(attr), inet_addr_len(family));
	return true;
}
