// SPDX-License-Identifier: GPL-2.0-or-later
/* rdma_link: see rdma_link.h. */
#include "fabric/rdma_link.h"

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>

#include "fabric/rdma_nl.h"

/* How often a list is read that changed while it was read. */
#define LIST_TRIES 5

struct list {
	struct rdma_link *links;
	size_t n, max;
};

static void copy_string(char *dst, size_t size, struct nlattr *attr)
{
	if (attr)
		nla_strlcpy(dst, attr, size);
}

static void take_device(struct nlattr **tb, void *data)
{
	struct list *l = data;
	struct rdma_link *link;

	if (l->n >= l->max || !tb[RDMA_NLDEV_ATTR_DEV_INDEX] || !tb[RDMA_NLDEV_ATTR_DEV_NAME])
		return;
	link = &l->links[l->n++];
	memset(link, 0, sizeof(*link));
	link->index = nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	copy_string(link->name, sizeof(link->name), tb[RDMA_NLDEV_ATTR_DEV_NAME]);
}

static void take_port(struct nlattr **tb, void *data)
{
	struct rdma_link *link = data;
	struct nlattr *port = tb[RDMA_NLDEV_ATTR_PORT_INDEX];

	if (port && nla_get_u32(port) == 1)
		copy_string(link->netdev, sizeof(link->netdev), tb[RDMA_NLDEV_ATTR_NDEV_NAME]);
}

static void take_driver(struct nlattr **tb, void *data)
{
	static const struct {
		uint32_t id;
		const char *type;
	} soft[] = {{RDMA_DRIVER_RXE, "rxe"}, {RDMA_DRIVER_SIW, "siw"}};
	struct nlattr *id = tb[RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID];
	struct rdma_link *link = data;

	for (size_t i = 0; id && i < ARRAY_SIZE(soft); i++)
		if (soft[i].id == nla_get_u32(id))
			(void)strscpy(link->type, soft[i].type, sizeof(link->type));
}

/* Ports of one device; a dump restricted by index. */
static int read_ports(struct rdma_link *link)
{
	struct nl_msg *msg = rdma_nl_new(RDMA_NLDEV_CMD_PORT_GET, NLM_F_DUMP);
	int r = -ENOMEM;

	if (msg && nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, link->index) == 0)
		r = rdma_nl_talk(msg, take_port, link, NULL, 0);
	nlmsg_free(msg);
	return r;
}

/* The driver behind a device is told by its uverbs character device. */
static int read_driver(struct rdma_link *link)
{
	struct nl_msg *msg = rdma_nl_new(RDMA_NLDEV_CMD_GET_CHARDEV, NLM_F_ACK);
	int r = -ENOMEM;

	if (msg && nla_put_string(msg, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs") == 0 &&
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, link->index) == 0)
		r = rdma_nl_talk(msg, take_driver, link, NULL, 0);
	nlmsg_free(msg);
	return r;
}

