// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * adopt: see adopt.h. A mountinfo line (Documentation/filesystems/proc.rst 3.5): id parent
 * major:minor root target options [tags] - type source superblock-options.
 */
#include "root/nfs/adopt.h"

#include "root/image/layers.h"

#define LINE_FIELDS 64

struct fields {
	char *word[LINE_FIELDS];
	size_t n;
	size_t dash; /* index of "-" */
};

/* Splits at single spaces; mountinfo writes blanks inside a field as \040: unescape(). */
static bool split(char *line, struct fields *f)
{
	char *save = NULL;

	*f = (struct fields){0};
	for (char *w = strtok_r(line, " ", &save); w && f->n < LINE_FIELDS;
		w = strtok_r(NULL, " ", &save)) {
		if (streq(w, "-") && !f->dash)
			f->dash = f->n;
		f->word[f->n++] = w;
	}
	return f->dash >= 6 && f->dash + 3 < f->n;
}

static void take_option(struct root_result *r, const char *word)
{
	int version;

	if (strncmp(word, "vers=", 5) == 0) {
		version = nfs_version_from_name(word + 5);
		r->version = version < 0 ? r->version : (enum nfs_version)version;
	} else if (strncmp(word, "proto=", 6) == 0) {
		r->proto = strncmp(word + 6, "rdma", 4) == 0 ? NFS_PROTO_RDMA : NFS_PROTO_TCP;
	} else if (strncmp(word, "port=", 5) == 0) {
		r->port = (uint16_t)strtoul(word + 5, NULL, 10);
	} else if (strncmp(word, "addr=", 5) == 0) {
		strscpy(r->address, word + 5, sizeof(r->address));
	}
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		bool octal = *at == '\\' && is_octal(at[1]) && is_octal(at[2]) && is_octal(at[3]);

		*to = octal ? (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0')) : *at;
		at += octal ? 4 : 1;
	}
	*to = 0;
}

/* "server:/path": the first ":/" is the border; an IPv6 server stands in brackets before it,
 * which are not part of its address. */
static void take_source(struct root_result *r, char *source)
{
	char *border;

	unescape(source);
	border = strstr(source, ":/");
	if (!border)
		return;
	strscpy(r->path, border + 1, sizeof(r->path));
	*border = 0;
	if (*source == '[' && border[-1] == ']') {
		border[-1] = 0;
		source++;
	}
	strscpy(r->server, source, sizeof(r->server));
}

static int take_nfs(struct fields *f, void *data)
{
	struct root_result *ret = data;
	char *save = NULL;

	if (!streq(f->word[f->dash + 1], "nfs4") && !streq(f->word[f->dash + 1], "nfs"))
		return -EBUSY;
	*ret = (struct root_result){0};
	take_source(ret, f->word[f->dash + 2]);
	for (char *w = strtok_r(f->word[f->dash + 3], ",", &save); w;
		w = strtok_r(NULL, ",", &save))
		take_option(ret, w);
	return 1;
}

/* Calls take for each mount at target; the last line is the mount on top, and its verdict counts.
 * 0: there is none. */
static int each_mount(const struct env *env, const char *target,
	int (*take)(struct fields *, void *), void *data)
{
	_cleanup_fclose_ FILE *in = NULL;
	_cleanup_free_ char *line = NULL;
	char path[256];
	size_t size = 0;
	ssize_t n;
	int r = env_path(env, path, sizeof(path), "/proc/self/mountinfo");

	if (r < 0)
		return r;
	in = fopen(path, "re");
	if (!in)
		return -errno;
	r = 0;
	while ((n = getline(&line, &size, in)) > 0) {
		struct fields f;

		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		if (split(line, &f) && streq(f.word[4], target))
			r = take(&f, data);
	}
	return r;
}

static int take_layer(struct fields *f, void *data)
{
	(void)data;
	return streq(f->word[f->dash + 1], "overlay") ? 1 : -EBUSY;
}

/* Is a writable layer mounted at target? Then base is where the root below it lies. */
static bool is_layered(const struct env *env, const char *target, char *base, size_t size)
{
	return each_mount(env, target, take_layer, NULL) == 1 &&
		env_path(env, base, size, LAYERS_BASE) >= 0;
}

int root_adopt(const struct env *env, const char *target, struct root_result *ret)
{
	char base[256];
	int r = each_mount(env, target, take_nfs, ret);

	if (r != -EBUSY || !is_layered(env, target, base, sizeof(base)) ||
		each_mount(env, base, take_nfs, ret) != 1)
		return r;
	ret->overlay = true;
	return 1;
}

static int take_name(struct fields *f, void *data)
{
	unescape(f->word[f->dash + 2]);
	strscpy(data, f->word[f->dash + 2], ROOT_SOURCE_MAX);
	return 1;
}

void root_source(const struct env *env, const char *target, char ret[static ROOT_SOURCE_MAX])
{
	char base[256];
	const char *at = is_layered(env, target, base, sizeof(base)) ? base : target;

	if (each_mount(env, at, take_name, ret) <= 0)
		strscpy(ret, target, ROOT_SOURCE_MAX);
}
