/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stanza: xCAT's stanza format as a tree like that of a document: a map of "NAME:" to a map of
 * "ATTRIBUTE=VALUE" lines. Pure. Tests: test_import.c, fuzz_stanza.c.
 */
#pragma once

#include "site/document.h"

/* stanza_parse: text[0..len) into values that live in arena; NULL (reported) if it is not valid. */
const struct value *stanza_parse(
	struct arena *arena, const char *text, size_t len, struct faults *report);
