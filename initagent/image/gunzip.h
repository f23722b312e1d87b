/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gunzip: what a gzip file holds, with its checksums: libarchive does not look at them, and stops reading at what follows
 * the last member, as if whoever sends it were a file. Members may follow each other (RFC 1952 2.2), and zeroes the
 * last one; anything else behind it is an error: gzip itself would leave it out with a warning. Pushed: it has no input of its own.
 */
#pragma once

#include "util.h"

#define GUNZIP_BEGIN 3

struct gunzip;

/* gunzip_begins: is this the beginning of a gzip file? GUNZIP_BEGIN bytes tell. */
bool gunzip_begins(const void *data, size_t len);

int gunzip_new(struct gunzip **ret);
struct gunzip *gunzip_free(struct gunzip *g);
DEFINE_FREEP(struct gunzip, gunzip_free)

/* gunzip_give: the next packed bytes, borrowed until gunzip_take() says 0. */
void gunzip_give(struct gunzip *g, const void *data, size_t len);

/*
 * gunzip_take: up to size bytes of content into buf. Returns how many, 0: more packed bytes are needed, -EBADMSG: it is
 * damaged, *ret_why says how.
 */
ssize_t gunzip_take(struct gunzip *g, void *buf, size_t size, const char **ret_why);

/* gunzip_complete: may the packed bytes end here? */
bool gunzip_complete(const struct gunzip *g);
