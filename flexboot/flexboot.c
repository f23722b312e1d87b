// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * initagent-flexboot: reads and checks an adapter's expansion ROM, and recommends the adapter's
 * settings for network boot.
 */
#include <stdarg.h>

#include "flexboot/command.h"

static const char usage[] =
	"usage: initagent-flexboot rom list|verify [--json] [--fits VENDOR:DEVICE] FILE\n"
	"       initagent-flexboot rom list|verify [--json] --device 0000:3b:00.0 [--sysroot DIR]\n"
	"       initagent-flexboot rom extract [--into DIR] FILE\n"
	"       initagent-flexboot settings want [INTENT...] [--device NAME] [--json]\n"
	"       mstconfig -d 3b:00.0 -e query | initagent-flexboot settings check [INTENT...]\n"
	"       initagent-flexboot settings check [INTENT...] [--device NAME] [--json] FILE\n"
	"INTENT: --link ib|eth --firmware bios|uefi|both --arch x86|arm --ip 4|6|46|64\n"
	"        --port 1|2|both --pkey 0x8001 --vlan 5 --wait SECONDS\n"
	"exit status: 0 correct, 1 faults or differences found, 2 usage error, 3 cannot be read "
	"or written\n";

int complain(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("initagent-flexboot: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}

static int run(int argc, char **argv)
{
	int (*command)(int argc, char **argv) = NULL;

	if (argc > 1)
		command = streq(argv[1], "rom") ? command_rom
			: streq(argv[1], "settings") ? command_settings : NULL;
	if (argc > 1 && !command)
		return complain(EXIT_USAGE, "%s: no such command; see --help", argv[1]);
	if (argc > 2)
		return command(argc - 2, argv + 2);
	fputs(usage, stderr);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	if (argc == 2 && (streq(argv[1], "--help") || streq(argv[1], "-h")))
		return fputs(usage, stdout) < 0;
	if (argc == 2 && (streq(argv[1], "--version") || streq(argv[1], "-V")))
		return puts("initagent-flexboot " INITAGENT_VERSION) < 0;
	status = run(argc, argv);
	if (fflush(stdout) != 0 || ferror(stdout))
		return complain(EXIT_NOT_READ, "standard output: %m");
	return status;
}
