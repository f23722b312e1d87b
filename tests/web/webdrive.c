// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * webdrive PREFIX DEADLINE-MS COMMAND-LINE: runs the web room, or root/wwinit, alone on a kernel
 * command line, for tests/web.bats and tests/wwinit.bats: from the URL to the root mounted at
 * PREFIX/sysroot. To be run in a mount namespace. Prints the report's lines and one an event:
 *
 *   retry CODE TEXT | fatal CODE TEXT | bytes N | deadline |
 *   mounted FORMAT HOLDS PROOF SERVER cached=0 bytes=N | adopted the same
 *   mounted layers=N runtime=0 init=PATH | adopted the same
 *
 * A command line whose root is no image, with rd.systemd.pull=: root/extensions instead, and
 * nothing but the report's lines.
 *
 * and at the end "rss OWN CHILDREN" in KiB. Exit status 0: mounted or adopted, 3: fatal, 4:
 * deadline passed. Addresses only; modules are there or not.
 */
#include <poll.h>
#include <sys/resource.h>

#include "report/report.h"
#include "root/extensions/extensions.h"
#include "root/image/image.h"
#include "root/web/web.h"
#include "root/wwinit/wwinit.h"

#define PROGRESS (256 * 1024)

struct drive {
	struct env env;
	struct boot_plan *plan;
	const struct source_ops *ops;
	struct source *web;
	char sysroot[256];
	uint64_t deadline, told;
	int status; /* exit status, -1: not yet */
};

__attribute__((noreturn)) static void die(const char *what, int error)
{
	fprintf(stderr, "webdrive: %s: %s\n", what, strerror(-error));
	exit(2);
}

/* No interfaces here, whose speed would be asked for. */
const struct rail *__wrap_rails_list(const struct rails *r, size_t *n);
const struct rail *__wrap_rails_list(const struct rails *r, size_t *n)
{
	(void)r;
	*n = 0;
	return NULL;
}

uint64_t __wrap_rails_node_number(const struct rails *r);
uint64_t __wrap_rails_node_number(const struct rails *r)
{
	(void)r;
	return 1;
}

static void print_layers(const char *what, const struct wwinit_result *r)
{
	printf("%s layers=%u runtime=%d init=%s\n", what, r->layers, r->runtime, r->init);
}

static void print_result(const struct drive *d, const char *what)
{
	const struct web_result *r = d->web->record;

	if (d->ops == &wwinit_source) {
		print_layers(what, d->web->record);
		return;
	}
	printf("%s %s %s %s %s cached=%d bytes=%llu url=%s sha256=%s\n", what,
		image_kind_name(r->image.kind), image_kind_name(r->image.root), r->proof, r->site,
		r->cached, (unsigned long long)r->bytes, r->url, r->sha256);
}

static void on_progress(struct drive *d)
{
	struct source_progress p;

	d->ops->progress(d->web, &p);
	if (p.bytes - d->told < PROGRESS && p.bytes >= d->told)
		return;
	d->told = p.bytes;
	printf("bytes %llu\n", (unsigned long long)p.bytes);
}

static void on_event(struct drive *d, enum source_event e, uint64_t now)
{
	const char *text = d->web->text, *code = cause_info(d->web->cause)->code;

	switch (e) {
	case SOURCE_LOOKUP: d->ops->resolved(d->web, NULL, "no names here", now); break;
	case SOURCE_MODULE: d->ops->module_settled(d->web, now); break;
	case SOURCE_STEP: on_progress(d); break;
	case SOURCE_FAILED: printf("retry %s %s\n", code, text); break;
	case SOURCE_MOUNTED:
		print_result(d, "mounted");
		d->status = 0;
		break;
	case SOURCE_FATAL:
		printf("fatal %s %s\n", code, text);
		d->status = 3;
		break;
	default: break;
	}
}

