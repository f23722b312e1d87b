// SPDX-License-Identifier: GPL-2.0-or-later
/* Roots whose init can be executed, and roots where something of it is missing; the words name
 * what. */
#include "check.h"

#include <elf.h>
#include <sys/stat.h>

#include "files.h"
#include "root/init/init_check.h"
#include "base/mountpoint.h"
#include "base/sysmount.h"

#define LOADER "/lib/ld.so"

static char root[] = "/tmp/initagent-init-XXXXXX";

static void expect(const char *wanted, int error, const char *words)
{
	char got[256];
	int r = init_check(root, wanted, got, sizeof(got));

	if (r != error || !strstr(got, words))
		check_fail(__FILE__, __LINE__, "%s: got %d \"%s\", want %d \"%s\"",
			wanted ? wanted : "default", r, got, error, words);
}

static void script(const char *path, const char *text)
{
	char full[256];

	files_text(root, path, text);
	snprintf(full, sizeof(full), "%s%s", root, path);
	CHECK_INT(chmod(full, 0755), 0);
}

static void make_fifo(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", root, path);
	CHECK_INT(mkfifo(full, 0755), 0);
}

TEST(programs_that_can_be_executed)
{
	check_dir(root);
	files_program(root, "/sbin/init");
	expect(NULL, 0, "/sbin/init");
	files_program(root, LOADER);
	files_elf(root, "/usr/lib/systemd", 0, LOADER);
	files_link(root, "/sbin/init", "/usr/lib/systemd");
	expect(NULL, 0, "/sbin/init");
	files_program(root, "/bin/sh");
	script("/bin/first", "#! /bin/sh -e\nexec true\n");
	expect("/bin/first", 0, "/bin/first");
	script("/bin/second", "#!/bin/first");
	expect("/bin/second", 0, "/bin/second");
	/* A name without a slash before it is found from the new root on, as by the kernel. */
	script("/bin/relative", "#!bin/sh\n");
	expect("/bin/relative", 0, "/bin/relative");
}

TEST(this_machines_own_programs)
{
	char got[256], self[256] = "";

	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	CHECK_INT(init_check("/", self, got, sizeof(got)), 0);
	CHECK_INT(init_check("/", "/bin/sh", got, sizeof(got)), 0);
}

TEST(no_init_at_all)
{
	check_dir(root);
	expect(NULL, -ENOENT, "/sbin/init: No such file");
	expect("/opt/init", -ENOENT, "/opt/init: No such file");
	files_link(root, "/sbin/init", "/lib/systemd/systemd");
	expect(NULL, -ENOENT, "/sbin/init: a link to /lib/systemd/systemd, which is not there");
	files_text(root, "/ostree/repo/config", "");
	expect(NULL, -ENOENT, "; deployments of OSTree (ostree=) are not entered");
}

TEST(a_shell_is_no_init_unless_it_is_asked_for)
{
	check_dir(root);
	files_program(root, "/bin/sh");
	expect(NULL, -ENOENT, "/sbin/init");
	expect("/bin/sh", 0, "/bin/sh");
}

TEST(the_next_one_is_taken_when_the_first_is_unusable)
{
	check_dir(root);
	files_text(root, "/sbin/init", "");
	expect(NULL, -EACCES, "/sbin/init: not executable");
	files_program(root, "/bin/init");
	expect(NULL, 0, "/bin/init");
}

/* As Debian's package systemd leaves a root without systemd-sysv; before the merge of /usr, too. */
TEST(systemd_is_an_init_without_the_link_to_it)
{
	check_dir(root);
	files_program(root, "/lib/systemd/systemd");
	expect(NULL, 0, "/lib/systemd/systemd");
	files_program(root, "/usr/lib/systemd/systemd");
	expect(NULL, 0, "/usr/lib/systemd/systemd");
	expect("/opt/init", -ENOENT, "/opt/init: No such file");
	files_program(root, "/bin/init");
	expect(NULL, 0, "/bin/init");
}

TEST(files_that_are_no_programs)
{
	check_dir(root);
	script("/empty", "");
	expect("/empty", -ENOEXEC, "/empty: the file is empty");
	script("/text", "exec /bin/sh\n");
	expect("/text", -ENOEXEC, "/text: neither");
	script("/bare", "#!\n");
	expect("/bare", -ENOEXEC, "/bare: neither");
	script("/elf", ELFMAG);
	expect("/elf", -ENOEXEC, "/elf: ");
	files_text(root, "/mode", "#!/text\n");
	expect("/mode", -EACCES, "/mode: not executable (mode 0644)");
	make_fifo("/fifo");
	expect("/fifo", -EACCES, "/fifo: not a regular file");
	expect("/", -EACCES, "not a regular file");
	files_elf(root, "/arm", EM_S390, NULL);
	expect("/arm", -ENOEXEC, "/arm: a program for another machine (s390)");
}

