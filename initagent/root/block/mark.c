// SPDX-License-Identifier: GPL-2.0-or-later
/* mark: see mark.h. One value a line, in a fixed order; no value holds a line's end. */
#include "root/block/mark.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include "base/file.h"
#include "root/image/layers.h"
#include "root/init/init_check.h"

#define MARK "block-root"

int mark_block_write(const struct env *env, const struct block_result *r)
{
	char text[1024];
	int n =
		snprintf(text, sizeof(text), "%s\n%s\n%s\n%s\n%s\n%s\n%s\n%u %u %d %d %llu\n",
		r->kind, r->proto, r->device,
		r->fstype, r->server, r->address, r->name, r->port, r->attempts, r->readonly,
		r->overlay, (unsigned long long)r->bytes);

	if (n < 0 || (size_t)n >= sizeof(text))
		return -ENAMETOOLONG;
	return file_write(env, STATE_DIR, MARK, text, (size_t)n, 0600);
}

static bool take_line(char **at, char *dst, size_t size)
{
	char *line = strsep(at, "\n");

	return line && *at && strscpy(dst, line, size) >= 0;
}

int mark_block_read(const struct env *env, struct block_result *ret)
{
	char text[1024], *at = text;
	unsigned long long bytes;
	int r = env_read(env, text, sizeof(text), "%s/%s", STATE_DIR, MARK);
	bool whole;

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	*ret = (struct block_result){.adopted = true};
	whole = take_line(&at, ret->kind, sizeof(ret->kind)) &&
		take_line(&at, ret->proto, sizeof(ret->proto)) &&
		take_line(&at, ret->device, sizeof(ret->device)) &&
		take_line(&at, ret->fstype, sizeof(ret->fstype)) &&
		take_line(&at, ret->server, sizeof(ret->server)) &&
		take_line(&at, ret->address, sizeof(ret->address)) &&
		take_line(&at, ret->name, sizeof(ret->name));
	if (!whole ||
		sscanf(at, "%u %u %d %d %llu", &ret->port, &ret->attempts, &ret->readonly,
		&ret->overlay, &bytes) != 5)
		return 0;
	ret->bytes = bytes;
	return 1;
}

void mark_block_drop(const struct env *env)
{
	char path[512];

	if (env_path(env, path, sizeof(path), "%s/%s", STATE_DIR, MARK) >= 0)
		unlink(path);
}

/* Is what is mounted at path the device named? */
static bool mounted_from(const struct env *env, const char *path, const char *device)
{
	char node[128];
	struct stat here, there;

	return env_path(env, node, sizeof(node), "/dev/%s", device) >= 0 &&
		stat(path, &here) == 0 &&
		stat(node, &there) == 0 && S_ISBLK(there.st_mode) && here.st_dev == there.st_rdev;
}

bool mark_block_adopt(const struct env *env, const char *target, const char *init,
	struct block_result *ret)
{
	char base[512];

	return mark_block_read(env, ret) > 0 &&
		(!ret->overlay || env_path(env, base, sizeof(base), LAYERS_BASE) >= 0) &&
		mounted_from(env, ret->overlay ? base : target, ret->device) &&
		init_check_limited(target, init, ret->init, INIT_CHECK_LIMIT_MS) == 0;
}

void block_drop(const struct env *env, const char *target)
{
	umount2(target, MNT_DETACH | UMOUNT_NOFOLLOW);
	layers_drop(env, NULL);
	mark_block_drop(env);
}
