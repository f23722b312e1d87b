/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modroom: see modroom.h. */
#include "modroom.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#define PATIENCE (60 * NSEC_PER_SEC)
#define LOG_FILE "/loader.log"

/* Appended in one write, so that lines of parallel workers do not mix. */
static void append(const struct modroom *r, const char *file, const char *text)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", r->tree.root, file);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		_exit(99);
}

static const struct modroom_act *find_act(const struct modroom *r, const char *module)
{
	for (size_t i = 0; i < r->n_acts; i++)
		if (streq(r->acts[i].module, module))
			return &r->acts[i];
	return NULL;
}

static bool has_begun(const struct modroom *r, const char *module)
{
	char log[sizeof(r->log)], word[128];

	if (env_read(&r->tree.env, log, sizeof(log), LOG_FILE) < 0)
		return false;
	snprintf(word, sizeof(word), " %s[", module);
	return strstr(log, word) != NULL;
}

/* Blocks like a driver that waits for its hardware. -ETIME: the other never began. */
static int wait_for(const struct modroom *r, const char *module)
{
	const uint64_t end = now_ns() + PATIENCE;

	while (!has_begun(r, module)) {
		if (now_ns() > end)
			return -ETIME;
		poll(NULL, 0, 5);
	}
	return 0;
}

static int send_uevent(const struct modroom *r, const char *text)
{
	char buf[1024];
	size_t len = strlen(text);

	if (len >= sizeof(buf))
		return -EMSGSIZE;
	memcpy(buf, text, len + 1);
	for (size_t i = 0; i < len; i++)
		buf[i] = buf[i] == '|' ? 0 : buf[i];
	return send(r->uevent[1], buf, len + 1, 0) < 0 ? -errno : 0;
}

void modroom_send(struct modroom *r, const char *text)
{
	CHECK_INT(send_uevent(r, text), 0);
}

static int act_out(const struct modroom *r, const struct modroom_act *act)
{
	int result = act->result;

	if (act->kmsg)
		append(r, "/dev/kmsg", act->kmsg);
	if (act->wait_for)
		result = wait_for(r, act->wait_for);
	if (act->uevent)
		append(r, "/uevents", act->uevent);
	if (act->signal)
		kill(getpid(), act->signal);
	return result;
}

/* Runs in the worker. */
static int scripted_insert(void *data, const char *path, const char *options)
{
	const struct modroom *r = data;
	const char *file = strrchr(path, '/');
	const struct modroom_act *act;
	char name[128], word[512];
	bool again;

	if (access(path, R_OK) < 0)
		return -errno;
	(void)strscpy(name, file ? file + 1 : path, sizeof(name));
	name[strcspn(name, ".")] = 0;
	again = has_begun(r, name);
	snprintf(word, sizeof(word), " %s[%s]", name, options);
	append(r, LOG_FILE, word);
	act = find_act(r, name);
	return act && !(act->once && again) ? act_out(r, act) : 0;
}

static int pair_end(void *data)
{
	struct modroom *r = data;

	return dup(r->uevent[0]);
}

#define SYM(name) name "_symbol"

/* A tree in the shape of the real one. */
static const struct modtree_module tree[] = {
	{.name = "ib_core"},
	{.name = "ib_uverbs", .needs = {SYM("ib_core")}},
	{.name = "rdma_cm", .needs = {SYM("ib_core")}},
	{.name = "rpcrdma", .needs = {SYM("rdma_cm"), SYM("sunrpc")}, .alias = {"xprtrdma"}},
	{.name = "sunrpc"},
	{.name = "nfsv4", .needs = {SYM("sunrpc")}},
	{.name = "rdma_rxe", .needs = {SYM("ib_uverbs")}, .alias = {"rdma-link-rxe"}},
	{.name = "crc32_generic", .alias = {"crypto-crc32"}},
	{.name = "crc32-pclmul", .alias = {"crypto-crc32"}},
	{.name = "mlx5_core", .alias = {"pci:v000015B3d00001017sv*sd*bc*sc*i*"}},
	{.name = "mlx5_ib", .needs = {SYM("mlx5_core"), SYM("ib_uverbs")}},
	{.name = "cxgb4"},
	{.name = "iw_cxgb4", .needs = {SYM("cxgb4"), SYM("ib_uverbs")}},
	{.name = "qede"},
	{.name = "qedr", .needs = {SYM("qede"), SYM("ib_uverbs")}},
	{.name = "ice"},
	{.name = "i40e"},
	{.name = "i40iw", .needs = {SYM("i40e"), SYM("ib_uverbs")}},
	{.name = "irdma", .needs = {SYM("ice"), SYM("i40e"), SYM("ib_uverbs")}},
	{.name = "virtio_ring"},
	{.name = "virtio_pci",
		.needs = {SYM("virtio_ring")},
		.alias = {"pci:v00001AF4d*sv*sd*bc*sc*i*"}},
	{.name = "virtio_net", .needs = {SYM("virtio_ring")}, .alias = {"virtio:d00000001v*"}},
	{.name = "virtio_mmio",
		.alias = {"platform:virtio-mmio", "acpi*:LNRO0005:*", "of:N*T*Cvirtio,mmio"}},
	{.name = "libcrc32c", .softdep = "pre: crc32c_generic post: after_crc"},
	{.name = "crc32c_generic"},
	{.name = "after_crc"},
	{.name = "loop_a", .softdep = "pre: loop_b"},
	{.name = "loop_b", .softdep = "pre: loop_a"},
	{.name = "alone"},
	{.name = "other"},
};

