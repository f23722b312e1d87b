// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Archives, unpacked for real into a folder of a folder. Whatever is in them: nothing outside of
 * the inner folder appears, limits hold, and a failure has a cause.
 */
#include <dirent.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "root/image/unpack.h"

#define LIMIT (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return chmod(path, 0700), remove(path);
}

/* The outer folder holds the inner one and nothing else. */
static bool clean(const char *outer)
{
	DIR *d = opendir(outer);
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n == 3;
}

static void check(const struct unpack_message *m)
{
	if (!m->final || m->made.bytes > LIMIT || m->kind >= IMAGE_KIND_MAX ||
		!memchr(m->text, 0, sizeof(m->text)) || (m->cause && !*m->text) ||
		m->cause == CAUSE_INTERNAL)
		__builtin_trap();
}

static void unpack(int fd, const char *inner, bool layer)
{
	const struct unpack_config cfg = {.fd = fd, .bytes_max = LIMIT, .layer = layer,
		.plain = layer};
	struct unpack_message m = {0};

	if (lseek(fd, 0, SEEK_SET) != 0 || unpack_into(&cfg, inner, false, &m) < 0)
		__builtin_trap();
	check(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char outer[] = "/tmp/fuzz-unpack-XXXXXX", inner[64];
	int fd = memfd_create("archive", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || !mkdtemp(outer))
		__builtin_trap();
	snprintf(inner, sizeof(inner), "%s/inner", outer);
	if (mkdir(inner, 0755) < 0)
		__builtin_trap();
	/* a root, and the same as a layer over it */
	unpack(fd, inner, false);
	unpack(fd, inner, true);
	if (!clean(outer))
		__builtin_trap();
	nftw(outer, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	close(fd);
	return 0;
}
