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
