// SPDX-License-Identifier: GPL-2.0-or-later
/* made_links: interfaces that only vlan=, bond=, bridge= or team= would make, which this agent does not. */
#include "boot/boot_private.h"
#include "report/report.h"

/* NULL: the interface comes from elsewhere, or somebody made it before. */
static const struct plan_link *missing_link(const struct boot *b, const char *ifname)
{
	const struct plan_net *net = &b->plan->net;

	for (size_t i = 0; ifname && i < net->n_links; i++)
		if (streq(net->links[i].name, ifname) && !links_by_name(b->links, ifname))
			return &net->links[i];
	return NULL;
}

void made_links_check(struct boot *b, uint64_t now)
{
	static const char *const options[PLAN_LINK_KIND_MAX] = {
		[PLAN_LINK_VLAN] = "vlan", [PLAN_LINK_BOND] = "bond", [PLAN_LINK_BRIDGE] = "bridge", [PLAN_LINK_TEAM] = "team"};
	const struct plan_net *net = &b->plan->net;
	const struct plan_link *link, *last = NULL;
	bool other = false;
	char text[96];

	for (size_t i = 0; i < net->n_ips; i++) {
		link = missing_link(b, net->ips[i].ifname);
		last = link ? link : last;
		other |= !link;
	}
	if (!net->n_ips)
		last = missing_link(b, net->bootdev);
	if (!last)
		return;
	snprintf(text, sizeof(text), "%s= is not acted on, so nothing makes %s", options[last->kind], last->name);
	/* Another ip= may still lead to the root. */
	if (other)
		report_cause(b->report, CAUSE_CMDLINE_LINK, last->name, now, "%s", text);
	else
		boot_fail(b, CAUSE_CMDLINE_LINK, last->name, now, text);
}
