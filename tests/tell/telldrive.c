// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * telldrive [OPTION...] RD.REPORT...: runs the tell room alone, as the agent does, for
 * tests/report.bats: a wait and a cause once there is a network, the outcome after --for, then the
 * state. Each RD.REPORT is a value of rd.report=.
 *
 *   --for MS           how long the boot takes after that (100)
 *   --until FILE       until there is something in this file, rather than --for
 *   --late MS          how long after the first messages there is a network (0)
 *   --failed           it fails, and waits for those who are told
 *   --limit MS         no longer than this (60,000; the agent does so for 2,000)
 *   --items N          so many causes instead of one
 *   --state FILE       what is sent as the state
 *   --node NAME --ca FILE --prefix DIR
 *   --resolve ADDRESS  names have this address; without it nobody answers
 *
 * Prints "missed SERVER: TEXT" for each that was not told everything, "longest N" and "all N":
 * microseconds that this process slept in the longest call into the room and in all of them, and
 * "processor N": that it ran in them. Both is what the boot lost; what it waits for a processor
 * that others have is not the room's. With --failed "waited N" (ms).
 */
#include <poll.h>
#include <sys/stat.h>
#include <time.h>

#include "plan.h"
#include "report/tell/tell.h"

struct drive {
	struct tell *tell;
	struct env env;
	uint64_t late, run, limit, longest, all, processor;
	uint64_t since, queued, ran; /* of the call into the room */
	bool failed;
	unsigned items;
	const char *state, *node, *ca, *resolve, *until;
};

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "telldrive: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* How long this thread was ready to run and another one ran, in ns; 0 where the kernel does not
 * count that. */
static uint64_t queued_ns(void)
{
	char line[128] = "", *second;
	FILE *f = fopen("/proc/thread-self/schedstat", "re");

	if (f && !fgets(line, sizeof(line), f))
		line[0] = 0;
	if (f)
		fclose(f);
	second = strchr(line, ' ');
	return second ? strtoull(second, NULL, 10) : 0;
}

/* How long this thread ran: with a hypervisor below, also while that ran others. */
static uint64_t ran_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) < 0)
		die("clock");
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* Before a call into the room; returns the time. */
static uint64_t begin(struct drive *d)
{
	d->queued = queued_ns();
	d->ran = ran_ns();
	return d->since = now_ns();
}

static void spent(struct drive *d)
{
	uint64_t ns = now_ns() - d->since, ran = ran_ns() - d->ran;

	ns -= min_u64(ns, ran);
	ns -= min_u64(ns, queued_ns() - d->queued);
	d->processor += ran;
	d->all += ns;
	d->longest = ns > d->longest ? ns : d->longest;
}

static void say(
	struct drive *d, enum tell_kind kind, enum cause cause, const char *where, const char *text)
{
	uint64_t now = begin(d);

	tell_say(d->tell,
		&(struct tell_item){.kind = kind,
			.cause = cause,
			.where = where,
			.device = "mlx5_0/1",
			.guid = 0x0002c90300a1b2c3,
			.text = text},
		now);
	spent(d);
}

static void look_up(struct drive *d)
{
	uint64_t now = begin(d);
	struct inet_addr a;

	if (!d->resolve || !tell_lookup(d->tell, now))
		return;
	if (value_inet(d->resolve, strlen(d->resolve), &a) < 0)
		die(d->resolve);
	tell_resolved(d->tell, &a, now);
	spent(d);
}

/* The agent's loop, until the time is up or, with idle, nothing is left to be done. */
static void turn(struct drive *d, uint64_t end, bool idle)
{
	struct pollfd p = {.fd = tell_fd(d->tell), .events = POLLIN};
	uint64_t now;

	while ((now = now_ns()) < end && !(idle && tell_idle(d->tell))) {
		uint64_t next = min_u64(end, tell_deadline(d->tell));

		poll(&p, 1, next > now ? (int)((next - now) / NSEC_PER_MSEC) + 1 : 0);
		now = begin(d);
		tell_dispatch(d->tell, now);
		spent(d);
		look_up(d);
	}
}

/* The agent's loop, until something is in the file; no longer than a minute. */
static void turn_until(struct drive *d, const char *file)
{
	uint64_t end = now_ns() + 60 * NSEC_PER_SEC;
	struct stat st;

	while (now_ns() < end && (stat(file, &st) < 0 || st.st_size == 0))
		turn(d, now_ns() + 20 * NSEC_PER_MSEC, false);
}

