// SPDX-License-Identifier: GPL-2.0-or-later
#include "site/fields.h"

#define KEYS_MAX 32

void report_value(struct loader *l, const struct value *v, const char *remedy, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = must(arena_vprintf(l->site->arena, fmt, ap));
	va_end(ap);
	error_at(
		l->report, v->at, remedy, "%s%s%s", v->key ? v->key : "", v->key ? ": " : "", text);
}

bool is_kind(struct loader *l, const struct value *v, enum value_kind kind)
{
	static const char *const names[] = {"a text", "a list", "a map"};
	static const char *const how[] = {"KEY: TEXT", "KEY: [A, B], or a line \"- A\" for each",
		"KEY: and below it, indented, NAME: VALUE lines"};

	if (v->kind == kind)
		return true;
	report_value(l, v, how[kind], "expected %s, found %s", names[kind],
		v->null ? "nothing" : names[v->kind]);
	return false;
}

char *nearest_remedy(const char *word, const char *const *words, size_t n)
{
	const char *near = names_nearest(word, words, n);
	char *remedy = NULL;
	size_t len;
	FILE *f = must(open_memstream(&remedy, &len));

	if (near)
		fprintf(f, "did you mean %s?", near);
	for (size_t i = 0; !near && i < n; i++)
		fprintf(f, "%s%s", i ? ", " : "one of: ", words[i]);
	fclose(f);
	return remedy;
}

static size_t field_of(const char *key, const struct field *fields, size_t n)
{
	size_t i = 0;

	while (i < n && !streq(fields[i].key, key))
		i++;
	return i;
}

static void unknown_key(struct loader *l, const struct value *v, const char *what,
	const struct field *fields, size_t n)
{
	_cleanup_free_ char *remedy = NULL;
	const char *keys[KEYS_MAX];
	size_t i;

	for (i = 0; i < n && i < KEYS_MAX; i++)
		keys[i] = fields[i].key;
	remedy = nearest_remedy(v->key, keys, i);
	error_at(l->report, v->key_at, remedy, "%s has no key %s", what, v->key);
}

/*
 * take_misspelled: the values of unknown keys for the keys that were meant. One slip is one fault:
 * without them each node would lack something as well.
 */
static void take_misspelled(struct loader *l, const struct value *v, const struct field *fields,
	size_t n, bool *seen, void *object)
{
	_cleanup_(faults_freep) struct faults *unused = faults_new();
	struct faults *report = l->report;
	const char *keys[KEYS_MAX], *near;

	for (size_t i = 0; i < n; i++)
		keys[i] = fields[i].key;
	l->report = unused;
	for (const struct value *e = v->items; e; e = e->next) {
		size_t i = field_of(e->key, fields, n);

		near = i == n ? names_nearest(e->key, keys, n) : NULL;
		i = near ? field_of(near, fields, n) : n;
		if (i == n || seen[i])
			continue;
		seen[i] = true;
		fields[i].take(l, e, (char *)object + fields[i].offset);
	}
	l->report = report;
}

void take_fields(struct loader *l, const struct value *v, const char *what,
	const struct field *fields, size_t n, void *object)
{
	bool seen[KEYS_MAX] = {false}, unknown = false;
	const struct value *e;
	size_t i;

	if (!is_kind(l, v, VALUE_MAP))
		return;
	for (e = v->items; e; e = e->next) {
		i = field_of(e->key, fields, n);
		if (i == n) {
			unknown_key(l, e, what, fields, n);
			unknown = true;
			continue;
		}
		seen[i] = true;
		fields[i].take(l, e, (char *)object + fields[i].offset);
	}
	if (unknown)
		take_misspelled(l, v, fields, n, seen, object);
	for (i = 0; i < n; i++)
		if (fields[i].required && !seen[i])
			error_at(l->report, v->key ? v->key_at : v->at, NULL, "%s lacks %s:", what,
				fields[i].key);
}

const struct value *items_of(struct loader *l, const struct value *v, size_t *n)
{
	*n = 1;
	if (v->kind == VALUE_TEXT)
		return v;
	*n = 0;
	if (!is_kind(l, v, VALUE_LIST))
		return NULL;
	*n = v->n;
	return v->items;
}

bool is_name(const char *s)
{
	size_t len = strspn(s, ALNUM "._-");

	return len > 0 && len <= 63 && !s[len] && !strchr("._-", s[0]);
}

void take_text(struct loader *l, const struct value *v, void *member)
{
	struct said *said = member;
	const char *s;

	said->at = v->at;
	if (!is_kind(l, v, VALUE_TEXT))
		return;
	for (s = v->text; *s; s++)
		if ((unsigned char)*s < ' ' || (unsigned char)*s >= 0x7f) {
			report_value(l, v, "only printable ASCII reaches boot loaders unchanged",
				"holds byte %02x", (unsigned char)*s);
			return;
		}
	said->text = v->text;
}

/* Takes a text if it passes, else reports what is valid. */
static void take_if(
	struct loader *l, const struct value *v, void *member, bool passes, const char *wanted)
{
	if (!passes)
		report_value(l, v, wanted, "%s is not valid here", v->text);
	else
		take_text(l, v, member);
}

void take_name(struct loader *l, const struct value *v, void *member)
{
	if (is_kind(l, v, VALUE_TEXT))
		take_if(l, v, member, is_name(v->text),
			"letters, digits, '.', '_' and '-', at most 63");
}

void take_domain(struct loader *l, const struct value *v, void *member)
{
	if (is_kind(l, v, VALUE_TEXT))
		take_if(l, v, member, value_hostname(v->text, strlen(v->text)),
			"a domain name such as cluster.example");
}

