#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # initagent_claims is the cmdline hook's, NEWROOT is dracut's
# pre-pivot hook, without systemd: rd.neednet=1 beside a root of dracut's, which is mounted now.
# Waits until the network is up and the profiles for the real root are written. Failed (2): dracut's
# emergency policy; a shell that is left tries again. Killed: it is started again.
while [ "$initagent_claims" = 2 ]; do
    /usr/sbin/initagent wait
    case $? in
        0) break ;;
        2) emergency_shell "initagent could not bring the network up." ;;
    esac
    /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null &
    wait $!
done
