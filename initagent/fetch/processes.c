// SPDX-License-Identifier: GPL-2.0-or-later
/* processes: the two that work for a transfer, and the pipe between them; see private.h. */
#include "fetch/private.h"

#include <sys/epoll.h>

#define PIPE_SIZE (1 << 20) /* as much as one may hold without rights (fs/pipe.c) */

static int watch(struct fetch *f, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};

	return epoll_ctl(f->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* Other processes may hold copies of the descriptors. */
void fetch_end_processes(struct fetch *f)
{
	if (f->child)
		epoll_ctl(f->epoll, EPOLL_CTL_DEL, child_fd(f->child), NULL);
	if (f->verifier)
		epoll_ctl(f->epoll, EPOLL_CTL_DEL, verifier_fd(f->verifier), NULL);
	f->child = child_free(f->child);
	f->verifier = verifier_free(f->verifier);
}

/* The next ones begin the file anew. */
void fetch_drop_processes(struct fetch *f)
{
	fetch_end_processes(f);
	f->restarts += f->bytes != 0;
	f->bytes = f->final = f->setup.have = 0;
	f->size = f->setup.want.size;
}

int fetch_start_processes(struct fetch *f)
{
	int pipes[2], r;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	fcntl(pipes[1], F_SETPIPE_SZ, PIPE_SIZE);
	r = verifier_new(&f->verifier, &f->setup, pipes[0]);
	r = r ? r : child_new(&f->child, &f->setup, pipes[1]);
	close(pipes[0]);
	close(pipes[1]);
	r = r ? r : watch(f, verifier_fd(f->verifier));
	r = r ? r : watch(f, child_fd(f->child));
	if (r < 0)
		fetch_drop_processes(f);
	return r;
}
