// SPDX-License-Identifier: GPL-2.0-or-later
#include "modules/catalog.h"

#include <limits.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#define KVER_SIZE 128 /* uname's release is at most 64 */

struct param {
	char module[MODULE_NAME_SIZE];
	char *text; /* "param=value" ready for the kernel */
	bool fallback;
	bool bad; /* cannot be written so that the kernel reads it back */
};

struct catalog {
	struct env env;
	struct kmod_ctx *kmod;
	bool indexed, fixed; /* fixed: the kernel loads no modules */
	const char *bare;
	char kver[KVER_SIZE];
	char (*blacklist)[MODULE_NAME_SIZE];
	size_t n_blacklist, n_barred;
	struct param *params;
	size_t n_params;
};

bool catalog_same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
			return false;
	return *a == *b;
}

int catalog_plain_name(char dst[static MODULE_NAME_SIZE], const char *name)
{
	size_t len = strnlen(name, MODULE_NAME_SIZE);

	if (len == 0 || len == MODULE_NAME_SIZE || name[0] == '-' ||
		strspn(name, ALNUM "_-") != len)
		return -EINVAL;
	for (size_t i = 0; i <= len; i++)
		dst[i] = name[i] == '-' ? '_' : name[i];
	return 0;
}

bool catalog_valid_alias(const char *text)
{
	size_t len = strnlen(text, CATALOG_ALIAS_MAX + 1);

	if (len == 0 || len > CATALOG_ALIAS_MAX || text[0] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == '/')
			return false;
	return true;
}

/* libkmod's log would go to stderr, that is to the console, in its own format. */
static void no_log(void *data, int priority, const char *file, int line, const char *fn,
	const char *format, va_list args)
{
	(void)data, (void)priority, (void)file, (void)line, (void)fn, (void)format, (void)args;
}

static const char *const config_dirs[] = {"/etc/modprobe.d", "/run/modprobe.d",
	"/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"};

/* The kernel's own modules, and those that others bring (depmod.d, weak-modules). */
static bool holds_modules(const struct catalog *c)
{
	static const char *const places[] = {"kernel", "updates", "extra", "weak-updates"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (env_exists(&c->env, "/lib/modules/%s/%s", c->kver, places[i]))
			return true;
	return false;
}

/* Without an index: why there is nothing that it could be missing of; NULL: there is. */
static const char *judge_bare(const struct catalog *c)
{
	_cleanup_closedir_ DIR *dir = env_opendir(&c->env, "/lib/modules");
	const struct dirent *d;

	if (c->fixed)
		return "the kernel loads no modules";
	while ((d = dir_next(dir)))
		if (!streq(d->d_name, c->kver) || holds_modules(c))
			return NULL;
	return "the image holds no kernel modules";
}

static int open_kmod(struct catalog *c)
{
	char dirs[ARRAY_SIZE(config_dirs)][PATH_MAX], root[PATH_MAX];
	const char *list[ARRAY_SIZE(config_dirs) + 1] = {NULL};
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(config_dirs); i++) {
		r = env_path(&c->env, dirs[i], sizeof(dirs[i]), "%s", config_dirs[i]);
		if (r < 0)
			return r;
		list[i] = dirs[i];
	}
	r = env_path(&c->env, root, sizeof(root), "/lib/modules/%s/modules.dep.bin", c->kver);
	if (r < 0)
		return r;
	c->indexed = access(root, R_OK) == 0;
	c->fixed = !c->indexed && !env_exists(&c->env, "/proc/modules");
	c->bare = c->indexed ? NULL : judge_bare(c);
	*strrchr(root, '/') = 0;
	c->kmod = kmod_new(root, list);
	if (!c->kmod)
		return -ENOMEM;
	kmod_set_log_fn(c->kmod, no_log, NULL);
	/* Keeps the indexes mapped. Without, they are opened per look-up: slower, nothing else. */
	(void)kmod_load_resources(c->kmod);
	return 0;
}

static int copy_blacklist(struct catalog *c, const struct modules_config *cfg)
{
	c->blacklist = calloc(cfg->n_blacklist + 1, sizeof(*c->blacklist));
	if (!c->blacklist)
		return -ENOMEM;
	for (size_t i = 0; i < cfg->n_blacklist; i++)
		if (catalog_plain_name(c->blacklist[c->n_blacklist], cfg->blacklist[i]) == 0) {
			c->n_blacklist++;
			c->n_barred += i < cfg->n_barred;
		}
	return 0;
}

