#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # root and NEWROOT are dracut's
# pre-trigger hook, without systemd: waits for the agent, which needs no udev. When it has mounted
# the root, dracut's cold plug of all devices, the longest step of its boot, is left to the real
# root. When it has not, all goes on as usual, and the initqueue looks after the agent
# (initagent-watch.sh). With rd.break= the agent starts only here, and the cold plug takes place:
# a shell may want a keyboard. Of a network alone (initagent-network.sh) only the start is here. A
# disk that something else waits for (wait_for_dev) needs that cold plug. The agent keeps
# rd.retry, and dracut's shell ends at one it cannot calculate with ("160s"), the root mounted or
# not: it does not see the option from here on.
initagent_getarg() {
    [ "$1" != rd.retry ] && getarg "$@"
}
# shellcheck disable=SC2262 # for what is read later
[ "$root" != initagent ] || alias getarg=initagent_getarg

if [ "$root" = initagent ] && [ -z "$initagent_pid" ]; then
    /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null
elif [ "$root" = initagent ] && wait "$initagent_pid"; then
    for _disk in "${hookdir:?}"/initqueue/finished/devexists-*.sh; do
        [ ! -s "$_disk" ] || break
    done
    if [ ! -s "$_disk" ]; then
        udevadm() {
            case $1 in
                trigger | settle) ;;
                *) command udevadm "$@" ;;
            esac
        }
    fi
    unset _disk
elif [ "$initagent_claims" = 2 ] && [ -z "$initagent_pid" ]; then
    /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null &
    initagent_pid=$!
fi
