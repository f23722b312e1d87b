/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_rows: the rows of the files in rows/: "input -> exact output", one test case
 * each. A file's first line says what is shown of the input:
 *
 *	! split		the words as the kernel makes them
 *	! plan		the plan, as far as it differs from an empty line's, then the remarks
 *	! part		the same for a line without root=, which is not remarked upon
 *	! lint		the report of "initagent lint", and its exit status
 *
 * "> TEXT" is the input (\xNN, \n, \t, \\ as in C), the lines up to the next one the output; lines
 * with '#' are comments. After a deliberate change of the words, look at what is new with
 *
 *	ROWS_RENDER=kernel-cmdline/rows/FILE build/host/kernel-cmdline/test_rows | diff FILE -
 */
#include "check.h"
#include "lint.h"
#include "plan.h"
#include "print.h"
#include "words.h"

#define ROWS_MAX 2048

static const char *const files[] = {
	"split.txt", "drivers.txt", "ip.txt", "net.txt", "ib.txt", "root.txt", "policy.txt",
	"owners.txt", "lint.txt", "image.txt", "block.txt", "report.txt",
	"wwinit.txt", "pull.txt",
};

struct row {
	const char *file;
	enum { SPLIT, PLAN, PART, LINT } mode;
	char *input;
	size_t len;
	char *want;
};

static struct row rows[ROWS_MAX];
static struct check_case cases[ROWS_MAX];
static size_t n_rows;

/* --- showing ------------------------------------------------------------------------------ */

static void put_slice(FILE *out, struct slice s)
{
	fputc('[', out);
	put_escaped(out, s.s, s.len);
	fputc(']', out);
}

static void render_split(const struct row *row, FILE *out)
{
	struct word_cursor c;
	struct raw_word w;

	word_cursor_init(&c, row->input, row->len);
	while (word_next(&c, &w)) {
		put_slice(out, w.name);
		if (w.value.s) {
			fputc('=', out);
			put_slice(out, w.value);
		}
		fprintf(out, " at %zu+%zu%s\n", w.pos, w.len,
			w.open_quote ? " quote left open" : "");
	}
}

static void render_plan(const struct row *row, FILE *out)
{
	_cleanup_(diag_list_freep) struct diag_list *diags = NULL;
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;

	CHECK_INT(diag_list_new(&diags), 0);
	CHECK_INT(plan_parse(&plan, row->input, row->len, diags), 0);
	plan->fatal &= row->mode == PLAN;
	CHECK_INT(plan_dump(plan, out, false), 0);
	for (size_t i = 0; i < diag_list_count(diags); i++) {
		const struct diag *d = diag_list_at(diags, i);

		if (row->mode == PART && !d->option && streq(d->text, "no root="))
			continue;
		fprintf(out, "%s", diag_severity_name(d->severity));
		if (d->option)
			fprintf(out, " %zu+%zu", d->pos + 1, d->len);
		fputs(": ", out);
		put_escaped(out, d->text, strlen(d->text));
		if (d->remedy) {
			fputs(" -> ", out);
			put_escaped(out, d->remedy, strlen(d->remedy));
		}
		fputc('\n', out);
	}
}

static void render_lint(const struct row *row, FILE *out)
{
	fprintf(out, "exit %d\n", cmdline_lint(row->input, row->len, out, 0));
}

static char *render(const struct row *row)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	CHECK(out);
	if (row->mode == SPLIT)
		render_split(row, out);
	else if (row->mode == LINT)
		render_lint(row, out);
	else
		render_plan(row, out);
	fclose(out);
	return text;
}

static void run_row(size_t i)
{
	_cleanup_free_ char *got = render(&rows[i]);

	CHECK_STR(got, rows[i].want);
	free(rows[i].want);
	free(rows[i].input);
}

