// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * initagent-site: generates iPXE scripts and the configuration of DHCP and web servers from one
 * file that describes a site's nodes. User documentation: docs/site-file.md.
 */
#include <getopt.h>
#include <libgen.h>
#include <sys/stat.h>

#include "base/io.h"
#include "site/document.h"
#include "site/import.h"
#include "must.h"
#include "site/site.h"
#include "site/tree.h"

enum exit_code { EXIT_OK = 0, EXIT_DIFFERS = 1, EXIT_USAGE = 2, EXIT_FAILED = 3 };

struct options {
	const char *file;
	bool strict, no_files;
};

/* Everything a command works on. */
struct session {
	struct options opt;
	struct faults *report;
	struct site *site;
};

static const char default_file[] = "site.yaml";

static const char usage_text[] =
	"initagent-site [OPTION]... check         what is wrong with the site file\n"
	"initagent-site [OPTION]... render DIR    writes scripts and server configurations\n"
	"initagent-site [OPTION]... diff DIR      what render would change there\n"
	"initagent-site [OPTION]... explain NODE  what the node will do, by stages. NODE: its\n"
	"                                         name, or the GUID, MAC or IPv4 address of a\n"
	"                                         port, also of one that is not in the file\n"
	"initagent-site [OPTION]... import warewulf|xcat [FILE]\n"
	"                                         prints a site file for the nodes listed by\n"
	"                                         'wwctl node export' or 'lsdef -a -z'\n"
	"  -f, --file FILE   the site file (site.yaml)\n"
	"  -s, --strict      warnings count as errors\n"
	"  -n, --no-files    do not check that the named files exist (check, explain)\n"
	"Exit status: 0 good; 1 errors in the site file or the list, or differences; 2 usage;\n"
	"3 failed.\n";

