// SPDX-License-Identifier: GPL-2.0-or-later
/* files: see files.h. */
#include "files.h"

#include <limits.h>
#include <sys/stat.h>

#include "check.h"
#include "env.h"

FILE *files_create(const char *root, const char *path)
{
	char full[PATH_MAX];
	FILE *f;

	CHECK((size_t)snprintf(full, sizeof(full), "%s%s", root, path) < sizeof(full));
	for (char *p = strchr(full + strlen(root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		CHECK(mkdir(full, 0755) == 0 || errno == EEXIST);
		*p = '/';
	}
	f = fopen(full, "we");
	CHECK(f != NULL);
	return f;
}

void files_text(const char *root, const char *path, const char *text)
{
	FILE *f = files_create(root, path);

	CHECK(fputs(text, f) >= 0);
	CHECK_INT(fclose(f), 0);
}

void files_link(const char *root, const char *path, const char *target)
{
	char full[PATH_MAX];

	files_text(root, path, "");
	snprintf(full, sizeof(full), "%s%s", root, path);
	CHECK_INT(unlink(full), 0);
	CHECK_INT(symlink(target, full), 0);
}

void files_is(const char *root, const char *path, const char *line)
{
	const struct env env = {.prefix = root};
	char text[4096];

	CHECK(env_read(&env, text, sizeof(text), "%s", path) >= 0);
	CHECK_STR(text, line);
}
