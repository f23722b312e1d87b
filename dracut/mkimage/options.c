// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include "format.h"
#include "lint.h"

/* Where packages put them, and the busybox of the system, if ours is not installed. */
#define AGENT_PATH "/usr/sbin/initagent"
#define BUSYBOX_PATH "/usr/lib/initagent/busybox"
#define BUSYBOX_SYSTEM "/bin/busybox"

#define EXIT_USAGE 2

enum kind { TEXT, LIST, FLAG };

struct row {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *argument;
	const char *help;
};

#define ROW(kind, field, name, argument, help) \
	{name, kind, offsetof(struct options, field), argument, help}

static const struct row rows[] = {
	ROW(TEXT, out, "out", "FILE", "the image to write (mode 0600)"),
	ROW(TEXT, into, "into", "DIR",
		"instead of --out and --root: the tree of a node image, which boots it"),
	ROW(TEXT, agent, "agent", "FILE",
		"the static agent, becomes /init (default: " AGENT_PATH ")"),
	ROW(TEXT, busybox, "busybox", "FILE",
		"a static busybox (default: " BUSYBOX_PATH ", or " BUSYBOX_SYSTEM ")"),
	ROW(TEXT, kver, "kver", "VERSION", "kernel version (default: the running one)"),
	ROW(TEXT, root, "root", "DIR", "modules and firmware come from below DIR (default: /)"),
	ROW(TEXT, modules_dir, "modules-dir", "DIR", "modules, if not in ROOT/lib/modules/VERSION"),
	ROW(TEXT, firmware_dir, "firmware-dir", "DIR", "firmware, if not in ROOT/lib/firmware"),
	ROW(LIST, drivers, "drivers", "'A B'", "more modules or aliases, with all they need"),
	ROW(LIST, without, "without", "'A B'", "leave these out of the standard set"),
	ROW(FLAG, no_base, "no-base", NULL, "no standard set at all, only --drivers"),
	ROW(LIST, no_firmware, "no-firmware", "'A B'",
		"modules or file patterns whose missing firmware is not an error"),
	ROW(TEXT, modprobe_d, "modprobe-d", "DIR", "copy DIR/*.conf to /etc/modprobe.d"),
	ROW(LIST, extra, "extra", "FILE:PATH", "one more file, at the absolute PATH"),
	ROW(TEXT, format, "format", "FORMAT",
		"initrd (default), pair, uki or iso; OUT of pair is a directory"),
	ROW(TEXT, kernel, "kernel", "FILE", "the kernel, if not ROOT/boot/vmlinuz-VERSION"),
	ROW(TEXT, cmdline, "cmdline", "TEXT", "kernel command line of pair, uki and iso"),
	ROW(TEXT, stub, "stub", "FILE",
		"EFI stub of the unified kernel image (default: systemd's)"),
	ROW(TEXT, os_release, "os-release", "FILE", "os-release of the unified kernel image"),
	ROW(TEXT, sb_key, "sb-key", "FILE",
		"sign the unified kernel image for Secure Boot with this key"),
	ROW(TEXT, sb_cert, "sb-cert", "FILE", "and this certificate (PEM)"),
	ROW(FLAG, no_bios, "no-bios", NULL, "iso: for UEFI only"),
	ROW(TEXT, level_text, "level", "N",
		"zstd level, 1 to 22 (default: 19); before Linux 5.9: gzip"),
	ROW(FLAG, explain, "explain", NULL, "list every file with the reason it is there"),
	ROW(FLAG, help, "help", NULL, "this text (or -h)"),
	ROW(FLAG, version, "version", NULL, "the program's version (or -V)"),
};

void options_usage(FILE *out)
{
	fputs("usage: initagent-mkimage --out FILE [option...]\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		fprintf(out, "  --%-12s %-10s %s\n", rows[i].name,
			rows[i].argument ? rows[i].argument : "", rows[i].help);
	fputs("SOURCE_DATE_EPOCH: the time all files get, in seconds (default: 0)\n", out);
}

