// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * initagent-timeline: what "initagent timeline" calls for all but one boot's phases: pictures and
 * pages of state files, which may be of many nodes and are not trusted. docs/timeline.md is for
 * users.
 */
#include <getopt.h>
#include <sys/stat.h>

#include "base/io.h"
#include "boots.h"
#include "chart.h"
#include "state/phase_table.h"
#include "state/record.h"
#include "page.h"
#include "report/console.h"

enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 64 };

static const char usage_text[] =
	"initagent timeline                          the phases of this boot\n"
	"initagent timeline FILE|DIR...              of another; of several boots a summary\n"
	"initagent timeline --svg FILE [FILE|DIR...]   a picture of one boot, or of all in one\n"
	"initagent timeline --html FILE [FILE|DIR...]  a page about one boot or many\n"
	"FILE after an option: \"-\" is standard output; a folder means index.html in it, or one "
	"picture for each\n"
	"boot; without other arguments the state files in that folder are read.\n"
	"State files are /run/initagent/state.json of the nodes; a folder means its *.json, \"-\" "
	"standard input.\n"
	"Exit status: 0 done; 1 nothing could be read, or not written; 64 usage error.\n";

struct options {
	const char *svg, *html;
	const char **inputs;
	size_t n;
};

static bool is_folder(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int complain(const char *what, int error)
{
	console_complain(what, strerror(error < 0 ? -error : error));
	return EXIT_FAILED;
}

/* "-" is standard output. */
static int write_file(const char *path, const char *text, size_t len)
{
	int r = streq(path, "-") ? io_write_all(STDOUT_FILENO, text, len)
				 : io_put_file(path, text, len);

	return r < 0 ? complain(path, r) : EXIT_OK;
}

enum work { PAGE, PICTURE };

/* one: the record of a picture, NULL: a picture of all boots. */
static int produce(const char *path, enum work work, const struct boots *b,
	const struct record *one)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (!out)
		return complain(path, errno);
	r = work == PAGE ? page_write(out, b) : one ? chart_boot(out, one, true, 1)
						    : chart_many(out, b);
	if (fclose(out) != 0 || r < 0)
		return complain(path, ENOMEM);
	return write_file(path, text, len);
}

/* What went into a pipe or device is not followed by other words. */
static int said_written(const char *path, size_t n, int status)
{
	struct stat st;

	if (status == EXIT_OK && !streq(path, "-") && stat(path, &st) == 0 &&
		(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		printf("%s: written, %zu boot%s\n", path, n, n == 1 ? "" : "s");
	return status;
}

/* Not in names of files: what shells, URLs or other systems give a meaning. */
static bool is_odd(char c, bool first)
{
	return (unsigned char)c <= ' ' || (unsigned char)c >= 0x7f || strchr("/\\:*?\"<>|", c) ||
		(first && c == '.');
}

/* A node's name as a file's; numbered if it was changed or is not unique. */
static void picture_name(char *buf, size_t size, const struct boots *b, size_t i)
{
	size_t number = 0, n;

	while (number < i && streq(b->list[i - number - 1]->node, b->list[i]->node))
		number++;
	number += number > 0;
	snprintf(buf, size, "%.200s", b->list[i]->node);
	for (char *c = buf; *c; c++)
		if (is_odd(*c, c == buf)) {
			*c = '_';
			number = i + 1;
		}
	n = strlen(buf);
	snprintf(buf + n, size - n, number ? "-%zu.svg" : ".svg", number);
}

/* One picture for each boot, in a folder. */
static int produce_each(const char *dir, const struct boots *b)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < b->n && status == EXIT_OK; i++) {
		_cleanup_free_ char *path = NULL;
		char name[256];

		picture_name(name, sizeof(name), b, i);
		if (asprintf(&path, "%s/%s", dir, name) < 0)
			return complain(dir, ENOMEM);
		status = produce(path, PICTURE, b, b->list[i]);
	}
	return status;
}

