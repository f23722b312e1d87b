// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of the kernel log about IPoIB's broadcast group. */
#include "check.h"

#include "fabric/private.h"

static bool found(const char *record, const char *netdev)
{
	uint64_t us = 0;
	int status = 0;

	return join_failure_in(record, strlen(record), netdev, &us, &status) && us == 5140900 &&
	       status == -22;
}

TEST(the_broadcast_group_of_this_interface_only)
{
	CHECK(found("4,339,5140900,-;ib0: multicast join failed for "
		    "ff12:401b:ffff:0000:0000:0000:ffff:ffff, status -22\n", "ib0"));
	CHECK(found("4,339,5140900,-;ib0.8001: multicast join failed for "
		    "ff12:401b:8001:0000:0000:0000:ffff:ffff, status -22", "ib0.8001"));
	CHECK(!found("4,339,5140900,-;ib0.8001: multicast join failed for "
		     "ff12:401b:8001:0000:0000:0000:ffff:ffff, status -22", "ib0"));
	CHECK(!found("4,339,5140900,-;ib0: multicast join failed for "
		     "ff12:601b:ffff:0000:0000:0001:ff99:0064, status -22", "ib0"));
	CHECK(!found("4,339,5140900,-;ib0: multicast join failed for "
		     "ff12:401b:ffff:0000:0000:0000:0000:0001, status -22", "ib0"));
}

TEST(anything_else_is_no_failure)
{
	static const char *const records[] = {
		"",
		";",
		",,",
		"4,339,x,-;ib0: multicast join failed for ff12:401b:ffff:ffff, status -22",
		"4,339,5140900,-;ib0: link becomes ready",
		("4,339,5140900,-;ib0: multicast join failed for "
		 "ff12:401b:ffff:0000:0000:0000:ffff:ffff, status 0"),
		"4,339;ib0: multicast join failed for ff12:401b:ffff:ffff, status -22,",
	};

	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		CHECK(!found(records[i], "ib0"));
}
