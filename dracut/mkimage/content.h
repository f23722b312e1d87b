/* SPDX-License-Identifier: GPL-2.0-or-later */
/* content: everything in the image that is neither module nor firmware. Faults end the builder. */
#pragma once

#include "tree.h"

/* content_add_base: directories, console node, release file, the agent's other names. */
void content_add_base(struct tree *t);

/* content_add_agent: file becomes /init; refused when it would need a loader or libraries. */
void content_add_agent(struct tree *t, const char *file);

/* content_add_busybox: likewise the rescue shell, and links for the tools one looks around with. */
void content_add_busybox(struct tree *t, const char *file);

/*
 * content_add_extra: "FILE:PATH", as given on the command line. PATH must be absolute and in normal
 * form; of FILE's mode only whether it may be executed is kept.
 */
void content_add_extra(struct tree *t, const char *spec);

/* content_add_modprobe_d: the *.conf files of dir, as /etc/modprobe.d. */
void content_add_modprobe_d(struct tree *t, const char *dir);
