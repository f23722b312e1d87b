/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parser: the helpers every parse function uses. */
#include "parser.h"

struct plan_word *parser_word(const struct parser *p, enum option_id id)
{
	return p->taken[id] ? &p->words[p->taken[id] - 1] : NULL;
}

struct plan_word *root_word(const struct parser *p)
{
	static const enum option_id ids[] = {OPTION_ROOT, OPTION_NETROOT, OPTION_NFSROOT,
		OPTION_XCAT_NFSROOT};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct plan_word *w = parser_word(p, ids[i]);

		if (w && w->value == p->plan->root.text)
			return w;
	}
	return NULL;
}

struct plan_word *bootdev_word(const struct parser *p)
{
	struct plan_word *w = parser_word(p, OPTION_NETDEV);

	return w && w->value == p->plan->net.bootdev ? w : parser_word(p, OPTION_BOOTDEV);
}

bool bootif_asks(const struct parser *p)
{
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (plan_ip_is_open(ip))
			return false;
	return p->plan->net.bootif.len;
}

struct slice word_value(const struct plan_word *w)
{
	if (!w || !w->value)
		return (struct slice){"", 0};
	return (struct slice){w->value, strlen(w->value)};
}

bool say(struct parser *p, struct plan_word *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->effect = arena_vprintf(p->arena, fmt, ap);
	va_end(ap);
	if (!w->effect)
		p->oom = true;
	return true;
}

/* Where a remark about a part of a word's value stands in its source. */
static void locate(struct diag *d, const struct plan_word *w, struct slice at)
{
	d->source = w->source;
	d->option = w->name;
	d->word = d->pos = w->pos;
	d->len = w->len;
	if (at.s && w->value && at.s >= w->value && at.s <= w->value + strlen(w->value)) {
		d->pos = w->value_pos + (size_t)(at.s - w->value);
		d->len = at.len ? at.len : 1;
	}
}

/* Fatal is noted in the plan even if remarks are discarded. */
void complain(struct parser *p, const struct plan_word *w, struct slice at,
	enum diag_severity severity, const char *remedy, const char *fmt, ...)
{
	struct diag d = {.severity = severity, .remedy = remedy};
	va_list ap;

	if (w)
		locate(&d, w, at);
	if (severity == DIAG_FATAL)
		p->plan->fatal = true;
	if (!p->diags)
		return;
	va_start(ap, fmt);
	d.text = arena_vprintf(p->arena, fmt, ap);
	va_end(ap);
	if (d.text)
		diag_add(p->diags, &d);
	else
		p->oom = true;
}

bool left_out(struct parser *p, const struct plan_word *w, struct slice at, const char *remedy,
	const char *why)
{
	complain(p, w, at, DIAG_ERROR, remedy, "%s; left out", why);
	return false;
}

void differ(struct parser *p, const struct plan_word *w, struct slice at,
	enum diag_severity severity, const char *remedy, const char *text)
{
	complain(p, w, at, severity, remedy, "%.*s%s%s", SLICE(at), at.len ? ": " : "", text);
}

const char *textf(struct parser *p, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = arena_vprintf(p->arena, fmt, ap);
	va_end(ap);
	if (!s)
		p->oom = true;
	return s ? s : "";
}

const char *keep(struct parser *p, struct slice s)
{
	const char *copy = arena_text(p->arena, s.s, s.len);

	if (!copy)
		p->oom = true;
	return copy ? copy : "";
}

bool append(struct parser *p, struct arena_list *l, const void *item, size_t size,
	const struct plan_word *w, size_t max)
{
	void *slot;

	if (l->n == max) {
		if (!l->full)
			complain(p, w, WHOLE, DIAG_ERROR, NULL,
				"more than %zu entries; the rest is left out", max);
		l->full = true;
		return false;
	}
	slot = arena_push(p->arena, l, size);
	if (slot)
		memcpy(slot, item, size);
	else
		p->oom = true;
	return slot != NULL;
}

bool has_control(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.s[i] < ' ' || s.s[i] == 0x7f)
			return true;
	return false;
}

