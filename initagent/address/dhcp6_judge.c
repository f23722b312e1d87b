// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp6_judge: see dhcp6_judge.h. */
#include "address/dhcp6_judge.h"

#include "base/host.h"
#include "value.h"

bool dhcp6_leasable(const struct in6_addr *a)
{
	static const uint8_t none[8];

	return inet6_is_host(a) && !IN6_IS_ADDR_LINKLOCAL(a) && memcmp(a->s6_addr + 8, none, sizeof(none)) != 0;
}

static bool usable(const struct dhcp6_address *a)
{
	return a->status == DHCP6_SUCCESS && a->valid_s && a->preferred_s <= a->valid_s && dhcp6_leasable(&a->address);
}

static const struct dhcp6_address *find_address(const struct dhcp6_reply *r, const struct in6_addr *address)
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
		snprintf(ret->text, sizeof(ret->text), "it offers %s, which no host can have", name);
	else if (a->valid_s == 0)
		snprintf(ret->text, sizeof(ret->text), "%s has a valid lifetime of 0 s", name);
	else
		snprintf(ret->text, sizeof(ret->text), "%s has a preferred lifetime beyond its valid one (%u > %u s)",
			name, a->preferred_s, a->valid_s);
}

static enum dhcp6_verdict no_address(const struct dhcp6_reply *r, struct dhcp6_judgement *ret)
{
	for (uint32_t i = 0; i < r->n_addresses && !ret->status; i++)
		ret->status = r->addresses[i].status;
	if (ret->status)
		return DHCP6_REFUSED;
	if (r->n_addresses)
		say_address(&r->addresses[0], ret);
	else if (r->has_ia)
		snprintf(ret->text, sizeof(ret->text), "no address in its IA_NA");
	else if (r->other_ia)
		snprintf(ret->text, sizeof(ret->text), "its IA_NA is another one's (IAID %08x)", r->other_iaid);
	else
		snprintf(ret->text, sizeof(ret->text), "no IA_NA in it");
	return DHCP6_FAULTY;
}

enum dhcp6_verdict dhcp6_choose(struct dhcp6_reply *r, const struct in6_addr *held, struct dhcp6_judgement *ret)
{
	const struct dhcp6_address *a = find_address(r, held);

	*ret = (struct dhcp6_judgement){.status = r->status ? r->status : r->ia_status};
	r->has_address = 0;
	if (ret->status)
		return DHCP6_REFUSED;
	/* RFC 8415 section 21.4: such an IA is discarded as a whole. */
	if (r->has_ia && r->t2_s && r->t1_s > r->t2_s) {
		snprintf(ret->text, sizeof(ret->text), "T1 is beyond T2 (%u > %u s): IA_NA ignored", r->t1_s, r->t2_s);
		return DHCP6_FAULTY;
	}
	if (!a || !usable(a))
		a = find_usable(r);
	if (!a)
		return no_address(r, ret);
	r->has_address = 1;
	r->address = a->address;
	r->preferred_s = a->preferred_s;
	r->valid_s = a->valid_s;
	return DHCP6_USABLE;
}

bool dhcp6_withdraws(const struct dhcp6_reply *r, const struct in6_addr *held)
{
	const struct dhcp6_address *a = find_address(r, held);

	return a && a->valid_s == 0;
}
