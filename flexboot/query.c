// SPDX-License-Identifier: GPL-2.0-or-later
#include "flexboot/query.h"

#include <ctype.h>
#include <stdarg.h>
#include <strings.h>

#include <cjson/cJSON.h>

/* One line, cut into words; more words than columns can have are only counted. */
struct line {
	char *text; /* what the words point into */
	const char *word[8];
	size_t n;
};

/* Which column of the table is which; set by the header line. */
struct layout {
	enum query_column column[4];
	size_t n; /* 0: no table begun */
};

static int _printf_(3, 4) fail_query(struct query *q, size_t line, const char *fmt, ...)
{
	va_list ap;

	q->line = line;
	va_start(ap, fmt);
	vsnprintf(q->fault, sizeof(q->fault), fmt, ap);
	va_end(ap);
	return -EBADMSG;
}

void query_value_read(struct query_value *v, const char *text)
{
	const char *paren = strrchr(text, '(');
	const char *start = paren ? paren + 1 : text;
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)*start))
		return;
	errno = 0;
	value = strtoull(start, &end, 0);
	if (errno || value > UINT32_MAX || (paren ? !streq(end, ")") : *end))
		return;
	v->known = true;
	v->number = (uint32_t)value;
}

static int split(struct query *q, size_t number, const char *text, size_t size, struct line *line)
{
	char *save = NULL;

	if (memchr(text, 0, size))
		return fail_query(q, number, "a zero byte: not a text file");
	line->text = strndup(text, size);
	if (!line->text)
		return fail_query(q, number, "out of memory");
	for (char *w = strtok_r(line->text, " \t\n\v\f\r", &save);
		w && line->n <= ARRAY_SIZE(line->word); w = strtok_r(NULL, " \t\n\v\f\r", &save)) {
		if (line->n < ARRAY_SIZE(line->word))
			line->word[line->n] = w;
		line->n++;
	}
	return 0;
}

/* "Configurations:  [Default] [Current] [Next Boot] [New]" */
static int read_header(struct query *q, size_t number, const struct line *line, struct layout *l)
{
	static const struct {
		const char *word;
		enum query_column column;
	} words[] = {{"Default", QUERY_DEFAULT}, {"Current", QUERY_CURRENT}, {"Next", QUERY_NEXT}};

	l->n = 0;
	for (size_t i = 1; i < line->n && i < ARRAY_SIZE(line->word); i++)
		for (size_t k = 0; k < ARRAY_SIZE(words); k++)
			if (streq(line->word[i], words[k].word) && l->n < ARRAY_SIZE(l->column))
				l->column[l->n++] = words[k].column;
	if (l->n == 0)
		return fail_query(q, number, "the header has no known column");
	if (q->n_devices == 0)
		q->n_devices = 1; /* an excerpt that begins with the table */
	return 0;
}

static void join(const struct line *line, size_t from, char *dst, size_t size)
{
	size_t used = 0;

	dst[0] = 0;
	for (size_t i = from; i < line->n && i < ARRAY_SIZE(line->word); i++)
		used += (size_t)snprintf(dst + min_u64(used, size - 1),
			size - min_u64(used, size - 1), "%s%s", used ? " " : "", line->word[i]);
}

/* read_device: "Device #1:", "Device type: X", "Device: X", "PCI device: X". */
static int read_device(struct query *q, size_t number, const struct line *line, struct layout *l)
{
	struct query_device *d = q->n_devices ? &q->devices[q->n_devices - 1] : NULL;

	if (line->n == 2 && streq(line->word[0], "Device") && line->word[1][0] == '#') {
		if (q->n_devices == QUERY_DEVICES_MAX)
			return fail_query(q, number, "more than %d devices", QUERY_DEVICES_MAX);
		q->n_devices++;
		l->n = 0;
	} else if (d && streq(line->word[0], "Device") && streq(line->word[1], "type:")) {
		join(line, 2, d->type, sizeof(d->type));
	} else if (d && streq(line->word[0], "Device:")) {
		join(line, 1, d->name, sizeof(d->name));
	} else if (d && streq(line->word[0], "PCI") && streq(line->word[1], "device:")) {
		join(line, 2, d->name, sizeof(d->name));
	}
	return 0;
}

static bool name_like(const char *text)
{
	size_t n = strspn(text, ALNUM "_");

	return n >= 2 && isalpha((unsigned char)text[0]) && (text[n] == 0 || text[n] == '[');
}

/* read_row: "[*][RO] NAME VALUE..."; a row of another shape (text values, notes) is not ours. */
static int read_row(struct query *q, size_t number, const struct line *line, const struct layout *l)
{
	size_t at = 0;
	struct query_item read = {.device = q->n_devices - 1};

	if (streq(line->word[at], "*"))
		at++;
	while (at < line->n && at < 3 &&
		(streq(line->word[at], "RO") || streq(line->word[at], "*RO"))) {
		read.read_only = true;
		at++;
	}
	if (line->n > ARRAY_SIZE(line->word) || line->n - at != l->n + 1 ||
		!name_like(line->word[at]))
		return 0;
	if (q->n_items == QUERY_ITEMS_MAX)
		return fail_query(q, number, "more than %d settings", QUERY_ITEMS_MAX);
	strscpy(read.name, line->word[at], sizeof(read.name));
	for (size_t i = 0; i < l->n; i++)
		query_value_read(&read.value[l->column[i]], line->word[at + 1 + i]);
	q->items[q->n_items++] = read;
	return 0;
}

