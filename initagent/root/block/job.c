// SPDX-License-Identifier: GPL-2.0-or-later
/* job: see job.h. What follows what in an attempt; the protocols do their part. */
#include "root/block/job.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/mount.h>

#include "root/block/device.h"
#include "root/cache/place.h"
#include "root/image/layers.h"
#include "base/mountpoint.h"
#include "base/worker.h"
#include "modules/uevent.h"
#include "root/init/init_check.h"

#define OPTIONS_MAX 32
#define STALE_MAX   1024 /* more than nodes have processors */
#define LOOK_MS	    2000

int job_fail(struct block_job *j, enum cause cause, int error, const char *fmt, ...)
{
	va_list ap;

	j->message.cause = cause;
	va_start(ap, fmt);
	vsnprintf(j->message.text, sizeof(j->message.text), fmt, ap);
	va_end(ap);
	return error;
}

uint16_t job_port(const struct block_job *j)
{
	return j->portal && j->portal->port ? j->portal->port : j->ops->port;
}

/* The room is the only reader; without it this process is ended anyway. */
static void tell(struct block_job *j, enum block_step step)
{
	j->message.step = step;
	worker_reply(&j->message, sizeof(j->message));
}

/* --- the device ----------------------------------------------------------------------------- */

/* A disk is seen in sysfs before it can be opened; the kernel announces it when that is so
 * (block/genhd.c). */
static bool openable(const struct block_job *j, const char *device)
{
	_cleanup_close_ int fd = env_open(j->env, O_RDONLY, "/dev/%s", device);

	return fd != -ENXIO && fd != -ENOENT;
}

/*
 * Is what the root is on there? The first look at a whole device makes the kernel read its
 * partitions: that waits for the server as any reading does.
 */
static int find_device(struct block_job *j, const struct block_ops *ops,
	char device[static BLOCK_DEVICE_MAX])
{
	_cleanup_close_ int fd = -1;
	char whole[BLOCK_DEVICE_MAX], why[PLACE_TEXT_MAX];
	unsigned part = j->plan->part;
	int r = ops->find(j, whole);

	if (r <= 0)
		return r;
	tell(j, BLOCK_STEP_LOOK);
	if (!openable(j, whole)) {
		job_fail(j, CAUSE_BLOCK_NO_DEVICE, 0, "%s cannot be opened", whole);
		return 0;
	}
	if (!part)
		return strscpy(device, whole, BLOCK_DEVICE_MAX) > 0;
	fd = env_open(j->env, O_RDONLY, "/dev/%s", whole);
	(void)fd; /* held open while the partition is looked up; clang warns otherwise */
	if (device_partition(j->env, whole, part, device))
		return 1;
	place_foreign_table(j->env, whole, why);
	job_fail(j, CAUSE_BLOCK_NO_DEVICE, 0, "%s has no partition %u%s%s", whole, part,
		*why ? ": " : "", why);
	return 0;
}

static void drain(int fd)
{
	char buf[UEVENT_SIZE];
	struct uevent ev;
	int r;

	do
		r = uevent_recv(fd, buf, &ev);
	while (r > 0 || r == -ENOBUFS);
}

/* The kernel announces each device once its node is there; the room bounds the wait. A path that
 * multipath hides has no announcement: it is looked for now and then, for what is said at the
 * end. */
static int wait_device(struct block_job *j, const struct block_ops *ops)
{
	char *device = j->message.result.device;
	int r;

	tell(j, BLOCK_STEP_DEVICE);
	while ((r = find_device(j, ops, device)) == 0) {
		struct pollfd p = {.fd = j->uevents, .events = POLLIN};

		/* What find_device() has to say is of use when the time is over. */
		tell(j, BLOCK_STEP_DEVICE);
		if (poll(&p, 1, LOOK_MS) < 0 && errno != EINTR)
			return job_fail(j, CAUSE_INTERNAL, -errno, "%s", strerror(errno));
		drain(j->uevents);
	}
	if (r < 0)
		return r;
	j->message.cause = CAUSE_NONE;
	j->message.text[0] = 0;
	j->message.result.bytes = device_bytes(j->env, device);
	return 0;
}

/* --- the file system ------------------------------------------------------------------------ */