void modroom_open(struct modroom *r, const struct modroom_act *acts, size_t n_acts)
{
	memset(r, 0, sizeof(*r));
	modtree_make(&r->tree, tree, ARRAY_SIZE(tree));
	modtree_file(
		&r->tree, "/dev/kmsg", "6,1,1,-;said before: disagrees about version of symbol\n");
	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, r->uevent),
		0);
	r->acts = acts;
	r->n_acts = n_acts;
	r->ops = (struct modules_ops){scripted_insert, pair_end, r};
	r->cfg.kver = MODTREE_KVER;
	r->cfg.workers = 2;
	r->cfg.ops = &r->ops;
}

void modroom_start(struct modroom *r)
{
	CHECK_INT(modules_new(&r->modules, &r->tree.env, &r->cfg), 0);
}

/*
 * A worker has no way into the room's socket (it closes all it inherits), so it leaves its uevents
 * in a file, and this sends them before the room sees the worker's result, as the kernel would.
 */
static void deliver_uevents(struct modroom *r)
{
	char text[1024], path[PATH_MAX];

	if (env_read(&r->tree.env, text, sizeof(text), "/uevents") <= 0)
		return;
	snprintf(path, sizeof(path), "%s/uevents", r->tree.root);
	CHECK_INT(unlink(path), 0);
	modroom_send(r, text);
}

static uint64_t room_now(const struct modroom *r)
{
	return r->still ? 1 : now_ns();
}

void modroom_run(struct modroom *r)
{
	const uint64_t end = now_ns() + PATIENCE;
	struct pollfd pfd = {.fd = modules_fd(r->modules), .events = POLLIN};

	for (;;) {
		uint64_t now = room_now(r), when;

		CHECK(now_ns() < end);
		deliver_uevents(r);
		CHECK_INT(modules_dispatch(r->modules, now), 0);
		modules_start(r->modules, now);
		if (modules_settled(r->modules))
			return;
		when = modules_deadline(r->modules);
		if (when > now)
			poll(&pfd, 1, (int)(min_u64(when - now, PATIENCE) / NSEC_PER_MSEC) + 1);
	}
}

const struct module_entry *modroom_load(struct modroom *r, const char *name)
{
	CHECK_INT(modules_request(r->modules, name, room_now(r)), 0);
	modroom_run(r);
	return modules_find(r->modules, name);
}

/* "a[] b[x=1] c[]" -> "a b[x=1] c" */
const char *modroom_log(struct modroom *r)
{
	char raw[sizeof(r->log)];
	size_t out = 0;

	r->log[0] = 0;
	if (env_read(&r->tree.env, raw, sizeof(raw), LOG_FILE) < 0)
		return r->log;
	for (const char *p = raw + 1; *p; p++) {
		if (p[0] == '[' && p[1] == ']')
			p++;
		else
			r->log[out++] = *p;
	}
	r->log[out] = 0;
	return r->log;
}

void modroom_begin(struct modroom *r)
{
	modroom_open(r, NULL, 0);
	modroom_start(r);
}

bool modroom_before(const char *log, const char *first, const char *second)
{
	const char *a = strstr(log, first), *b = strstr(log, second);

	return a && b && a < b;
}

void modroom_close(struct modroom *r)
{
	r->modules = modules_free(r->modules);
	close(r->uevent[0]);
	close(r->uevent[1]);
}
