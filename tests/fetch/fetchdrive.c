// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetchdrive [OPTION...] URL...: runs the fetch room alone, for tests/fetch.bats. Prints a line an
 * event:
 *
 *   size N | retry CODE TEXT | fatal CODE TEXT | done BYTES ATTEMPTS | deadline | lookup NAME
 *
 * and at the end "rss OWN CHILD" in KiB and "ns N". Exit status 0: done, 3: fatal, 4: --deadline
 * passed, or so many retries were told.
 *
 *   --out FILE | --memory               where to: a file, or memory printed at the end
 *   --have FILE N                       the same, with N bytes there already
 *   --size N --limit N --sha256 HEX --chunks FILE CHUNK-SIZE (FILE: the digests, raw)
 *   --ca FILE --any-certificate --proxy URL --node N --clock N --link BITS --stall MS --deadline MS
 * --retries N --dns ADDRESS --kill-child N (bytes)
 *   --prefix DIR (where /etc/hosts and the --ca file are)
 */
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "resolver/resolver.h"
#include "fetch/fetch.h"

struct drive {
	struct env env;
	struct fetch_config cfg;
	struct fetch *fetch;
	struct resolver *resolver;
	struct resolv_conf conf;
	const char *urls[MIRRORS_MAX + 1];
	uint8_t sha256[SHA256_SIZE];
	void *chunks;
	uint64_t deadline, retries, kill_at;
	bool to_stdout, in_memory;
	int status; /* exit status, -1: not yet */
};

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "fetchdrive: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* --- options ------------------------------------------------------------------------------- */

