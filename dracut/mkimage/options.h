/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options: the command line of initagent-mkimage. One table gives the parser and the help text. */
#pragma once

#include "base/util.h"

#define OPTIONS_LIST_MAX 64

struct options_list {
	const char *item[OPTIONS_LIST_MAX];
	size_t n;
};

struct options {
	const char *out;
	const char *into; /* NULL: not given */
	const char *agent;
	const char *busybox;
	const char *kver; /* NULL: not given */
	const char *root;
	const char *modules_dir;
	const char *firmware_dir;
	const char *modprobe_d;
	struct options_list drivers; /* each may hold several names: "a b,c" */
	struct options_list without;
	struct options_list no_firmware;
	struct options_list extra;
	const char *level_text;
	const char *format;
	const char *kernel;
	const char *cmdline;
	const char *stub;
	const char *os_release;
	const char *sb_key;
	const char *sb_cert;
	bool no_bios;
	bool no_base;
	bool explain;
	bool help;
	bool version;
	int level;
	uint32_t mtime; /* SOURCE_DATE_EPOCH */
};

/*
 * options_parse: strings are borrowed from argv. What is wrong goes to stderr and ends the builder
 * with status 2. An empty value counts as "not given", so that a Makefile may pass every variable.
 */
struct options options_parse(int argc, char **argv);

void options_usage(FILE *out);
