// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/nfs/statelite.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/mountpoint.h"
#include "base/script.h"
#include "base/sysmount.h"
#include "root/nfs/verdict.h"

#define FOLDER	"/.statelite"
#define TMPFS	FOLDER "/tmpfs"
#define KEPT	FOLDER "/persistent"
#define TABLE	FOLDER "/litefile"
#define DISK	"/etc/init.d/localdisk"
#define SCRIPT	"/etc/init.d/statelite"
#define SYSROOT "/sysroot"
#define RESOLV_CONF_MAX 65536

_printf_(3, 4) static int fail(char *text, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, NFS_TEXT_MAX, fmt, ap);
	va_end(ap);
	return error;
}

static char *join(char path[static PATH_MAX], const char *folder, const char *name)
{
	snprintf(path, PATH_MAX, "%s%s", folder, name);
	return path;
}

/* --- the folder ------------------------------------------------------------------------------ */

static int mount_own_folder(const struct statelite *s, char *text)
{
	_cleanup_close_ int at = sys_open_beneath(s->root, FOLDER,
		O_PATH | O_DIRECTORY | O_NOFOLLOW);
	_cleanup_close_ int mnt = -1;
	char path[PATH_MAX];
	int r;

	if (at < 0 || !sys_there_beneath(s->root, SCRIPT))
		return fail(text, -ENOENT, "the image has no " FOLDER " or no " SCRIPT);
	mnt = mount_make("tmpfs", "rw", NULL, false, text);
	if (mnt < 0)
		return mnt;
	r = mount_attach(mnt, join(path, s->root, FOLDER));
	if (r >= 0)
		r = mount_folder(join(path, s->root, TMPFS));
	return r < 0 ? fail(text, r, FOLDER ": %s", strerror(-r)) : 0;
}

/* As MNTOPTS= has it; without, any version that the server speaks. */
static int mount_kept(const struct statelite *s, const char *path, const char *at, char *text)
{
	const struct plan_nfs *o = s->plan->nfs ? s->plan->nfs : &nfs_any;
	struct nfs_attempt a = {
		.server = s->plan->server,
		.address = s->address,
		.ipv6 = strchr(s->address, ':') != NULL,
		.path = path,
		.options = o->options,
		.version = nfs_version_allowed(o->versions, 0),
		.proto = o->proto == PLAN_NFS_PROTO_RDMA ? NFS_PROTO_RDMA : NFS_PROTO_TCP,
		.port = o->port,
		.nolock = o->nolock,
		.mount_flags = o->mount_flags,
	};
	char why[NFS_TEXT_MAX];
	int r, of_path = 0;

	do {
		const struct verdict *v;

		r = s->mount(&a, at, why);
		v = mount_verdict(a.proto, a.version, -r);
		of_path = v->remedy == REMEDY_PATH && !of_path ? r : of_path;
		a.version = verdict_version(v, why, false, o->versions, a.version);
	} while (r < 0 && a.version < NFS_VERSION_MAX);
	/* A server without version 3 is no fault: what counts is what it said of the path. */
	if (r < 0 && of_path) {
		r = of_path;
		*why = 0;
	}
	return r < 0 ? fail(text, r, "%.70s:%.90s: %s%s%.40s", s->plan->server, path,
		strerror(-r), *why ? ": " : "", why) : 0;
}

/* The node's own folder is made where it keeps something for the first time. */
static int keep_files(const struct statelite *s, char *text)
{
	char at[PATH_MAX], node[PATH_MAX], name[128], step[NFS_TEXT_MAX];
	int r;

	if (!s->plan->server)
		return 0;
	snprintf(step, sizeof(step), "the mount of %.80s:%.110s (STATEMNT=)", s->plan->server,
		s->plan->path);
	s->step(step);
	r = mount_folder(join(at, s->root, KEPT));
	if (r >= 0)
		r = mount_kept(s, s->plan->path, at, text);
	if (r < 0)
		return r;
	snprintf(name, sizeof(name), KEPT "/%.64s", s->plan->node);
	if (mkdir(join(node, s->root, name), 0755) < 0 && errno != EEXIST)
		r = fail(text, -errno, "%.70s:%.90s/%.64s: %s", s->plan->server, s->plan->path,
			s->plan->node, strerror(errno));
	umount2(at, MNT_DETACH);
	if (r < 0)
		return r;
	snprintf(node, sizeof(node), "%s/%s", s->plan->path, s->plan->node);
	return mount_kept(s, node, at, text);
}

/* --- the view -------------------------------------------------------------------------------- */

static int bind_at(const char *from, const char *at)
{
	int r = mount_folder(at);

	if (r >= 0 && mount(from, at, NULL, MS_BIND | MS_REC, NULL) < 0)
		r = -errno;
	return r;
}

/* What the view has of its own: a mount on one of the root's would be the root's, too. */
static bool is_own(const char *name)
{
	static const char *const names[] = {"dev", "proc", "sys", "tmp", &SYSROOT[1]};

	return str_among(name, names, ARRAY_SIZE(names));
}

