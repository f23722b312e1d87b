// SPDX-License-Identifier: GPL-2.0-or-later
#include "content.h"

#include <dirent.h>
#include <sys/sysmacros.h>

#include "elf.h"
#include "file.h"
#include "spawn.h"

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
static const char *const applets[] = {"sh", "cat", "chmod", "chroot", "clear", "cp", "cut", "date",
	"dd", "df", "dmesg", "du", "echo", "env", "find", "free", "grep", "halt", "head", "hexdump",
	"hostname", "insmod", "ip", "kill", "less", "ln", "ls", "lsmod", "mkdir", "mknod", "mount", "mv",
	"nslookup", "ping", "poweroff", "ps", "readlink", "reboot", "rm", "rmdir", "sed", "sleep",
	"sort", "stty", "sync", "tail", "top", "traceroute", "umount", "uname", "vi", "wc", "wget"};

static const char release[] = "NAME=initagent\n"
			      "ID=initagent\n"
			      "VERSION_ID=" INITAGENT_VERSION "\n"
			      "PRETTY_NAME=\"initagent " INITAGENT_VERSION " (initramfs)\"\n";

int content_add_base(struct tree *t)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && r == 0; i++)
		r = tree_dir(t, dirs[i].path, dirs[i].mode, "directory");
	/* The kernel opens it for PID 1 before anything can mount devtmpfs. */
	if (r == 0)
		r = tree_char(t, "dev/console", 0600, makedev(5, 1), "console of PID 1");
	if (r == 0)
		r = tree_file(t, "etc/initrd-release", 0644, release, sizeof(release) - 1,
			"says that this is an initramfs");
	if (r == 0)
		r = tree_link(t, "bin/initagent", "../init", "the agent's commands in the rescue shell");
	if (r == 0)
		r = tree_link(t, "sbin/modprobe", "../init",
			"what the kernel runs when it wants a module");
	return r;
}

int content_add_program(struct tree *t, const struct content_program *p)
{
	_cleanup_free_ void *data = NULL;
	mode_t mode;
	size_t size;
	int r = file_read(p->file, &data, &size, &mode);

	if (r < 0)
		return r;
	if (elf_static(data, size) != 1)
		return -ENOEXEC;
	return tree_file(t, p->path, 0755, data, size, p->why);
}

int content_add_busybox(struct tree *t, const char *file)
{
	int r = content_add_program(
		t, &(struct content_program){file, "bin/busybox", "rescue shell"});

	for (size_t i = 0; i < ARRAY_SIZE(applets) && r == 0; i++) {
		char path[64];

		snprintf(path, sizeof(path), "bin/%s", applets[i]);
		r = tree_link(t, path, "busybox", "rescue shell");
	}
	return r;
}

int content_add_extra(struct tree *t, const char *spec)
{
	_cleanup_free_ char *file = strdup(spec);
	_cleanup_free_ void *data = NULL;
	mode_t mode;
	size_t size;
	char *path;
	int r;

	if (!file)
		return -ENOMEM;
	path = strrchr(file, ':');
	if (!path || path[1] != '/' || !tree_path_safe(path + 2))
		return -EINVAL;
	*path = 0;
	r = file_read(file, &data, &size, &mode);
	return r < 0 ? r : tree_file(t, path + 2, mode, data, size, "asked for with --extra");
}

static int add_conf(struct tree *t, const char *dir, const char *name)
{
	_cleanup_free_ char *file = NULL;
	_cleanup_free_ void *data = NULL;
	char path[TREE_PATH_MAX];
	mode_t mode;
	size_t size;
	int r;

	if (asprintf(&file, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	snprintf(path, sizeof(path), "etc/modprobe.d/%s", name);
	r = file_read(file, &data, &size, &mode);
	return r < 0 ? r : tree_file(t, path, 0644, data, size, "module options and blacklists");
}

int content_add_modprobe_d(struct tree *t, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int r = 0;

	if (!d)
		return -errno;
	while (r == 0 && (e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (e->d_name[0] != '.' && len > 5 && streq(e->d_name + len - 5, ".conf"))
			r = add_conf(t, dir, e->d_name);
	}
	closedir(d);
	return r;
}
