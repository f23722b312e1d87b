/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private: what the files of the link room share. */
#pragma once

#include "link/link.h"
#include "link/neigh.h"
#include "link/netdev.h"

/* What has happened to an interface since its last event was popped. */
enum entry_news { NEWS_NONE, NEWS_ADDED, NEWS_CHANGED, NEWS_GONE };

struct entry {
	struct netdev dev;
	enum entry_news news;
	bool seen; /* in the dump under way */
	bool waived; /* a bond that carries without LACP partner: links_waive_partner() */
};

struct links {
	const struct env *env;
	struct netlink *rtnl;	  /* requests */
	struct nl_sock *monitor;  /* notifications */
	struct entry *entries;
	size_t n_entries, n_allocated;
	struct neigh_probe probes[NEIGH_PROBES_MAX];
	struct inet_addr pinned;  /* family 0: none */
	int pinned_to;		  /* the interface packets to it leave by; -1: there is none */
	uint64_t read_again;	  /* the list; NSEC_NEVER: it is whole */
	bool hears_neighbours;	  /* monitor is in the neighbour group: only while probing */
	char error[NETLINK_ERROR_MAX];
};

/* links_entry: the interface's entry unless it is gone; NULL when unknown. */
struct entry *links_entry(const struct links *l, int ifindex);

/* links_keep_error: keeps the kernel's words of a failed request and passes the result on. */
static inline int links_keep_error(struct links *l, int result)
{
	if (result < 0)
		strscpy(l->error, netlink_error(l->rtnl), sizeof(l->error));
	return result;
}

/* links_refuse: our own words for a request that did not reach the kernel. */
static inline int links_refuse(struct links *l, int error, const char *words)
{
	strscpy(l->error, words, sizeof(l->error));
	return error;
}
