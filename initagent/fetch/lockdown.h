/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lockdown: how the process that fetches gives up what it does not need: user id, capabilities, files, new processes.
 * What is left: its descriptors, TCP sockets, memory and time.
 */
#pragma once

/* fetch_lockdown: for the calling process, for good. 0 or -errno. */
int fetch_lockdown(void);
/* fetch_lockdown_outliving: the same, but the process goes on when its parent ends. */
int fetch_lockdown_outliving(void);
