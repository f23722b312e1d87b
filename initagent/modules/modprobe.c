// SPDX-License-Identifier: GPL-2.0-or-later
#include "modules/modprobe.h"

#include <getopt.h>
#include <limits.h>

#include "base/file.h"
#include "base/io.h"
#include "modules/catalog.h"

#define HELPER_PATH    "/proc/sys/kernel/modprobe"
#define BLACKLIST_DIR  "/run/modprobe.d"
#define BLACKLIST_FILE "initagent.conf"

int modules_set_modprobe_helper(const struct env *env, const char *path, char *old, size_t size)
{
	char line[MODPROBE_HELPER_SIZE + 1];
	_cleanup_close_ int fd = -1;
	int r;

	if ((*path && *path != '/') || strlen(path) >= MODPROBE_HELPER_SIZE || strpbrk(path, "\n"))
		return -EINVAL;
	if (old) {
		r = env_read(env, old, size, HELPER_PATH);
		if (r < 0)
			return r;
	}
	/* A bare newline empties a string sysctl; an empty write would change nothing. */
	snprintf(line, sizeof(line), "%s\n", path);
	fd = env_open(env, O_WRONLY | O_TRUNC, HELPER_PATH);
	return fd < 0 ? fd : io_write_all(fd, line, strlen(line));
}

int modules_check_modprobe_helper(const struct env *env, char *old, size_t size)
{
	char helper[MODPROBE_HELPER_SIZE], full[PATH_MAX];
	int r = env_read(env, helper, sizeof(helper), HELPER_PATH);

	if (r < 0)
		return r;
	if (!*helper)
		return 0;
	r = env_path(env, full, sizeof(full), "%s", helper);
	if (r < 0)
		return r;
	if (access(full, X_OK) == 0)
		return 0;
	r = modules_set_modprobe_helper(env, "", old, size);
	return r < 0 ? r : 1;
}

int modules_publish_blacklist(const struct env *env, const char *const *names, size_t n)
{
	_cleanup_free_ char *text = NULL;
	char name[MODULE_NAME_SIZE];
	size_t len;
	FILE *f;
	int r = 0;

	if (n == 0)
		return file_remove(env, BLACKLIST_DIR, BLACKLIST_FILE);
	f = open_memstream(&text, &len);
	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < n && r == 0; i++) {
		r = catalog_plain_name(name, names[i]);
		if (r == 0)
			fprintf(f, "blacklist %s\n", name);
	}
	if (fclose(f) != 0)
		return -ENOMEM;
	return r < 0 ? r : file_write(env, BLACKLIST_DIR, BLACKLIST_FILE, text, len, 0644);
}

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
	int result = -ENOENT; /* until a module is found */
	struct module_event ev;

	/* The kernel asks for aliases that are no names. */
	if (r == -EINVAL)
		r = modules_request_alias(m, name, now_ns());
	while (r == 0 && !modules_settled(m)) {
		r = modules_dispatch(m, now_ns());
		modules_start(m, now_ns());
	}
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

int modules_load_now(const struct env *env, const char *name)
{
	_cleanup_(modules_freep) struct modules *m = NULL;
	const struct modules_config cfg = {.in_process = true};
	const struct env silent = {.prefix = env->prefix};
	int r = modules_new(&m, &silent, &cfg);

	return r < 0 ? r : load_one(m, name, &(struct request){.quiet = true});
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
