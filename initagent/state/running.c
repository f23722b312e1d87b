// SPDX-License-Identifier: GPL-2.0-or-later

#include "state/running.h"

#include <limits.h>
#include <poll.h>
#include <sys/inotify.h>

#include "base/file.h"
#include "state/state.h"

/* After the close of a file its locks are given up: long enough even for a busy processor. */
#define AFTER_CLOSE_NS (100 * NSEC_PER_MSEC)

static int open_lock(const struct env *env, int flags)
{
	return env_open(env, flags | O_NOFOLLOW, STATE_DIR "/lock");
}

/* Open file description locks can be tested (F_OFD_GETLK) without being taken. */
static int lock_try(int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
		return 0;
	return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
}

static bool lock_held(int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

/* The start file: "NANOSECONDS RESTARTS". Anything else counts as a first start. */
static void read_start(const struct env *env, uint64_t now, struct running *r)
{
	char buf[64], *end;
	unsigned long long start, restarts;

	r->start = now;
	r->restarts = 0;
	if (env_read(env, buf, sizeof(buf), STATE_DIR "/start") <= 0)
		return;
	start = strtoull(buf, &end, 10);
	if (*end != ' ' || start > now)
		return;
	restarts = strtoull(end + 1, &end, 10);
	if (*end || restarts >= UINT32_MAX)
		return;
	r->start = start;
	r->restarts = (unsigned)restarts + 1;
}

static int write_start(const struct env *env, const struct running *r)
{
	char buf[64];
	int n = snprintf(buf, sizeof(buf), "%llu %u\n", (unsigned long long)r->start, r->restarts);

	return file_write(env, STATE_DIR, "start", buf, (size_t)n, 0644);
}

int running_begin(const struct env *env, uint64_t now, struct running *ret)
{
	_cleanup_close_ int lock = -1;
	struct running run = {0};
	int r = file_make_dirs(env, STATE_DIR);

	if (r < 0)
		return r;
	lock = open_lock(env, O_RDWR | O_CREAT);
	if (lock < 0)
		return lock;
	r = lock_try(lock);
	if (r < 0)
		return r;
	read_start(env, now, &run);
	run.failed = env_is(env, "failed", STATE_DIR "/outcome");
	r = file_remove(env, STATE_DIR, "outcome");
	if (r >= 0 && run.failed)
		r = file_remove(env, STATE_DIR, "online");
	if (r >= 0)
		r = write_start(env, &run);
	if (r < 0)
		return r;
	run.lock = lock;
	lock = -1;
	*ret = run;
	return 0;
}

void running_renew(const struct env *env, struct running *r, uint64_t now)
{
	r->start = now;
	(void)write_start(env, r);
}

int running_online(const struct env *env, const char *names)
{
	return file_write(env, STATE_DIR, "online", names, strlen(names), 0644);
}

int running_end(const struct env *env, struct running *r, const char *outcome)
{
	int e = file_write(env, STATE_DIR, "outcome", outcome, strlen(outcome), 0644);

	/*
	 * Only a killed agent's successor goes on with its budget; after a failure it is a new one.
	 */
	file_remove(env, STATE_DIR, "start");
	closep(&r->lock);
	r->lock = -1;
	return e;
}

enum running_state running_look(const struct env *env)
{
	_cleanup_close_ int lock = open_lock(env, O_RDONLY);
	char buf[16];

	if (lock < 0)
		return RUNNING_NEVER;
	if (lock_held(lock))
		return RUNNING_NOW;
	if (env_read(env, buf, sizeof(buf), STATE_DIR "/outcome") < 0)
		return RUNNING_KILLED;
	return streq(buf, "done") ? RUNNING_DONE : RUNNING_FAILED;
}

/* Sleeps until something in the folder changes, true, or the deadline. */
static bool sleep_on(int inotify, uint64_t deadline)
{
	struct pollfd pfd = {.fd = inotify, .events = POLLIN};
	uint64_t now = now_ns();
	int ms = -1;
	char drain[1024];

	if (deadline != NSEC_NEVER)
		ms = now < deadline ? (int)min_u64((deadline - now) / NSEC_PER_MSEC + 1, INT_MAX)
				    : 0;
	return poll(&pfd, 1, ms) > 0 && read(inotify, drain, sizeof(drain)) > 0;
}

/* wait_while: until the state is none of the bits in states, or deadline; online: or the network is
 * up, which is RUNNING_DONE. */
static enum running_state wait_while(const struct env *env, unsigned states, bool online,
	uint64_t deadline)
{
	_cleanup_close_ int fd = inotify_init1(IN_CLOEXEC);
	enum running_state s = running_look(env);
	char path[PATH_MAX];
	bool changed = false;

	if (fd < 0 || file_make_dirs(env, STATE_DIR) < 0 ||
		env_path(env, path, sizeof(path), STATE_DIR) < 0)
		return s;
	/*
	 * Closing the lock, opened for writing, is the last thing an agent does or has done to it;
	 * but the kernel says so just before it gives the lock up (__fput).
	 */
	if (inotify_add_watch(fd, path, IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE) < 0)
		return s;
	for (s = running_look(env); states & 1U << s; s = running_look(env)) {
		uint64_t now = now_ns();

		if (online && env_exists(env, STATE_DIR "/online"))
			return RUNNING_DONE;
		if (now >= deadline)
			break;
		changed = sleep_on(
			fd, changed ? min_u64(now + AFTER_CLOSE_NS, deadline) : deadline);
	}
	return s;
}

enum running_state running_wait(const struct env *env, uint64_t deadline)
{
	return wait_while(env, 1U << RUNNING_NEVER | 1U << RUNNING_NOW, false, deadline);
}

#define WITHOUT_OUTCOME (1U << RUNNING_NEVER | 1U << RUNNING_NOW | 1U << RUNNING_KILLED)

enum running_state running_wait_outcome(const struct env *env, uint64_t deadline)
{
	return wait_while(env, WITHOUT_OUTCOME, false, deadline);
}

enum running_state running_wait_online(const struct env *env, uint64_t deadline)
{
	return wait_while(env, WITHOUT_OUTCOME, true, deadline);
}
