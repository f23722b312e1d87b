// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * images: see images.h. A file's name says what is to come of it: "KIND-ROOT..." a root
 * ("iso-squashfs"), anything that begins with "bad" none.
 */
#include "images.h"

#include <dirent.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "root/image/image.h"
#include "root/image/layers.h"

#define TARGET "/newroot"

static const struct env env = {.prefix = ""};

static enum image_event work(struct image *m)
{
	enum image_event e = IMAGE_EVENT_NONE;

	while (e != IMAGE_EVENT_MOUNTED && e != IMAGE_EVENT_FAILED) {
		struct pollfd pfd = {.fd = image_fd(m), .events = POLLIN};

		poll(&pfd, 1, -1);
		image_dispatch(m, now_ns());
		e = image_pop_event(m);
	}
	return e;
}

static bool writable(void)
{
	int fd = open(TARGET "/sbin/new", O_CREAT | O_WRONLY, 0644);
	bool good = fd >= 0 && write(fd, "x", 1) == 1;

	closep(&fd);
	return good;
}

static void try_one(const char *name, bool (*ok)(bool good, const char *fmt, ...))
{
	const struct plan_image plan = {.minmem_mib = 16};
	struct image_config cfg = {.target = TARGET, .plan = &plan};
	char path[300], kinds[64];
	const struct image_result *r;
	struct image *m = NULL;
	const char *words;
	uint64_t begin = now_ns();

	snprintf(path, sizeof(path), "/images/%s", name);
	cfg.fd = open(path, O_RDWR | O_CLOEXEC);
	if (!ok(cfg.fd >= 0 && image_start(&m, &env, &cfg, begin) == 0, "%s",
		    path))
		return;
	if (work(m) == IMAGE_EVENT_FAILED) {
		enum cause cause = image_failure(m, &words);

		ok(strncmp(name, "bad", 3) == 0, "%s: %s: %s", name, cause_info(cause)->id, words);
	} else {
		r = image_result(m);
		snprintf(kinds, sizeof(kinds), "%s-%s", image_kind_name(r->kind),
			image_kind_name(r->root));
		ok(strncmp(name, kinds, strlen(kinds)) == 0, "%s is a root%s", name,
			r->overlay ? " under a writable layer" : "");
		ok(streq(r->init, "/sbin/init") && writable(), "%s has an init and is writable",
			name);
		printf("# figure %s_ms %.1f\n", name, (double)(now_ns() - begin) / 1e6);
	}
	layers_drop(&env, TARGET);
	image_free(m);
	close(cfg.fd);
	ok(access(TARGET "/sbin", F_OK) < 0, "%s leaves nothing behind", name);
}

void images_try(struct modules *m, bool (*ok)(bool good, const char *fmt, ...),
	void (*settle)(struct modules *m))
{
	struct dirent *e;
	DIR *dir;

	for (size_t i = 0; image_modules(i); i++)
		modules_request(m, image_modules(i), now_ns());
	modules_request(m, image_kind_module(IMAGE_EROFS), now_ns());
	settle(m);
	mkdir(TARGET, 0755);
	mkdir("/run", 0755);
	mount("run", "/run", "tmpfs", 0, "mode=0755");
	dir = opendir("/images");
	ok(dir != NULL, "there are images");
	while (dir && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			try_one(e->d_name, ok);
	if (dir)
		closedir(dir);
}
