// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile ADDRESS FILE LOG: a web server that does on request what a server must not do. It serves
 * FILE under every path; the query says what is wrong with the answer. Honest are only
 * FILE.manifest and FILE.minisig, under paths that end so, and that there is no list of mirrors. As
 * a proxy it knows CONNECT. Prints its port, and writes a line a request to LOG: "PATH FIRST-BYTE
 * BODY-BYTES-SENT".
 *
 * Breaks, on the first TIMES requests of a path (times=N; all without it), but not before one of
 * them (bfrom=N): cut=N      close after N bytes of the body       rcut=N     after a random number
 * below N rst        close with a reset                    stall      keep the connection open
 * instead, in silence noend      close before the last chunk, which is empty drip=MS    a byte
 * every MS ms                    driphead=MS  the same for the head Limits, of each connection:
 * rate=N bytes a second; of a path: share=N bytes a second, most=N requests at once, 503 beyond
 * Lies, from request SINCE on (since=N) and before request UNTIL (until=N):
 *   len=N len2=N nolen chunked trailer norange force206 first=D total=D etag=TEXT noetag other
 * flip=N last=D status=N after=TEXT enc=TEXT coding=TEXT loc=URL raw=TEXT interim heads=N fold
 * bighead=N http=TEXT lentext=TEXT short=N (a part is N bytes at most) star (nor does it say of how
 * many) gone (a range behind the end: 416 with the size) chunksize=TEXT multipart weak date=TEXT
 * line=TEXT (a line of the head) nocr grow (a redirect, each time to a longer URL) In TEXT a '+'
 * stands for a blank.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/util.h"

#define PATHS_MAX 512
#define ENDLESS	  UINT64_MAX

enum { FREE, BEING_NAMED, NAMED };

/* How often each path was asked for, by all processes. */
struct counter {
	int state; /* FREE, BEING_NAMED or NAMED */
	char path[512];
	unsigned n, now;
	uint64_t free_ns; /* when the bytes that were allowed so far are through; 0: none yet */
};

struct server {
	const uint8_t *data;
	uint64_t size;
	const char *file, *log;
	struct counter *counters;
};

struct request {
	struct server *s;
	int fd;
	char path[512], query[512];
	bool ranged;
	uint64_t from, to; /* the byte behind the last one */
	struct counter *counter;
	unsigned count; /* this is the how-manieth of its path, from 0 */
	uint64_t sent;	/* of the body */
	bool keep;
};

/* --- the query ----------------------------------------------------------------------------- */

/* The text after NAME= (or "" for a bare NAME), or NULL. */
static const char *asked(const struct request *r, const char *name, char buf[static 256])
{
	size_t n = strlen(name);

	for (const char *p = r->query; *p; p += strcspn(p, "&"), p += *p == '&') {
		size_t len = strcspn(p, "&");

		if (strncmp(p, name, n) != 0 || (p[n] != '=' && n != len))
			continue;
		n += p[n] == '=';
		snprintf(buf, 256, "%.*s", (int)(len - n), p + n);
		return buf;
	}
	return NULL;
}

static uint64_t number(const struct request *r, const char *name, uint64_t otherwise)
{
	char buf[256];
	const char *v = asked(r, name, buf);

	return v ? strtoull(v, NULL, 10) : otherwise;
}

static bool breaks(const struct request *r)
{
	return r->count < number(r, "times", UINT32_MAX) && r->count >= number(r, "bfrom", 0);
}

static const char *lie(const struct request *r, const char *name, char buf[static 256])
{
	if (r->count < number(r, "since", 0) || r->count >= number(r, "until", UINT32_MAX))
		return NULL;
	return asked(r, name, buf);
}

static bool lies(const struct request *r, const char *name)
{
	char buf[256];

	return lie(r, name, buf) != NULL;
}

static uint64_t lie_number(const struct request *r, const char *name, uint64_t otherwise)
{
	char buf[256];
	const char *v = lie(r, name, buf);

	return v ? (uint64_t)strtoll(v, NULL, 10) : otherwise;
}

/* --- sending ------------------------------------------------------------------------------- */

