// SPDX-License-Identifier: GPL-2.0-or-later
/* The critical path: of rows as boots leave them. */
#include "check.h"

#include "state/critical.h"

#define MS(n) ((n)*NSEC_PER_MSEC)

static struct critical_step steps[CRITICAL_STEPS_MAX];

/* "NAME BEGIN-END, ..." in ms. */
static const char *path(const struct report_view *v, uint64_t end)
{
	static char text[1024];
	size_t n = critical_path(v, end, steps), at = 0;

	*text = 0;
	for (size_t i = 0; i < n && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %llu-%llu",
			i ? ", " : "", steps[i].name,
			(unsigned long long)(steps[i].begin / NSEC_PER_MSEC),
			(unsigned long long)(steps[i].end / NSEC_PER_MSEC));
	return text;
}

TEST(the_mount_waits_for_modules_not_for_the_lease)
{
	const struct report_change changes[] = {
		{MS(100), "link", "eth0", "absent", "down"},
		{MS(120), "link", "eth0", "down", "carrier"},
		{MS(120), "address", "eth0", "no carrier", "asking"},
		{MS(200), "address", "eth0", "asking", "configured"},
		{MS(200), "target", "10.0.0.1", "unknown", "probing"},
		{MS(230), "target", "10.0.0.1", "probing", "near"},
		{MS(900), "root", "10.0.0.1", "idle", "mounting"},
		{MS(1200), "root", "10.0.0.1", "mounting", "mounted"},
	};
	const struct report_work works[] = {
		{MS(20), MS(110), "modules", "virtio_net", 0},
		{MS(111), MS(300), "modules", "nfs", 0},
		{MS(301), MS(899), "modules", "nfsv4", 0},
	};
	const struct report_view v = {.changes = changes, .n_changes = ARRAY_SIZE(changes),
		.works = works, .n_works = ARRAY_SIZE(works), .start = MS(10)};

	CHECK_STR(path(&v, MS(1200)), "virtio_net module 20-110, nfs module 111-300, "
		"nfsv4 module 301-899, 10.0.0.1 mounting 900-1200");
}

TEST(an_address_that_is_late_and_a_pause_between_attempts)
{
	const struct report_change changes[] = {
		{MS(100), "link", "eth0", "absent", "down"},
		{MS(120), "link", "eth0", "down", "carrier"},
		{MS(120), "address", "eth0", "no carrier", "asking"},
		{MS(4000), "address", "eth0", "asking", "configured"},
		{MS(4000), "root", "10.0.0.1", "idle", "mounting"},
		{MS(4100), "root", "10.0.0.1", "mounting", "idle"},
		{MS(5100), "root", "10.0.0.1", "idle", "mounting"},
		{MS(5200), "root", "10.0.0.1", "mounting", "mounted"},
	};
	const struct report_view v = {.changes = changes, .n_changes = ARRAY_SIZE(changes)};

	CHECK_STR(path(&v, MS(5200)), "start 0-100, eth0 down 100-120, eth0 asking 120-4000, "
		"10.0.0.1 mounting 4000-4100, between 4100-5100, 10.0.0.1 mounting 5100-5200");
}

/* Carrier on IPoIB is the group's join; before that the subnet manager is waited for. */
TEST(an_interface_without_carrier_waits_for_its_port)
{
	const struct report_change changes[] = {
		{MS(50), "fabric", "sib0/1", "absent", "INIT"},
		{MS(90), "link", "ib0", "absent", "down"},
		{MS(95), "link", "ib0", "down", "no carrier"},
		{MS(1500), "fabric", "sib0/1", "INIT", "ACTIVE"},
		{MS(1550), "link", "ib0", "no carrier", "carrier"},
		{MS(1550), "address", "ib0", "no carrier", "asking"},
		{MS(1600), "address", "ib0", "asking", "configured"},
	};
	const struct report_view v = {.changes = changes, .n_changes = ARRAY_SIZE(changes)};

	CHECK_STR(path(&v, MS(1600)),
		"start 0-50, sib0/1 INIT 50-1500, ib0 no carrier 1500-1550, ib0 asking 1550-1600");
}

TEST(both_at_once_and_nothing_at_all)
{
	const struct report_change changes[] = {
		{MS(50), "fabric", "sib0/1", "absent", "INIT"},
		{MS(60), "link", "ib0", "absent", "no carrier"},
		{MS(900), "fabric", "sib0/1", "INIT", "ACTIVE"},
		{MS(900), "link", "ib0", "no carrier", "carrier"},
	};
	const struct report_view v = {.changes = changes, .n_changes = ARRAY_SIZE(changes)},
		nothing = {.start = MS(5)};

	/* of two that end together, the one that began last is the closer reason */
	CHECK_STR(path(&v, MS(900)), "start 0-50, sib0/1 INIT 50-900");
	CHECK_STR(path(&nothing, MS(7)), "");
	CHECK_STR(path(&nothing, MS(500)), "start 5-500");
}

/* A boot that loads hundreds of modules in turn. */
TEST(the_steps_that_are_kept_are_the_last_ones)
{
	static struct report_work works[256];
	const struct report_view v = {.works = works, .n_works = ARRAY_SIZE(works)};
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(works); i++) {
		works[i] = (struct report_work){MS(10 * i), MS(10 * i + 9), "modules", "", 0};
		snprintf(works[i].what, sizeof(works[i].what), "m%zu", i);
	}
	n = critical_path(&v, MS(2560), steps);
	CHECK_INT(n, CRITICAL_STEPS_MAX);
	CHECK_STR(steps[n - 1].name, "m255 module");
	CHECK_STR(steps[0].name, "m192 module");
}