static int read_words(struct query *q, size_t number, const struct line *line, struct layout *l)
{
	if (line->n < 2)
		return 0;
	if (streq(line->word[0], "Configurations:"))
		return read_header(q, number, line, l);
	if (streq(line->word[0], "Device") || streq(line->word[0], "Device:") ||
		streq(line->word[0], "PCI"))
		return read_device(q, number, line, l);
	return l->n ? read_row(q, number, line, l) : 0;
}

static int read_text(struct query *q, const char *text, size_t size)
{
	struct layout layout = {.n = 0};
	size_t at = 0;

	for (size_t number = 1; at < size; number++) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t n = end ? (size_t)(end - text) - at : size - at;
		struct line line = {.n = 0};
		int r = split(q, number, text + at, n, &line);

		if (r == 0)
			r = read_words(q, number, &line, &layout);
		free(line.text);
		if (r < 0)
			return r;
		at += n + 1;
	}
	return 0;
}

/*
 * What follows reads the JSON of "mstconfig -j FILE query": {"Device #1": {"device": ...,
 * "tlv_configuration":
 * {"LINK_TYPE_P1": {"read_only": false, "next_value": "IB(1)", "current_value": ...}}}}.
 */
/* A value is a string "IB(1)", a number, or a string of a number. */
static void read_json_value(struct query_value *v, const cJSON *o)
{
	if (cJSON_IsString(o)) {
		query_value_read(v, o->valuestring);
	} else if (cJSON_IsNumber(o) && o->valuedouble >= 0 && o->valuedouble <= UINT32_MAX) {
		v->known = true;
		v->number = (uint32_t)o->valuedouble;
	}
}

static int read_json_items(struct query *q, const cJSON *table)
{
	static const char *const keys[QUERY_COLUMNS] = {
		"default_value", "current_value", "next_value"};
	const cJSON *o;

	cJSON_ArrayForEach(o, table)
	{
		struct query_item *item = &q->items[q->n_items];

		if (!cJSON_IsObject(o) || !o->string)
			continue;
		if (q->n_items == QUERY_ITEMS_MAX)
			return fail_query(q, 0, "more than %d settings", QUERY_ITEMS_MAX);
		q->n_items++;
		*item = (struct query_item){.device = q->n_devices - 1};
		strscpy(item->name, o->string, sizeof(item->name));
		item->read_only = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "read_only"));
		for (size_t i = 0; i < QUERY_COLUMNS; i++)
			read_json_value(
				&item->value[i], cJSON_GetObjectItemCaseSensitive(o, keys[i]));
	}
	return 0;
}

static void copy_string(const cJSON *o, const char *key, char *dst, size_t size)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	if (text)
		strscpy(dst, text, size);
}

static int read_json(struct query *q, const char *text, size_t size)
{
	cJSON *top = cJSON_ParseWithLength(text, size);
	const cJSON *o;
	int r = 0;

	if (!top)
		return fail_query(q, 0, "begins like JSON but is not valid JSON");
	cJSON_ArrayForEach(o, top)
	{
		const cJSON *table = cJSON_GetObjectItem(o, "tlv_configuration");

		if (r < 0 || !cJSON_IsObject(table))
			continue;
		if (q->n_devices == QUERY_DEVICES_MAX) {
			r = fail_query(q, 0, "more than %d devices", QUERY_DEVICES_MAX);
			continue;
		}
		q->n_devices++;
		copy_string(o, "device", q->devices[q->n_devices - 1].name,
			sizeof(q->devices[0].name));
		copy_string(o, "device_type", q->devices[q->n_devices - 1].type,
			sizeof(q->devices[0].type));
		r = read_json_items(q, table);
	}
	cJSON_Delete(top);
	return r;
}

int query_read(struct query *q, const char *text, size_t size)
{
	size_t start = 0;
	int r;

	memset(q, 0, sizeof(*q));
	if (size > QUERY_SIZE_MAX)
		return fail_query(q, 0, "more than 4 MiB: not the output of mstconfig query");
	while (start < size && isspace((unsigned char)text[start]))
		start++;
	if (start < size && text[start] == '{')
		r = read_json(q, text, size);
	else
		r = read_text(q, text, size);
	if (r == 0 && q->n_items == 0)
		r = fail_query(
			q, 0, "no table of settings (a line that begins with Configurations:)");
	return r;
}

const struct query_item *query_find(const struct query *q, size_t device, const char *name)
{
	for (size_t i = 0; i < q->n_items; i++)
		if (q->items[i].device == device && strcasecmp(q->items[i].name, name) == 0)
			return &q->items[i];
	return NULL;
}
