// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/keys.h"

static int fail(struct keys *k, int error, const char *name)
{
	snprintf(k->text, sizeof(k->text), "%.120s: %s", name,
		error == -EINVAL ? "not a minisign public key" :
		error == -E2BIG ? "one key too many" : strerror(-error));
	return error;
}

static int add_file(const struct env *env, const char *path, struct keys *k)
{
	char text[1024];
	int n = env_read(env, text, sizeof(text), "%s", path);

	if (n < 0)
		return fail(k, n, path);
	if (k->n == KEYS_MAX)
		return fail(k, -E2BIG, path);
	if (minisig_key_parse(text, (size_t)n, &k->keys[k->n]) < 0)
		return fail(k, -EINVAL, path);
	k->n++;
	return 0;
}

static int add_folder(const struct env *env, struct keys *k)
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, KEYS_DIR);
	const struct dirent *e;
	char path[512];
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0 : fail(k, -errno, KEYS_DIR);
	while (r == 0 && (e = dir_next(dir))) {
		if (e->d_name[0] == '.' || !str_ends(e->d_name, ".pub"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", KEYS_DIR, e->d_name);
		r = add_file(env, path, k);
	}
	return r;
}

int keys_load(const struct env *env, const struct plan_image *image, struct keys *ret)
{
	int r = 0;

	*ret = (struct keys){0};
	for (size_t i = 0; i < image->n_keys && r == 0; i++) {
		if (image->keys[i].path)
			r = add_file(env, image->keys[i].path, ret);
		else if (ret->n == KEYS_MAX)
			r = fail(ret, -E2BIG, "rd.root.key");
		else
			minisig_key_from_bytes(image->keys[i].bytes, &ret->keys[ret->n++]);
	}
	return r < 0 ? r : add_folder(env, ret);
}
