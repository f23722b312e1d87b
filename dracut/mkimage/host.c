// SPDX-License-Identifier: GPL-2.0-or-later
#include "host.h"

#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/io.h"

extern char **environ;

#define FILE_SIZE_MAX ((size_t)256 << 20)
#define LOG_MAX	      ((size_t)1 << 20)

/* xorriso takes most. */
#define ARGS_MAX 40

static const char *scratch_dir;
static const char *volatile half_file; /* the result, while it is written beside its place */

int report_error(int error, const char *fmt, ...)
{
	va_list ap;

	fputs("initagent-mkimage: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s%s\n", error ? ": " : "", error ? strerror(-error) : "");
	return 1;
}

struct arena *host_arena(void)
{
	static struct arena *arena;

	if (!arena)
		arena = must_arena();
	return arena;
}

char *path_text(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = must(arena_vprintf(host_arena(), fmt, ap));
	va_end(ap);
	return s;
}

const char *fd_path(int fd)
{
	char path[PATH_MAX];
	ssize_t n = readlink(path_text("/proc/self/fd/%d", fd), path, sizeof(path));

	if (n < 0 || n == sizeof(path))
		die(n < 0 ? -errno : -ENAMETOOLONG, "/proc/self/fd/%d", fd);
	return path_text("%.*s", (int)n, path);
}

static void remove_scratch(void)
{
	io_remove_tree(scratch_dir);
}

static pid_t child; /* a program that writes into the folder; 0: none */

/* Only what a signal handler may call: another program removes the folder. */
static void on_end(int sig)
{
	pid_t pid;

	if (child > 0 && kill(child, SIGKILL) == 0)
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	pid = fork();
	if (pid == 0) {
		execl("/bin/rm", "rm", "-rf", "--", scratch_dir, NULL);
		_exit(1);
	}
	if (half_file)
		unlink(half_file);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	signal(sig, SIG_DFL);
	raise(sig);
}

/* One that is ignored (nohup) stays so. */
static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (signal(signals[i], on_end) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

char *scratch(const char *name)
{
	if (!scratch_dir) {
		const char *tmp = getenv("TMPDIR");
		char *dir = path_text("%s/initagent-mkimage.XXXXXX", tmp ? tmp : "/tmp");

		/* mkdtemp() completes the name in its place: the handler knows it at once. */
		scratch_dir = dir;
		catch_signals();
		if (!mkdtemp(dir))
			die(-errno, "scratch directory in %s", tmp ? tmp : "/tmp");
		atexit(remove_scratch);
	}
	return path_text("%s/%s", scratch_dir, name);
}

int file_read(const char *path, struct bytes *ret, mode_t *mode)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (mode)
		*mode = st.st_mode & 0111 ? 0755 : 0644;
	return io_read_all(fd, FILE_SIZE_MAX, &ret->data, &ret->size);
}

void file_replace(const char *path, const void *data, size_t size)
{
	char *tmp = path_text("%s.XXXXXX", path);
	_cleanup_close_ int fd = mkostemp(tmp, O_CLOEXEC);
	int r;

	if (fd < 0)
		die(-errno, "%s", path);
	half_file = tmp;
	r = fchmod(fd, 0600) < 0 ? -errno : io_write_all(fd, data, size);
	if (r == 0 && (fsync(fd) < 0 || rename(tmp, path) < 0))
		r = -errno;
	if (r < 0)
		unlink(tmp);
	half_file = NULL;
	need(r, path);
}

void file_put(const char *path, const void *data, size_t size)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	_cleanup_close_ int fd = -1;
	struct stat st;
	bool there = stat(path, &st) == 0;

	/* one that the kernel does not follow (fs.protected_symlinks) is another user's */
	if (!there || S_ISREG(st.st_mode)) {
		file_replace(there && real ? real : path, data, size);
		return;
	}
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	need(fd < 0 ? -errno : io_write_all(fd, data, size), path);
}

void make_dirs(const char *path)
{
	char *copy = path_text("%s/", path);

	for (char *p = strchr(copy + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			die(-errno, "%s", copy);
		*p = '/';
	}
}

void file_new(const char *path, const void *data, size_t size)
{
	_cleanup_close_ int fd = -1;

	make_dirs(path_text("%.*s", (int)(strrchr(path, '/') - path), path));
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	need(fd < 0 ? -errno : io_write_all(fd, data, size), path);
}

/* start: fds become 0, 1, 2 of the child; -1: /dev/null, for standard error our own. */
static pid_t start(const char *const argv[], const int fds[static 3], const char *what)
{
	posix_spawn_file_actions_t actions;
	char *args[ARGS_MAX + 1];
	size_t n = 0;
	int r;

	for (; n < ARGS_MAX && argv[n]; n++)
		args[n] = path_text("%s", argv[n]);
	args[n] = NULL;
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			posix_spawn_file_actions_adddup2(&actions, fds[i], i);
		else if (i < 2)
			posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
	r = -posix_spawnp(&child, argv[0], &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (r < 0)
		die(r, "cannot run %s (%s)", argv[0], what);
	return child;
}

static int finish(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	child = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

void run(const char *const argv[], bool talkative, const char *what)
{
	const char *log = scratch("log");
	_cleanup_close_ int fd = open(log, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	_cleanup_bytes_ struct bytes said = {0};
	int r;

	if (fd < 0)
		die(-errno, "%s", log);
	r = finish(start(argv, (const int[]){-1, -1, talkative ? fd : -1}, what));
	if (r == 0)
		return;
	if (lseek(fd, 0, SEEK_SET) == 0 && io_read_all(fd, LOG_MAX, &said.data, &said.size) == 0)
		fwrite(said.data, 1, said.size, stderr);
	die(r, "%s (%s)", argv[0], what);
}

static bool is_program(const char *name)
{
	const char *path = getenv("PATH");
	char *save = NULL;

	for (char *dir = strtok_r(path_text("%s", path ? path : ""), ":", &save); dir;
		dir = strtok_r(NULL, ":", &save))
		if (access(path_text("%s/%s", dir, name), X_OK) == 0)
			return true;
	return false;
}

void needs_check(const struct needs *list)
{
	const char *what = "", *packages = "", *last = "";

	for (size_t i = 0; i < list->n; i++) {
		const struct need *need = &list->item[i];

		if (strchr(need->what, '/') ? access(need->what, R_OK) == 0
					    : is_program(need->what))
			continue;
		what = path_text("%s%s%s", what, *what ? ", " : "", need->what);
		if (!streq(last, need->package))
			packages = path_text("%s %s", packages, need->package);
		last = need->package;
	}
	if (*what)
		refuse("not there: %s; apt-get install%s", what, packages);
}

int filter(
	const char *const argv[], int fd, size_t limit, struct bytes *ret, const char *what)
{
	int pipefd[2], r, end;
	pid_t pid;

	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return -errno;
	pid = start(argv, (const int[]){fd, pipefd[1], -1}, what);
	close(pipefd[1]);
	r = io_read_all(pipefd[0], limit, &ret->data, &ret->size);
	close(pipefd[0]); /* before the wait: a child that still writes must not block */
	end = finish(pid);
	if (r == 0 && end < 0)
		free(ret->data);
	return r < 0 ? r : end;
}
