// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/tar.h"

#include "root/image/pax.h"

#define BLOCK 512
/* Headers before that of an entry: a volume's label, pax, long name, long target. */
#define EXTENDED_MAX 8

struct field {
	size_t at, len;
};
/* POSIX.1-2017, pax, "ustar Header Block"; of sparse files GNU tar.h, struct oldgnu_header and
 * struct sparse_header. */
static const struct field name_field = {0, 100}, mode_field = {100, 8}, uid_field = {108, 8},
			  gid_field = {116, 8}, size_field = {124, 12}, mtime_field = {136, 12},
			  sum_field = {148, 8}, target_field = {157, 100},
			  prefix_field = {345, 155}, real_size_field = {483, 12};
#define TYPE_AT	   156
#define MAGIC_AT   257
#define PARTS_AT   386
#define PARTS_LEN  4
#define MORE_AT	   482
/* A block of nothing but parts. */
#define PARTS_LEN2 21
#define MORE_AT2   504

struct tar {
	struct unpacked *s;
	uint64_t bytes_max;
	uint64_t begin, next; /* of the header at hand, and where the next one is */
	uint8_t head[BLOCK];
	uint64_t size; /* as the header says */
	struct pax pax, global;
	char *pax_data, *long_name, *long_target; /* what came before the entry's header */
	char name[260], target[101];
};

int tar_new(struct tar **ret, struct unpacked *s, uint64_t bytes_max)
{
	struct tar *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->s = s;
	t->bytes_max = bytes_max;
	*ret = t;
	return 0;
}

static void forget(struct tar *t)
{
	pax_clear(&t->pax);
	free(t->pax_data);
	free(t->long_name);
	free(t->long_target);
	t->pax_data = t->long_name = t->long_target = NULL;
}

struct tar *tar_free(struct tar *t)
{
	if (!t)
		return NULL;
	forget(t);
	free(t);
	return NULL;
}

static int broken(struct tar *t, const char *what)
{
	return unpacked_fail(t->s, CAUSE_IMAGE_BROKEN, "%s, in the entry at byte %llu", what,
		(unsigned long long)t->begin);
}

static int no_memory(struct tar *t)
{
	return unpacked_fail(t->s, CAUSE_NO_MEMORY, "the names of an entry");
}

/* --- the header ------------------------------------------------------------------------------ */

/* GNU: what octal digits cannot say is big endian behind 0x80, or 0xff if it is negative. */
static bool binary(const uint8_t *at, size_t len, int64_t *ret)
{
	*ret = at[0] == 0xff ? -1 : 0;
	for (size_t i = 1; i < len; i++) {
		if (*ret > INT64_MAX >> 8 || *ret < INT64_MIN >> 8)
			return false;
		*ret = *ret * 256 + at[i];
	}
	return true;
}

/* Octal digits, spaces before them, spaces or zeroes behind; none of them is 0. */
static bool number(const uint8_t *head, struct field f, int64_t *ret)
{
	const uint8_t *at = head + f.at, *end = at + f.len;

	if (*at == 0x80 || *at == 0xff)
		return binary(at, f.len, ret);
	while (at < end && *at == ' ')
		at++;
	for (*ret = 0; at < end && *at >= '0' && *at <= '7'; at++)
		*ret = *ret * 8 + (*at - '0');
	while (at < end && (*at == ' ' || !*at))
		at++;
	return at == end;
}

/* The field itself counts as spaces. Some old writers add up signed characters. */
static bool sum_fits(const uint8_t *head)
{
	int64_t plain = 0, with_sign = 0, said;

	for (size_t i = 0; i < BLOCK; i++) {
		bool blank = i - sum_field.at < sum_field.len;

		plain += blank ? ' ' : head[i];
		with_sign += blank ? ' ' : (int8_t)head[i];
	}
	return number(head, sum_field, &said) && (said == plain || said == with_sign);
}

/* 1, 0: the end of the archive, or -EINVAL. */
static int read_header(struct tar *t)
{
	static const uint8_t zeroes[BLOCK];
	int64_t size;
	ssize_t n;

	t->begin = unpacked_at(t->s);
	n = unpacked_read(t->s, t->head, sizeof(t->head));
	if (n < 0)
		return (int)n;
	if (n < BLOCK)
		return broken(t, n ? "it ends in the middle of a header"
				   : "it ends without the block of zeroes that is a tar's end");
	if (memcmp(t->head, zeroes, BLOCK) == 0)
		return 0;
	if (!sum_fits(t->head))
		return broken(t, "no header, or a damaged one (checksum)");
	if (!number(t->head, size_field, &size) || size < 0)
		return broken(t, "an invalid size");
	t->size = (uint64_t)size;
	return 1;
}

