// SPDX-License-Identifier: GPL-2.0-or-later
/* state: see state.h. Times in the JSON are seconds of CLOCK_BOOTTIME with microseconds. */
#include "state/state.h"

#include <sys/utsname.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/json_object.h"
#include "report/record.h"
#include "report/report.h"
#include "state/critical.h"

/* cJSON's first buffer: most files fit, so that it does not grow the text by copying it. */
#define STATE_TEXT_USUAL 32768

/* "10.0.0.5/24", "2001:db8::5/128" */
#define PREFIX_TEXT (INET_ADDR_TEXT + 4)

/* The members of objects that are structs elsewhere, in the order they are written. */
#define F(key, member)		   JSON_FIELD(key, struct S, member)
#define F_AS(key, member, kind)	   JSON_FIELD_AS(key, struct S, member, kind)
#define F_NAME(key, member, name)  JSON_FIELD_NAME(key, struct S, member, name)

#define S source_progress
static const struct json_field fetch_fields[] = {
	F("step", step), F("server", site), F("bytes", bytes), F("rate", rate),
		F("attempts", attempts),
};
#undef S

/* What a rail and the list of all ports tell of a port. */
#define S fabric_port
static const struct json_field port_fields[] = {
	F("device", device), F("port", port), F_NAME("link_layer", link_layer, link_layer_name),
	F_NAME("state", state, port_state_name), F_AS("guid", guid, JSON_GUID), F("rate", rate),
	F("lid", lid), F("sm_lid", sm_lid), F_AS("sm_guid", sm.guid, JSON_GUID),
};
/* What only the list tells. */
static const struct json_field port_more_fields[] = {
	F_NAME("phys", phys, port_phys_name), F("netdev", netdev), F("pci", pci),
};
#undef S

#define S fabric_neighbour
static const struct json_field neighbour_fields[] = {
	F("name", name), F_AS("guid", guid, JSON_GUID), F("port", port),
};
#undef S

#define S state_rail
static const struct json_field rail_fields[] = {
	F("netdev", name), F("ifindex", ifindex), F("state", state), F("metric", metric),
	F("carries_root", carries_root),
};
#undef S

#define S address_result
static const struct json_field address_fields[] = {
	F_NAME("method", method, address_method_name), F("boot_file", boot_file),
	F("hostname", hostname), F("domain", domain), F("search", search),
};
#undef S

static const char *cause_code(unsigned cause)
{
	return cause == CAUSE_NONE ? NULL : cause_info(cause)->code;
}

static const char *cause_id(unsigned cause)
{
	return cause_info(cause)->id;
}

static const char *cause_check(unsigned cause)
{
	return cause_info(cause)->check;
}

#define S module_entry
static const struct json_field module_fields[] = {
	F("name", name), F_NAME("state", state, module_state_name),
		F_NAME("cause", cause, cause_code),
	F("text", text),
};
static const struct json_field module_times[] = {
	F_AS("begin_s", begin, JSON_TIME), F_AS("end_s", end, JSON_TIME),
};
#undef S

#define S report_met
static const struct json_field cause_fields[] = {
	F_NAME("code", cause, cause_code), F_NAME("id", cause, cause_id), F("where", where),
	F("text", text), F_NAME("check", cause, cause_check), F("count", count),
	F_AS("first_s", first, JSON_TIME), F_AS("last_s", last, JSON_TIME),
};
#undef S

#define S report_change
static const struct json_field change_fields[] = {
	F_AS("s", when, JSON_TIME), F("room", room), F("rail", rail), F("from", from), F("to", to),
};
#undef S

#define S report_work
static const struct json_field work_fields[] = {
	F("room", room), F("what", what), F_AS("begin_s", begin, JSON_TIME),
		F_AS("end_s", end, JSON_TIME),
	F("result", result),
};
#undef S

#define S state_phase
static const struct json_field phase_fields[] = {
	F("name", name), F_AS("begin_s", begin, JSON_TIME), F_AS("end_s", end, JSON_TIME),
};
#undef S

#define S critical_step
static const struct json_field step_fields[] = {
	F("name", name), F_AS("begin_s", begin, JSON_TIME), F_AS("end_s", end, JSON_TIME),
};
#undef S

#define ADD(o, table, object) json_fields(o, table, ARRAY_SIZE(table), object)
#define ADD_ROWS(o, key, table, rows, n) \
	json_rows(o, key, table, ARRAY_SIZE(table), rows, n, sizeof(*(rows)))

