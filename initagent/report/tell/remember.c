// SPDX-License-Identifier: GPL-2.0-or-later
/* remember: see remember.h. */
#include "report/tell/remember.h"

#include <dirent.h>
#include <limits.h>
#include <linux/fs.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/confine.h"
#include "report/tell/life.h"

#define EFI_DIR	     "/sys/firmware/efi/efivars"
#define PSTORE_DIR   "/sys/fs/pstore"
#define PMSG	     "/dev/pmsg0"
/* The second part is initagent's own namespace for variables, a random UUID. */
#define VARIABLE     "InitagentLastFailure-6d0f2a57-4b0e-4c8d-9b39-1f7d1c5e0a42"
/* UEFI 2.10 section 8.2: non-volatile, for the firmware's and the system's time alike. */
#define ATTRIBUTES   7
#define ATTRIBUTES_LEN 4
#define PMSG_MAX     65536
#define LIFE_S	     10

/* What a process says at its end. */
struct word {
	int error;
	bool found;
	struct failure failure;
};

struct remember {
	const struct env *env;
	unsigned places;
	int fd; /* the process at work; -1: none */
	pid_t reader;
	bool looked; /* and nothing was found, if found is not set */
	bool found;
};

/* --- places -------------------------------------------------------------------------------- */

/* Under systemd both are mounted; in our own image they are not. In a fixture tree there is nothing to mount. */
static void mount_place(const struct env *env, const char *type, const char *dir)
{
	struct stat here, above;

	if (*env->prefix || stat(dir, &here) < 0)
		return;
	if (streq(dir, EFI_DIR) ? stat("/sys/firmware/efi", &above) < 0 : stat("/sys/fs", &above) < 0)
		return;
	if (here.st_dev == above.st_dev && mount(type, dir, type, MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return; /* then the place cannot be opened, which is said */
}

static int open_dir(const struct env *env, const char *dir)
{
	char path[PATH_MAX];
	int r = env_path(env, path, sizeof(path), "%s", dir);

	if (r < 0)
		return r;
	r = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return r < 0 ? -errno : r;
}

static int read_record(int dir, const char *name, size_t skip, char *buf, size_t size, struct failure *ret)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size);

	if (n < 0)
		return -errno;
	return (size_t)n < skip ? -ENOENT : failure_read(buf + skip, (size_t)n - skip, ret);
}

static int read_efi(int dir, struct failure *ret)
{
	char buf[ATTRIBUTES_LEN + 4 * FAILURE_RECORD_MAX];

	return read_record(dir, VARIABLE, ATTRIBUTES_LEN, buf, sizeof(buf), ret);
}

/* The kernel protects variables from "rm -r" by this flag; a plain file has none. */
static void unprotect(int dir)
{
	_cleanup_close_ int fd = openat(dir, VARIABLE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int flags = 0;

	if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && flags & FS_IMMUTABLE_FL) {
		flags &= ~FS_IMMUTABLE_FL;
		if (ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0)
			return; /* the write says why not */
	}
}

/* One write is one variable: attributes and content. */
static int write_efi(int dir, const struct failure *f)
{
	char buf[ATTRIBUTES_LEN + FAILURE_RECORD_MAX] = {ATTRIBUTES};
	_cleanup_close_ int fd = -1;
	struct failure old;

	if (read_efi(dir, &old) == 0 && failure_same(&old, f))
		return 0;
	unprotect(dir);
	failure_write(buf + ATTRIBUTES_LEN, f);
	fd = openat(dir, VARIABLE, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, buf, sizeof(buf)) < 0)
		return -errno;
	return 0;
}

static int clear_efi(int dir)
{
	if (faccessat(dir, VARIABLE, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	unprotect(dir);
	return unlinkat(dir, VARIABLE, 0) < 0 ? -errno : 0;
}

/* Whatever number the kernel gave it: "pmsg-ramoops-0". */
static int read_pstore(int dir, struct failure *ret)
{
	_cleanup_free_ char *buf = malloc(PMSG_MAX);
	DIR *d = buf ? fdopendir(dup(dir)) : NULL;
	const struct dirent *e;
	int r = -ENOENT;

	while (d && (e = readdir(d)))
		if (strncmp(e->d_name, "pmsg-", 5) == 0 && read_record(dir, e->d_name, 0, buf, PMSG_MAX, ret) == 0)
			r = 0;
	if (d)
		closedir(d);
	return r;
}

static int write_pmsg(const struct env *env, const struct failure *f)
{
	char path[PATH_MAX], buf[1 + FAILURE_RECORD_MAX];
	_cleanup_close_ int fd = -1;
	int r = env_path(env, path, sizeof(path), "%s", PMSG);

	if (r < 0)
		return r;
	fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	buf[0] = '\n'; /* what others wrote may have no end of line */
	failure_write(buf + 1, f);
	return fd < 0 || write(fd, buf, sizeof(buf)) < 0 ? -errno : 0;
}

static int look(const struct env *env, unsigned places, bool may_mount, struct failure *ret)
{
	static const struct {
		enum remember_places place;
		const char *type, *dir;
		int (*read)(int dir, struct failure *ret);
	} table[] = {
		{REMEMBER_EFI, "efivarfs", EFI_DIR, read_efi},
		{REMEMBER_PSTORE, "pstore", PSTORE_DIR, read_pstore},
	};
	int r = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(table) && r != 0; i++) {
		_cleanup_close_ int dir = -1;

		if (!(places & table[i].place))
			continue;
		if (may_mount)
			mount_place(env, table[i].type, table[i].dir);
		dir = open_dir(env, table[i].dir);
		r = dir < 0 ? dir : table[i].read(dir, ret);
	}
	return r;
}

int remember_read(const struct env *env, unsigned places, struct failure *ret)
{
	return look(env, places, false, ret);
}

/* --- processes ----------------------------------------------------------------------------- */

__attribute__((noreturn)) static void end(int out, const struct word *w)
{
	send(out, w, sizeof(*w), MSG_NOSIGNAL | MSG_DONTWAIT);
	_exit(0);
}

static int begin(int pair[static 2], pid_t *ret)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	*ret = fork();
	if (*ret >= 0)
		return 0;
	close(pair[0]);
	close(pair[1]);
	return -errno;
}

