// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_report: any bytes as a state file. What is accepted must make a table, pictures and pages
 * whose tags are ours, closed in order, with nothing in them that XML does not allow.
 */
#include "boots.h"
#include "chart.h"
#include "state/phase_table.h"
#include "page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                                                                         \
	do {                                                                               \
		if (!(cond)) {                                                             \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);         \
			abort();                                                           \
		}                                                                          \
	} while (0)

enum { DEPTH_MAX = 32, NAME_MAX_LENGTH = 12 };

/* Tags that have no end. */
static bool is_void(const char *name)
{
	return streq(name, "meta") || streq(name, "!DOCTYPE") || streq(name, "?xml");
}

static bool is_ours(const char *name)
{
	static const char *const names[] = {"!DOCTYPE", "?xml", "a", "body", "caption", "dd",
		"defs", "desc", "details", "div", "dl",
		"dt", "footer", "g", "h1", "h2", "head", "header", "html", "li", "main", "meta",
			"nav", "p", "path", "pattern",
		"rect", "script", "section", "span", "style", "summary", "svg", "table", "tbody",
			"td", "text", "th", "thead",
		"title", "tr", "ul"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (streq(names[i], name))
			return true;
	return false;
}

struct tags {
	char stack[DEPTH_MAX][NAME_MAX_LENGTH];
	size_t n;
};

/* From behind "<" to behind ">": the tag goes onto the stack or from it. */
static const char *take_tag(struct tags *t, const char *s)
{
	bool end = *s == '/', closed;
	char name[NAME_MAX_LENGTH];
	size_t n;

	s += end;
	n = strcspn(s, " />\n");
	MUST(n && n < sizeof(name));
	memcpy(name, s, n);
	name[n] = 0;
	MUST(is_ours(name));
	for (s += n; *s && *s != '>'; s++)
		if (*s == '"') {
			s = strchr(s + 1, '"');
			MUST(s);
		} else {
			MUST(*s != '<' && *s != '\'');
		}
	MUST(*s == '>');
	closed = s[-1] == '/' || is_void(name);
	if (end) {
		MUST(t->n && streq(t->stack[t->n - 1], name));
		t->n--;
	} else if (!closed) {
		MUST(t->n < DEPTH_MAX);
		memcpy(t->stack[t->n++], name, n + 1);
	}
	return s + 1;
}

/* Style and script are ours and hold what they like. */
static const char *skip_raw(struct tags *t, const char *s)
{
	const char *name = t->n ? t->stack[t->n - 1] : "";

	if (streq(name, "style"))
		s = strstr(s, "</style>");
	else if (streq(name, "script"))
		s = strstr(s, "</script>");
	MUST(s);
	return s;
}

static void check_markup(const char *text)
{
	struct tags t = {.n = 0};

	for (const char *s = text; *s;) {
		MUST((unsigned char)*s >= ' ' || *s == '\n' || *s == '\t');
		if (*s != '<') {
			s++;
			continue;
		}
		s = skip_raw(&t, take_tag(&t, s + 1));
	}
	MUST(t.n == 0);
}

static void check(int (*draw)(FILE *out, const struct boots *b), const struct boots *b, bool markup)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	MUST(out && draw(out, b) == 0 && fclose(out) == 0);
	MUST(strlen(text) == len);
	for (size_t i = 0; !markup && i < len; i++)
		MUST(text[i] == '\n' || ((unsigned char)text[i] >= ' ' &&
			(unsigned char)text[i] < 0x7f));
	if (markup)
		check_markup(text);
}

static int draw_boot(FILE *out, const struct boots *b)
{
	return chart_boot(out, b->list[0], true, 1);
}

static int draw_table(FILE *out, const struct boots *b)
{
	const struct phase_style style = {80, false};

	phase_table_print(out, b->list[0], &style);
	return 0;
}

/* The same boot so many times: pages of one and of several differ. */
static struct boots *copies(const uint8_t *data, size_t size, size_t n)
{
	struct record **list = calloc(n, sizeof(*list));
	struct boots *b = NULL;

	MUST(list);
	for (size_t i = 0; i < n; i++)
		if (record_parse(&list[i], "file", "node", (const char *)data, size) != RECORD_OK) {
			MUST(i == 0);
			free(list);
			return NULL;
		}
	MUST(boots_of(&b, list, n) == 0);
	return b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(boots_freep) struct boots *one = copies(data, size, 1), *two = NULL;

	if (!one)
		return 0;
	two = copies(data, size, 2);
	check(draw_table, one, false);
	check(draw_boot, one, true);
	check(page_write, one, true);
	check(text_report, two, false);
	check(chart_many, two, true);
	check(page_write, two, true);
	return 0;
}
