/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax: the records of an extended header of a tar archive (POSIX.1-2017, pax, "pax Extended
 * Header"), with those of GNU tar for sparse files ("Storing Sparse Files" in its manual) and the
 * attributes of star and libarchive. Keywords that do not change what is unpacked are skipped; a
 * record that is malformed condemns the archive.
 */
#pragma once

#include "root/image/item.h"

/* Larger headers have only archives that want memory. */
#define PAX_MAX (1u << 20)

enum pax_number {
	PAX_SIZE,
	PAX_UID,
	PAX_GID,
	PAX_MTIME,
	PAX_SPARSE_SIZE, /* GNU.sparse.size, .realsize: with its holes */
	PAX_SPARSE_MAJOR, /* 1: the map begins the content */
	PAX_NUMBERS,
};

struct pax {
	char *path, *link, *sparse_name; /* in the data; NULL: not said */
	int64_t number[PAX_NUMBERS];
	bool has[PAX_NUMBERS];
	const uint8_t *capability; /* in the data */
	size_t capability_len;
	uint64_t left_out; /* other attributes */
	struct item_part *parts; /* owned, of a sparse file; NULL: none */
	size_t parts_len;
};

/*
 * pax_read: the records in data, which is changed and must stay as long as *ret is used. ret is
 * empty or what an earlier header said. 0, -ENOMEM, or -EINVAL (*ret_why). pax_clear frees what is
 * in it, and empties it.
 */
int pax_read(struct pax *ret, char *data, size_t len, const char **ret_why);
void pax_clear(struct pax *p);

/* pax_add_part: one more part of the file. 0 or -ENOMEM, also for more than any file has. */
int pax_add_part(struct pax *p, uint64_t offset, uint64_t len);