/* The kernel splits options at white space outside double quotes and knows no escape. */
static int copy_param(struct param *dst, const struct module_param *src)
{
	const char *value = src->value ? src->value : "";
	const char *quote = strpbrk(value, " \t\n") ? "\"" : "";

	dst->fallback = src->fallback;
	dst->bad = strchr(value, '"') || strpbrk(src->param, " \t\n\"=") || !*src->param;
	if (asprintf(&dst->text, "%s%s%s%s%s", src->param, src->value ? "=" : "", quote, value,
		    quote) < 0) {
		dst->text = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int copy_params(struct catalog *c, const struct modules_config *cfg)
{
	c->params = calloc(cfg->n_params + 1, sizeof(*c->params));
	if (!c->params)
		return -ENOMEM;
	for (size_t i = 0; i < cfg->n_params; i++) {
		struct param *p = &c->params[c->n_params];
		int r;

		if (catalog_plain_name(p->module, cfg->params[i].module) < 0)
			continue;
		r = copy_param(p, &cfg->params[i]);
		if (r < 0)
			return r;
		c->n_params++;
	}
	return 0;
}

static void set_kver(struct catalog *c, const char *kver)
{
	struct utsname u;

	if (!kver && uname(&u) == 0)
		kver = u.release;
	(void)strscpy(c->kver, kver ? kver : "unknown", sizeof(c->kver));
}

int catalog_new(struct catalog **ret, const struct env *env, const struct modules_config *cfg)
{
	_cleanup_(catalog_freep) struct catalog *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->env = *env;
	set_kver(c, cfg->kver);
	r = copy_blacklist(c, cfg);
	if (r == 0)
		r = copy_params(c, cfg);
	if (r == 0)
		r = open_kmod(c);
	if (r < 0)
		return r;
	*ret = c;
	c = NULL;
	return 0;
}

struct catalog *catalog_free(struct catalog *c)
{
	if (!c)
		return NULL;
	for (size_t i = 0; i < c->n_params; i++)
		free(c->params[i].text);
	free(c->params);
	free(c->blacklist);
	if (c->kmod)
		kmod_unref(c->kmod);
	free(c);
	return NULL;
}

struct kmod_ctx *catalog_kmod(const struct catalog *c)
{
	return c->kmod;
}

const char *catalog_kver(const struct catalog *c)
{
	return c->kver;
}

const char *catalog_bare(const struct catalog *c)
{
	return c->bare;
}

/* One candidate with the very name asked for: asked for by name, not by alias. */
static bool named_itself(const struct kmod_list *list, const char *name)
{
	struct kmod_module *mod;
	bool same;

	if (kmod_list_next(list, list))
		return false;
	mod = kmod_module_get_module(list);
	same = catalog_same_name(kmod_module_get_name(mod), name);
	kmod_module_unref(mod);
	return same;
}

bool catalog_allows(const struct catalog *c, const struct kmod_list *list)
{
	struct kmod_list *allowed = NULL;
	bool any;

	if (kmod_module_apply_filter(c->kmod, KMOD_FILTER_BLACKLIST, list, &allowed) < 0)
		return true;
	any = allowed != NULL;
	kmod_module_unref_list(allowed);
	return any;
}

enum catalog_answer catalog_lookup(
	const struct catalog *c, const char *name, struct kmod_list **ret)
{
	struct kmod_list *list = NULL, *allowed = NULL;

	if (!c->indexed)
		return c->fixed ? CATALOG_MISSING : CATALOG_NO_INDEX;
	/* An unknown name gives 0 and an empty list; errors are long or unreadable aliases. */
	if (kmod_module_new_from_lookup(c->kmod, name, &list) < 0 || !list)
		return CATALOG_MISSING;
	if (named_itself(list, name)) {
		*ret = list;
		return CATALOG_FOUND;
	}
	if (kmod_module_apply_filter(c->kmod, KMOD_FILTER_BLACKLIST, list, &allowed) < 0)
		allowed = NULL;
	kmod_module_unref_list(list);
	if (!allowed)
		return CATALOG_BARRED;
	*ret = allowed;
	return CATALOG_FOUND;
}

/* The usual way to forbid a module; any other command is ignored, not run. */
static bool is_refusal(const char *command)
{
	static const char *const refusals[] = {
		"/bin/true", "/bin/false", "/usr/bin/true", "/usr/bin/false", "true", "false"};

	for (size_t i = 0; command && i < ARRAY_SIZE(refusals); i++) {
		size_t len = strlen(refusals[i]);

		if (strncmp(command, refusals[i], len) == 0 && strchr(" \t", command[len]))
			return true;
	}
	return false;
}

static bool is_listed(const struct catalog *c, size_t n, const struct kmod_module *mod)
{
	for (size_t i = 0; i < n; i++)
		if (catalog_same_name(c->blacklist[i], kmod_module_get_name(mod)))
			return true;
	return false;
}

bool catalog_no_alias(const struct catalog *c, const struct kmod_module *mod)
{
	return is_listed(c, c->n_blacklist, mod) && !is_listed(c, c->n_barred, mod);
}

const char *catalog_forbids(const struct catalog *c, const struct kmod_module *mod)
{
	if (is_listed(c, c->n_barred, mod))
		return "rd.driver.blacklist names it";
	if (is_refusal(kmod_module_get_install_commands(mod)))
		return "an install line in modprobe.d forbids it";
	return NULL;
}

bool catalog_live(const struct catalog *c, const char *name)
{
	char state[16];

	if (c->bare)
		return true;
	/* Built-in modules with parameters have a folder too, but no initstate. */
	if (env_read(&c->env, state, sizeof(state), "/sys/module/%s/initstate", name) < 0)
		return false;
	return streq(state, "live");
}

bool catalog_present(const struct catalog *c, const struct kmod_module *mod)
{
	return catalog_live(c, kmod_module_get_name(mod)) ||
	       kmod_module_get_initstate(mod) == KMOD_MODULE_BUILTIN;
}

/* Whether the option list holds this option already, as a whole word. */
static bool has_option(const char *options, const char *option)
{
	size_t len = strlen(option);

	for (const char *p = options; (p = strstr(p, option)); p += len) {
		bool starts = p == options || p[-1] == ' ';
		bool ends = p[len] == 0 || p[len] == ' ';

		if (starts && ends)
			return true;
	}
	return false;
}

static int append(char *buf, size_t size, const char *text)
{
	size_t len = strlen(buf);
	int n = snprintf(buf + len, size - len, "%s%s", len && *text ? " " : "", text);

	return n < 0 || (size_t)n >= size - len ? -E2BIG : 0;
}

/* libkmod reads /proc/cmdline as well, so most are among the configured ones already. */
static int append_params(const struct catalog *c, const char *name, const char *configured,
	bool fallback, char *buf, size_t size)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < c->n_params; i++) {
		const struct param *p = &c->params[i];

		if (p->fallback != fallback || !catalog_same_name(p->module, name) ||
			has_option(configured, p->text))
			continue;
		r = p->bad ? -EINVAL : append(buf, size, p->text);
	}
	return r;
}

