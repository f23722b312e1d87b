#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # root is dracut's
# emergency hook: why the root, or the network beside it (rd.neednet=1), is not there, on the
# console where the shell will be. Without systemd, dracut 059 then calls reboot, poweroff or halt
# as rd.emergency= asks, but without -f; where these are systemctl they look for a systemd that is
# not there, dracut's own shell ends, and the kernel panics.
if [ "$root" = initagent ] || [ -d /run/initagent ]; then
    /usr/sbin/initagent status
    if [ -z "$DRACUT_SYSTEMD" ]; then
        reboot() { command reboot -f; }
        poweroff() { command poweroff -f; }
        halt() { command halt -f; }
    fi
fi
