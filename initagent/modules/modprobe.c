// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modprobe: the agent under its other name, for the kernel's request_module and for people in the
 * rescue shell. It goes through the same room as the boot does, so the same rules hold.
 */
#include <getopt.h>

#include "modules/helper.h"
#include "modules/modules.h"

struct request {
	bool quiet;
	bool verbose;
};

static void show(const struct module_event *ev, const struct request *req)
{
	const struct module_entry *e = &ev->entry;

	if (ev->type == MODULE_EVENT_FAILED ? req->quiet : !req->verbose)
		return;
	fprintf(stderr, "modprobe: %s: %s%s%s\n", e->name, module_state_name(e->state),
		*e->text ? ": " : "", e->text);
}

/* One name or alias, to the end. Returns 0 or negative errno. */
static int load_one(struct modules *m, const char *name, const struct request *req)
{
	int r = modules_request(m, name, now_ns());
	int result = -ENOENT; /* until something comes of it */
	struct module_event ev;

	/* The kernel asks for aliases that are no names. */
	if (r == -EINVAL)
		r = modules_request_alias(m, name, now_ns());
	while (r == 0 && !modules_settled(m))
		r = modules_dispatch(m, now_ns());
	if (r < 0)
		return r;
	while (modules_pop_event(m, &ev)) {
		const struct module_entry *e = &ev.entry;

		show(&ev, req);
		if (ev.type == MODULE_EVENT_LOADED && result == -ENOENT)
			result = 0;
		else if (ev.type == MODULE_EVENT_FAILED && e->wanted && e->cause != CAUSE_NONE)
			result = e->error ? e->error : -EIO;
	}
	return result;
}

static int parse(int argc, char **argv, struct request *req)
{
	int c;

	optind = 1;
	/* -b is how we always behave for aliases; -a: every word is a module anyway. */
	while ((c = getopt(argc, argv, "+qbasv")) != -1) {
		if (c == 'q' || c == 's')
			req->quiet = true;
		else if (c == 'v')
			req->verbose = true;
		else if (c == '?')
			return -EINVAL;
	}
	return optind < argc ? 0 : -EINVAL;
}

/* The kernel starts its helper without any open file; what is opened next must not become stdout.
 */
static void fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	closep(&fd);
}

int modules_modprobe_main(int argc, char **argv)
{
	_cleanup_(modules_freep) struct modules *m = NULL;
	const struct modules_config cfg = {.in_process = true};
	const struct env env = {.prefix = ""};
	struct request req = {0};
	int status = 0, r;

	fill_standard_fds();
	if (parse(argc, argv, &req) < 0) {
		fprintf(stderr, "usage: modprobe [-q] [-v] [-a] MODULE...\n");
		return 1;
	}
	r = modules_new(&m, &env, &cfg);
	for (int i = optind; r == 0 && i < argc; i++) {
		int one = load_one(m, argv[i], &req);

		if (one < 0 && !req.quiet)
			fprintf(stderr, "modprobe: %s: %s\n", argv[i], strerror(-one));
		status |= one < 0;
	}
	return r < 0 ? 1 : status;
}
