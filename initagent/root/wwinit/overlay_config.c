// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/wwinit/overlay_config.h"

#include "words.h"

/* Without the quotes around it; NULL: not a value. */
static bool take_value(struct slice v, char *ret, size_t size)
{
	if (v.len >= 2 && v.s[0] == '"' && v.s[v.len - 1] == '"')
		v = (struct slice){v.s + 1, v.len - 2};
	if (v.len >= size)
		return false;
	for (size_t i = 0; i < v.len; i++)
		if (v.s[i] <= ' ' || v.s[i] >= 0x7f)
			return false;
	memcpy(ret, v.s, v.len);
	ret[v.len] = 0;
	return true;
}

void overlay_config_parse(const char *text, size_t len, struct overlay_config *ret)
{
	const struct {
		const char *name;
		char *value;
		size_t size;
	} rows[] = {
		{"WWTLS=", ret->tls, sizeof(ret->tls)},
		{"WWIPADDR=", ret->address, sizeof(ret->address)},
		{"WWTLSPORT=", ret->port, sizeof(ret->port)},
	};
	struct slice rest = {text, len}, line;

	*ret = (struct overlay_config){0};
	while (slice_next(&rest, '\n', &line))
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
			if (slice_starts(line, rows[i].name))
				(void)take_value(slice_from(line, strlen(rows[i].name)),
					rows[i].value, rows[i].size);
}

/* One field of a line, without what a path or a device cannot hold. */
static bool take_field(struct slice *line, char *ret, size_t size)
{
	while (line->len && (*line->s == ' ' || *line->s == '\t'))
		*line = slice_from(*line, 1);
	for (size_t n = 0; n + 1 < size; n++) {
		ret[n] = 0;
		if (!line->len || *line->s == ' ' || *line->s == '\t')
			return true;
		if (*line->s < ' ' || *line->s >= 0x7f)
			return false;
		ret[n] = *line->s;
		*line = slice_from(*line, 1);
	}
	return false;
}

/* The line may leave the type out: what would be it is the path then. */
static bool take_mount(struct slice line, struct overlay_mount *ret)
{
	char second[sizeof(ret->path)];
	const char *up;

	if (!take_field(&line, ret->device, sizeof(ret->device)) ||
		!take_field(&line, second, sizeof(second)) ||
		!take_field(&line, ret->path, sizeof(ret->path)))
		return false;
	if (!*ret->path)
		strscpy(ret->path, second, sizeof(ret->path));
	else if (strscpy(ret->fstype, second, sizeof(ret->fstype)) < 0)
		return false;
	for (up = strstr(ret->path, "/.."); up && up[3] && up[3] != '/'; up = strstr(up + 3, "/.."))
		continue;
	return *ret->device && ret->path[0] == '/' && ret->path[1] && !up;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct overlay_mount *)a)->path,
		((const struct overlay_mount *)b)->path);
}

size_t overlay_mounts_parse(const char *text, size_t len,
	struct overlay_mount ret[static OVERLAY_MOUNTS_MAX], bool *ret_odd)
{
	struct slice rest = {text, len}, line;
	size_t n = 0;

	*ret_odd = false;
	while (slice_next(&rest, '\n', &line)) {
		struct overlay_mount m = {0};
		struct slice blank = line;

		while (blank.len && (*blank.s == ' ' || *blank.s == '\t'))
			blank = slice_from(blank, 1);
		if (!blank.len)
			continue;
		if (n < OVERLAY_MOUNTS_MAX && take_mount(line, &m))
			ret[n++] = m;
		else
			*ret_odd = true;
	}
	qsort(ret, n, sizeof(*ret), by_path);
	return n;
}
