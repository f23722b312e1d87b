#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cmdline hook, after dracut has read root= (10), before any root handler. When the root is the
# agent's (0), dracut's hooks for network and that root are emptied, so that two do not configure an
# interface, nor wait for a device of rd.systemd.pull=; likewise with rd.neednet=1 beside a root of
# dracut's (2). Emptied: dracut-ng has listed them already, a missing one ends its shell. Without
# systemd the agent starts now, while dracut works; with rd.break= in its turn (initagent-start.sh).
# shellcheck disable=SC2034,SC2154 # root, rootok and NEWROOT are dracut's

_device=$(/usr/sbin/initagent claims)
initagent_claims=$?
# Under systemd the generator has decided: what a hook adds to /etc/cmdline.d later starts no unit.
for _unit in "${initagent_units:-/run/systemd/generator}"/*.requires/initagent-*.service; do
    [ -z "$DRACUT_SYSTEMD" ] || [ -h "$_unit" ] || initagent_claims=1
done
if [ "$initagent_claims" = 0 ]; then
    case "$root" in nvmf | nvmf:*) _roots=parse-nvmf-boot-connections ;; esac
    # with rd.live.image that one waits for /dev/root, which is not made
    _roots="${_roots:-} parse-dmsquash-live"
    root=initagent rootok=1
    unset netroot
    # as dracut's handlers of network roots: the initramfs is there again at the end, to unmount it
    need_shutdown
    for _hook in "${hookdir:?}/initqueue/finished"/devexists-*x2f"${_device##*/}".sh; do
        [ -z "$_device" ] || [ ! -f "$_hook" ] || : > "$_hook"
    done
fi
case $initagent_claims in 0 | 2) ;; *) unset _device _unit && return 0 ;; esac
if [ -z "$DRACUT_SYSTEMD" ] && ! getarg rd.break > /dev/null; then
    /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null &
    initagent_pid=$!
fi
for _name in parse-nfsroot nfs-start-rpc dhcp-root parse-ip-opts parse-ifname parse-ibft \
    parse-vlan parse-bond parse-team parse-bridge ifname-genrules net-genrules \
    nm-config nm-run networkd-config networkd-run cm-config cm-run wicked-config wicked-run \
    parse-nbdroot ${_roots:-}; do
    for _hook in "${hookdir:?}"/*/*-"$_name".sh "$hookdir"/*/*/*-"$_name".sh; do
        [ ! -f "$_hook" ] || : > "$_hook"
    done
done
unset _device _name _hook _roots _unit
