/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line: the kernel command line of a node or a group, and for each of its words where the site file
 * says it.
 */
#pragma once

#include "site/site.h"
#include "site/text.h"

/* x86 kernels take COMMAND_LINE_SIZE 2048 with the terminator. */
#define LINE_MAX_BYTES 2047

struct line_word {
	size_t pos;
	struct place at;
	const void *owner; /* what of the site file it is of; NULL: the tool added it */
};

/* Zero-initialise; line_done() at the end. */
struct line {
	struct text text;
	struct line_word *words;
	size_t n, cap;
};

void line_done(struct line *l);
void line_clear(struct line *l);

/* line_place: where the site file has the word at this offset; line 0: the tool added it. */
struct place line_place(const struct line *l, size_t pos);

/* line_same_owner: are the words at both offsets of one profile or image, or of the tool? */
bool line_same_owner(const struct line *l, size_t a, size_t b);

/* line_has: is there a word of this name ("hostname"), with or without value? */
bool line_has(const struct line *l, const char *name);

/* profile_image: the image of a node or a group (the other NULL); NULL if there is none. */
const struct site_image *profile_image(
	const struct site *s, const struct site_node *n, const struct site_group *g);

/* group_boots: are image and root of the group known, so that a node may boot as one of it? */
bool group_boots(const struct site *s, const struct site_group *g);

/* line_add_profile: the words of the site file: root=, options of defaults, image, groups, node. */
void line_add_profile(struct line *l, const struct site *s, const struct site_node *n,
	const struct site_group *g);

/*
 * line_put_request: what a script adds to the line so that the agent asks for the lease that iPXE
 * has. Nothing where the site file has an ip= or a word of its own. t may be the line's text.
 */
void line_put_request(struct text *t, const struct line *l, const char *address);

/*
 * line_add_port: what the tool adds so that the agent goes on where iPXE was, through this port:
 * hostname=, rd.ib.client-id=, BOOTIF=, each unless the site file has one.
 */
void line_add_port(
	struct line *l, const struct site *s, const struct site_node *n, const struct site_port *p);
