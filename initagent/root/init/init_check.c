// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/init/init_check.h"

#include <elf.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "root/init/program.h"
#include "base/sysmount.h"
#include "base/worker.h"

/* More than any init or loader has; what is larger is read so far. */
#define READ_MAX (64u << 20)
#define PIECE	 65536
/* exec_binprm() of fs/exec.c follows so many scripts. */
#define DEPTH_MAX 5

/* The kernel's order, init/main.c kernel_init(), but for /bin/sh; then systemd itself, which the
 * systemd of an initramfs enters where no init is named: Debian has the link to it in a package of
 * its own. */
static const char *const defaults[] = {"/sbin/init", "/etc/init", "/bin/init",
	"/usr/lib/systemd/systemd", "/lib/systemd/systemd"};

/* One look: below which root, and what it says in the end. */
struct look {
	int root;
	char *why;
	size_t size;
	void (*reading)(void); /* or NULL */
};

/* One file of the chain from init to its last interpreter. */
struct file {
	char name[PATH_MAX]; /* "/sbin/init: interpreter /bin/sh" */
	struct stat st;
	struct program program;
	int fd;
};

_printf_(4, 5) static int refuse(const struct look *l, const struct file *f, int error,
	const char *fmt, ...)
{
	char what[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(l->why, l->size, "%.*s: %s", (int)(l->size > 80 ? l->size - 80 : 0), f->name,
		what);
	return error;
}

static int fails(const struct look *l, const struct file *f, int error)
{
	return refuse(l, f, error, "%s", strerror(-error));
}

static const char *machine_name(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = {{EM_386, "i386"}, {EM_X86_64, "x86-64"}, {EM_ARM, "arm"},
		{EM_AARCH64, "arm64"}, {EM_PPC64, "ppc64"}, {EM_S390, "s390"}, {EM_RISCV, "riscv"}};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "unknown";
}

/* To the end: what the root's server or medium cannot give is seen now. 0 or -errno. */
static int read_all(int fd)
{
	_cleanup_free_ char *piece = malloc(PIECE);
	off_t at = 0;
	ssize_t n = 1;

	if (!piece)
		return -ENOMEM;
	(void)posix_fadvise(fd, 0, READ_MAX, POSIX_FADV_WILLNEED);
	while (n > 0 && at < READ_MAX) {
		n = pread(fd, piece, PIECE, at);
		at += n > 0 ? n : 0;
	}
	return n < 0 ? -errno : 0;
}

/* f->fd is the errno: ENOENT may be a dangling link, which is worth naming. */
static int cannot_open(const struct look *l, const struct file *f, const char *path)
{
	_cleanup_close_ int fd =
		f->fd == -ENOENT ? sys_open_in(l->root, path, O_PATH | O_NOFOLLOW) : -1;
	char to[80];
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", to, sizeof(to));

	if (n <= 0)
		return fails(l, f, f->fd);
	return refuse(l, f, f->fd, "a link to %.*s, which is not there", (int)n, to);
}

static int open_program(const struct look *l, const char *path, struct file *f)
{
	struct statvfs fs;
	uint8_t head[PROGRAM_HEAD];
	ssize_t n;
	int r;

	f->fd = sys_open_file(l->root, path, 0);
	if (f->fd == -EINVAL)
		return refuse(l, f, -EACCES, "not a regular file");
	if (f->fd < 0)
		return cannot_open(l, f, path);
	if (fstat(f->fd, &f->st) < 0 || fstatvfs(f->fd, &fs) < 0)
		return fails(l, f, -errno);
	if (!(f->st.st_mode & 0111))
		return refuse(l, f, -EACCES, "not executable (mode %04o)", f->st.st_mode & 07777u);
	if (fs.f_flag & ST_NOEXEC)
		return refuse(l, f, -EACCES, "the root is mounted noexec");
	if (l->reading)
		l->reading();
	r = read_all(f->fd);
	if (r < 0)
		return refuse(l, f, r, "cannot be read to its end: %s", strerror(-r));
	n = pread(f->fd, head, sizeof(head), 0);
	if (n <= 0)
		return n < 0 ? fails(l, f, -errno) : refuse(l, f, -ENOEXEC, "the file is empty");
	program_head(head, (size_t)n, &f->program);
	return 0;
}

/* The loader's name of an ELF program, "" if it needs none. */
static int read_elf(const struct look *l, const struct file *f, char ret[static PATH_MAX])
{
	const struct program *p = &f->program;
	_cleanup_free_ char *table = malloc(p->table_size);
	struct program_segments s;

	*ret = 0;
	if (!table)
		return fails(l, f, -ENOMEM);
	if (p->table > INT64_MAX ||
		pread(f->fd, table, p->table_size, (off_t)p->table) != (ssize_t)p->table_size)
		return refuse(l, f, -ENOEXEC, "the file is cut off");
	if (program_segments(p, table, p->table_size, &s) < 0)
		return refuse(l, f, -ENOEXEC, "its ELF program headers are malformed");
	if (s.end > (uint64_t)f->st.st_size)
		return refuse(l, f, -ENOEXEC, "the file is cut off");
	if (!s.interp_size)
		return 0;
	if (pread(f->fd, ret, s.interp_size, (off_t)s.interp) != (ssize_t)s.interp_size ||
		ret[s.interp_size - 1])
		return refuse(l, f, -ENOEXEC, "its ELF program headers are malformed");
	return 0;
}

/* What executes the file, "" if it does that itself. */
static int interpreter_of(const struct look *l, const struct file *f, char ret[static PATH_MAX])
{
	const struct program *p = &f->program;

	switch (p->kind) {
	case PROGRAM_SCRIPT:
		strscpy(ret, p->interpreter, PATH_MAX);
		return 0;
	case PROGRAM_ELF:
		return read_elf(l, f, ret);
	case PROGRAM_FOREIGN:
		return refuse(l, f, -ENOEXEC, "a program for another machine (%s%s)",
			machine_name(p->machine),
			p->narrow ? ", 32 bit" : "");
	case PROGRAM_BROKEN:
		return refuse(l, f, -ENOEXEC, "an ELF file, but no program");
	case PROGRAM_UNKNOWN:
		break;
	}
	return refuse(l, f, -ENOEXEC, "neither an ELF program nor a script with '#!'");
}

/* From init to its last interpreter. An ELF loader is an ELF file too, and loads itself. */
static int check_chain(const struct look *l, const char *init)
{
	struct file f = {.fd = -1};
	char path[PATH_MAX], next[PATH_MAX] = "";
	enum program_kind above = PROGRAM_UNKNOWN;
	int r = 0;

	strscpy(path, init, sizeof(path));
	strscpy(f.name, init, sizeof(f.name));
	for (unsigned depth = 0; r == 0 && *path; depth++) {
		_cleanup_close_ int fd = -1;

		if (above == PROGRAM_SCRIPT && depth > DEPTH_MAX)
			return refuse(l, &f, -ELOOP,
				"too many interpreters, each with its own '#!'");
		r = open_program(l, path, &f);
		fd = f.fd;
		if (r == 0 && above == PROGRAM_ELF && f.program.kind != PROGRAM_ELF)
			return refuse(l, &f, -ENOEXEC, "no ELF loader of this machine");
		r = r < 0 ? r : interpreter_of(l, &f, next);
		strscpy(path, above == PROGRAM_ELF ? "" : next, sizeof(path));
		above = f.program.kind;
		snprintf(f.name, sizeof(f.name), "%.250s: interpreter %.500s", init, path);
	}
	return r;
}

int init_check(const char *root, const char *wanted, char *ret, size_t size)
{
	return init_check_told(root, wanted, ret, size, NULL);
}

int init_check_told(const char *root, const char *wanted, char *ret, size_t size,
	void (*reading)(void))
{
	_cleanup_close_ int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct look l = {.root = dir, .why = ret, .size = size, .reading = reading};
	char first[256] = "";
	int r = -ENOENT, worst = 0;

	if (dir < 0) {
		r = -errno;
		snprintf(ret, size, "%s: %s", root, strerror(-r));
		return r;
	}
	for (size_t i = 0; i < (wanted ? 1 : ARRAY_SIZE(defaults)); i++) {
		const char *path = wanted ? wanted : defaults[i];

		r = check_chain(&l, path);
		if (r == 0 && strscpy(ret, path, size) >= 0)
			return 0;
		r = r == 0 ? -ENAMETOOLONG : r;
		/* The one that is there and unusable says more than those that are not there. */
		if (!worst || (worst == -ENOENT && r != -ENOENT)) {
			worst = r;
			strscpy(first, ret, sizeof(first));
		}
	}
	strscpy(ret, first, size);
	if (worst == -ENOENT && sys_there_beneath(root, "/ostree/repo"))
		str_add(ret, size, "; deployments of OSTree (ostree=) are not entered");
	return worst;
}

struct question {
	const char *root, *wanted;
};

struct answer {
	int32_t error;
	char text[INIT_CHECK_MAX];
};

static int check_root(const void *arg)
{
	const struct question *q = arg;
	struct answer a = {0};

	a.error = init_check(q->root, q->wanted, a.text, sizeof(a.text));
	return worker_reply(&a, sizeof(a)) < 0;
}

static bool answer_valid(void *reply, const void *context)
{
	struct answer *a = reply;

	(void)context;
	a->text[sizeof(a->text) - 1] = 0;
	return a->error <= 0;
}

int init_check_limited(const char *root, const char *wanted, char ret[static INIT_CHECK_MAX],
	int limit_ms)
{
	const struct question q = {root, wanted};
	const struct worker_spec spec = {
		.run = check_root,
		.arg = &q,
		.reply_size = sizeof(struct answer),
		.valid = answer_valid,
		.limit = (uint64_t)limit_ms * NSEC_PER_MSEC,
	};
	struct answer a;
	const char *how;
	int r = worker_ask(&spec, &a, &how);

	strscpy(ret, r < 0 ? how : a.text, INIT_CHECK_MAX);
	return r < 0 ? r : a.error;
}
