// SPDX-License-Identifier: GPL-2.0-or-later
/* rdma_nl: see rdma_nl.h. */
#include "fabric/rdma_nl.h"

#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/time.h>

/* linux/netlink.h; older C library headers lack some of these. */
#ifndef NETLINK_EXT_ACK
#define NETLINK_EXT_ACK 11
#endif

#define ACK_FLAG_CAPPED 0x100 /* NLM_F_CAPPED: the request is not echoed */
#define ACK_FLAG_TLVS	0x200 /* NLM_F_ACK_TLVS: attributes follow */
#define ACK_ATTR_MSG	1     /* NLMSGERR_ATTR_MSG */

struct talk {
	rdma_nl_row row;
	void *data;
	char *errtext;
	size_t size;
	int error;
	bool done;
	bool torn; /* the list changed while it was read */
};

struct nl_msg *rdma_nl_new(int command, int flags)
{
	return nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), NLM_F_REQUEST | flags);
}

/* The kernel's text follows the error code and, unless capped, the echoed request. */
static void take_text(struct talk *t, struct nlmsgerr *err)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)(void *)((char *)err - NLMSG_HDRLEN);
	size_t total = nlh->nlmsg_len - NLMSG_HDRLEN, skip = sizeof(*err);
	struct nlattr *attr;

	if (!t->errtext || !(nlh->nlmsg_flags & ACK_FLAG_TLVS))
		return;
	if (!(nlh->nlmsg_flags & ACK_FLAG_CAPPED)) {
		if (err->msg.nlmsg_len < NLMSG_HDRLEN)
			return;
		skip += NLMSG_ALIGN(err->msg.nlmsg_len - NLMSG_HDRLEN);
	}
	if (skip >= total)
		return;
	attr = nla_find(
		(struct nlattr *)(void *)((char *)err + skip), (int)(total - skip), ACK_ATTR_MSG);
	if (attr)
		nla_strlcpy(t->errtext, attr, t->size);
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct talk *t = arg;

	(void)from;
	t->error = err->error;
	t->done = true;
	take_text(t, err);
	return NL_STOP;
}

static int on_end(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;

	(void)msg;
	t->done = true;
	return NL_STOP;
}

/* The list changed while it was read (NLM_F_DUMP_INTR); its end is still to come. */
static int on_torn(struct nl_msg *msg, void *arg)
{
	struct talk *t = arg;

	(void)msg;
	t->torn = true;
	return NL_OK;
}

static int on_row(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	struct talk *t = arg;

	if (nlmsg_parse(nlmsg_hdr(msg), 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) == 0 && t->row)
		t->row(tb, t->data);
	/* Answers to a dump end with DONE, to a request with ACK asked for by an ACK. */
	if (!(nlmsg_hdr(msg)->nlmsg_flags & NLM_F_MULTI))
		t->done = true;
	return NL_OK;
}

static int receive(struct nl_sock *sk, struct nl_cb *cb, struct talk *t)
{
	while (!t->done) {
		int r = nl_recvmsgs(sk, cb);

		if (r < 0 && !t->done)
			return r == -NLE_AGAIN ? -ETIMEDOUT : -EIO;
	}
	return t->torn && !t->error ? -EINTR : t->error;
}

static int connect_socket(struct nl_sock *sk)
{
	const struct timeval patience = {.tv_sec = RDMA_NL_TIMEOUT_SEC};
	const int on = 1;

	/* EPROTONOSUPPORT: ib_core, which owns the protocol, is not loaded. */
	if (nl_connect(sk, NETLINK_RDMA) < 0)
		return -EPROTONOSUPPORT;
	if (setsockopt(nl_socket_get_fd(sk), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) <
		0)
		return -errno;
	/* Without it (before 4.12) there is just no text. */
	(void)setsockopt(nl_socket_get_fd(sk), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	return 0;
}

int rdma_nl_talk(struct nl_msg *msg, rdma_nl_row row, void *data, char *errtext, size_t size)
{
	struct talk t = {.row = row, .data = data, .errtext = errtext, .size = size};
	struct nl_sock *sk = nl_socket_alloc();
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int r = -ENOMEM;

	if (errtext && size)
		errtext[0] = 0;
	if (!sk || !cb)
		goto out;
	r = connect_socket(sk);
	if (r < 0)
		goto out;
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, &t);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_end, &t);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_end, &t);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_torn, &t);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_row, &t);
	r = nl_send_auto(sk, msg) < 0 ? -EIO : receive(sk, cb, &t);
out:
	if (cb)
		nl_cb_put(cb);
	if (sk)
		nl_socket_free(sk);
	return r;
}
