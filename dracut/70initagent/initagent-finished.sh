#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154 # root, NEWROOT and main_loop are dracut's
# initqueue/finished hook, without systemd: the queue is done when the agent is.
[ "$root" != initagent ] || /usr/sbin/initagent wait --timeout 0
