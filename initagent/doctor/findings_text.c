// SPDX-License-Identifier: GPL-2.0-or-later
/* findings_text: the findings for the terminal. */
#include <inttypes.h>

#include "doctor/private.h"

#define LINE "  %-10s "

/* SMInfo.SMState, IBTA vol. 1, 14.4.1. */
static const char *const sm_roles[] = {"not active", "discovering", "standby", "master"};

static void print_head(const struct fabric_port *p, FILE *out)
{
	fprintf(out, "%s: %s, %s %s", p->name, link_layer_name(p->link_layer),
		port_phys_name(p->phys), port_state_name(p->state));
	if (p->link_layer != LINK_LAYER_ETHERNET)
		fprintf(out, ", LID %u, SM LID %u", p->lid, p->sm_lid);
	fprintf(out, ", %s\n", *p->rate ? p->rate : "rate unknown");
}

static void print_sm(const struct fabric_port *p, FILE *out)
{
	if (p->sm.state == FABRIC_SM_UNKNOWN)
		return;
	fprintf(out, LINE "%s", "SM", fabric_sm_name(p->sm.state));
	if (p->sm.guid)
		fprintf(out, ", GUID %016" PRIx64 ", priority %u, %s", p->sm.guid, p->sm.priority,
			p->sm.role < ARRAY_SIZE(sm_roles) ? sm_roles[p->sm.role] : "?");
	fprintf(out, "\n");
}

static void print_netdevs(const struct env *env, const struct fabric_port *p, FILE *out)
{
	struct fabric_netdev netdevs[FABRIC_NETDEVS_MAX];
	size_t n = fabric_netdevs(env, p, netdevs);

	for (size_t i = 0; i < n; i++) {
		fprintf(out, LINE, netdevs[i].name);
		fabric_print_netdev(&netdevs[i], out);
	}
}

static void print_finding(const struct finding *f, FILE *out)
{
	const struct cause_info *c = cause_info(f->cause);

	fprintf(out, LINE "%s%s%s\n", f->trouble ? "trouble" : "note",
		f->cause != CAUSE_NONE ? c->code : "", f->cause != CAUSE_NONE ? " " : "", f->text);
	if (f->trouble)
		fprintf(out, LINE "%s\n" LINE "%s\n", "", c->text, "check", c->check);
}

static void print_port(const struct env *env, const struct findings *f, const struct fabric_port *p,
	FILE *out)
{
	char end[96];

	print_head(p, out);
	fabric_neighbour_text(&p->neighbour, end, sizeof(end));
	if (*end)
		fprintf(out, LINE "%s\n", "cable", end);
	print_sm(p, out);
	print_netdevs(env, p, out);
	for (size_t i = 0; i < f->n; i++)
		if (streq(f->rows[i].port, p->name))
			print_finding(&f->rows[i], out);
	fprintf(out, LINE "%s\n", "verdict", findings_ready(f, p) ? "ready" : "not ready");
}

static void print_node(const struct findings *f, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		if (*f->rows[i].port)
			continue;
		if (!any)
			fprintf(out, "node:\n");
		any = true;
		print_finding(&f->rows[i], out);
	}
}

void print_text(const struct env *env, const struct survey *s, const struct findings *f,
	enum doctor_verdict verdict, FILE *out)
{
	for (size_t i = 0; i < s->n; i++)
		print_port(env, f, &s->ports[i], out);
	print_node(f, out);
	fprintf(out, "%s\n", doctor_verdict_name(verdict));
}
