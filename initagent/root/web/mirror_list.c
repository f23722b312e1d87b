// SPDX-License-Identifier: GPL-2.0-or-later
/* mirror_list: see mirror_list.h. */
#include "root/web/mirror_list.h"

#include <strings.h>

#include "base/cursor.h"
#include "fetch/rendezvous.h"
#include "base/cage.h"
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

static bool blank(uint8_t b)
{
	return b == ' ' || b == '\t' || b == '\r';
}

static struct cursor trim(struct cursor line)
{
	while (line.left && blank(*line.at))
		cursor_skip(&line, 1);
	while (line.left && blank(line.at[line.left - 1]))
		line.left--;
	return line;
}

/* What stands behind the last '/' of its path, without a query. */
static const char *name_in(const char *url, size_t *len)
{
	const char *host = strstr(url, "://") ? strstr(url, "://") + 3 : url;
	size_t n = strcspn(host, "?"), at = n;

	while (at && host[at - 1] != '/')
		at--;
	*len = at ? n - at : 0;
	return host + at;
}

/* As on the command line: what RFC 3986 has no place for would be read differently by each program on the way. */
static bool plain(struct cursor line)
{
	for (size_t i = 0; i < line.left; i++)
		if (line.at[i] <= ' ' || line.at[i] >= 0x7f || strchr("\"<>\\^`{|}#", line.at[i]))
			return false;
	return true;
}

/* A line's URL into buf. False: it is none. */
static bool take_url(struct cursor line, const char *base, char buf[static PLAN_URL_MAX + 1])
{
	bool folder = line.at[line.left - 1] == '/';
	size_t len = 0;
	const char *name = name_in(base, &len);
	char text[URL_TEXT_MAX];
	struct url u;
	int n = snprintf(text, sizeof(text), "%.*s%.*s", (int)line.left, (const char *)line.at, (int)(folder ? len : 0), name);

	if (!plain(line) || n < 0 || n > PLAN_URL_MAX || url_parse(&u, text, (size_t)n) < 0)
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

void mirror_list_parse(const char *text, size_t len, const char *base, uint64_t node, struct mirror_list_result *ret)
{
	struct cursor c = cursor_make(text, len);
	char url[PLAN_URL_MAX + 1];

	memset(ret, 0, sizeof(*ret));
	while (c.left) {
		struct cursor line = trim(next_line(&c));

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
	struct cage cage;
	size_t have;
	bool good;
	struct mirror_list_result result;
};

struct job {
	const char *text, *base;
	size_t len;
	uint64_t node;
};

static int work(const void *arg, int in, int out)
{
	static struct mirror_list_result result;
	const struct job *j = arg;

	(void)in;
	mirror_list_parse(j->text, j->len, j->base, j->node, &result);
	return cage_write(out, &result, sizeof(result)) < 0;
}

int mirror_list_new(struct mirror_list **ret, const char *text, size_t len, const char *base, uint64_t node)
{
	_cleanup_(mirror_list_freep) struct mirror_list *l = calloc(1, sizeof(*l));
	const struct job job = {.text = text, .base = base, .len = len, .node = node};
	const struct cage_job cage = {
		.run = work,
		.arg = &job,
		.in = -1,
		.rights = CAGE_COMPUTE,
		.memory = MEMORY_MAX,
		.cpu_s = CPU_SECONDS,
	};
	int r;

	if (!l)
		return -ENOMEM;
	l->cage = CAGE_NONE;
	r = cage_start(&l->cage, &cage);
	if (r < 0)
		return r;
	if (fcntl(l->cage.fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	*ret = l;
	l = NULL;
	return 0;
}

struct mirror_list *mirror_list_free(struct mirror_list *l)
{
	if (!l)
		return NULL;
	cage_end(&l->cage);
	free(l);
	return NULL;
}

int mirror_list_fd(const struct mirror_list *l)
{
	return l->cage.fd;
}

/* What it says is looked at once more: it may have been taken over. */
static bool sane(const struct mirror_list_result *r)
{
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

bool mirror_list_dispatch(struct mirror_list *l)
{
	uint8_t *at = (uint8_t *)&l->result;

	while (l->cage.fd >= 0 && l->have < sizeof(l->result)) {
		ssize_t n = read(l->cage.fd, at + l->have, sizeof(l->result) - l->have);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (n <= 0)
			break;
		l->have += (size_t)n;
	}
	cage_end(&l->cage);
	l->good = l->have == sizeof(l->result) && sane(&l->result);
	return true;
}

const struct mirror_list_result *mirror_list_result(const struct mirror_list *l)
{
	return l->good ? &l->result : NULL;
}
