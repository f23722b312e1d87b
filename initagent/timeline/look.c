// SPDX-License-Identifier: GPL-2.0-or-later
#include "look.h"

static const struct {
	const char *class, *legend;
} looks[LOOK_MAX] = {
	[LOOK_MODULES] = {"p-modules", "modules"},
	[LOOK_LINK] = {"p-link", "link"},
	[LOOK_ADDRESS] = {"p-address", "address"},
	[LOOK_PORT] = {"p-port", "port"},
	[LOOK_FETCH] = {"p-fetch", "fetch, connect"},
	[LOOK_MOUNT] = {"p-mount", "mount"},
	[LOOK_OTHER] = {"p-other", "between"},
	[LOOK_GOOD] = {"s-good", "ready"},
	[LOOK_WAIT] = {"s-wait", "under way"},
	[LOOK_BAD] = {"s-bad", "trouble"},
	[LOOK_IDLE] = {"s-idle", "not there yet"},
};

static const struct row {
	const char *name;
	enum look look;
} phases[] = {
	{"modules", LOOK_MODULES}, {"link", LOOK_LINK}, {"address", LOOK_ADDRESS},
		{"port", LOOK_PORT},
	{"fetch", LOOK_FETCH}, {"connect", LOOK_FETCH}, {"mount", LOOK_MOUNT},
};

/* States of all rooms that are not just "under way". */
static const struct row states[] = {
	{"ACTIVE", LOOK_GOOD}, {"alive", LOOK_GOOD}, {"carrier", LOOK_GOOD},
		{"configured", LOOK_GOOD},
	{"IPv6: configured", LOOK_GOOD}, {"ready", LOOK_GOOD}, {"near", LOOK_GOOD},
		{"mounted", LOOK_GOOD},
	{"done", LOOK_GOOD}, {"loaded", LOOK_GOOD}, {"device", LOOK_GOOD},
	{"absent", LOOK_IDLE}, {"unknown", LOOK_IDLE}, {"idle", LOOK_IDLE}, {"spare", LOOK_IDLE},
	{"waiting", LOOK_IDLE}, {"IPv6: no carrier", LOOK_IDLE},
	{"DOWN", LOOK_BAD}, {"lost", LOOK_BAD}, {"failed", LOOK_BAD}, {"backing off", LOOK_BAD},
	{"backoff", LOOK_BAD}, {"silent", LOOK_BAD}, {"dead", LOOK_BAD}, {"refused", LOOK_BAD},
};

static enum look find(const struct row *rows, size_t n, const char *name, enum look other)
{
	for (size_t i = 0; i < n; i++)
		if (streq(rows[i].name, name))
			return rows[i].look;
	return other;
}

const char *look_class(enum look look)
{
	return looks[look].class;
}

const char *look_legend(enum look look)
{
	return looks[look].legend;
}

enum look look_of_phase(const char *name)
{
	return find(phases, ARRAY_SIZE(phases), name, LOOK_OTHER);
}

enum look look_of_state(const char *state)
{
	return find(states, ARRAY_SIZE(states), state, LOOK_WAIT);
}
