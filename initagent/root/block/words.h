/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words: what a failed connect means. The kernel returns one errno for different failures; its
 * messages in the kernel log distinguish them.
 */
#pragma once

#include "report/causes.h"
#include "root/block/job.h"

/* words_open: /dev/kmsg from now on. The fd, or -1: then the errno must do. */
int words_open(const struct env *env);

/* words_judge: cause and text of a connect that failed with error (negative) while fd was open, and
 * whether it is tried again at once. Returns error. */
int words_judge(struct block_job *j, int fd, int error);

/* When trying again may help. */
enum words_again {
	WORDS_LATER,
	WORDS_NEVER,
	WORDS_AT_ONCE, /* the refusal itself took out of the way what it was about */
};

/* words_find: the row for one line of the kernel's, NULL: it has none. Pure. */
struct words_row {
	const char *words; /* what the kernel says */
	enum cause cause;
	enum words_again again;
};
const struct words_row *words_find(const char *line);

/* words_errno: the row for a positive errno of a connect by RDMA-CM, or not; never NULL. */
struct words_errno {
	int error;
	enum cause cause;
	const char *words;
};
const struct words_errno *words_of_errno(int error, bool rdma);
