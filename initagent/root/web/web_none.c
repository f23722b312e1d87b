// SPDX-License-Identifier: GPL-2.0-or-later
/* web_none: a build without HTTP: such roots are refused before anything begins. */
#include "root/web/web.h"

bool web_available(void)
{
	return false;
}

void web_adopt(const struct env *env, struct web_result *ret)
{
	(void)env;
	(void)ret;
}

int web_new(struct web **ret, const struct env *env, const struct web_config *cfg)
{
	(void)env;
	(void)cfg;
	*ret = NULL;
	return -EOPNOTSUPP;
}

struct web *web_free(struct web *w)
{
	return w;
}

void web_start(struct web *w, uint64_t now)
{
	(void)w;
	(void)now;
}

int web_fd(const struct web *w)
{
	(void)w;
	return -1;
}

uint64_t web_deadline(const struct web *w)
{
	(void)w;
	return NSEC_NEVER;
}

void web_dispatch(struct web *w, uint64_t now)
{
	(void)w;
	(void)now;
}

enum web_event web_pop_event(struct web *w)
{
	(void)w;
	return WEB_EVENT_NONE;
}

const char *web_lookup(const struct web *w)
{
	(void)w;
	return NULL;
}

void web_way_lost(struct web *w, uint64_t now)
{
	(void)w;
	(void)now;
}

void web_resolved(struct web *w, const struct inet_addr *addr, const char *why, uint64_t now)
{
	(void)w;
	(void)addr;
	(void)why;
	(void)now;
}

const char *web_module(const struct web *w)
{
	(void)w;
	return NULL;
}

void web_module_settled(struct web *w, uint64_t now)
{
	(void)w;
	(void)now;
}

void web_describe(const struct web *w, char *buf, size_t size)
{
	(void)w;
	strscpy(buf, "", size);
}

void web_progress(const struct web *w, struct web_progress *ret)
{
	(void)w;
	*ret = (struct web_progress){.step = "", .left = UINT64_MAX};
}

enum cause web_waits_for(const struct web *w)
{
	(void)w;
	return CAUSE_NONE;
}

enum cause web_failure(const struct web *w, const char **ret_text)
{
	(void)w;
	*ret_text = "";
	return CAUSE_NONE;
}

const struct web_result *web_result(const struct web *w)
{
	(void)w;
	return NULL;
}
