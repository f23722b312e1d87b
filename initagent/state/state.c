// SPDX-License-Identifier: GPL-2.0-or-later
/* state: see state.h. Times in the JSON are seconds of CLOCK_BOOTTIME with microseconds. */
#include "state/state.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <sys/utsname.h>

#include "address/address.h"
#include "base/file.h"
#include "report/record.h"
#include "base/utf8.h"
#include "report/report.h"

static bool is_utf8(const char *s)
{
	for (size_t n; *s; s += n) {
		n = utf8_decode(s, NULL);
		if (!n)
			return false;
	}
	return true;
}

/* Text that cJSON sets aside at first: most files fit, so that it does not grow the text by copying it. */
#define STATE_TEXT_USUAL 32768

/* Takes the item; the key is a constant of this file and is not copied. */
static void add_item(cJSON *o, const char *key, cJSON *item)
{
	if (!cJSON_AddItemToObjectCS(o, key, item))
		cJSON_Delete(item);
}

static void add_string(cJSON *o, const char *key, const char *value)
{
	add_item(o, key, cJSON_CreateString(value));
}

static void add_bool(cJSON *o, const char *key, bool value)
{
	add_item(o, key, cJSON_CreateBool(value));
}

/* Whole numbers as text: cJSON prints and reads each back as a floating point number, twice. */
static void add_number(cJSON *o, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	add_item(o, key, cJSON_CreateRaw(text));
}

/* JSON is UTF-8; command lines and names from the fabric may hold any byte: U+FFFD stands for those. */
static void add_bytes(cJSON *o, const char *key, const char *value)
{
	_cleanup_free_ char *clean = malloc(3 * strlen(value) + 1);
	char *to = clean;

	if (!clean)
		return;
	while (*value) {
		size_t n = utf8_decode(value, NULL);

		memcpy(to, n ? value : "\xef\xbf\xbd", n ? n : 3);
		to += n ? n : 3;
		value += n ? n : 1;
	}
	*to = 0;
	add_string(o, key, clean);
}

/* Absent values are left out instead of being written as "". */
static void add_text(cJSON *o, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	if (is_utf8(value))
		add_string(o, key, value);
	else
		add_bytes(o, key, value);
}

/* Written as text: hundreds of floating point numbers cost a slow node more than the rest of the file. */
static void add_time(cJSON *o, const char *key, uint64_t ns)
{
	char text[32];

	if (ns == NSEC_NEVER)
		return;
	snprintf(text, sizeof(text), "%llu.%06u", (unsigned long long)(ns / NSEC_PER_SEC),
		(unsigned)(ns % NSEC_PER_SEC / 1000));
	add_item(o, key, cJSON_CreateRaw(text));
}

