/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cage_lock: how a cage's child gives up what it does not need. Internal to cage.c. */
#pragma once

#include "base/cage.h"

/*
 * cage_lock: leaves the calling process with job->in as descriptor 0 and out as descriptor 1 and the
 * rights of the job, for good. 0 or -errno.
 */
int cage_lock(const struct cage_job *job, int out);