/* What the command line comes to, a line each ("retry=60"), as "initagent plan" prints it. */
static void add_plan(cJSON *top, const struct boot_plan *plan)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = plan ? open_memstream(&text, &len) : NULL;
	cJSON *list;
	int r;

	if (!out)
		return;
	r = plan_dump(plan, out, false);
	if (fclose(out) != 0 || r < 0)
		return;
	list = cJSON_AddArrayToObject(top, "plan");
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		cJSON_AddItemToArray(list, cJSON_CreateString(line));
	}
}

/* What the next image of this machine needs of it, in one line. */
static void add_options(cJSON *top, const struct state_input *in)
{
	_cleanup_free_ char *text = in->plan ? plan_image_options(in->plan, in->root) : NULL;

	if (text)
		json_text(top, "options", text);
}

/* By bit number. */
static const char *const manager_names[] = {"networkd", "networkmanager", "ifupdown", "ifcfg"};

const char *state_manager_name(unsigned bit)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(manager_names) && bit != 1U << i)
		i++;
	return manager_names[i];
}

static void add_managers(cJSON *o, const char *key, unsigned bits)
{
	cJSON *list = cJSON_AddArrayToObject(o, key);

	for (size_t i = 0; i < ARRAY_SIZE(manager_names); i++)
		if (bits & 1U << i)
			cJSON_AddItemToArray(list, cJSON_CreateString(manager_names[i]));
}

static void add_handover(cJSON *top, const struct managers *m)
{
	cJSON *o;

	if (!m)
		return;
	o = cJSON_AddObjectToObject(top, "handover");
	add_managers(o, "profiles", m->chosen);
	add_managers(o, "enabled", m->enabled);
	add_managers(o, "installed", m->installed);
}

/* The kind of root has a table of its members. */
static void fill_root(cJSON *o, const struct state_input *in)
{
	if (in->root->type)
		json_text(o, "type", in->root->type);
	json_fields(o, in->root->fields, in->root->n_fields, in->record);
}

static void add_root(cJSON *top, const struct state_input *in)
{
	if (in->root)
		fill_root(cJSON_AddObjectToObject(top, "root"), in);
}

/* What is on its way while the boot goes on. */
static void add_fetch(cJSON *top, const struct source_progress *p)
{
	cJSON *o;

	if (!p)
		return;
	o = cJSON_AddObjectToObject(top, "fetch");
	ADD(o, fetch_fields, p);
	if (p->size)
		json_number(o, "size", (int64_t)p->size);
	if (p->left != UINT64_MAX)
		json_number(o, "left_s", (int64_t)p->left);
}

static const char *prefix_text(char buf[static PREFIX_TEXT], const struct inet_addr *addr,
	unsigned prefix)
{
	char text[INET_ADDR_TEXT];

	snprintf(buf, PREFIX_TEXT, "%s/%u", inet_text(addr, text), prefix);
	return buf;
}

static void add_inet(cJSON *o, const char *key, const struct inet_addr *addr)
{
	char text[INET_ADDR_TEXT];

	json_text(o, key, inet_text(addr, text));
}

/* DHCPv6 servers are named by their DUID in hexadecimal. */
static void add_lease(cJSON *rail, const struct address_result *a, const struct state_input *in)
{
	char server[2 * ADDRESS_DUID_MAX + 1] = "", client_id[2 * ADDRESS_CLIENT_ID_MAX + 1];
	cJSON *o;

	if (a->method == ADDRESS_DHCP6)
		hex_text(server, sizeof(server), a->server_duid, a->server_duid_len, "");
	else if (a->method == ADDRESS_DHCP4)
		inet_text(&a->server_id, server);
	if (!*server)
		return;
	o = cJSON_AddObjectToObject(rail, "lease");
	json_text(o, "server", server);
	hex_text(client_id, sizeof(client_id), a->client_id, a->client_id_len, "");
	json_text(o, "client_id", client_id);
	json_number(o, "seconds", a->lease_s);
	json_time(o, "obtained_s", a->obtained);
	json_time(o, "expires_s", a->expires);
	if (in->wall && a->expires != NSEC_NEVER)
		json_date(o, "expires_at", address_wall(a->expires, in->now, in->wall));
}

