// SPDX-License-Identifier: GPL-2.0-or-later
/* verifier: see verifier.h. */
#include "fetch/verifier.h"

#include <sys/wait.h>

#include "base/cage.h"

#define MEMORY_MAX   (64u << 20)
#define EXIT_INVALID 2 /* the process that fetches sent what it cannot mean */
/* Small enough to stay in the processor's cache between reading, writing and digest. */
#define PIECE	     (128 * 1024)
/* One is read and written while those before are digested. */
#define PIECES	     4

struct verifier {
	struct cage cage;
};

struct verifier_job {
	const struct fetch_setup *setup;
	struct hasher **hasher;
};

/* --- the process --------------------------------------------------------------------------- */

/* What is in c. 1: the file is complete; 0: there are more; or -errno. */
static int take(struct pieces *p, struct cursor *c, int out)
{
	struct verified news;
	int r;

	while ((r = pieces_next(p, c, &news)) > 0) {
		r = cage_write(out, &news, sizeof(news));
		if (r < 0 || (news.kind == VERIFIED_END && news.whole))
			return r < 0 ? r : 1;
	}
	return r;
}

/* Threads are made while that is still allowed. Without one digests just take longer. */
static void prepare(const void *arg)
{
	const struct verifier_job *job = arg;

	if (job->setup->want.sha256 || job->setup->want.chunk_size)
		hasher_new(job->hasher);
}

static int read_pieces(struct pieces *p, int in, int out)
{
	static uint8_t buffers[PIECES][PIECE];
	uint64_t tickets[PIECES] = {0};
	int r = 0;

	for (size_t i = 0; r == 0; i = (i + 1) % PIECES) {
		struct cursor c;
		ssize_t n;

		intake_catch_up(pieces_intake(p), tickets[i]);
		n = read(in, buffers[i], PIECE);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		c = cursor_make(buffers[i], n > 0 ? (size_t)n : 0);
		r = take(p, &c, out);
		tickets[i] = intake_ticket(pieces_intake(p));
	}
	return r;
}

static int work(const void *arg, int in, int out)
{
	const struct verifier_job *job = arg;
	struct fetch_setup setup = *job->setup;
	struct verified news;
	struct pieces *p;
	int r;

	setup.file = CAGE_FILE;
	if (pieces_new(&p, &setup, *job->hasher) < 0)
		return 1;
	pieces_adopt(p, &news);
	r = cage_write(out, &news, sizeof(news));
	r = r < 0 ? r : read_pieces(p, in, out);
	return r == -EPROTO ? EXIT_INVALID : r < 0;
}

/* --- the agent's end ----------------------------------------------------------------------- */

int verifier_new(struct verifier **ret, const struct fetch_setup *setup, int in)
{
	_cleanup_(verifier_freep) struct verifier *v = calloc(1, sizeof(*v));
	struct hasher *hasher = NULL;
	const struct verifier_job arg = {setup, &hasher};
	const struct cage_job job = {
		.prepare = prepare,
		.run = work,
		.arg = &arg,
		.in = in,
		.file = setup->file,
		.rights = CAGE_WRITE,
		.memory = MEMORY_MAX,
	};
	int r;

	if (!v)
		return -ENOMEM;
	v->cage = CAGE_NONE;
	r = cage_start(&v->cage, &job);
	if (r < 0)
		return r;
	if (fcntl(v->cage.fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	*ret = v;
	v = NULL;
	return 0;
}

struct verifier *verifier_free(struct verifier *v)
{
	if (!v)
		return NULL;
	cage_end(&v->cage);
	free(v);
	return NULL;
}

int verifier_fd(const struct verifier *v)
{
	return v->cage.fd;
}

/* So short a message is in the pipe whole, or not at all (PIPE_BUF). */
int verifier_pop(struct verifier *v, struct verified *ret)
{
	ssize_t n = read(v->cage.fd, ret, sizeof(*ret));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n == (ssize_t)sizeof(*ret) && ret->kind < VERIFIED_KIND_MAX && ret->verdict < VERDICT_MAX &&
		ret->final <= ret->at ? 1 : -EPIPE;
}

const char *verifier_end(struct verifier *v)
{
	int status = cage_end(&v->cage);

	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_INVALID)
		return "it sent what does not fit into the file, and was ended";
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NULL : cage_end_text(status);
}