static int unknown_content(struct block_job *j, const char *what)
{
	char parts[80], why[PLACE_TEXT_MAX];

	device_partitions(j->env, j->message.result.device, parts, sizeof(parts));
	if (*parts)
		return job_fatal(j, CAUSE_BLOCK_NO_FS, -ENODATA,
			"%s has partitions (%s): add part= to root=",
			j->message.result.device, parts);
	place_foreign_table(j->env, j->message.result.device, why);
	return job_fatal(j, CAUSE_BLOCK_NO_FS, -ENODATA, "%s: %s%s%s%s", j->message.result.device,
		*what ? "it seems to be " : "no superblock of a file system that is known", what,
		*why ? "; " : "", why);
}

/* Squashfs and erofs can only be read, whatever was asked for. */
static bool read_only_kind(const char *fstype)
{
	return streq(fstype, "squashfs") || streq(fstype, "erofs");
}

static int judge(struct block_job *j)
{
	struct block_result *res = &j->message.result;
	const char *fstype = j->plan->fstype, *what = "";
	int r = 0;

	tell(j, BLOCK_STEP_LOOK);
	if (!fstype)
		r = device_fstype(j->env, res->device, &fstype, &what);
	if (r == -ENODATA)
		return unknown_content(j, what);
	if (r < 0)
		return job_fail(j, CAUSE_BLOCK_LOST, r, "%s cannot be read: %s", res->device,
			strerror(-r));
	strscpy(res->fstype, fstype, sizeof(res->fstype));
	res->readonly = j->cfg->readonly || j->cfg->overlay || read_only_kind(fstype);
	if (!res->readonly && device_readonly(j->env, res->device))
		return job_fatal(j, CAUSE_BLOCK_READONLY, -EROFS,
			"%s: rw is requested, but the server exports it read-only",
			res->device);
	return 0;
}

/* The room loads it, since only that has the modules' ledger; any byte from there means that it is
 * done. */
static int wait_module(struct block_job *j)
{
	char done;

	tell(j, BLOCK_STEP_MODULE);
	if (!worker_next(&done, sizeof(done)))
		return job_fail(j, CAUSE_INTERNAL, -EPIPE, "the agent is gone");
	return 0;
}

/* "noatime,data=ordered" as the list that mounting takes; cuts up text. False: too many. */
static bool split_options(char *text, struct mount_option list[static OPTIONS_MAX])
{
	char *save = NULL;
	size_t n = 0;

	for (char *o = strtok_r(text, ",", &save); o && n + 1 < OPTIONS_MAX;
		o = strtok_r(NULL, ",", &save)) {
		char *value = strchr(o, '=');

		if (value)
			*value++ = 0;
		list[n++] = (struct mount_option){o, value};
	}
	list[n] = (struct mount_option){0};
	return n + 1 < OPTIONS_MAX;
}

/* Under a layer the device may be any number of nodes': a journal that is not empty is not
 * replayed, which needs no right to write, either. btrfs writes even where it is mounted
 * read-only; it has the option since Linux 5.9. */
static char *mount_flags(const struct block_job *j)
{
	static const char *const journals[] = {"ext3", "ext4", "xfs", "f2fs", "nilfs2"};
	const char *fstype = j->message.result.fstype, *more = "";
	char *flags;

	if (j->cfg->overlay && str_among(fstype, journals, ARRAY_SIZE(journals)))
		more = "norecovery";
	else if (j->cfg->overlay && streq(fstype, "btrfs"))
		more = "rescue=nologreplay";
	return asprintf(&flags, "%s,%s", j->plan->flags, more) < 0 ? NULL : flags;
}

