/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modprobe: what the kernel does when it asks for a module itself (request_module): it runs the
 * program in /proc/sys/kernel/modprobe. It owns that setting and /run/modprobe.d/initagent.conf.
 * In: the plan's blacklist; names or aliases, as "modprobe" is called. Out: the setting, with what
 * to put back; modules loaded in this process.
 * Callers: boot/, doctor/, main.c, state/. Tests: test_modprobe.c, tests-qemu/rooms.bats.
 *
 * Decision: the image carries /sbin/modprobe as another name of the agent, so the kernel's default
 * keeps working before and after switch-root and nothing is changed. Only if that program is not
 * there the path is emptied, which makes request_module fail at once instead of creating a process
 * that cannot start; process 1 puts it back before switch-root.
 */
#pragma once

#include "base/env.h"

#define MODPROBE_HELPER_SIZE 256 /* KMOD_PATH_LEN in the kernel: longer values are cut there */

/*
 * modules_set_modprobe_helper: writes path ("" = none) to /proc/sys/kernel/modprobe. If old is not
 * NULL the former value is stored there. path must be absolute or empty. Returns 0 or -errno.
 */
int modules_set_modprobe_helper(const struct env *env, const char *path, char *old, size_t size);

/*
 * modules_check_modprobe_helper: applies the decision above. Returns 1 when the path was emptied
 * (old then holds what to put back), 0 when it was left alone, -errno on failure.
 */
int modules_check_modprobe_helper(const struct env *env, char *old, size_t size);

/*
 * modules_publish_blacklist: writes the names as "blacklist NAME" to
 * /run/modprobe.d/initagent.conf, so that alias requests of the kernel's own helper, and of udev,
 * obey rd.driver.blacklist too. Names that are no module names are refused. None: takes the file
 * away, since the real root finds /run as it is left. 0 or -errno.
 */
int modules_publish_blacklist(const struct env *env, const char *const *names, size_t n);

/*
 * modules_load_now: loads a module with all it needs, in this process and at once: for what has to
 * be there before the plan is complete. Nothing is reported. 0 or -errno.
 */
int modules_load_now(const struct env *env, const char *name);

/*
 * modules_modprobe_main: the agent called as "modprobe", by the kernel or in the rescue shell; the
 * same room and rules as in a boot. Options -q -b -a -s -v and --, then names
 * or aliases. Loads them with dependencies in this process. Returns the exit status: 0, 1 on
 * failure.
 */
int modules_modprobe_main(int argc, char **argv);
