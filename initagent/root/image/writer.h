/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * writer: makes the entries of an archive below a directory, and nothing anywhere else. Names must
 * be relative and without ".."; every folder on the way is opened with RESOLVE_BENEATH, so that a
 * link the archive itself made stays below it as well; device nodes are never made. In a layer over
 * others RESOLVE_IN_ROOT has links mean what they will mean in the root. It owns the directory's
 * descriptors and the file being written.
 * In: entries, and the bytes of files. Out: the tree; a cause and its text.
 * Callers: root/wwinit/ and its own folder. Tests: test_writer.c.
 */
#pragma once

#include "report/causes.h"
#include "base/util.h"

#define WRITER_TEXT_MAX 300

enum entry_type { ENTRY_FILE, ENTRY_FOLDER, ENTRY_LINK, ENTRY_FIFO, ENTRY_NODE, ENTRY_OTHER };

/* One entry as the archive has it. Strings are borrowed. */
struct writer_entry {
	const char *name;
	enum entry_type type;
	const char *target; /* of a symbolic link */
	const char *hard;   /* name of the entry this is one more name of; NULL: none */
	uint64_t size;	    /* as the file says it */
	uint64_t stored;    /* of which content follows: the rest are holes, which take no memory */
	uint32_t mode, uid, gid;
	int64_t mtime;
	uint64_t left_out; /* attributes that are not kept */
};

struct writer;

struct writer_counts {
	uint64_t bytes, entries; /* of content; made */
	uint64_t left_out;   /* nodes, sockets, attributes */
	uint64_t links_kept; /* links and folders of a layer below, in place of an entry */
};

struct writer_options {
	uint64_t bytes_max; /* most content of all files */
	/* one of several archives: a folder in place of a link to a folder keeps the link, another
	 * entry in place of a full folder or a mount is left out, as a device node is anywhere, and
	 * a file's name on another mount than its first one is a symbolic link */
	bool layer;
	bool plain; /* set-user-id and set-group-id bits are left out, and capabilities */
};

/* writer_new: dir is the directory. 0 or -errno. */
int writer_new(struct writer **ret, const char *dir, const struct writer_options *options);
struct writer *writer_free(struct writer *w);
DEFINE_FREEP(struct writer, writer_free)

/*
 * writer_begin: makes the entry; of a file its content follows by writer_data() at any offsets,
 * then writer_settle() (size, owner, mode), its capability by writer_capability(), which all of
 * these would take away again, and writer_end(). Each returns 0 or -errno; writer_cause() then says
 * why.
 */
int writer_begin(struct writer *w, const struct writer_entry *e);
int writer_data(struct writer *w, const void *data, size_t len, uint64_t offset);
int writer_capability(struct writer *w, const void *value, size_t len);
int writer_settle(struct writer *w);
void writer_end(struct writer *w);

enum cause writer_cause(const struct writer *w, const char **ret_text);
const struct writer_counts *writer_counts(const struct writer *w);

/*
 * writer_name: the plain form of an entry's name: without "./", doubled and trailing slashes; ""
 * for the directory itself. 0, -EINVAL (absolute, "..", empty) or -ENAMETOOLONG. Pure.
 */
int writer_name(const char *name, char *ret, size_t size);
