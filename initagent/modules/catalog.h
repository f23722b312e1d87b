/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog: what is known about the modules of one kernel. It owns libkmod's context with the index
 * made by depmod and modprobe.d, and the command line's blacklist and options. A thin layer over
 * libkmod that adds the prefix, our blacklist rules and option merging. It loads nothing.
 * In: a name or alias. Out: libkmod's modules, whether one may be loaded and is there, its options.
 * Callers: doctor/. Tests: test_modules.c, fuzz_uevent.c.
 */
#pragma once

#include <libkmod.h>

#include "base/env.h"
#include "modules/modules.h"

struct catalog;

/* catalog_new: cfg is copied. 0, -ENOMEM or -errno. */
int catalog_new(struct catalog **ret, const struct env *env, const struct modules_config *cfg);
struct catalog *catalog_free(struct catalog *c);
DEFINE_FREEP(struct catalog, catalog_free)

/* catalog_kmod: libkmod's context, for those who load. Borrowed. */
struct kmod_ctx *catalog_kmod(const struct catalog *c);

/* catalog_kver: the kernel version the catalog is for. */
const char *catalog_kver(const struct catalog *c);

/* catalog_bare: without an index: why every module is taken as built in, in words; or NULL. */
const char *catalog_bare(const struct catalog *c);

enum catalog_answer {
	CATALOG_FOUND,	  /* list holds at least one module */
	CATALOG_MISSING,  /* nothing of that name or alias */
	CATALOG_NO_INDEX, /* a kernel that loads modules has no module index here at all */
	CATALOG_BARRED,	  /* found by alias, but modprobe.d blacklists every candidate */
};

/* catalog_allows: does modprobe.d's blacklist leave any of the list? */
bool catalog_allows(const struct catalog *c, const struct kmod_list *list);

/*
 * catalog_lookup: a name or alias -> modules; the list is the caller's (kmod_module_unref_list).
 * modprobe.d's blacklist is applied to candidates found by alias only.
 */
enum catalog_answer catalog_lookup(
	const struct catalog *c, const char *name, struct kmod_list **ret);

/* catalog_no_alias: the blacklist keeps aliases from loading it, its own name does. */
bool catalog_no_alias(const struct catalog *c, const struct kmod_module *mod);

/* catalog_forbids: why this module must not be loaded, in words; NULL when it may. */
const char *catalog_forbids(const struct catalog *c, const struct kmod_module *mod);

/* catalog_present: the module is live or built into the kernel. */
bool catalog_present(const struct catalog *c, const struct kmod_module *mod);

/* catalog_live: the same for a bare name, without the index; as catalog_bare(). */
bool catalog_live(const struct catalog *c, const char *name);

/*
 * catalog_options: modprobe.d's options and then the command line's, each once. 0, or -E2BIG when
 * they do not fit, -EINVAL when one holds a quotation mark or is no option at all (it cannot be
 * passed on).
 */
int catalog_options(const struct catalog *c, const struct kmod_module *mod, char *buf, size_t size);

/* catalog_same_name: module names compared with '-' equal to '_'. */
bool catalog_same_name(const char *a, const char *b);

/* catalog_plain_name: copies a valid name with '-' written as '_'; -EINVAL when it is none (R2). */
int catalog_plain_name(char dst[static MODULE_NAME_SIZE], const char *name);

/*
 * catalog_valid_alias: whether text may be looked up as an alias: printable ASCII without blank or
 * '/', at most CATALOG_ALIAS_MAX bytes. Wider than a name, because modaliases hold ':' and '='.
 */
#define CATALOG_ALIAS_MAX 255
bool catalog_valid_alias(const char *text);

/*
 * catalog_lost_need: the first dependency of module name whose file is not there, as the path in
 * the index. libkmod then gives no dependencies at all, so the module is tried without and the
 * kernel says "Unknown symbol", which sounds like a wrong build: to be asked after such a failure.
 * Returns 1 with ret filled, 0 when all are there, or -errno.
 */
int catalog_lost_need(const struct catalog *c, const char *name, char *ret, size_t size);
