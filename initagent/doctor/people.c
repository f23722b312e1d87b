// SPDX-License-Identifier: GPL-2.0-or-later
/* people: the doctor's judgement as text. */
#include <inttypes.h>

#include "doctor/tell.h"

#define LINE "  %-10s "

/* SMInfo.SMState, IBTA vol. 1, 14.4.1. */
static const char *const sm_roles[] = {"not active", "discovering", "standby", "master"};

static void tell_head(const struct fabric_port *p, FILE *out)
{
	fprintf(out, "%s: %s, %s %s", p->name, link_layer_name(p->link_layer), port_phys_name(p->phys),
		port_state_name(p->state));
	if (p->link_layer != LINK_LAYER_ETHERNET)
		fprintf(out, ", LID %u, SM LID %u", p->lid, p->sm_lid);
	fprintf(out, ", %s\n", *p->rate ? p->rate : "rate unknown");
}

static void tell_sm(const struct fabric_port *p, FILE *out)
{
	if (p->sm.state == FABRIC_SM_UNKNOWN)
		return;
	fprintf(out, LINE "%s", "SM", fabric_sm_name(p->sm.state));
	if (p->sm.guid)
		fprintf(out, ", GUID %016" PRIx64 ", priority %u, %s", p->sm.guid, p->sm.priority,
			p->sm.role < ARRAY_SIZE(sm_roles) ? sm_roles[p->sm.role] : "?");
	fprintf(out, "\n");
}

static void tell_netdevs(const struct env *env, const struct fabric_port *p, FILE *out)
{
	struct fabric_netdev netdevs[FABRIC_NETDEVS_MAX];
	size_t n = fabric_netdevs(env, p, netdevs);

	for (size_t i = 0; i < n; i++) {
		const struct fabric_netdev *d = &netdevs[i];

		fprintf(out, LINE "%s, MTU %u", d->name,
			!d->up	     ? "down"
			: d->carrier ? "carrier"
				     : "no carrier",
			d->mtu);
		if (d->pkey)
			fprintf(out, ", P_Key %04x", d->pkey);
		fprintf(out, "%s%s\n", *d->mode ? ", " : "", d->mode);
	}
}

static void tell_finding(const struct finding *f, FILE *out)
{
	const struct cause_info *c = cause_info(f->cause);

	fprintf(out, LINE "%s%s%s\n", f->trouble ? "trouble" : "note",
		f->cause != CAUSE_NONE ? c->code : "", f->cause != CAUSE_NONE ? " " : "", f->text);
	if (f->trouble)
		fprintf(out, LINE "%s\n" LINE "%s\n", "", c->text, "check", c->check);
}

static void tell_port(const struct env *env, const struct findings *f, const struct fabric_port *p,
	FILE *out)
{
	char end[96];

	tell_head(p, out);
	fabric_neighbour_text(&p->neighbour, end, sizeof(end));
	if (*end)
		fprintf(out, LINE "%s\n", "cable", end);
	tell_sm(p, out);
	tell_netdevs(env, p, out);
	for (size_t i = 0; i < f->n; i++)
		if (streq(f->rows[i].port, p->name))
			tell_finding(&f->rows[i], out);
	fprintf(out, LINE "%s\n", "verdict", findings_ready(f, p) ? "ready" : "not ready");
}

static void tell_node(const struct findings *f, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		if (*f->rows[i].port)
			continue;
		if (!any)
			fprintf(out, "node:\n");
		any = true;
		tell_finding(&f->rows[i], out);
	}
}

void tell_people(const struct env *env, const struct survey *s, const struct findings *f,
	enum doctor_verdict verdict, FILE *out)
{
	for (size_t i = 0; i < s->n; i++)
		tell_port(env, f, &s->ports[i], out);
	tell_node(f, out);
	fprintf(out, "%s\n", doctor_verdict_name(verdict));
}
