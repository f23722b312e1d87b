// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nbd: a network block device. This process connects and agrees with the server on the export; then
 * the kernel gets the socket and keeps it.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/tcp.h"
#include "root/block/job.h"
#include "root/block/nbd_hello.h"
#include "root/block/nbd_nl.h"

#define NBD_PORT 10809 /* IANA nbd */
/*
 * How long requests wait after the connection broke, for a process to give the device a new one
 * (as nbd-client does), before they fail. The kernel has no reconnect of its own.
 */
#define DEAD_SECONDS 300

/* "initagent 10.0.0.1:10809/root": who connected what; the same of each attempt for the same
 * root. */
static void backend_of(const struct block_job *j, char *buf, size_t size)
{
	snprintf(buf, size, "initagent %s:%u/%s", j->cfg->address,
		job_port(j), j->plan->name);
}

/* The next device in an open /sys/block that is connected to what is meant; NULL at the end. */
static const char *next_of_ours(const struct block_job *j, DIR *dir)
{
	char want[512];
	const struct dirent *e;

	backend_of(j, want, sizeof(want));
	while ((e = dir_next(dir)))
		if (strncmp(e->d_name, "nbd", 3) == 0 &&
			env_is(j->env, want, "/sys/block/%s/backend", e->d_name))
			return e->d_name;
	return NULL;
}

static bool adopt(struct block_job *j)
{
	_cleanup_closedir_ DIR *dir = env_opendir(j->env, "/sys/block");
	const char *name = next_of_ours(j, dir);

	if (name)
		strscpy(j->handle, name, sizeof(j->handle));
	return name != NULL;
}

/* A server that is gone without a word shall be noticed: after 30 s of silence, six questions 5 s
 * apart. */
static void keep_alive(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{SOL_SOCKET, SO_KEEPALIVE, 1}, {IPPROTO_TCP, TCP_KEEPIDLE, 30},
			{IPPROTO_TCP, TCP_KEEPINTVL, 5},
		{IPPROTO_TCP, TCP_KEEPCNT, 6}, {IPPROTO_TCP, TCP_NODELAY, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		setsockopt(fd, options[i].level, options[i].name, &options[i].value,
			sizeof(options[i].value));
}

static int connect_failed(struct block_job *j, int error)
{
	enum cause cause = error == -ECONNREFUSED || error == -ECONNRESET ? CAUSE_BLOCK_REFUSED
		: CAUSE_BLOCK_UNREACHABLE;

	return job_fail(j, cause, error, "%s port %u: %s", j->cfg->address,
		job_port(j), strerror(-error));
}

static int hello_failed(struct block_job *j, const struct nbd_export *e)
{
	static const struct {
		enum cause cause;
		bool fatal;
	} rows[NBD_HELLO_MAX] = {
		[NBD_HELLO_NO_EXPORT] = {CAUSE_BLOCK_NO_TARGET, false},
		[NBD_HELLO_DENIED] = {CAUSE_BLOCK_DENIED, false},
		[NBD_HELLO_TLS] = {CAUSE_BLOCK_AUTH, true},
		[NBD_HELLO_SHUTDOWN] = {CAUSE_BLOCK_REFUSED, false},
		[NBD_HELLO_CLOSED] = {CAUSE_BLOCK_REFUSED, false},
		[NBD_HELLO_CUT] = {CAUSE_BLOCK_LOST, false},
		[NBD_HELLO_PROTOCOL] = {CAUSE_BLOCK_PROTOCOL, false},
		[NBD_HELLO_DIED] = {CAUSE_BLOCK_PROTOCOL, false},
	};

	job_fail(j, rows[e->how].cause, -EPROTO, "export '%.200s': %s", j->plan->name,
		e->text);
	j->message.fatal = rows[e->how].fatal;
	return -EPROTO;
}

/* The kernel does not know the server's largest request, and the server refuses a larger one. */
static int limit_requests(struct block_job *j, uint32_t max)
{
	char text[16];
	int r;

	if (!max)
		return 0;
	r = env_read(j->env, text, sizeof(text), "/sys/block/%s/queue/max_sectors_kb", j->handle);
	if (r > 0 && strtoul(text, NULL, 10) <= max / 1024)
		return 0;
	snprintf(text, sizeof(text), "%u", max / 1024);
	r = env_write(j->env, text, "/sys/block/%s/queue/max_sectors_kb", j->handle);
	return r < 0 ? job_fail(j, CAUSE_BLOCK_PROTOCOL, r,
		"%s does not keep to the server's largest request of %u bytes: %s", j->handle, max,
		strerror(-r)) : 0;
}

static int setup(struct block_job *j, int socket, const struct nbd_export *e)
{
	char backend[512], text[NBD_ERROR_MAX], unfit[NBD_TEXT_MAX];
	const struct nbd_setup s = {
		.socket = socket,
		.size = e->size,
		.block_size = nbd_block_size(
			e, j->plan->block_size, (uint32_t)sysconf(_SC_PAGESIZE), unfit),
		.flags = e->flags,
		.timeout_s = j->plan->timeout_s,
		.dead_s = DEAD_SECONDS,
		.backend = backend,
	};
	int r;

	if (!s.block_size)
		return job_fatal(j, CAUSE_BLOCK_PROTOCOL, -EPROTO, "export '%.200s': %s",
			j->plan->name, unfit);
	backend_of(j, backend, sizeof(backend));
	r = nbd_connect(&s, text);
	if (r == -ENOENT)
		return job_fatal(j, CAUSE_MODULE_MISSING, r,
			"nbd: the kernel has no netlink interface of that name");
	if (r < 0)
		return job_fail(j, CAUSE_BLOCK_NO_NBD, r, "%s%s%s", strerror(-r), *text ? ": "
			: "", text);
	snprintf(j->handle, sizeof(j->handle), "nbd%d", r);
	return limit_requests(j, e->block_max);
}

static int connect_to(struct block_job *j)
{
	_cleanup_close_ int fd = -1;
	struct nbd_export e;

	j->message.result.adopted = adopt(j);
	if (j->message.result.adopted)
		return 0;
	fd = tcp_connect(j->cfg->address, job_port(j), 0);
	if (fd < 0)
		return connect_failed(j, fd);
	keep_alive(fd);
	nbd_hello_ask(fd, j->plan->name, &e);
	if (e.how != NBD_HELLO_DONE)
		return hello_failed(j, &e);
	return setup(j, fd, &e);
}

static int find(struct block_job *j, char device[static BLOCK_DEVICE_MAX])
{
	return env_number(j->env, "/sys/block/%s/size", j->handle) &&
		strscpy(device, j->handle, BLOCK_DEVICE_MAX) > 0;
}

static void disconnect(struct block_job *j)
{
	_cleanup_closedir_ DIR *dir = env_opendir(j->env, "/sys/block");
	const char *name;

	while ((name = next_of_ours(j, dir)))
		nbd_disconnect((unsigned)strtoul(name + 3, NULL, 10));
}

const struct block_ops nbd_ops = {
	.name = "nbd",
	.port = NBD_PORT,
	.connect = connect_to,
	.find = find,
	.disconnect = disconnect,
};
