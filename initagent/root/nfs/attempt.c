// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/nfs/attempt.h"

#include <sys/mount.h>

#include "base/io.h"
#include "base/mountpoint.h"
#include "base/worker.h"
#include "root/image/layers.h"
#include "root/nfs/statelite.h"

#define STATELITE_VIEW "/run/xcat-view"
#define KEYS_MAX       (1u << 20)
#define DROP_LIMIT     NSEC_PER_SEC

/* Of a root that something is laid over: the export's place, and that of statelite's view. */
struct places {
	char base[256], view[256];
};

const struct plan_statelite *attempt_statelite(const struct source_config *cfg)
{
	return cfg->plan ? cfg->plan->root.statelite : NULL;
}

static int find_places(const struct source_config *cfg, struct places *ret)
{
	int e = env_path(cfg->env, ret->base, sizeof(ret->base), LAYERS_BASE);

	return e < 0 ? e : env_path(cfg->env, ret->view, sizeof(ret->view), STATELITE_VIEW);
}

static void drop_below(const struct source_config *cfg)
{
	struct places at;

	if (attempt_statelite(cfg) && find_places(cfg, &at) >= 0)
		statelite_drop_view(at.base, at.view);
	layers_drop(cfg->env, NULL);
}

static int drop(const void *arg)
{
	const struct source_config *cfg = arg;

	umount2(cfg->sysroot, MNT_DETACH);
	if (cfg->overlay || attempt_statelite(cfg))
		drop_below(cfg);
	return 0;
}

void attempt_drop(const struct source_config *cfg)
{
	worker_try(drop, cfg, -1, DROP_LIMIT);
}

/* Version 3 is no substitute for a version 4 that is there by now: its locks are local. */
static int mount_export(const struct attempt *a, const char *target, char *text)
{
	int e = a->ops->mount(&a->nfs, target, text);

	if (e < 0 || !a->refused || !a->ops->answers(&a->nfs))
		return e;
	umount2(target, MNT_DETACH);
	return -EAGAIN;
}

/* The export, with something still to be laid over it; what a process that was killed left of
 * either goes first. */
static int mount_below(const struct attempt *a, struct attempt_message *out, struct places *at)
{
	int e = find_places(a->cfg, at);

	if (e < 0)
		return e;
	drop_below(a->cfg);
	e = mount_folder(at->base);
	return e < 0 ? e : mount_export(a, at->base, out->text);
}

static int mount_layers(const struct attempt *a, struct attempt_message *out)
{
	struct layers_result layers = {0};
	struct places at;
	int e = mount_below(a, out, &at);

	if (e < 0)
		return e;
	e = a->ops->overlay(a->cfg->env, a->cfg->overlay, a->cfg->sysroot, &layers);
	if (e < 0) {
		out->layer_cause = (int32_t)layers.cause;
		strscpy(out->text, layers.text, sizeof(out->text));
		layers_drop(a->cfg->env, NULL);
	}
	return e;
}

static void tell_step(enum attempt_step step, const char *text)
{
	struct attempt_message m = {.step = (int32_t)step};

	strscpy(m.text, text, sizeof(m.text));
	worker_reply(&m, sizeof(m));
}

static void tell_statelite(const char *text)
{
	tell_step(STEP_STATELITE, text);
}

static void tell_reading(void)
{
	tell_step(STEP_READ, "");
}

/* The export aside, xCAT's files over it; the target gets both at once, or nothing. */
static int mount_statelite(const struct attempt *a, struct attempt_message *out)
{
	struct places at;
	const struct statelite s = {
		.plan = attempt_statelite(a->cfg),
		.root = at.base,
		.view = at.view,
		.address = a->address,
		.resolv_conf = "/etc/resolv.conf",
		.mount = a->ops->mount,
		.step = tell_statelite,
	};
	int e = mount_below(a, out, &at);

	if (e < 0)
		return e;
	e = statelite_apply(&s, out->text);
	if (e >= 0 && mount(at.base, a->cfg->sysroot, NULL, MS_BIND | MS_REC, NULL) < 0) {
		e = -errno;
		snprintf(out->text, sizeof(out->text), "%s: %s", a->cfg->sysroot, strerror(-e));
	}
	drop_below(a->cfg);
	if (e < 0)
		out->layer_cause = CAUSE_ROOT_STATELITE;
	return e;
}

