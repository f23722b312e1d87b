/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image-options: what of a command line belongs into an image for one machine. */
#include "parser.h"

/* The rows of options.def that say which root, and how it is mounted. */
static bool is_of_root(const struct option_row *row)
{
	return row->id >= OPTION_ROOT && row->id < OPTION_INIT;
}

#define SPACES " \t\n\v\f\r\xa0" /* the kernel's: see words.c */

/* A quote within a value, or a space within a name, would divide the line differently. */
static bool can_be_written(const struct plan_word *w)
{
	struct slice value = word_value(w);

	return !has_control(value) && slice_find(value, "\"") == value.len &&
		!strpbrk(w->name, "\"" SPACES);
}

static void put_word(FILE *out, const struct plan_word *w)
{
	const char *value = w->value ? w->value : "";
	const char *quote = strpbrk(value, SPACES) ? "\"" : "";

	fprintf(out, "%s%s%s%s%s", w->name, w->value ? "=" : "", quote, value, quote);
}

char *plan_image_options(const struct boot_plan *plan, bool root)
{
	const char *space = "";
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	for (size_t i = 0; i < plan->n_words; i++) {
		const struct plan_word *w = &plan->words[i];

		if (!w->kept || (!root && is_of_root(w->row)) || !can_be_written(w))
			continue;
		fputs(space, out);
		put_word(out, w);
		space = " ";
	}
	if (fclose(out) != 0 || !len) {
		free(text);
		return NULL;
	}
	return text;
}
