/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query: what "mstconfig query" (or mlxconfig) prints, read back. Layouts: the value of the next
 * boot alone, or with the columns Default, Current, Next Boot (-e), old releases with one column
 * "Current", and the JSON of newer ones (-j); one or several devices.
 */
#pragma once

#include "base/util.h"

#define QUERY_ITEMS_MAX	  1024
#define QUERY_DEVICES_MAX 16
#define QUERY_SIZE_MAX	  ((size_t)4 << 20)

enum query_column { QUERY_DEFAULT, QUERY_CURRENT, QUERY_NEXT, QUERY_COLUMNS };

struct query_value {
	bool known; /* the column is there and holds a number */
	uint32_t number;
};

struct query_item {
	char name[64];
	size_t device; /* index */
	bool read_only;
	struct query_value value[QUERY_COLUMNS];
};

struct query_device {
	char name[128]; /* "3b:00.0" or "/dev/mst/..."; "" when the text does not say */
	char type[64];	/* "ConnectX6" */
};

struct query {
	struct query_device devices[QUERY_DEVICES_MAX];
	size_t n_devices;
	struct query_item items[QUERY_ITEMS_MAX];
	size_t n_items;
	size_t line; /* of the fault, 0: none of a line */
	char fault[128];
};

/* query_read: returns 0, or -EBADMSG with fault and line set. */
int query_read(struct query *q, const char *text, size_t size);

/* query_find: the item of that name (case matters not) of a device, or NULL. */
const struct query_item *query_find(const struct query *q, size_t device, const char *name);

/* query_value_read: "True(1)", "IB(1)", "32769", "0x8001"; anything else is no number. */
void query_value_read(struct query_value *v, const char *text);
