// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nodes: the section with the nodes. An entry is one node, or a row of them:
 *
 *	node001: {guid: ..., address: 10.20.0.11, groups: [compute]}
 *	node[001-040]: {guids: [...], address: 10.20.0.11, groups: [compute]}
 *
 * Of a row each node gets the next address and the next item of guids and macs.
 */
#include "site/fields.h"

/* As many as one fabric has; a longer row is a typing error. */
#define NODES_MAX 50000
#define PORTS_MAX 16

/* An entry while it is read. */
struct entry {
	struct site_node node;
	struct site_port port;		  /* guid, mac, address of a node with one port */
	const struct value *guids, *macs; /* of a row */
	const struct value *ports;
};

/* NAME[FIRST-LAST]: how the names of a row are made. */
struct row {
	const char *prefix, *suffix;
	size_t prefix_len;
	uint32_t first, last;
	int width;
};

bool read_octets(const char *s, uint8_t *bytes, size_t n)
{
	char digits[2 * OCTETS_MAX + 1];
	size_t len = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (; *s; s++) {
		if ((*s == ':' || *s == '-') && len && s[1])
			continue;
		if (len == 2 * n)
			return false;
		digits[len++] = *s;
	}
	return len == 2 * n && value_hex(digits, len, bytes, n) == 0;
}

static bool all_same(const uint8_t *bytes, size_t n)
{
	size_t i;

	for (i = 1; i < n && bytes[i] == bytes[0]; i++)
		;
	return i == n && (bytes[0] == 0 || bytes[0] == 0xff);
}

/* take_octets: n octets in any notation; false when v is none. what: with its article. */
static bool take_octets(struct loader *l, const struct value *v, uint8_t *bytes, size_t n,
	const char *what, const char *remedy)
{
	if (!is_kind(l, v, VALUE_TEXT))
		return false;
	/* Of addresses only a port's own: no placeholder, no multicast. */
	if (read_octets(v->text, bytes, n) && (n == 16 || !all_same(bytes, n)) &&
		(n != 6 || !(bytes[0] & 1)))
		return true;
	report_value(l, v, remedy, "%s is not %s", v->text, what);
	return false;
}

static void take_guid(struct loader *l, const struct value *v, void *member)
{
	struct site_port *p = member;

	if (!take_octets(l, v, p->guid, 8, "a port GUID",
		    "eight octets of the port (not of the node or the system image), as "
		    "'ibstat -p' prints them: 0xb8cef60300313333"))
		return;
	p->has_guid = true;
	p->guid_at = v->at;
}

static void take_mac(struct loader *l, const struct value *v, void *member)
{
	struct site_port *p = member;

	if (!take_octets(l, v, p->mac, 6, "a MAC address",
		    "six octets, such as 52:54:00:12:34:56; of a GUID with eight the key is guid:"))
		return;
	p->has_mac = true;
	p->mac_at = v->at;
}

static void take_uuid(struct loader *l, const struct value *v, void *member)
{
	struct site_node *n = member;

	if (!take_octets(l, v, n->uuid, 16, "a UUID", "as 'dmidecode -s system-uuid' prints it"))
		return;
	n->has_uuid = true;
	n->uuid_at = v->at;
}

static void keep_value(struct loader *l, const struct value *v, void *member)
{
	if (is_kind(l, v, VALUE_LIST))
		*(const struct value **)member = v;
}

static const struct field port_fields[] = {
	{"guid", take_guid, 0, false},
	{"mac", take_mac, 0, false},
	FIELD("address", take_addr, struct site_port, address),
};

static void take_entry(struct loader *l, const struct value *v, struct entry *e)
{
	static const struct field fields[] = {
		FIELD("guid", take_guid, struct entry, port),
		FIELD("mac", take_mac, struct entry, port),
		FIELD("address", take_addr, struct entry, port.address),
		FIELD("guids", keep_value, struct entry, guids),
		FIELD("macs", keep_value, struct entry, macs),
		FIELD("ports", keep_value, struct entry, ports),
		FIELD("groups", take_references, struct entry, node.groups),
		FIELD("uuid", take_uuid, struct entry, node),
		PROFILE_FIELDS(struct entry, node.profile),
	};
	size_t before = faults_total(l->report, SEVERITY_ERROR);
	char what[80];

	snprintf(what, sizeof(what), "node %.64s", v->key);
	take_fields(l, v, what, fields, ARRAY_SIZE(fields), e);
	e->port.faulty = faults_total(l->report, SEVERITY_ERROR) != before;
	if (v->kind != VALUE_MAP)
		e->node.profile.image.name.at = e->node.profile.root.at = v->at;
}

/* add_node: registers the node under its name. NULL when there is one, or are too many. */
static struct site_node *add_node(
	struct loader *l, struct arena_list *list, const struct entry *e, const char *name)
{
	struct site *s = l->site;
	struct site_node *n;
	size_t first;

	if (!is_name(name) || !value_hostname(name, strlen(name))) {
		error_at(l->report, e->node.at, "letters, digits, '-' and '.', at most 63",
			"%s is not a host name", name);
		return NULL;
	}
	first = names_add(s->node_names, name, list->n);
	if (first != NAMES_NONE) {
		error_at(l->report, e->node.at, "every node has a name of its own",
			"duplicate node %s, first in line %u", name,
			((struct site_node *)list->items)[first].at.line);
		return NULL;
	}
	n = must(arena_push(s->arena, list, sizeof(*n)));
	*n = e->node;
	n->name = name;
	return n;
}

