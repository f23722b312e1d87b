// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/client_id.h"

#include <limits.h>
#include <net/if_arp.h>

#include "address/duid.h"
#include "base/hex.h"

#define GUID_LEN  8
#define IAID_LEN  4
#define TYPE_DUID 0xff /* RFC 4361 section 6.1: IAID and DUID follow */

static const char *const form_names[CLIENT_ID_FORM_MAX] = {
	[CLIENT_ID_GIVEN] = "hex",
	[CLIENT_ID_FLEXBOOT] = "flexboot",
	[CLIENT_ID_HW] = "hw",
	[CLIENT_ID_LEMAC] = "ipxe",
	[CLIENT_ID_RFC4361] = "rfc4361",
	[CLIENT_ID_UUID] = "uuid",
};

const char *client_id_form_name(enum client_id_form f)
{
	return (unsigned)f < CLIENT_ID_FORM_MAX ? form_names[f] : "unknown";
}

const char *client_id_text(const struct client_id *id, char buf[CLIENT_ID_TEXT])
{
	return hex_text(buf, CLIENT_ID_TEXT, id->bytes, id->len, ":");
}

/* What is put never exceeds the room: the longest form has 23 bytes, a link's address 32. */
static void put(struct client_id *id, const void *bytes, size_t len)
{
	memcpy(id->bytes + id->len, bytes, len);
	id->len += len;
}

int client_id_given(struct client_id *ret, const uint8_t *bytes, size_t len)
{
	if (len == 0 || len > sizeof(ret->bytes))
		return -EINVAL;
	*ret = (struct client_id){.form = CLIENT_ID_GIVEN};
	put(ret, bytes, len);
	return 0;
}

int client_id_plain(struct client_id *ret, uint16_t hwtype, const struct link_hw *hw)
{
	const uint8_t type = (uint8_t)hwtype;

	if (hw->len == 0 || hw->len > LINK_HW_MAX)
		return -EINVAL;
	*ret = (struct client_id){.form = CLIENT_ID_GIVEN};
	put(ret, &type, 1);
	put(ret, hw->bytes, hw->len);
	return 0;
}

/* Type octet and IAID. This must be the same at every boot and differ between ports: the GUID's
 * last bytes do both. */
static void put_duid_head(struct client_id *id, const uint8_t *guid)
{
	static const uint8_t type = TYPE_DUID;

	put(id, &type, 1);
	put(id, guid + GUID_LEN - IAID_LEN, IAID_LEN);
}

/*
 * FlexBoot's form: ff, IAID 0, DUID-EN (2) of enterprise 0x2c9 (Mellanox), identifier 00 and the
 * GUID. DUID types 3 (LL) and 4 (UUID): RFC 8415 section 11, RFC 6355. 0x20 is InfiniBand's ARP
 * hardware type.
 */
int client_id_infiniband(struct client_id *ret, enum client_id_form form, const struct link_hw *hw,
	const uint8_t *uuid)
{
	static const uint8_t flexboot[] = {TYPE_DUID, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0xc9, 0};
	static const uint8_t ll[] = {0, 3, 0, ARPHRD_INFINIBAND}, duid_uuid[] = {0, 4};
	static const uint8_t infiniband = ARPHRD_INFINIBAND, ethernet = ARPHRD_ETHER;
	struct client_id id = {.form = form};
	const uint8_t *guid;

	if (hw->len < GUID_LEN || hw->len > LINK_HW_MAX)
		return -EINVAL;
	guid = hw->bytes + hw->len - GUID_LEN;
	if (form == CLIENT_ID_FLEXBOOT) {
		put(&id, flexboot, sizeof(flexboot));
		put(&id, guid, GUID_LEN);
	} else if (form == CLIENT_ID_HW) {
		put(&id, &infiniband, 1);
		put(&id, guid, GUID_LEN);
	} else if (form == CLIENT_ID_LEMAC) {
		put(&id, &ethernet, 1);
		put(&id, guid, 3);
		put(&id, guid + 5, 3);
	} else if (form == CLIENT_ID_RFC4361) {
		put_duid_head(&id, guid);
		put(&id, ll, sizeof(ll));
		put(&id, guid, GUID_LEN);
	} else if (form == CLIENT_ID_UUID && uuid) {
		put_duid_head(&id, guid);
		put(&id, duid_uuid, sizeof(duid_uuid));
		put(&id, uuid, UUID_SIZE);
	} else {
		return -EINVAL;
	}
	*ret = id;
	return 0;
}

