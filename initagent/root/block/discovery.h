/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * discovery: what an NVMe discovery service says of the subsystems it knows: its log page, and
 * which of its records is meant. The page comes from the network: it is read by a process without
 * rights.
 */
#pragma once

#include "base/util.h"
#include "value.h"

/* a head and the records, of 1 KiB each */
#define DISCOVERY_RECORDS_MAX 1023
#define DISCOVERY_PAGE_MAX    (1024 * (1 + DISCOVERY_RECORDS_MAX))
#define DISCOVERY_TEXT_MAX 300

enum discovery_how {
	DISCOVERY_FOUND,
	DISCOVERY_NONE,	   /* no record fits; text says which there are */
	DISCOVERY_SEVERAL, /* more than one subsystem, and none was named */
	DISCOVERY_SECURE,  /* only with TLS */
	DISCOVERY_BAD,	   /* no log page */
	DISCOVERY_MAX,
};

/* What is looked for. Strings are borrowed. */
struct discovery_want {
	const char *nqn;     /* NULL: the only one */
	const char *address; /* preferred, if it is among several */
	bool rdma;	     /* else TCP */
	unsigned turn;	     /* which of those that fit, from 1; none: the preferred one */
};

/* Of fixed size: what that process says. */
struct discovery {
	int32_t how; /* enum discovery_how */
	uint32_t fits; /* so many records were like the one that is wanted */
	uint32_t port;
	char address[64];
	char nqn[NQN_SIZE];
	char text[DISCOVERY_TEXT_MAX];
};

/* discovery_judge: the record of a page (len bytes) that is wanted. Pure. */
void discovery_judge(const void *page, size_t len, const struct discovery_want *want,
	struct discovery *ret);

/* discovery_judge_apart: the same by a process without rights. */
void discovery_judge_apart(const void *page, size_t len, const struct discovery_want *want,
	struct discovery *ret);

/*
 * discovery_read: the log page of a controller ("nvme0"'s device node, open). Returns its length or
 * -errno; -EAGAIN: it changed meanwhile.
 */
int discovery_read(int controller, uint8_t page[static DISCOVERY_PAGE_MAX]);