void take_ifname(struct loader *l, const struct value *v, void *member)
{
	if (is_kind(l, v, VALUE_TEXT))
		take_if(l, v, member, value_ifname(v->text, strlen(v->text)),
			"an interface of the DHCP server, such as ib0");
}

/* What is copied keeps its name in URLs and configurations, so it must need no quoting there. */
static bool plain_path(const char *s)
{
	size_t len = strspn(s, ALNUM "._-/+:@,=~");

	return len > 0 && !s[len] && len < 1024;
}

void take_path(struct loader *l, const struct value *v, void *member)
{
	((struct said *)member)->at = v->at;
	if (is_kind(l, v, VALUE_TEXT))
		take_if(l, v, member, plain_path(v->text),
			"a file's path without spaces or quotes");
}

void take_tree(struct loader *l, const struct value *v, void *member)
{
	if (is_kind(l, v, VALUE_TEXT))
		take_if(l, v, member, plain_path(v->text) && v->text[0] == '/' && v->text[1],
			"an absolute path such as /srv/initagent");
}

void take_signing(struct loader *l, const struct value *v, void *member)
{
	if (is_kind(l, v, VALUE_TEXT))
		take_if(l, v, member,
			streq(v->text, "off") || streq(v->text, "try") || streq(v->text, "require"),
			"off, try (verify where iPXE can) or require");
}

void take_key_letter(struct loader *l, const struct value *v, void *member)
{
	if (is_kind(l, v, VALUE_TEXT))
		take_if(l, v, member,
			strlen(v->text) == 1 && v->text[0] >= 'a' && v->text[0] <= 'z',
			"one letter from a to z");
}

static void push_said(
	struct loader *l, struct arena_list *list, const char *s, size_t len, struct place at)
{
	struct said *item = must(arena_push(l->site->arena, list, sizeof(*item)));

	*item = (struct said){must(arena_text(l->site->arena, s, len)), at};
}

/* Words are cut at spaces, as the kernel does, but not inside of double quotes. */
static void cut_words(struct loader *l, struct arena_list *list, const struct said *text)
{
	const char *s = text->text, *end;
	bool quoted;

	for (; *s; s = end) {
		s += strspn(s, " ");
		quoted = false;
		for (end = s; *end && (quoted || *end != ' '); end++)
			quoted ^= *end == '"';
		if (end > s)
			push_said(l, list, s, (size_t)(end - s), text->at);
	}
}

/* take_each: each text of a list, or the one text, that take accepts is added. */
static void take_each(struct loader *l, const struct value *v, struct said_list *ret, taker take,
	void (*add)(struct loader *l, struct arena_list *list, const struct said *text))
{
	struct arena_list list = {0};
	const struct value *e;
	size_t n;

	for (e = items_of(l, v, &n); n-- > 0; e = e->next) {
		struct said text = {0};

		take(l, e, &text);
		if (text.text)
			add(l, &list, &text);
	}
	*ret = (struct said_list){list.items, list.n};
}

void take_words(struct loader *l, const struct value *v, void *member)
{
	take_each(l, v, member, take_text, cut_words);
}

static void add_path(struct loader *l, struct arena_list *list, const struct said *text)
{
	push_said(l, list, text->text, strlen(text->text), text->at);
}

void take_paths(struct loader *l, const struct value *v, void *member)
{
	take_each(l, v, member, take_path, add_path);
}

void take_reference(struct loader *l, const struct value *v, void *member)
{
	struct reference *ref = member;

	ref->index = SITE_NONE;
	ref->name.at = v->at;
	take_name(l, v, &ref->name);
}

void take_references(struct loader *l, const struct value *v, void *member)
{
	struct reference_list *out = member;
	struct arena_list list = {0};
	const struct value *e;
	size_t n;

	for (e = items_of(l, v, &n); n-- > 0; e = e->next) {
		struct reference ref = {0}, *item;

		take_reference(l, e, &ref);
		if (!ref.name.text)
			continue;
		item = must(arena_push(l->site->arena, &list, sizeof(*item)));
		*item = ref;
	}
	*out = (struct reference_list){list.items, list.n};
}

void take_addr(struct loader *l, const struct value *v, void *member)
{
	struct inet_addr a;

	if (!is_kind(l, v, VALUE_TEXT))
		return;
	if (value_ipv4(v->text, strlen(v->text), &a) < 0) {
		report_value(l, v,
			"four numbers from 0 to 255 without leading zeros, such as 10.20.0.11",
			"%s is not an IPv4 address", v->text);
		return;
	}
	if (!inet_is_host(&a)) {
		report_value(l, v, "the address of one host, such as 10.20.0.11",
			"no host can have the address %s", v->text);
		return;
	}
	*(struct said_addr *)member = (struct said_addr){ntohl(a.v4.s_addr), v->at};
}

static void take_up_to(
	struct loader *l, const struct value *v, uint32_t least, uint32_t most, void *member)
{
	uint32_t number = 0;

	if (!is_kind(l, v, VALUE_TEXT))
		return;
	if (value_u32(v->text, strlen(v->text), most, &number) == 0 && number >= least) {
		*(struct said_number *)member = (struct said_number){number, v->at};
		return;
	}
	report_value(l, v,
		must(arena_printf(l->site->arena, "a number from %u to %u", least, most)),
		"%s is not valid here", v->text);
}

void take_number(struct loader *l, const struct value *v, void *member)
{
	/* A day in seconds: longer than any wait of a boot; iPXE's milliseconds do not overflow. */
	take_up_to(l, v, 0, 86400, member);
}

void take_port_number(struct loader *l, const struct value *v, void *member)
{
	take_up_to(l, v, 1, 65535, member);
}
