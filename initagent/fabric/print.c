// SPDX-License-Identifier: GPL-2.0-or-later
/* print: the table of "initagent ports". */
#include <inttypes.h>

#include "fabric/private.h"

#define ROW	  "%-12s %-11s %-8s %-9s %6s %6s %3s %-19s %-20s %-13s %s\n"
#define PKEYS_MAX 128 /* the largest tables of adapters today */
#define PKEYS_ROW 6   /* of them in the table's row */

/* LIDs are 16 bits; Omni-Path has longer ones, in hexadecimal by custom. */
static void lid_text(char *buf, size_t size, uint32_t lid)
{
	snprintf(buf, size, lid > UINT16_MAX ? "0x%" PRIx32 : "%" PRIu32, lid);
}

static void pkeys_text(const struct env *env, const struct fabric_port *p, char *buf, size_t size)
{
	uint16_t keys[PKEYS_MAX];
	size_t n = fabric_pkeys(env, p, keys, PKEYS_MAX), at = 0;

	(void)strscpy(buf, "-", size);
	for (size_t i = 0; i < n && i < PKEYS_ROW && at < size; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%04x", i ? " " : "", keys[i]);
	if (n > PKEYS_ROW && at < size)
		snprintf(buf + at, size - at, " and %zu more", n - PKEYS_ROW);
}

static void print_row(const struct env *env, const struct fabric_port *p, FILE *out)
{
	char guid[24], lid[16] = "-", sm[16] = "-", lmc[8] = "-", pkeys[80] = "-", firmware[64];
	bool ib = p->link_layer != LINK_LAYER_ETHERNET;

	snprintf(guid, sizeof(guid), "%04x:%04x:%04x:%04x", (unsigned)(p->guid >> 48 & 0xffff),
		(unsigned)(p->guid >> 32 & 0xffff), (unsigned)(p->guid >> 16 & 0xffff),
		(unsigned)(p->guid & 0xffff));
	fabric_firmware(env, p->device, firmware, sizeof(firmware));
	if (ib) {
		lid_text(lid, sizeof(lid), p->lid);
		lid_text(sm, sizeof(sm), p->sm_lid);
		snprintf(lmc, sizeof(lmc), "%u", p->lmc);
		pkeys_text(env, p, pkeys, sizeof(pkeys));
	}
	fprintf(out, ROW, p->name, link_layer_name(p->link_layer), port_phys_name(p->phys),
		port_state_name(p->state), lid, sm, lmc, guid, *p->rate ? p->rate : "-",
		*firmware ? firmware : "-", pkeys);
}

void fabric_print_netdev(const struct fabric_netdev *d, FILE *out)
{
	fprintf(out, "%s, MTU %u", !d->up ? "down" : d->carrier ? "carrier" : "no carrier",
		d->mtu);
	if (d->pkey)
		fprintf(out, ", P_Key %04x", d->pkey);
	fprintf(out, "%s%s\n", *d->mode ? ", " : "", d->mode);
}

static void print_below(const struct env *env, const struct fabric_port *p, FILE *out)
{
	struct fabric_netdev netdevs[FABRIC_NETDEVS_MAX];
	size_t n = fabric_netdevs(env, p, netdevs);
	char text[200], end[96];

	for (size_t i = 0; i < n; i++) {
		fprintf(out, "  netdev %s, ", netdevs[i].name);
		fabric_print_netdev(&netdevs[i], out);
	}
	fabric_neighbour_text(&p->neighbour, end, sizeof(end));
	if (*end)
		fprintf(out, "  cable ends at %s\n", end);
	if (fabric_gate(p, text, sizeof(text)) != CAUSE_NONE)
		fprintf(out, "  %s\n", text);
}

void fabric_print_ports(const struct env *env, const struct fabric_port *ports, size_t n, FILE *out)
{
	if (n == 0) {
		fprintf(out, "no RDMA device\n");
		return;
	}
	fprintf(out, ROW, "port", "link layer", "phys", "state", "LID", "SM LID", "LMC", "GUID",
		"rate", "firmware", "P_Keys");
	for (size_t i = 0; i < n; i++) {
		print_row(env, &ports[i], out);
		print_below(env, &ports[i], out);
	}
}
