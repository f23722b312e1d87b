// SPDX-License-Identifier: GPL-2.0-or-later
/* print: the table of "initagent ports". */
#include <inttypes.h>

#include "fabric/fabric.h"
#include "fabric/ports.h"

#define ROW "%-14s %-11s %-12s %-13s %6s %6s %-19s %-15s %s\n"

/* LIDs are 16 bits; Omni-Path has longer ones, in hexadecimal by custom. */
static void lid_text(char *buf, size_t size, uint32_t lid)
{
	snprintf(buf, size, lid > UINT16_MAX ? "0x%" PRIx32 : "%" PRIu32, lid);
}

static void print_row(const struct fabric_port *p, FILE *out)
{
	char guid[24], lid[16] = "-", sm[16] = "-";

	snprintf(guid, sizeof(guid), "%04x:%04x:%04x:%04x", (unsigned)(p->guid >> 48 & 0xffff),
		(unsigned)(p->guid >> 32 & 0xffff), (unsigned)(p->guid >> 16 & 0xffff),
		(unsigned)(p->guid & 0xffff));
	if (p->link_layer == LINK_LAYER_INFINIBAND) {
		lid_text(lid, sizeof(lid), p->lid);
		lid_text(sm, sizeof(sm), p->sm_lid);
	}
	fprintf(out, ROW, p->name, link_layer_name(p->link_layer), port_state_name(p->state),
		port_phys_name(p->phys), lid, sm, guid, *p->netdev ? p->netdev : "-",
		*p->rate ? p->rate : "-");
}

int fabric_print_ports(const struct env *env, FILE *out)
{
	_cleanup_free_ struct fabric_port *list = NULL;
	int n = ports_scan(env, &list);
	char text[128];

	if (n < 0)
		return n;
	if (n == 0) {
		fprintf(out, "no RDMA device\n");
		return 0;
	}
	fprintf(out, ROW, "port", "link layer", "state", "phys", "LID", "SM LID", "GUID", "netdev",
		"rate");
	for (int i = 0; i < n; i++)
		print_row(&list[i], out);
	for (int i = 0; i < n; i++)
		if (fabric_gate(&list[i], text, sizeof(text)) != CAUSE_NONE)
			fprintf(out, "%s: %s\n", list[i].name, text);
	return 0;
}
