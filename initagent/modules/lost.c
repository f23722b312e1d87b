// SPDX-License-Identifier: GPL-2.0-or-later
/* lost: see lost.h. */
#include "modules/lost.h"

#include <limits.h>
#include <sys/mman.h>

/* libkmod has no call for the raw line of one module; it can write the whole index to a file. */
static int dump_index(const struct catalog *c, FILE **ret)
{
	int fd = memfd_create("modules.dep", MFD_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = kmod_dump_index(catalog_kmod(c), KMOD_INDEX_MODULES_DEP, fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	if (lseek(fd, 0, SEEK_SET) < 0 || !(*ret = fdopen(fd, "r"))) {
		r = -errno;
		close(fd);
	}
	return r;
}

/* "NAME path/of/it.ko: path/of/need.ko path/of/other.ko": the needs, or NULL for other modules. */
static char *needs_in_line(char *line, const char *name)
{
	char *blank = strchr(line, ' ');
	char *colon;

	if (!blank)
		return NULL;
	*blank = 0;
	if (!catalog_same_name(line, name))
		return NULL;
	colon = strchr(blank + 1, ':');
	return colon ? colon + 1 : NULL;
}

/* The first path in the list that is no file below dir. */
static bool first_missing(const char *dir, char *needs, char *ret, size_t size)
{
	char path[PATH_MAX], *save = NULL;

	for (char *p = strtok_r(needs, " \n", &save); p; p = strtok_r(NULL, " \n", &save)) {
		int len = snprintf(path, sizeof(path), "%s%s%s", *p == '/' ? "" : dir,
			*p == '/' ? "" : "/", p);

		if (len > 0 && (size_t)len < sizeof(path) && access(path, F_OK) < 0) {
			(void)strscpy(ret, p, size);
			return true;
		}
	}
	return false;
}

int lost_need(const struct catalog *c, const char *name, char *ret, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	int r = dump_index(c, &f);

	if (r < 0)
		return r;
	while (getline(&line, &room, f) > 0) {
		char *needs = needs_in_line(line, name);

		if (needs)
			return first_missing(kmod_get_dirname(catalog_kmod(c)), needs, ret, size);
	}
	return 0;
}