/* One name of the root's top folder: a link as it is, a folder as a mount. */
static int show(const struct statelite *s, int dir, const char *name)
{
	char from[PATH_MAX], at[PATH_MAX], link[PATH_MAX];
	ssize_t n = readlinkat(dir, name, link, sizeof(link) - 1);
	struct stat st;

	snprintf(from, sizeof(from), "%s/%s", s->root, name);
	snprintf(at, sizeof(at), "%s/%s", s->view, name);
	if (n >= 0) {
		link[n] = 0;
		return symlink(link, at) < 0 ? -errno : 0;
	}
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	return bind_at(from, at);
}

/* What the scripts find in an initramfs is this one's. */
static int show_system(const struct statelite *s)
{
	static const char *const folders[] = {"/dev", "/proc", "/sys"};
	char at[PATH_MAX], why[MOUNT_TEXT_MAX];
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(folders) && r >= 0; i++)
		r = bind_at(folders[i], join(at, s->view, folders[i]));
	if (r >= 0)
		r = mount_new("tmpfs", "tmp", NULL, false, join(at, s->view, "/tmp"), why);
	if (r >= 0)
		r = bind_at(s->root, join(at, s->view, SYSROOT));
	return r;
}

/* From here on a mount below one of both is one below the other, too. */
static int make_view(const struct statelite *s)
{
	_cleanup_closedir_ DIR *dir = sys_list_beneath(s->root, "/");
	const struct dirent *e;
	char why[MOUNT_TEXT_MAX];
	int r = dir ? 0 : -errno;

	if (r >= 0 && mount(NULL, s->root, NULL, MS_REC | MS_SHARED, NULL) < 0)
		r = -errno;
	if (r >= 0)
		r = mount_new("tmpfs", "view", NULL, false, s->view, why);
	if (r >= 0 && mount(NULL, s->view, NULL, MS_PRIVATE, NULL) < 0)
		r = -errno;
	while (r >= 0 && (e = dir_next(dir)))
		if (!is_own(e->d_name))
			r = show(s, dirfd(dir), e->d_name);
	return r < 0 ? r : show_system(s);
}

/* Not before both are private: else mounts of the root and below /dev would go with the view's. */
void statelite_drop_view(const char *root, const char *view)
{
	mount(NULL, view, NULL, MS_REC | MS_PRIVATE, NULL);
	mount(NULL, root, NULL, MS_REC | MS_PRIVATE, NULL);
	mount_drop(view);
	rmdir(view);
}

/* --- the scripts ----------------------------------------------------------------------------- */

static void keep_line(const char *line, void *last)
{
	strscpy(last, line, SCRIPT_LINE_MAX);
}

/* Its exit status is the last command's, whatever that was: not looked at, but that it ran. */
static int run(const struct statelite *s, const char *program, char *last, char *text)
{
	char name[32], *const argv[] = {name, NULL}, step[NFS_TEXT_MAX];
	const struct script script = {.root = s->view, .host = s->plan->node, .argv = argv,
		.program = program};
	int status;

	*last = 0;
	strscpy(name, program, sizeof(name));
	if (!sys_there_beneath(s->root, program))
		return 0;
	snprintf(step, sizeof(step), "%s of the image%s", program,
		streq(program, SCRIPT) ? ", which asks xCAT's master for the table" : "");
	s->step(step);
	status = script_run(&script, keep_line, last);
	if (status < 0)
		return fail(text, status, "%s of the image did not run: %s", program,
			strerror(-status));
	if (WIFSIGNALED(status))
		return fail(text, -ENOEXEC, "%s of the image did not run (signal %d)", program,
			WTERMSIG(status));
	return 0;
}

/* The script goes on without a table after it asked the master 15 times, and all is missing. */
static int judge(const struct statelite *s, const char *last, char *text)
{
	if (sys_size_beneath(s->root, TABLE) > 0)
		return 0;
	return fail(text, -ENODATA, SCRIPT " of the image got no table from xCAT's master%s%.120s",
		*last ? "; it says: " : "", last);
}

/* Only a file that was mounted over the root's. */
static void fill_resolv_conf(const struct statelite *s)
{
	_cleanup_close_ int from = open(s->resolv_conf, O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int to = sys_open_beneath(s->root, "/etc/resolv.conf",
		O_WRONLY | O_NONBLOCK);
	_cleanup_free_ void *text = NULL;
	struct stat root, file;
	size_t size;

	if (from < 0 || to < 0 || stat(s->root, &root) < 0 || fstat(to, &file) < 0 ||
		!S_ISREG(file.st_mode) || file.st_dev == root.st_dev)
		return;
	if (io_read_all(from, RESOLV_CONF_MAX, &text, &size) >= 0 && ftruncate(to, 0) == 0)
		(void)io_write_all(to, text, size);
}

int statelite_apply(const struct statelite *s, char text[static NFS_TEXT_MAX])
{
	char last[SCRIPT_LINE_MAX] = "";
	int r;

	*text = 0;
	r = mount_own_folder(s, text);
	if (r >= 0)
		r = keep_files(s, text);
	if (r < 0)
		return r;
	r = make_view(s);
	if (r < 0)
		fail(text, r, "the image cannot be entered: %s", strerror(-r));
	if (r >= 0)
		r = run(s, DISK, last, text);
	if (r >= 0)
		r = run(s, SCRIPT, last, text);
	if (r >= 0)
		fill_resolv_conf(s);
	statelite_drop_view(s->root, s->view);
	return r < 0 ? r : judge(s, last, text);
}
