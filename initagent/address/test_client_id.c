// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The forms of client identifier on InfiniBand, whose turn it is, and the DHCP client that sends
 * them.
 */
#include "check.h"
#include "dhcpmsg.h"

#include "address/dhcp4.h"
#include "address/duid.h"

#define SEC	NSEC_PER_SEC
#define SERVER	0x0a000001
#define ADDRESS 0x0a000005

static const struct link_hw hw = {.len = 20, .bytes = {
	0x80, 0, 1, 2, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xb8, 0xce, 0xf6, 3, 0, 0x31, 0x33, 0x3e}};
static const uint8_t uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

/* --- forms --------------------------------------------------------------------------------- */

TEST(every_form_byte_by_byte)
{
	static const struct {
		enum client_id_form form;
		const char *name, *text;
	} rows[] = {
		{CLIENT_ID_FLEXBOOT, "flexboot",
			"ff:00:00:00:00:00:02:00:00:02:c9:00:b8:ce:f6:03:00:31:33:3e"},
		{CLIENT_ID_HW, "hw", "20:b8:ce:f6:03:00:31:33:3e"},
		{CLIENT_ID_LEMAC, "ipxe", "01:b8:ce:f6:31:33:3e"},
		{CLIENT_ID_RFC4361, "rfc4361",
			"ff:00:31:33:3e:00:03:00:20:b8:ce:f6:03:00:31:33:3e"},
		{CLIENT_ID_UUID, "uuid",
			"ff:00:31:33:3e:00:04:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10"},
	};
	struct client_id id;
	char text[CLIENT_ID_TEXT];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_INT(client_id_infiniband(&id, rows[i].form, &hw, uuid), 0);
		CHECK_STR(client_id_text(&id, text), rows[i].text);
		CHECK_STR(client_id_form_name(id.form), rows[i].name);
	}
	CHECK_STR(client_id_form_name(CLIENT_ID_FORM_MAX), "unknown");
}

/* Flags, QPN and subnet prefix differ from boot to boot; the identifier must not. */
TEST(only_the_guid_counts)
{
	struct link_hw other = hw;
	struct client_id a, b;

	memset(other.bytes, 0x55, 12);
	for (unsigned f = CLIENT_ID_FLEXBOOT; f < CLIENT_ID_FORM_MAX; f++) {
		CHECK_INT(client_id_infiniband(&a, f, &hw, uuid), 0);
		CHECK_INT(client_id_infiniband(&b, f, &other, uuid), 0);
		CHECK_INT(a.len, b.len);
		CHECK_MEM(a.bytes, b.bytes, a.len);
	}
}

TEST(what_cannot_be_made)
{
	struct link_hw short_hw = {.len = 7}, long_hw = {.len = 255};
	uint8_t bytes[ADDRESS_CLIENT_ID_MAX + 1] = {0};
	struct client_id id = {.len = 99};

	CHECK_INT(client_id_infiniband(&id, CLIENT_ID_HW, &short_hw, NULL), -EINVAL);
	CHECK_INT(client_id_infiniband(&id, CLIENT_ID_HW, &long_hw, NULL), -EINVAL);
	CHECK_INT(client_id_infiniband(&id, CLIENT_ID_UUID, &hw, NULL), -EINVAL);
	CHECK_INT(client_id_infiniband(&id, CLIENT_ID_GIVEN, &hw, uuid), -EINVAL);
	CHECK_INT(client_id_plain(&id, 1, &long_hw), -EINVAL);
	CHECK_INT(client_id_given(&id, bytes, 0), -EINVAL);
	CHECK_INT(client_id_given(&id, bytes, sizeof(bytes)), -EINVAL);
	CHECK_INT(id.len, 99); /* nothing was written */
	CHECK_INT(client_id_given(&id, bytes, sizeof(bytes) - 1), 0);
}

TEST(what_each_setting_sends)
{
	struct client_id ids[CLIENT_IDS_MAX];

	CHECK_INT(client_id_list(ids, PLAN_CLIENTID_AUTO, &hw, NULL), 4);
	CHECK_INT(ids[0].form, CLIENT_ID_FLEXBOOT);
	CHECK_INT(ids[1].form, CLIENT_ID_HW);
	CHECK_INT(ids[2].form, CLIENT_ID_LEMAC);
	CHECK_INT(ids[3].form, CLIENT_ID_RFC4361);
	CHECK_INT(client_id_list(ids, PLAN_CLIENTID_FLEXBOOT, &hw, NULL), 1);
	CHECK_INT(ids[0].form, CLIENT_ID_FLEXBOOT);
	CHECK_INT(client_id_list(ids, PLAN_CLIENTID_HW, &hw, NULL), 1);
	CHECK_INT(ids[0].form, CLIENT_ID_HW);
	CHECK_INT(client_id_list(ids, PLAN_CLIENTID_RFC4361, &hw, NULL), 1);
	CHECK_INT(ids[0].form, CLIENT_ID_RFC4361);
	CHECK_INT(client_id_list(ids, PLAN_CLIENTID_UUID, &hw, uuid), 1);
	CHECK_INT(ids[0].form, CLIENT_ID_UUID);
	CHECK_INT(client_id_list(ids, PLAN_CLIENTID_UUID, &hw, NULL), -EINVAL);
	CHECK_INT(client_id_list(ids, PLAN_CLIENTID_HEX, &hw, NULL), -EINVAL);
}