static void add_port(cJSON *o, const struct fabric_port *p)
{
	ADD(o, port_fields, p);
	if (p->neighbour.type != FABRIC_NODE_UNKNOWN)
		ADD(cJSON_AddObjectToObject(o, "neighbour"), neighbour_fields, &p->neighbour);
}

/* Every port of the node: of a boot that failed it is the ports without a rail that matter. */
static void add_ports(cJSON *top, const struct fabric_port *ports, size_t n)
{
	cJSON *list = cJSON_AddArrayToObject(top, "ports");

	for (size_t i = 0; i < n; i++) {
		cJSON *o = json_item(list);

		add_port(o, &ports[i]);
		ADD(o, port_more_fields, &ports[i]);
	}
}

static void add_servers_and_routes(cJSON *dns, cJSON *routes, const struct address_result *a)
{
	char text[PREFIX_TEXT];

	for (size_t i = 0; i < a->n_dns; i++)
		cJSON_AddItemToArray(dns, cJSON_CreateString(inet_text(&a->dns[i], text)));
	for (size_t i = 0; i < a->n_routes; i++) {
		cJSON *o = json_item(routes);

		json_text(o, "dst", prefix_text(text, &a->routes[i].dst, a->routes[i].prefix));
		add_inet(o, "gateway", &a->routes[i].gateway);
	}
}

static void add_addresses(cJSON *o, const struct state_rail *r, const struct state_input *in)
{
	cJSON *dns = cJSON_AddArrayToObject(o, "dns"),
		*routes = cJSON_AddArrayToObject(o, "routes");
	char text[PREFIX_TEXT];

	if (r->address) {
		ADD(o, address_fields, r->address);
		json_text(o, "address", prefix_text(text, &r->address->addr, r->address->prefix));
		add_inet(o, "gateway", &r->address->gateway);
		add_servers_and_routes(dns, routes, r->address);
		add_lease(o, r->address, in);
	}
	if (r->address6) {
		json_text(o, "method6", address_method_name(r->address6->method));
		json_text(o, "address6", prefix_text(text, &r->address6->addr,
			r->address6->prefix));
		add_inet(o, "gateway6", &r->address6->gateway);
		add_servers_and_routes(dns, routes, r->address6);
	}
	json_flag(o, "adopted", r->address && r->address->adopted);
}

static void add_netdev(cJSON *o, const struct state_rail *r)
{
	char hwaddr[3 * sizeof(r->dev->hw.bytes) + 1], pkey[8];

	json_number(o, "mtu", r->dev ? r->dev->mtu : 0);
	if (!r->dev)
		return;
	json_text(o, "hwaddr", hex_text(hwaddr, sizeof(hwaddr), r->dev->hw.bytes, r->dev->hw.len,
		":"));
	if (r->n_lower) {
		json_text(o, "kind", r->dev->kind);
		cJSON_AddItemToObject(o, "lower",
			cJSON_CreateStringArray(r->lower, (int)r->n_lower));
	}
	if (!netdev_pkey(r->dev))
		return;
	snprintf(pkey, sizeof(pkey), "0x%04x", netdev_pkey(r->dev));
	json_text(o, "pkey", pkey);
	json_text(o, "mode", r->mode);
	json_text(o, "parent", r->parent);
}

static void add_rails(cJSON *top, const struct state_input *in)
{
	cJSON *list = cJSON_AddArrayToObject(top, "rails");

	for (size_t i = 0; i < in->n_rails; i++) {
		const struct state_rail *r = &in->rails[i];
		cJSON *o = json_item(list);

		ADD(o, rail_fields, r);
		add_netdev(o, r);
		add_addresses(o, r, in);
		if (r->port)
			add_port(cJSON_AddObjectToObject(o, "rdma"), r->port);
	}
}

static void add_modules(cJSON *top, const struct module_entry *m, size_t n)
{
	cJSON *list = cJSON_AddArrayToObject(top, "modules");

	for (size_t i = 0; i < n; i++) {
		cJSON *o = json_item(list);

		ADD(o, module_fields, &m[i]);
		if (m[i].end)
			ADD(o, module_times, &m[i]);
	}
}

