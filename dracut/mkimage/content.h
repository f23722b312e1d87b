/* SPDX-License-Identifier: GPL-2.0-or-later */
/* content: everything in the image that is neither module nor firmware. */
#pragma once

#include "tree.h"

/* content_add_base: directories, console node, release file, the agent's other names. 0 or -errno. */
int content_add_base(struct tree *t);

/* A program of the building machine: file goes to path, mode 0755. */
struct content_program {
	const char *file;
	const char *path;
	const char *why;
};

/*
 * content_add_program: refuses (-ENOEXEC) what would need a loader or libraries the image has not.
 */
int content_add_program(struct tree *t, const struct content_program *p);

/* content_add_busybox: the rescue shell and links for the tools one looks around with. */
int content_add_busybox(struct tree *t, const char *file);

/*
 * content_add_extra: "FILE:PATH", as given on the command line. PATH must be absolute and in normal
 * form (-EINVAL); it keeps only the question whether FILE may be executed.
 */
int content_add_extra(struct tree *t, const char *spec);

/* content_add_modprobe_d: the *.conf files of dir, as /etc/modprobe.d. 0 or -errno. */
int content_add_modprobe_d(struct tree *t, const char *dir);
