#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154 # root, NEWROOT and main_loop are dracut's
# mount hook, without systemd: reached only when the root is not mounted, or was no usable root.
if [ "$root" = initagent ] && ! ismounted "$NEWROOT"; then
    emergency_shell "The root initagent mounted on $NEWROOT is gone." \
        "Dracut unmounts one without /proc, /sys and /dev."
fi
