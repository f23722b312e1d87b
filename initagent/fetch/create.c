// SPDX-License-Identifier: GPL-2.0-or-later
/* create: how a fetch is made from its configuration, and how it ends; see fetch.h. */
#include "fetch/private.h"

#include <sys/epoll.h>
#include <sys/mman.h>

#define CA_MAX (512 * 1024)

static bool chunks_usable(const struct fetch_config *c)
{
	if (!c->chunk_size)
		return true;
	if (!c->size || !c->chunks)
		return false;
	return c->n_chunks == c->size / c->chunk_size + (c->size % c->chunk_size != 0);
}

/* The whole PEM file; the process that fetches can open none. Plain http does without. */
static int read_ca(struct fetch *f, const char *path)
{
	int len;

	f->ca = malloc(CA_MAX);
	if (!f->ca)
		return -ENOMEM;
	len = env_read(f->env, f->ca, CA_MAX, "%s", path);
	if (len == CA_MAX - 1)
		len = -EFBIG;
	if (len < 0) {
		snprintf(f->no_ca, sizeof(f->no_ca), "%.100s: %s", path, strerror(-len));
		return 0;
	}
	f->setup.ca = f->ca;
	f->setup.ca_len = (size_t)len;
	return 0;
}

static int open_memory(struct fetch *f, const struct fetch_config *c)
{
	f->memory = memfd_create("fetch", MFD_CLOEXEC);
	if (f->memory < 0)
		return -errno;
	f->setup.file = f->memory;
	if (!c->limit || c->limit > FETCH_MEMORY_MAX)
		f->setup.want.limit = FETCH_MEMORY_MAX;
	return 0;
}

static int set_up(struct fetch *f, const struct fetch_config *c)
{
	f->setup = (struct fetch_setup){
		.want = {.size = c->size,
			.limit = c->limit,
			.chunk_size = c->chunk_size,
			.chunks = c->chunks,
			.n_chunks = c->n_chunks},
		.file = c->sink,
		.have = c->sink < 0 ? 0 : c->have,
		.any_certificate = c->any_certificate,
		.privileged = c->privileged,
		.clock_floor = c->clock_floor,
		.link = c->link,
	};
	f->stall = c->stall;
	f->size = c->size;
	if (c->sha256) {
		memcpy(f->sha256, c->sha256, sizeof(f->sha256));
		f->setup.want.sha256 = f->sha256;
	}
	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	return f->epoll < 0 ? -errno : c->sink < 0 ? open_memory(f, c) : 0;
}

static int set_addresses(struct fetch *f, const struct fetch_config *c, const char **ret_bad)
{
	int e = mirrors_set(&f->mirrors, c->urls, c->n_urls, c->node, ret_bad);
	char text[URL_HOST_MAX + 32];

	if (e < 0)
		return -EINVAL;
	f->has_proxy = c->proxy && *c->proxy;
	if (!f->has_proxy)
		return 0;
	*ret_bad = c->proxy;
	snprintf(text, sizeof(text), "%s%.*s", strstr(c->proxy, "://") ? "" : "http://",
		URL_HOST_MAX + 16, c->proxy);
	e = url_parse(&f->proxy, text, strlen(text));
	return e < 0 || f->proxy.https ? -EINVAL : 0;
}

int fetch_new(struct fetch **ret, const struct env *env, const struct fetch_config *cfg,
	const char **ret_bad)
{
	_cleanup_(fetch_freep) struct fetch *f = calloc(1, sizeof(*f));
	int e;

	*ret_bad = "";
	if (!f)
		return -ENOMEM;
	f->env = env;
	f->memory = f->epoll = -1;
	f->deadline = NSEC_NEVER;
	e = set_addresses(f, cfg, ret_bad);
	if (e == 0 && !chunks_usable(cfg)) {
		*ret_bad = "chunks";
		e = -EINVAL;
	}
	e = e ? e : set_up(f, cfg);
	e = e || !cfg->ca || !*cfg->ca ? e : read_ca(f, cfg->ca);
	if (e < 0)
		return e;
	*ret = f;
	f = NULL;
	return 0;
}

struct fetch *fetch_free(struct fetch *f)
{
	if (!f)
		return NULL;
	worker_free(f->fetcher);
	worker_free(f->verifier);
	closep(&f->epoll);
	closep(&f->memory);
	free(f->content);
	free(f->ca);
	free(f);
	return NULL;
}
