// SPDX-License-Identifier: GPL-2.0-or-later

#include "fabric/private.h"

/* The row of this P_Key, or a free one, or -1. */
static int group_row(const struct group_list *g, uint16_t pkey)
{
	int row = -1;

	for (int i = 0; i < GROUPS_MAX; i++) {
		if (g->rows[i].used && g->rows[i].result.pkey == pkey)
			return i;
		if (!g->rows[i].used && row < 0)
			row = i;
	}
	return row;
}

bool group_list_room(const struct group_list *g, uint16_t pkey)
{
	return group_row(g, pkey) >= 0;
}

void group_list_begin(struct group_list *g, uint16_t pkey, unsigned port_rate)
{
	int row = group_row(g, pkey);

	if (row < 0)
		return;
	memset(&g->rows[row], 0, sizeof(g->rows[row]));
	g->rows[row].used = true;
	g->rows[row].result.pkey = pkey;
	g->rows[row].result.port_rate = port_rate;
}

static enum fabric_group_state group_state(const struct mad_result *r)
{
	uint16_t status = r->answer.status;

	if (r->outcome == MAD_FAILED)
		return r->error == -ENOKEY ? FABRIC_GROUP_UNASKABLE : FABRIC_GROUP_UNKNOWN;
	if (r->outcome == MAD_SILENT || mad_not_served(status))
		return FABRIC_GROUP_SILENT;
	if (!status)
		return FABRIC_GROUP_PRESENT;
	return mad_no_records(status) ? FABRIC_GROUP_ABSENT : FABRIC_GROUP_REFUSED;
}

void group_list_take(struct group_list *g, const struct mad_result *r)
{
	int row = group_row(g, r->pkey);
	struct fabric_group *result;

	if (row < 0 || !g->rows[row].used)
		return;
	g->rows[row].has_group = true;
	result = &g->rows[row].result;
	result->state = group_state(r);
	if (r->outcome != MAD_ANSWERED)
		return;
	result->status = r->answer.status;
	result->mtu = r->answer.group.mtu;
	result->rate = r->answer.group.rate;
}

void group_list_port(struct group_list *g, unsigned mtu)
{
	for (int i = 0; i < GROUPS_MAX; i++) {
		if (!g->rows[i].used || g->rows[i].has_port)
			continue;
		g->rows[i].has_port = true;
		g->rows[i].result.port_mtu = mtu;
	}
}

bool group_list_pop(struct group_list *g, struct fabric_group *ret)
{
	for (int i = 0; i < GROUPS_MAX; i++) {
		if (!g->rows[i].used || !g->rows[i].has_group || !g->rows[i].has_port)
			continue;
		*ret = g->rows[i].result;
		g->rows[i].used = false;
		return true;
	}
	return false;
}

bool group_list_busy(const struct group_list *g)
{
	for (int i = 0; i < GROUPS_MAX; i++)
		if (g->rows[i].used)
			return true;
	return false;
}
