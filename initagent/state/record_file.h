/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_file: state files on disk. */
#pragma once

#include "state/record.h"

/* The state file of the running system. */
#define RECORD_OWN_FILE "/run/initagent/state.json"

/*
 * record_read: the record in the file at path, "-" for standard input, at most RECORD_BYTES_MAX
 * bytes. Returns 0; -errno when it cannot be read; the (positive) enum record_fault when it is no
 * state file.
 */
int record_read(struct record **ret, const char *path);

/*
 * record_file_name: how a node is called whose state does not tell its name: the file's name
 * without folder and ".json"; of a file state.json the folder's name; of this system's own, its
 * host name. Writes to buf[size], cut if need be.
 */
void record_file_name(char *buf, size_t size, const char *path);
