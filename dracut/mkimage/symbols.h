/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols: do the modules of an image belong together? Each says which version (a checksum of the
 * types) of every symbol it needs, and which versions it exports; the kernel refuses a module that
 * disagrees ("disagrees about version of symbol"). Mixes come from a vendor's drivers over the
 * kernel's own, or from another kernel's modules.
 */
#pragma once

#include "base/util.h"

struct symbols;

/* symbols_new: kver is the kernel the image is for. */
struct symbols *symbols_new(const char *kver);
struct symbols *symbols_free(struct symbols *s);
DEFINE_FREEP(struct symbols, symbols_free)

/*
 * symbols_add: one module of the image: its path there and its bytes (not kept). Returns 0
 * or -ENOEXEC when the bytes are no module.
 */
int symbols_add(struct symbols *s, const char *path, const void *data, size_t size);

/*
 * symbols_add_kernel: what the kernel itself exports, from its Module.symvers; rows of modules are
 * left out, their own tables are used. file: its name, for messages. Returns 0, -EBADMSG for
 * a file of another kind.
 */
int symbols_add_kernel(struct symbols *s, const char *file, const char *text, size_t size);

/*
 * symbols_check: prints one line to out for each module that does not fit, with both sides and the
 * first symbol they disagree about. Returns the number of lines.
 */
int symbols_check(struct symbols *s, FILE *out);

/* symbols_misfit: the path of the next module that has such a line, *at counts; NULL: no more. */
const char *symbols_misfit(const struct symbols *s, size_t *at);

/* symbols_compared: how many needs were compared with an export, for the build's summary. */
size_t symbols_compared(const struct symbols *s);