static void take_ports(struct loader *l, const struct entry *e, struct site_node *n)
{
	const struct value *v;
	size_t want = e->ports ? e->ports->n : 1;
	struct site_port *p;

	if (want > PORTS_MAX) {
		report_value(l, e->ports, NULL, "%zu ports, at most %d", want, PORTS_MAX);
		return;
	}
	p = must(arena_alloc(l->site->arena, (want ? want : 1) * sizeof(*p)));
	n->ports = p;
	n->n_ports = want;
	if (!e->ports) {
		*p = e->port;
		p->at = n->at;
		return;
	}
	for (v = e->ports->items; v; v = v->next, p++) {
		size_t before = faults_total(l->report, SEVERITY_ERROR);

		p->at = v->at;
		take_fields(l, v, "port", port_fields, ARRAY_SIZE(port_fields), p);
		p->faulty = faults_total(l->report, SEVERITY_ERROR) != before;
	}
}

static void take_single(
	struct loader *l, const struct value *v, struct arena_list *list, struct entry *e)
{
	struct site_node *n;

	if (e->guids || e->macs)
		report_value(l, e->guids ? e->guids : e->macs,
			"guid: for one port, ports: [{guid: ...}, {guid: ...}] for several",
			"a list of them is for a range of nodes, NAME[001-040]");
	if (e->ports && (e->port.has_guid || e->port.has_mac || e->port.address.at.line))
		report_value(l, e->ports, "move them into the list",
			"guid:, mac: and address: are given beside it");
	e->port.faulty |= e->guids || e->macs;
	n = add_node(l, list, e, v->key);
	if (n)
		take_ports(l, e, n);
}

/* Is this the name of a row? *wrong_form: the brackets hold no range. */
static bool read_row(const char *key, struct row *row, bool *wrong_form)
{
	const char *open = strchr(key, '['), *dash = open ? strchr(open, '-') : NULL,
		   *close = open ? strchr(open, ']') : NULL;

	*wrong_form = open && (!dash || !close || dash > close || strchr(close, '['));
	if (!open || *wrong_form)
		return false;
	*row = (struct row){.prefix = key,
		.prefix_len = (size_t)(open - key),
		.suffix = close + 1,
		.width = (int)(dash - open - 1)};
	*wrong_form = row->prefix_len > 63 || row->width > 9 ||
		      value_u32(open + 1, (size_t)row->width, NODES_MAX, &row->first) < 0 ||
		      value_u32(dash + 1, (size_t)(close - dash - 1), NODES_MAX, &row->last) < 0 ||
		      row->first > row->last;
	return !*wrong_form;
}

/* check_row_list: guids: or macs: has one item for each node of the row. */
static void check_row_list(struct loader *l, const struct value *list, uint32_t n)
{
	if (list && list->n != n)
		report_value(l, list, "one for each node, in the order of their numbers",
			"%zu for a range of %u nodes", list->n, n);
}

static void take_row(
	struct loader *l, struct arena_list *list, struct entry *e, const struct row *row)
{
	const struct value *guid = e->guids ? e->guids->items : NULL,
			   *mac = e->macs ? e->macs->items : NULL;

	for (uint32_t i = row->first; i <= row->last; i++) {
		const char *name = must(arena_printf(l->site->arena, "%.*s%0*u%s",
			(int)row->prefix_len, row->prefix, row->width, i, row->suffix));
		struct entry one = *e;
		struct site_node *n;

		if (guid)
			take_guid(l, guid, &one.port);
		if (mac)
			take_mac(l, mac, &one.port);
		/* a list that is too short, or its item refused */
		one.port.faulty |= (e->guids && !one.port.has_guid) ||
				   (e->macs && !one.port.has_mac);
		if (one.port.address.at.line)
			one.port.address.addr += i - row->first;
		n = add_node(l, list, &one, name);
		if (n)
			take_ports(l, &one, n);
		guid = guid ? guid->next : NULL;
		mac = mac ? mac->next : NULL;
	}
}

static void take_row_entry(
	struct loader *l, struct arena_list *list, struct entry *e, const struct row *row)
{
	uint32_t n = row->last - row->first + 1;

	check_row_list(l, e->guids, n);
	check_row_list(l, e->macs, n);
	if (e->ports || e->port.has_guid || e->port.has_mac || e->node.has_uuid)
		error_at(l->report, e->node.at, "guids: [...] or macs: [...], one for each node",
			"ports:, guid:, mac: and uuid: belong to one node, not to a range");
	else if (list->n + n > NODES_MAX)
		error_at(l->report, e->node.at, NULL, "more than %d nodes", NODES_MAX);
	else
		take_row(l, list, e, row);
}

void take_nodes(struct loader *l, const struct value *v, void *member)
{
	struct arena_list list = {0};
	const struct value *e;

	(void)member;
	if (!is_kind(l, v, VALUE_MAP))
		return;
	for (e = v->items; e; e = e->next) {
		struct entry entry = {.node = {.at = e->key_at, .profile.image.index = SITE_NONE}};
		bool wrong_form;
		struct row row;

		take_entry(l, e, &entry);
		if (read_row(e->key, &row, &wrong_form))
			take_row_entry(l, &list, &entry, &row);
		else if (wrong_form)
			error_at(l->report, e->key_at, "NAME[001-040]", "%s is not a range of "
				"nodes",
				e->key);
		else if (list.n < NODES_MAX)
			take_single(l, e, &list, &entry);
	}
	if (list.n >= NODES_MAX)
		error_at(l->report, v->key_at, "split the site into several", "more than %d "
			"nodes", NODES_MAX);
	l->site->nodes = list.items;
	l->site->n_nodes = list.n;
}
