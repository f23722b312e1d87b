#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Once the network is up: dracut's initqueue/online hooks, for each interface, as dracut's network
# modules run them: once, and in a shell of their own, as some say exit. Without systemd this is a
# hook of the initqueue, which a root on an encrypted disk waits in for a key from the network, and
# of pre-mount and pre-pivot for all others; with systemd a program (initagent-online.service).
# shellcheck disable=SC1091 # the initramfs's
if ! command -v source_hook > /dev/null; then
    _hooks=dracut/hooks/initqueue/online
    for _hook in /var/lib/"$_hooks"/*.sh /usr/lib/"$_hooks"/*.sh /etc/"$_hooks"/*.sh; do
        [ ! -e "$_hook" ] || break
    done
    [ -e "$_hook" ] || exit 0
    [ ! -f /dracut-state.sh ] || . /dracut-state.sh 2> /dev/null
    . /lib/dracut-lib.sh
fi
if [ -z "$initagent_online" ] && [ -e /run/initagent/online ]; then
    initagent_online=1
    while read -r netif; do
        (source_hook initqueue/online "$netif" < /dev/null)
    done < /run/initagent/online
    unset netif
fi