static int produce_svg(const char *path, const struct boots *b)
{
	if (is_folder(path))
		return produce_each(path, b);
	return produce(path, PICTURE, b, b->n == 1 ? b->list[0] : NULL);
}

static int produce_html(const char *path, const struct boots *b)
{
	_cleanup_free_ char *index = NULL;

	if (!is_folder(path))
		return produce(path, PAGE, b, NULL);
	if (asprintf(&index, "%s%sindex.html", path, path[strlen(path) - 1] == '/' ? "" : "/") < 0)
		return complain(path, ENOMEM);
	return produce(index, PAGE, b, NULL);
}

static int print_text(const struct boots *b)
{
	struct phase_style style = phase_style_of(STDOUT_FILENO);

	if (b->n == 1 && !b->n_broken)
		phase_table_print(stdout, b->list[0], &style);
	else if (text_report(stdout, b) < 0)
		return complain("report", ENOMEM);
	/* What failed before is dropped from the buffer: flushing the rest may well succeed. */
	return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_OK : complain("report", errno);
}

static int nothing_read(const struct options *o)
{
	bool own = o->n == 1 && streq(o->inputs[0], RECORD_OWN_FILE);

	fprintf(stderr, "initagent: no state file could be read%s\n",
		own ? "; name the state files of other nodes or boots" : "");
	return EXIT_FAILED;
}

static int run(const struct options *o)
{
	_cleanup_(boots_freep) struct boots *b = NULL;
	int r = boots_read(&b, o->inputs, o->n), status = EXIT_OK;

	if (r == -E2BIG)
		fprintf(stderr, "initagent: more than %d state files are too many for one report\n",
			BOOTS_MAX);
	if (r < 0)
		return r == -E2BIG ? EXIT_FAILED : complain("state files", r);
	/* The report in the terminal lists them itself. */
	for (size_t i = 0; i < b->n_broken && (o->svg || o->html || !b->n); i++)
		console_complain(b->broken[i].file, b->broken[i].why);
	if (!b->n)
		return nothing_read(o);
	if (!o->svg && !o->html)
		return print_text(b);
	if (o->svg)
		status = said_written(o->svg, b->n, produce_svg(o->svg, b));
	if (o->html && status == EXIT_OK)
		status = said_written(o->html, b->n, produce_html(o->html, b));
	return status;
}

/* No output goes over a state file: "--html *.json" lacks the output's name. */
static bool is_state_name(const char *path)
{
	return path && str_ends(path, ".json") && !is_folder(path);
}

/* What is read: the arguments; a folder that is written to; this boot. */
static void choose_inputs(struct options *o, char **args, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o->inputs[o->n++] = args[i];
	if (!n && is_folder(o->html))
		o->inputs[o->n++] = o->html;
	if (!n && is_folder(o->svg))
		o->inputs[o->n++] = o->svg;
	if (!o->n)
		o->inputs[o->n++] = RECORD_OWN_FILE;
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"svg", required_argument, NULL, 's'},
		{"html", required_argument, NULL, 'w'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct options o = {0};
	_cleanup_free_ const char **inputs = calloc((size_t)argc + 2, sizeof(*inputs));
	int c;

	o.inputs = inputs;
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (c == 's')
			o.svg = optarg;
		else if (c == 'w')
			o.html = optarg;
		else
			return fputs(usage_text, c == 'h' ? stdout : stderr),
				c == 'h' ? EXIT_OK : EXIT_USAGE;
	}
	if (!inputs)
		return complain("arguments", ENOMEM);
	if (is_state_name(o.svg) || is_state_name(o.html)) {
		console_complain(is_state_name(o.svg) ? o.svg : o.html,
			"is not a name for a picture or page; first the file to write, then what "
			"to read");
		return EXIT_USAGE;
	}
	choose_inputs(&o, argv + optind, (size_t)(argc - optind));
	return run(&o);
}
