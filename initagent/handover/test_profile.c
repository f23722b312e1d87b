// SPDX-License-Identifier: GPL-2.0-or-later
/* What the writers of profiles share: names, UUIDs, octets. */
#include "check.h"

#include <net/if_arp.h>

#include "handover/profile.h"
#include "base/hex.h"
#include "profileroom.h"

TEST(names_that_can_stand_in_a_file)
{
	CHECK(profile_name_ok("ib0.8001"));
	CHECK(profile_name_ok("enp1s0f0np0"));
	CHECK(profile_name_ok("a23456789012345"));
	CHECK(!profile_name_ok("a234567890123456"));
	CHECK(!profile_name_ok("a/b"));
	CHECK(!profile_name_ok("a b"));
}

TEST(uuids_differ_and_stay)
{
	static const uint8_t hw[20] = {0x80, 0, 2, 8, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3,
		0, 0xe, 0xb, 0x72};
	struct profile_rail a = {.dev = {.name = "ib0", .hwtype = ARPHRD_INFINIBAND,
		.hw = {.len = 20}}}, b;
	char one[PROFILE_UUID_TEXT], two[PROFILE_UUID_TEXT];

	memcpy(a.dev.hw.bytes, hw, sizeof(hw));
	b = a;
	/* QPN and subnet prefix change, the GUID does not. */
	b.dev.hw.bytes[2] = 99;
	b.dev.hw.bytes[4] = 1;
	CHECK_STR(profile_uuid(&b, two), profile_uuid(&a, one));
	CHECK_INT(strlen(one), 36);
	b.dev.hw.bytes[19] = 0x73;
	CHECK(!streq(profile_uuid(&b, two), one));
	b = a;
	b.dev.name[2] = '1';
	CHECK(!streq(profile_uuid(&b, two), one));
}

TEST(octets_fit_or_are_none)
{
	static const uint8_t bytes[] = {0, 0x1b, 0xff};
	char text[9];

	CHECK_STR(hex_text(text, sizeof(text), bytes, 2, ":"), "00:1b");
	CHECK_STR(hex_text(text, sizeof(text), bytes, 0, ":"), "");
	CHECK_STR(hex_text(text, sizeof(text), bytes, 3, ":"), "");
}

/* bootdev= of another interface: the client of this one must not set a default route, either. */
TEST(dhclient_of_an_interface_that_is_not_bootdev)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);
	char text[1024];

	rail.cfg.no_default_route = true;
	r.gateway = (struct inet_addr){0};
	proom_begin();
	proom_make("/sbin/dhclient", "");
	proom_write("rd.handover=ifupdown", &rail, 1);
	CHECK(env_read(&proom_env, text, sizeof(text), "/run/nm-dhclient-eth0.conf") > 0);
	CHECK(strstr(text, "request subnet-mask") && !strstr(text, "routers"));
	CHECK(!strstr(strstr(text, "request"), "static-routes"));
}
