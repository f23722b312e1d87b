#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# cmdline hook, after dracut has read root= (10), before any root handler looks at it. When the root
# is the agent's (0), dracut's own hooks for network and that root are emptied, so that two do not
# configure one interface; likewise with rd.neednet=1 beside a root of dracut's (2); else nothing is
# done. Emptied, not removed: dracut-ng has listed the hooks of this stage already, and a shell ends
# when it cannot source a file. Without systemd the agent starts here, so that links train while
# dracut works; with rd.break= it waits for its turn (initagent-start.sh).
# shellcheck disable=SC2034,SC2154 # root, rootok and NEWROOT are dracut's

/usr/sbin/initagent claims > /dev/null
initagent_claims=$?
if [ "$initagent_claims" = 0 ]; then
    case "$root" in nvmf | nvmf:*) _nvmf=parse-nvmf-boot-connections ;; esac
    root=initagent rootok=1
    unset netroot
fi
case $initagent_claims in 0 | 2) ;; *) return 0 ;; esac
if [ -z "$DRACUT_SYSTEMD" ] && ! getarg rd.break > /dev/null; then
    /usr/sbin/initagent boot --sysroot "$NEWROOT" < /dev/null &
    initagent_pid=$!
fi
for _name in parse-nfsroot nfs-start-rpc dhcp-root parse-ip-opts parse-ifname parse-ibft \
    parse-vlan parse-bond parse-team parse-bridge ifname-genrules net-genrules \
    nm-config nm-run networkd-config networkd-run cm-config cm-run parse-nbdroot ${_nvmf:-}; do
    for _hook in "${hookdir:?}"/*/*-"$_name".sh "$hookdir"/*/*/*-"$_name".sh; do
        [ ! -f "$_hook" ] || : > "$_hook"
    done
done
# written by dracut's generator, for a root= of rd.systemd.pull=: there will be no such device
for _hook in "$hookdir"/initqueue/finished/devexists-*by-loop-ref*.sh; do
    [ ! -f "$_hook" ] || : > "$_hook"
done
unset _name _hook _nvmf
