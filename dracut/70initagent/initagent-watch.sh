#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154 # root, NEWROOT and main_loop are dracut's
# initqueue job, without systemd: reached when the agent has not mounted the root. Failed (2):
# dracut's emergency policy; a shell that is left tries again. Killed (3): it is started again and
# adopts what is up. At work (1): waited for, a second at most, so that other jobs have their turn;
# the agent keeps rd.retry itself, so dracut's count of passes is held.
if [ "$root" = initagent ]; then
    /usr/sbin/initagent wait --timeout 1
    case $? in
        1) main_loop=-1 ;;
        2)
            emergency_shell "initagent could not mount the root."
            /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null &
            ;;
        3 | 4) /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null & ;;
    esac
fi
