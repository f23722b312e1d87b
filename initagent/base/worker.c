// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define EXIT_NO_SETUP	124
#define EXIT_NO_SANDBOX 126

#define SPARE 64 /* descriptors from here on are not yet where they shall be */

#ifndef __NR_close_range
#define __NR_close_range 436 /* the same on every architecture */
#endif

/* A killed process is gone at once unless the kernel holds it. */
#define KILL_LIMIT_MS 1000

struct worker {
	pid_t pid; /* -1: reaped, or left to itself */
	int fd;
	struct worker_spec spec;
	uint64_t deadline;
	const char *fault; /* why it is killed; NULL: it is not, or had ended */
	bool over;	   /* nothing more is received */
	int status;	   /* of waitpid(2) */
};

/* --- the process --------------------------------------------------------------------------- */

static void close_from(int first)
{
	if (syscall(__NR_close_range, first, ~0U, 0) == 0)
		return;
	/* Before Linux 5.9; an agent that just started has few open. */
	for (int fd = first; fd < 1024; fd++)
		close(fd);
}

/*
 * Copies of the agent's other descriptors would keep sockets, pipes and devices alive. Moved far
 * above first, so that none is overwritten before it has its place.
 */
static int keep_descriptors(const struct worker_spec *s, int socket)
{
	int fds[1 + WORKER_FILES_MAX] = {socket};
	int n = 1 + (int)s->n_files;

	memcpy(&fds[1], s->files, s->n_files * sizeof(*fds));
	for (int i = 0; i < n; i++) {
		int high = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD, SPARE);

		if (fds[i] >= 0 && high < 0)
			return -errno;
		fds[i] = high;
	}
	for (int i = 0; i < n; i++) {
		if (fds[i] < 0)
			close(WORKER_SOCKET + i);
		else if (dup3(fds[i], WORKER_SOCKET + i, O_CLOEXEC) < 0)
			return -errno;
	}
	close_from(WORKER_SOCKET + n);
	return 0;
}

/* After keep_descriptors(): a file to be kept may be one of the standard streams. */
static void mute_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < WORKER_SOCKET && null >= 0; fd++)
		dup2(null, fd);
	if (null >= WORKER_SOCKET)
		close(null);
}

/* A socket whose other end is closed fails to be written to, and raises no signal. */
__attribute__((noreturn)) static void child(const struct worker_spec *s, int socket)
{
	const void *arg = s->arg;

	if (!s->sandbox.outlives)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	if (s->name)
		prctl(PR_SET_NAME, s->name);
	if (keep_descriptors(s, socket) < 0)
		_exit(EXIT_NO_SETUP);
	if (s->sandbox.role != SANDBOX_NONE)
		mute_streams();
	if (s->prepare)
		arg = s->prepare(arg);
	if (s->prepare && !arg)
		_exit(EXIT_NO_SETUP);
	if (sandbox_enter(&s->sandbox) < 0)
		_exit(EXIT_NO_SANDBOX);
	_exit(s->run(arg));
}

/* The sandboxes allow read and write, and no other way to a socket. */
bool worker_next(void *request, size_t size)
{
	ssize_t n;

	do
		n = read(WORKER_SOCKET, request, size);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size;
}

int worker_reply(const void *reply, size_t size)
{
	ssize_t n;

	do
		n = write(WORKER_SOCKET, reply, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n == (ssize_t)size ? 0 : -EIO;
}

/* --- its parent ---------------------------------------------------------------------------- */

static void restart_limit(struct worker *w, uint64_t now)
{
	w->deadline = w->spec.limit ? now + w->spec.limit : NSEC_NEVER;
}

/* SOCK_SEQPACKET keeps message borders, so that a size can be checked at all. */
int worker_start(struct worker **ret, const struct worker_spec *spec, uint64_t now)
{
	struct worker *w = calloc(1, sizeof(*w));
	int pair[2] = {-1, -1}, r = 0;

	if (!w)
		return -ENOMEM;
	w->spec = *spec;
	restart_limit(w, now);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		r = -errno;
	w->pid = r < 0 ? -1 : fork();
	if (w->pid == 0)
		child(spec, pair[1]);
	if (r == 0 && w->pid < 0)
		r = -errno;
	closep(&pair[1]);
	w->fd = pair[0];
	if (r < 0)
		worker_free(w);
	else
		*ret = w;
	return r;
}

static void close_socket(struct worker *w)
{
	closep(&w->fd);
	w->fd = -1;
	w->over = true;
	w->deadline = NSEC_NEVER;
}

/* Its end of the socket closes when it dies, which tells that waitpid() will not wait. */
void worker_end(struct worker *w)
{
	struct pollfd gone = {.fd = w->fd, .events = POLLRDHUP};

	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		if (poll(&gone, 1, KILL_LIMIT_MS) > 0)
			while (waitpid(w->pid, &w->status, 0) < 0 && errno == EINTR)
				continue;
	}
	w->pid = -1;
	close_socket(w);
}

struct worker *worker_free(struct worker *w)
{
	if (!w)
		return NULL;
	worker_end(w);
	free(w);
	return NULL;
}

