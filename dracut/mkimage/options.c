// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <limits.h>

#include "format.h"
#include "lint.h"

/* Where packages put it. */
#define AGENT_PATH "/usr/sbin/initagent"

enum kind {
	TEXT,
	LIST,
	FLAG,
};

struct row {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *argument;
	const char *help;
};

#define ROW(kind, field, name, argument, help)                                                     \
	{                                                                                          \
		name, kind, offsetof(struct options, field), argument, help                        \
	}

static const struct row rows[] = {
	ROW(TEXT, out, "out", "FILE", "the image to write (mode 0600)"),
	ROW(TEXT, agent, "agent", "FILE", "the static agent, becomes /init (default: " AGENT_PATH ")"),
	ROW(TEXT, busybox, "busybox", "FILE", "a static busybox (default: /bin/busybox)"),
	ROW(TEXT, kver, "kver", "VERSION", "kernel version (default: the running one)"),
	ROW(TEXT, root, "root", "DIR", "modules and firmware come from below DIR (default: /)"),
	ROW(TEXT, modules_dir, "modules-dir", "DIR", "modules, if not in ROOT/lib/modules/VERSION"),
	ROW(TEXT, firmware_dir, "firmware-dir", "DIR", "firmware, if not in ROOT/lib/firmware"),
	ROW(LIST, drivers, "drivers", "'A B'", "more modules or aliases, with all they need"),
	ROW(LIST, without, "without", "'A B'", "leave these out of the standard set"),
	ROW(FLAG, no_base, "no-base", NULL, "no standard set at all, only --drivers"),
	ROW(LIST, no_firmware, "no-firmware", "'A B'",
		"modules or file patterns whose missing firmware is no error"),
	ROW(TEXT, modprobe_d, "modprobe-d", "DIR", "copy DIR/*.conf to /etc/modprobe.d"),
	ROW(LIST, extra, "extra", "FILE:PATH", "one more file, at the absolute PATH"),
	ROW(TEXT, format, "format", "FORMAT", "initrd (default), pair, uki or iso; OUT of pair is a directory"),
	ROW(TEXT, kernel, "kernel", "FILE", "the kernel, if not ROOT/boot/vmlinuz-VERSION"),
	ROW(TEXT, cmdline, "cmdline", "TEXT", "kernel command line of pair, uki and iso"),
	ROW(TEXT, stub, "stub", "FILE", "EFI stub of the unified kernel image (default: systemd's)"),
	ROW(TEXT, os_release, "os-release", "FILE", "what the unified kernel image says it is"),
	ROW(TEXT, sb_key, "sb-key", "FILE", "sign the unified kernel image for Secure Boot with this key"),
	ROW(TEXT, sb_cert, "sb-cert", "FILE", "and this certificate (PEM)"),
	ROW(FLAG, no_bios, "no-bios", NULL, "iso: for UEFI alone"),
	ROW(TEXT, level_text, "level", "N", "zstd level, 1 to 22 (default: 19)"),
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

static int complain(const char *what, const char *arg)
{
	fprintf(stderr, "initagent-mkimage: %s: %s\n", what, arg);
	return -EINVAL;
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

static int set(struct options *opt, const struct row *row, const char *value)
{
	char *field = (char *)opt + row->offset;
	struct options_list *list;

	switch (row->kind) {
	case FLAG: *(bool *)field = true; break;
	case TEXT:
		if (value[0])
			*(const char **)field = value;
		break;
	case LIST:
		list = (struct options_list *)field;
		if (list->n == OPTIONS_LIST_MAX)
			return complain("too often", row->name);
		list->item[list->n++] = value;
		break;
	}
	return 0;
}

/* number: a whole decimal number from min to max. */
static int number(const char *text, unsigned long max, unsigned long min, unsigned long *ret)
{
	char *end;

	if (!text[0] || text[strspn(text, "0123456789")])
		return -EINVAL;
	errno = 0;
	*ret = strtoul(text, &end, 10);
	return errno || *ret > max || *ret < min ? -EINVAL : 0;
}

/* check_cmdline: by the agent's own parser: what it cannot obey is better seen here than on 100 nodes. */
static int check_cmdline(const char *text)
{
	_cleanup_free_ char *report = NULL;
	size_t size;
	FILE *out;
	int r;

	if (text[strcspn(text, "\r\n")])
		return complain("--cmdline has more than one line", text);
	out = open_memstream(&report, &size);
	if (!out)
		return -ENOMEM;
	r = cmdline_lint(text, strlen(text), out, LINT_REMARKS);
	fclose(out);
	if (r > 0)
		fputs(report, stderr);
	return r == LINT_ERRORS ? complain("--cmdline has errors", text) : r < 0 ? r : 0;
}

static int check(struct options *opt)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	unsigned long n;

	if (!opt->out)
		return complain("missing, see --help", "--out");
	if (number(opt->level_text, 22, 1, &n) < 0)
		return complain("--level is 1 to 22, not", opt->level_text);
	opt->level = (int)n;
	if (!format_known(opt->format))
		return complain("--format is initrd, pair, uki or iso, not", opt->format);
	if (!opt->sb_key != !opt->sb_cert)
		return complain("--sb-key and --sb-cert go together, only one is given",
			opt->sb_key ? opt->sb_key : opt->sb_cert);
	if (opt->cmdline && streq(opt->format, "initrd"))
		return complain("--cmdline has no place in an initrd (--format pair, uki or iso has one); it goes to the boot loader",
			opt->cmdline);
	if (opt->cmdline && check_cmdline(opt->cmdline) < 0)
		return -EINVAL;
	if (epoch && number(epoch, UINT32_MAX, 0, &n) < 0)
		return complain("SOURCE_DATE_EPOCH is no time in seconds", epoch);
	opt->mtime = epoch ? (uint32_t)n : 0;
	return 0;
}

int options_parse(struct options *opt, int argc, char **argv)
{
	*opt = (struct options){.agent = AGENT_PATH, .busybox = "/bin/busybox", .root = "/", .level_text = "19", .format = "initrd"};
	for (int i = 1; i < argc; i++) {
		const struct row *row = row_of(argv[i]);
		int r;

		if (!row)
			return complain("unknown option, see --help", argv[i]);
		if (row->kind != FLAG && ++i == argc)
			return complain("needs a value", argv[i - 1]);
		r = set(opt, row, argv[i]);
		if (r < 0)
			return r;
	}
	return opt->help || opt->version ? 0 : check(opt);
}