TEST(interpreters_that_are_missing)
{
	check_dir(root);
	script("/sbin/init", "#!/no/such/interpreter\n");
	expect(NULL, -ENOENT, "/sbin/init: interpreter /no/such/interpreter: No such file");
	script("/dos", "#!/bin/sh\r\n");
	files_program(root, "/bin/sh");
	expect("/dos", -ENOENT, "interpreter /bin/sh\r: No such file");
	files_elf(root, "/elf", 0, LOADER);
	expect("/elf", -ENOENT, "/elf: interpreter " LOADER ": No such file");
	script("/script", "#!/elf\n");
	expect("/script", -ENOENT, "/script: interpreter " LOADER);
	files_text(root, LOADER, "x");
	expect("/elf", -EACCES, "/elf: interpreter " LOADER ": not executable");
	script(LOADER, "#!/bin/sh\n");
	expect("/elf", -ENOEXEC, "no ELF loader");
	script("/self", "#!/self\n");
	expect("/self", -ELOOP, "too many interpreters");
}

/* What the kernel would load is not all there. */
TEST(a_program_that_is_cut_off)
{
	char full[256];

	check_dir(root);
	files_program(root, "/sbin/init");
	snprintf(full, sizeof(full), "%s/sbin/init", root);
	CHECK_INT(truncate(full, 130), 0);
	expect(NULL, -ENOEXEC, "/sbin/init: the file is cut off");
	CHECK_INT(truncate(full, 70), 0);
	expect(NULL, -ENOEXEC, "/sbin/init: the file is cut off");
}

TEST(a_file_is_opened_without_waiting)
{
	check_dir(root);
	files_text(root, "/file", "x");
	files_link(root, "/link", "/file");
	make_fifo("/fifo");
	for (int i = 0; i < 2; i++) {
		_cleanup_close_ int fd = sys_open_file_beneath(root, i ? "/link" : "/file");

		CHECK(fd >= 0);
	}
	CHECK_INT(sys_open_file_beneath(root, "/fifo"), -EINVAL);
	CHECK_INT(sys_open_file_beneath(root, "/"), -EINVAL);
	CHECK_INT(sys_open_file_beneath(root, "/none"), -ENOENT);
}

/* tests/oldkernel.bats: where the kernel has no openat2. What is on this side of a root's border is
 * "file", and beyond it "out". */
TEST(no_name_leads_out_of_a_root)
{
	static const struct {
		const char *link, *path;
		int in_root, beneath;
	} rows[] = {
		{"file", "link", 0, 0}, {"../file", "sub/up", 0, 0}, {"/file", "link", 0, -EXDEV},
		{"x", "/file", 0, -EXDEV}, {"x", "..//file", 0, -EXDEV},
		{"x", "sub/../../file", 0, -EXDEV}, {"../out", "link", -ENOENT, -EXDEV},
		{"..", "link/root/file", -ENOENT, -EXDEV}, {"sub/..", "link/../file", 0, -EXDEV},
		{"sub/..", "link/sub/../file", 0, 0}, {"sub/.", "link//..//file", 0, 0},
		{"link", "link", -ELOOP, -ELOOP}, {"x", "file/", -ENOTDIR, -ENOTDIR},
		{"file", "link/x", -ENOTDIR, -ENOTDIR},
	};
	char in[64];
	int dir;

	check_dir(root);
	files_text(root, "/out", "x");
	files_text(root, "/root/file", "x");
	files_text(root, "/root/sub/x", "x");
	files_link(root, "/root/sub/up", "../file");
	snprintf(in, sizeof(in), "%s/root", root);
	dir = open(in, O_PATH | O_CLOEXEC);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		bool beneath = i % 2;
		const char *path = rows[i / 2].path;
		int want = beneath ? rows[i / 2].beneath : rows[i / 2].in_root, fd;

		unlinkat(dir, "link", 0);
		CHECK_INT(symlinkat(rows[i / 2].link, dir, "link"), 0);
		fd = sys_open_how(dir, path, O_RDONLY, 0,
			beneath ? SYS_RESOLVE_BENEATH : SYS_RESOLVE_IN_ROOT);
		if ((fd < 0 ? fd : 0) != want)
			check_fail(__FILE__, __LINE__, "%s, link to %s: %d", path,
				rows[i / 2].link, fd);
		closep(&fd);
	}
	close(dir);
}

/* tests/oldkernel.bats: without the call at all. */
TEST(a_file_system_that_the_kernel_does_not_have)
{
	char text[MOUNT_TEXT_MAX];
	int r = mount_make("nosuchfs", "none", NULL, true, text);

	CHECK_STR(text, r == -ENOSYS ? "the kernel has no fsopen(2): Linux before 5.2"
		: r == -EPERM	     ? ""
				     : "the kernel has no nosuchfs (module nosuchfs)");
}

TEST(a_look_by_a_process_of_its_own_says_the_same)
{
	char got[INIT_CHECK_MAX];

	check_dir(root);
	files_program(root, "/sbin/init");
	CHECK_INT(init_check_limited(root, NULL, got, INIT_CHECK_LIMIT_MS), 0);
	CHECK_STR(got, "/sbin/init");
	CHECK_INT(init_check_limited(root, "/none", got, INIT_CHECK_LIMIT_MS), -ENOENT);
	CHECK_STR(got, "/none: No such file or directory");
}