static uint64_t padded(uint64_t size)
{
	return (size + BLOCK - 1) / BLOCK * BLOCK;
}

/* --- what comes before the entry's own header ------------------------------------------------ */

/* The content of such a header, with a NUL behind it. NULL: failed. */
static char *read_extended(struct tar *t, uint64_t max)
{
	_cleanup_free_ char *data = NULL;
	char *ret;

	if (!t->size || t->size > max)
		return broken(t, t->size ? "an extended header too long"
					 : "an empty extended header"),
			NULL;
	data = malloc(t->size + 1);
	if (!data)
		return no_memory(t), NULL;
	data[t->size] = 0;
	if (unpacked_read_whole(t->s, data, t->size, "an extended header") < 0 ||
		unpacked_skip(t->s, padded(t->size) - t->size, "an extended header") < 0)
		return NULL;
	ret = data;
	data = NULL;
	return ret;
}

static int take_long(struct tar *t, char **ret)
{
	size_t len;

	if (*ret)
		return broken(t, "two long names of one kind");
	*ret = read_extended(t, ITEM_NAME_MAX);
	if (!*ret)
		return -EINVAL;
	len = strlen(*ret);
	while (len < t->size && !(*ret)[len])
		len++;
	return len < t->size ? broken(t, "a zero byte within a name") : 1;
}

static int take_pax(struct tar *t)
{
	const char *why;
	int r;

	if (t->pax_data)
		return broken(t, "two pax headers of one entry");
	t->pax_data = read_extended(t, PAX_MAX);
	if (!t->pax_data)
		return -EINVAL;
	r = pax_read(&t->pax, t->pax_data, t->size, &why);
	return r == 0 ? 1 : r == -ENOMEM ? no_memory(t) : broken(t, why);
}

/* For all entries from here on: owners and times, or a comment (git). A name or a size of all of
 * them is none. */
static int take_global(struct tar *t)
{
	_cleanup_free_ char *data = read_extended(t, PAX_MAX);
	struct pax *g = &t->global;
	const char *why;
	int r = data ? pax_read(g, data, t->size, &why) : 0;

	if (!data)
		return -EINVAL;
	if (r == 0 &&
		(g->path || g->link || g->sparse_name || g->parts || g->capability ||
			g->has[PAX_SIZE] || g->has[PAX_SPARSE_SIZE] || g->has[PAX_SPARSE_MAJOR])) {
		why = "a pax header that gives all entries one name or size";
		r = -EINVAL;
	}
	free(g->parts);
	g->parts = NULL;
	return r == 0 ? 1 : r == -ENOMEM ? no_memory(t) : broken(t, why);
}

/* 1: it was one, 0: it is an entry's own header, or -EINVAL. */
static int take_extended(struct tar *t)
{
	switch (t->head[TYPE_AT]) {
	case 'x':
	case 'X': return take_pax(t);
	case 'g': return take_global(t);
	case 'L': return take_long(t, &t->long_name);
	case 'K': return take_long(t, &t->long_target);
	case 'V': return unpacked_skip(t->s, padded(t->size), "a label") < 0 ? -EINVAL : 1;
	default: return 0;
	}
}

/* --- sparse files ---------------------------------------------------------------------------- */

static int add_parts(struct tar *t, const uint8_t *at, size_t n)
{
	for (; n; n--, at += 24) {
		int64_t offset, len;

		if (!at[0])
			continue;
		if (!number(at, (struct field){0, 12}, &offset) ||
			!number(at, (struct field){12, 12}, &len) || offset < 0 || len < 0)
			return broken(t, "the map of a sparse file");
		if (pax_add_part(&t->pax, (uint64_t)offset, (uint64_t)len) < 0)
			return no_memory(t);
	}
	return 0;
}

/* GNU's own form: the map is in the header, and in as many blocks behind it as are needed. */
static int read_map_behind(struct tar *t)
{
	uint8_t block[BLOCK];
	uint8_t more = t->head[MORE_AT];
	int r = add_parts(t, t->head + PARTS_AT, PARTS_LEN);

	for (; r == 0 && more; more = block[MORE_AT2]) {
		if (unpacked_read_whole(t->s, block, sizeof(block), "the map of a sparse file") < 0)
			return -EINVAL;
		r = add_parts(t, block, PARTS_LEN2);
	}
	return r;
}

