#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # root and NEWROOT are dracut's
# pre-trigger hook, without systemd: the agent's own time; it needs no udev. When it has mounted the
# root, dracut's cold plug of all devices, the longest step of its boot, is left to the real root,
# unless a shell was asked for, which may want a keyboard. When it has not, all goes on as usual, and
# the initqueue looks after the agent (initagent-watch.sh).
if [ "$root" = initagent ] && /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null \
    && ! getarg rd.break > /dev/null; then
    udevadm() {
        case $1 in
            trigger | settle) ;;
            *) command udevadm "$@" ;;
        esac
    }
fi
