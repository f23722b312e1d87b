/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spelling: names compared letter by letter. */
#include "options.h"

/* The kernel compares parameter names so: '-' and '_' are the same. */
char option_dash(char c)
{
	return c == '-' ? '_' : c;
}

/* For suggestions small and capital letters are the same as well. */
char option_fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : option_dash(c);
}

/* Longest name the suggestion looks at; the longest in the table has 24 letters. */
#define SUGGEST_MAX 32

/*
 * Optimal string alignment: insertions, deletions, changes and swaps of neighbours. Three rows
 * of the usual table are kept.
 */
size_t option_distance(const char *a, size_t n, const char *b)
{
	size_t table[3][SUGGEST_MAX + 1], *two = table[0], *one = table[1], *row = table[2];
	size_t i, j, m = strlen(b);

	if (n > SUGGEST_MAX || m > SUGGEST_MAX)
		return SUGGEST_MAX;
	for (j = 0; j <= m; j++)
		two[j] = one[j] = j;
	for (i = 1; i <= n; i++) {
		size_t *spare = two;

		row[0] = i;
		for (j = 1; j <= m; j++) {
			row[j] = one[j - 1] + (option_fold(a[i - 1]) != option_fold(b[j - 1]));
			row[j] = min_u64(row[j], min_u64(one[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && option_fold(a[i - 1]) == option_fold(b[j - 2]) &&
				option_fold(a[i - 2]) == option_fold(b[j - 1]))
				row[j] = min_u64(row[j], two[j - 2] + 1);
		}
		two = one;
		one = row;
		row = spare;
	}
	return one[m];
}
