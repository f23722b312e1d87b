// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ask: runs the fabric room alone, for tests/fabric.bats, and prints what it tells:
 *
 *   ask [--smprobe] [--sm] [--group PKEY]... [--for SECONDS] [--until WORD]
 *
 * Ends when no answer is due any more, with --for after that time, with --until after the first
 * line that holds the word. Under ibsim's preload library /sys and ib_umad are those of the
 * simulator.
 */
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/eventfd.h>

#include "fabric/fabric.h"
#include "fabric/ops.h"

#define GROUPS_MAX 4

struct wishes {
	bool smprobe, sm;
	uint16_t groups[GROUPS_MAX];
	size_t n_groups;
	uint64_t seconds;
	const char *until;
	bool seen;
};

static int no_uevents(void *data)
{
	(void)data;
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static int no_verbs(void *data, const char *device, void **ret_context, int *ret_fd)
{
	(void)data;
	(void)device;
	(void)ret_context;
	(void)ret_fd;
	return -ENODEV;
}

static const char *const group_states[FABRIC_GROUP_STATE_MAX] = {
	"unknown", "present", "absent", "refused", "silent"};

static void tell_port(const struct fabric_port *p, char *line, size_t size)
{
	char text[200];

	snprintf(line, size, "port %s %s %s lid %u sm_lid %u: %s", p->name, port_phys_name(p->phys),
		port_state_name(p->state), p->lid, p->sm_lid,
		fabric_gate(p, text, sizeof(text)) == CAUSE_NONE ? "ready" : text);
}

static void tell_group(const struct fabric_event *ev, char *line, size_t size)
{
	const struct fabric_group *g = &ev->group;
	char text[200];
	enum cause cause = fabric_judge_group(&ev->port, g, text, sizeof(text));

	snprintf(line, size,
		"group %04x %s status %04x mtu %u rate %u port_mtu %u: %s %s",
		g->pkey, group_states[g->state], g->status, g->mtu, g->rate, g->port_mtu,
		cause_info(cause)->id, text);
}

static void tell(const struct fabric_event *ev, struct wishes *w)
{
	const struct fabric_port *p = &ev->port;
	char line[400] = "", text[96];

	if (ev->type == FABRIC_PORT_ADDED || ev->type == FABRIC_PORT_CHANGED) {
		tell_port(p, line, sizeof(line));
	} else if (ev->type == FABRIC_NEIGHBOUR) {
		fabric_neighbour_text(&p->neighbour, text, sizeof(text));
		snprintf(line, sizeof(line), "neighbour %s type %d guid %016" PRIx64, text,
			p->neighbour.type, p->neighbour.guid);
	} else if (ev->type == FABRIC_SM) {
		snprintf(line, sizeof(line), "sm %s guid %016" PRIx64 " priority %u role %u",
			fabric_sm_name(p->sm.state), p->sm.guid, p->sm.priority, p->sm.role);
	} else if (ev->type == FABRIC_GROUP) {
		tell_group(ev, line, sizeof(line));
	}
	printf("%s\n", line);
	fflush(stdout);
	if (w->until && strstr(line, w->until))
		w->seen = true;
}

static void run(struct fabric *f, struct wishes *w)
{
	uint64_t begin = now_ns(),
		 end = w->seconds ? begin + w->seconds * NSEC_PER_SEC : NSEC_NEVER;
	struct fabric_event ev;

	for (;;) {
		struct pollfd pfd = {.fd = fabric_fd(f), .events = POLLIN};
		uint64_t now = now_ns(), next = min_u64(fabric_deadline(f), end);
		int wait = next <= now ? 0 : (int)min_u64((next - now) / NSEC_PER_MSEC + 1, 1000);

		while (fabric_pop_event(f, &ev))
			tell(&ev, w);
		if (w->seen || now >= end || (!w->seconds && !fabric_asking(f)))
			return;
		if (poll(&pfd, 1, wait) < 0 && errno != EINTR)
			return;
		if (fabric_dispatch(f, now_ns()) < 0)
			return;
	}
}

static bool parse(int argc, char **argv, struct wishes *w)
{
	static const struct option options[] = {
		{"smprobe", no_argument, NULL, 'p'}, {"sm", no_argument, NULL, 's'},
		{"group", required_argument, NULL, 'g'}, {"for", required_argument, NULL, 'f'},
		{"until", required_argument, NULL, 'u'}, {0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		w->smprobe |= c == 'p';
		w->sm |= c == 's';
		if (c == 'g' && w->n_groups < GROUPS_MAX)
			w->groups[w->n_groups++] = (uint16_t)strtoul(optarg, NULL, 16);
		if (c == 'f')
			w->seconds = strtoull(optarg, NULL, 10);
		if (c == 'u')
			w->until = optarg;
		if (c == '?')
			return false;
	}
	return true;
}

static void ask(struct fabric *f, const struct wishes *w)
{
	size_t n;
	const struct fabric_port *p = fabric_ports(f, &n);
	uint64_t now = now_ns();
	int r;

	for (size_t i = 0; i < n; i++) {
		if (w->sm && (r = fabric_ask_sm(f, p[i].device, p[i].port, now)) < 0)
			printf("sm not asked: %s\n", strerror(-r));
		for (size_t k = 0; k < w->n_groups; k++)
			if ((r = fabric_ask_group(f, p[i].device, p[i].port, w->groups[k], now)) <
				0)
				printf("group %04x not asked: %s\n", w->groups[k], strerror(-r));
	}
}

int main(int argc, char **argv)
{
	struct fabric_ops ops = fabric_real_ops;
	const struct env env = {.prefix = ""};
	struct wishes w = {0};
	struct fabric *f = NULL;
	int r;

	ops.open_uevent = no_uevents;
	ops.verbs_open = no_verbs;
	if (!parse(argc, argv, &w))
		return 2;
	r = fabric_new(&f, &env, &ops);
	if (r < 0) {
		fprintf(stderr, "ask: %s\n", strerror(-r));
		return 1;
	}
	fabric_set_smprobe(f, w.smprobe, now_ns());
	r = fabric_rescan(f, now_ns());
	ask(f, &w);
	if (r >= 0)
		run(f, &w);
	fabric_close_verbs(f);
	fabric_free(f);
	return w.until && !w.seen;
}
