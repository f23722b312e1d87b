/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hasher: digests of a file while it is being written, by a second thread, so that a transfer takes as long as the slower of
 * the two and not as both. It reads what was written back from the file, which is in memory: no queue, and what is digested is
 * what is there. To be made before the process gives up its rights, as it makes no threads any more then.
 */
#pragma once

#include "fetch/sha256.h"

struct hasher;

/* hasher_useful: is there more than one processor? With one it costs a copy and gains nothing. */
bool hasher_useful(void);

/*
 * hasher_new: digests of fd's bytes in order, into whole and chunk (NULL: not wanted), which are borrowed and belong to the thread
 * except between hasher_wait() and the next hasher_to(). 0 or -errno.
 */
int hasher_new(struct hasher **ret, int fd, struct sha256 *whole, struct sha256 *chunk);
struct hasher *hasher_free(struct hasher *h);
DEFINE_FREEP(struct hasher, hasher_free)

/* hasher_to: the file's bytes before to are there. */
void hasher_to(struct hasher *h, uint64_t to);

/* hasher_at: so far they are in the digests; the file's owner may take them away. */
uint64_t hasher_at(struct hasher *h);

/* hasher_wait: until all of them are in the digests. 0 or -errno: the file cannot be read. */
int hasher_wait(struct hasher *h);

/* hasher_seek: the digests were set to those of the bytes before at; after hasher_wait(). */
void hasher_seek(struct hasher *h, uint64_t at);
