#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # the variables are dracut's
# initagent brings a network root up; dracut only waits for it. The module's number lies after the
# network back ends (11 to 45) and before nfs, initqueue and base, in 059 as in dracut-ng.

# Only when asked for: --add initagent, or add_dracutmodules+=" initagent ". Something has to start
# the real root: systemd itself or switch_root, which newer Debian has in util-linux-extra; dracut
# names what it does not find.
check() {
    require_binaries initagent sh || return 1
    find_binary systemctl > /dev/null || require_binaries switch_root || return 1
    return 255
}

# The drivers of all network adapters, unless left out (--omit kernel-network-modules): drivers.list
# is enough for RDMA adapters and virtual machines. The initqueue is a module of its own in
# dracut-ng; without it rd.driver.post= makes dracut print an error.
depends() {
    [[ " $omit_dracutmodules " == *" kernel-network-modules "* ]] || echo kernel-network-modules
    ! compgen -G "$dracutbasedir/modules.d/[0-9][0-9]initqueue" > /dev/null || echo initqueue
}

# For --print-cmdline: what this machine was booted with, if the agent booted it.
cmdline() {
    initagent claims || return 0
    grep -oE '(^| )(root|nfsroot|ip|nameserver|rd\.(route|rdma\.link))=[^ ]*' /proc/cmdline
}

# Never hostonly: the nodes are other machines than the one that builds the image.
installkernel() {
    local need name
    while read -r need name _; do
        [[ $need == may ]] && hostonly='' instmods "$name"
        [[ $need != tell ]] || hostonly='' instmods -c -s "$name" \
            || dwarn "initagent: this kernel has no module $name"
        [[ $need != need ]] || hostonly='' instmods -c -s "$name" \
            || derror "initagent: this kernel has no module $name"
    done < "$moddir/drivers.list"
}

install_units() {
    local unit
    for unit in initagent initagent-root initagent-network; do
        inst_simple "$moddir/$unit.service" "$systemdsystemunitdir/$unit.service"
    done
    (($(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p') < 254)) \
        || inst_simple "$moddir/direct.conf" "$systemdsystemunitdir/initagent.service.d/direct.conf"
    inst_script "$moddir/initagent-generator" \
        "$systemdutildir/system-generators/initagent-generator"
}

install() {
    inst_binary "$(find_binary initagent)" /usr/sbin/initagent
    inst_hook cmdline 11 "$moddir/initagent-claim.sh"
    inst_hook emergency 50 "$moddir/initagent-status.sh"
    inst_hook shutdown-emergency 50 "$moddir/initagent-status.sh"
    if dracut_module_included "systemd"; then
        install_units
    else
        inst_hook pre-trigger 10 "$moddir/initagent-start.sh"
        inst_hook initqueue 50 "$moddir/initagent-watch.sh"
        inst_hook initqueue/finished 50 "$moddir/initagent-finished.sh"
        inst_hook mount 50 "$moddir/initagent-verify.sh"
        inst_hook pre-pivot 10 "$moddir/initagent-network.sh"
    fi
}