static int uuid_from(const struct env *env, const char *text, uint8_t ret[16])
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/sys/class/dmi/id/product_uuid", env->prefix);
	f = fopen(path, "w");
	CHECK(f);
	fputs(text, f);
	fclose(f);
	return machine_uuid(env, ret);
}

TEST(the_machines_uuid)
{
	static const char *const bad[] = {"", "\n", "12345678-1234-1234-1234-12345678901",
		"12345678-1234-1234-1234-1234567890123", "12345678x1234-1234-1234-123456789012",
		"1234567g-1234-1234-1234-123456789012", "Not Settable"};
	char dir[] = "/tmp/ia-uuid-XXXXXX", command[96];
	struct env env = {.prefix = check_dir(dir)};
	uint8_t got[16];

	snprintf(command, sizeof(command), "mkdir -p %s/sys/class/dmi/id", dir);
	CHECK_INT(system(command), 0);
	CHECK_INT(machine_uuid(&env, got), -ENOENT);
	CHECK_INT(uuid_from(&env, "01020304-0506-0708-090A-0b0c0d0e0f10\n", got), 0);
	CHECK_MEM(got, uuid, 16);
	CHECK_INT(uuid_from(&env, "00000000-0000-0000-0000-000000000000\n", got), -ENODATA);
	CHECK_INT(uuid_from(&env, "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF\n", got), -ENODATA);
	/* a maker's */
	CHECK_INT(uuid_from(&env, "03000200-0400-0500-0006-000700080009\n", got), -ENODATA);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_INT(uuid_from(&env, bad[i], got), -EINVAL);
	CHECK_MEM(got, uuid, 16);
}

/* RFC 4361: one DUID for both versions of DHCP. The IAID is the same as well. */
TEST(dhcpv6_shows_the_same_duid)
{
	char dir[] = "/tmp/ia-duid-XXXXXX", command[96];
	struct env env = {.prefix = check_dir(dir)};
	const struct netdev dev = {.hwtype = 32, .hw = hw};
	uint8_t got[16];
	struct client_id id;
	struct duid duid;

	CHECK_INT(duid_make(&duid, &env, &dev), 0);
	CHECK_INT(client_id_infiniband(&id, CLIENT_ID_RFC4361, &hw, NULL), 0);
	CHECK_INT(duid.len, id.len - 5);
	CHECK_MEM(duid.bytes, id.bytes + 5, duid.len);
	CHECK_INT(duid_iaid(&dev), msg_be32(id.bytes + 1));
	snprintf(command, sizeof(command), "mkdir -p %s/sys/class/dmi/id", dir);
	CHECK_INT(system(command), 0);
	CHECK_INT(uuid_from(&env, "01020304-0506-0708-090A-0b0c0d0e0f10\n", got), 0);
	CHECK_INT(duid_make(&duid, &env, &dev), 0);
	CHECK_INT(client_id_infiniband(&id, CLIENT_ID_UUID, &hw, got), 0);
	CHECK_INT(duid.len, id.len - 5);
	CHECK_MEM(duid.bytes, id.bytes + 5, duid.len);
}

/* --- the client ---------------------------------------------------------------------------- */

static struct dhcp4 *make(void)
{
	struct dhcp4_config cfg = {.vendor_class = "initagent"};
	struct dhcp4 *d = NULL;

	CHECK_INT(dhcp_identity_make(&cfg.identity, 32, &hw, NULL, 0), 0);
	cfg.n_ids = (size_t)client_id_list(cfg.ids, PLAN_CLIENTID_AUTO, &hw, NULL);
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	return d;
}

