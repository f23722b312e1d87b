/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * note: /run/initagent/image-source, where the root's image came from and what proved it, for an
 * agent that was killed after the mount and starts again. Its content is read like anybody's.
 */
#pragma once

#include "root/web/web.h"

/* note_write: 0 or -errno. */
int note_write(const struct env *env, const struct web_result *r);

/* note_parse: what text says into ret; lines that are not understood mean nothing. For note_read()
 * and its tests. */
void note_parse(char *text, struct web_result *ret);
void note_read(const struct env *env, struct web_result *ret);
