// SPDX-License-Identifier: GPL-2.0-or-later
/* kmsg: see kmsg.h. The phrases are those of kernel/module/ and drivers/base/ (4.18 to 6.12). */
#include "modules/kmsg.h"

#include <limits.h>

#define RECORD_SIZE 8192 /* CONSOLE_EXT_LOG_MAX: a record is not read in smaller pieces */
#define LINE_SIZE   2048 /* of a record its beginning is enough */

enum {
	RANK_CHATTER = 1, /* any line of the module's, on failure better than nothing */
	RANK_ERROR,	  /* the same at level "err" or worse */
	RANK_PHRASE,	  /* a known phrase; the first one wins */
};

struct phrase {
	const char *words;
	enum cause cause;
	bool on_success; /* means trouble although the module was loaded */
	bool anonymous;	 /* the line does not begin with the module's name */
};

static const struct phrase phrases[] = {
	{"disagrees about version of symbol", CAUSE_MODULE_SYMBOLS, false, false},
	{": version magic '", CAUSE_MODULE_SYMBOLS, false, false},
	{".this_module section size must match", CAUSE_MODULE_SYMBOLS, false, false},
	{": Unknown symbol ", CAUSE_MODULE_SYMBOLS, false, false},
	{" is rejected", CAUSE_MODULE_SIGNATURE, false, false},
	{"Loading of unsigned module is rejected", CAUSE_MODULE_SIGNATURE, false, true},
	{"Loading of module with un", CAUSE_MODULE_SIGNATURE, false, true},
	{"unsigned module loading is restricted", CAUSE_MODULE_SIGNATURE, false, true},
	{" is blacklisted", CAUSE_MODULE_BLACKLISTED, false, false},
	{" invalid for parameter ", CAUSE_MODULE_OPTION, false, false},
	{" too large for parameter ", CAUSE_MODULE_OPTION, false, false},
	{"nknown parameter '", CAUSE_MODULE_OPTION, true, false},
	{"Direct firmware load for ", CAUSE_MODULE_FIRMWARE, true, false},
	{"probe of ", CAUSE_MODULE_PROBE, true, false},
	{"probe with driver ", CAUSE_MODULE_PROBE, true, false},
};

int kmsg_open(const struct env *env)
{
	return env_open(env, O_RDONLY | O_NONBLOCK, "/dev/kmsg");
}

void kmsg_mark(int fd)
{
	if (fd >= 0)
		(void)lseek(fd, 0, SEEK_END);
}

/* The name at p, '-' and '_' being equal; returns what follows it or NULL. */
static const char *skip_name(const char *p, const char *name)
{
	for (; *name; p++, name++) {
		char a = *p == '-' ? '_' : *p;
		char b = *name == '-' ? '_' : *name;

		if (a != b)
			return NULL;
	}
	return p;
}

/* "NAME: ...", "NAME 0000:03:00.0: ...", "Module NAME is ..." or "module NAME: ...". */
static bool is_about(const char *name, const char *text)
{
	const char *rest = skip_name(text, name);

	if (!rest && (strncmp(text, "Module ", 7) == 0 || strncmp(text, "module ", 7) == 0))
		rest = skip_name(text + 7, name);
	return rest && (*rest == ':' || *rest == ' ');
}

static const struct phrase *find_phrase(const char *text, bool about, bool failed)
{
	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++) {
		const struct phrase *p = &phrases[i];

		if ((about || p->anonymous) && (failed || p->on_success) && strstr(text, p->words))
			return p;
	}
	return NULL;
}

/* Splits off the header: returns the text, sets the level; NULL when it is no record of the kernel:
 * programs write there, too, the agent's causes among others. */
static const char *record_text(const char *line, unsigned *ret_level)
{
	char *end;
	unsigned long priority = strtoul(line, &end, 10);
	const char *text = strchr(line, ';');

	if (end == line || *end != ',' || !text || priority > 7)
		return NULL;
	*ret_level = (unsigned)priority; /* the rest is the syslog facility: 0, the kernel's */
	return text + 1;
}

void kmsg_judge(
	const char *name, bool failed, const char *record, size_t len, struct kmsg_finding *best)
{
	const struct phrase *p;
	char line[LINE_SIZE];
	const char *text;
	unsigned level;
	bool about;
	int rank;

	snprintf(line, sizeof(line), "%.*s", (int)len, record);
	line[strcspn(line, "\n")] = 0;
	text = record_text(line, &level);
	if (!text)
		return;
	about = is_about(name, text);
	p = find_phrase(text, about, failed);
	if (!p && !(about && failed))
		return;
	rank = p ? RANK_PHRASE : level <= 3 ? RANK_ERROR : RANK_CHATTER;
	if (rank < best->rank || (rank == RANK_PHRASE && best->rank == rank))
		return;
	best->rank = rank;
	best->cause = p ? p->cause : CAUSE_MODULE_FAILED;
	(void)strscpy(best->text, text, sizeof(best->text));
}

struct search {
	const char *name;
	bool failed;
	struct kmsg_finding *best;
};

/* The device hands out one record a read; a fixture file hands out several lines at once. */
static void judge_lines(const char *buf, size_t len, void *data)
{
	const struct search *s = data;
	const char *end = buf + len;

	while (buf < end) {
		const char *eol = memchr(buf, '\n', (size_t)(end - buf));
		const char *stop = eol ? eol : end;

		kmsg_judge(s->name, s->failed, buf, (size_t)(stop - buf), s->best);
		buf = stop + 1;
	}
}

void kmsg_each(int fd, unsigned records, void (*take)(const char *buf, size_t len, void *data),
	void *data)
{
	char buf[RECORD_SIZE];

	for (unsigned i = 0; fd >= 0 && i < records; i++) {
		ssize_t n = read(fd, buf, sizeof(buf));

		/* EPIPE: records were overwritten before we came; the next read goes on. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			return;
		take(buf, (size_t)n, data);
	}
}

void kmsg_collect(int fd, const char *name, bool failed, unsigned records, struct kmsg_finding *ret)
{
	memset(ret, 0, sizeof(*ret));
	kmsg_each(fd, records, judge_lines, &(struct search){name, failed, ret});
}
