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
    initagent claims > /dev/null || return 0
    local names='(nfs|boot)?root|ip|nameserver|hostname|ifname|bootdev|BOOTIF'
    grep -oE "(^| )($names|rd\.(route|rdma|ib|net|nfs|root|nvmf)[^ =]*)=[^ ]*" /proc/cmdline
}

# drivers.list is never hostonly: the nodes may be other machines than the one that builds the
# image. An image for that one alone has its RDMA drivers as well.
installkernel() {
    local need name asked=''
    [[ ! $hostonly ]] || instmods '=drivers/infiniband/hw'
    [[ ! $kernel_cmdline ]] || asked=$(initagent plan "$kernel_cmdline")
    while read -r need name _; do
        [[ $need =~ ^(need|tell|may|more)$ ]] || continue
        hostonly='' instmods -c -s "$name" && continue
        case $need:$name:$asked in
            *:rpcrdma:*nfs.proto=rdma* | *:rdma_rxe:*rdma_link=*' rxe '* | *:bonding:*bond=* | \
                *:ib_ipoib:*bootdev=ib[0-9]* | *:ib_ipoib:*ib.pkey=* | *:8021q:*vlan=* | \
                *:bridge:*bridge=* | *:iscsi_ibft:*ip=ibft* | *:efivarfs:*report=efi*)
                dfatal "initagent: the kernel command line needs the module $name, which is missing"
                exit 1
                ;;
            need:*) derror "initagent: this kernel has no module $name" ;;
            tell:*) dwarn "initagent: this kernel has no module $name" ;;
        esac
    done < "$moddir/drivers.list"
    install_companions
}

# Verbs of the Ethernet adapters: kernel-network-modules, which comes later, takes all of these but
# nothing below drivers/infiniband.
install_companions() {
    local driver name all=''
    [[ $hostonly ]] || ! dracut_module_included kernel-network-modules || all=1
    while read -r driver name; do
        [[ ! $all && " $add_drivers " != *" $driver "* ]] \
            || hostonly='' instmods -c -s "$name" || :
    done < "$moddir/companions.list"
}

# An image for one machine alone names it (IA-E212), and has what it was booted with.
install_hostonly() {
    local machine identity
    machine=$(cat /sys/class/dmi/id/{sys_vendor,product_name} 2> /dev/null)
    mkdir -p "$initdir"/etc/{initagent,cmdline.d}
    echo "$(uname -n)${machine:+ (${machine//$'\n'/ })}" > "$initdir/etc/initagent/hostonly"
    [[ $hostonly_cmdline != yes ]] || identity=$(cmdline)
    [[ ! $identity ]] || echo "$identity" > "$initdir/etc/cmdline.d/70initagent.conf"
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
    inst_multiple -o /etc/initagent/ca.pem /etc/initagent/keys/*.pub
    [[ ! $hostonly ]] || install_hostonly
    inst_hook cmdline 11 "$moddir/initagent-claim.sh"
    inst_hook emergency 50 "$moddir/initagent-status.sh"
    inst_hook shutdown-emergency 50 "$moddir/initagent-status.sh"
    if dracut_module_included "systemd"; then
        install_units
    elif ! find_binary switch_root > /dev/null && ! dracut_module_included "busybox"; then
        dfatal "initagent: an image without systemd needs switch_root, which is not installed"
        exit 1
    else
        inst_hook pre-trigger 10 "$moddir/initagent-start.sh"
        inst_hook initqueue 50 "$moddir/initagent-watch.sh"
        inst_hook initqueue/finished 50 "$moddir/initagent-finished.sh"
        inst_hook mount 50 "$moddir/initagent-verify.sh"
        inst_hook pre-pivot 10 "$moddir/initagent-network.sh"
    fi
}
