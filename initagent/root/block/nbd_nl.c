// SPDX-License-Identifier: GPL-2.0-or-later
/* nbd_nl: see nbd_nl.h. */
#include "root/block/nbd_nl.h"

#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>

/* Linux 5.14; older ones do not look at attributes they do not know. */
#define ATTR_BACKEND 10

#define ANSWER_MAX 8192

struct channel {
	struct nl_sock *sock;
	char *text; /* the kernel's words */
};

static void channel_free(struct channel *c)
{
	if (c->sock)
		nl_socket_free(c->sock);
}

static int channel_open(struct channel *c)
{
	int on = 1;

	c->sock = nl_socket_alloc();
	if (!c->sock)
		return -ENOMEM;
	if (nl_connect(c->sock, NETLINK_GENERIC) < 0)
		return errno ? -errno : -EIO;
	setsockopt(nl_socket_get_fd(c->sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl_socket_get_fd(c->sock), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
}

static struct nl_msg *message(uint16_t family, uint8_t command, int flags)
{
	struct genlmsghdr head = {.cmd = command, .version = 1};
	struct nl_msg *m = nlmsg_alloc();
	struct nlmsghdr *h = m ? nlmsg_put(m, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags | NLM_F_REQUEST) : NULL;

	if (h && nlmsg_append(m, &head, sizeof(head), NLMSG_ALIGNTO) == 0)
		return m;
	nlmsg_free(m);
	return NULL;
}

static void keep_words(struct channel *c, struct nlmsghdr *h)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1] = {0};

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS) || !(h->nlmsg_flags & NLM_F_CAPPED))
		return;
	if (nlmsg_parse(h, sizeof(struct nlmsgerr), tb, NLMSGERR_ATTR_MAX, NULL) == 0 && tb[NLMSGERR_ATTR_MSG])
		strscpy(c->text, nla_get_string(tb[NLMSGERR_ATTR_MSG]), NBD_ERROR_MAX);
}

/* An unsigned of 16 or 32 bits among the attributes of a generic netlink message. */
static int take_number(struct nlmsghdr *h, int attribute, uint32_t *ret)
{
	struct nlattr *a = nlmsg_find_attr(h, GENL_HDRLEN, attribute);

	if (!a || nla_len(a) < 2)
		return -ENODATA;
	*ret = nla_len(a) >= 4 ? nla_get_u32(a) : nla_get_u16(a);
	return 0;
}

/* One datagram's messages: 1 when the acknowledgement was there. */
static int read_answer(struct channel *c, char *buf, int len, int attribute, uint32_t *ret)
{
	for (struct nlmsghdr *h = (struct nlmsghdr *)buf; nlmsg_ok(h, len); h = nlmsg_next(h, &len)) {
		const struct nlmsgerr *e = nlmsg_data(h);

		if (h->nlmsg_type != NLMSG_ERROR) {
			take_number(h, attribute, ret);
			continue;
		}
		if (h->nlmsg_len < NLMSG_LENGTH(sizeof(*e)))
			return -EBADMSG;
		if (e->error)
			keep_words(c, h);
		return e->error ? e->error : 1;
	}
	return 0;
}

/* Sends m, which is freed, and waits for its acknowledgement; a number of the answer goes to *ret. */
static int ask(struct channel *c, struct nl_msg *m, int attribute, uint32_t *ret)
{
	char buf[ANSWER_MAX] __attribute__((aligned(NLMSG_ALIGNTO)));
	int r;

	if (!m)
		return -ENOMEM;
	errno = 0;
	r = nl_send_auto(c->sock, m);
	nlmsg_free(m);
	if (r < 0)
		return errno ? -errno : -EIO;
	do {
		ssize_t n = recv(nl_socket_get_fd(c->sock), buf, sizeof(buf), 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		r = n > 0 ? read_answer(c, buf, (int)n, attribute, ret) : 0;
	} while (r == 0);
	return r < 0 ? r : 0;
}

static int find_family(struct channel *c, uint16_t *ret)
{
	struct nl_msg *m = message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	uint32_t id = 0;
	int r;

	if (m && nla_put_string(m, CTRL_ATTR_FAMILY_NAME, NBD_GENL_FAMILY_NAME) < 0) {
		nlmsg_free(m);
		return -ENOMEM;
	}
	r = ask(c, m, CTRL_ATTR_FAMILY_ID, &id);
	*ret = (uint16_t)id;
	return r < 0 ? r : id ? 0 : -ENOENT;
}

static int put_socket(struct nl_msg *m, int socket)
{
	struct nlattr *list = nla_nest_start(m, NBD_ATTR_SOCKETS), *item;

	item = list ? nla_nest_start(m, NBD_SOCK_ITEM) : NULL;
	if (!item || nla_put_u32(m, NBD_SOCK_FD, (uint32_t)socket) < 0)
		return -ENOMEM;
	nla_nest_end(m, item);
	nla_nest_end(m, list);
	return 0;
}

static struct nl_msg *connect_message(uint16_t family, const struct nbd_setup *s)
{
	struct nl_msg *m = message(family, NBD_CMD_CONNECT, NLM_F_ACK);
	bool ok = m && nla_put_u64(m, NBD_ATTR_SIZE_BYTES, s->size) == 0 &&
		nla_put_u64(m, NBD_ATTR_BLOCK_SIZE_BYTES, s->block_size) == 0 &&
		nla_put_u64(m, NBD_ATTR_SERVER_FLAGS, s->flags) == 0 &&
		nla_put_u64(m, NBD_ATTR_CLIENT_FLAGS, 0) == 0 &&
		nla_put_u64(m, NBD_ATTR_DEAD_CONN_TIMEOUT, s->dead_s) == 0 &&
		(!s->timeout_s || nla_put_u64(m, NBD_ATTR_TIMEOUT, s->timeout_s) == 0) &&
		nla_put_string(m, ATTR_BACKEND, s->backend) == 0 && put_socket(m, s->socket) == 0;

	if (ok)
		return m;
	nlmsg_free(m);
	return NULL;
}

int nbd_connect(const struct nbd_setup *setup, char text[static NBD_ERROR_MAX])
{
	_cleanup_(channel_free) struct channel c = {.text = text};
	uint32_t index = UINT32_MAX;
	uint16_t family;
	int r = channel_open(&c);

	text[0] = 0;
	if (r == 0)
		r = find_family(&c, &family);
	if (r == 0)
		r = ask(&c, connect_message(family, setup), NBD_ATTR_INDEX, &index);
	if (r < 0)
		return r;
	return index > INT32_MAX ? -EBADMSG : (int)index;
}

int nbd_disconnect(unsigned index)
{
	char text[NBD_ERROR_MAX];
	_cleanup_(channel_free) struct channel c = {.text = text};
	struct nl_msg *m;
	uint16_t family;
	uint32_t none;
	int r = channel_open(&c);

	if (r == 0)
		r = find_family(&c, &family);
	if (r < 0)
		return r;
	m = message(family, NBD_CMD_DISCONNECT, NLM_F_ACK);
	if (m && nla_put_u32(m, NBD_ATTR_INDEX, index) < 0) {
		nlmsg_free(m);
		m = NULL;
	}
	return ask(&c, m, NBD_ATTR_INDEX, &none);
}
