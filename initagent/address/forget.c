// SPDX-License-Identifier: GPL-2.0-or-later
/* forget: addresses_forget(), see address.h. */
#include "address/address.h"
#include "address/apply.h"
#include "address/lease_file.h"
#include "report/report.h"

static void take_off(const struct env *env, struct links *links, const struct netdev *dev,
	const struct address_result *lease, uint64_t now)
{
	char address[INET_ADDR_TEXT];

	report_log(env->report, REPORT_INFO, dev->name, now, "the lease of %s of the failed boot is not used again",
		inet_text(&lease->addr, address));
	/* Routes of any metric. */
	apply_release(links, lease, 0);
}

void addresses_forget(const struct env *env, struct links *links, uint64_t now)
{
	const struct netdev *dev = NULL;
	struct address_result lease;

	while ((dev = links_next(links, dev))) {
		if (lease_file_load(env, dev, &lease) == 0)
			take_off(env, links, dev, &lease, now);
		if (lease6_file_load(env, dev, &lease) == 0)
			take_off(env, links, dev, &lease, now);
		lease_file_remove(env, dev->ifindex);
		lease6_file_remove(env, dev->ifindex);
	}
}
