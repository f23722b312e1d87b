// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/web/mirror_list.h"

#include <strings.h>

#include "base/cursor.h"
#include "fetch/mirrors.h"
#include "base/worker.h"
#include "url.h"

/* 64 KiB are read in no time. */
#define CPU_SECONDS 5
#define MEMORY_MAX  (64u << 20)

/* --- reading it ------------------------------------------------------------------------------ */

/* The next line without its end. */
static struct cursor next_line(struct cursor *c)
{
	const uint8_t *end = memchr(c->at, '\n', c->left);
	struct cursor line = cursor_sub(c, end ? (size_t)(end - c->at) : c->left);

	if (end)
		cursor_skip(c, 1);
	return line;
}

/* A line's URL into buf. False: it is none. */
static bool take_url(struct cursor line, const char *base, char buf[static PLAN_URL_MAX + 1])
{
	bool folder = line.at[line.left - 1] == '/';
	size_t len = 0;
	const char *name = urls_name(base, &len);
	char text[URL_TEXT_MAX];
	struct url u;
	int n = snprintf(text, sizeof(text), "%.*s%.*s", (int)line.left, (const char *)line.at,
		(int)(folder ? len : 0), name);

	if (!url_bytes((const char *)line.at, line.left) || n < 0 || n > PLAN_URL_MAX ||
		url_parse(&u, text, (size_t)n) < 0)
		return false;
	if (strncasecmp(base, "https:", 6) == 0 && !u.https)
		return false;
	return strscpy(buf, url_text(&u, text), PLAN_URL_MAX + 1) > 0;
}

static bool known(const struct mirror_list_result *r, const char *url)
{
	for (size_t i = 0; i < r->n; i++)
		if (streq(r->urls[i], url))
			return true;
	return false;
}

/* The one that this node would ask last. */
static size_t last_of(const struct mirror_list_result *r, uint64_t node)
{
	size_t last = 0;

	for (size_t i = 1; i < r->n; i++)
		if (rendezvous_weight(node, r->urls[i]) < rendezvous_weight(node, r->urls[last]))
			last = i;
	return last;
}

static void add(struct mirror_list_result *r, const char *url, uint64_t node)
{
	size_t at = r->n;

	if (known(r, url))
		return;
	if (r->n == URLS_MAX) {
		r->left++;
		at = last_of(r, node);
		if (rendezvous_weight(node, url) <= rendezvous_weight(node, r->urls[at]))
			return;
	} else {
		r->n++;
	}
	strscpy(r->urls[at], url, sizeof(r->urls[at]));
}

void mirror_list_parse(const char *text, size_t len, const char *base, uint64_t node,
	struct mirror_list_result *ret)
{
	struct cursor c = cursor_make(text, len);
	char url[PLAN_URL_MAX + 1];

	memset(ret, 0, sizeof(*ret));
	while (c.left) {
		struct cursor line = cursor_trim(next_line(&c), " \t\r");

		if (!line.left || *line.at == '#')
			continue;
		if (take_url(line, base, url))
			add(ret, url, node);
		else
			ret->bad++;
	}
}

/* --- the process ----------------------------------------------------------------------------- */

struct mirror_list {
	struct worker *worker;
	bool good;
	struct mirror_list_result result;
};

struct job {
	const char *text, *base;
	size_t len;
	uint64_t node;
};

static int work(const void *arg)
{
	static struct mirror_list_result result;
	const struct job *j = arg;

	mirror_list_parse(j->text, j->len, j->base, j->node, &result);
	return worker_reply(&result, sizeof(result)) < 0;
}

static bool result_valid(void *reply, const void *context)
{
	const struct mirror_list_result *r = reply;

	(void)context;
	if (r->n > URLS_MAX)
		return false;
	for (size_t i = 0; i < r->n; i++) {
		struct url u;
		const char *end = memchr(r->urls[i], 0, sizeof(r->urls[i]));

		if (!end || url_parse(&u, r->urls[i], (size_t)(end - r->urls[i])) < 0)
			return false;
	}
	return true;
}

int mirror_list_new(struct mirror_list **ret, const char *text, size_t len, const char *base,
	uint64_t node)
{
	const struct job job = {.text = text, .base = base, .len = len, .node = node};
	const struct worker_spec spec = {
		.run = work,
		.arg = &job,
		.sandbox = {SANDBOX_COMPUTE, .memory = MEMORY_MAX, .cpu_s = CPU_SECONDS},
		.reply_size = sizeof(struct mirror_list_result),
		.valid = result_valid,
	};
	struct mirror_list *l = calloc(1, sizeof(*l));
	int r = l ? worker_start(&l->worker, &spec, 0) : -ENOMEM;

	if (r < 0)
		free(l);
	else
		*ret = l;
	return r;
}

struct mirror_list *mirror_list_free(struct mirror_list *l)
{
	if (!l)
		return NULL;
	worker_free(l->worker);
	free(l);
	return NULL;
}

int mirror_list_fd(const struct mirror_list *l)
{
	return worker_fd(l->worker);
}

bool mirror_list_dispatch(struct mirror_list *l)
{
	int r = worker_receive(l->worker, &l->result, 0);

	if (r == 0)
		return false;
	l->good = r > 0;
	worker_end(l->worker);
	return true;
}

const struct mirror_list_result *mirror_list_result(const struct mirror_list *l)
{
	return l->good ? &l->result : NULL;
}
