/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules: loads kernel modules. It owns libkmod's context, the workers that load, the ledger of
 * what was asked for.
 * In: names, aliases, uevents. Out: the ledger's rows, events of those that changed.
 * Callers: boot/ (drivers.c); rails/ asks for what it finds it needs; state/ reads the ledger.
 * Tests: modules/test_*.c, tests-qemu/nfsrdma.bats.
 *
 * libkmod resolves names, aliases, dependencies, soft dependencies and options here; a small pool
 * of worker processes does the system call, which may block for as long as a driver probes its
 * hardware. It also does the cold plug: drivers of network and RDMA devices by modalias, then by
 * the kernel's uevents, so no udev is needed.
 *
 * Nothing is ever run through a shell: "install" lines of modprobe.d are not executed. "install X
 * /bin/true" and "/bin/false", the usual way to forbid a module, are honoured as a blacklist entry.
 *
 * The room itself reports every change of state, every load as a span and every failure that
 * matters as a cause; its events are for decisions and need no further report.
 */
#pragma once

#include "base/env.h"
#include "base/util.h"
#include "report/causes.h"

#define MODULE_NAME_SIZE 64  /* the kernel's MODULE_NAME_LEN, terminator included */
#define MODULE_TEXT_SIZE 192 /* one line of the kernel's words */

struct modules;

enum module_state {
	MODULE_WAITING, /* for a dependency or for a free worker */
	MODULE_LOADING, /* handed to a worker */
	MODULE_LOADED,	/* loaded by us */
	MODULE_PRESENT, /* live before we asked, or built into the kernel */
	MODULE_FAILED,
	MODULE_BLOCKED, /* blacklisted; counts as failed for everything that needs it */
	MODULE_STATE_MAX,
};

/* module_state_name: "waiting", "loaded" ...; never NULL. */
const char *module_state_name(enum module_state state);

/* The ledger: one row a module or unresolved name, in the order they were first needed. */
struct module_entry {
	char name[MODULE_NAME_SIZE]; /* '-' written as '_', as in /sys/module */
	enum module_state state;
	uint64_t begin, end; /* of the load in the worker, ns; 0 when there was none, or not yet */
	int error;		     /* 0 or negative errno of the load */
	enum cause cause;	     /* CAUSE_NONE unless something is wrong with it */
	char text[MODULE_TEXT_SIZE]; /* the kernel's or our words; may be set on success too */
	bool wanted; /* asked for, or needed by a device; else its failure is no cause */
	bool asked;  /* for by name or alias, or loaded for one that was; not only for a device */
};

struct module_param {
	const char *module, *param;
	const char *value; /* NULL: a flag without value */
	bool fallback;	   /* the agent's own: modprobe.d and the command line win */
};

/*
 * The doors to the outside world, replaced in unit tests. insert runs in the worker: it loads one
 * file with its options and returns 0 or negative errno (-EEXIST counts as success). open_uevent
 * returns a non-blocking datagram fd that delivers kernel uevents, or negative errno.
 */
struct modules_ops {
	int (*insert)(void *data, const char *path, const char *options);
	int (*open_uevent)(void *data);
	void *data;
};

struct modules_config {
	const char *kver;	      /* NULL: the running kernel's */
	unsigned workers;	      /* pool size to start from; 0: by the number of CPUs */
	bool in_process;	      /* no workers: load inside modules_dispatch, blocking */
	bool disks;		      /* disks are wanted as well */
	/* rd.driver.blacklist: the first n_barred win over everything, no alias loads the others */
	const char *const *blacklist;
	size_t n_blacklist, n_barred;
	const struct module_param *params; /* module.param=value of the command line */
	size_t n_params;
	const struct modules_ops *ops; /* NULL: the real ones; borrowed, must outlive the room */
};

/*
 * modules_new: reads modprobe.d and opens the module index of cfg->kver below env's prefix. cfg's
 * strings are copied. A missing index is no error here: every later request then fails with
 * CAUSE_MODULE_NO_INDEX, or where there is no module at all, is taken as built in. Returns 0,
 * -ENOMEM or another negative errno.
 */
