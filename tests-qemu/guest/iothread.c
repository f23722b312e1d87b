// SPDX-License-Identifier: GPL-2.0-or-later
#include "iothread.h"

#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK  (16 * 1024)
#define BLOCKS 64
/* Emulated processors share two cores: what lies between two rounds is left to the boot. */
#define PAUSE_NS 500000000L

enum step { STEP_OPEN, STEP_WRITE, STEP_SYNC, STEP_READ, STEP_CLOSE, STEP_REMOVE };

static const char *const step_names[] = {
	[STEP_OPEN] = "open",
	[STEP_WRITE] = "write",
	[STEP_SYNC] = "sync",
	[STEP_READ] = "read",
	[STEP_CLOSE] = "close",
	[STEP_REMOVE] = "remove",
};

static void begin(struct iothread *io)
{
	atomic_store(&io->busy_since_ns, guest_now());
}

/* Takes the time, and counts the step as an error when it is one. Returns good. */
static bool end(struct iothread *io, enum step step, bool good)
{
	int error = errno;
	uint64_t since = atomic_load(&io->busy_since_ns);
	uint64_t took = guest_now() - since;

	atomic_store(&io->busy_since_ns, 0);
	if (took > atomic_load(&io->longest_ns)) {
		atomic_store(&io->longest_ns, took);
		atomic_store(&io->longest_at_ns, since);
	}
	if (good)
		return true;
	if (atomic_load(&io->errors) == 0)
		snprintf(io->first_error, sizeof(io->first_error), "%s: %s", step_names[step],
			strerror(error));
	atomic_fetch_add(&io->errors, 1);
	return false;
}

/* One block, past every cache, at a place that goes round; read back and compared. */
static void round_direct(struct iothread *io, int fd, unsigned char *out, unsigned char *in)
{
	unsigned long n = atomic_load(&io->rounds);
	off_t at = (off_t)(n % BLOCKS) * BLOCK;

	memset(out, (int)(n * 37 + 1), BLOCK);
	memcpy(out, &n, sizeof(n));
	memset(in, 0, BLOCK);
	begin(io);
	if (!end(io, STEP_WRITE, pwrite(fd, out, BLOCK, at) == BLOCK))
		return;
	begin(io);
	if (!end(io, STEP_READ, pread(fd, in, BLOCK, at) == BLOCK))
		return;
	if (memcmp(in, out, BLOCK) != 0)
		atomic_fetch_add(&io->damaged, 1);
}

/* A small file through the page cache: made, synced, removed. */
static void round_small(struct iothread *io)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/small", io->folder);
	begin(io);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (!end(io, STEP_OPEN, fd >= 0))
		return;
	begin(io);
	end(io, STEP_WRITE, write(fd, "handover\n", 9) == 9);
	begin(io);
	end(io, STEP_SYNC, fsync(fd) == 0);
	begin(io);
	end(io, STEP_CLOSE, close(fd) == 0);
	begin(io);
	end(io, STEP_REMOVE, unlink(path) == 0);
}

static void *run(void *arg)
{
	static _Alignas(4096) unsigned char out[BLOCK], in[BLOCK];
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct iothread *io = arg;
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/direct", io->folder);
	begin(io);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT | O_CLOEXEC, 0600);
	/* a layer in memory has no other way */
	if (fd < 0 && errno == EINVAL)
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (!end(io, STEP_OPEN, fd >= 0))
		return NULL;
	for (;;) {
		round_direct(io, fd, out, in);
		round_small(io);
		atomic_fetch_add(&io->rounds, 1);
		nanosleep(&pause, NULL);
	}
}

int iothread_start(struct iothread *io)
{
	return pthread_create(&io->thread, NULL, run, io);
}