static void opt_out(struct drive *d, char **v)
{
	d->cfg.sink = open(v[0], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (d->cfg.sink < 0)
		die(v[0]);
}

static void opt_have(struct drive *d, char **v)
{
	d->cfg.sink = open(v[0], O_RDWR | O_CLOEXEC);
	if (d->cfg.sink < 0)
		die(v[0]);
	d->cfg.have = strtoull(v[1], NULL, 0);
}

static void opt_memory(struct drive *d, char **v)
{
	(void)v;
	d->in_memory = true;
}

static void opt_sha256(struct drive *d, char **v)
{
	for (size_t i = 0; i < SHA256_SIZE; i++) {
		const char two[3] = {v[0][2 * i], v[0][2 * i + 1], 0};

		d->sha256[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	d->cfg.sha256 = d->sha256;
}

static void opt_chunks(struct drive *d, char **v)
{
	_cleanup_close_ int fd = open(v[0], O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		die(v[0]);
	d->chunks = malloc((size_t)st.st_size + 1);
	if (!d->chunks || read(fd, d->chunks, (size_t)st.st_size) != st.st_size)
		die(v[0]);
	d->cfg.chunks = (const uint8_t(*)[SHA256_SIZE])d->chunks;
	d->cfg.n_chunks = (size_t)st.st_size / SHA256_SIZE;
	d->cfg.chunk_size = strtoull(v[1], NULL, 0);
}

static void opt_dns(struct drive *d, char **v)
{
	if (value_inet(v[0], strlen(v[0]), &d->conf.servers[0]) < 0)
		die(v[0]);
	d->conf.n_servers = 1;
}

static void opt_text(const char **field, char **v)
{
	*field = v[0];
}

static void opt_prefix(struct drive *d, char **v) { opt_text(&d->env.prefix, v); }
static void opt_ca(struct drive *d, char **v) { opt_text(&d->cfg.ca, v); }
static void opt_any(struct drive *d, char **v) { (void)v; d->cfg.any_certificate = true; }
static void opt_proxy(struct drive *d, char **v) { opt_text(&d->cfg.proxy, v); }
static void opt_size(struct drive *d, char **v) { d->cfg.size = strtoull(v[0], NULL, 0); }
static void opt_limit(struct drive *d, char **v) { d->cfg.limit = strtoull(v[0], NULL, 0); }
static void opt_node(struct drive *d, char **v) { d->cfg.node = strtoull(v[0], NULL, 0); }
static void opt_clock(struct drive *d, char **v) { d->cfg.clock_floor = strtoll(v[0], NULL, 0); }
static void opt_link(struct drive *d, char **v) { d->cfg.link = strtoull(v[0], NULL, 0); }
static void opt_stall(struct drive *d, char **v)
{
	d->cfg.stall = strtoull(v[0], NULL, 0) * NSEC_PER_MSEC;
}
static void opt_kill(struct drive *d, char **v) { d->kill_at = strtoull(v[0], NULL, 0); }

static void opt_deadline(struct drive *d, char **v)
{
	d->deadline = now_ns() + strtoull(v[0], NULL, 0) * NSEC_PER_MSEC;
}

static void opt_retries(struct drive *d, char **v) { d->retries = strtoull(v[0], NULL, 0); }

static const struct {
	const char *name;
	int values;
	void (*take)(struct drive *d, char **v);
} options[] = {
	{"--out", 1, opt_out},
	{"--have", 2, opt_have},
	{"--memory", 0, opt_memory},
	{"--sha256", 1, opt_sha256},
	{"--chunks", 2, opt_chunks},
	{"--dns", 1, opt_dns},
	{"--ca", 1, opt_ca},
	{"--any-certificate", 0, opt_any},
	{"--proxy", 1, opt_proxy},
	{"--size", 1, opt_size},
	{"--limit", 1, opt_limit},
	{"--node", 1, opt_node},
	{"--clock", 1, opt_clock},
	{"--link", 1, opt_link},
	{"--stall", 1, opt_stall},
	{"--deadline", 1, opt_deadline},
	{"--retries", 1, opt_retries},
	{"--kill-child", 1, opt_kill},
	{"--prefix", 1, opt_prefix},
};

/* One option; how many words it takes. */
static int take_option(struct drive *d, char **argv, int left)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (streq(argv[0], options[i].name) && left > options[i].values) {
			options[i].take(d, argv + 1);
			return 1 + options[i].values;
		}
	errno = EINVAL;
	die(argv[0]);
}

static void take_options(struct drive *d, int argc, char **argv)
{
	for (int i = 1; i < argc;) {
		if (argv[i][0] == '-') {
			i += take_option(d, argv + i, argc - i);
		} else if (d->cfg.n_urls <= MIRRORS_MAX) {
			d->urls[d->cfg.n_urls++] = argv[i++];
		} else {
			errno = E2BIG;
			die("URLs");
		}
	}
}

/* --- look-ups ------------------------------------------------------------------------------ */

static void step_lookup(struct drive *d, uint64_t now)
{
	struct resolver_event ev;

	resolver_dispatch(d->resolver, now);
	while (resolver_pop_event(d->resolver, &ev))
		fetch_resolved(d->fetch, ev.n_addrs ? &ev.addrs[0] : NULL, (unsigned)ev.n_addrs,
			ev.n_addrs ? "" : "the servers do not know it", now);
}

static void begin_lookup(struct drive *d, uint64_t now)
{
	const char *name = fetch_lookup(d->fetch);

	printf("lookup %s\n", name);
	if (resolver_ask(d->resolver, 0, name, 60 * NSEC_PER_SEC, now) < 0)
		fetch_resolved(d->fetch, NULL, 0, "not a name", now);
	else
		step_lookup(d, now);
}

/* --- running ------------------------------------------------------------------------------- */

static void on_done(struct drive *d)
{
	struct fetch_progress p;
	size_t len;
	const char *text = fetch_memory(d->fetch, &len);

	fetch_progress(d->fetch, &p);
	printf("done %llu %u\n", (unsigned long long)p.bytes, p.attempts);
	if (text)
		printf("memory %.*s\n", (int)len, text);
	d->status = 0;
}

static void on_retry(struct drive *d, const char *code, const char *text)
{
	printf("retry %s %s\n", code, text);
	if (d->retries && --d->retries == 0)
		d->deadline = 0;
}

static void on_event(struct drive *d, enum fetch_event e, uint64_t now)
{
	struct fetch_progress p;
	const char *text;
	enum cause cause = fetch_failure(d->fetch, &text);

	fetch_progress(d->fetch, &p);
	if (e == FETCH_EVENT_LOOKUP)
		begin_lookup(d, now);
	else if (e == FETCH_EVENT_SIZE)
		printf("size %llu %s\n", (unsigned long long)p.size, p.site);
	else if (e == FETCH_EVENT_RETRY)
		on_retry(d, cause_info(cause)->code, text);
	else if (e == FETCH_EVENT_DONE)
		on_done(d);
	else
		printf("fatal %s %s\n", cause_info(cause)->code, text);
	if (e == FETCH_EVENT_FATAL)
		d->status = 3;
}

static int wait_for_more(struct drive *d, uint64_t now)
{
	uint64_t at = min_u64(fetch_deadline(d->fetch), d->deadline);
	struct pollfd p[] = {
		{.fd = fetch_fd(d->fetch), .events = POLLIN},
		{.fd = resolver_fd(d->resolver), .events = POLLIN},
	};

	at = min_u64(at, resolver_deadline(d->resolver));
	if (at == NSEC_NEVER)
		return poll(p, ARRAY_SIZE(p), -1);
	return poll(p, ARRAY_SIZE(p),
		at > now ? (int)min_u64((at - now) / NSEC_PER_MSEC + 1, 60000) : 0);
}

/* What a crash at some point of the transfer would do. */
static void perhaps_kill(struct drive *d)
{
	struct fetch_progress p;

	fetch_progress(d->fetch, &p);
	if (!d->kill_at || p.bytes < d->kill_at)
		return;
	d->kill_at = 0;
	kill(fetch_child(d->fetch), SIGSEGV);
}

static void run(struct drive *d)
{
	while (d->status < 0) {
		enum fetch_event e;
		uint64_t now = now_ns();

		fetch_dispatch(d->fetch, now);
		step_lookup(d, now);
		while ((e = fetch_pop_event(d->fetch)) != FETCH_EVENT_NONE)
			on_event(d, e, now);
		perhaps_kill(d);
		if (d->status < 0 && now >= d->deadline) {
			printf("deadline\n");
			d->status = 4;
		}
		if (d->status < 0)
			wait_for_more(d, now);
	}
}

static void print_use(uint64_t began)
{
	struct rusage own, child;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &child);
	printf("rss %ld %ld\nns %llu\n", own.ru_maxrss, child.ru_maxrss,
		(unsigned long long)(now_ns() - began));
}

int main(int argc, char **argv)
{
	struct drive d = {
		.env = {.prefix = ""}, .cfg = {.sink = -1}, .deadline = NSEC_NEVER, .status = -1};
	const char *bad;
	uint64_t began = now_ns();
	int e;

	setvbuf(stdout, NULL, _IOLBF, 0);
	d.cfg.urls = d.urls;
	take_options(&d, argc, argv);
	e = resolver_new(&d.resolver, &d.env);
	e = e ? e : fetch_new(&d.fetch, &d.env, &d.cfg, &bad);
	if (e < 0) {
		printf("refused %s %s\n", strerror(-e), bad);
		return 2;
	}
	resolver_servers(d.resolver, &d.conf, now_ns());
	fetch_start(d.fetch, now_ns());
	run(&d);
	d.fetch = fetch_free(d.fetch);
	d.resolver = resolver_free(d.resolver);
	free(d.chunks);
	print_use(began);
	return d.status;
}
