/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client_turn: whose turn it is among the forms of client identifier while no server answers. Pure.
 *
 * The preferred form is sent three times, every other one twice, and so on in laps that slow down. When a
 * later form gets an offer, the preferred one is sent once more before the offer counts: a server that
 * was not up yet while it was the preferred form's turn must not give the node a second address. The form
 * that got a lease is the preferred one from then on, since its lease would block the others.
 */
#pragma once

#include "address/client_id.h"

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

/* client_turn_next: nobody answered: the next form. */
void client_turn_next(struct client_turn *t);

/* client_turn_offer: an offer came. true: it counts; false: the preferred form goes first. */
bool client_turn_offer(struct client_turn *t);

/* client_turn_bound: the present form has a lease. */
void client_turn_bound(struct client_turn *t);

/* client_turn_pick: makes the form with these bytes the present and preferred one. false: there is none. */
bool client_turn_pick(struct client_turn *t, const uint8_t *bytes, size_t len);
