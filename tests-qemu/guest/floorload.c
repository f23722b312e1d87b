// SPDX-License-Identifier: GPL-2.0-or-later
/* floor_load: modules side by side, each as soon as those that it needs are there. */
#include "floor.h"
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* As many as the agent loads at a time: much of a module's start is waiting. */
#define LOADERS	    8
#define MODULES_MAX 64

enum state { WAITING, LOADING, LOADED };

/* One module: its line of modules.dep, "file: file file", where all that it needs are named. */
static struct module {
	const char *file;
	size_t len;
	const char *needs;
	size_t needs_len;
	enum state state;
} modules[MODULES_MAX];
static size_t n_modules;

static char depends[65536];
static char folder[128];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void read_depends(void)
{
	struct utsname name;
	char path[160];

	floor_must(uname(&name), "uname");
	snprintf(folder, sizeof(folder), "/lib/modules/%s", name.release);
	snprintf(path, sizeof(path), "%s/modules.dep", folder);
	floor_must(guest_read(path, depends, sizeof(depends)), path);
}

static struct module *find_module(const char *file, size_t len)
{
	for (size_t i = 0; i < n_modules; i++)
		if (modules[i].len == len && memcmp(modules[i].file, file, len) == 0)
			return &modules[i];
	return NULL;
}

/* next_need: the words of m's needs, one after the other; at begins as 0. NULL: no more. */
static const char *next_need(const struct module *m, size_t *at, size_t *ret_len)
{
	const char *word;

	*at += strspn(m->needs + *at, " ");
	if (*at >= m->needs_len)
		return NULL;
	word = m->needs + *at;
	*ret_len = strcspn(word, " \n");
	*at += *ret_len;
	return word;
}

/* line: of modules.dep. */
static void add_line(const char *line)
{
	size_t len = strcspn(line, ":");
	struct module *m = &modules[n_modules];

	if (find_module(line, len))
		return;
	floor_must(n_modules < MODULES_MAX ? 0 : -1, "too many modules");
	n_modules++;
	m->file = line;
	m->len = len;
	m->needs = line + len + 1;
	m->needs_len = strcspn(m->needs, "\n");
}

/* add_file: the line that begins with this file. */
static void add_file(const char *file, size_t len)
{
	const char *line = depends;

	while (*line && (strncmp(line, file, len) != 0 || line[len] != ':')) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	floor_must(*line ? 0 : -1, "modules.dep");
	add_line(line);
}

/* add_module: by the name of its file, with what it needs. */
static void add_module(const char *name)
{
	char file[64];
	const char *line, *need;
	const struct module *m;
	size_t at = 0, len;

	snprintf(file, sizeof(file), "/%s.ko:", name);
	line = strstr(depends, file);
	floor_must(line ? 0 : -1, name);
	while (line > depends && line[-1] != '\n')
		line--;
	add_line(line);
	m = find_module(line, strcspn(line, ":"));
	while ((need = next_need(m, &at, &len)))
		add_file(need, len);
}

static bool is_ready(const struct module *m)
{
	const char *need;
	size_t at = 0, len;

	while ((need = next_need(m, &at, &len)))
		if (find_module(need, len)->state != LOADED)
			return false;
	return true;
}

/* One that the kernel has loaded itself meanwhile is as good. */
static void insert(const struct module *m)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%.*s", folder, (int)m->len, m->file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	floor_must(fd, path);
	if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
		floor_must(-1, path);
	close(fd);
}

/* take: one that can be loaded now; with left: none is, but there are some to come. Locked. */
static struct module *take(bool *ret_left)
{
	*ret_left = false;
	for (size_t i = 0; i < n_modules; i++) {
		if (modules[i].state != WAITING)
			continue;
		if (is_ready(&modules[i])) {
			modules[i].state = LOADING;
			return &modules[i];
		}
		*ret_left = true;
	}
	return NULL;
}

static void *loader(void *arg)
{
	struct module *m;
	bool left = true;

	pthread_mutex_lock(&lock);
	while ((m = take(&left)) || left) {
		if (!m) {
			pthread_cond_wait(&changed, &lock);
			continue;
		}
		pthread_mutex_unlock(&lock);
		insert(m);
		pthread_mutex_lock(&lock);
		m->state = LOADED;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

void floor_load(const char *names)
{
	char list[192], *rest = list;
	pthread_t thread;

	read_depends();
	snprintf(list, sizeof(list), "%s", names);
	for (char *name; (name = strsep(&rest, " "));)
		add_module(name);
	for (size_t i = 0; i < LOADERS; i++)
		floor_must(-pthread_create(&thread, NULL, loader, NULL), "thread");
}

/* is_loaded: by the name of its file; NULL: all. Locked. */
static bool is_loaded(const char *name)
{
	char file[64];

	snprintf(file, sizeof(file), "/%s.ko", name ? name : "");
	for (size_t i = 0; i < n_modules; i++) {
		const struct module *m = &modules[i];
		size_t len = strlen(file);

		if (name && (m->len < len || memcmp(m->file + m->len - len, file, len) != 0))
			continue;
		if (m->state != LOADED)
			return false;
	}
	return true;
}

void floor_loaded(const char *name)
{
	pthread_mutex_lock(&lock);
	while (!is_loaded(name))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}