static void turn(struct drive *d)
{
	struct pollfd p = {.fd = d->ops->fd(d->web), .events = POLLIN};
	uint64_t now = now_ns(), at = min_u64(d->ops->deadline(d->web), d->deadline);
	enum source_event e;

	poll(&p, 1, at > now ? (int)min_u64((at - now) / NSEC_PER_MSEC + 1, 60000) : 0);
	now = now_ns();
	d->ops->dispatch(d->web, now);
	while ((e = source_pop_event(d->web)) != SOURCE_NONE)
		on_event(d, e, now);
	if (d->status < 0 && now >= d->deadline) {
		printf("deadline\n");
		d->status = 4;
	}
}

static const char *init_of(const struct drive *d)
{
	return d->plan->given[OPTION_INIT] ? d->plan->init : NULL;
}

/* As boot.c does. */
static bool adopt(struct drive *d)
{
	if (d->ops->adopt(&d->web, &d->env, d->sysroot, init_of(d)) <= 0)
		return false;
	print_result(d, "adopted");
	d->ops->end(d->web);
	return true;
}

static void run(struct drive *d)
{
	const struct root_choice choice = {.kind = d->plan->root.kind,
		.image = &d->plan->root.image, .wwinit = &d->plan->root.wwinit};
	const struct source_config in = {.env = &d->env, .plan = d->plan, .choice = &choice,
		.sysroot = d->sysroot, .init = init_of(d)};
	const struct web_config cfg = {
		.plan = &d->plan->root.image, .target = d->sysroot, .node = 1};
	int r = d->ops == &image_source ? web_start(&d->web, &d->env, &cfg, now_ns())
		: d->ops->begin(&d->web, &in, now_ns());
	enum source_event e;

	if (r < 0)
		die("web", r);
	while ((e = source_pop_event(d->web)) != SOURCE_NONE)
		on_event(d, e, now_ns());
	while (d->status < 0)
		turn(d);
	d->ops->end(d->web);
}

/* As boot.c does. */
static void run_extensions(struct drive *d)
{
	_cleanup_(extensions_freep) struct extensions *x = NULL;
	uint64_t now = now_ns();

	if (extensions_new(&x, &d->env, d->plan, NULL) < 0)
		die("extensions", -ENOMEM);
	for (extensions_begin(x, now); extensions_busy(x); now = now_ns()) {
		struct pollfd p = {.fd = extensions_fd(x), .events = POLLIN};
		uint64_t at = min_u64(extensions_deadline(x), d->deadline);
		int r = poll(&p, 1, at > now ? (int)min_u64((at - now) / NSEC_PER_MSEC + 1, 60000)
			: 0);

		extensions_dispatch(x, r > 0, now_ns());
		if (now >= d->deadline)
			extensions_stop(x, now);
	}
	d->status = now >= d->deadline ? 4 : 0;
}

int main(int argc, char **argv)
{
	const struct report_config rc = {.console_fd = STDOUT_FILENO, .kmsg_fd = -1,
		.debug = getenv("WEBDRIVE_DEBUG")};
	struct drive d = {.status = -1};
	struct rusage own, children;
	int r;

	if (argc != 4)
		die("PREFIX DEADLINE-MS COMMAND-LINE", -EINVAL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	d.env.prefix = argv[1];
	snprintf(d.sysroot, sizeof(d.sysroot), "%s/sysroot", argv[1]);
	d.deadline = now_ns() + strtoull(argv[2], NULL, 0) * NSEC_PER_MSEC;
	r = report_new(&d.env.report, &rc);
	r = r < 0 ? r : plan_parse(&d.plan, argv[3], strlen(argv[3]), NULL);
	if (r < 0)
		die("setup", r);
	d.ops = source_of(d.plan->root.kind);
	if (d.plan->n_extensions)
		run_extensions(&d);
	else if (!d.plan->root.image.url)
		die(argv[3], -EINVAL);
	else if (adopt(&d))
		d.status = 0;
	else
		run(&d);
	plan_free(d.plan);
	report_free(d.env.report);
	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("rss %ld %ld\n", own.ru_maxrss, children.ru_maxrss);
	return d.status;
}
