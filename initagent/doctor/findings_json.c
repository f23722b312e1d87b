// SPDX-License-Identifier: GPL-2.0-or-later
/* findings_json: the findings for programs; docs/doctor.md describes the object. */
#include "base/json_object.h"
#include "doctor/private.h"
#include "fabric/fabric.h"

#define DOCTOR_SCHEMA 1
#define PKEYS_MAX     128

static const struct json_field port_fields[] = {
	JSON_FIELD("name", struct fabric_port, name),
	JSON_FIELD("device", struct fabric_port, device),
	JSON_FIELD("port", struct fabric_port, port),
	JSON_FIELD_NAME("link_layer", struct fabric_port, link_layer, link_layer_name),
	JSON_FIELD_NAME("phys", struct fabric_port, phys, port_phys_name),
	JSON_FIELD_NAME("state", struct fabric_port, state, port_state_name),
	JSON_FIELD_AS("guid", struct fabric_port, guid, JSON_GUID),
	JSON_FIELD("rate", struct fabric_port, rate),
	JSON_FIELD("pci", struct fabric_port, pci),
};

static const struct json_field infiniband_fields[] = {
	JSON_FIELD("lid", struct fabric_port, lid),
	JSON_FIELD("sm_lid", struct fabric_port, sm_lid),
	JSON_FIELD("lmc", struct fabric_port, lmc),
};

static const struct json_field neighbour_fields[] = {
	JSON_FIELD("name", struct fabric_neighbour, name),
	JSON_FIELD_AS("guid", struct fabric_neighbour, guid, JSON_GUID),
	JSON_FIELD("port", struct fabric_neighbour, port),
};

static const struct json_field netdev_fields[] = {
	JSON_FIELD("name", struct fabric_netdev, name),
	JSON_FIELD("up", struct fabric_netdev, up),
	JSON_FIELD("carrier", struct fabric_netdev, carrier),
	JSON_FIELD("mtu", struct fabric_netdev, mtu),
	JSON_FIELD("mode", struct fabric_netdev, mode),
};

static const struct json_field finding_fields[] = {
	JSON_FIELD("trouble", struct finding, trouble),
	JSON_FIELD("where", struct finding, where),
	JSON_FIELD("port", struct finding, port),
	JSON_FIELD("text", struct finding, text),
};

#define ADD(o, table, object) json_fields(o, table, ARRAY_SIZE(table), object)

static const char *pkey_text(uint16_t pkey, char buf[static 8])
{
	snprintf(buf, 8, "%04x", pkey);
	return buf;
}

static void add_netdevs(cJSON *o, const struct env *env, const struct fabric_port *p)
{
	struct fabric_netdev netdevs[FABRIC_NETDEVS_MAX];
	size_t n = fabric_netdevs(env, p, netdevs);
	cJSON *list = cJSON_AddArrayToObject(o, "netdevs");
	char text[8];

	for (size_t i = 0; i < n; i++) {
		cJSON *d = json_item(list);

		ADD(d, netdev_fields, &netdevs[i]);
		json_text(d, "pkey", netdevs[i].pkey ? pkey_text(netdevs[i].pkey, text) : "");
	}
}

/* What only InfiniBand ports have. */
static void add_infiniband(cJSON *o, const struct env *env, const struct fabric_port *p)
{
	uint16_t pkeys[PKEYS_MAX];
	size_t n = fabric_pkeys(env, p, pkeys, PKEYS_MAX);
	cJSON *list = cJSON_AddArrayToObject(o, "pkeys"), *sm;
	char text[8];

	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(pkey_text(pkeys[i], text)));
	ADD(o, infiniband_fields, p);
	if (p->neighbour.type != FABRIC_NODE_UNKNOWN)
		ADD(cJSON_AddObjectToObject(o, "neighbour"), neighbour_fields, &p->neighbour);
	if (p->sm.state == FABRIC_SM_UNKNOWN)
		return;
	sm = cJSON_AddObjectToObject(o, "sm");
	json_text(sm, "state", fabric_sm_name(p->sm.state));
	json_guid(sm, "guid", p->sm.guid);
	if (p->sm.guid)
		json_number(sm, "priority", p->sm.priority);
}

static void add_finding(cJSON *o, const struct finding *f)
{
	const struct cause_info *c = cause_info(f->cause);

	if (f->cause != CAUSE_NONE) {
		json_text(o, "code", c->code);
		json_text(o, "id", c->id);
		json_text(o, "check", c->check);
	}
	ADD(o, finding_fields, f);
}

static void add_port(cJSON *o, const struct env *env, const struct findings *f,
	const struct fabric_port *p)
{
	char firmware[64];

	fabric_firmware(env, p->device, firmware, sizeof(firmware));
	ADD(o, port_fields, p);
	json_text(o, "firmware", firmware);
	if (p->link_layer != LINK_LAYER_ETHERNET)
		add_infiniband(o, env, p);
	add_netdevs(o, env, p);
	json_flag(o, "ready", findings_ready(f, p));
}

cJSON *findings_object(const struct env *env, const struct survey *s, const struct findings *f,
	enum doctor_verdict verdict)
{
	cJSON *top = cJSON_CreateObject(), *ports, *findings;

	json_number(top, "schema", DOCTOR_SCHEMA);
	json_text(top, "verdict", doctor_verdict_name(verdict));
	json_flag(top, "asked", s->asked);
	ports = cJSON_AddArrayToObject(top, "ports");
	for (size_t i = 0; i < s->n; i++)
		add_port(json_item(ports), env, f, &s->ports[i]);
	findings = cJSON_AddArrayToObject(top, "findings");
	for (size_t i = 0; i < f->n; i++)
		add_finding(json_item(findings), &f->rows[i]);
	return top;
}
