// SPDX-License-Identifier: GPL-2.0-or-later

#include "fabric/rdma_link.h"

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>

#include "base/netlink.h"

#define LINKS_MAX 512 /* as many as there are ports looked at (PORTS_MAX) */

struct rdma_link {
	uint32_t index;
	char name[64];
	char netdev[IFNAMSIZ]; /* of port 1; "" on InfiniBand or when detached */
	char type[16];	       /* "rxe", "siw"; "" for hardware or when ib_uverbs is not loaded */
};

static struct nl_msg *nldev_msg(int command, int flags)
{
	return netlink_msg(
		RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), NLM_F_REQUEST | flags, NULL, 0);
}

static void copy_string(char *dst, size_t size, struct nlattr *attr)
{
	if (attr)
		nla_strlcpy(dst, attr, size);
}

static void read_port(struct nlattr **tb, struct rdma_link *link)
{
	if (netlink_u32(tb[RDMA_NLDEV_ATTR_PORT_INDEX]) == 1)
		copy_string(link->netdev, sizeof(link->netdev), tb[RDMA_NLDEV_ATTR_NDEV_NAME]);
}

static void read_driver(struct nlattr **tb, struct rdma_link *link)
{
	static const struct {
		uint32_t id;
		const char *type;
	} soft[] = {{RDMA_DRIVER_RXE, "rxe"}, {RDMA_DRIVER_SIW, "siw"}};
	uint32_t id = netlink_u32(tb[RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID]);

	for (size_t i = 0; i < ARRAY_SIZE(soft); i++)
		if (soft[i].id == id)
			(void)strscpy(link->type, soft[i].type, sizeof(link->type));
}

/* The next row of an answer. 1, 0 at its end, or -errno. */
static int next_row(struct netlink *n, struct nlattr **tb)
{
	struct nlmsghdr *h;
	int r = netlink_next(n, &h);

	if (r > 0 && nlmsg_parse(h, 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL) < 0)
		memset(tb, 0, RDMA_NLDEV_ATTR_MAX * sizeof(*tb));
	return r;
}

/* What msg's answer tells of a device. One that vanishes meanwhile stays without it. */
static void ask_of(struct netlink *n, struct nl_msg *msg, struct rdma_link *link,
	void (*read)(struct nlattr **tb, struct rdma_link *link))
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	int r = netlink_send(
		n, netlink_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, link->index), "RDMA");

	while (r == 0 && next_row(n, tb) > 0)
		read(tb, link);
}

static void read_netdev(struct netlink *n, struct rdma_link *link)
{
	ask_of(n, nldev_msg(RDMA_NLDEV_CMD_PORT_GET, NLM_F_DUMP), link, read_port);
}

/* The driver behind a device is told by its uverbs character device. */
static void read_details(struct netlink *n, struct rdma_link *link)
{
	struct nl_msg *driver = netlink_put_string(nldev_msg(RDMA_NLDEV_CMD_GET_CHARDEV, NLM_F_ACK),
		RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");

	read_netdev(n, link);
	ask_of(n, driver, link, read_driver);
}

static int read_devices(struct netlink *n, struct rdma_link *links)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
	size_t found = 0;
	int r = netlink_send(n, nldev_msg(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), "RDMA devices");

	while (r >= 0 && (r = next_row(n, tb)) > 0) {
		struct nlattr *index = tb[RDMA_NLDEV_ATTR_DEV_INDEX];

		if (found == LINKS_MAX || !index || !tb[RDMA_NLDEV_ATTR_DEV_NAME])
			continue;
		links[found] = (struct rdma_link){.index = netlink_u32(index)};
		copy_string(links[found].name, sizeof(links->name), tb[RDMA_NLDEV_ATTR_DEV_NAME]);
		found++;
	}
	return r < 0 ? r : (int)found;
}

/* All RDMA devices. How many rows were written, or -errno. */
static int list_links(struct netlink *n, struct rdma_link *links)
{
	int r = -EINTR;

	for (int i = 0; r == -EINTR && i < NETLINK_LIST_TRIES; i++)
		r = read_devices(n, links);
	for (int i = 0; i < r; i++)
		read_details(n, &links[i]);
	return r;
}

bool rdma_link_netdev(const char *device, char netdev[static IFNAMSIZ])
{
	_cleanup_(netlink_freep) struct netlink *nl = NULL;
	_cleanup_free_ struct rdma_link *links = calloc(LINKS_MAX, sizeof(*links));
	int n = links ? netlink_new(&nl, NETLINK_RDMA) : -ENOMEM;

	netdev[0] = 0;
	n = n < 0 ? n : read_devices(nl, links);
	for (int i = 0; i < n; i++) {
		if (!streq(links[i].name, device))
			continue;
		read_netdev(nl, &links[i]);
		(void)strscpy(netdev, links[i].netdev, IFNAMSIZ);
	}
	return *netdev;
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
		snprintf(errtext, size, "invalid RDMA device name");
	else if (!is_word(type, 16, "/%-.:"))
		snprintf(errtext, size, "invalid link type");
	else if (!is_word(netdev, IFNAMSIZ, "/"))
		snprintf(errtext, size, "invalid netdev name");
	else
		return 0;
	return -EINVAL;
}

/*
 * What is there already: 1 when it is the link asked for, 0 when nothing is in the way, -EEXIST
 * when something else is.
 */
static int compare_existing(struct netlink *nl, const char *name, const char *type,
	const char *netdev, char *errtext, size_t size)
{
	_cleanup_free_ struct rdma_link *links = calloc(LINKS_MAX, sizeof(*links));
	int n = links ? list_links(nl, links) : -ENOMEM;

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
		return "the name or the netdev is in use";
	return strerror(-error);
}

static int add_link(struct netlink *n, const char *name, const char *type, const char *netdev)
{
	struct nl_msg *msg = nldev_msg(RDMA_NLDEV_CMD_NEWLINK, NLM_F_ACK);

	msg = netlink_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, name);
	msg = netlink_put_string(msg, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	msg = netlink_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return netlink_call(n, msg, "RDMA link");
}

int rdma_link_add(
	const char *name, const char *type, const char *netdev, char *errtext, size_t size)
{
	_cleanup_(netlink_freep) struct netlink *n = NULL;
	int r = check_words(name, type, netdev, errtext, size);

	if (r < 0)
		return r;
	errtext[0] = 0;
	r = netlink_new(&n, NETLINK_RDMA);
	if (r == 0)
		r = compare_existing(n, name, type, netdev, errtext, size);
	if (r == 0) {
		r = add_link(n, name, type, netdev);
		(void)strscpy(errtext, netlink_words(n), size);
	}
	if (r < 0 && !*errtext)
		snprintf(errtext, size, "%s", explain(r, type));
	return r;
}
