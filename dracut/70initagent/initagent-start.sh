#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154 # root, NEWROOT and main_loop are dracut's
# pre-trigger hook, without systemd: the agent works while udev fills /dev. see initagent-watch.sh.
if [ "$root" = initagent ]; then
    /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null &
fi