/* The message waiting is of this type and shows this form. Its transaction. */
static uint32_t sent(struct dhcp4 *d, enum dhcp_type type, enum client_id_form form)
{
	struct dhcp4_packet p;
	struct client_id id;
	const uint8_t *v;
	size_t len;

	CHECK(dhcp4_pop_packet(d, &p));
	v = msg_find(p.bytes, p.len, 53, &len);
	CHECK(v && len == 1);
	CHECK_INT(*v, type);
	CHECK_INT(client_id_infiniband(&id, form, &hw, NULL), 0);
	v = msg_find(p.bytes, p.len, 61, &len);
	CHECK(v);
	CHECK_INT(len, id.len);
	CHECK_MEM(v, id.bytes, len);
	CHECK_MEM(p.bytes + MSG_HEADERS, "\x01\x20\x00\x00", 4);
	CHECK_INT(p.bytes[MSG_HEADERS + 10], 0x80);
	return msg_be32(p.bytes + MSG_HEADERS + 4);
}

/* No answer until the next packet. */
static uint64_t wait_for_next(struct dhcp4 *d)
{
	uint64_t at = dhcp4_deadline(d);
	struct dhcp_event ev;

	CHECK(at != NSEC_NEVER);
	dhcp4_tick(d, at);
	while (dhcp4_pop_event(d, &ev))
		continue;
	return at;
}

static void reply(struct dhcp4 *d, uint8_t type, uint64_t now)
{
	struct dhcp_reply r;
	struct msg m;

	msg_offer(&m, type, dhcp4_xid(d), ADDRESS, SERVER);
	dhcp_parse(&r, m.bytes, m.len, true);
	dhcp4_take(d, &r, now);
}

static bool has_event(struct dhcp4 *d, enum dhcp_event_type type, struct dhcp_event *ret)
{
	while (dhcp4_pop_event(d, ret))
		if (ret->type == type)
			return true;
	return false;
}

/* Silence until the first request with this form. */
static uint64_t silence_until(struct dhcp4 *d, enum client_id_form form)
{
	uint64_t now = 0;

	for (int i = 0; i < 20; i++) {
		struct dhcp4_packet p;

		if (dhcp4_identity(d)->client_id.form == form)
			return now;
		dhcp4_pop_packet(d, &p);
		now = wait_for_next(d);
	}
	check_fail(__FILE__, __LINE__, "form %s never came", client_id_form_name(form));
}

TEST(forms_take_turns_while_nobody_answers)
{
	static const enum client_id_form lap[] = {CLIENT_ID_FLEXBOOT, CLIENT_ID_FLEXBOOT,
		CLIENT_ID_FLEXBOOT, CLIENT_ID_HW, CLIENT_ID_HW, CLIENT_ID_LEMAC, CLIENT_ID_LEMAC,
		CLIENT_ID_RFC4361, CLIENT_ID_RFC4361};
	static const unsigned waits[] = {1, 2, 4, 1, 2, 1, 2, 1, 2};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make();
	uint64_t now = 0;
	uint32_t before = 0;

	dhcp4_start(d, now);
	for (size_t i = 0; i < 3 * ARRAY_SIZE(lap); i++) {
		size_t k = i % ARRAY_SIZE(lap);
		uint64_t next, want = (waits[k] << i / ARRAY_SIZE(lap)) * SEC;
		uint32_t xid = sent(d, DHCP_DISCOVER, lap[k]);

		/* Another identifier is another transaction. */
		CHECK((xid == before) == (k > 0 && lap[k] == lap[k - 1]));
		before = xid;
		next = wait_for_next(d);
		CHECK(next - now >= want - want / 8 && next - now <= want + want / 8);
		now = next;
	}
}

/* The rate falls with every lap, down to one request in 64 s. */
TEST(turns_slow_down)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make();
	uint64_t now = 0, last = 0;

	dhcp4_start(d, now);
	for (int i = 0; i < 80; i++) {
		struct dhcp4_packet p;

		CHECK(dhcp4_pop_packet(d, &p));
		last = now;
		now = wait_for_next(d);
		CHECK(now - last <= 72 * SEC);
	}
	CHECK(now - last >= 56 * SEC);
}

TEST(an_offer_to_the_first_form_is_taken_at_once)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make();

	dhcp4_start(d, 0);
	sent(d, DHCP_DISCOVER, CLIENT_ID_FLEXBOOT);
	reply(d, DHCP_OFFER, SEC / 10);
	sent(d, DHCP_REQUEST, CLIENT_ID_FLEXBOOT);
}