static int mount_device(struct block_job *j, const char *target)
{
	struct block_result *res = &j->message.result;
	struct mount_option options[OPTIONS_MAX];
	char path[128], text[MOUNT_TEXT_MAX] = "";
	_cleanup_free_ char *flags = mount_flags(j);
	int r = flags ? env_path(j->env, path, sizeof(path), "/dev/%s", res->device) : -ENOMEM;

	if (r < 0)
		return job_fail(j, CAUSE_INTERNAL, r, "%s", strerror(-r));
	if (!split_options(flags, options))
		return job_fatal(j, CAUSE_ROOT_MOUNT_FAILED, -E2BIG,
			"rootflags=: at most %d mount options", OPTIONS_MAX - 2);
	r = mount_new(res->fstype, path, options, res->readonly, target, text);
	if (r == -ENODEV)
		return job_fatal(j, CAUSE_MODULE_MISSING, r, "%s: %s", res->fstype, text);
	if (r == -EINVAL)
		return job_fatal(j, CAUSE_ROOT_MOUNT_FAILED, r, "%s as %s: %s%s%s", res->device,
			res->fstype, strerror(-r),
			*text ? ": " : "", text);
	if (r < 0)
		return job_fail(j, r == -EIO ? CAUSE_BLOCK_LOST : CAUSE_ROOT_MOUNT_FAILED, r,
			"%s as %s: %s%s%s", res->device,
			res->fstype, strerror(-r), *text ? ": " : "", text);
	return 0;
}

/* The device is only read; what is written stays in memory. */
static int mount_layers(struct block_job *j)
{
	struct layers_result layers = {0};
	char base[PATH_MAX];
	int r = env_path(j->env, base, sizeof(base), LAYERS_BASE);

	layers_drop(j->env, NULL);
	r = r < 0 ? job_fail(j, CAUSE_INTERNAL, r, "%s", strerror(-r)) : mount_device(j, base);
	if (r < 0)
		return r;
	r = layers_overlay(j->env, j->cfg->overlay, j->cfg->sysroot, &layers);
	if (r < 0)
		return job_fail(j, layers.cause, r, "%s", layers.text);
	j->message.result.overlay = true;
	return 0;
}

/* Also what an earlier agent left. */
static void unmount(struct block_job *j)
{
	umount2(j->cfg->sysroot, MNT_DETACH | UMOUNT_NOFOLLOW);
	layers_drop(j->env, NULL);
}

static int mount_root(struct block_job *j)
{
	const struct source_config *cfg = j->cfg;
	struct block_result *res = &j->message.result;
	int r;

	tell(j, BLOCK_STEP_MOUNT);
	r = cfg->overlay ? mount_layers(j) : mount_device(j, cfg->sysroot);
	if (r < 0) {
		layers_drop(j->env, NULL);
		return r;
	}
	r = init_check(cfg->sysroot, cfg->init, res->init, sizeof(res->init));
	if (r == 0)
		return 0;
	unmount(j);
	job_fail(j, CAUSE_ROOT_NO_INIT, r, "%s: %s", res->device, res->init);
	res->init[0] = 0;
	return r;
}

/* --- the whole ------------------------------------------------------------------------------ */

/* A server that has not noticed the reset of this node refuses a connection for each one that it
 * still has of the same queue pair number, and lets go of that one (IB_CM_REJ_STALE_CONN). NVMe has
 * a connection for each processor, and one more. */
static int connect_through(struct block_job *j, const struct block_ops *ops)
{
	int r = ops->connect(j);

	for (unsigned n = 1; j->again && n < STALE_MAX; n++) {
		j->again = false;
		r = ops->connect(j);
	}
	return r;
}

static int attempt(struct block_job *j, const struct block_ops *ops)
{
	int r;

	tell(j, BLOCK_STEP_CONNECT);
	j->uevents = uevent_open();
	if (j->uevents < 0)
		return job_fail(j, CAUSE_INTERNAL, j->uevents, "uevents: %s",
			strerror(-j->uevents));
	r = connect_through(j, ops);
	if (r >= 0)
		r = wait_device(j, ops);
	if (r >= 0)
		r = judge(j);
	if (r >= 0)
		r = wait_module(j);
	return r < 0 ? r : mount_root(j);
}

void job_run(struct block_job *j)
{
	const struct block_ops *ops = j->ops;
	int r = attempt(j, ops);

	if (r < 0)
		ops->disconnect(j);
	j->message.final = true;
	tell(j, (enum block_step)j->message.step);
}

void job_clean(struct block_job *j)
{
	tell(j, BLOCK_STEP_CLEAN);
	unmount(j);
	j->ops->disconnect(j);
	j->message.final = true;
	tell(j, BLOCK_STEP_CLEAN);
}