struct worker *worker_detach(struct worker *w)
{
	if (!w)
		return NULL;
	close_socket(w);
	if (w->pid > 0)
		waitpid(w->pid, NULL, WNOHANG);
	free(w);
	return NULL;
}

struct worker *worker_abandon(struct worker *w)
{
	if (w && w->pid > 0)
		kill(w->pid, SIGKILL);
	return worker_detach(w);
}

int worker_fd(const struct worker *w)
{
	return w ? w->fd : -1;
}

pid_t worker_pid(const struct worker *w)
{
	return w ? w->pid : -1;
}

uint64_t worker_deadline(const struct worker *w)
{
	return w ? w->deadline : NSEC_NEVER;
}

int worker_send(struct worker *w, const void *request)
{
	ssize_t n;

	if (w->over)
		return -EPIPE;
	n = send(w->fd, request, w->spec.request_size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n == (ssize_t)w->spec.request_size)
		return 0;
	return n < 0 && (errno == EPIPE || errno == ECONNRESET) ? -EPIPE : -EAGAIN;
}

static int fail(struct worker *w, const char *fault, int error)
{
	w->fault = fault;
	w->over = true;
	w->deadline = NSEC_NEVER;
	return error;
}

int worker_receive(struct worker *w, void *reply, uint64_t now)
{
	const struct worker_spec *s;
	ssize_t n;

	if (!w)
		return 0;
	if (w->over)
		return -EPIPE;
	s = &w->spec;
	n = recv(w->fd, reply, s->reply_size, MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return now < w->deadline ? 0
					 : fail(w, "no reply within its time limit", -ETIMEDOUT);
	if (n <= 0)
		return fail(w, NULL, -EPIPE);
	if (n != (ssize_t)s->reply_size || (s->valid && !s->valid(reply, s->context)))
		return fail(w, "sent an invalid message; killed", -EPIPE);
	restart_limit(w, now);
	return 1;
}

void worker_go_on(struct worker *w, const struct worker_task *task)
{
	w->spec.request_size = task->request_size;
	w->spec.reply_size = task->reply_size;
	w->spec.valid = NULL;
	worker_set_limit(w, 0, 0);
}

void worker_set_limit(struct worker *w, uint64_t limit, uint64_t now)
{
	w->spec.limit = limit;
	restart_limit(w, now);
}

/* For poll(2), rounded up; -1: for ever. */
static int ms_until(uint64_t when, uint64_t now)
{
	if (when == NSEC_NEVER)
		return -1;
	return when <= now ? 0 : (int)min_u64((when - now) / NSEC_PER_MSEC + 1, INT32_MAX);
}

int worker_wait(struct worker *w, void *reply)
{
	int r;

	while ((r = worker_receive(w, reply, now_ns())) == 0)
		poll(&(struct pollfd){.fd = w->fd, .events = POLLIN}, 1,
			ms_until(w->deadline, now_ns()));
	return r;
}

int worker_ask(const struct worker_spec *spec, void *reply, const char **ret_text)
{
	struct worker *w;
	int r = worker_start(&w, spec, now_ns());

	if (r < 0) {
		*ret_text = strerror(-r);
		return r;
	}
	r = worker_wait(w, reply);
	worker_end(w);
	*ret_text = worker_end_text(w);
	worker_free(w);
	return r < 0 ? r : 0;
}

void worker_try(int (*run)(const void *arg), const void *arg, int file, uint64_t limit)
{
	const struct worker_spec spec = {.run = run, .arg = arg, .files = {file}, .n_files = 1};
	struct worker *w;

	if (worker_start(&w, &spec, 0) < 0)
		return;
	poll(&(struct pollfd){.fd = w->fd, .events = POLLRDHUP}, 1, (int)(limit / NSEC_PER_MSEC));
	worker_abandon(w);
}

const char *worker_end_text(const struct worker *w)
{
	static const struct {
		bool signal;
		int value; /* of the signal or exit status */
		const char *text;
	} ends[] = {
		{false, EXIT_NO_SANDBOX, "could not drop its rights (no seccomp in this kernel?)"},
		{false, EXIT_NO_SETUP, "could not be set up (out of memory?)"},
		{true, SIGSYS, "made a forbidden system call; killed"},
		{true, SIGXCPU, "exceeded its processor time; killed"},
		{true, SIGKILL, "was killed (SIGKILL: out of memory? see the kernel's message)"},
		{true, SIGSEGV, "crashed (segmentation fault)"},
		{true, SIGBUS, "crashed (bus error)"},
		{true, SIGABRT, "crashed (aborted)"},
	};
	bool signal = WIFSIGNALED(w->status);
	int value = signal ? WTERMSIG(w->status) : WEXITSTATUS(w->status);

	for (size_t i = 0; !w->fault && i < ARRAY_SIZE(ends); i++)
		if (ends[i].signal == signal && ends[i].value == value)
			return ends[i].text;
	return w->fault ? w->fault : signal ? "was killed by a signal" : "exited unexpectedly";
}

int worker_exit_status(const struct worker *w)
{
	return WIFEXITED(w->status) ? WEXITSTATUS(w->status) : -1;
}

bool worker_never_ran(const struct worker *w)
{
	int status = worker_exit_status(w);

	return status == EXIT_NO_SETUP || status == EXIT_NO_SANDBOX;
}
