/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private: what fetch.c, create.c and processes.c share. */
#pragma once

#include "base/worker.h"
#include "fetch/fetch.h"
#include "fetch/stall_limit.h"
#include "fetch/pieces.h"
#include "report/causes.h"

#define FETCH_NAMES_MAX 4
#define FETCH_TEXT_MAX	(REPLY_TEXT_MAX + 320)

enum fetch_state {
	STATE_IDLE,
	STATE_LOOKUP,
	STATE_READING, /* the verifier reads what is there already */
	STATE_TRANSFER,
	STATE_STOPPING, /* the fetcher was told to end the transfer, or one of the two has ended it
			 */
	STATE_BACKOFF,
	STATE_DONE,
	STATE_STOPPED,
	STATE_MAX,
};

/* A name and its address, as long as the address answers. */
struct known_name {
	char host[URL_HOST_MAX];
	struct inet_addr address;
	unsigned addresses; /* that the name has */
};

struct fetch {
	const struct env *env;
	struct fetch_setup setup;
	uint8_t sha256[SHA256_SIZE];
	bool has_proxy;
	struct url proxy;
	uint64_t stall;
	char *ca;
	char no_ca[160]; /* why there is none */
	int memory;    /* a memfd of ours, or -1 */
	char *content; /* of memory, when done */

	struct mirrors mirrors;
	struct mirror *mirror;
	struct url url; /* the mirror's, or where it redirected to */
	unsigned hops, attempts, deaths, restarts;
	struct known_name names[FETCH_NAMES_MAX];
	size_t next_name;

	/* Both or none. What the first one says is not believed, what the second one says is. */
	struct worker *fetcher, *verifier;
	int epoll; /* of both */
	struct fetch_request request;
	struct fetch_reply
		reply; /* how the fetcher ended the request, if its serial is the request's */
	struct verified end;	/* how the verifier did, likewise */
	struct stall_limit stall_limit;
	bool stalled;  /* why the fetcher was told to stop */
	bool progressed;
	bool joined;   /* the bytes that are there are of more than one answer, or of an earlier
			  attempt */
	bool changed;  /* a source was seen to change its file */

	enum fetch_state state;
	uint64_t deadline, began;
	uint64_t bytes, final, size;
	unsigned events; /* bits of enum fetch_event */
	enum cause cause;
	char text[FETCH_TEXT_MAX];
	char site[URL_TEXT_MAX];
};

/* fetch_start_processes: both, with a pipe between them. 0 or -errno. fetch_end_processes: what is
 * in the file stays. */
int fetch_start_processes(struct fetch *f);
void fetch_end_processes(struct fetch *f);
/* fetch_drop_processes: ends them, and the next ones start the file again. */
void fetch_drop_processes(struct fetch *f);
/* fetch_verifier_end: how it ended, in words that live for ever; NULL: the fetching process was
 * gone first. */
const char *fetch_verifier_end(const struct worker *verifier);
