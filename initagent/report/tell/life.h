/* SPDX-License-Identifier: GPL-2.0-or-later */
/* life: an end for processes that may outlive the agent. */
#pragma once

/*
 * limit_life: the kernel kills this process after so many seconds, whatever it does: by a timer
 * whose signal cannot be caught. It can be undone only by calls that SANDBOX_INTERNET does not
 * allow. Until then it does not heed SIGTERM and SIGHUP, by which systemd asks all that runs to end
 * before it switches to the real root (it does not wait for them). 0 or -errno.
 */
int limit_life(unsigned seconds);
