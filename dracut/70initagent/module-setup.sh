#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # the variables are dracut's
# dracut module of initagent: the agent mounts a network root by itself; dracut only waits for it. The
# number lies after every network back end (11 to 45) and before nfs, the initqueue and base,
# in dracut 059 as well as in dracut-ng 108 and later, which renumbered them.

# Only when asked for: --add initagent, or add_dracutmodules+=" initagent ".
check() {
    require_binaries initagent || return 1
    return 255
}

# The drivers of all network adapters, unless left out (--omit kernel-network-modules): the standard
# set of drivers.list is enough for RDMA adapters and virtual machines. dracut-ng has the initqueue as
# a module of its own; where it is missing, rd.driver.post= makes dracut print an error.
depends() {
    [[ " $omit_dracutmodules " == *" kernel-network-modules "* ]] || echo kernel-network-modules
    compgen -G "$dracutbasedir/modules.d/[0-9][0-9]initqueue" > /dev/null && echo initqueue
    return 0
}

# For --print-cmdline: what this machine itself was booted with, if the agent booted it.
cmdline() {
    initagent claims || return 0
    tr ' ' '\n' < /proc/cmdline \
        | grep -E '^(root|nfsroot|ip|ifname|nameserver|rd\.(route|retry|timeout|rdma\.link))=' \
        | paste -sd ' '
}

# Never hostonly: the nodes are other machines than the one that builds the image.
installkernel() {
    local need name
    while read -r need name _; do
        case $need in
            need)
                hostonly='' instmods -c -s "$name" \
                    || derror "initagent: this kernel has no module $name"
                ;;
            may) hostonly='' instmods "$name" ;;
        esac
    done < "$moddir/drivers.list"
}

install() {
    inst_binary "$(find_binary initagent)" /usr/sbin/initagent
    inst_hook cmdline 11 "$moddir/initagent-claim.sh"
    inst_hook emergency 50 "$moddir/initagent-status.sh"
    inst_hook shutdown-emergency 50 "$moddir/initagent-status.sh"
    if dracut_module_included "systemd"; then
        inst_script "$moddir/initagent-generator" \
            "$systemdutildir/system-generators/initagent-generator"
        inst_simple "$moddir/initagent.service" "$systemdsystemunitdir/initagent.service"
        inst_simple "$moddir/initagent-root.service" "$systemdsystemunitdir/initagent-root.service"
    else
        inst_hook pre-trigger 10 "$moddir/initagent-start.sh"
        inst_hook initqueue 50 "$moddir/initagent-watch.sh"
        inst_hook initqueue/finished 50 "$moddir/initagent-finished.sh"
        inst_hook mount 50 "$moddir/initagent-verify.sh"
    fi
}