/* --- reading ------------------------------------------------------------------------------ */

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes C escapes out, in place. Returns the new length. */
static size_t unescape(char *s)
{
	char *from = s, *to = s;

	while (*from) {
		if (from[0] != '\\' || !from[1]) {
			*to++ = *from++;
		} else if (from[1] == 'x' && hex(from[2]) >= 0 && hex(from[3]) >= 0) {
			*to++ = (char)(hex(from[2]) * 16 + hex(from[3]));
			from += 4;
		} else {
			*to++ = from[1] == 'n' ? '\n' : from[1] == 't' ? '\t' : from[1];
			from += 2;
		}
	}
	*to = 0;
	return (size_t)(to - s);
}

/* The "! MODE" line. */
static int read_mode(const char *line)
{
	static const char *const modes[] = {[SPLIT] = "! split\n",
		[PLAN] = "! plan\n",
		[PART] = "! part\n",
		[LINT] = "! lint\n"};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (streq(line, modes[i]))
			return (int)i;
	abort();
}

static char *append(char *text, const char *line)
{
	size_t n = text ? strlen(text) : 0, more = strlen(line);

	text = realloc(text, n + more + 1);
	if (!text)
		abort();
	memcpy(text + n, line, more + 1);
	return text;
}

static void add_row(const char *file, int mode, char *line, int number)
{
	struct row *row = &rows[n_rows];
	char name[120];

	if (n_rows == ROWS_MAX)
		abort();
	line[strcspn(line, "\n")] = 0;
	snprintf(name, sizeof(name), "%s:%d %.60s", file, number, line);
	row->file = file;
	row->mode = (unsigned int)mode;
	row->input = strdup(line);
	row->len = unescape(row->input);
	row->want = append(NULL, "");
	cases[n_rows] =
		(struct check_case){.name = strdup(name), .run_row = run_row, .row = n_rows};
	n_rows++;
}

static FILE *open_rows(const char *file)
{
	char path[512];
	FILE *f;

	/* beside this source, from the top of the tree */
	snprintf(path, sizeof(path), "%.*srows/%s", (int)(strrchr(__FILE__, '/') + 1 - __FILE__),
		__FILE__, file);
	f = fopen(path, "re");
	if (f)
		return f;
	fprintf(stderr, "%s: %m\n", path);
	exit(2);
}

static void read_file(const char *file)
{
	_cleanup_fclose_ FILE *f = open_rows(file);
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int number = 0, mode = 0;

	while (getline(&line, &size, f) >= 0) {
		number++;
		if (strncmp(line, "! ", 2) == 0)
			mode = read_mode(line);
		else if (strncmp(line, "> ", 2) == 0 || streq(line, ">\n"))
			add_row(file, mode, line + (line[1] == ' ' ? 2 : 1), number);
		else if (line[0] != '#' && line[0] != '\n' && n_rows)
			rows[n_rows - 1].want = append(rows[n_rows - 1].want, line);
	}
}

/* Writes a file anew with what the inputs give now; comments stay. */
static void render_file(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int mode = 0;

	while (f && getline(&line, &size, f) >= 0) {
		struct row row = {.mode = (unsigned int)mode};
		char *want;

		if (strchr("!#\n", line[0]))
			fputs(line, stdout);
		if (line[0] == '!')
			mode = read_mode(line);
		if (line[0] != '>')
			continue;
		fputs(line, stdout);
		line[strcspn(line, "\n")] = 0;
		row.input = line + (line[1] == ' ' ? 2 : 1);
		row.len = unescape(row.input);
		want = render(&row);
		fputs(want, stdout);
		free(want);
	}
	fflush(stdout);
	_exit(0);
}

const struct check_case *check_rows(size_t *n)
{
	if (getenv("ROWS_RENDER"))
		render_file(getenv("ROWS_RENDER"));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		read_file(files[i]);
	*n = n_rows;
	return cases;
}

/* The rows above mean little if a file was not read. */
TEST(enough_rows)
{
	CHECK(n_rows >= 1100);
}
