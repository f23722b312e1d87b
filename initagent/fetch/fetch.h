/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fetch: one file from web servers (HTTP, HTTPS) into an open file or memory. It owns the transfer
 * with its retries and mirrors, and two processes: one speaks HTTP and is trusted in nothing; its
 * bytes go through a pipe to the other one, without the network, which alone writes the file and
 * computes the digests.
 * In: URLs, size, digests; addresses of FETCH_EVENT_LOOKUP. Out: the file, DONE only when it is the
 * one asked for; or a cause.
 * Callers: root/web/, root/wwinit/. Tests: test_*.c here, tests/fetch.bats, tests-qemu/web.bats.
 *
 * Between rounds it waits up to 1 s, doubling to 10 s, drawn at random; as a server's Retry-After
 * says, two minutes at most.
 */
#pragma once

#include "base/env.h"
#include "fetch/mirrors.h"
#include "base/sha256.h"
#include "report/causes.h"

#define FETCH_MEMORY_MAX (1024 * 1024) /* manifests, signatures, lists of mirrors */

struct fetch;

enum fetch_event {
	FETCH_EVENT_NONE,
	FETCH_EVENT_LOOKUP, /* find an address for fetch_lookup() and call fetch_resolved() */
	FETCH_EVENT_SIZE,   /* fetch_progress() knows the file's size: an answer is taken */
	FETCH_EVENT_RETRY,  /* an attempt failed, fetch_failure() says how; it goes on by itself */
	FETCH_EVENT_DONE,   /* all bytes are there, and the right ones */
	FETCH_EVENT_FATAL,  /* trying again cannot help; it stays stopped */
	FETCH_EVENT_MAX,
};

struct fetch_config {
	const char *const *urls;  /* mirrors, in any order; 1 to MIRRORS_MAX */
	size_t n_urls;
	/*
	 * Where to write: a regular file, from its beginning (it is cut to nothing when the
	 * transfer starts again). -1: into memory, see fetch_memory(); limit is at most
	 * FETCH_MEMORY_MAX then. The descriptor stays the caller's and is used until fetch_free().
	 */
	int sink;
	/*
	 * So many bytes at the file's beginning are there from an earlier attempt, by an agent that
	 * is gone. They are built upon only as far as digests can prove them; 0: none.
	 */
	uint64_t have;
	uint64_t size;		  /* 0: not known beforehand */
	uint64_t limit;		  /* refuse more bytes than this; 0: no limit */
	const uint8_t *sha256;	  /* SHA256_SIZE bytes, copied; NULL: not known */
	/*
	 * Digests of the file's chunks, all of chunk_size but the last; 0: none. Needs size.
	 * Borrowed until fetch_free(). With sha256 given too, both are checked: leave it out if
	 * both come from the same source.
	 */
	uint64_t chunk_size;
	const uint8_t (*chunks)[SHA256_SIZE];
	size_t n_chunks;
	/*
	 * For https: a PEM file below env's prefix with the certificates trusted. NULL, or not
	 * readable: none is, and every server is refused. any_certificate: none is looked at; only
	 * for a file whose content is proven otherwise.
	 */
	const char *ca;
	bool any_certificate;
	const char *proxy;	  /* [http://]HOST:PORT or NULL */
	uint64_t node;		  /* port GUID or the like: decides the order of the mirrors */
	int64_t clock_floor;	  /* Unix time of the build; 0: the clock is believed */
	/*
	 * What the way to the servers can carry, bits a second; 0: unknown. More than one
	 * connection is tried only while the first one stays clearly below it.
	 */
	uint64_t link;
	/*
	 * The server gives the file only to a port below 1024, as proof that root asks: from one of
	 * these, and after no redirect to another server.
	 */
	bool privileged;
	uint64_t stall; /* ns without enough bytes until a transfer counts as stalled; 0: 15 s */
};

/* How far it is. Strings are valid until the next dispatch. */
struct fetch_progress {
	uint64_t bytes, size;	/* there, of all; size 0: not known */
	/*
	 * The file's bytes before are not read or written again, unless it starts again: their
	 * memory may be given back. With chunks, they were found right; without, only the end tells
	 * whether they are.
	 */
	uint64_t free_to;
	uint64_t rate;		/* bytes a second, lately */
	bool digest_slow;	/* which the digest limits, not the network */
	uint64_t eta;		/* seconds left at that rate; UINT64_MAX: unknown */
	const char *site; /* "http://10.0.0.1:8080", the mirror at hand; "" before the first */
	unsigned attempts;
	unsigned restarts; /* how often the file was started again: what was read of it before
				counts no more */
	bool changed;	   /* a source was seen to change its file: one of these had other bytes */
};

/*
 * fetch_new: takes a copy of the configuration, except where it says "borrowed"; nothing is
 * started. 0, -EINVAL (a URL or a set of digests that cannot be used; *ret_bad then names it),
 * -ENOMEM, or -errno of the sink.
 */
int fetch_new(struct fetch **ret, const struct env *env, const struct fetch_config *cfg,
	const char **ret_bad);

/* fetch_free: a transfer at hand is ended. What is in the sink stays there. */
struct fetch *fetch_free(struct fetch *f);
DEFINE_FREEP(struct fetch, fetch_free)

/* fetch_start: begins. 0 or -errno. */
int fetch_start(struct fetch *f, uint64_t now);

/* Readable when fetch_dispatch() has something to do; the same until fetch_free(). */
int fetch_fd(const struct fetch *f);
uint64_t fetch_deadline(const struct fetch *f);
void fetch_dispatch(struct fetch *f, uint64_t now);
enum fetch_event fetch_pop_event(struct fetch *f);

/* fetch_lookup: the name to be looked up, or NULL. */
const char *fetch_lookup(const struct fetch *f);
/*
 * fetch_resolved: the address of fetch_lookup(), one of so many addresses, or NULL: there is none,
 * why tells more ("" if nothing). Not answering at all counts as that after ten seconds. It is
 * asked for again after an attempt that failed, and may be another one then.
 */
void fetch_resolved(struct fetch *f, const struct inet_addr *addr, unsigned addresses,
	const char *why, uint64_t now);

/*
 * fetch_way_lost: the interface under the connection is of no use any more, another has its turn:
 * the attempt counts as stalled, unless bytes come, and a pause between two attempts ends.
 */
void fetch_way_lost(struct fetch *f, uint64_t now);

void fetch_progress(const struct fetch *f, struct fetch_progress *ret);

/* fetch_failure: cause and words of the last failed attempt, valid until the next dispatch. */
enum cause fetch_failure(const struct fetch *f, const char **ret_text);

/* fetch_memory: the bytes, terminated by a zero not counted in *ret_len, after FETCH_EVENT_DONE;
 * owned by f. */
const char *fetch_memory(const struct fetch *f, size_t *ret_len);

/* fetch_child: the process that fetches, -1: none; for tests. */
pid_t fetch_child(const struct fetch *f);
