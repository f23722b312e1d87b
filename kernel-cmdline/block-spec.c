/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block-spec: what the kinds of roots on a block device share. */
#include "parser.h"

bool block_fail(struct block_spec *x, struct slice at, const char *why)
{
	complain(x->p, x->w, at, x->severity, x->remedy, "%s", why);
	return false;
}

void block_again(struct block_spec *x, struct slice at, size_t place)
{
	if (x->seen & 1U << place)
		complain(x->p, x->w, at, DIAG_WARN, "keep one of them",
			"given again; the last one counts");
	x->seen |= 1U << place;
}

bool block_portal(struct block_spec *x, struct slice text, bool rdma)
{
	struct plan_portal portal = {.rdma = rdma};

	portal.server = take_site(x->p, text, &portal.addr, &portal.zone, &portal.port);
	if (!portal.server) {
		complain(x->p, x->w, text, x->severity, server_remedy(text, x->remedy),
			"not SERVER[:PORT] (IPv6 in brackets)");
		return false;
	}
	if (!check_host(x->p, x->w, text, x->severity, &portal.addr) ||
		!check_zone(x->p, x->w, text, DIAG_WARN, &portal.addr, portal.zone))
		return false;
	APPEND(x->p, &x->portals, portal, x->w);
	return true;
}

/* 128 is the most that GPT has by default. */
bool block_part(struct block_spec *x, struct slice value)
{
	if (value_u32(value.s, value.len, 128, &x->out->part) < 0 || !x->out->part)
		return block_fail(x, value, "not the number of a partition");
	return true;
}
