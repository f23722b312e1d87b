// SPDX-License-Identifier: GPL-2.0-or-later
/* check_port: the gate's judgement of one port, and what stands between it and IPoIB carrier. */
#include "doctor/private.h"
#include "fabric/fabric.h"
#include "plan.h"

/* Can this partition carry IPoIB here? False when it was found that it cannot. */
static bool check_pkey(struct findings *f, const struct env *env, const struct fabric_port *p,
	const char *where, uint16_t pkey)
{
	switch (fabric_find_pkey(env, p, pkey, NULL)) {
	case PKEY_FULL: return true;
	case PKEY_LIMITED:
		findings_add(f, CAUSE_IPOIB_JOIN_REFUSED, false, where, p,
			"%s is a limited member of partition %04x: it reaches full members only",
				p->name, pkey | 0x8000);
		return true;
	case PKEY_ABSENT: break;
	}
	findings_add(f, CAUSE_PORT_NO_PKEY, true, where, p, "%s: P_Key %04x is not in its table",
		p->name, pkey | 0x8000);
	return false;
}

/* An interface that is down does not join: then only what would stop it is reported. */
static void check_group(struct findings *f, const struct env *env, const struct fabric_port *p,
	const struct fabric_netdev *d, const struct fabric_group *group)
{
	char text[200];
	enum cause cause = fabric_judge_group(p, group, text, sizeof(text));
	bool fits = cause == CAUSE_NETDEV_NO_CARRIER;
	int status = fits && d->up ? fabric_join_failure(env, d->name, 0) : 0;

	if (status < 0)
		findings_add(f, CAUSE_IPOIB_JOIN_REFUSED, true, d->name, p,
			"%s P_Key %04x: the subnet manager refused the join of the broadcast group "
				"(%s)",
			p->name, d->pkey, strerror(-status));
	else if (!fits || d->up)
		findings_add(f, cause, true, d->name, p, "%s", text);
}

static void check_netdev(struct findings *f, const struct env *env, const struct survey *s,
	const struct fabric_port *p, const struct fabric_netdev *d)
{
	const struct fabric_group *group = survey_group(s, p, d->pkey);

	if (!d->up)
		findings_add(f, CAUSE_NETDEV_NO_CARRIER, false, d->name, p,
			"%s is down, so it has no carrier", d->name);
	if ((d->pkey && !check_pkey(f, env, p, d->name, d->pkey)) || d->carrier)
		return;
	if (group)
		check_group(f, env, p, d, group);
	else if (d->up)
		findings_add(f, CAUSE_NETDEV_NO_CARRIER, true, d->name, p, "%s: %s", d->name,
			p->link_layer == LINK_LAYER_ETHERNET ? "no carrier"
							     : "the broadcast group is not joined");
}

static void check_plan(struct findings *f, const struct env *env, const struct fabric_port *p,
	const struct plan_ib *plan)
{
	for (size_t i = 0; plan && i < plan->n_pkeys; i++)
		(void)check_pkey(f, env, p, p->name, plan->pkeys[i].pkey);
}

static void check_netdevs(struct findings *f, const struct env *env, const struct survey *s,
	const struct fabric_port *p)
{
	struct fabric_netdev netdevs[FABRIC_NETDEVS_MAX];
	size_t n = fabric_netdevs(env, p, netdevs);

	for (size_t i = 0; i < n; i++)
		check_netdev(f, env, s, p, &netdevs[i]);
	if (n == 0)
		findings_add(f, CAUSE_NETDEV_MISSING, false, p->name, p, "%s has no netdev%s",
			p->name,
			p->link_layer == LINK_LAYER_ETHERNET ? "" : ": ib_ipoib is not loaded");
}

/* Why the fabric could not be asked over this port. */
static void check_asked(struct findings *f, const struct env *env, const struct survey *s,
	const struct fabric_port *p)
{
	const char *why = "it accepts no queries (a virtual function?)";

	if (!s->asked || p->link_layer == LINK_LAYER_ETHERNET || p->sm.state != FABRIC_SM_UNKNOWN)
		return;
	if (!fabric_has_umad(env))
		why = "ib_umad is not loaded";
	else if (geteuid() != 0)
		why = "only root may query it";
	findings_add(f, CAUSE_NONE, false, p->name, p, "subnet manager not queried over %s: %s",
		p->name, why);
}

/* Programs of the node's own root have their providers: this is about early boot. */
static void check_provider(struct findings *f, const struct env *env, const struct fabric_port *p)
{
	char driver[64];

	fabric_driver(env, p->device, driver, sizeof(driver));
	if (p->no_provider)
		findings_add(f, CAUSE_NONE, false, p->device, p,
			"%s: no libibverbs provider for %s in this program: it polls the port",
				p->device, driver);
}

void check_port(struct findings *f, const struct env *env, const struct survey *s,
	const struct fabric_port *port, const struct plan_ib *plan)
{
	struct fabric_port p = *port;
	char text[256];
	enum cause cause;

	check_provider(f, env, port);
	/* Without a query no silence is reported. */
	if (p.sm.state == FABRIC_SM_UNKNOWN)
		p.smprobe = false;
	cause = fabric_gate(&p, text, sizeof(text));
	if (cause != CAUSE_NONE) {
		findings_add(f, cause, true, p.name, port, "%s", text);
		return;
	}
	check_asked(f, env, s, port);
	if (p.link_layer != LINK_LAYER_ETHERNET)
		check_plan(f, env, port, plan);
	check_netdevs(f, env, s, port);
}
