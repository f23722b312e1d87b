// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/block/nbd_nl.h"

#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>

#include "base/netlink.h"

/* Linux 5.14; older ones do not look at attributes they do not know. */
#define ATTR_BACKEND 10

static struct nl_msg *genl_msg(uint16_t family, uint8_t command)
{
	const struct genlmsghdr head = {.cmd = command, .version = 1};

	return netlink_msg(family, NLM_F_REQUEST | NLM_F_ACK, &head, sizeof(head));
}

/* Sends msg, which is freed; an unsigned of 16 or 32 bits among the answer's attributes goes to
 * *ret. */
static int ask(struct netlink *n, struct nl_msg *msg, int attribute, uint32_t *ret)
{
	struct nlmsghdr *h;
	int r = netlink_send(n, msg, "nbd");

	while (r >= 0 && (r = netlink_next(n, &h)) > 0) {
		struct nlattr *a = nlmsg_find_attr(h, GENL_HDRLEN, attribute);

		if (a && nla_len(a) >= 2)
			*ret = nla_len(a) >= 4 ? nla_get_u32(a) : nla_get_u16(a);
	}
	return r;
}

/* A socket, and the number that the kernel has given to nbd. */
static int open_family(struct netlink **ret, uint16_t *ret_family)
{
	struct nl_msg *msg = genl_msg(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	uint32_t id = 0;
	int r = netlink_new(ret, NETLINK_GENERIC);

	msg = netlink_put_string(msg, CTRL_ATTR_FAMILY_NAME, NBD_GENL_FAMILY_NAME);
	if (r < 0) {
		nlmsg_free(msg);
		return r;
	}
	r = ask(*ret, msg, CTRL_ATTR_FAMILY_ID, &id);
	*ret_family = (uint16_t)id;
	return r < 0 ? r : id ? 0 : -ENOENT;
}

static struct nl_msg *put_socket(struct nl_msg *m, int socket)
{
	struct nlattr *list = m ? nla_nest_start(m, NBD_ATTR_SOCKETS) : NULL;
	struct nlattr *item = list ? nla_nest_start(m, NBD_SOCK_ITEM) : NULL;

	if (!item || nla_put_u32(m, NBD_SOCK_FD, (uint32_t)socket) < 0) {
		nlmsg_free(m);
		return NULL;
	}
	nla_nest_end(m, item);
	nla_nest_end(m, list);
	return m;
}

static struct nl_msg *connect_msg(uint16_t family, const struct nbd_setup *s)
{
	struct nl_msg *m = genl_msg(family, NBD_CMD_CONNECT);

	m = netlink_put_u64(m, NBD_ATTR_SIZE_BYTES, s->size);
	m = netlink_put_u64(m, NBD_ATTR_BLOCK_SIZE_BYTES, s->block_size);
	m = netlink_put_u64(m, NBD_ATTR_SERVER_FLAGS, s->flags);
	m = netlink_put_u64(m, NBD_ATTR_CLIENT_FLAGS, 0);
	m = netlink_put_u64(m, NBD_ATTR_DEAD_CONN_TIMEOUT, s->dead_s);
	if (s->timeout_s)
		m = netlink_put_u64(m, NBD_ATTR_TIMEOUT, s->timeout_s);
	m = netlink_put_string(m, ATTR_BACKEND, s->backend);
	return put_socket(m, s->socket);
}

int nbd_connect(const struct nbd_setup *setup, char text[static NBD_ERROR_MAX])
{
	_cleanup_(netlink_freep) struct netlink *n = NULL;
	uint32_t index = UINT32_MAX;
	uint16_t family;
	int r = open_family(&n, &family);

	text[0] = 0;
	if (r == 0)
		r = ask(n, connect_msg(family, setup), NBD_ATTR_INDEX, &index);
	if (n)
		(void)strscpy(text, netlink_words(n), NBD_ERROR_MAX);
	if (r < 0)
		return r;
	return index > INT32_MAX ? -EBADMSG : (int)index;
}

int nbd_disconnect(unsigned index)
{
	_cleanup_(netlink_freep) struct netlink *n = NULL;
	uint16_t family;
	uint32_t none;
	int r = open_family(&n, &family);

	if (r < 0)
		return r;
	return ask(n, netlink_put_u32(genl_msg(family, NBD_CMD_DISCONNECT), NBD_ATTR_INDEX, index),
		NBD_ATTR_INDEX, &none);
}
