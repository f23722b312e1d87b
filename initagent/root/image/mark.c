// SPDX-License-Identifier: GPL-2.0-or-later
/* mark: see mark.h. */
#include "root/image/mark.h"

#include "base/env.h"
#include "base/mountpoint.h"

#define MARK STATE_DIR "/image-root"

int mark_write(const struct env *env, const struct image_result *r)
{
	_cleanup_fclose_ FILE *out = NULL;
	char path[512];
	int e = env_path(env, path, sizeof(path), "%s", STATE_DIR);

	if (e >= 0)
		e = mount_folder(path);
	if (e >= 0)
		e = env_path(env, path, sizeof(path), "%s", MARK);
	if (e < 0)
		return e;
	out = fopen(path, "we");
	if (!out)
		return -errno;
	fprintf(out, "%s %s %d\n", image_kind_name(r->kind), image_kind_name(r->root), r->overlay);
	return fflush(out) ? -EIO : 0;
}

int mark_read(const struct env *env, struct image_result *ret)
{
	char text[64], *save = NULL, *kind, *root, *overlay;
	int r = env_read(env, text, sizeof(text), "%s", MARK);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	kind = strtok_r(text, " ", &save);
	root = strtok_r(NULL, " ", &save);
	overlay = strtok_r(NULL, " ", &save);
	if (!kind || !root || !overlay)
		return 0;
	*ret = (struct image_result){
		.kind = image_kind_from_name(kind),
		.root = image_kind_from_name(root),
		.overlay = streq(overlay, "1"),
	};
	return ret->kind != IMAGE_UNKNOWN && ret->root != IMAGE_UNKNOWN;
}

void mark_drop(const struct env *env)
{
	char path[512];

	if (env_path(env, path, sizeof(path), "%s", MARK) >= 0)
		unlink(path);
}
