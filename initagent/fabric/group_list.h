/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group_list: the broadcast groups asked about over one port. An answer is complete when the SA has
 * spoken, and this node's own port has, with whose MTU the group's is compared.
 */
#pragma once

#include "fabric/mad_client.h"

#define GROUPS_MAX 4

struct group_list {
	struct {
		bool used, has_group, has_port;
		struct fabric_group result;
	} rows[GROUPS_MAX];
};

/* group_list_room: is there room for a question about this P_Key? */
bool group_list_room(const struct group_list *g, uint16_t pkey);

/* group_list_begin: it was asked; port_rate is that of this node's port, in Mb/s. */
void group_list_begin(struct group_list *g, uint16_t pkey, unsigned port_rate);

/* group_list_take: the SA's answer, or its silence. */
void group_list_take(struct group_list *g, const struct mad_result *r);

/* group_list_port: the port's own MTU, 0: it does not tell. */
void group_list_port(struct group_list *g, unsigned mtu);

bool group_list_pop(struct group_list *g, struct fabric_group *ret);

/* group_list_busy: an answer is to come, or to be popped. */
bool group_list_busy(const struct group_list *g);