/* RFC 3339, for people. */
static void add_date(cJSON *o, const char *key, int64_t wall)
{
	const time_t t = wall;
	struct tm tm;
	char text[32];

	if (wall > 0 && gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		add_string(o, key, text);
}

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

static void add_managers(cJSON *o, const char *key, unsigned bits)
{
	cJSON *list = cJSON_AddArrayToObject(o, key);
	char name[32];

	for (unsigned bit = 1; bit & PLAN_HANDOVER_ALL; bit <<= 1)
		if (bits & bit)
			cJSON_AddItemToArray(list, cJSON_CreateString(managers_text(bit, name, sizeof(name))));
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

static void add_root(cJSON *top, const struct root_result *root)
{
	cJSON *o;

	if (!root)
		return;
	o = cJSON_AddObjectToObject(top, "root");
	add_text(o, "type", "nfs");
	add_text(o, "server", root->server);
	add_text(o, "address", root->address);
	add_text(o, "path", root->path);
	add_text(o, "version", nfs_version_name(root->version));
	add_text(o, "proto", nfs_proto_name(root->proto));
	add_number(o, "port", root->port);
	add_text(o, "options", root->options);
	add_bool(o, "fell_back", root->fell_back);
	add_bool(o, "overlay", root->overlay);
	add_number(o, "attempts", root->attempts);
	add_text(o, "init", root->init);
}

static void add_image(cJSON *top, const struct web_result *web)
{
	cJSON *o;

	if (!web)
		return;
	o = cJSON_AddObjectToObject(top, "root");
	add_text(o, "type", "image");
	add_text(o, "url", web->url);
	add_text(o, "server", web->site);
	add_text(o, "sha256", web->sha256);
	add_text(o, "proof", web->proof);
	add_number(o, "bytes", (int64_t)web->bytes);
	add_number(o, "attempts", web->attempts);
	add_bool(o, "cached", web->cached);
	add_text(o, "format", image_kind_name(web->image.kind));
	add_text(o, "holds", image_kind_name(web->image.root));
	add_text(o, "inside", web->image.inside);
	add_bool(o, "overlay", web->image.overlay);
	add_number(o, "unpacked", (int64_t)web->image.bytes);
	add_text(o, "init", web->image.init);
}

static void add_block(cJSON *top, const struct block_result *b)
{
	cJSON *o;

	if (!b)
		return;
	o = cJSON_AddObjectToObject(top, "root");
	add_text(o, "type", b->kind);
	add_text(o, "server", b->server);
	add_text(o, "address", b->address);
	add_number(o, "port", b->port);
	add_text(o, "proto", b->proto);
	add_text(o, "name", b->name);
	add_text(o, "device", b->device);
	add_text(o, "fstype", b->fstype);
	add_number(o, "bytes", (int64_t)b->bytes);
	add_bool(o, "readonly", b->readonly);
	add_bool(o, "overlay", b->overlay);
	add_bool(o, "adopted", b->adopted);
	add_number(o, "attempts", b->attempts);
	add_text(o, "init", b->init);
}

/* What is on its way while the boot goes on. */
static void add_fetch(cJSON *top, const struct web_progress *p)
{
	cJSON *o;

	if (!p)
		return;
	o = cJSON_AddObjectToObject(top, "fetch");
	add_text(o, "step", p->step);
	add_text(o, "server", p->site);
	add_number(o, "bytes", (int64_t)p->bytes);
	if (p->size)
		add_number(o, "size", (int64_t)p->size);
	add_number(o, "rate", (int64_t)p->rate);
	if (p->left != UINT64_MAX)
		add_number(o, "left_s", (int64_t)p->left);
	add_number(o, "attempts", p->attempts);
}

static void add_lease(cJSON *rail, const struct state_rail *r, const struct state_input *in)
{
	cJSON *o;

	if (!*r->server)
		return;
	o = cJSON_AddObjectToObject(rail, "lease");
	add_text(o, "server", r->server);
	add_text(o, "client_id", r->client_id);
	add_number(o, "seconds", r->lease_s);
	add_time(o, "obtained_s", r->obtained);
	add_time(o, "expires_s", r->expires);
	if (in->wall && r->expires != NSEC_NEVER)
		add_date(o, "expires_at", address_wall(r->expires, in->now, in->wall));
}

static void add_neighbour(cJSON *port, const char *name, const char *guid, unsigned number)
{
	cJSON *o;

	if (!*name && !*guid)
		return;
	o = cJSON_AddObjectToObject(port, "neighbour");
	add_text(o, "name", name);
	add_text(o, "guid", guid);
	add_number(o, "port", number);
}

static void add_rdma(cJSON *rail, const struct state_rail *r)
{
	cJSON *o;

	if (!*r->rdma_device)
		return;
	o = cJSON_AddObjectToObject(rail, "rdma");
	add_text(o, "device", r->rdma_device);
	add_number(o, "port", r->rdma_port);
	add_text(o, "link_layer", r->link_layer);
	add_text(o, "state", r->port_state);
	add_text(o, "guid", r->guid);
	add_text(o, "rate", r->rate);
	add_number(o, "lid", r->lid);
	add_number(o, "sm_lid", r->sm_lid);
	add_text(o, "sm_guid", r->sm_guid);
	add_neighbour(o, r->neighbour, r->neighbour_guid, r->neighbour_port);
}

static void add_guid(cJSON *o, const char *key, uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)guid);
	if (guid)
		add_string(o, key, text);
}

/* Every port of the node: of a boot that failed it is the ports without a rail that matter. */
static void add_port(cJSON *ports, const struct fabric_port *p)
{
	cJSON *o = cJSON_CreateObject();
	char guid[24] = "";

	cJSON_AddItemToArray(ports, o);
	add_text(o, "device", p->device);
	add_number(o, "port", p->port);
	add_text(o, "link_layer", link_layer_name(p->link_layer));
	add_text(o, "state", port_state_name(p->state));
	add_text(o, "phys", port_phys_name(p->phys));
	add_guid(o, "guid", p->guid);
	add_text(o, "rate", p->rate);
	add_number(o, "lid", p->lid);
	add_number(o, "sm_lid", p->sm_lid);
	add_guid(o, "sm_guid", p->sm.guid);
	add_text(o, "netdev", p->netdev);
	add_text(o, "pci", p->pci);
	if (p->neighbour.type == FABRIC_NODE_UNKNOWN)
		return;
	snprintf(guid, sizeof(guid), "%016llx", (unsigned long long)p->neighbour.guid);
	add_neighbour(o, p->neighbour.name, guid, p->neighbour.port);
}

