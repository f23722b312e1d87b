/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command: the two halves of initagent-flexboot. */
#pragma once

#include "base/util.h"

/* What both return as exit status. */
enum {
	EXIT_FOUND = 1, /* something is wrong with the ROM, or settings differ */
	EXIT_USAGE = 2,
	EXIT_NOT_READ = 3, /* the file or device could not be read, the output not be written */
};

/* argv[0] is the word behind "rom" or "settings". */
int command_rom(int argc, char **argv);
int command_settings(int argc, char **argv);

/* complain: "initagent-flexboot: ..." to stderr; returns status. */
int complain(int status, const char *fmt, ...) _printf_(2, 3);
