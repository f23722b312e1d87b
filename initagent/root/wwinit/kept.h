/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kept: what the scripts of Warewulf's system overlay leave in its /warewulf/run for the running
 * system, such as Ignition's marker, copied over the root's when all layers are there: folders,
 * files, links as they are, with owner, mode and time. For a worker's process: blocks.
 * Tests: tests/wwinit.bats.
 */
#pragma once

#include "base/util.h"

#define KEPT "/warewulf/run"

/*
 * kept_copy: ret names the first thing that could not be copied, and how many there were; "":
 * none. Changes the process's umask.
 */
void kept_copy(const char *overlay, const char *root, char *ret, size_t size);