static void add_routes(cJSON *rail, const struct state_rail *r)
{
	cJSON *list = cJSON_AddArrayToObject(rail, "routes");

	for (size_t i = 0; i < r->n_routes; i++) {
		cJSON *o = cJSON_CreateObject();

		cJSON_AddItemToArray(list, o);
		add_text(o, "dst", r->routes[i].dst);
		add_text(o, "gateway", r->routes[i].gateway);
	}
	add_number(rail, "metric", r->metric);
}

static void add_ipoib(cJSON *rail, const struct state_rail *r)
{
	char text[8];

	if (!r->pkey)
		return;
	snprintf(text, sizeof(text), "0x%04x", r->pkey);
	add_text(rail, "pkey", text);
	add_text(rail, "mode", r->mode);
	add_text(rail, "parent", r->parent);
}

static void add_rail(cJSON *rails, const struct state_rail *r, const struct state_input *in)
{
	cJSON *o = cJSON_CreateObject(), *dns;

	cJSON_AddItemToArray(rails, o);
	add_text(o, "netdev", r->netdev);
	add_number(o, "ifindex", r->ifindex);
	add_text(o, "hwaddr", r->hwaddr);
	add_number(o, "mtu", r->mtu);
	add_text(o, "state", r->state);
	add_text(o, "method", r->method);
	add_text(o, "address", r->address);
	add_text(o, "gateway", r->gateway);
	add_text(o, "method6", r->method6);
	add_text(o, "address6", r->address6);
	add_text(o, "gateway6", r->gateway6);
	add_text(o, "boot_file", r->boot_file);
	add_text(o, "hostname", r->hostname);
	add_text(o, "domain", r->domain);
	add_text(o, "search", r->search);
	dns = cJSON_AddArrayToObject(o, "dns");
	for (size_t i = 0; i < r->n_dns; i++)
		cJSON_AddItemToArray(dns, cJSON_CreateString(r->dns[i]));
	add_routes(o, r);
	add_ipoib(o, r);
	add_bool(o, "carries_root", r->carries_root);
	add_bool(o, "adopted", r->adopted);
	add_lease(o, r, in);
	add_rdma(o, r);
}

static void add_modules(cJSON *top, const struct module_entry *m, size_t n)
{
	cJSON *list = cJSON_AddArrayToObject(top, "modules");

	for (size_t i = 0; i < n; i++) {
		cJSON *o = cJSON_CreateObject();

		cJSON_AddItemToArray(list, o);
		add_text(o, "name", m[i].name);
		add_text(o, "state", module_state_name(m[i].state));
		if (m[i].end)
			add_time(o, "begin_s", m[i].begin);
		if (m[i].end)
			add_time(o, "end_s", m[i].end);
		if (m[i].cause != CAUSE_NONE)
			add_text(o, "cause", cause_info(m[i].cause)->code);
		add_text(o, "text", m[i].text);
	}
}

static void add_causes(cJSON *top, const struct report_view *v)
{
	cJSON *list = cJSON_AddArrayToObject(top, "causes");

	for (size_t i = 0; i < v->n_causes; i++) {
		const struct report_met *met = &v->causes[i];
		cJSON *o = cJSON_CreateObject();

		cJSON_AddItemToArray(list, o);
		add_text(o, "code", cause_info(met->cause)->code);
		add_text(o, "id", cause_info(met->cause)->id);
		add_text(o, "where", met->where);
		add_text(o, "text", met->text);
		add_text(o, "check", cause_info(met->cause)->check);
		add_number(o, "count", met->count);
		add_time(o, "first_s", met->first);
		add_time(o, "last_s", met->last);
	}
}

static void add_changes(cJSON *top, const struct report_view *v)
{
	cJSON *list = cJSON_AddArrayToObject(top, "timeline");

	for (size_t i = 0; i < v->n_changes; i++) {
		const struct report_change *c = &v->changes[i];
		cJSON *o = cJSON_CreateObject();

		cJSON_AddItemToArray(list, o);
		add_time(o, "s", c->when);
		add_text(o, "room", c->room);
		add_text(o, "rail", c->rail);
		add_text(o, "from", c->from);
		add_text(o, "to", c->to);
	}
}

static void add_work(cJSON *top, const struct report_view *v)
{
	cJSON *list = cJSON_AddArrayToObject(top, "work");

	for (size_t i = 0; i < v->n_works; i++) {
		const struct report_work *w = &v->works[i];
		cJSON *o = cJSON_CreateObject();

		cJSON_AddItemToArray(list, o);
		add_text(o, "room", w->room);
		add_text(o, "what", w->what);
		add_time(o, "begin_s", w->begin);
		add_time(o, "end_s", w->end);
		add_number(o, "result", w->result);
	}
}