static int mount_all(const struct attempt *a, struct attempt_message *out)
{
	if (attempt_statelite(a->cfg))
		return mount_statelite(a, out);
	if (a->cfg->overlay)
		return mount_layers(a, out);
	return mount_export(a, a->cfg->sysroot, out->text);
}

/* Loaded, a rpcrdma may still bring no transport. What the mount says of that differs: in newer
 * kernels an invalid option, in older ones an I/O error. */
static bool lacks_rdma(const struct attempt *a, int error)
{
	char list[512];

	return a->nfs.proto == NFS_PROTO_RDMA && (error == -EINVAL || error == -EIO) &&
		env_read(a->cfg->env, list, sizeof(list), "/proc/sys/sunrpc/transports") > 0 &&
		!strstr(list, "rdma ");
}

/*
 * The kernel asks a program, which no initramfs has, for the address of a server that a path is
 * referred to by name. That it was not told is a key (Documentation/security/keys/core.rst): serial
 * number, flags (N: negative), use, expiry, permissions, owner, group, type, name.
 */
static bool refers_by_name(const struct env *env, char text[static NFS_TEXT_MAX])
{
	_cleanup_close_ int fd = env_open(env, O_RDONLY, "/proc/keys");
	char *save = NULL, *line = NULL;
	_cleanup_free_ void *list = NULL;
	size_t size;

	if (fd >= 0 && io_read_all(fd, KEYS_MAX, &list, &size) == 0)
		line = strtok_r(list, "\n", &save);
	for (; line; line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, "%*s %*[^N ]N%*s %*s %*s %*s %*s %*s dns_resol %200s", text) == 1)
			return true;
	return false;
}

/* Of what the kernel says alike, what it was. */
static int find_error(const struct attempt *a, struct attempt_message *out)
{
	if (lacks_rdma(a, out->error))
		return -EAFNOSUPPORT;
	return out->error == -ENOENT && a->nfs.version != NFS_VERSION_3 &&
		refers_by_name(a->cfg->env, out->text) ? -EDESTADDRREQ : out->error;
}

/* One mount, one look for init. A root without init is not left mounted. */
int attempt_run(const void *arg)
{
	const struct attempt *a = arg;
	const struct worker_task *then = a->cfg->reader;
	struct attempt_message out = {0};

	out.error = mount_all(a, &out);
	out.error = find_error(a, &out);
	if (out.error == 0) {
		tell_step(STEP_OPEN, "");
		out.error = a->ops->check(a->cfg->sysroot, a->cfg->init, out.init,
			sizeof(out.init), tell_reading);
		out.no_init = out.error != 0;
		if (out.no_init)
			drop(a->cfg);
		else
			out.unwritable = !a->nfs.readonly && !a->ops->writable(a->cfg->sysroot);
	} else if (out.error == -ECONNREFUSED && a->nfs.proto == NFS_PROTO_RDMA) {
		out.nfsd_on_tcp = a->ops->answers(&a->nfs);
	}
	if (worker_reply(&out, sizeof(out)) < 0)
		return 1;
	return then && !out.error ? then->run(then->arg) : 0;
}

int attempt_ask(const void *arg)
{
	const struct attempt *a = arg;
	const struct attempt_message out = {
		.error = -ETIMEDOUT, .nfsd_on_tcp = a->ops->answers(&a->nfs)};

	return worker_reply(&out, sizeof(out)) < 0;
}
