/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client_id: the forms of DHCP's client identifier (option 61) that boot ROMs and operating systems
 * use for one and the same InfiniBand port, and whose turn it is. It owns the order of the forms.
 * Pure.
 * In: hardware address, the machine's UUID, rd.ib.client-id=; offers and silence. Out: the
 * identifier to send next, and how often.
 * Callers: ipxe-scripts/site/. Tests: test_client_id.c, tests/address-ib.bats.
 *
 * Servers compare it byte by byte, so a node whose ROM, boot loader and agent disagree about the
 * form gets three addresses, or with dnsmasq none: the lease of the earlier stage blocks the
 * reservation.
 */
#pragma once

#include "base/net_limits.h"
#include "link/link.h"
#include "plan.h"

/* Most forms tried in turn. */
#define CLIENT_IDS_MAX 4

enum client_id_form {
	CLIENT_ID_GIVEN,    /* as configured, or the one form of an Ethernet link */
	/* ff, IAID 0, DUID-EN of enterprise 0x2c9, 00, port GUID: FlexBoot's own */
	CLIENT_ID_FLEXBOOT,
	CLIENT_ID_HW,	    /* 20, port GUID: dhclient, NetworkManager,
	networkd's "mac", cloud-init */
	CLIENT_ID_LEMAC,    /* 01, 48-bit form of the GUID: iPXE's IPoIB, which poses as Ethernet */
	CLIENT_ID_RFC4361,  /* ff, IAID, DUID-LL of hardware type 32 and port GUID */
	CLIENT_ID_UUID,	    /* ff, IAID, DUID-UUID (RFC 6355) of the machine */
	CLIENT_ID_FORM_MAX,
};

struct client_id {
	enum client_id_form form;
	size_t len;
	uint8_t bytes[ADDRESS_CLIENT_ID_MAX];
};

/* Long enough for client_id_text() of any identifier. */
#define CLIENT_ID_TEXT (3 * ADDRESS_CLIENT_ID_MAX + 1)

/* client_id_form_name: as rd.ib.client-id= calls it; never NULL. */
const char *client_id_form_name(enum client_id_form f);

/* client_id_text: "ff:00:00..." into buf. Returns buf. */
const char *client_id_text(const struct client_id *id, char buf[CLIENT_ID_TEXT]);

/* client_id_given: these bytes. -EINVAL when there are none or too many. */
int client_id_given(struct client_id *ret, const uint8_t *bytes, size_t len);

/* client_id_plain: 01 and the MAC on Ethernet, hardware type and address elsewhere (RFC 2132
 * 9.14). */
int client_id_plain(struct client_id *ret, uint16_t hwtype, const struct link_hw *hw);

/*
 * client_id_infiniband: one form for an InfiniBand port. Only the GUID, the last 8 bytes of hw,
 * goes into it: flags, QPN and subnet prefix change. uuid: for CLIENT_ID_UUID, 16 bytes; else
 * NULL. Returns 0 or -EINVAL (hw too short, no form of InfiniBand's, no uuid).
 */
int client_id_infiniband(struct client_id *ret, enum client_id_form form, const struct link_hw *hw,
	const uint8_t *uuid);

/*
 * client_id_list: what to send on an InfiniBand port, first choice first: one identifier, or with
 * PLAN_CLIENTID_AUTO the forms of FlexBoot, of the operating systems, of iPXE, and RFC 4361's.
 * -EINVAL as above, also for PLAN_CLIENTID_HEX, whose bytes the caller has; else their number.
 */
int client_id_list(struct client_id ret[CLIENT_IDS_MAX], enum plan_clientid_kind kind,
	const struct link_hw *hw, const uint8_t *uuid);

/*
 * Whose turn it is among the forms of client identifier while no server answers.
 *
 * The preferred form is sent three times, every other one twice, and so on in laps that slow down.
 * When a later form gets an offer, the preferred one is sent once more before the offer counts: a
 * server that was not up yet while it was the preferred form's turn must not give the node a second
 * address. The form that got a lease is the preferred one from then on, since its lease would block
 * the others.
 */
struct client_turn {
	struct client_id ids[CLIENT_IDS_MAX];
	size_t n;
	size_t now;	    /* which one is sent */
	size_t preferred;
	size_t offered;	    /* which one got the offer, while the preferred one is asked again */
	unsigned laps;
	bool again;	    /* the preferred one is being asked again */
	bool settled;	    /* that was done: the next offer counts */
};

/* client_turn_make: ids is copied; n from 1 to CLIENT_IDS_MAX. */
void client_turn_make(struct client_turn *t, const struct client_id *ids, size_t n);

/* client_turn_begin: a new search for servers, from the preferred form on. */
void client_turn_begin(struct client_turn *t);

/* client_turn_tries: how many requests the present form is worth; UINT_MAX: there is no other. */
unsigned client_turn_tries(const struct client_turn *t);

/* client_turn_wait: seconds to wait for an answer where a single form would wait for so many. */
unsigned client_turn_wait(const struct client_turn *t, unsigned seconds);

/* client_turn_next: no answer: the next form. */
void client_turn_next(struct client_turn *t);

/* client_turn_offer: an offer came. true: it counts; false: the preferred form goes first. */
bool client_turn_offer(struct client_turn *t);

/* client_turn_bound: the present form has a lease. */
void client_turn_bound(struct client_turn *t);

/* client_turn_pick: makes the form with these bytes the present and preferred one. false: there
 * is none. */
bool client_turn_pick(struct client_turn *t, const uint8_t *bytes, size_t len);
