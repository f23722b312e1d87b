// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/failure_store.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/mountpoint.h"
#include "base/worker.h"
#include "report/tell/life.h"

#define PSTORE_DIR   "/sys/fs/pstore"
#define PMSG	     "/dev/pmsg0"
/* The second part is initagent's own namespace for variables, a random UUID. */
#define VARIABLE     "InitagentLastFailure-6d0f2a57-4b0e-4c8d-9b39-1f7d1c5e0a42"
/* UEFI 2.10 section 8.2: non-volatile, for the firmware's and the system's time alike. */
#define ATTRIBUTES   7
#define PMSG_MAX     65536
#define LIFE_S	     10

/* The reply of a process. */
struct outcome {
	int error;
	bool found;
	struct failure failure;
};

struct failure_store {
	const struct env *env;
	unsigned places;
	struct worker *worker; /* the process at work; NULL: none */
	bool writing;	       /* it writes or clears; else it reads */
	bool looked;	       /* and nothing was found, if found is not set */
	bool found;
};

static int open_dir(const struct env *env, const char *dir)
{
	return env_open(env, O_RDONLY | O_DIRECTORY, "%s", dir);
}

static int read_record(int dir, const char *name, size_t skip, char *buf, size_t size,
	struct failure *ret)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size);

	if (n < 0)
		return -errno;
	return (size_t)n < skip ? -ENOENT : failure_read(buf + skip, (size_t)n - skip, ret);
}

static int read_efi(int dir, struct failure *ret)
{
	char buf[EFI_ATTRIBUTES_LEN + 4 * FAILURE_RECORD_MAX];

	return read_record(dir, VARIABLE, EFI_ATTRIBUTES_LEN, buf, sizeof(buf), ret);
}

/* The kernel protects variables from "rm -r" by this flag; a plain file has none. */
static void unprotect(int dir)
{
	_cleanup_close_ int fd = openat(dir, VARIABLE,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int flags = 0;

	if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && flags & FS_IMMUTABLE_FL) {
		flags &= ~FS_IMMUTABLE_FL;
		(void)ioctl(fd, FS_IOC_SETFLAGS, &flags); /* the write says why not */
	}
}

/* One write is one variable: attributes and content. */
static int write_efi(int dir, const struct failure *f)
{
	char buf[EFI_ATTRIBUTES_LEN + FAILURE_RECORD_MAX] = {ATTRIBUTES};
	_cleanup_close_ int fd = -1;
	struct failure old;

	if (read_efi(dir, &old) == 0 && failure_same(&old, f))
		return 0;
	unprotect(dir);
	failure_write(buf + EFI_ATTRIBUTES_LEN, f);
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
	_cleanup_closedir_ DIR *d = buf ? fdopendir(dup(dir)) : NULL;
	const struct dirent *e;
	int r = -ENOENT;

	while ((e = dir_next(d)))
		if (strncmp(e->d_name, "pmsg-", 5) == 0 &&
			read_record(dir, e->d_name, 0, buf, PMSG_MAX, ret) == 0)
			r = 0;
	return r;
}

static int write_pmsg(const struct env *env, const struct failure *f)
{
	_cleanup_close_ int fd = env_open(env, O_WRONLY | O_APPEND | O_NOFOLLOW, PMSG);
	char buf[1 + FAILURE_RECORD_MAX];

	if (fd < 0)
		return fd;
	buf[0] = '\n'; /* what others wrote may have no end of line */
	failure_write(buf + 1, f);
	return write(fd, buf, sizeof(buf)) < 0 ? -errno : 0;
}

static int find_record(const struct env *env, unsigned places, bool may_mount, struct failure *ret)
{
	static const struct {
		enum failure_store_places place;
		const char *type, *dir;
		int (*read)(int dir, struct failure *ret);
	} table[] = {
		{FAILURE_STORE_EFI, "efivarfs", EFI_VARIABLES, read_efi},
		{FAILURE_STORE_PSTORE, "pstore", PSTORE_DIR, read_pstore},
	};
	int r = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(table) && r != 0; i++) {
		_cleanup_close_ int dir = -1;

		if (!(places & table[i].place))
			continue;
		if (may_mount)
			mount_missing(env, table[i].type, table[i].dir);
		dir = open_dir(env, table[i].dir);
		r = dir < 0 ? dir : table[i].read(dir, ret);
	}
	return r;
}

int failure_store_read(const struct env *env, unsigned places, struct failure *ret)
{
	return find_record(env, places, false, ret);
}