static void give_up(struct request *r)
{
	FILE *f = fopen(r->s->log, "a");

	if (f) {
		fprintf(f, "%s %llu %llu\n", r->path, (unsigned long long)r->from,
			(unsigned long long)r->sent);
		fclose(f);
	}
	if (r->counter)
		__atomic_fetch_sub(&r->counter->now, 1, __ATOMIC_RELAXED);
	if (asked(r, "rst", (char[256]){0}) && breaks(r)) {
		const struct linger now = {.l_onoff = 1};

		setsockopt(r->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	}
	close(r->fd);
	_exit(0);
}

/* Waits without a sleep: the client's going away ends it. */
static void pause_for(struct request *r, uint64_t ms)
{
	struct pollfd p = {.fd = r->fd, .events = POLLRDHUP};

	if (poll(&p, 1, (int)ms) > 0)
		give_up(r);
}

static void put(struct request *r, const void *data, size_t len, uint64_t drip)
{
	const uint8_t *p = data;

	while (len) {
		size_t n = drip ? 1 : len;
		ssize_t done = send(r->fd, p, n, MSG_NOSIGNAL);

		if (done <= 0)
			give_up(r);
		p += done;
		len -= (size_t)done;
		if (drip)
			pause_for(r, drip);
	}
}

static void say(struct request *r, const char *fmt, ...) _printf_(2, 3);

static void say(struct request *r, const char *fmt, ...)
{
	char text[2048];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put(r, text, (size_t)n, breaks(r) ? number(r, "driphead", 0) : 0);
}

/* --- the body ------------------------------------------------------------------------------ */

static void corrupt(const struct request *r, uint8_t *piece, uint64_t at, size_t len)
{
	uint64_t flip = lie_number(r, "flip", ENDLESS);

	if (flip >= at && flip < at + len)
		piece[flip - at] ^= 1;
	if (lies(r, "other"))
		for (size_t i = 0; i < len; i++)
			piece[i] ^= 0x55;
}

/* How much of the body may go out before the break. */
static uint64_t break_at(const struct request *r)
{
	uint64_t most = number(r, "rcut", 0);

	if (!breaks(r))
		return ENDLESS;
	if (most) {
		srandom((unsigned)getpid());
		return (uint64_t)random() % most;
	}
	return number(r, "cut", ENDLESS);
}

static void put_piece(struct request *r, const uint8_t *piece, size_t len, bool chunked)
{
	char buf[256];

	if (chunked && lie(r, "chunksize", buf))
		say(r, "%s\r\n", buf);
	else if (chunked)
		say(r, "%zx\r\n", len);
	put(r, piece, len, breaks(r) ? number(r, "drip", 0) : 0);
	if (chunked)
		say(r, "\r\n");
	r->sent += len;
}

/* Waits for the path's turn to send n bytes. What a process was late by is made up for. */
static void wait_turn(struct request *r, size_t n)
{
	uint64_t total = number(r, "share", 0), need = total ? n * NSEC_PER_SEC / total : 0,
		 now = now_ns(), least = now - NSEC_PER_SEC / 4, at, from;

	do {
		at = __atomic_load_n(&r->counter->free_ns, __ATOMIC_RELAXED);
		from = at == 0 ? now : at > least ? at : least;
	} while (!__atomic_compare_exchange_n(
		&r->counter->free_ns, &at, from + need, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	if (total && from + need > now)
		pause_for(r, (from + need - now) / NSEC_PER_MSEC);
}

/* Twenty pieces a second at least, if there is a limit. */
static size_t piece_size(uint64_t rate)
{
	return rate ? (size_t)min_u64(rate / 20 + 1, 65536) : 65536;
}

/* Waits until the bytes so far are due, from the body's begin: late pieces are made up for. */
static void keep_rate(struct request *r, uint64_t began, uint64_t rate)
{
	uint64_t due = began + r->sent * NSEC_PER_SEC / rate, now = now_ns();

	if (due > now)
		pause_for(r, (due - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC);
}

static void put_body(struct request *r, uint64_t from, uint64_t len, bool chunked)
{
	static uint8_t piece[65536];
	uint64_t limit = break_at(r), rate = number(r, "rate", 0), most = piece_size(rate);
	uint64_t began = now_ns();

	for (uint64_t at = from; at < from + len;) {
		size_t n = (size_t)min_u64(min_u64(most, from + len - at), limit - r->sent);

		if (n == 0) {
			if (asked(r, "stall", (char[256]){0}))
				pause_for(r, 600000);
			give_up(r);
		}
		memcpy(piece, r->s->data + at, n);
		corrupt(r, piece, at, n);
		put_piece(r, piece, n, chunked);
		at += n;
		if (rate)
			keep_rate(r, began, rate);
		wait_turn(r, n);
	}
	if (chunked && breaks(r) && asked(r, "noend", (char[256]){0}))
		give_up(r);
	if (chunked)
		say(r, "0\r\n%s\r\n",
			lies(r, "trailer") ? "Content-Length: 5\r\nContent-Encoding: gzip\r\n"
					   : "");
}

/* --- the head ------------------------------------------------------------------------------ */

static void put_validators(struct request *r)
{
	char buf[256];
	const char *etag = lie(r, "etag", buf);

	if (etag || !asked(r, "noetag", (char[256]){0}))
		say(r, "ETag: %s\"%s\"\r\n", lies(r, "weak") ? "W/" : "", etag ? etag : "one");
	if (!asked(r, "nolm", buf))
		say(r, "Last-Modified: Tue, 01 Jul 2025 10:00:00 GMT\r\n");
}

/* Lines whose value is the query's. */
static void put_given(struct request *r)
{
	static const struct {
		const char *name, *field;
	} given[] = {
		{"len2", "Content-Length"},
		{"after", "Retry-After"},
		{"enc", "Content-Encoding"},
		{"coding", "Transfer-Encoding"},
		{"loc", "Location"},
		{"date", "Date"},
		{"line", NULL},
	};
	char buf[256];

	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		if (!lie(r, given[i].name, buf))
			continue;
		for (char *p = buf; (p = strchr(p, '+'));)
			*p = ' ';
		say(r, "%s%s%s\r\n", given[i].field ? given[i].field : "",
			given[i].field ? ": " : "", buf);
	}
	if (lies(r, "grow"))
		say(r, "Location: %s&longer\r\n", r->path);
	for (uint64_t i = lie_number(r, "heads", 0); i; i--)
		say(r, "X-Filler-%llu: nothing\r\n", (unsigned long long)i);
	for (uint64_t i = 0, n = lie_number(r, "bighead", 0); i < n; i += 1000)
		say(r, "%s%01000d%s", i ? "" : "X-Big: ", 7, i + 1000 < n ? "" : "\r\n");
	if (lies(r, "multipart"))
		say(r, "Content-Type: multipart/byteranges; boundary=x\r\n");
	if (lies(r, "fold"))
		say(r, "Content-\r\n Length: 5\r\n");
}

static void put_length(struct request *r, bool chunked, uint64_t len)
{
	char buf[256];

	if (chunked)
		say(r, "Transfer-Encoding: chunked\r\n");
	else if (lie(r, "lentext", buf))
		say(r, "Content-Length: %s\r\n", buf);
	else if (!lies(r, "nolen"))
		say(r, "Content-Length: %llu\r\n", (unsigned long long)lie_number(r, "len", len));
}

static void put_range(struct request *r, uint64_t from, uint64_t to)
{
	if (lies(r, "multipart") || lies(r, "nocr"))
		return;
	say(r, "Content-Range: bytes %llu-%llu/",
		(unsigned long long)(from + lie_number(r, "first", 0)),
		(unsigned long long)(to + lie_number(r, "last", 0)) - 1);
	if (lies(r, "star"))
		say(r, "*\r\n");
	else
		say(r, "%llu\r\n", (unsigned long long)(r->s->size + lie_number(r, "total", 0)));
}

/* A range behind the end. */
static void answer_gone(struct request *r)
{
	say(r, "HTTP/1.1 416 Gone\r\nContent-Range: bytes */%llu\r\nContent-Length: 5\r\n\r\nsorry",
		(unsigned long long)r->s->size);
	give_up(r);
}

static void answer(struct request *r)
{
	bool part = (r->ranged && !lies(r, "norange")) || lies(r, "force206"),
	     chunked = lies(r, "chunked");
	bool some = part && r->ranged;
	uint64_t from = some ? r->from : 0, to = some ? r->to : r->s->size, len = to - from;
	uint64_t status = lie_number(r, "status", part ? 206 : 200);
	char buf[256];

	if (lie(r, "raw", buf)) {
		say(r, "%s\r\n", buf);
		give_up(r);
	}
	if (lies(r, "interim"))
		say(r, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: "
		       "</x>\r\nContent-Length: 3\r\n\r\n");
	say(r, "%s %llu Something\r\nServer: hostile\r\n", lie(r, "http", buf) ? buf : "HTTP/1.1",
		(unsigned long long)status);
	put_validators(r);
	put_length(r, chunked, status < 300 ? len : 0);
	if (part)
		put_range(r, from, to);
	put_given(r);
	say(r, "%s\r\n", asked(r, "keep", buf) ? "" : "Connection: close\r\n");
	if (status < 300)
		put_body(r, from, len, chunked);
	give_up(r);
}

/* --- a proxy's tunnel ---------------------------------------------------------------------- */

/* Bytes from one end to the other; false at the end. */
static bool carry(int from, int to)
{
	char piece[16384];
	ssize_t n = recv(from, piece, sizeof(piece), 0);

	return n > 0 && send(to, piece, (size_t)n, MSG_NOSIGNAL) == n;
}

/* "CONNECT NAME:PORT": whatever the name is, the port is this machine's. */
static void tunnel(struct request *r, const char *head)
{
	const char *port = strchr(head, ':');
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd p[] = {{.fd = r->fd, .events = POLLIN}, {.fd = peer, .events = POLLIN}};

	in.sin_port = htons((uint16_t)(port ? strtoul(port + 1, NULL, 10) : 0));
	if (connect(peer, (struct sockaddr *)&in, sizeof(in)) < 0) {
		say(r, "HTTP/1.1 502 No\r\n\r\n");
		give_up(r);
	}
	snprintf(r->path, sizeof(r->path), "%.*s", (int)strcspn(head, "\r"), head);
	say(r, "HTTP/1.1 200 Connected\r\n\r\n");
	while (poll(p, 2, -1) > 0)
		if ((p[0].revents && !carry(r->fd, peer)) || (p[1].revents && !carry(peer, r->fd)))
			break;
	give_up(r);
}

/* --- requests ------------------------------------------------------------------------------ */

static bool ends(const char *path, const char *with)
{
	size_t n = strcspn(path, "?"), m = strlen(with);

	return n >= m && strncmp(path + n - m, with, m) == 0;
}

/* FILE.manifest and the like; what is not there is not found. */
static void be_honest(struct request *r)
{
	static const char *const suffixes[] = {
		".manifest.minisig", ".minisig", ".manifest", "/mirrors"};
	static uint8_t text[1 << 20];
	char path[512] = "";
	ssize_t n;
	int fd;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]) && !*path; i++)
		if (ends(r->path, suffixes[i]))
			snprintf(path, sizeof(path), "%s%s", r->s->file, suffixes[i]);
	if (!*path)
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text));
	r->s->data = text;
	r->s->size = n > 0 ? (uint64_t)n : 0;
	r->to = r->s->size;
	snprintf(r->query, sizeof(r->query), "%s", fd < 0 ? "status=404" : "");
}