struct map {
	char block[BLOCK];
	size_t at; /* in block */
	uint64_t blocks;
};

/* A line with a number. */
static int read_line(struct tar *t, struct map *m, uint64_t *ret)
{
	for (size_t n = 0;; n++) {
		char c;

		if (m->at == 0 &&
			unpacked_read_whole(t->s, m->block, BLOCK, "the map of a sparse file") < 0)
			return -EINVAL;
		m->blocks += m->at == 0;
		c = m->block[m->at];
		m->at = (m->at + 1) % BLOCK;
		if (n == 0)
			*ret = 0;
		if (c == '\n' && n)
			return 0;
		if (c < '0' || c > '9' || n == 18)
			return broken(t, "the map of a sparse file");
		*ret = *ret * 10 + (uint64_t)(c - '0');
	}
}

/* The pax form 1.0: the map begins the content, as lines of digits, up to a whole block. */
static int read_map_within(struct tar *t)
{
	struct map m = {.at = 0};
	uint64_t n, offset, len;
	int r = read_line(t, &m, &n);

	for (; r == 0 && n; n--) {
		r = read_line(t, &m, &offset);
		r = r < 0 ? r : read_line(t, &m, &len);
		if (r == 0 && pax_add_part(&t->pax, offset, len) < 0)
			return no_memory(t);
	}
	if (r == 0 && m.blocks * BLOCK > t->size)
		return broken(t, "the map of a sparse file");
	t->size -= r == 0 ? m.blocks * BLOCK : 0;
	return r;
}

/* Its parts must lie within it, and be what follows. */
static int take_sparse(struct tar *t, uint64_t size, struct item *ret)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->pax.parts_len; i++) {
		const struct item_part *p = &t->pax.parts[i];

		if (p->offset > size || p->len > size - p->offset || p->len > t->size - sum)
			return broken(t, "a part that lies outside of a sparse file");
		sum += p->len;
	}
	if (sum != t->size)
		return broken(t, "the parts of a sparse file are not its content");
	ret->parts = t->pax.parts;
	ret->parts_len = t->pax.parts_len;
	ret->entry.size = size;
	ret->entry.stored = sum;
	return 0;
}

/* 1: it is a sparse file, and was taken; 0: it is none. */
static int read_sparse(struct tar *t, struct item *ret)
{
	const struct pax *p = &t->pax;
	int64_t real = p->number[PAX_SPARSE_SIZE];
	int r = 0;

	if (t->head[TYPE_AT] == 'S') {
		if (!number(t->head, real_size_field, &real) || real < 0)
			return broken(t, "an invalid size");
		r = read_map_behind(t);
		t->next = unpacked_at(t->s) + padded(t->size);
	} else if (p->has[PAX_SPARSE_MAJOR] && p->number[PAX_SPARSE_MAJOR] == 1 &&
		   p->has[PAX_SPARSE_SIZE]) {
		r = read_map_within(t);
	} else if (p->has[PAX_SPARSE_MAJOR] && p->number[PAX_SPARSE_MAJOR] != 0) {
		return broken(t, "a sparse file in an unknown form");
	} else if (!p->has[PAX_SPARSE_SIZE]) {
		return p->parts ? broken(t, "a sparse file without its size") : 0;
	}
	return r < 0 || take_sparse(t, (uint64_t)real, ret) < 0 ? -EINVAL : 1;
}

/* --- entries --------------------------------------------------------------------------------- */

static void copy_field(const uint8_t *head, struct field f, char *to)
{
	size_t len = strnlen((const char *)head + f.at, f.len);

	memcpy(to, head + f.at, len);
	to[len] = 0;
}

/* The prefix is POSIX' own: GNU has other things in that place. */
static char *name_in_header(struct tar *t)
{
	size_t len = 0;

	if (memcmp(t->head + MAGIC_AT, "ustar", 6) == 0 && t->head[prefix_field.at]) {
		copy_field(t->head, prefix_field, t->name);
		len = strlen(t->name);
		t->name[len++] = '/';
	}
	copy_field(t->head, name_field, t->name + len);
	return t->name;
}

static const char *either(const char *pax, const char *gnu, const char *ustar)
{
	return pax ? pax : gnu ? gnu : ustar;
}

/* What the pax headers say counts before the header's own. */
static bool number_of(const struct tar *t, enum pax_number which, struct field f, int64_t *ret)
{
	const struct pax *p = t->pax.has[which] ? &t->pax : &t->global;

	if (!p->has[which])
		return number(t->head, f, ret);
	*ret = p->number[which];
	return true;
}

