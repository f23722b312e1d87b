// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/wwinit/disks.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/mountpoint.h"
#include "base/script.h"
#include "base/sysmount.h"
#include "base/worker.h"
#include "report/report.h"
#include "root/cache/place.h"
#include "root/image/layers.h"
#include "root/wwinit/kept.h"
#include "root/wwinit/overlay_config.h"

#define SCRIPTS	   "/warewulf/wwinit.d"
#define RUNNER	   "/warewulf/run-wwinit.d"
#define MOUNTS	   "/warewulf/mounts"
#define IGNITION   "/warewulf/ignition.json"
#define LINE_SIZE  240
#define LINES_MAX  2000 /* of output that is logged */
#define LINES_END  100000
/* A script may say nothing while it formats a disk, and a disk may take as long to appear. */
#define SILENCE	   (600 * NSEC_PER_SEC)
#define UDEV_WAIT  (30 * NSEC_PER_SEC)
#define DISK_WAIT  (20 * NSEC_PER_SEC)

enum kind { KIND_LINE, KIND_UNDONE, KIND_MOUNTS, KIND_MODULE, KIND_END, KIND_MAX };

struct message {
	int32_t kind;
	int32_t cause; /* KIND_END: CAUSE_NONE, the root has its place */
	char text[LINE_SIZE];
};

struct disks {
	const struct env *env;
	struct disks_config cfg;
	struct worker *worker;
	const char *state; /* in the timeline */
	unsigned lines;
	enum cause cause;
	char text[LINE_SIZE]; /* the last line */
	char module[32];
};

/* --- the process ----------------------------------------------------------------------------- */

_printf_(2, 3) static void say(enum kind kind, const char *fmt, ...)
{
	struct message m = {.kind = kind};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	worker_reply(&m, sizeof(m));
}

/* --- scripts --------------------------------------------------------------------------------- */

/* The first name in the overlay's folder of scripts, or "". */
static void first_script(const char *overlay, char *ret, size_t size)
{
	_cleanup_closedir_ DIR *dir = sys_list_beneath(overlay, SCRIPTS);
	const struct dirent *e;

	ret[0] = 0;
	while (!*ret && (e = dir_next(dir)))
		if (*e->d_name != '.')
			strscpy(ret, e->d_name, size);
}

/*
 * A script that lacks its program ends well, and a disk may be missing later. Shells (dash,
 * busybox, bash) end their message so; Warewulf's own scripts look for the program first, and say
 * it of Ignition on every node: without disks its configuration is "null".
 */
static bool is_undone(const char *line, const char *overlay)
{
	static const char words[] = " not found";
	const char *at = strstr(line, words);

	if (streq(line, "warewulf: ignition not found"))
		return sys_size_beneath(overlay, IGNITION) > (off_t)strlen("null\n");
	at += at ? strlen(words) : 0;
	return at && (!*at || *at == ',') && strchr(line, ':');
}

static void pass_line(const char *line, void *overlay)
{
	say(is_undone(line, overlay) ? KIND_UNDONE : KIND_LINE, "%s", line);
}