int remember_new(struct remember **ret, const struct env *env, unsigned places)
{
	_cleanup_(remember_freep) struct remember *r = calloc(1, sizeof(*r));
	int pair[2], e;

	if (!r)
		return -ENOMEM;
	*r = (struct remember){.env = env, .places = places, .fd = -1, .reader = -1};
	e = begin(pair, &r->reader);
	if (e < 0)
		return e;
	if (r->reader == 0) {
		struct word w = {0};

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		w.error = -confine_keep((int *[]){&pair[1]}, 1);
		w.error = w.error ? w.error : -look(env, places, true, &w.failure);
		w.found = w.error == 0;
		end(pair[1], &w);
	}
	close(pair[1]);
	r->fd = pair[0];
	*ret = r;
	r = NULL;
	return 0;
}

static void stop_reader(struct remember *r)
{
	if (r->reader <= 0)
		return;
	/* Not waited for: it may be in the firmware's hands. */
	kill(r->reader, SIGKILL);
	waitpid(r->reader, NULL, WNOHANG);
	r->reader = -1;
}

struct remember *remember_free(struct remember *r)
{
	if (!r)
		return NULL;
	stop_reader(r);
	closep(&r->fd);
	free(r);
	return NULL;
}

int remember_fd(const struct remember *r)
{
	return r->fd;
}

/* What the process at work says; false: nothing yet. */
static bool hear(struct remember *r, struct word *ret)
{
	ssize_t n = r->fd < 0 ? -1 : recv(r->fd, ret, sizeof(*ret), MSG_DONTWAIT);

	if (r->fd < 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return false;
	if (n != (ssize_t)sizeof(*ret))
		*ret = (struct word){.error = ECHILD};
	closep(&r->fd);
	r->fd = -1;
	return true;
}

int remember_pop(struct remember *r, struct failure *ret)
{
	struct word w;

	if (r->looked || !hear(r, &w))
		return 0;
	r->looked = true;
	r->found = w.found;
	stop_reader(r);
	*ret = w.failure;
	return w.found;
}

/* In the process: f NULL clears. Returns 0 or -errno, of the last place that failed. */
static int write_places(const struct remember *m, const struct failure *f, int dir)
{
	int r, e = f && m->places & REMEMBER_PSTORE ? write_pmsg(m->env, f) : 0;

	if (!(m->places & REMEMBER_EFI))
		return e;
	if (dir < 0) {
		mount_place(m->env, "efivarfs", EFI_DIR);
		dir = open_dir(m->env, EFI_DIR);
	}
	if (dir < 0)
		return dir;
	if (!f)
		return clear_efi(dir);
	r = write_efi(dir, f);
	return r < 0 ? r : e;
}

/* A directory known to be there is opened here: the process may come to it after the switch to the real root. */
static int start_writer(struct remember *r, const struct failure *f)
{
	int dir = r->looked && r->places & REMEMBER_EFI ? open_dir(r->env, EFI_DIR) : -1, pair[2];
	pid_t pid = -1;
	int e = begin(pair, &pid);

	if (e == 0 && pid == 0) {
		struct word w = {0};

		limit_life(LIFE_S);
		w.error = -confine_keep((int *[]){&pair[1], &dir}, 2);
		w.error = w.error ? w.error : -write_places(r, f, dir);
		end(pair[1], &w);
	}
	closep(&dir);
	if (e < 0)
		return e;
	close(pair[1]);
	closep(&r->fd);
	r->fd = pair[0];
	return 0;
}

int remember_keep(struct remember *r, const struct failure *f)
{
	stop_reader(r);
	return start_writer(r, f);
}

/* pstore forgets by itself: it shows what the boot before has written, and this one writes nothing. */
int remember_clear(struct remember *r)
{
	bool needed = r->places & REMEMBER_EFI && (r->found || !r->looked);

	stop_reader(r);
	return needed ? start_writer(r, NULL) : 0;
}

bool remember_done(struct remember *r, int *ret_error)
{
	struct word w = {0};

	if (r->fd >= 0 && !hear(r, &w))
		return false;
	*ret_error = w.error;
	return true;
}
