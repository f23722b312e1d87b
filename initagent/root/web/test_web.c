// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of the steps, seen from the web server: what is asked for, when, and what no longer
 * once something is wrong. Nothing here is a root: what gets as far as the image room is refused
 * there.
 */
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/sha256.h"
#include "check.h"
#include "root/web/web.h"

#define TIME_LIMIT (60 * NSEC_PER_SEC)

struct lab {
	char dir[32], sysroot[64], url[80];
	const char *mirrors; /* the list, with a place for the port; NULL: none */
	char asked[512]; /* "/mirrors /root.img /root.img.minisig " */
	struct env env;
	struct plan_image plan;
	struct plan_key key;
	int listener, log;
	bool hasty; /* the first failure is enough */
	bool kept;  /* the image has its name while it is mounted or unpacked */
	enum cause cause;
};

static void put(const struct lab *l, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", l->dir, name);
	f = fopen(path, "we");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* A command in the lab's folder; what it prints is no TAP. */
static void run(const struct lab *l, const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && { %s; } >/dev/null 2>&1", l->dir, command);
	CHECK_INT(system(line), 0);
}

/* --- the server ------------------------------------------------------------------------------ */

/* "GET /NAME HTTP/1.1": the name, and the name alone into the log. */
static bool read_request(int fd, int log, char *name, size_t size)
{
	char head[2048], line[128];
	size_t have = 0;

	for (;;) {
		ssize_t n = read(fd, head + have, sizeof(head) - 1 - have);

		if (n <= 0)
			return false;
		have += (size_t)n;
		head[have] = 0;
		if (strstr(head, "\r\n\r\n"))
			break;
	}
	if (sscanf(head, "GET /%100s", line) != 1 || strscpy(name, line, size) < 0)
		return false;
	dprintf(log, "/%s ", name);
	return true;
}

static void answer(const struct lab *l, int fd, const char *name)
{
	_cleanup_close_ int file = -1;
	char path[256], body[8192];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", l->dir, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	n = file < 0 ? -1 : read(file, body, sizeof(body));
	if (n < 0) {
		dprintf(fd, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
		return;
	}
	dprintf(fd, "HTTP/1.1 200 OK\r\nContent-Length: %zd\r\n\r\n", n);
	CHECK(write(fd, body, (size_t)n) == n);
}

/* Ends with the case, which is a process of its own. */
static void serve(const struct lab *l)
{
	for (;;) {
		_cleanup_close_ int fd = accept(l->listener, NULL, NULL);
		char name[128];

		while (fd >= 0 && read_request(fd, l->log, name, sizeof(name)))
			answer(l, fd, name);
	}
}

static pid_t start_server(struct lab *l)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	char log[64];
	pid_t pid;

	snprintf(log, sizeof(log), "%s/log", l->dir);
	l->log = open(log, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	l->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(l->log >= 0 && l->listener >= 0);
	CHECK_INT(bind(l->listener, (const struct sockaddr *)&a, len), 0);
	CHECK_INT(listen(l->listener, 8), 0);
	CHECK_INT(getsockname(l->listener, (struct sockaddr *)&a, &len), 0);
	snprintf(l->url, sizeof(l->url), "http://127.0.0.1:%u/root.img", ntohs(a.sin_port));
	if (l->mirrors) {
		char text[256];

		snprintf(text, sizeof(text), l->mirrors, ntohs(a.sin_port));
		put(l, "mirrors", text);
	}
	pid = fork();
	if (pid == 0)
		serve(l);
	return pid;
}

/* --- the room -------------------------------------------------------------------------------- */

static void open_lab(struct lab *l)
{
	char path[64];

	*l = (struct lab){.dir = "/tmp/initagent-web-XXXXXX"};
	/* What is mounted for the transfer goes with the case. Who has no right to that mounts
	 * nothing. */
	if (unshare(CLONE_NEWNS) == 0)
		CHECK_INT(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	check_dir(l->dir);
	if (geteuid() == 0)
		CHECK_INT(mount("tmpfs", l->dir, "tmpfs", 0, NULL), 0);
	snprintf(l->sysroot, sizeof(l->sysroot), "%s/sysroot", l->dir);
	snprintf(path, sizeof(path), "%s/proc", l->dir);
	CHECK_INT(mkdir(path, 0755), 0);
	put(l, "proc/meminfo", "MemAvailable: 524288 kB\n");
	put(l, "root.img", "<html>no root\n");
	l->env.prefix = l->dir;
	l->plan.minmem_mib = 1;
}

static void wait_for_more(struct source *w, uint64_t end)
{
	struct pollfd p = {.fd = web_fd(w), .events = POLLIN};
	uint64_t now = now_ns(), at = min_u64(web_deadline(w), end);

	poll(&p, 1, at > now ? (int)((at - now) / NSEC_PER_MSEC + 1) : 0);
	web_dispatch(w, now_ns());
}

static void take(struct source *w, struct lab *l)
{
	enum source_event e;

	while ((e = source_pop_event(w)) != SOURCE_NONE) {
		CHECK(e != SOURCE_MOUNTED);
		if (e == SOURCE_FATAL || (e == SOURCE_FAILED && l->hasty))
			l->cause = w->cause;
	}
}

static void look_at_store(const struct source *w, struct lab *l)
{
	_cleanup_closedir_ DIR *dir = env_opendir(&l->env, STATE_DIR "/fetch");
	struct source_progress p;
	char text[400];

	web_progress(w, &p);
	/* a cache that failed is nothing that the image is waited for because of */
	CHECK(!streq(p.step, "image") || web_describe(w, text, sizeof(text)) !=
		CAUSE_CACHE_DAMAGED);
	l->kept |= streq(p.step, "mounting") && dir_next(dir);
}

/* Until it is refused; asked is then what the server was asked for. */
static void go(struct lab *l)
{
	const struct web_config cfg = {.plan = &l->plan, .target = l->sysroot, .node = 1};
	struct source *w = NULL;
	pid_t server = start_server(l);
	uint64_t end = now_ns() + TIME_LIMIT;
	ssize_t n;

	l->plan.url = l->url;
	CHECK_INT(web_start(&w, &l->env, &cfg, now_ns()), 0);
	for (take(w, l); !l->cause && now_ns() < end; take(w, l)) {
		wait_for_more(w, end);
		look_at_store(w, l);
	}
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	web_end(w);
	n = pread(l->log, l->asked, sizeof(l->asked) - 1, 0);
	CHECK(n >= 0);
}

/* The site's key, and root.img signed with it. */
static void sign(struct lab *l)
{
	run(l, "minisign -G -W -p site.pub -s site.key && minisign -S -W -s site.key -m root.img");
	l->key.path = "/site.pub";
	l->plan.keys = &l->key;
	l->plan.n_keys = 1;
}

/* --- cases ----------------------------------------------------------------------------------- */

TEST(bare_image)
{
	struct lab l;

	open_lab(&l);
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img ");
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}

TEST(wrong_digest)
{
	struct lab l;

	open_lab(&l);
	l.plan.has_digest = true;
	go(&l);
	CHECK_INT(l.cause, CAUSE_FETCH_DIGEST);
}

/* Its memory goes while it is unpacked: an agent that is killed then leaves holes. */
TEST(an_archive_that_is_unpacked_is_nothing_to_build_upon)
{
	static const struct {
		const char *make;
		bool kept;
	} rows[] = {
		{"tar -b 1 -cf root.img proc", false},
		{"printf 'hsqs%024d\\4\\0' >root.img", true},
	};
	struct sha256 state;
	struct lab l;

	if (geteuid() != 0)
		check_skip("what has no place of its own has no name: it takes root");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ void *image = NULL;
		char path[64];
		size_t len;

		open_lab(&l);
		run(&l, rows[i].make);
		snprintf(path, sizeof(path), "%s/root.img", l.dir);
		CHECK_INT(io_read_file(path, 1 << 20, &image, &len), 0);
		sha256_init(&state);
		sha256_update(&state, image, len);
		sha256_final(&state, l.plan.digest);
		l.plan.has_digest = true;
		go(&l);
		CHECK(l.cause != CAUSE_FETCH_DIGEST);
		CHECK_INT(l.kept, rows[i].kept);
	}
}

/* The kernel's numbers, of a machine where all that the image takes is missing. Ends with the
 * case. */
static void tell_memory(const struct lab *l)
{
	char fifo[64];

	snprintf(fifo, sizeof(fifo), "%s/proc/meminfo", l->dir);
	signal(SIGPIPE, SIG_IGN); /* who reads may have had enough */
	for (;;) {
		FILE *f = fopen(fifo, "we");
		_cleanup_closedir_ DIR *dir = env_opendir(&l->env, STATE_DIR "/fetch");
		const struct dirent *e = dir_next(dir);
		struct stat st = {0};

		if (e)
			(void)fstatat(dirfd(dir), e->d_name, &st, 0);
		if (f)
			fprintf(f, "MemAvailable: %lld kB\n", 1024 + 12 -
				(long long)st.st_blocks / 2);
		if (f)
			fclose(f);
	}
}

TEST(a_damaged_image_of_the_cache_leaves_room_for_a_good_one)
{
	static const char make[] = "head -c 8000 /dev/zero >root.img && truncate -s 1M disk && "
		"mkfs.ext2 -q disk && mkdir m && mount -o loop disk m && "
		"head -c 8000 /dev/urandom >m/sha256-$(sha256sum <root.img | cut -c-64) && "
		"umount m && losetup -f --show disk >loop && rm proc/meminfo && "
		"mkfifo proc/meminfo";
	char path[64], disk[64] = "";
	struct sha256 state;
	struct lab l;
	pid_t pid;
	FILE *f;

	if (geteuid() != 0)
		check_skip("mounting takes root");
	open_lab(&l);
	run(&l, make);
	snprintf(path, sizeof(path), "%s/loop", l.dir);
	f = fopen(path, "re");
	CHECK(f && fgets(disk, sizeof(disk), f) && fclose(f) == 0);
	disk[strcspn(disk, "\n")] = 0;
	run(&l, "mkdir -p sys dev && mount --bind /sys sys && mount --bind /dev dev");
	sha256_init(&state);
	for (size_t i = 0; i < 8000; i++)
		sha256_update(&state, "", 1);
	sha256_final(&state, l.plan.digest);
	l.plan.has_digest = true;
	l.plan.cache = disk;
	pid = fork();
	if (pid == 0)
		tell_memory(&l);
	go(&l);
	kill(pid, SIGKILL);
	run(&l, "losetup -d $(cat loop)");
	CHECK_STR(l.asked, "/mirrors /root.img ");
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}

TEST(proof_that_cannot_be_read)
{
	struct lab l;

	open_lab(&l);
	l.plan.unprovable = true;
	go(&l);
	CHECK_STR(l.asked, "");
	CHECK_INT(l.cause, CAUSE_CMDLINE_MALFORMED);
}

TEST(signature_comes_first)
{
	struct lab l;

	open_lab(&l);
	sign(&l);
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img.minisig /root.img ");
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}

TEST(without_signature_the_image_is_not_asked_for)
{
	struct lab l;

	open_lab(&l);
	sign(&l);
	run(&l, "rm root.img.minisig");
	l.hasty = true;
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img.minisig ");
	CHECK_INT(l.cause, CAUSE_SIGNATURE_MISSING);
}

TEST(changed_after_it_was_signed)
{
	struct lab l;

	open_lab(&l);
	sign(&l);
	put(&l, "root.img", "<html>no boot\n");
	go(&l);
	CHECK_INT(l.cause, CAUSE_SIGNATURE_BAD);
}

TEST(trusted_key_that_is_not_there)
{
	struct lab l;

	open_lab(&l);
	sign(&l);
	run(&l, "rm site.pub");
	go(&l);
	CHECK_STR(l.asked, "");
	CHECK_INT(l.cause, CAUSE_KEY_UNREADABLE);
}

/* A manifest that is not the site's: the image it names is not asked for. */
TEST(manifest_that_is_none)
{
	struct lab l;

	open_lab(&l);
	sign(&l);
	l.plan.manifest = true;
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img /root.img.minisig ");
	CHECK_INT(l.cause, CAUSE_MANIFEST_BAD);
}

/* Sums beside the image, as systemd's verify=checksum has them; a key is worth more. */
TEST(sums_of_the_image_alone)
{
	struct lab l;

	open_lab(&l);
	l.plan.sums = true;
	run(&l, "sha256sum root.img >root.img.sha256; echo none >SHA256SUMS");
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img.sha256 /root.img ");
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}

TEST(sums_of_the_folder)
{
	struct lab l;

	open_lab(&l);
	l.plan.sums = true;
	run(&l, "sha256sum root.img >SHA256SUMS");
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img.sha256 /SHA256SUMS /root.img ");
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}

TEST(sums_of_another_image)
{
	struct lab l;

	open_lab(&l);
	l.plan.sums = true;
	run(&l, "echo other >other.img; sha256sum other.img | sed s/other/root/ >SHA256SUMS");
	go(&l);
	CHECK_INT(l.cause, CAUSE_FETCH_DIGEST);
}

TEST(sums_without_the_image)
{
	struct lab l;

	open_lab(&l);
	l.plan.sums = true;
	run(&l, "echo other >other.img; sha256sum other.img >SHA256SUMS");
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img.sha256 /SHA256SUMS ");
	CHECK_INT(l.cause, CAUSE_MANIFEST_BAD);
}

TEST(a_key_is_worth_more_than_sums)
{
	struct lab l;

	open_lab(&l);
	l.plan.sums = true;
	sign(&l);
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img.minisig /root.img ");
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}

TEST(a_proof_is_asked_for_and_there_is_none)
{
	struct lab l;

	open_lab(&l);
	l.plan.must_prove = true;
	go(&l);
	CHECK_STR(l.asked, "");
	CHECK_INT(l.cause, CAUSE_SIGNATURE_MISSING);
	sign(&l);
	l.cause = CAUSE_NONE;
	go(&l);
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}

/* What the list names is asked as well, also for the manifest and the signature. */
TEST(list_of_mirrors)
{
	struct lab l;

	open_lab(&l);
	l.mirrors = "# ours\nhttp://127.0.0.1:%u/copy.img\n";
	run(&l, "mv root.img copy.img");
	go(&l);
	CHECK(strstr(l.asked, "/mirrors ") == l.asked);
	CHECK(strstr(l.asked, "/copy.img "));
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}

TEST(list_of_mirrors_that_is_a_page)
{
	struct lab l;

	open_lab(&l);
	put(&l, "mirrors", "<html>\nPlease log in\n");
	go(&l);
	CHECK_STR(l.asked, "/mirrors /root.img ");
	CHECK_INT(l.cause, CAUSE_IMAGE_UNKNOWN);
}