/* As Warewulf's own module calls it. */
static void run_shell(const char *shell, const char *overlay)
{
	char prefix[PATH_MAX + 8], runner[PATH_MAX + sizeof(RUNNER)];
	char *const argv[] = {(char[]){"sh"}, runner, NULL}, *const envp[] = {prefix, NULL};
	const struct script script = {.argv = argv, .program = shell, .envp = envp};
	int status;

	snprintf(prefix, sizeof(prefix), "PREFIX=%s", overlay);
	snprintf(runner, sizeof(runner), "%s" RUNNER, overlay);
	status = script_run(&script, pass_line, prefix + strlen("PREFIX="));
	if (status < 0)
		say(KIND_UNDONE, "the scripts in " SCRIPTS " were not run: %s", strerror(-status));
	else if (status)
		say(KIND_UNDONE, "the scripts in " SCRIPTS " ended with %s %d",
			WIFSIGNALED(status) ? "signal" : "exit status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/*
 * Scripts wait for udev's links to the partitions that they make. dracut's image has udev, but this
 * agent begins before it: its socket tells that it has come.
 */
static void await_udev(const struct env *env)
{
	static const char *const programs[] = {"/usr/lib/systemd/systemd-udevd", "/sbin/udevd"};
	struct pollfd p = {.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), .events = POLLIN};
	char folder[PATH_MAX], socket[PATH_MAX], program[PATH_MAX], events[4096];
	uint64_t end = now_ns() + UDEV_WAIT, now;
	bool has = false;

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		has |= env_path(env, program, sizeof(program), "%s", programs[i]) >= 0 &&
			access(program, X_OK) == 0;
	if (has && env_path(env, folder, sizeof(folder), "/run/udev") >= 0 &&
		env_path(env, socket, sizeof(socket), "/run/udev/control") >= 0 &&
		mount_folder(folder) == 0 && inotify_add_watch(p.fd, folder, IN_CREATE) >= 0)
		while (access(socket, F_OK) < 0 && (now = now_ns()) < end &&
			poll(&p, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) >= 0)
			while (read(p.fd, events, sizeof(events)) > 0)
				continue;
	closep(&p.fd);
}

static void run_scripts(const struct disks *d)
{
	const char *overlay = d->cfg.overlay;
	char shell[PATH_MAX], name[NAME_MAX + 1];
	bool has_shell;

	first_script(overlay, name, sizeof(name));
	if (!*name || env_path(d->env, shell, sizeof(shell), "/bin/sh") < 0)
		return;
	has_shell = access(shell, X_OK) == 0;
	if (has_shell && sys_there_beneath(overlay, RUNNER)) {
		await_udev(d->env);
		run_shell(shell, overlay);
		return;
	}
	say(KIND_UNDONE, SCRIPTS "/%s was not run: no %s", name, has_shell ? RUNNER : "/bin/sh");
}

/* --- mounts ---------------------------------------------------------------------------------- */

/* The module has to be there, or in the kernel: the mount tells. */
static void await_module(const char *fstype)
{
	char done;

	say(KIND_MODULE, "%s", fstype);
	(void)worker_next(&done, sizeof(done));
}

/* 0, or -errno with text; -ENODEV: no such disk. */
static int mount_disk(const struct disks *d, const struct overlay_mount *m, uint64_t until,
	const char *at, char text[static MOUNT_TEXT_MAX])
{
	const char *fstype = *m->fstype && !streq(m->fstype, "auto") ? m->fstype : NULL;
	uint64_t now = now_ns();
	char path[PATH_MAX];
	int r = 0;

	strscpy(text, "no such disk or partition", MOUNT_TEXT_MAX);
	/* "tmpfs" and the like have none. */
	if (strpbrk(m->device, "/="))
		r = place_find(d->env, m->device, until > now ? until - now : 0, path,
			sizeof(path));
	else
		strscpy(path, m->device, sizeof(path));
	if (r == 0 && !fstype)
		fstype = place_fstype(path);
	if (r == 0 && !fstype) {
		strscpy(text, "no file system of a known kind", MOUNT_TEXT_MAX);
		return -ENODATA;
	}
	if (r < 0)
		return r;
	await_module(fstype);
	r = mount_new(fstype, path, NULL, false, at, text);
	if (r < 0 && !*text)
		strscpy(text, strerror(-r), MOUNT_TEXT_MAX);
	return r;
}

/* A folder below the root, made as far as it is missing; no link leads out of it. Its real path. */
static int folder_beneath(const char *root, const char *path, char *ret, size_t size)
{
	_cleanup_close_ int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char part[PATH_MAX], link[64];
	ssize_t n;

	if (fd < 0)
		return -errno;
	for (size_t i = 1; i < sizeof(part); i++) {
		int next;

		if (path[i] && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		next = sys_open_beneath(root, part, O_PATH | O_DIRECTORY);
		if (next == -ENOENT && mkdirat(fd, path_last(part), 0755) == 0)
			next = sys_open_beneath(root, part, O_PATH | O_DIRECTORY);
		if (next < 0)
			return next;
		close(fd);
		fd = next;
		if (!path[i])
			break;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, ret, size - 1);
	ret[n > 0 ? n : 0] = 0;
	return n > 0 && !streq(ret, root) ? 0 : -EINVAL;
}

static void mount_others(const struct disks *d, uint64_t until)
{
	struct overlay_mount m[OVERLAY_MOUNTS_MAX];
	_cleanup_free_ char *list = sys_text_beneath(d->cfg.overlay, MOUNTS);
	char at[PATH_MAX], text[MOUNT_TEXT_MAX];
	size_t n;
	bool odd;

	if (!list)
		return;
	n = overlay_mounts_parse(list, strlen(list), m, &odd);
	if (odd)
		say(KIND_UNDONE, MOUNTS " has a line that is not DEVICE TYPE PATH");
	for (size_t i = 0; i < n; i++) {
		int r = folder_beneath(d->cfg.target, m[i].path, at, sizeof(at));

		strscpy(text, strerror(-r), sizeof(text));
		r = r < 0 ? r : mount_disk(d, &m[i], until, at, text);
		say(r < 0 ? KIND_UNDONE : KIND_LINE, "%.90s at %.90s%s%.50s", m[i].device,
			m[i].path, r < 0 ? ": " : "", r < 0 ? text : "");
	}
}

static int mount_root(const struct disks *d, uint64_t until, struct message *end)
{
	struct overlay_mount root = {0};
	char text[MOUNT_TEXT_MAX];
	int r;

	if (d->cfg.plan->device) {
		strscpy(root.device, d->cfg.plan->device, sizeof(root.device));
		r = mount_disk(d, &root, until, d->cfg.target, text);
	} else {
		_cleanup_close_ int fd = layers_space(d->cfg.memory, d->cfg.plan->size,
			LAYERS_WAREWULF, text);

		r = fd < 0 ? fd : mount_attach(fd, d->cfg.target);
	}
	if (r == 0)
		return 0;
	end->cause = r == -ENODEV ? CAUSE_BLOCK_NO_DEVICE
		: r == -ENODATA	  ? CAUSE_BLOCK_NO_FS
				  : CAUSE_ROOT_MOUNT_FAILED;
	snprintf(end->text, sizeof(end->text), "%.100s: %.130s",
		d->cfg.plan->device ? d->cfg.plan->device : "tmpfs", text);
	return r;
}

static void prepare(const struct disks *d, struct message *end)
{
	uint64_t until;

	/* What an agent that was killed in the midst of it left. */
	mount_drop(d->cfg.target);
	run_scripts(d);
	say(KIND_MOUNTS, "mounting");
	until = now_ns() + DISK_WAIT;
	if (disks_mount(&d->cfg) && mount_root(d, until, end) == 0)
		mount_others(d, until);
}

static int work(const void *arg)
{
	const struct disks *d = arg;
	struct message end = {.kind = KIND_END};
	char text[LINE_SIZE] = "";

	if (d->cfg.late)
		kept_copy(d->cfg.overlay, d->cfg.target, text, sizeof(text));
	else
		prepare(d, &end);
	if (*text)
		say(KIND_UNDONE, "not copied: %.220s", text);
	worker_reply(&end, sizeof(end));
	return 0;
}

/* --- the agent's end ------------------------------------------------------------------------- */

bool disks_mount(const struct disks_config *cfg)
{
	/* Without disks the overlay has an empty line there. */
	return cfg->plan->device || sys_size_beneath(cfg->overlay, MOUNTS) > 1;
}

bool disks_needed(const struct disks_config *cfg)
{
	char name[NAME_MAX + 1];

	if (cfg->late)
		return sys_there_beneath(cfg->overlay, KEPT);
	first_script(cfg->overlay, name, sizeof(name));
	return *name || disks_mount(cfg);
}

static void set_state(struct disks *d, const char *to, uint64_t now)
{
	report_state(d->env->report, "wwinit", "disks", d->state, to, now);
	d->state = to;
}

static bool valid(void *reply, const void *context)
{
	struct message *m = reply;

	(void)context;
	m->text[sizeof(m->text) - 1] = 0;
	return m->kind >= 0 && m->kind < KIND_MAX && m->cause >= 0 && m->cause < CAUSE_MAX;
}

int disks_start(struct disks **ret, const struct env *env, const struct disks_config *cfg,
	uint64_t now)
{
	struct disks *d = calloc(1, sizeof(*d));
	const struct worker_spec spec = {.run = work, .arg = d, .name = "initagent-disks",
		.request_size = 1, .reply_size = sizeof(struct message), .valid = valid,
		.limit = SILENCE};
	int r;

	if (!d)
		return -ENOMEM;
	*d = (struct disks){.env = env, .cfg = *cfg, .state = "idle"};
	r = worker_start(&d->worker, &spec, now);
	if (r < 0) {
		free(d);
		return r;
	}
	set_state(d, "scripts", now);
	*ret = d;
	return 0;
}

struct disks *disks_free(struct disks *d)
{
	if (d)
		worker_free(d->worker);
	free(d);
	return NULL;
}

int disks_fd(const struct disks *d)
{
	return worker_fd(d->worker);
}

uint64_t disks_deadline(const struct disks *d)
{
	return worker_deadline(d->worker);
}

const char *disks_module(const struct disks *d)
{
	return *d->module ? d->module : NULL;
}

void disks_module_settled(struct disks *d)
{
	if (*d->module)
		worker_send(d->worker, "");
	d->module[0] = 0;
}

const char *disks_text(const struct disks *d)
{
	return d->text;
}

enum cause disks_cause(const struct disks *d)
{
	return d->cause;
}

static enum disks_event take(struct disks *d, const struct message *m, uint64_t now)
{
	strscpy(d->text, m->text, sizeof(d->text));
	switch ((enum kind)m->kind) {
	case KIND_UNDONE:
		report_cause(d->env->report, CAUSE_WWINIT_UNDONE, "root", now, "%s", m->text);
		return DISKS_STEP;
	case KIND_MOUNTS: set_state(d, "mounting", now); return DISKS_STEP;
	case KIND_MODULE:
		strscpy(d->module, m->text, sizeof(d->module));
		return DISKS_MODULE;
	case KIND_END:
		d->cause = (enum cause)m->cause;
		set_state(d, d->cause ? "failed" : "done", now);
		return d->cause ? DISKS_FAILED : DISKS_DONE;
	default:
		report_log(d->env->report, REPORT_INFO, "root", now, "%s", m->text);
		return DISKS_STEP;
	}
}

static enum disks_event died(struct disks *d, const char *how)
{
	d->cause = CAUSE_WWINIT_DISKS;
	snprintf(d->text, sizeof(d->text), "the process that runs " SCRIPTS " and mounts: %s", how);
	return DISKS_FAILED;
}

enum disks_event disks_dispatch(struct disks *d, uint64_t now)
{
	struct message m;
	int r = worker_receive(d->worker, &m, now);

	if (r > 0 && m.kind == KIND_LINE && ++d->lines > LINES_MAX) {
		if (d->lines == LINES_MAX + 1)
			report_log(d->env->report, REPORT_WARN, "root", now,
				"%d lines of output; the rest is not shown", LINES_MAX);
		if (d->lines < LINES_END)
			return DISKS_STEP;
		worker_end(d->worker);
		return died(d, "too much output; killed");
	}
	if (r > 0)
		return take(d, &m, now);
	if (r == 0)
		return DISKS_NONE;
	worker_end(d->worker);
	return died(d, r == -ETIMEDOUT ? "no output for 10 minutes; killed"
				       : worker_end_text(d->worker));
}
