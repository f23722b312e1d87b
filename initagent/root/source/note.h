/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * note: below /run/initagent, the record of a root that was mounted, for an agent that was killed
 * after that and starts again. It owns that file, named by the row (source_ops.note).
 * In: the kind's record; the file, which is read as untrusted. Out: the file; the record.
 * Callers: root/, root/block/, root/web/, root/wwinit/. Tests: test_note.c,
 * root/block/test_block.c.
 */
#pragma once

#include "root/source/source.h"

/* note_write: 0 or -errno. note_drop: what was mounted goes. */
int note_write(const struct env *env, const struct source_ops *ops, const void *record);
void note_drop(const struct env *env, const struct source_ops *ops);

/* note_parse: what text says into the record; lines that are not understood mean nothing.
 * note_read: false: there is none. */
void note_parse(const struct source_ops *ops, char *text, void *record);
bool note_read(const struct env *env, const struct source_ops *ops, void *record);

/* note_end_texts: ends all texts of a record that another process has sent. */
void note_end_texts(const struct source_ops *ops, void *record);