static void add_head(cJSON *top, const struct state_input *in)
{
	struct utsname kernel;
	cJSON *agent;

	json_number(top, "schema", STATE_SCHEMA);
	agent = cJSON_AddObjectToObject(top, "agent");
	json_text(agent, "version", INITAGENT_VERSION);
	json_number(agent, "restarts", in->restarts);
	json_time(agent, "cpu_s", in->cpu);
	json_number(agent, "wakes", in->wakes.all);
	json_number(agent, "timer_wakes", in->wakes.timer_peak);
	if (uname(&kernel) == 0)
		json_text(top, "kernel", kernel.release);
	json_text(top, "outcome", in->outcome);
	json_text(top, "cmdline", in->cmdline);
	json_time(top, "start_s", in->start);
	json_time(top, "now_s", in->now);
	json_date(top, "now_at", in->wall);
	add_plan(top, in->plan);
	add_options(top, in);
}

/* Only of a boot that has ended: the file is written often before that. */
static void add_critical(cJSON *top, const struct state_input *in, const struct report_view *v)
{
	struct critical_step steps[CRITICAL_STEPS_MAX];
	bool ended = in->report && !streq(in->outcome, "running");
	size_t n = ended ? critical_path(in, v, steps) : 0;

	ADD_ROWS(top, "critical", step_fields, steps, n);
}

char *state_json(const struct state_input *in)
{
	cJSON *top = cJSON_CreateObject();
	struct report_view v = {0};
	char *text;

	if (in->report)
		report_view(in->report, &v);
	add_head(top, in);
	add_root(top, in);
	add_fetch(top, in->fetch);
	add_rails(top, in);
	add_ports(top, in->ports, in->n_ports);
	add_handover(top, in->managers);
	ADD_ROWS(top, "causes", cause_fields, v.causes, v.n_causes);
	ADD_ROWS(top, "phases", phase_fields, in->phases, in->n_phases);
	add_critical(top, in, &v);
	add_modules(top, in->modules, in->n_modules);
	ADD_ROWS(top, "work", work_fields, v.works, v.n_works);
	ADD_ROWS(top, "timeline", change_fields, v.changes, v.n_changes);
	json_number(top, "dropped_rows", v.dropped);
	text = cJSON_PrintBuffered(top, STATE_TEXT_USUAL, false);
	cJSON_Delete(top);
	return text;
}

bool state_value_ok(const char *value)
{
	return !value[strspn(value, ALNUM "._:/@%+,=[]-")];
}

static void env_line(FILE *out, const char *key, const char *value)
{
	if (value && *value && state_value_ok(value))
		fprintf(out, "%s=%s\n", key, value);
}

static void env_address(FILE *out, const char *address, const char *gateway,
	const struct address_result *a)
{
	char text[PREFIX_TEXT];

	if (!a)
		return;
	env_line(out, address, prefix_text(text, &a->addr, a->prefix));
	env_line(out, gateway, inet_text(&a->gateway, text));
}

static void env_rail(FILE *out, const struct state_rail *r)
{
	env_line(out, "NETDEV", r->name);
	env_address(out, "ADDRESS", "GATEWAY", r->address);
	env_address(out, "ADDRESS6", "GATEWAY6", r->address6);
	env_line(out, "RDMA_DEVICE", r->port ? r->port->device : NULL);
}

static void env_root(FILE *out, const struct state_input *in)
{
	cJSON *o = cJSON_CreateObject();

	fill_root(o, in);
	for (const struct source_env *e = in->root->env; e->name; e++)
		env_line(out, e->name, cJSON_GetStringValue(cJSON_GetObjectItem(o, e->key)));
	cJSON_Delete(o);
}

static void env_lines(FILE *out, const struct state_input *in)
{
	env_line(out, "OUTCOME", in->outcome);
	if (in->root)
		env_root(out, in);
	for (size_t i = 0; i < in->n_rails; i++)
		if (in->rails[i].carries_root)
			env_rail(out, &in->rails[i]);
}

static int write_env(const struct env *env, const struct state_input *in)
{
	struct file_stream f;
	int r = file_begin(&f);

	if (r < 0)
		return r;
	env_lines(f.out, in);
	return file_end(&f, env, STATE_DIR, "env", 0644);
}

int state_write(const struct env *env, const struct state_input *in)
{
	_cleanup_free_ char *json = state_json(in);
	struct report_view v = {0};
	int r = -ENOMEM;

	if (json)
		r = file_write(env, STATE_DIR, "state.json", json, strlen(json), 0644);
	if (r >= 0)
		r = write_env(env, in);
	if (in->report)
		report_view(in->report, &v);
	if (r >= 0 && v.log)
		r = file_write(env, STATE_DIR, "log", v.log, v.log_len, 0644);
	return r;
}