int modules_new(struct modules **ret, const struct env *env, const struct modules_config *cfg);

/* modules_free: like modules_stop(), then frees. */
struct modules *modules_free(struct modules *m);
DEFINE_FREEP(struct modules, modules_free)

/*
 * modules_request: queues a module by name or alias ("rdma_rxe", "nfsv4", "crypto-crc32") with all
 * it needs. Asking twice is harmless; asking for one that failed tries again. A module named itself
 * is loaded even if modprobe.d blacklists it, one found by alias is not (as modprobe does). Each
 * request is answered by an event with the module's name, or with the name asked for when it stands
 * for nothing. Loads begin in modules_start(), so that what is asked for together is put in order
 * together. Returns 0 also when the request is known to fail; -EINVAL when the name does not
 * match [A-Za-z0-9_-]{1,63} or begins with '-'; -ENOSPC when the ledger is full; -ESHUTDOWN when
 * stopped.
 */
int modules_request(struct modules *m, const char *name_or_alias, uint64_t now);

/*
 * modules_request_early: the same for what makes or names an interface, or has its place before it:
 * next to the drivers of devices in the queue, before what only the mount needs.
 */
int modules_request_early(struct modules *m, const char *name_or_alias, uint64_t now);

/*
 * modules_request_alias: as early, for what the kernel itself asks for ("crypto-xts(aes)",
 * "pci:v..."); any printable text without '/'. -ENOENT when nothing stands for it: then there is no
 * event.
 */
int modules_request_alias(struct modules *m, const char *alias, uint64_t now);

/*
 * modules_coldplug: queues the drivers of all network and RDMA devices (and of the virtual buses
 * that lead to them) in sysfs, and from then on of those that appear. Once is enough. Returns 0 or,
 * if uevents cannot be received, negative errno; the devices present are served either way.
 */
int modules_coldplug(struct modules *m, uint64_t now);

/* modules_fd: to poll for reading; then call modules_dispatch(), modules_start(). Stays the same
 * for life. */
int modules_fd(const struct modules *m);

/* modules_deadline: call both at this time even without input; NSEC_NEVER: none. */
uint64_t modules_deadline(const struct modules *m);

/* modules_dispatch: takes results and uevents. 0 or -errno. */
int modules_dispatch(struct modules *m, uint64_t now);

/*
 * modules_start: starts what is ready as far as workers are free. What a result leads to is to be
 * asked for before: else its place in the queue comes too late, behind a long load.
 */
void modules_start(struct modules *m, uint64_t now);

enum module_event_type {
	MODULE_EVENT_LOADED, /* the module is there: loaded, or present already */
	MODULE_EVENT_FAILED, /* it will not come: see cause and text */
};

struct module_event {
	enum module_event_type type;
	struct module_entry entry; /* as it was when the event was taken */
};

/* modules_pop_event: takes the next event; false when there is none. */
bool modules_pop_event(struct modules *m, struct module_event *ret);

/*
 * modules_settled: nothing is queued or being loaded. Drivers that probe asynchronously may still
 * make devices appear later, so this is "the queue is empty", never "the hardware is ready".
 */
bool modules_settled(const struct modules *m);

/*
 * modules_device_driver: a driver of a device, or what it needs, that is not loaded yet, one that
 * is being loaded before others; NULL: all are. More may come with the next uevent.
 */
const struct module_entry *modules_device_driver(const struct modules *m);

/* modules_ledger: all rows; valid until the next call that takes a non-const room. */
const struct module_entry *modules_ledger(const struct modules *m, size_t *ret_n);

/* modules_find: the row of a module name ('-' equals '_'), NULL when it was never needed. */
const struct module_entry *modules_find(const struct modules *m, const char *name);

/*
 * modules_stop: closes the workers' pipes; idle ones end at once and are reaped. Returns how many
 * are still inside a load: the kernel does not let that be interrupted; they end by themselves
 * afterwards. Call it before switch-root; no request is taken afterwards.
 */
unsigned modules_stop(struct modules *m);

/* modules_processes: how many worker processes were created so far (for the figures). */
unsigned modules_processes(const struct modules *m);