/* A server that knows the node by another form only: the first one is asked again, in vain. */
TEST(a_later_form_wins_when_the_first_gets_nothing)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make();
	struct dhcp_event ev;
	uint64_t now;

	dhcp4_start(d, 0);
	now = silence_until(d, CLIENT_ID_HW);
	sent(d, DHCP_DISCOVER, CLIENT_ID_HW);
	CHECK(now > 6 * SEC && now < 8 * SEC);
	reply(d, DHCP_OFFER, now);
	CHECK(has_event(d, DHCP_EVENT_FORM, &ev));
	CHECK(ev.again);
	CHECK_INT(ev.before, CLIENT_ID_HW);
	sent(d, DHCP_DISCOVER, CLIENT_ID_FLEXBOOT);
	dhcp4_tick(d, dhcp4_deadline(d));
	CHECK(has_event(d, DHCP_EVENT_FORM, &ev));
	CHECK(!ev.again);
	CHECK_INT(ev.before, CLIENT_ID_FLEXBOOT);
	CHECK_INT(ev.count, 1);
	sent(d, DHCP_DISCOVER, CLIENT_ID_HW);
	reply(d, DHCP_OFFER, now + 3 * SEC);
	sent(d, DHCP_REQUEST, CLIENT_ID_HW);
	reply(d, DHCP_ACK, now + 3 * SEC);
	CHECK(has_event(d, DHCP_EVENT_LEASE, &ev));

	/* From now on this one comes first: its lease would block the others. */
	dhcp4_stop(d, now + 4 * SEC);
	dhcp4_start(d, now + 5 * SEC);
	sent(d, DHCP_REQUEST, CLIENT_ID_HW);
	dhcp4_decline(d, now + 5 * SEC);
	sent(d, DHCP_DECLINE, CLIENT_ID_HW);
	dhcp4_tick(d, now + 16 * SEC);
	sent(d, DHCP_DISCOVER, CLIENT_ID_HW);
}

/* A server that came up during a later form's turn gets the first one, for which it has the
 * reservation. */
TEST(a_late_server_does_not_cost_the_reservation)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make();
	uint64_t now;

	dhcp4_start(d, 0);
	now = silence_until(d, CLIENT_ID_LEMAC);
	sent(d, DHCP_DISCOVER, CLIENT_ID_LEMAC);
	reply(d, DHCP_OFFER, now);
	sent(d, DHCP_DISCOVER, CLIENT_ID_FLEXBOOT);
	reply(d, DHCP_OFFER, now);
	sent(d, DHCP_REQUEST, CLIENT_ID_FLEXBOOT);
}

/* The late answer to a form given up is not taken for one to the present form. */
TEST(answers_belong_to_their_form)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make();
	struct dhcp4_packet p;
	struct dhcp_reply r;
	struct msg m;
	uint32_t xid;
	uint64_t now;

	dhcp4_start(d, 0);
	xid = dhcp4_xid(d);
	now = silence_until(d, CLIENT_ID_HW);
	sent(d, DHCP_DISCOVER, CLIENT_ID_HW);
	msg_offer(&m, DHCP_OFFER, xid, ADDRESS, SERVER);
	dhcp_parse(&r, m.bytes, m.len, true);
	dhcp4_take(d, &r, now);
	CHECK(!dhcp4_pop_packet(d, &p));
}

TEST(a_saved_lease_brings_its_form)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make();
	struct dhcp4_lease l = {
		.ack = {.yiaddr = {htonl(ADDRESS)}, .server_id = {htonl(SERVER)}},
		.life = {1 * SEC, 50 * SEC, 80 * SEC, 100 * SEC},
	};
	struct client_id id;

	CHECK(!dhcp4_adopt(d, &l, (const uint8_t *)"\1\2\3", 3, 2 * SEC));
	CHECK(!dhcp4_lease(d));
	CHECK_INT(client_id_infiniband(&id, CLIENT_ID_RFC4361, &hw, NULL), 0);
	CHECK(dhcp4_adopt(d, &l, id.bytes, id.len, 2 * SEC));
	dhcp4_tick(d, 50 * SEC);
	sent(d, DHCP_REQUEST, CLIENT_ID_RFC4361);
}

/* With one form the schedule is that of Ethernet. */
TEST(one_form_keeps_its_schedule)
{
	static const unsigned waits[] = {1, 2, 4, 4, 8, 8, 8, 16, 32, 64, 64};
	struct dhcp4_config cfg = {.n_ids = 1};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = NULL;
	uint64_t now = 0;

	CHECK_INT(dhcp_identity_make(&cfg.identity, 32, &hw, NULL, 0), 0);
	CHECK_INT(client_id_list(cfg.ids, PLAN_CLIENTID_HW, &hw, NULL), 1);
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	dhcp4_start(d, now);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		uint64_t next, want = waits[i] * SEC;

		sent(d, DHCP_DISCOVER, CLIENT_ID_HW);
		next = wait_for_next(d);
		CHECK(next - now >= want - want / 8 && next - now <= want + want / 8);
		now = next;
	}
}