static void __attribute__((noreturn)) misuse(const char *what, const char *arg)
{
	fprintf(stderr, "initagent-mkimage: %s: %s\n", what, arg);
	exit(EXIT_USAGE);
}

static const struct row *row_of(const char *arg)
{
	if (streq(arg, "-h") || streq(arg, "-V"))
		arg = streq(arg, "-h") ? "--help" : "--version";
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strncmp(arg, "--", 2) == 0 && streq(arg + 2, rows[i].name))
			return &rows[i];
	return NULL;
}

static void set_option(struct options *opt, const struct row *row, const char *value)
{
	char *field = (char *)opt + row->offset;
	struct options_list *list = (struct options_list *)field;

	if (row->kind == FLAG) {
		*(bool *)field = true;
	} else if (row->kind == TEXT) {
		if (value[0])
			*(const char **)field = value;
	} else {
		if (list->n == OPTIONS_LIST_MAX)
			misuse("too often", row->name);
		list->item[list->n++] = value;
	}
}

/* read_number: a whole decimal number from min to max; what: the message if it is not one. */
static unsigned long read_number(
	const char *text, unsigned long min, unsigned long max, const char *what)
{
	unsigned long n;

	errno = 0;
	n = strtoul(text, NULL, 10);
	if (!text[0] || text[strspn(text, "0123456789")] || errno || n < min || n > max)
		misuse(what, text);
	return n;
}

/* check_cmdline: by the agent's own parser, so that faults show before 100 nodes boot with it. */
static void check_cmdline(const char *text)
{
	_cleanup_free_ char *report = NULL;
	size_t size;
	FILE *out;
	int r;

	if (text[strcspn(text, "\r\n")])
		misuse("--cmdline has more than one line", text);
	out = must(open_memstream(&report, &size));
	r = cmdline_lint(text, strlen(text), out, LINT_REMARKS);
	fclose(out);
	if (r > 0)
		fputs(report, stderr);
	if (r == LINT_ERRORS)
		misuse("--cmdline has errors", text);
	need(r, "--cmdline");
}

static const char *default_busybox(void)
{
	if (access(BUSYBOX_PATH, F_OK) == 0)
		return BUSYBOX_PATH;
	report_fault(BUSYBOX_PATH " is not installed: taking " BUSYBOX_SYSTEM
				  " as rescue shell");
	return BUSYBOX_SYSTEM;
}

static void check_options(struct options *opt)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");

	if (opt->into && (opt->out || !streq(opt->root, "/") || !streq(opt->format, "initrd")))
		misuse("takes no --out, --root, --format beside it", "--into");
	if (!opt->out && !opt->into)
		misuse("missing, see --help", "--out");
	opt->level = (int)read_number(opt->level_text, 1, 22, "--level is 1 to 22, not");
	if (!format_known(opt->format))
		misuse("--format is initrd, pair, uki or iso, not", opt->format);
	if (!opt->sb_key != !opt->sb_cert)
		misuse("--sb-key and --sb-cert go together, only one is given",
			opt->sb_key ? opt->sb_key : opt->sb_cert);
	if (opt->cmdline && streq(opt->format, "initrd"))
		misuse("--cmdline has no place in an initrd (--format pair, uki or iso has one); "
		       "it goes to the boot loader",
			opt->cmdline);
	if (opt->cmdline)
		check_cmdline(opt->cmdline);
	if (!opt->busybox)
		opt->busybox = default_busybox();
	if (epoch)
		opt->mtime = (uint32_t)read_number(
			epoch, 0, UINT32_MAX, "SOURCE_DATE_EPOCH is not a time in seconds");
}

struct options options_parse(int argc, char **argv)
{
	struct options opt = {.agent = AGENT_PATH, .root = "/", .level_text = "19",
		.format = "initrd"};

	for (int i = 1; i < argc; i++) {
		const struct row *row = row_of(argv[i]);

		if (!row)
			misuse("unknown option, see --help", argv[i]);
		if (row->kind != FLAG && ++i == argc)
			misuse("needs a value", argv[i - 1]);
		set_option(&opt, row, argv[i]);
	}
	if (!opt.help && !opt.version)
		check_options(&opt);
	return opt;
}
