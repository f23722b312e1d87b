// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list that changed while the kernel dumped it (NLM_F_DUMP_INTR) may lack rows: it is read again
 * and drops nothing.
 */
#include "check.h"
#include "netns.h"

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "link/link.h"

static const struct env env = {.prefix = ""};

/* so many dumps still lose their rows but the first, and say that they changed */
static int torn;
static bool overrun;	/* the next look at the notifications finds them lost */
static int dumps;	/* that came to their end */

ssize_t __real_recv(int fd, void *buf, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags);

/*
 * Tears the answer: every row but the loopback interface's belongs to another request, and each
 * carries the flag.
 */
static void tear(struct nlmsghdr *h, int left)
{
	for (; left > 0 && NLMSG_OK(h, (unsigned int)left); h = NLMSG_NEXT(h, left)) {
		const struct ifinfomsg *ifi = NLMSG_DATA(h);

		h->nlmsg_flags |= NLM_F_DUMP_INTR;
		if (h->nlmsg_type == RTM_NEWLINK && ifi->ifi_index != 1)
			h->nlmsg_seq ^= 0x40000000;
		if (h->nlmsg_type == RTM_NEWADDR)
			h->nlmsg_seq ^= 0x40000000;
		torn -= h->nlmsg_type == NLMSG_DONE;
	}
}

ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags)
{
	struct nlmsghdr *h = buf;
	ssize_t n;

	if (overrun && !(flags & MSG_TRUNC)) {
		overrun = false;
		errno = ENOBUFS;
		return -1;
	}
	n = __real_recv(fd, buf, len, flags);
	if (n < (ssize_t)sizeof(*h) || !(flags & MSG_TRUNC) || !(h->nlmsg_flags & NLM_F_MULTI))
		return n;
	if (torn)
		tear(h, (int)n);
	for (int left = (int)n; left > 0 && NLMSG_OK(h, (unsigned int)left);
		h = NLMSG_NEXT(h, left))
		dumps += h->nlmsg_type == NLMSG_DONE;
	return n;
}

static struct links *make(void)
{
	struct links *l = NULL;

	netns_enter();
	netns_veth("d0", "d1", 0);
	netns_run("ip addr add 192.0.2.7/24 dev d1");
	CHECK_INT(links_new(&l, &env, now_ns()), 0);
	return l;
}

static bool any_gone(struct links *l)
{
	struct link_event ev;
	bool gone = false;

	while (links_pop_event(l, &ev))
		gone |= ev.type == LINK_GONE;
	return gone;
}

TEST(a_torn_list_drops_no_interface_and_is_read_again)
{
	struct links *l = make();

	dumps = 0;
	torn = 2;
	overrun = true;
	CHECK_INT(links_dispatch(l, now_ns()), 0);
	CHECK_INT(dumps, 3);
	CHECK(!any_gone(l));
	CHECK(links_by_name(l, "d0") && links_by_name(l, "d1"));
	links_free(l);
}

TEST(a_list_that_never_stands_still_is_read_later)
{
	struct links *l = make();
	uint64_t now = now_ns();

	(void)any_gone(l);
	torn = 1000;
	overrun = true;
	CHECK_INT(links_dispatch(l, now), 0);
	CHECK(!any_gone(l));
	CHECK(links_deadline(l) > now && links_deadline(l) < now + NSEC_PER_SEC);
	/* What is gone by then is found. */
	torn = 0;
	netns_run("ip link del d0");
	overrun = true;
	CHECK_INT(links_dispatch(l, links_deadline(l)), 0);
	CHECK(any_gone(l));
	CHECK(links_deadline(l) == NSEC_NEVER);
	links_free(l);
}

TEST(addresses_of_a_torn_list_are_read_again)
{
	struct link_address a[4];
	struct links *l = make();
	const struct netdev *dev = links_by_name(l, "d1");

	CHECK(dev != NULL);
	torn = 1;
	CHECK_INT(links_addresses(l, dev->ifindex, a, ARRAY_SIZE(a)), 1);
	torn = 1000;
	CHECK_INT(links_addresses(l, dev->ifindex, a, ARRAY_SIZE(a)), -EINTR);
	links_free(l);
}
