/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirror_list: the file "mirrors" beside an image: one URL a line, of the same thing on another
 * server, or of a folder there that holds it under the same name (with a '/' at its end). Empty
 * lines and those that begin with '#' mean nothing. It is read in a process without rights.
 */
#pragma once

#include "plan.h"
#include "root/web/urls.h"

#define MIRROR_LIST_TEXT_MAX (64 * 1024)

/* What was found; fixed size, goes over a pipe. */
struct mirror_list_result {
	uint32_t n;	/* URLs taken */
	uint32_t left;	/* more than URLS_MAX: those this node asks last were left out */
	uint32_t bad;	/* lines that are no URL, or lead out of https */
	char urls[URLS_MAX][PLAN_URL_MAX + 1];
};

/*
 * mirror_list_parse: base: the URL as configured. From https only https is taken. node: whose order
 * of mirrors decides when there are too many. Pure; the rest of this file does it elsewhere.
 */
void mirror_list_parse(const char *text, size_t len, const char *base, uint64_t node,
	struct mirror_list_result *ret);

struct mirror_list;

/* mirror_list_new: starts the process, which has a copy of text and base. 0 or -errno. */
int mirror_list_new(struct mirror_list **ret, const char *text, size_t len, const char *base,
	uint64_t node);
struct mirror_list *mirror_list_free(struct mirror_list *l);
DEFINE_FREEP(struct mirror_list, mirror_list_free)

int mirror_list_fd(const struct mirror_list *l);
/* mirror_list_dispatch: true: it has ended. mirror_list_result: then what it found; NULL: it
 * died. */
bool mirror_list_dispatch(struct mirror_list *l);
const struct mirror_list_result *mirror_list_result(const struct mirror_list *l);