/* The kernel takes the last value of a parameter. */
int catalog_options(const struct catalog *c, const struct kmod_module *mod, char *buf, size_t size)
{
	const char *configured = kmod_module_get_options(mod);
	const char *name = kmod_module_get_name(mod);
	int r;

	*buf = 0;
	configured = configured ? configured : "";
	r = append_params(c, name, configured, true, buf, size);
	if (r >= 0)
		r = append(buf, size, configured);
	return r < 0 ? r : append_params(c, name, configured, false, buf, size);
}

/* libkmod has no call for the raw line of one module; it can write the whole index to a file. */
static int dump_index(const struct catalog *c, FILE **ret)
{
	int fd = memfd_create("modules.dep", MFD_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = kmod_dump_index(c->kmod, KMOD_INDEX_MODULES_DEP, fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	if (lseek(fd, 0, SEEK_SET) < 0 || !(*ret = fdopen(fd, "r"))) {
		r = -errno;
		close(fd);
	}
	return r;
}

/* "NAME path/of/it.ko: path/of/need.ko path/of/other.ko": the needs, or NULL for other modules. */
static char *needs_in_line(char *line, const char *name)
{
	char *blank = strchr(line, ' ');
	char *colon;

	if (!blank)
		return NULL;
	*blank = 0;
	if (!catalog_same_name(line, name))
		return NULL;
	colon = strchr(blank + 1, ':');
	return colon ? colon + 1 : NULL;
}

/* The first path in the list that is no file below dir. */
static bool first_missing(const char *dir, char *needs, char *ret, size_t size)
{
	char path[PATH_MAX], *save = NULL;

	for (char *p = strtok_r(needs, " \n", &save); p; p = strtok_r(NULL, " \n", &save)) {
		int len = snprintf(path, sizeof(path), "%s%s%s", *p == '/' ? "" : dir,
			*p == '/' ? "" : "/", p);

		if (len > 0 && (size_t)len < sizeof(path) && access(path, F_OK) < 0) {
			(void)strscpy(ret, p, size);
			return true;
		}
	}
	return false;
}

int catalog_lost_need(const struct catalog *c, const char *name, char *ret, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	int r = dump_index(c, &f);

	if (r < 0)
		return r;
	while (getline(&line, &room, f) > 0) {
		char *needs = needs_in_line(line, name);

		if (needs)
			return first_missing(kmod_get_dirname(c->kmod), needs, ret, size);
	}
	return 0;
}
