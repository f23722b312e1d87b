// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp6_offer: see dhcp6_offer.h. */
#include "address/dhcp6_offer.h"

bool duid_equal(const struct duid *a, const struct duid *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

static bool has_failed(const struct dhcp6_offer *o, const struct duid *server)
{
	for (size_t i = 0; i < o->n_failed; i++)
		if (duid_equal(&o->failed[i], server))
			return true;
	return false;
}

static bool better(const struct dhcp6_offer *o, const struct dhcp6_reply *a, const struct dhcp6_reply *b)
{
	bool failed = has_failed(o, &a->server);

	return failed == has_failed(o, &b->server) ? a->preference > b->preference : !failed;
}

/* Servers answer each SOLICIT: a second ADVERTISE of one is no second server. */
bool dhcp6_offer_take(struct dhcp6_offer *o, const struct dhcp6_reply *r)
{
	if (!o->has_best || duid_equal(&r->server, &o->best.server)) {
		o->best = *r;
		o->has_best = true;
	} else if (better(o, r, &o->best)) {
		o->second = o->best;
		o->best = *r;
		o->has_second = true;
	} else if (!o->has_second || duid_equal(&r->server, &o->second.server) || better(o, r, &o->second)) {
		o->second = *r;
		o->has_second = true;
	}
	return !has_failed(o, &r->server);
}

bool dhcp6_offer_fail(struct dhcp6_offer *o)
{
	if (!has_failed(o, &o->best.server) && o->n_failed < DHCP6_FAILED_MAX)
		o->failed[o->n_failed++] = o->best.server;
	o->has_best = o->has_second;
	if (o->has_second)
		o->best = o->second;
	o->has_second = false;
	return o->has_best;
}
