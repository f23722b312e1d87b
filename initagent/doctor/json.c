// SPDX-License-Identifier: GPL-2.0-or-later
/* json: the doctor's judgement for programs. Values that are not known are left out. */
#include <inttypes.h>

#include "doctor/tell.h"
#include "fabric/ports.h"
#include "base/print_json.h"

#define DOCTOR_SCHEMA 1
#define PKEYS_MAX     128

static void add_text(cJSON *o, const char *key, const char *value)
{
	if (*value)
		cJSON_AddStringToObject(o, key, value);
}

static void add_guid(cJSON *o, const char *key, uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "%016" PRIx64, guid);
	if (guid)
		cJSON_AddStringToObject(o, key, text);
}

static void add_pkey(cJSON *list, uint16_t pkey)
{
	char text[8];

	snprintf(text, sizeof(text), "%04x", pkey);
	cJSON_AddItemToArray(list, cJSON_CreateString(text));
}

static void add_netdevs(cJSON *o, const struct env *env, const struct fabric_port *p)
{
	struct fabric_netdev netdevs[FABRIC_NETDEVS_MAX];
	size_t n = fabric_netdevs(env, p, netdevs);
	cJSON *list = cJSON_AddArrayToObject(o, "netdevs");

	for (size_t i = 0; i < n; i++) {
		cJSON *d = cJSON_CreateObject();
		char pkey[8];

		cJSON_AddItemToArray(list, d);
		add_text(d, "name", netdevs[i].name);
		cJSON_AddBoolToObject(d, "up", netdevs[i].up);
		cJSON_AddBoolToObject(d, "carrier", netdevs[i].carrier);
		cJSON_AddNumberToObject(d, "mtu", netdevs[i].mtu);
		snprintf(pkey, sizeof(pkey), "%04x", netdevs[i].pkey);
		add_text(d, "pkey", netdevs[i].pkey ? pkey : "");
		add_text(d, "mode", netdevs[i].mode);
	}
}

/* What only InfiniBand ports have. */
static void add_infiniband(cJSON *o, const struct env *env, const struct fabric_port *p)
{
	uint16_t pkeys[PKEYS_MAX];
	size_t n = ports_pkeys(env, p, pkeys, PKEYS_MAX);
	cJSON *list = cJSON_AddArrayToObject(o, "pkeys"), *sub;

	for (size_t i = 0; i < n; i++)
		add_pkey(list, pkeys[i]);
	cJSON_AddNumberToObject(o, "lid", p->lid);
	cJSON_AddNumberToObject(o, "sm_lid", p->sm_lid);
	cJSON_AddNumberToObject(o, "lmc", p->lmc);
	if (p->neighbour.type != FABRIC_NODE_UNKNOWN) {
		sub = cJSON_AddObjectToObject(o, "neighbour");
		add_text(sub, "name", p->neighbour.name);
		add_guid(sub, "guid", p->neighbour.guid);
		cJSON_AddNumberToObject(sub, "port", p->neighbour.port);
	}
	if (p->sm.state == FABRIC_SM_UNKNOWN)
		return;
	sub = cJSON_AddObjectToObject(o, "sm");
	add_text(sub, "state", fabric_sm_name(p->sm.state));
	add_guid(sub, "guid", p->sm.guid);
	if (p->sm.guid)
		cJSON_AddNumberToObject(sub, "priority", p->sm.priority);
}

static cJSON *finding_json(const struct finding *f)
{
	const struct cause_info *c = cause_info(f->cause);
	cJSON *o = cJSON_CreateObject();

	if (f->cause != CAUSE_NONE) {
		add_text(o, "code", c->code);
		add_text(o, "id", c->id);
		add_text(o, "check", c->check);
	}
	cJSON_AddBoolToObject(o, "trouble", f->trouble);
	add_text(o, "where", f->where);
	add_text(o, "port", f->port);
	add_text(o, "text", f->text);
	return o;
}

static cJSON *port_json(
	const struct env *env, const struct findings *f, const struct fabric_port *p)
{
	cJSON *o = cJSON_CreateObject();
	char firmware[64];

	ports_firmware(env, p->device, firmware, sizeof(firmware));
	add_text(o, "name", p->name);
	add_text(o, "device", p->device);
	cJSON_AddNumberToObject(o, "port", p->port);
	add_text(o, "link_layer", link_layer_name(p->link_layer));
	add_text(o, "phys", port_phys_name(p->phys));
	add_text(o, "state", port_state_name(p->state));
	add_guid(o, "guid", p->guid);
	add_text(o, "rate", p->rate);
	add_text(o, "firmware", firmware);
	add_text(o, "pci", p->pci);
	if (p->link_layer != LINK_LAYER_ETHERNET)
		add_infiniband(o, env, p);
	add_netdevs(o, env, p);
	cJSON_AddBoolToObject(o, "ready", findings_ready(f, p));
	return o;
}

int tell_json(const struct env *env, const struct survey *s, const struct findings *f,
	enum doctor_verdict verdict, FILE *out)
{
	cJSON *top = cJSON_CreateObject();
	cJSON *list;

	cJSON_AddNumberToObject(top, "schema", DOCTOR_SCHEMA);
	add_text(top, "verdict", doctor_verdict_name(verdict));
	cJSON_AddBoolToObject(top, "asked", s->asked);
	list = cJSON_AddArrayToObject(top, "ports");
	for (size_t i = 0; i < s->n; i++)
		cJSON_AddItemToArray(list, port_json(env, f, &s->ports[i]));
	list = cJSON_AddArrayToObject(top, "findings");
	for (size_t i = 0; i < f->n; i++)
		cJSON_AddItemToArray(list, finding_json(&f->rows[i]));
	return print_json(top, false, out);
}
