/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot: the plan runner. It alone knows the order: modules -> ports -> netdevs -> addresses -> root
 * -> hand-over. It owns drivers, rails, target, outbox; the budgets.
 * In: the kernel command line. Out: the mounted root, state.json, an outcome.
 * Callers: main.c, pid1.c. Tests: boot/test_*.c with tests/boot/node.c, tests-qemu/nfsrdma.bats and
 * most others there.
 *
 * It does not know who started it: own /init, a systemd service or a dracut hook.
 */
#pragma once

#include "base/util.h"

/* How the boot ended; also the exit status of "initagent boot". */
enum boot_outcome {
	BOOT_DONE = 0,	    /* the root is mounted and the state written */
	BOOT_FAILED = 1,    /* the cause was printed; the caller applies its own policy */
	BOOT_NOT_OURS = 3,  /* root= names nothing the agent handles, and no network is asked */
};

#define BOOT_INIT_MAX 256

struct modules_ops;
struct root_ops;

/* Doors to the kernel that tests replace; all NULL in the product. */
struct boot_seams {
	const char *kver; /* release whose modules are used */
	const struct modules_ops *modules;
	const struct root_ops *root;
};

struct boot_args {
	const char *prefix;   /* "" or a fixture tree */
	const char *sysroot;  /* mount point of the root, "/sysroot" */
	/* our own /init: apply rd.break; process 1 applies the emergency policy */
	bool standalone;
	bool notify;	      /* speak sd_notify */
	bool net_conf;	      /* write /run/net-IF.conf for the scripts of initramfs-tools */
	int console_fd, journal_fd; /* as in report_config */
	char *ret_init;	      /* BOOT_INIT_MAX bytes for the init found in the root, or NULL */
	/* with it: a pipe, written to when all is written down and given back; or -1 */
	int words_fd;
	struct boot_seams seams;
};

/*
 * boot_main: runs the plan of the kernel command line to its end. Never exits the process; but
 * after words_fd was written to, its memory, sockets and idle workers are left to the end of the
 * process, which the caller owes.
 */
enum boot_outcome boot_main(const struct boot_args *args);

struct boot_plan;

/* boot_claims: is this plan's root one that the agent brings up itself? Pure. */
bool boot_claims(const struct boot_plan *plan);
