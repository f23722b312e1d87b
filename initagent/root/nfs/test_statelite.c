// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xCAT statelite: a root with this machine's programs and a script in the place of liteimg's, which
 * has the root at /sysroot. NFS is folders that are bound.
 */
#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "root/nfs/statelite.h"

#define TABLE "echo tmpfs /etc/x >/sysroot/.statelite/litefile\n"

struct place {
	char dir[64], root[96], view[96], text[NFS_TEXT_MAX];
	struct plan_statelite plan;
	struct statelite s;
};

static char kept[96];
static unsigned old_versions;
static char seen_options[64];

static void put(const char *folder, const char *name, const char *text, mode_t mode)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
	CHECK(fd >= 0);
	CHECK_INT(write(fd, text, strlen(text)), (long long)strlen(text));
	close(fd);
}

static const char *get(const char *folder, const char *name)
{
	static char text[128];
	char path[256];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	return n < 0 ? "(none)" : text;
}

static void make_folder(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s", folder, name);
	CHECK_INT(mkdir(path, 0755), 0);
}

/* A server that speaks NFS 4.0. */
static int bind_kept(const struct nfs_attempt *a, const char *target, char *text)
{
	char path[256];

	strscpy(text, "", NFS_TEXT_MAX);
	CHECK_STR(a->server, "mn");
	CHECK_STR(a->address, "192.0.2.1");
	snprintf(seen_options, sizeof(seen_options), "%s", a->options);
	if (a->version < NFS_VERSION_40) {
		old_versions++;
		return -EPROTONOSUPPORT;
	}
	/* there is no mountd to ask */
	if (a->version == NFS_VERSION_3) {
		strscpy(text, "mountd", NFS_TEXT_MAX);
		return -ECONNREFUSED;
	}
	snprintf(path, sizeof(path), "%s%s", kept, a->path);
	return mount(path, target, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

/* A kernel without NFS 4.2, and a server that lets this node mount by version 3 alone. */
static int bind_by_v3(const struct nfs_attempt *a, const char *target, char *text)
{
	char path[256];

	strscpy(text, "", NFS_TEXT_MAX);
	if (a->version < NFS_VERSION_3)
		return a->version == NFS_VERSION_42 ? -EINVAL : -EACCES;
	snprintf(path, sizeof(path), "%s%s", kept, a->path);
	return mount(path, target, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

/* Mounts below a folder, or all others. */
static unsigned mounts(const char *dir, bool below)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char line[1024];
	unsigned n = 0;

	CHECK(in != NULL);
	while (fgets(line, sizeof(line), in))
		n += (strstr(line, dir) != NULL) == below;
	fclose(in);
	return n;
}

/* What other programs of the machine have mounted goes here, too, when they remove its folder: it
 * is not to be counted. */
static void drop_mounts_of_others(void)
{
	static char paths[1024][256];
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char line[1024];
	size_t n = 0;

	CHECK(in != NULL);
	while (n < ARRAY_SIZE(paths) && fgets(line, sizeof(line), in))
		n += sscanf(line, "%*s %*s %*s %*s %255s", paths[n]) == 1 &&
			(!strncmp(paths[n], "/tmp/", 5) || !strncmp(paths[n], "/run/", 5));
	fclose(in);
	while (n-- > 0)
		(void)umount2(paths[n], MNT_DETACH);
}

static char steps[512];

static void note_step(const char *text)
{
	size_t n = strlen(steps);

	snprintf(steps + n, sizeof(steps) - n, "%s\n", text);
}

static void make_place(struct place *p, const char *script)
{
	static const char *const links[] = {"/bin", "/sbin", "/lib", "/lib64"};
	static const char *const folders[] = {"/usr", "/etc", "/etc/init.d", "/var", "/dev",
		"/proc", "/sys", "/tmp", "/.statelite"};
	char path[256], to[16];

	if (geteuid() != 0)
		check_skip("mounting takes root");
	*p = (struct place){.dir = "/tmp/statelite-XXXXXX", .plan.node = "n1"};
	CHECK_INT(unshare(CLONE_NEWNS), 0);
	CHECK_INT(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	drop_mounts_of_others();
	/* as under systemd */
	CHECK_INT(mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL), 0);
	check_dir(p->dir);
	CHECK_INT(mount("tmpfs", p->dir, "tmpfs", 0, NULL), 0);
	snprintf(p->root, sizeof(p->root), "%s/root", p->dir);
	snprintf(p->view, sizeof(p->view), "%s/view", p->dir);
	snprintf(kept, sizeof(kept), "%s/kept", p->dir);
	make_folder(kept, "");
	make_folder(p->root, "");
	CHECK_INT(mount("tmpfs", p->root, "tmpfs", 0, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		make_folder(p->root, folders[i]);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		snprintf(path, sizeof(path), "%s%s", p->root, links[i]);
		snprintf(to, sizeof(to), "usr%s", links[i]);
		CHECK_INT(symlink(to, path), 0);
	}
	snprintf(path, sizeof(path), "%s/usr", p->root);
	CHECK_INT(mount("/usr", path, NULL, MS_BIND, NULL), 0);
	put(p->root, "/etc/x", "of the image\n", 0444);
	if (script)
		put(p->root, "/etc/init.d/statelite", script, 0755);
	p->s = (struct statelite){.plan = &p->plan, .root = p->root, .view = p->view,
		.address = "192.0.2.1", .resolv_conf = "/nonexistent", .mount = bind_kept,
		.step = note_step};
}

TEST(what_the_script_mounts_is_over_the_root)
{
	char mine[65], now[65];
	struct place p;
	unsigned before;

	CHECK_INT(gethostname(mine, sizeof(mine)), 0);
	make_place(&p, "#!/bin/sh -e\n" TABLE
		"cd /sysroot/.statelite/tmpfs\n"
		"hostname >x\n"
		"mount --bind x /sysroot/etc/x\n"
		"read line </etc/x\n"
		"echo \"$line\" >seen\n"
		"test -e /proc/self && test -e /dev/null && echo all >here\n"
		"false\n");
	put(p.root, "/etc/init.d/localdisk", "#!/bin/sh\n"
		"echo disk >/sysroot/.statelite/tmpfs/disk\n", 0755);
	before = mounts(p.dir, false);
	CHECK_INT(statelite_apply(&p.s, p.text), 0);
	CHECK_INT(mounts(p.dir, false), before);
	/* itself, /usr, /.statelite and /etc/x */
	CHECK_INT(mounts(p.root, true), 4);
	CHECK_STR(get(p.root, "/etc/x"), "n1");
	CHECK_STR(get(p.root, "/.statelite/tmpfs/seen"), "n1");
	CHECK_STR(get(p.root, "/.statelite/tmpfs/disk"), "disk");
	CHECK_STR(get(p.root, "/.statelite/tmpfs/here"), "all");
	CHECK(access(p.view, F_OK) < 0);
	CHECK_INT(gethostname(now, sizeof(now)), 0);
	CHECK_STR(now, mine);
}

/* xCAT's xcatroot copies it there; without a file in the table the image's own stays. */
TEST(resolv_conf_where_the_table_has_one)
{
	static const char *const scripts[] = {"#!/bin/sh\n" TABLE
		"cd /sysroot/.statelite/tmpfs\n"
		"echo longer than what comes here >resolv\n"
		"mount --bind resolv /sysroot/etc/resolv.conf\n", "#!/bin/sh\n" TABLE};

	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		struct place p;
		char path[128];

		make_place(&p, scripts[i]);
		put(p.root, "/etc/resolv.conf", "nameserver 192.0.2.9\n", 0644);
		put(p.dir, "/resolv.conf", "nameserver 192.0.2.53\n", 0644);
		snprintf(path, sizeof(path), "%s/resolv.conf", p.dir);
		p.s.resolv_conf = path;
		CHECK_INT(statelite_apply(&p.s, p.text), 0);
		CHECK_STR(get(p.root, "/etc/resolv.conf"),
			i == 0 ? "nameserver 192.0.2.53" : "nameserver 192.0.2.9");
	}
}

/* As when the agent dies, or its limit is over, while the script runs. */
TEST(a_process_that_is_killed_takes_no_mount_of_the_machine_along)
{
	struct place p;
	unsigned before;
	int status;
	pid_t pid;

	make_place(&p, "#!/bin/sh\nkill -9 $PPID\n");
	before = mounts(p.dir, false);
	pid = fork();
	if (pid == 0)
		_exit(statelite_apply(&p.s, p.text) != 0);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status));
	CHECK(mounts(p.view, true) > 0);
	statelite_drop_view(p.root, p.view);
	CHECK_INT(mounts(p.view, true), 0);
	CHECK_INT(mounts(p.dir, false), before);
}

TEST(kept_files_are_the_nodes_own)
{
	static const char script[] = "#!/bin/sh -e\n" TABLE
		"cd /sysroot/.statelite/persistent\n"
		"test -e count || echo 0 >count\n"
		"read n <count\n"
		"echo $((n + 1)) >count\n";
	struct place p;

	for (unsigned boots = 1; boots <= 2; boots++) {
		make_place(&p, script);
		p.plan.server = "mn";
		p.plan.path = "/state";
		make_folder(kept, "/state");
		if (boots == 2)
			make_folder(kept, "/state/n1");
		if (boots == 2)
			put(kept, "/state/n1/count", "1\n", 0644);
		CHECK_INT(statelite_apply(&p.s, p.text), 0);
		CHECK_STR(get(kept, "/state/n1/count"), boots == 2 ? "2" : "1");
	}
	CHECK_INT(old_versions, 2 * 2 * NFS_VERSION_40);
	CHECK_STR(seen_options, "");
}

/* MNTOPTS= of the table. */
TEST(kept_files_are_mounted_as_the_table_says)
{
	static const struct plan_nfs options = {
		.versions = PLAN_NFS_V40, .options = "rsize=32768", .nolock = true};
	struct place p;

	make_place(&p, "#!/bin/sh -e\n" TABLE);
	p.plan.server = "mn";
	p.plan.path = "/state";
	p.plan.nfs = &options;
	make_folder(kept, "/state");
	old_versions = 0;
	put(p.root, "/etc/init.d/localdisk", "#!/bin/sh\n", 0755);
	steps[0] = 0;
	CHECK_INT(statelite_apply(&p.s, p.text), 0);
	CHECK_INT(old_versions, 0);
	CHECK_STR(seen_options, "rsize=32768");
	CHECK_STR(steps, "the mount of mn:/state (STATEMNT=)\n"
		"/etc/init.d/localdisk of the image\n"
		"/etc/init.d/statelite of the image, which asks xCAT's master for the table\n");
}

TEST(kept_files_by_the_version_that_the_root_would_be_mounted_by)
{
	struct place p;

	make_place(&p, "#!/bin/sh -e\n" TABLE);
	p.plan.server = "mn";
	p.plan.path = "/state";
	p.s.mount = bind_by_v3;
	make_folder(kept, "/state");
	CHECK_INT(statelite_apply(&p.s, p.text), 0);
	p.plan.path = "/nowhere";
	CHECK_INT(statelite_apply(&p.s, p.text), -EACCES);
}

TEST(a_folder_that_cannot_be_kept_in_is_named)
{
	struct place p;

	make_place(&p, "#!/bin/sh\n" TABLE);
	p.plan.server = "mn";
	p.plan.path = "/nowhere";
	CHECK_INT(statelite_apply(&p.s, p.text), -ENOENT);
	CHECK_STR(p.text, "mn:/nowhere: No such file or directory");
}

TEST(without_a_table_nothing_is_booted)
{
	struct place p;

	make_place(&p, "#!/bin/sh\n"
		">/sysroot/.statelite/litefile\necho; echo Cannot find the xCAT server\n");
	CHECK_INT(statelite_apply(&p.s, p.text), -ENODATA);
	CHECK_STR(p.text, "/etc/init.d/statelite of the image got no table from xCAT's master; it "
		"says: Cannot find the xCAT server");
}

TEST(a_script_that_cannot_run)
{
	struct place p;

	make_place(&p, "#!/bin/nowhere\n");
	CHECK_INT(statelite_apply(&p.s, p.text), -ENOENT);
	CHECK_STR(p.text, "/etc/init.d/statelite of the image did not run: "
		"No such file or directory");
}

TEST(an_image_that_is_none)
{
	char path[256];
	struct place p;

	make_place(&p, NULL);
	CHECK_INT(statelite_apply(&p.s, p.text), -ENOENT);
	CHECK_STR(p.text, "the image has no /.statelite or no /etc/init.d/statelite");
	/* nor a link to a folder that something else needs */
	make_place(&p, "#!/bin/sh\n" TABLE);
	snprintf(path, sizeof(path), "%s/.statelite", p.root);
	CHECK_INT(rmdir(path), 0);
	CHECK_INT(symlink("etc", path), 0);
	CHECK_INT(statelite_apply(&p.s, p.text), -ENOENT);
}

TEST(a_script_whose_last_command_is_missing)
{
	struct place p;

	make_place(&p, "#!/bin/sh\n" TABLE "nosuchprogram --x\n");
	CHECK_INT(statelite_apply(&p.s, p.text), 0);
	CHECK_STR(p.text, "");
}

TEST(a_process_that_a_script_leaves_is_not_waited_for)
{
	struct place p;
	uint64_t began = now_ns();

	make_place(&p, "#!/bin/sh\n" TABLE "sleep 60 &\n");
	CHECK_INT(statelite_apply(&p.s, p.text), 0);
	CHECK(now_ns() - began < 50 * NSEC_PER_SEC);
}