static int read_list(struct rdma_link *links, size_t max)
{
	struct nl_msg *msg = rdma_nl_new(RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	struct list l = {.links = links, .max = max};
	int r = msg ? rdma_nl_talk(msg, take_device, &l, NULL, 0) : -ENOMEM;

	nlmsg_free(msg);
	if (r < 0)
		return r;
	/* A device may vanish in between: then its row stays without the rest. */
	for (size_t i = 0; i < l.n; i++) {
		(void)read_ports(&links[i]);
		(void)read_driver(&links[i]);
	}
	return (int)l.n;
}

int rdma_link_list(struct rdma_link *links, size_t max)
{
	int r = -EINTR;

	for (int i = 0; r == -EINTR && i < LIST_TRIES; i++)
		r = read_list(links, max);
	return r;
}

/* Names reach the kernel as they are; only what it could not mean is refused here. */
static bool is_word(const char *s, size_t size, const char *forbidden)
{
	size_t len = strnlen(s, size);

	if (len == 0 || len == size || strpbrk(s, forbidden))
		return false;
	for (size_t i = 0; i < len; i++)
		if (s[i] <= ' ' || s[i] > '~')
			return false;
	return true;
}

static int check_words(
	const char *name, const char *type, const char *netdev, char *errtext, size_t size)
{
	if (!is_word(name, 64, "/%"))
		snprintf(errtext, size, "no valid RDMA device name");
	else if (!is_word(type, 16, "/%-.:"))
		snprintf(errtext, size, "no valid link type");
	else if (!is_word(netdev, IFNAMSIZ, "/"))
		snprintf(errtext, size, "no valid netdev name");
	else
		return 0;
	return -EINVAL;
}

/*
 * What is there already: 1 when it is the link asked for, 0 when nothing is in the way, -EEXIST
 * when something else is.
 */
static int compare_existing(
	const char *name, const char *type, const char *netdev, char *errtext, size_t size)
{
	_cleanup_free_ struct rdma_link *links = calloc(RDMA_LINK_MAX, sizeof(*links));
	int n = links ? rdma_link_list(links, RDMA_LINK_MAX) : -ENOMEM;

	for (int i = 0; i < n; i++) {
		const struct rdma_link *l = &links[i];
		/* An unknown type (uverbs not loaded) is not held against it. */
		bool same_type = !*l->type || streq(l->type, type);

		if (streq(l->name, name) && same_type && streq(l->netdev, netdev))
			return 1;
		if (!streq(l->name, name) && !(streq(l->netdev, netdev) && streq(l->type, type)))
			continue;
		snprintf(errtext, size, "%s exists already (%s on %s)", l->name,
			*l->type ? l->type : "hardware", *l->netdev ? l->netdev : "no netdev");
		return -EEXIST;
	}
	return n < 0 ? n : 0;
}

/* One line for the errnos that have a known reason here. */
static const char *explain(int error, const char *type)
{
	if (error == -EPROTONOSUPPORT)
		return "the RDMA core (ib_core) is not loaded";
	if (error == -ENOENT && streq(type, "rxe"))
		return "the kernel's crypto layer has no crc32: load crc32_generic";
	if (error == -EINVAL)
		return "the kernel knows no such link type: its driver is not loaded";
	if (error == -ENODEV)
		return "no such netdev";
	if (error == -EEXIST || error == -ENFILE)
		return "the name or the netdev is taken";
	return strerror(-error);
}

static int put_words(struct nl_msg *msg, const char *name, const char *type, const char *netdev)
{
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name) < 0 ||
		nla_put_string(msg, RDMA_NLDEV_ATTR_LINK_TYPE, type) < 0 ||
		nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, netdev) < 0)
		return -ENOMEM;
	return 0;
}

int rdma_link_add(
	const char *name, const char *type, const char *netdev, char *errtext, size_t size)
{
	struct nl_msg *msg;
	int r = check_words(name, type, netdev, errtext, size);

	if (r < 0)
		return r;
	errtext[0] = 0;
	r = compare_existing(name, type, netdev, errtext, size);
	if (r == 0) {
		msg = rdma_nl_new(RDMA_NLDEV_CMD_NEWLINK, NLM_F_ACK);
		r = msg ? put_words(msg, name, type, netdev) : -ENOMEM;
		if (r == 0)
			r = rdma_nl_talk(msg, NULL, NULL, errtext, size);
		nlmsg_free(msg);
	}
	if (r < 0 && !*errtext)
		snprintf(errtext, size, "%s", explain(r, type));
	return r;
}

static int find_index(const char *name, uint32_t *ret)
{
	_cleanup_free_ struct rdma_link *links = calloc(RDMA_LINK_MAX, sizeof(*links));
	int n = links ? rdma_link_list(links, RDMA_LINK_MAX) : -ENOMEM;

	for (int i = 0; i < n; i++) {
		if (streq(links[i].name, name)) {
			*ret = links[i].index;
			return 0;
		}
	}
	return n < 0 ? n : -ENODEV;
}

int rdma_link_del(const char *name, char *errtext, size_t size)
{
	struct nl_msg *msg;
	uint32_t index = 0;
	int r = find_index(name, &index);

	errtext[0] = 0;
	if (r == 0) {
		msg = rdma_nl_new(RDMA_NLDEV_CMD_DELLINK, NLM_F_ACK);
		r = msg && nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, index) == 0 ? 0 : -ENOMEM;
		if (r == 0)
			r = rdma_nl_talk(msg, NULL, NULL, errtext, size);
		nlmsg_free(msg);
	}
	if (r < 0 && !*errtext)
		snprintf(errtext, size, "%s", r == -ENODEV ? "no such RDMA device" : strerror(-r));
	return r;
}