/*
 * FlexBoot's comes first: a node that booted over InfiniBand has a lease under it already. The UUID
 * is not tried: no boot ROM sends it, and both ports of a node would get one address where servers
 * look at the DUID.
 */
int client_id_list(struct client_id ret[CLIENT_IDS_MAX], enum plan_clientid_kind kind,
	const struct link_hw *hw, const uint8_t *uuid)
{
	static const struct {
		int n;
		enum client_id_form forms[CLIENT_IDS_MAX];
	} rows[] = {
		[PLAN_CLIENTID_AUTO] = {4,
			{CLIENT_ID_FLEXBOOT, CLIENT_ID_HW, CLIENT_ID_LEMAC, CLIENT_ID_RFC4361}},
		[PLAN_CLIENTID_FLEXBOOT] = {1, {CLIENT_ID_FLEXBOOT}},
		[PLAN_CLIENTID_HW] = {1, {CLIENT_ID_HW}},
		[PLAN_CLIENTID_RFC4361] = {1, {CLIENT_ID_RFC4361}},
		[PLAN_CLIENTID_UUID] = {1, {CLIENT_ID_UUID}},
	};
	int e;

	if ((unsigned)kind >= ARRAY_SIZE(rows))
		return -EINVAL;
	for (int i = 0; i < rows[kind].n; i++) {
		e = client_id_infiniband(&ret[i], rows[kind].forms[i], hw, uuid);
		if (e < 0)
			return e;
	}
	return rows[kind].n;
}

/* --- turns ---------------------------------------------------------------------------------- */

#define TRIES_PREFERRED 3
#define TRIES_OTHER	2
#define LAPS_MAX	6  /* the waits double with every lap */
#define WAIT_MAX	64 /* seconds, RFC 2131 section 4.1 */
#define WAIT_AGAIN	2  /* a server that is up answers within 1 s; ISC dhcpd pings as long */

void client_turn_make(struct client_turn *t, const struct client_id *ids, size_t n)
{
	*t = (struct client_turn){.n = n < CLIENT_IDS_MAX ? n : CLIENT_IDS_MAX};
	for (size_t i = 0; i < t->n; i++)
		t->ids[i] = ids[i];
}

void client_turn_begin(struct client_turn *t)
{
	t->now = t->preferred;
	t->laps = 0;
	t->again = t->settled = false;
}

unsigned client_turn_tries(const struct client_turn *t)
{
	if (t->n == 1)
		return UINT_MAX;
	if (t->again)
		return 1;
	return t->now == t->preferred ? TRIES_PREFERRED : TRIES_OTHER;
}

unsigned client_turn_wait(const struct client_turn *t, unsigned seconds)
{
	if (t->again)
		return WAIT_AGAIN;
	seconds <<= t->laps;
	return seconds < WAIT_MAX ? seconds : WAIT_MAX;
}

void client_turn_next(struct client_turn *t)
{
	if (t->again) {
		t->again = false;
		t->now = t->offered;
		return;
	}
	t->now = (t->now + 1) % t->n;
	if (t->now == t->preferred && t->laps < LAPS_MAX)
		t->laps++;
}

bool client_turn_offer(struct client_turn *t)
{
	if (t->now == t->preferred || t->settled) {
		t->again = false;
		return true;
	}
	t->offered = t->now;
	t->now = t->preferred;
	t->again = t->settled = true;
	return false;
}

void client_turn_bound(struct client_turn *t)
{
	t->preferred = t->now;
	client_turn_begin(t);
}

bool client_turn_pick(struct client_turn *t, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->ids[i].len != len || memcmp(t->ids[i].bytes, bytes, len))
			continue;
		t->now = i;
		client_turn_bound(t);
		return true;
	}
	return false;
}
