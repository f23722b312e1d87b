/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * init_check: is there an init in the mounted root that the kernel can execute? Owns nothing;
 * program.c judges the bytes, the process of init_check_limited() ends with it.
 * In: the root's path, the wanted init. Out: the path of a usable one, or why there is none.
 * Callers: boot/, root/block/, root/image/, root/nfs/, before they say that theirs is mounted, and
 * when they adopt one. Tests: test_init_check.c, fuzz_program.c.
 */
#pragma once

#include "base/util.h"

/*
 * init_check: looks below root for the wanted init (NULL: the first usable one of /sbin/init,
 * /etc/init, /bin/init and systemd), symlinks resolved inside the root. Usable is a regular
 * executable file that is an ELF program of this machine, or a script, as is each interpreter it
 * names; all of them are read to the end, so that a damaged block shows here and not in process 1.
 * The kernel's last resort, /bin/sh, is taken only where it is the wanted one: a root without init
 * must not end in a root shell.
 *
 * What only a handler of binfmt_misc could execute is refused: handlers are registered by the real
 * root's system, after init.
 *
 * Writes init's path to ret[size], or, when it fails, why: "/sbin/init: interpreter /bin/sh: No
 * such file or directory". Returns 0, -ENOENT, -EACCES (not executable), -ENOEXEC (no program for
 * this machine) or -errno. Reads the root: it may take as long as the root's server likes.
 */
int init_check(const char *root, const char *wanted, char *ret, size_t size);

/* init_check_told: the same; reading() is called before each file that was opened is read. */
int init_check_told(const char *root, const char *wanted, char *ret, size_t size,
	void (*reading)(void));

/* The most that init_check_limited() writes. */
#define INIT_CHECK_MAX 256

/*
 * init_check_limited: the same by a process of its own, for who may not wait without end: a root
 * that an earlier agent mounted may have lost its server. -ETIMEDOUT after limit_ms.
 */
int init_check_limited(const char *root, const char *wanted, char ret[static INIT_CHECK_MAX],
	int limit_ms);

/* How long an adopted root may take: as a mount's attempt. */
#define INIT_CHECK_LIMIT_MS 16000