bool names_device(struct slice s)
{
	static const char dev[] = "/dev/";
	size_t at;

	return (s.len > strlen(dev) && slice_starts(s, dev)) ||
		value_volume(s.s, s.len, &at) != VOLUME_NO_KEY;
}

const char *take_server(struct parser *p, struct slice s, struct inet_addr *addr)
{
	if (!value_server(s.s, s.len, addr))
		return NULL;
	return keep(p, s.s[0] == '[' ? (struct slice){s.s + 1, s.len - 2} : s);
}

const char *take_zoned(
	struct parser *p, struct slice s, struct inet_addr *addr, const char **ret_zone)
{
	bool bracket = s.len > 1 && s.s[0] == '[' && s.s[s.len - 1] == ']';
	struct slice all = bracket ? (struct slice){s.s + 1, s.len - 2} : s, zone;
	size_t at = slice_find(all, "%");

	*ret_zone = NULL;
	if (at == all.len)
		return take_server(p, s, addr);
	zone = slice_from(all, at + 1);
	if (value_ipv6(all.s, at, addr) < 0 || !value_zone(addr, zone.s, zone.len))
		return NULL;
	*ret_zone = keep(p, zone);
	return keep(p, (struct slice){all.s, at});
}

const char *take_site(struct parser *p, struct slice s, struct inet_addr *addr,
	const char **ret_zone, uint16_t *port)
{
	struct slice f[3];
	size_t n = fields_split(s, f, 3);

	if (n > 2 || (n == 2 && value_port(f[1].s, f[1].len, port) < 0))
		return NULL;
	return ret_zone ? take_zoned(p, f[0], addr, ret_zone) : take_server(p, f[0], addr);
}

/* A bracket left open makes the rest one field, which then fails as an address. */
size_t fields_split(struct slice s, struct slice *fields, size_t max)
{
	size_t start = 0, n = 0;
	bool bracket = false;

	for (size_t i = 0; i < s.len && n + 1 < max; i++) {
		if (s.s[i] == '[')
			bracket = true;
		else if (s.s[i] == ']')
			bracket = false;
		if (s.s[i] != ':' || bracket)
			continue;
		fields[n++] = (struct slice){s.s + start, i - start};
		start = i + 1;
	}
	fields[n++] = slice_from(s, start);
	return n;
}

const struct choice *choice_find(const struct choice *c, struct slice s)
{
	for (; c->word; c++)
		if (slice_is(s, c->word))
			return c;
	return NULL;
}

const char *choice_near(struct parser *p, const struct plan_word *w, const struct choice *c,
	const char *otherwise)
{
	const struct slice v = word_value(w);

	for (; c->word; c++)
		if (*c->word && option_distance(v.s, v.len, c->word) <= 1)
			return textf(p, "did you mean %s=%s?", w->row->name, c->word);
	return otherwise;
}

const char *choice_word(const struct choice *c, unsigned int value)
{
	while (c->word && c->value != value)
		c++;
	return c->word;
}

const void *find_named(const struct arena_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		const void *item = (const char *)l->items + i * l->size;

		if (streq(*(const char *const *)item, name))
			return item;
	}
	return NULL;
}

bool parser_is_ipoib(const struct parser *p, const char *name)
{
	return plan_is_ipoib(p->ifnames.items, p->ifnames.n, name);
}

void check_empty(struct parser *p, const struct plan_word *w)
{
	struct slice v = word_value(w), rest = v, item;

	while (slice_next(&rest, ',', &item))
		if (!item.len) {
			complain(p, w, (struct slice){item.s - (item.s > v.s), 1}, DIAG_WARN,
				"leave the comma out, or name what is missing",
				"an empty part of the list; left out");
			return;
		}
}

bool take_list(struct parser *p, struct plan_word *w, const char *effect,
	const char *(*take)(struct parser *p, struct plan_word *w, struct slice item))
{
	struct slice rest = word_value(w), item;
	const char *names = "";

	while (slice_next(&rest, ',', &item)) {
		const char *name = item.len ? take(p, w, item) : NULL;

		if (name)
			names = textf(p, "%s%s %s", names, names[0] ? "," : "", name);
	}
	if (names[0])
		say(p, w, "%s%s", effect, names);
	check_empty(p, w);
	return names[0] != 0;
}
