// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/file.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/mountpoint.h"

int file_write(const struct env *env, const char *dir, const char *name, const void *data,
	size_t len, unsigned mode)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX], temp[PATH_MAX];
	int r = env_path(env, path, sizeof(path), "%s", dir);

	if (r < 0)
		return r;
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	r = env_path(env, path, sizeof(path), "%s/%s", dir, name);
	if (r >= 0)
		r = env_path(env, temp, sizeof(temp), "%s/.%s.new", dir, name);
	if (r < 0)
		return r;
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0)
		return -errno;
	r = io_write_all(fd, data, len);
	if (r >= 0 && rename(temp, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(temp);
	return r;
}

int file_remove(const struct env *env, const char *dir, const char *name)
{
	char path[PATH_MAX];
	int r = env_path(env, path, sizeof(path), "%s/%s", dir, name);

	if (r < 0)
		return r;
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

int file_make_dirs(const struct env *env, const char *dir)
{
	char path[PATH_MAX];
	int r = env_path(env, path, sizeof(path), "%s", dir);

	return r < 0 ? r : mount_folder(path);
}

int file_begin(struct file_stream *f)
{
	f->text = NULL;
	f->out = open_memstream(&f->text, &f->len);
	return f->out ? 0 : -ENOMEM;
}

int file_end(struct file_stream *f, const struct env *env, const char *dir, const char *name,
	unsigned mode)
{
	bool bad = fclose(f->out) != 0;
	int r = bad || !f->text ? -ENOMEM : file_make_dirs(env, dir);

	if (r >= 0)
		r = file_write(env, dir, name, f->text, f->len, mode);
	free(f->text);
	*f = (struct file_stream){0};
	return r;
}