static int usage(FILE *out)
{
	fputs(usage_text, out);
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

/* The usage is long: what is wrong would scroll away above it. */
static int misused(const char *word, const char *why)
{
	fprintf(stderr, "initagent-site: %s: %s; see --help\n", word, why);
	return EXIT_USAGE;
}

/* The bytes of a file; "-" is standard input. False: said. */
static bool read_file(const char *file, void **text, size_t *len)
{
	int r = io_read_file(file, DOCUMENT_BYTES_MAX, text, len);

	if (r == -EFBIG)
		*len = DOCUMENT_BYTES_MAX + 1; /* which document_parse() reports */
	else if (r < 0)
		fprintf(stderr, "initagent-site: %s: %s\n", file, strerror(-r));
	return r >= 0 || r == -EFBIG;
}

static int load(struct session *x, bool files)
{
	_cleanup_free_ char *copy = NULL;
	_cleanup_free_ void *text = NULL;
	const char *dir;
	size_t len = 0;

	if (!read_file(x->opt.file, &text, &len)) {
		if (x->opt.file == default_file)
			fputs("-f names the site file; docs/site-file.md has an example\n", stderr);
		return EXIT_FAILED;
	}
	copy = must(strdup(x->opt.file));
	dir = strchr(copy, '/') ? dirname(copy) : "";
	x->report = faults_new();
	x->site = site_read(text, len, dir, x->report);
	site_check(x->site, x->report, files);
	return EXIT_OK;
}

static int verdict(const struct session *x)
{
	size_t bad = faults_total(x->report, SEVERITY_ERROR);

	if (x->opt.strict)
		bad += faults_total(x->report, SEVERITY_WARNING);
	return bad ? EXIT_DIFFERS : EXIT_OK;
}

/* Loads for a command that needs a site file without errors; warnings are only shown. */
static int load_good(struct session *x, bool files)
{
	int r = load(x, files);

	if (r)
		return r;
	faults_print(x->report, x->opt.file, SEVERITY_WARNING, stderr);
	return verdict(x);
}

static int do_check(struct session *x, char **arguments)
{
	int r = load(x, !x->opt.no_files);

	(void)arguments;
	if (r)
		return r;
	faults_print(x->report, x->opt.file, SEVERITY_NOTE, stdout);
	r = verdict(x);
	if (r == EXIT_OK)
		printf("%s: good: nodes %zu, groups %zu, images %zu, networks %zu, servers %zu\n",
			x->opt.file, x->site->n_nodes, x->site->n_groups, x->site->n_images,
			x->site->n_networks, x->site->n_servers);
	return r;
}

/* Renders into dir or compares with it. Returns an exit code. */
static int render_tree(struct session *x, const char *dir, enum tree_mode mode)
{
	_cleanup_(tree_freep) struct tree *t = NULL;
	int r = load_good(x, true);

	if (r)
		return r;
	if (tree_begin(&t, dir, mode, stdout, stderr) < 0)
		return EXIT_FAILED;
	render(x->site, t);
	r = tree_end(t);
	if (r == 0 && mode == TREE_WRITE)
		printf("%s: files %zu, nodes %zu\n", dir, tree_count(t), x->site->n_nodes);
	return r < 0 ? EXIT_FAILED : r ? EXIT_DIFFERS : EXIT_OK;
}

static int do_render(struct session *x, char **arguments)
{
	return render_tree(x, arguments[0], TREE_WRITE);
}

static int do_diff(struct session *x, char **arguments)
{
	return render_tree(x, arguments[0], TREE_COMPARE);
}

static int do_explain(struct session *x, char **arguments)
{
	const char *name = arguments[0];
	struct site_found found;
	int r = load_good(x, !x->opt.no_files);

	if (r)
		return r;
	if (!site_find(x->site, name, &found)) {
		if (explain_address(x->site, name, stdout))
			return EXIT_OK;
		fprintf(stderr,
			"initagent-site: %s: no such node: %s, nor a GUID, MAC or address of a "
			"port\n",
			x->opt.file, name);
		return EXIT_DIFFERS;
	}
	return explain(x->site, &found, stdout) < 0 ? EXIT_FAILED : EXIT_OK;
}

static int do_import(struct session *x, char **arguments)
{
	const char *file = arguments[1] ? arguments[1] : "-";
	_cleanup_text_ struct text out = {0};
	_cleanup_free_ void *text = NULL;
	size_t len = 0;
	int r;

	if (!read_file(file, &text, &len))
		return EXIT_FAILED;
	x->report = faults_new();
	if (!import_run(arguments[0], text, len, x->report, &out))
		return misused(arguments[0], "nothing is imported from that");
	faults_print(x->report, file, SEVERITY_NOTE, stderr);
	r = verdict(x);
	if (r == EXIT_OK)
		fputs(out.data, stdout);
	return r;
}

static const struct command {
	const char *name;
	int least, most; /* arguments; what is not given is NULL */
	int (*run)(struct session *x, char **arguments);
} commands[] = {
	{"check", 0, 0, do_check},
	{"render", 1, 1, do_render},
	{"diff", 1, 1, do_diff},
	{"explain", 1, 1, do_explain},
	{"import", 1, 2, do_import},
};

/* A full disk or broken pipe: the exit status says that the output is incomplete. */
static int finish_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "initagent-site: standard output: %s\n", strerror(errno));
	return EXIT_FAILED;
}

static int run(struct session *x, int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands) && argc; i++)
		if (streq(argv[0], commands[i].name))
			return argc > commands[i].least && argc <= commands[i].most + 1
				       ? commands[i].run(x, argv + 1)
				       : misused(argv[0], "not so many arguments, or too few");
	return argc ? misused(argv[0], "no such command") : usage(stderr);
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{"file", required_argument, NULL, 'f'},
		{"strict", no_argument, NULL, 's'},
		{"no-files", no_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{0},
	};
	struct session x = {.opt.file = default_file};
	int c, r;

	/* Independent of the caller's umask: web servers read what is rendered. */
	umask(022);
	while ((c = getopt_long(argc, argv, "f:snhV", long_options, NULL)) != -1) {
		if (c == 'f')
			x.opt.file = optarg;
		else if (c == 's')
			x.opt.strict = true;
		else if (c == 'n')
			x.opt.no_files = true;
		else if (c == 'V')
			return puts("initagent-site " INITAGENT_VERSION) < 0;
		else
			return usage(c == 'h' ? stdout : stderr);
	}
	r = run(&x, argc - optind, argv + optind);
	site_free(x.site);
	faults_free(x.report);
	return finish_output(r);
}