static int read_in_process(const void *arg)
{
	const struct failure_store *s = arg;
	struct outcome o = {0};

	o.error = -find_record(s->env, s->places, true, &o.failure);
	o.found = o.error == 0;
	return worker_reply(&o, sizeof(o));
}

int failure_store_new(struct failure_store **ret, const struct env *env, unsigned places)
{
	_cleanup_(failure_store_freep) struct failure_store *s = calloc(1, sizeof(*s));
	struct worker_spec spec = {.run = read_in_process, .arg = s,
		.reply_size = sizeof(struct outcome)};
	int r;

	if (!s)
		return -ENOMEM;
	*s = (struct failure_store){.env = env, .places = places};
	r = worker_start(&s->worker, &spec, now_ns());
	if (r < 0)
		return r;
	*ret = s;
	s = NULL;
	return 0;
}

/* Not waited for: it may be in the firmware's hands. A process that writes goes on. */
static void leave_process(struct failure_store *s)
{
	s->worker = s->writing ? worker_detach(s->worker) : worker_abandon(s->worker);
}

struct failure_store *failure_store_free(struct failure_store *s)
{
	if (!s)
		return NULL;
	leave_process(s);
	free(s);
	return NULL;
}

int failure_store_fd(const struct failure_store *s)
{
	return worker_fd(s->worker);
}

/* The reply of the process at work; false: none yet. */
static bool receive_outcome(struct failure_store *s, struct outcome *ret)
{
	int r = worker_receive(s->worker, ret, now_ns());

	if (r == 0)
		return false;
	if (r < 0)
		*ret = (struct outcome){.error = ECHILD};
	leave_process(s);
	return true;
}

int failure_store_pop(struct failure_store *s, struct failure *ret)
{
	struct outcome o;

	if (s->looked || !receive_outcome(s, &o))
		return 0;
	s->looked = true;
	s->found = o.found;
	*ret = o.failure;
	return o.found;
}

/* What the process that writes is given; failure NULL clears. */
struct writing {
	const struct failure_store *store;
	const struct failure *failure;
	bool has_dir; /* EFI_VARIABLES is open, as WORKER_FILE(0) */
};

/* Returns 0 or -errno, of the last place that failed. */
static int write_places(const struct writing *w)
{
	const struct env *env = w->store->env;
	unsigned places = w->store->places;
	int r, dir = WORKER_FILE(0), e = w->failure &&
		places & FAILURE_STORE_PSTORE ? write_pmsg(env, w->failure) : 0;

	if (!(places & FAILURE_STORE_EFI))
		return e;
	if (!w->has_dir) {
		mount_missing(env, "efivarfs", EFI_VARIABLES);
		dir = open_dir(env, EFI_VARIABLES);
	}
	if (dir < 0)
		return dir;
	if (!w->failure)
		return clear_efi(dir);
	r = write_efi(dir, w->failure);
	return r < 0 ? r : e;
}

static int write_in_process(const void *arg)
{
	struct outcome o = {0};

	limit_life(LIFE_S);
	o.error = -write_places(arg);
	return worker_reply(&o, sizeof(o));
}

/* Opened here, if known to be there: the process may run after the switch to the real root. */
int failure_store_keep(struct failure_store *s, const struct failure *f)
{
	bool has_efi = s->looked && s->places & FAILURE_STORE_EFI;
	int dir = has_efi ? open_dir(s->env, EFI_VARIABLES) : -1, r;
	const struct writing w = {.store = s, .failure = f, .has_dir = dir >= 0};
	const struct worker_spec spec = {.run = write_in_process, .arg = &w, .files = {dir},
		.n_files = 1, .sandbox = {.outlives = true}, .reply_size = sizeof(struct outcome)};

	leave_process(s);
	r = worker_start(&s->worker, &spec, now_ns());
	s->writing = r == 0;
	closep(&dir);
	return r;
}

/*
 * pstore forgets by itself: it shows what the boot before has written, and this one writes nothing.
 */
int failure_store_clear(struct failure_store *s)
{
	if (s->places & FAILURE_STORE_EFI && (s->found || !s->looked))
		return failure_store_keep(s, NULL);
	leave_process(s);
	return 0;
}

bool failure_store_done(struct failure_store *s, int *ret_error)
{
	struct outcome o = {0};

	if (s->worker && !receive_outcome(s, &o))
		return false;
	*ret_error = o.error;
	return true;
}
