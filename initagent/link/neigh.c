// SPDX-License-Identifier: GPL-2.0-or-later

#include "link/neigh.h"

#include <linux/neighbour.h>
#include <net/if_arp.h>

static struct nl_msg *build(
	const struct neigh_probe *p, int nl_flags, uint16_t state, uint8_t flags)
{
	const struct ndmsg ndm = {
		.ndm_family = (uint8_t)p->hop.family,
		.ndm_ifindex = p->ifindex,
		.ndm_state = state,
		.ndm_flags = flags,
	};

	return link_put_addr(
		netlink_msg(RTM_NEWNEIGH, nl_flags, &ndm, sizeof(ndm)), NDA_DST, &p->hop);
}

uint64_t neigh_deadline(const struct neigh_probe *p)
{
	if (neigh_running(p))
		return min_u64(p->retry, p->limit);
	return p->state == NEIGH_FREE ? NSEC_NEVER : 0;
}

static void pause_probe(struct neigh_probe *p, uint64_t now)
{
	p->state = NEIGH_PAUSING;
	p->retry = now + p->pause;
	p->pause = min_u64(p->pause * 2, NEIGH_RETRY_MAX);
}

/*
 * An entry with an address, even a stale one, is put into NUD_PROBE: asked by unicast now, not
 * after delay_first_probe_time (5 s). Without one (ENOENT, EINVAL) NTF_USE starts the resolution as
 * a packet would, but leaves no packet behind.
 */
int neigh_ask(struct neigh_probe *p, struct netlink *rtnl, uint64_t now)
{
	int e = netlink_call(rtnl, build(p, NLM_F_REPLACE, NUD_PROBE, 0), "probe neighbour");

	if (e == -ENOENT || e == -EINVAL)
		e = netlink_call(
			rtnl, build(p, NLM_F_CREATE, NUD_NONE, NTF_USE), "probe neighbour");
	if (e < 0) {
		pause_probe(p, now);
		return e;
	}
	p->state = NEIGH_ASKING;
	p->retry = NSEC_NEVER;
	return 0;
}

void neigh_tick(struct neigh_probe *p, struct netlink *rtnl, uint64_t now)
{
	if (!neigh_running(p))
		return;
	if (now >= p->limit)
		p->state = NEIGH_FAILED;
	else if (now >= p->retry)
		neigh_ask(p, rtnl, now);
}

/* The new state of the probe's own entry. */
static void entry_became(struct neigh_probe *p, uint16_t nud, struct netlink *rtnl, uint64_t now)
{
	if (nud & (NUD_REACHABLE | NUD_PERMANENT | NUD_NOARP))
		p->state = NEIGH_REACHABLE;
	else if (nud & NUD_FAILED && p->state == NEIGH_ASKING)
		pause_probe(p, now);
	else if (nud & NUD_STALE)
		/*
		 * The address is from a request of its own: proof that it answers us is still
		 * missing.
		 */
		neigh_ask(p, rtnl, now);
}

void neigh_notice(struct neigh_probe *p, struct nlmsghdr *h, struct netlink *rtnl, uint64_t now)
{
	struct nlattr *tb[NDA_MAX + 1] = {0};
	const struct ndmsg *ndm = nlmsg_data(h);
	struct inet_addr addr;

	if (!neigh_running(p) || nlmsg_parse(h, sizeof(*ndm), tb, NDA_MAX, NULL) < 0)
		return;
	if (ndm->ndm_ifindex != p->ifindex || ndm->ndm_family != p->hop.family)
		return;
	if (!link_read_addr(tb[NDA_DST], ndm->ndm_family, &addr) || !inet_equal(&addr, &p->hop))
		return;
	if (h->nlmsg_type == RTM_DELNEIGH)
		pause_probe(p, now);
	else
		entry_became(p, ndm->ndm_state, rtnl, now);
}