/* Of two first requests that come at once, one names the counter and the other one waits. */
static void name_counter(struct counter *c, const char *path)
{
	int state = FREE;

	if (__atomic_compare_exchange_n(&c->state, &state, BEING_NAMED, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		snprintf(c->path, sizeof(c->path), "%s", path);
		__atomic_store_n(&c->state, NAMED, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&c->state, __ATOMIC_ACQUIRE) != NAMED)
		sched_yield();
}

static struct counter *find_counter(const struct server *s, const char *path)
{
	for (size_t i = 0; i < PATHS_MAX; i++) {
		struct counter *c = &s->counters[i];

		name_counter(c, path);
		if (streq(c->path, path))
			return c;
	}
	fprintf(stderr, "hostile: too many paths\n");
	exit(2);
}

/* The how-manieth request of its path it is; and one of how many now. */
static void count(struct request *r)
{
	uint64_t most = number(r, "most", UINT32_MAX);

	r->counter = find_counter(r->s, r->path);
	r->count = __atomic_fetch_add(&r->counter->n, 1, __ATOMIC_RELAXED);
	if (__atomic_fetch_add(&r->counter->now, 1, __ATOMIC_RELAXED) >= most)
		snprintf(r->query, sizeof(r->query), "status=503");
}

static void parse(struct request *r, const char *head)
{
	const char *range = strcasestr(head, "\nRange: bytes="),
		   *cond = strcasestr(head, "\nIf-Range: ");
	char etag[256] = "one";
	char *q;

	snprintf(r->path, sizeof(r->path), "%.*s", (int)strcspn(head + 4, " "), head + 4);
	q = strchr(r->path, '?');
	snprintf(r->query, sizeof(r->query), "%s", q ? q + 1 : "");
	count(r);
	lie(r, "etag", etag);
	/* An honest server answers with the whole file if the validator is another. */
	if (cond && cond[11] == '"' && strncmp(cond + 12, etag, strlen(etag)) != 0)
		range = NULL;
	r->ranged = range != NULL;
	r->from = range ? strtoull(range + 14, &q, 10) : 0;
	r->to = range && q[0] == '-' && q[1] >= '0' && q[1] <= '9' ? strtoull(q + 1, NULL, 10) + 1
								   : r->s->size;
	if (range)
		r->to = min_u64(r->to, r->from + lie_number(r, "short", INT64_MAX / 2));
}

__attribute__((noreturn)) static void serve(struct server *s, int fd)
{
	struct request r = {.s = s, .fd = fd};
	char head[8192];
	size_t have = 0;
	const int small = 65536;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	while (have < sizeof(head) - 1) {
		ssize_t n = recv(fd, head + have, sizeof(head) - 1 - have, 0);

		if (n <= 0)
			_exit(0);
		have += (size_t)n;
		head[have] = 0;
		if (strstr(head, "\r\n\r\n")) {
			if (strncmp(head, "CONNECT ", 8) == 0)
				tunnel(&r, head);
			parse(&r, head);
			be_honest(&r);
			if (r.from >= r.s->size && lies(&r, "gone"))
				answer_gone(&r);
			else
				answer(&r);
		}
	}
	_exit(1);
}

static int listen_on(const char *address)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	bool v6 = inet_pton(AF_INET6, address, &in6.sin6_addr) == 1;
	struct sockaddr *sa = v6 ? (struct sockaddr *)&in6 : (struct sockaddr *)&in;
	socklen_t len = v6 ? sizeof(in6) : sizeof(in);
	int fd = socket(sa->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if ((!v6 && inet_pton(AF_INET, address, &in.sin_addr) != 1) || fd < 0 ||
		bind(fd, sa, len) < 0 || listen(fd, 64) < 0 || getsockname(fd, sa, &len) < 0) {
		perror("listen");
		exit(2);
	}
	printf("%u\n", ntohs(v6 ? in6.sin6_port : in.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	struct server s = {0};
	struct stat st;
	int listener, file;

	if (argc != 4 || (file = open(argv[2], O_RDONLY | O_CLOEXEC)) < 0 || fstat(file, &st) < 0) {
		fprintf(stderr, "usage: hostile ADDRESS FILE LOG\n");
		return 2;
	}
	s.size = (uint64_t)st.st_size;
	s.file = argv[2];
	s.log = argv[3];
	s.data = mmap(NULL, s.size, PROT_READ, MAP_SHARED, file, 0);
	s.counters = mmap(NULL, PATHS_MAX * sizeof(*s.counters), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s.data == MAP_FAILED || s.counters == MAP_FAILED)
		return 2;
	signal(SIGCHLD, SIG_IGN);
	listener = listen_on(argv[1]);
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0 && fork() == 0)
			serve(&s, fd);
		if (fd >= 0)
			close(fd);
	}
}
