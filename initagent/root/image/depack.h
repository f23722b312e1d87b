/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * depack: what a file packed by gzip, xz or zstd holds, with its checksums: one packing, whatever
 * comes out of it. Members (streams, frames) may follow each other (RFC 1952 2.2, the xz file
 * format 2.1, RFC 8878 3), and zeroes the last one; anything else behind it is an error: gzip
 * itself would leave it out with a warning. Pushed: it has no input of its own.
 */
#pragma once

#include "base/util.h"

enum depack_kind { DEPACK_GZIP, DEPACK_XZ, DEPACK_ZSTD, DEPACK_MAX };

struct depack;

/* depack_new: 0 or -ENOMEM. *ret is the caller's, to be freed with depack_free(). */
int depack_new(struct depack **ret, enum depack_kind kind);
struct depack *depack_free(struct depack *d);
DEFINE_FREEP(struct depack, depack_free)

/* depack_name: "gzip", "xz", "zstd". */
const char *depack_name(const struct depack *d);

/* depack_give: the next packed bytes, borrowed until depack_take() says 0. */
void depack_give(struct depack *d, const void *data, size_t len);

/*
 * depack_take: up to size bytes of content into buf. Returns how many, 0: more packed bytes are
 * needed, -EBADMSG: it is damaged, *ret_why says how.
 */
ssize_t depack_take(struct depack *d, void *buf, size_t size, const char **ret_why);

/* depack_complete: may the packed bytes end here? To be asked once depack_take() has said 0. */
bool depack_complete(const struct depack *d);