static int take_numbers(struct tar *t, struct writer_entry *e)
{
	int64_t mode, uid, gid;

	if (!number(t->head, mode_field, &mode) || !number_of(t, PAX_UID, uid_field, &uid) ||
		!number_of(t, PAX_GID, gid_field, &gid) ||
		!number_of(t, PAX_MTIME, mtime_field, &e->mtime))
		return broken(t, "an invalid number");
	if (!item_owner_fits(uid) || !item_owner_fits(gid))
		return unpacked_fail(t->s, CAUSE_IMAGE_ENTRY_REFUSED,
			"%.200s: an invalid owner", e->name);
	e->mode = (uint32_t)mode & 07777;
	e->uid = (uint32_t)uid;
	e->gid = (uint32_t)gid;
	if (t->pax.has[PAX_SIZE])
		t->size = (uint64_t)t->pax.number[PAX_SIZE];
	return 0;
}

/* A file's name that ends in a slash is a folder's, from before folders had a type. */
static int take_type(struct tar *t, struct writer_entry *e)
{
	size_t len = strlen(e->name);
	uint8_t type = t->head[TYPE_AT];

	switch (type) {
	case 0:
	case '0': e->type = len && e->name[len - 1] == '/' ? ENTRY_FOLDER : ENTRY_FILE; return 0;
	case '7':
	case 'S':
	case '1': e->type = ENTRY_FILE; break;
	case '2': e->type = ENTRY_LINK; break;
	case '3':
	case '4': e->type = ENTRY_NODE; break;
	case '5':
	case 'D': e->type = ENTRY_FOLDER; break;
	case '6': e->type = ENTRY_FIFO; break;
	default: return broken(t, "an entry of an unknown type");
	}
	return 0;
}

static int take_target(struct tar *t, struct writer_entry *e)
{
	uint8_t type = t->head[TYPE_AT];
	const char *target;

	if (type != '1' && type != '2')
		return 0;
	copy_field(t->head, target_field, t->target);
	target = either(t->pax.link, t->long_target, t->target);
	if (!*target)
		return broken(t, "a link without a target");
	*(type == '1' ? &e->hard : &e->target) = target;
	return 0;
}

/* Of these the size means nothing: no content follows. */
static bool header_only(uint8_t type)
{
	return type >= '1' && type <= '6';
}

static int make_item(struct tar *t, struct item *ret)
{
	const uint8_t type = t->head[TYPE_AT];
	struct writer_entry *e = &ret->entry;
	int r;

	*ret = (struct item){
		.capability = t->pax.capability, .capability_len = t->pax.capability_len};
	e->left_out = t->pax.left_out;
	e->name = either(t->pax.sparse_name ? t->pax.sparse_name : t->pax.path, t->long_name,
		name_in_header(t));
	if (!*e->name)
		return broken(t, "an entry without a name");
	if (take_type(t, e) < 0 || take_target(t, e) < 0 || take_numbers(t, e) < 0)
		return -EINVAL;
	if (header_only(type))
		t->size = 0;
	t->next = unpacked_at(t->s) + padded(t->size);
	/* An incremental dump's list of names. */
	if (type == 'D')
		return 0;
	r = read_sparse(t, ret);
	if (r == 0 && t->size) {
		if (pax_add_part(&t->pax, 0, t->size) < 0)
			return no_memory(t);
		r = take_sparse(t, t->size, ret);
	}
	return r < 0 ? r : 0;
}

/* Zeroes up to the end of the file: what else is there would be missing in the root. */
static int at_end(struct tar *t)
{
	int r;

	if (t->pax_data || t->long_name || t->long_target)
		return broken(t, "an extended header without its entry");
	r = unpacked_skip_zeroes(t->s, t->bytes_max);
	return r > 0 ? broken(t, "data after the end of the archive") : r;
}

int tar_next(struct tar *t, struct item *ret)
{
	forget(t);
	if (unpacked_skip(t->s, t->next - unpacked_at(t->s), "an entry") < 0)
		return -EINVAL;
	for (int i = 0; i < EXTENDED_MAX; i++) {
		int r = read_header(t);

		if (r <= 0)
			return r < 0 ? r : at_end(t);
		r = take_extended(t);
		if (r == 0)
			return make_item(t, ret) < 0 ? -EINVAL : 1;
		if (r < 0)
			return r;
	}
	return broken(t, "too many extended headers");
}
