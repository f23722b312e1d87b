/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: what the sections of a site file have in common. Internal. */
#pragma once

#include "site/fields.h"

#define PROFILE_FIELDS(type, member)                                 \
	FIELD("image", take_reference, type, member.image),          \
	FIELD("root", take_text, type, member.root),                 \
	FIELD("options", take_words, type, member.options)

/* take_named: a zeroed array with a member for each entry of a map; NULL (said) if v is no map. */
void *take_named(struct loader *l, const struct value *v, size_t size, size_t *ret_n);

/* The section "nodes" (nodes.c). */
void take_nodes(struct loader *l, const struct value *v, void *member);

/* read_octets: n octets that may be separated as people and tools do: b8:ce:.., b8-ce-.., b8ce:f603:.., 0xb8ce... */
bool read_octets(const char *s, uint8_t *bytes, size_t n);
