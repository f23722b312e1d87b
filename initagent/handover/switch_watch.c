// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/switch_watch.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "handover/policy.h"
#include "report/causes.h"
#include "report/console.h"

/* Deeper than any initramfs; bounds the recursion. */
#define DELETE_DEPTH 32
/*
 * Lines about a wait: the first after this, each next one after twice the time, a minute at most.
 */
#define LINE_FIRST (5 * NSEC_PER_SEC)
#define LINE_MAX_PERIOD (60 * NSEC_PER_SEC)
/* What is sent when the switch failed; steps are longer. */
#define STOP "."

/* What process 1 says it is about to do. */
struct step {
	char text[128];
	bool own; /* a work of this machine's: no server is waited for, and no time limits it */
};

/* --- the initramfs --------------------------------------------------------------------------- */

static void delete_tree(int dir, dev_t dev, unsigned depth);

static void delete_folder(int dir, const char *name, dev_t dev, unsigned depth)
{
	struct stat st;
	int sub;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_dev != dev)
		return;
	sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub >= 0)
		delete_tree(sub, dev, depth + 1);
	unlinkat(dir, name, AT_REMOVEDIR);
}

/* No file is asked for its device: one that something is mounted on cannot be unlinked (EBUSY). */
static void delete_entry(int dir, const struct dirent *e, dev_t dev, unsigned depth)
{
	if (e->d_type == DT_DIR)
		delete_folder(dir, e->d_name, dev, depth);
	else
		unlinkat(dir, e->d_name, 0);
}

/* Deletes what is below dir on device dev. Takes ownership of dir. */
static void delete_tree(int dir, dev_t dev, unsigned depth)
{
	_cleanup_closedir_ DIR *d = depth < DELETE_DEPTH ? fdopendir(dir) : NULL;
	const struct dirent *e;

	if (!d)
		close(dir);
	while ((e = dir_next(d)))
		delete_entry(dir, e, dev, depth);
}

/* Frees the initramfs by a process, so that init need not wait. Takes ownership of old. */
static void free_initramfs(int old)
{
	struct stat st;

	if (fstat(old, &st) == 0)
		delete_tree(old, st.st_dev, 0);
}

/* --- the time -------------------------------------------------------------------------------- */

struct watch {
	const struct switch_watch_config *cfg;
	struct step step;
	uint64_t line, period; /* of the next line; from that to the one after it */
	bool over;	       /* the end was reached */
};

static void say(const struct watch *w, const char *fmt, ...) _printf_(2, 3);

static void say(const struct watch *w, const char *fmt, ...)
{
	char line[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	console_line(w->cfg->console_fd, line);
}

/* An interface with an address and without carrier, as ", eth0 has no carrier"; "": there is none.
 * sysfs may have moved into the root already. */
static void dead_link_text(char *buf, size_t size)
{
	struct ifaddrs *all = NULL;

	*buf = 0;
	if (getifaddrs(&all) < 0)
		return;
	for (const struct ifaddrs *i = all; i && !*buf; i = i->ifa_next) {
		bool dead = (i->ifa_flags & (IFF_UP | IFF_RUNNING | IFF_LOOPBACK)) == IFF_UP;

		if (dead && i->ifa_addr && i->ifa_addr->sa_family != AF_PACKET)
			snprintf(buf, size, ", %s has no carrier", i->ifa_name);
	}
	freeifaddrs(all);
}

static void say_waiting(struct watch *w, uint64_t now)
{
	const struct switch_watch_config *cfg = w->cfg;
	unsigned long long used = (now - cfg->begin) / NSEC_PER_SEC,
		whole = (cfg->end - cfg->begin) / NSEC_PER_SEC;
	char limit[32] = "", link[IF_NAMESIZE + 24];

	w->period = min_u64(2 * w->period, LINE_MAX_PERIOD);
	w->line = now + w->period;
	if (w->step.own) {
		say(w, "initagent: root: still %s (%llu s)", w->step.text, used);
		return;
	}
	dead_link_text(link, sizeof(link));
	if (!w->over)
		snprintf(limit, sizeof(limit), " of %llu s", whole);
	say(w, "initagent: %s: the root does not answer: %s%s (%llu s%s, %s)", cfg->root,
		w->step.text, link, used, limit, cause_info(CAUSE_ROOT_SILENT)->code);
}

static void time_over(struct watch *w)
{
	const struct cause_info *c = cause_info(CAUSE_ROOT_SILENT);

	w->over = true;
	say(w, "initagent: %s: %s %s: %s", w->cfg->root, c->code, c->text, w->step.text);
	say(w, "initagent: %s: %s check: %s", w->cfg->root, c->code, c->check);
	if (w->cfg->action == PLAN_ACTION_NONE)
		say(w, "initagent: no rd.emergency= is given: waiting; the boot continues when "
			"the root answers");
	else
		policy_end(w->cfg->action, w->cfg->console_fd);
}

/* Returns true when init was executed (or process 1 is gone), false when the switch failed. */
static bool watch(struct watch *w)
{
	struct pollfd pfd = {.fd = WORKER_SOCKET, .events = POLLIN};

	while (true) {
		bool limited = !w->over && !w->step.own;
		uint64_t now = now_ns(), next = limited ? min_u64(w->line, w->cfg->end) : w->line;

		if (now >= next) {
			if (limited && now >= w->cfg->end)
				time_over(w);
			if (now >= w->line)
				say_waiting(w, now);
			continue;
		}
		if (poll(&pfd, 1, (int)min_u64((next - now) / NSEC_PER_MSEC + 1, INT32_MAX)) <= 0)
			continue;
		if (!worker_next(&w->step, sizeof(w->step)))
			return true;
		if (streq(w->step.text, STOP))
			return false;
	}
}

static int run_watch(const void *arg)
{
	uint64_t now = now_ns();
	struct watch own = {.cfg = arg, .line = now + LINE_FIRST, .period = LINE_FIRST};
	int old = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (watch(&own) && old >= 0)
		free_initramfs(old);
	return 0;
}

void switch_watch_begin(struct switch_watch *w, const struct switch_watch_config *cfg)
{
	const struct worker_spec spec = {
		.run = run_watch,
		.arg = cfg,
		.name = "initagent-free",
		.request_size = sizeof(struct step),
	};

	w->worker = NULL;
	(void)worker_start(&w->worker, &spec, 0);
}

static void tell(const struct switch_watch *w, const char *text, bool own)
{
	struct step step = {.own = own};

	strscpy(step.text, text, sizeof(step.text));
	if (w->worker)
		(void)worker_send(w->worker, &step);
}

void switch_watch_step(const struct switch_watch *w, const char *text)
{
	tell(w, text, false);
}

void switch_watch_work(const struct switch_watch *w, const char *text)
{
	tell(w, text, true);
}

void switch_watch_stop(struct switch_watch *w)
{
	switch_watch_step(w, STOP);
	w->worker = worker_free(w->worker);
}
