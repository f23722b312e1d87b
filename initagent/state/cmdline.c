// SPDX-License-Identifier: GPL-2.0-or-later

#include "state/cmdline.h"

#include "report/record.h"
#include "report/report.h"

#include <limits.h>

struct sources {
	struct plan_source rows[CMDLINE_SOURCES + 1]; /* one more for the firmware */
	char *names[CMDLINE_SOURCES];
	char *texts[CMDLINE_SOURCES];
	size_t n;
};

static void sources_done(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->names[i]);
		free(s->texts[i]);
	}
}

/* Adds the file at path; one that is not there or unreadable is no source. */
static int add_file(const struct env *env, struct sources *s, const char *path)
{
	_cleanup_free_ char *text = malloc(CMDLINE_TEXT_MAX);
	_cleanup_free_ char *name = strdup(path);
	int n;

	if (!text || !name)
		return -ENOMEM;
	if (s->n == CMDLINE_SOURCES)
		return -E2BIG;
	n = env_read(env, text, CMDLINE_TEXT_MAX, "%s", path);
	if (n < 0)
		return n;
	s->rows[s->n] = (struct plan_source){.name = name, .text = text, .len = (size_t)n};
	s->names[s->n] = name;
	s->texts[s->n++] = text;
	name = NULL;
	text = NULL;
	return 0;
}

/* systemd's import of command line, SMBIOS and QEMU, as it has it for its generators. */
#define CREDENTIAL	  "/run/credentials/@system/import.pull"
#define CREDENTIAL_SEALED "/run/credentials/@encrypted/import.pull"

/* As the word it would be on the command line. What is behind its end there is no text either. */
static void add_credential(const struct env *env, struct sources *s)
{
	static const char name[] = "import.pull:";
	char *text;

	if (add_file(env, s, CREDENTIAL) < 0)
		return;
	text = malloc(sizeof(name) + s->rows[s->n - 1].len);
	if (!text)
		return;
	memcpy(text, name, sizeof(name) - 1);
	memcpy(text + sizeof(name) - 1, s->texts[s->n - 1], s->rows[s->n - 1].len + 1);
	free(s->texts[s->n - 1]);
	s->texts[s->n - 1] = text;
	s->rows[s->n - 1].text = text;
	s->rows[s->n - 1].len += sizeof(name) - 1;
	s->rows[s->n - 1].credential = true;
}

static int is_conf(const struct dirent *e)
{
	return e->d_name[0] != '.' && str_ends(e->d_name, ".conf");
}

static void add_directory(const struct env *env, struct sources *s, const char *dir)
{
	struct dirent **list = NULL;
	char path[PATH_MAX];
	int n;

	if (env_path(env, path, sizeof(path), "%s", dir) < 0)
		return;
	n = scandir(path, &list, is_conf, alphasort);
	for (int i = 0; i < n; i++) {
		char file[300];

		snprintf(file, sizeof(file), "%s/%s", dir, list[i]->d_name);
		add_file(env, s, file);
		free(list[i]);
	}
	free(list);
}

static const enum report_level levels[] = {
	[DIAG_NOTE] = REPORT_DEBUG,
	[DIAG_WARN] = REPORT_INFO,
	[DIAG_ERROR] = REPORT_WARN,
	[DIAG_FATAL] = REPORT_WARN,
};

static void diag_text(const struct diag *d, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s", d->text, d->remedy ? "; " : "", d->remedy ? d->remedy : "");
}

static void report_diag(const struct env *env, const struct diag *d, uint64_t now)
{
	char text[REPORT_TEXT_MAX];

	diag_text(d, text, sizeof(text));
	if (d->severity >= DIAG_ERROR)
		report_cause(env->report, CAUSE_CMDLINE_MALFORMED, d->option, now, "%s", text);
	else
		report_log(env->report, levels[d->severity], "cmdline", now, "%s%s%s",
			d->option ? d->option : "", d->option ? ": " : "", text);
}

void cmdline_report(const struct cmdline *c, const struct env *env, uint64_t now)
{
	for (size_t i = 0; i < diag_list_count(c->diags); i++)
		report_diag(env, diag_list_at(c->diags, i), now);
	if (env_exists(env, CREDENTIAL_SEALED))
		report_log(env->report, REPORT_WARN, "cmdline", now,
			"the credential import.pull is encrypted and not read: write "
			"rd.systemd.pull=, or give it as plain text (systemd.set_credential=)");
}

const char *cmdline_root_error(const struct cmdline *c, char *buf, size_t size)
{
	static const char *const options[] = {"root", "netroot", "nfsroot", "imgurl",
		"rd.systemd.pull"};

	for (size_t i = 0; i < diag_list_count(c->diags); i++) {
		const struct diag *d = diag_list_at(c->diags, i);

		for (size_t k = 0; k < ARRAY_SIZE(options) && d->option; k++)
			if (d->severity == DIAG_FATAL && streq(d->option, options[k])) {
				diag_text(d, buf, size);
				return options[k];
			}
	}
	return NULL;
}

/* The plan of all sources; with rd.hostonly=0 without what is built into the image, which is all
 * below /etc but what was typed (rd.cmdline=ask). */
static int parse(struct cmdline *c, struct sources *s, size_t n)
{
	int r = plan_parse_sources(&c->plan, s->rows, n, c->diags);

	if (r < 0 || c->plan->hostonly)
		return r;
	for (size_t i = 0; i < s->n; i++)
		if (strncmp(s->names[i], "/etc/", 5) == 0 &&
			!streq(s->names[i], "/etc/cmdline.d/99-cmdline-ask.conf"))
			s->rows[i].len = 0;
	plan_free(c->plan);
	diag_list_free(c->diags);
	c->plan = NULL;
	c->diags = NULL;
	r = diag_list_new(&c->diags);
	return r < 0 ? r : plan_parse_sources(&c->plan, s->rows, n, c->diags);
}

int cmdline_load(const struct env *env, struct cmdline *ret)
{
	return cmdline_load_firmware(env, NULL, ret);
}

int cmdline_load_firmware(const struct env *env, const char *options, struct cmdline *ret)
{
	_cleanup_(sources_done) struct sources s = {0};
	_cleanup_(cmdline_done) struct cmdline c = {0};
	int r = diag_list_new(&c.diags);

	if (r < 0)
		return r;
	add_credential(env, &s);
	add_directory(env, &s, "/etc/cmdline.d");
	add_file(env, &s, "/etc/cmdline");
	r = add_file(env, &s, "/proc/cmdline");
	if (r < 0)
		return r;
	s.rows[s.n - 1].running = true;
	c.proc = strdup(s.texts[s.n - 1]);
	add_directory(env, &s, "/run/initramfs/cmdline.d");
	if (options)
		s.rows[s.n] = (struct plan_source){.name = "firmware", .text = options,
			.len = strlen(options), .firmware = true};
	r = c.proc ? parse(&c, &s, s.n + !!options) : -ENOMEM;
	if (r < 0)
		return r;
	*ret = c;
	c = (struct cmdline){0};
	return 0;
}

void cmdline_done(struct cmdline *c)
{
	plan_free(c->plan);
	diag_list_free(c->diags);
	free(c->proc);
	*c = (struct cmdline){0};
}
