// SPDX-License-Identifier: GPL-2.0-or-later
/* processes: the two that work for a transfer, and the pipe between them; see private.h. */
#include "fetch/private.h"

#include <sys/epoll.h>

#include "fetch/exchange.h"

#define PIPE_SIZE    (1 << 20)	 /* as much as one may hold without rights (fs/pipe.c) */
#define MEMORY_MAX   (64u << 20) /* of the verifier */
#define EXIT_INVALID 2		 /* the fetching process sent invalid pieces */
/* Small enough to stay in the processor's cache between reading, writing and digest. */
#define PIECE	     (128 * 1024)
/* One is read and written while those before are digested. */
#define PIECES	     4

/* --- the fetching process -------------------------------------------------------------------- */

/* libcurl needs files at its start. */
static const void *prepare_exchange(const void *arg)
{
	return exchange_make(arg, WORKER_SOCKET, WORKER_FILE(0));
}

static int serve_requests(const void *arg)
{
	struct exchange *x = (struct exchange *)(uintptr_t)arg;
	static struct fetch_request request;

	while (worker_next(&request, sizeof(request)))
		if (request.kind == REQUEST_GET)
			exchange_run(x, &request);
	return 0;
}

static bool reply_valid(void *reply, const void *context)
{
	const struct fetch_reply *n = reply;

	(void)context;
	return n->verdict < VERDICT_MAX && memchr(n->text, 0, sizeof(n->text)) &&
		memchr(n->location, 0, sizeof(n->location));
}

/* --- the verifier ---------------------------------------------------------------------------- */

struct verifier {
	struct fetch_setup setup;
	struct hasher *hasher; /* NULL: none */
};

/* Threads are made while that is still allowed. Without one digests just take longer. */
static const void *prepare_verifier(const void *arg)
{
	static struct verifier v;

	v.setup = *(const struct fetch_setup *)arg;
	v.setup.file = WORKER_FILE(1);
	if (v.setup.want.sha256 || v.setup.want.chunk_size)
		hasher_new(&v.hasher);
	return &v;
}

/* What is in c. 1: the file is complete; 0: there are more; or -errno. */
static int take_pieces(struct pieces *p, struct cursor *c, uint64_t waited)
{
	struct verified v;
	int r;

	while ((r = pieces_next(p, c, &v)) > 0) {
		v.waited = waited;
		r = worker_reply(&v, sizeof(v));
		if (r < 0 || (v.kind == VERIFIED_END && v.whole))
			return r < 0 ? r : 1;
	}
	return r;
}

static int read_pieces(struct pieces *p)
{
	static uint8_t buffers[PIECES][PIECE];
	uint64_t tickets[PIECES] = {0}, waited = 0;
	int r = 0;

	for (size_t i = 0; r == 0; i = (i + 1) % PIECES) {
		struct cursor c;
		uint64_t before;
		ssize_t n;

		intake_catch_up(&p->intake, tickets[i]);
		before = now_ns();
		n = read(WORKER_FILE(0), buffers[i], PIECE);
		waited += now_ns() - before;
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		c = cursor_make(buffers[i], n > 0 ? (size_t)n : 0);
		r = take_pieces(p, &c, waited);
		tickets[i] = p->intake.ticket;
	}
	return r;
}

static int verify(const void *arg)
{
	const struct verifier *v = arg;
	struct verified first;
	_cleanup_(pieces_done) struct pieces p;
	int r;

	pieces_init(&p, &v->setup, v->hasher);
	pieces_adopt(&p, &first);
	r = worker_reply(&first, sizeof(first));
	r = r < 0 ? r : read_pieces(&p);
	return r == -EPROTO ? EXIT_INVALID : r < 0;
}

static bool verified_valid(void *reply, const void *context)
{
	const struct verified *v = reply;

	(void)context;
	return v->kind < VERIFIED_KIND_MAX && v->verdict < VERDICT_MAX && v->final <= v->at;
}

/* --- the agent's end ------------------------------------------------------------------------- */

static int watch(struct fetch *f, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};

	return epoll_ctl(f->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* Other processes may hold copies of the descriptors. */
void fetch_end_processes(struct fetch *f)
{
	if (f->fetcher)
		epoll_ctl(f->epoll, EPOLL_CTL_DEL, worker_fd(f->fetcher), NULL);
	if (f->verifier)
		epoll_ctl(f->epoll, EPOLL_CTL_DEL, worker_fd(f->verifier), NULL);
	f->fetcher = worker_free(f->fetcher);
	f->verifier = worker_free(f->verifier);
}

void fetch_drop_processes(struct fetch *f)
{
	fetch_end_processes(f);
	f->restarts += f->bytes != 0;
	f->bytes = f->final = f->setup.have = 0;
	f->size = f->setup.want.size;
}

static int start(struct fetch *f, const int pipes[2])
{
	const struct worker_spec verifier = {
		.run = verify,
		.prepare = prepare_verifier,
		.arg = &f->setup,
		.files = {pipes[0], f->setup.file},
		.n_files = 2,
		.sandbox = {.role = SANDBOX_WRITE, .memory = MEMORY_MAX},
		.reply_size = sizeof(struct verified),
		.valid = verified_valid,
	};
	const struct worker_spec fetcher = {
		.run = serve_requests,
		.prepare = prepare_exchange,
		.arg = &f->setup,
		.files = {pipes[1]},
		.n_files = 1,
		.sandbox = {.role = SANDBOX_INTERNET, .low_ports = f->setup.privileged},
		.request_size = sizeof(struct fetch_request),
		.reply_size = sizeof(struct fetch_reply),
		.valid = reply_valid,
	};
	int r = worker_start(&f->verifier, &verifier, 0);

	return r ? r : worker_start(&f->fetcher, &fetcher, 0);
}

int fetch_start_processes(struct fetch *f)
{
	int pipes[2], r;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	fcntl(pipes[1], F_SETPIPE_SZ, PIPE_SIZE);
	r = start(f, pipes);
	close(pipes[0]);
	close(pipes[1]);
	r = r ? r : watch(f, worker_fd(f->verifier));
	r = r ? r : watch(f, worker_fd(f->fetcher));
	if (r < 0)
		fetch_drop_processes(f);
	return r;
}

/* It ended with an error of its own, or because of what it got, or because the other one was
 * gone. */
const char *fetch_verifier_end(const struct worker *verifier)
{
	switch (worker_exit_status(verifier)) {
	case 0: return NULL;
	case EXIT_INVALID: return "sent data that does not fit the file; killed";
	default: return worker_end_text(verifier);
	}
}
