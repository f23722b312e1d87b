/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own: interfaces that the real root has a configuration for, as a provisioner's overlay. */
#pragma once

#include "handover/profile.h"

/*
 * own_config: does a file that one of the managers (PLAN_HANDOVER_ bits) reads hold the interface's
 * name or hardware address as a word? Of an IPoIB address the port GUID. Patterns are for any
 * interface, and do not count.
 */
bool own_config(const char *sysroot, unsigned managers, const char *name, const struct link_hw *hw);

/* own_files_name: does a file of that folder whose name matches hold either word? */
bool own_files_name(const char *sysroot, const char *folder, const char *glob, const char *name,
	const char *hw);

/* own_text_names: does the text of one such file? Pure; text is used up. */
bool own_text_names(char *text, const char *name, const char *hw);

/*
 * own_write: for the interfaces of set->own, a unit that takes addresses and routes of the boot off
 * before any manager starts. 0 or -errno.
 */
int own_write(const struct profile_set *set);
