#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154 # root, NEWROOT and main_loop are dracut's
# initqueue job, without systemd: waits for the agent, a second at most, so that other jobs have
# their turn. Failed (2): dracut's emergency policy; left shells try again. Killed (3): it is
# started again and adopts what is up. The agent keeps rd.retry itself, so dracut's count of
# passes is put back.
if [ "$root" = initagent ]; then
    /usr/sbin/initagent wait --timeout 1
    case $? in
        1) main_loop=-1 ;;
        2)
            emergency_shell "initagent could not mount the root."
            main_loop=-1
            /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null &
            ;;
        3 | 4)
            main_loop=-1
            /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null &
            ;;
    esac
fi
