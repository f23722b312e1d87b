// SPDX-License-Identifier: GPL-2.0-or-later
#include "content.h"

#include <dirent.h>
#include <sys/sysmacros.h>

#include "elf.h"
#include "host.h"

/* Mount points the agent and a rescue shell expect. */
static const struct {
	const char *path;
	mode_t mode;
} dirs[] = {
	{"bin", 0755},
	{"dev", 0755},
	{"etc", 0755},
	{"lib", 0755},
	{"proc", 0555},
	{"root", 0700},
	{"run", 0755},
	{"sbin", 0755},
	{"sys", 0555},
	{"sysroot", 0755},
	{"tmp", 01777},
};

/* What one needs on a node that did not boot. modprobe is the agent's. */
static const char *const applets[] = {"sh", "arping", "awk", "cat", "chmod", "chroot", "clear",
	"cp", "cut", "date", "dd", "df", "dmesg", "du", "echo", "env", "find", "free", "grep",
	"gzip", "halt", "head", "hexdump", "hostname", "insmod", "ip", "kill", "less", "ln", "ls",
	"lsmod", "mkdir", "mknod", "mount", "mv", "nc", "nslookup", "od", "ping", "ping6",
	"poweroff", "ps", "readlink", "reboot", "rm", "rmdir", "rmmod", "sed", "sha256sum", "sleep",
	"sort", "strings", "stty", "sync", "sysctl", "tail", "tar", "telnet", "top", "tr",
	"traceroute", "traceroute6", "umount", "uname", "vi", "wc", "wget", "xargs", "zcat"};

static const char release[] = "NAME=initagent\n"
			      "ID=initagent\n"
			      "VERSION_ID=" INITAGENT_VERSION "\n"
			      "PRETTY_NAME=\"initagent " INITAGENT_VERSION " (initramfs)\"\n";

void content_add_base(struct tree *t)
{
	/* The kernel opens it for PID 1 before anything can mount devtmpfs. */
	const struct tree_entry console = {.path = "dev/console", .mode = S_IFCHR | 0600,
		.rdev = makedev(5, 1), .why = "console of PID 1"};
	static const struct tree_entry release_file = {.path = "etc/initrd-release",
		.mode = S_IFREG | 0644, .data = release, .size = sizeof(release) - 1,
		.why = "says that this is an initramfs"};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		need(tree_dir(t, dirs[i].path, dirs[i].mode, "directory"), dirs[i].path);
	need(tree_add(t, &console), console.path);
	need(tree_add(t, &release_file), release_file.path);
	need(tree_link(t, "bin/initagent", "../init", "the agent's commands in the rescue shell"),
		"bin/initagent");
	need(tree_link(t, "sbin/modprobe", "../init", "what the kernel runs to load a module"),
		"sbin/modprobe");
}

/* add_program: a program of the building machine, which must not need a loader or libraries. */
static void add_program(
	struct tree *t, const char *file, const char *path, const char *why, const char *package)
{
	_cleanup_bytes_ struct bytes b = {0};

	need(file_read(file, &b, NULL), file);
	if (elf_static(b.data, b.size) != 1)
		die(-ENOEXEC, "%s is not statically linked%s", file, package);
	need(tree_file(t, path, 0755, b.data, b.size, why), file);
}

void content_add_agent(struct tree *t, const char *file)
{
	add_program(t, file, "init", "the agent", "");
}

void content_add_busybox(struct tree *t, const char *file)
{
	add_program(t, file, "bin/busybox", "rescue shell", " (package busybox-static)");
	for (size_t i = 0; i < ARRAY_SIZE(applets); i++) {
		const char *path = path_text("bin/%s", applets[i]);

		need(tree_link(t, path, "busybox", "rescue shell"), path);
	}
}

void content_add_extra(struct tree *t, const char *spec)
{
	const char *what = path_text("--extra %s", spec);
	char *file = path_text("%s", spec), *path = strrchr(file, ':');
	_cleanup_bytes_ struct bytes b = {0};
	mode_t mode;

	if (!path || path[1] != '/' || !tree_path_safe(path + 2))
		die(-EINVAL, "%s: FILE:PATH with an absolute PATH in normal form", what);
	*path = 0;
	need(file_read(file, &b, &mode), what);
	need(tree_file(t, path + 2, mode, b.data, b.size, "asked for with --extra"), what);
}

void content_add_modprobe_d(struct tree *t, const char *dir)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	const struct dirent *e;

	if (!d)
		die(-errno, "%s", dir);
	while ((e = dir_next(d))) {
		const char *file = path_text("%s/%s", dir, e->d_name);
		_cleanup_bytes_ struct bytes b = {0};

		if (e->d_name[0] == '.' || !str_ends(e->d_name, ".conf"))
			continue;
		need(file_read(file, &b, NULL), file);
		need(tree_file(t, path_text("etc/modprobe.d/%s", e->d_name), 0644, b.data, b.size,
			     "module options and blacklists"),
			file);
	}
}
