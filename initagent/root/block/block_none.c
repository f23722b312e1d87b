// SPDX-License-Identifier: GPL-2.0-or-later
/* block_none: a build without block roots: they are left to dracut, or refused before anything begins. */
#include "root/block/block.h"

bool block_available(void)
{
	return false;
}

int block_new(struct block **ret, const struct env *env, const struct block_config *cfg)
{
	(void)env;
	(void)cfg;
	*ret = NULL;
	return -EOPNOTSUPP;
}

struct block *block_free(struct block *b)
{
	return b;
}

int block_start(struct block *b, uint64_t now)
{
	(void)b;
	(void)now;
	return -EOPNOTSUPP;
}

int block_fd(const struct block *b)
{
	(void)b;
	return -1;
}

uint64_t block_deadline(const struct block *b)
{
	(void)b;
	return NSEC_NEVER;
}

void block_dispatch(struct block *b, uint64_t now)
{
	(void)b;
	(void)now;
}

enum block_event block_pop_event(struct block *b)
{
	(void)b;
	return BLOCK_EVENT_NONE;
}

const char *block_module(const struct block *b)
{
	(void)b;
	return NULL;
}

void block_module_settled(struct block *b, uint64_t now)
{
	(void)b;
	(void)now;
}

void block_describe(const struct block *b, char *buf, size_t size)
{
	(void)b;
	strscpy(buf, "", size);
}

enum cause block_waits_for(const struct block *b)
{
	(void)b;
	return CAUSE_NONE;
}

enum cause block_failure(const struct block *b, const char **ret_text)
{
	(void)b;
	*ret_text = "";
	return CAUSE_NONE;
}

unsigned block_next(const struct block *b)
{
	(void)b;
	return 0;
}

unsigned block_rounds(const struct block *b)
{
	(void)b;
	return 0;
}

uint64_t block_connected(const struct block *b)
{
	(void)b;
	return 0;
}

const struct block_result *block_result(const struct block *b)
{
	(void)b;
	return NULL;
}

int block_adopt(const struct env *env, const char *target, const char *init, struct block_result *ret)
{
	(void)env;
	(void)target;
	(void)init;
	(void)ret;
	return 0;
}

void block_drop(const struct env *env, const char *target)
{
	(void)env;
	(void)target;
}

uint16_t block_port(const struct plan_block *plan, const struct plan_portal *portal)
{
	(void)plan;
	return portal ? portal->port : 0;
}
