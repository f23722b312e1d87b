#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Once the network is up: dracut's initqueue/online hooks, for each interface, as dracut's network
# modules run them: once, and in a shell of their own, as some say exit. Without systemd this is a
# hook of the initqueue, which a root on an encrypted disk waits in for a key from the network, and
# of pre-mount and pre-pivot for all others; with systemd a program (initagent-online.service).
# Hooks read of a DHCP lease what all of dracut's network modules leave, shell variables in
# /tmp/dhclient.INTERFACE.dhcpopts: time servers (dracut-ng's chrony), next server and root path.
# shellcheck disable=SC1091 # the initramfs's

# initagent_lease VARIABLE FILE: what the agent has kept of a lease; VARIABLE: its time servers. The
# values become shell text: none with a quote does, and no echo, which reads backslashes.
initagent_lease() {
    [ -e "$2" ] || return 0
    _list=
    while read -r _line; do
        case $_line in
            *\'*) ;;
            ntp=*) _list="$_list ${_line#*=}" ;;
            next-server=*) printf "new_next_server='%s'\n" "${_line#*=}" ;;
            root-path=*) printf "new_root_path='%s'\n" "${_line#*=}" ;;
        esac
    done < "$2"
    [ -z "$_list" ] || printf "%s='%s'\n" "$1" "${_list# }"
}

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
        read -r _index < "/sys/class/net/$netif/ifindex" || _index=
        {
            initagent_lease new_ntp_servers "/run/initagent/lease.$_index"
            initagent_lease new_dhcp6_ntp_servers "/run/initagent/lease6.$_index"
        } > "/tmp/dhclient.$netif.dhcpopts"
        (source_hook initqueue/online "$netif" < /dev/null)
    done < /run/initagent/online
    unset netif _index _list _line
fi
