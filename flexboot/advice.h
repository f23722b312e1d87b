/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice: the settings wanted against the settings an adapter has. */
#pragma once

#include "flexboot/query.h"
#include "flexboot/setting.h"

enum verdict {
	VERDICT_RIGHT,
	VERDICT_WAITS,	   /* set, but the adapter still runs with another value */
	VERDICT_DIFFERS,   /* to be set */
	VERDICT_READ_ONLY, /* differs and cannot be set */
	VERDICT_ABSENT,	   /* this adapter or its firmware has no such setting */
	VERDICT_UNREADABLE, /* it is listed, without a number */
	VERDICT_MAX,
};

struct advice {
	const struct setting *want;
	const char *name; /* as this adapter calls it */
	enum verdict verdict;
	uint32_t now; /* of the next boot, when known */
};

extern const char *const verdict_names[VERDICT_MAX];

/* advise: one row for each of the n settings wanted; device is an index into q. */
void advise(const struct query *q, size_t device, const struct setting *want, size_t n,
	struct advice *ret);

/* advice_good: nothing to do: all right, or absent where that is how adapters differ. */
bool advice_good(const struct advice *rows, size_t n);

/* A placeholder for the device in printed commands. */
#define ADVICE_DEVICE "DEVICE"

/* advice_print, advice_json: the rows with reasons, then the commands that correct them. */
void advice_print(
	const char *device, const char *type, const struct advice *rows, size_t n, FILE *out);
int advice_json(const char *device, const struct advice *rows, size_t n, FILE *out);

/* setting_print: the settings wanted as commands with their reasons. */
void setting_print(const char *device, const struct setting *list, size_t n, FILE *out);
int setting_json(const struct setting *list, size_t n, FILE *out);