static void send_state(struct drive *d)
{
	char *body = calloc(1, 1 << 20);
	struct tell_state s = {.body = body, .ca = d->ca, .patient = d->failed};
	FILE *f = fopen(d->state, "re");

	if (!f || !body)
		die(d->state);
	s.len = fread(body, 1, 1 << 20, f);
	fclose(f);
	begin(d);
	tell_state(d->tell, &s);
	spent(d);
	free(body);
}

static void show_missed(struct drive *d)
{
	const char *server;
	char text[256];

	while (tell_missed(d->tell, &server, text, sizeof(text)))
		printf("missed %s: %s\n", server, text);
}

static void network(struct drive *d)
{
	uint64_t now = begin(d);

	tell_node(d->tell, d->node);
	tell_up(d->tell, now);
	spent(d);
	look_up(d);
}

static void boot(struct drive *d)
{
	uint64_t now, end;

	if (!d->late)
		network(d);
	say(d, TELL_WAIT, CAUSE_NETDEV_NO_CARRIER, "ib0", "waiting for carrier");
	for (unsigned i = 0; i < d->items; i++)
		say(d, TELL_CAUSE, CAUSE_NETDEV_NO_CARRIER, "ib0", "a cause \"in quotes\"");
	if (d->late) {
		turn(d, now_ns() + d->late, false);
		network(d);
	}
	if (d->until)
		turn_until(d, d->until);
	else
		turn(d, now_ns() + d->run, false);
	say(d, d->failed ? TELL_FAILED : TELL_DONE, d->failed ? CAUSE_TIMEOUT_RETRY : CAUSE_NONE,
		"", "this is the end");
	now = begin(d);
	tell_up(d->tell, now);
	spent(d);
	end = now + d->limit;
	if (d->failed)
		turn(d, end, true);
	if (d->state)
		send_state(d);
	if (d->failed)
		turn(d, end, true);
	if (d->failed)
		printf("waited %llu\n", (unsigned long long)((now_ns() - now) / NSEC_PER_MSEC));
	show_missed(d);
	begin(d);
	d->tell = tell_free(d->tell);
	spent(d);
}

/* The values as the command line would have them. */
static struct boot_plan *plan_of(char **words)
{
	struct boot_plan *plan = NULL;
	char line[4096] = "";
	size_t at = 0;

	for (; *words && at < sizeof(line); words++)
		at += (size_t)snprintf(line + at, sizeof(line) - at, "rd.report=%s ", *words);
	if (plan_parse(&plan, line, strlen(line), NULL) < 0 || !plan->n_reports)
		die("plan");
	return plan;
}

static char **options(struct drive *d, char **v)
{
	for (; *v && strncmp(*v, "--", 2) == 0; v += streq(*v, "--failed") ? 1 : 2) {
		const struct {
			const char *name;
			const char **to;
		} texts[] = {{"--state", &d->state}, {"--node", &d->node}, {"--ca", &d->ca},
			{"--resolve", &d->resolve}, {"--prefix", &d->env.prefix},
			{"--until", &d->until}};

		for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
			if (streq(*v, texts[i].name))
				*texts[i].to = v[1];
		if (streq(*v, "--failed"))
			d->failed = true;
		if (streq(*v, "--late"))
			d->late = strtoull(v[1], NULL, 10) * NSEC_PER_MSEC;
		if (streq(*v, "--for"))
			d->run = strtoull(v[1], NULL, 10) * NSEC_PER_MSEC;
		if (streq(*v, "--limit"))
			d->limit = strtoull(v[1], NULL, 10) * NSEC_PER_MSEC;
		if (streq(*v, "--items"))
			d->items = (unsigned)strtoul(v[1], NULL, 10);
	}
	return v;
}

int main(int argc, char *argv[])
{
	struct drive d = {
		.env = {.prefix = ""}, .run = 100 * NSEC_PER_MSEC, .limit = 60 * NSEC_PER_SEC,
		.items = 1, .node = "n17"};
	struct boot_plan *plan = plan_of(options(&d, argv + 1));

	(void)argc;
	begin(&d);
	if (tell_new(&d.tell, &d.env, plan->reports, plan->n_reports) < 0)
		die("tell_new");
	spent(&d);
	boot(&d);
	plan_free(plan);
	printf("longest %llu\nall %llu\nprocessor %llu\n", (unsigned long long)(d.longest / 1000),
		(unsigned long long)(d.all / 1000), (unsigned long long)(d.processor / 1000));
	return 0;
}
