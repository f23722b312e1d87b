// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/netlink.h"

#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>

/* What the kernel fills at most in one go (netlink_recvmsg, NLMSG_GOODSIZE up to 32 KiB). */
#define BUFFER_SIZE 32768

struct netlink {
	struct nl_sock *sock;
	int fd;
	uint32_t seq;	       /* of the request under way */
	bool torn;	       /* the list under way changed while it was read */
	struct nlmsghdr *next; /* in buffer */
	int left;	       /* bytes from next on */
	char what[64];
	char words[NETLINK_ERROR_MAX]; /* the kernel's */
	char error[NETLINK_ERROR_MAX];
	char buffer[BUFFER_SIZE] __attribute__((aligned(NLMSG_ALIGNTO)));
};

struct netlink *netlink_free(struct netlink *n)
{
	if (!n)
		return NULL;
	nl_socket_free(n->sock);
	free(n);
	return NULL;
}

int netlink_new(struct netlink **ret, int protocol)
{
	_cleanup_(netlink_freep) struct netlink *n = calloc(1, sizeof(*n));
	int on = 1;

	if (!n)
		return -ENOMEM;
	n->sock = nl_socket_alloc();
	if (!n->sock)
		return -ENOMEM;
	if (nl_connect(n->sock, protocol) < 0)
		return errno ? -errno : -EIO;
	n->fd = nl_socket_get_fd(n->sock);
	/*
	 * Both only make answers better or smaller: kernels without them (before 4.12) still work.
	 */
	setsockopt(n->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(n->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	*ret = n;
	n = NULL;
	return 0;
}

int netlink_listen(struct nl_sock **ret, const int *groups)
{
	struct nl_sock *sock = nl_socket_alloc();
	int r;

	if (!sock)
		return -ENOMEM;
	errno = 0;
	r = nl_connect(sock, NETLINK_ROUTE);
	r = r < 0 ? r : nl_socket_set_nonblocking(sock);
	for (; r >= 0 && *groups; groups++)
		r = nl_socket_add_membership(sock, *groups);
	if (r < 0) {
		r = errno ? -errno : -EIO;
		nl_socket_free(sock);
		return r;
	}
	*ret = sock;
	return 0;
}

const char *netlink_error(const struct netlink *n)
{
	return n->error;
}

const char *netlink_words(const struct netlink *n)
{
	return n->words;
}

static int request_failed(struct netlink *n, int error, const char *words)
{
	strscpy(n->words, words ? words : "", sizeof(n->words));
	snprintf(n->error, sizeof(n->error), "%s: %s%s%s", n->what, strerror(-error),
		words ? ": " : "", words ? words : "");
	return error;
}

int netlink_send(struct netlink *n, struct nl_msg *msg, const char *what)
{
	int sent;

	n->next = NULL;
	n->left = 0;
	n->torn = false;
	n->words[0] = 0;
	strscpy(n->what, what, sizeof(n->what));
	if (!msg)
		return request_failed(n, -ENOMEM, NULL);
	errno = 0;
	sent = nl_send_auto(n->sock, msg);
	n->seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	return sent < 0 ? request_failed(n, errno ? -errno : -EIO, NULL) : 0;
}

/*
 * The kernel works a request off inside send(), and continues a dump inside each recv(): the answer
 * is always there, and one that is not would never come.
 */
static int refill(struct netlink *n)
{
	ssize_t len;

	do
		len = recv(n->fd, n->buffer, sizeof(n->buffer), MSG_TRUNC | MSG_DONTWAIT);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return -errno;
	if ((size_t)len > sizeof(n->buffer))
		return -EMSGSIZE;
	n->next = (struct nlmsghdr *)n->buffer;
	n->left = (int)len;
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
static int ended(struct netlink *n, struct nlmsghdr *h)
{
	const struct nlmsgerr *e = nlmsg_data(h);

	if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*e)))
		return request_failed(n, -EBADMSG, NULL);
	return e->error ? request_failed(n, e->error, extended_ack(h)) : 0;
}

/* A dump's end carries an error number too. */
static int done(struct netlink *n, struct nlmsghdr *h)
{
	int error;

	if (h->nlmsg_len >= NLMSG_LENGTH(sizeof(error))) {
		memcpy(&error, nlmsg_data(h), sizeof(error));
		if (error < 0)
			return request_failed(n, error, NULL);
	}
	return n->torn ? request_failed(n, -EINTR, "the list changed while it was read") : 0;
}

int netlink_next(struct netlink *n, struct nlmsghdr **ret)
{
	for (;;) {
		struct nlmsghdr *h;
		int e;

		if (!nlmsg_ok(n->next, n->left)) {
			e = refill(n);
			if (e < 0)
				return request_failed(n, e, NULL);
			continue;
		}
		h = n->next;
		n->next = nlmsg_next(h, &n->left);
		if (h->nlmsg_seq != n->seq)
			continue; /* left over from a request that was given up */
		n->torn |= (h->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
		if (h->nlmsg_type == NLMSG_ERROR)
			return ended(n, h);
		if (h->nlmsg_type == NLMSG_DONE)
			return done(n, h);
		*ret = h;
		return 1;
	}
}

int netlink_call(struct netlink *n, struct nl_msg *msg, const char *what)
{
	struct nlmsghdr *h;
	int e = netlink_send(n, msg, what);

	if (e < 0)
		return e;
	do
		e = netlink_next(n, &h);
	while (e > 0);
	return e;
}

int netlink_get(struct netlink *n, struct nl_msg *msg, const char *what, struct nlmsghdr **ret)
{
	int e = netlink_send(n, msg, what);

	if (e < 0)
		return e;
	e = netlink_next(n, ret);
	if (e == 0)
		return request_failed(n, -ENODATA, NULL);
	return e < 0 ? e : 0;
}

struct nl_msg *netlink_msg(int type, int flags, const void *header, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (msg && size && nlmsg_append(msg, (void *)(uintptr_t)header, size, NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

struct nl_msg *netlink_put(struct nl_msg *msg, int type, const void *data, size_t len)
{
	if (msg && nla_put(msg, type, (int)len, data) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

struct nl_msg *netlink_put_u32(struct nl_msg *msg, int type, uint32_t value)
{
	return netlink_put(msg, type, &value, sizeof(value));
}

struct nl_msg *netlink_put_u64(struct nl_msg *msg, int type, uint64_t value)
{
	return netlink_put(msg, type, &value, sizeof(value));
}

struct nl_msg *netlink_put_string(struct nl_msg *msg, int type, const char *text)
{
	return netlink_put(msg, type, text, strlen(text) + 1);
}
