// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/dhcp6_offer.h"

#include "base/host.h"
#include "value.h"

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

static bool better(const struct dhcp6_offer *o, const struct dhcp6_reply *a,
	const struct dhcp6_reply *b)
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
	} else if (!o->has_second || duid_equal(&r->server, &o->second.server) ||
		better(o, r, &o->second)) {
		o->second = *r;
		o->has_second = true;
	}
	return !has_failed(o, &r->server);
}

void dhcp6_offer_failed(struct dhcp6_offer *o, const struct duid *server)
{
	if (!has_failed(o, server) && o->n_failed < DHCP6_FAILED_MAX)
		o->failed[o->n_failed++] = *server;
}

bool dhcp6_offer_fail(struct dhcp6_offer *o)
{
	dhcp6_offer_failed(o, &o->best.server);
	o->has_best = o->has_second;
	if (o->has_second)
		o->best = o->second;
	o->has_second = false;
	return o->has_best;
}

/* --- is there an address in it? ------------------------------------------------------------- */

bool dhcp6_leasable(const struct in6_addr *a)
{
	static const uint8_t none[8];

	return inet6_is_host(a) && !IN6_IS_ADDR_LINKLOCAL(a) &&
		memcmp(a->s6_addr + 8, none, sizeof(none)) != 0;
}

static bool usable(const struct dhcp6_address *a)
{
	return a->status == DHCP6_SUCCESS && a->valid_s && a->preferred_s <= a->valid_s &&
		dhcp6_leasable(&a->address);
}

static const struct dhcp6_address *find_address(const struct dhcp6_reply *r,
	const struct in6_addr *address)
{
	for (uint32_t i = 0; i < r->n_addresses && address; i++)
		if (IN6_ARE_ADDR_EQUAL(&r->addresses[i].address, address))
			return &r->addresses[i];
	return NULL;
}

static const struct dhcp6_address *find_usable(const struct dhcp6_reply *r)
{
	for (uint32_t i = 0; i < r->n_addresses; i++)
		if (usable(&r->addresses[i]))
			return &r->addresses[i];
	return NULL;
}

/* The first address stands for all. */
static void say_address(const struct dhcp6_address *a, struct dhcp6_judgement *ret)
{
	const struct inet_addr addr = {.family = AF_INET6, .v6 = a->address};
	char name[INET_ADDR_TEXT];

	inet_text(&addr, name);
	if (!dhcp6_leasable(&a->address))
		snprintf(ret->text, sizeof(ret->text), "it offers %s, which no host can have",
			name);
	else if (a->valid_s == 0)
		snprintf(ret->text, sizeof(ret->text), "%s has a valid lifetime of 0 s", name);
	else
		snprintf(ret->text, sizeof(ret->text),
			"%s has a preferred lifetime beyond its valid one (%u > %u s)",
			name, a->preferred_s, a->valid_s);
}

static void no_address(const struct dhcp6_reply *r, struct dhcp6_judgement *ret)
{
	for (uint32_t i = 0; i < r->n_addresses && !ret->status; i++)
		ret->status = r->addresses[i].status;
	if (ret->status)
		return;
	if (r->n_addresses)
		say_address(&r->addresses[0], ret);
	else if (r->has_ia)
		snprintf(ret->text, sizeof(ret->text), "no address in its IA_NA");
	else if (r->other_ia)
		snprintf(ret->text, sizeof(ret->text), "its IA_NA has another IAID (%08x)",
			r->other_iaid);
	else
		snprintf(ret->text, sizeof(ret->text), "no IA_NA in it");
}

bool dhcp6_choose(struct dhcp6_reply *r, const struct in6_addr *held,
	struct dhcp6_judgement *ret)
{
	const struct dhcp6_address *a = find_address(r, held);

	*ret = (struct dhcp6_judgement){.status = r->status ? r->status : r->ia_status};
	r->has_address = 0;
	if (ret->status)
		return false;
	/* RFC 8415 section 21.4: such an IA is discarded as a whole. */
	if (r->has_ia && r->t2_s && r->t1_s > r->t2_s) {
		snprintf(ret->text, sizeof(ret->text),
			"T1 is beyond T2 (%u > %u s): IA_NA ignored", r->t1_s, r->t2_s);
		return false;
	}
	if (!a || !usable(a))
		a = find_usable(r);
	if (!a) {
		no_address(r, ret);
		return false;
	}
	r->has_address = 1;
	r->address = a->address;
	r->preferred_s = a->preferred_s;
	r->valid_s = a->valid_s;
	return true;
}

bool dhcp6_withdraws(const struct dhcp6_reply *r, const struct in6_addr *held)
{
	const struct dhcp6_address *a = find_address(r, held);

	return a && a->valid_s == 0;
}
