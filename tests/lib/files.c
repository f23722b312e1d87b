// SPDX-License-Identifier: GPL-2.0-or-later
/* files: see files.h. */
#include "files.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>

#include "check.h"
#include "base/env.h"

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

/* e_machine of this program. */
static uint16_t own_machine(void)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ElfW(Ehdr) eh;

	CHECK(read(fd, &eh, sizeof(eh)) == (ssize_t)sizeof(eh));
	return eh.e_machine;
}

void files_elf(const char *root, const char *path, uint16_t machine, const char *loader)
{
	struct {
		ElfW(Ehdr) eh;
		ElfW(Phdr) ph[2];
		char loader[64];
	} file = {
		.eh = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
			       sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32,
			       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
									 : ELFDATA2MSB,
			       EV_CURRENT},
			.e_type = ET_EXEC,
			.e_machine = machine ? machine : own_machine(),
			.e_version = EV_CURRENT,
			.e_phoff = sizeof(ElfW(Ehdr)),
			.e_ehsize = sizeof(ElfW(Ehdr)),
			.e_phentsize = sizeof(ElfW(Phdr)),
			.e_phnum = loader ? 2 : 1},
		.ph = {{.p_type = PT_LOAD, .p_filesz = sizeof(file), .p_memsz = sizeof(file)},
			{.p_type = PT_INTERP,
				.p_offset = sizeof(ElfW(Ehdr)) + 2 * sizeof(ElfW(Phdr)),
				.p_filesz = loader ? strlen(loader) + 1 : 0}},
	};
	FILE *f = files_create(root, path);

	strscpy(file.loader, loader ? loader : "", sizeof(file.loader));
	CHECK(fwrite(&file, sizeof(file), 1, f) == 1);
	CHECK_INT(fchmod(fileno(f), 0755), 0);
	CHECK_INT(fclose(f), 0);
}

void files_program(const char *root, const char *path)
{
	files_elf(root, path, 0, NULL);
}