static void add_phases(cJSON *top, const struct state_phase *p, size_t n)
{
	cJSON *list = cJSON_AddArrayToObject(top, "phases");

	for (size_t i = 0; i < n; i++) {
		cJSON *o = cJSON_CreateObject();

		cJSON_AddItemToArray(list, o);
		add_text(o, "name", p[i].name);
		add_time(o, "begin_s", p[i].begin);
		add_time(o, "end_s", p[i].end);
	}
}

static void add_head(cJSON *top, const struct state_input *in)
{
	struct utsname kernel;
	cJSON *agent;

	add_number(top, "schema", STATE_SCHEMA);
	agent = cJSON_AddObjectToObject(top, "agent");
	add_text(agent, "version", INITAGENT_VERSION);
	add_number(agent, "restarts", in->restarts);
	add_time(agent, "cpu_s", in->cpu);
	add_number(agent, "wakes", in->wakes.all);
	add_number(agent, "timer_wakes", in->wakes.timer_peak);
	if (uname(&kernel) == 0)
		add_text(top, "kernel", kernel.release);
	add_text(top, "outcome", in->outcome);
	add_text(top, "cmdline", in->cmdline);
	add_time(top, "start_s", in->start);
	add_time(top, "now_s", in->now);
	add_date(top, "now_at", in->wall);
	add_plan(top, in->plan);
}

char *state_json(const struct state_input *in)
{
	cJSON *top = cJSON_CreateObject();
	struct report_view v = {0};
	cJSON *rails, *ports;
	char *text;

	if (in->report)
		report_view(in->report, &v);
	add_head(top, in);
	add_root(top, in->root);
	add_image(top, in->web);
	add_block(top, in->block);
	add_fetch(top, in->fetch);
	rails = cJSON_AddArrayToObject(top, "rails");
	for (size_t i = 0; i < in->n_rails; i++)
		add_rail(rails, &in->rails[i], in);
	ports = cJSON_AddArrayToObject(top, "ports");
	for (size_t i = 0; i < in->n_ports; i++)
		add_port(ports, &in->ports[i]);
	add_handover(top, in->managers);
	add_causes(top, &v);
	add_phases(top, in->phases, in->n_phases);
	add_modules(top, in->modules, in->n_modules);
	add_work(top, &v);
	add_changes(top, &v);
	add_number(top, "dropped_rows", v.dropped);
	text = cJSON_PrintBuffered(top, STATE_TEXT_USUAL, false);
	cJSON_Delete(top);
	return text;
}

bool state_value_ok(const char *value)
{
	static const char extra[] = "._:/@%+,=[]-";

	for (; *value; value++) {
		bool alnum = (*value >= '0' && *value <= '9') || (*value >= 'a' && *value <= 'z') ||
			     (*value >= 'A' && *value <= 'Z');

		if (!alnum && !strchr(extra, *value))
			return false;
	}
	return true;
}

static void env_line(FILE *out, const char *key, const char *value)
{
	if (value && *value && state_value_ok(value))
		fprintf(out, "%s=%s\n", key, value);
}

static void env_lines(FILE *out, const struct state_input *in)
{
	env_line(out, "OUTCOME", in->outcome);
	if (in->root) {
		env_line(out, "ROOT_SERVER", in->root->address);
		env_line(out, "ROOT_PATH", in->root->path);
		env_line(out, "ROOT_PROTO", nfs_proto_name(in->root->proto));
		env_line(out, "ROOT_VERSION", nfs_version_name(in->root->version));
	}
	if (in->web)
		env_line(out, "ROOT_URL", in->web->url);
	if (in->block) {
		env_line(out, "ROOT_SERVER", in->block->address);
		env_line(out, "ROOT_PROTO", in->block->proto);
		env_line(out, "ROOT_DEVICE", in->block->device);
	}
	for (size_t i = 0; i < in->n_rails; i++) {
		const struct state_rail *r = &in->rails[i];

		if (!r->carries_root)
			continue;
		env_line(out, "NETDEV", r->netdev);
		env_line(out, "ADDRESS", r->address);
		env_line(out, "GATEWAY", r->gateway);
		env_line(out, "ADDRESS6", r->address6);
		env_line(out, "GATEWAY6", r->gateway6);
		env_line(out, "RDMA_DEVICE", r->rdma_device);
	}
}

static int write_env(const struct env *env, const struct state_input *in)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (!out)
		return -ENOMEM;
	env_lines(out, in);
	fclose(out);
	r = file_write(env, STATE_DIR, "env", text, len, 0644);
	free(text);
	return r;
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
