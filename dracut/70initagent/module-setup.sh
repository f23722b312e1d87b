#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # the variables are dracut's
# initagent brings a network root up; dracut only waits for it. The module's number lies after the
# network back ends (11 to 45) and before nfs, initqueue and base, in 059 as in dracut-ng.

# Only when asked for: --add initagent, or add_dracutmodules+=" initagent ". dracut names what it
# does not find. What starts the real root: install().
check() {
    [[ ! $IN_KDUMP ]] || return 1 # its root is the memory of the kernel that died
    require_binaries initagent sh || return 1
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
    initagent claims --options || :
}

# drivers.list is never hostonly: the nodes may be other machines than the one that builds the
# image. An image for that one alone has its RDMA drivers as well. Without a module that must exist,
# or that the command line of the image asks for, dracut makes no image: it ends where this fails.
installkernel() {
    local need name why asked missing='' line=$kernel_cmdline
    [[ ! $hostonly ]] || instmods '=drivers/infiniband/hw'
    [[ ! $hostonly || $hostonly_cmdline != yes ]] || line+=" $(cmdline)"
    asked=$(initagent plan --modules "$line") || return 1
    while read -r need name why; do
        if [[ ! $need =~ ^(asked|need|tell|may|more)$ ]]; then
            [[ $need != dracut ]] || dracut_module_included "$name" \
                || dwarn "initagent: root= is left to dracut's module $name, which is not included"
        elif [[ $omit_drivers && $name =~ $omit_drivers ]]; then
            [[ $need != asked ]] || missing+=" $name (omitted, but for $why),"
        elif is_dummy "$name" || ! hostonly='' instmods -c -s "$name"; then
            case $need in
                asked | need) missing+=" $name ($why)," ;;
                tell) dwarn "initagent: this kernel has no module $name ($why)" ;;
            esac
        fi
    done < <(echo "$asked" && cat "$moddir/drivers.list")
    install_companions
    [[ ! $missing ]] || dfatal "initagent: no image without the kernel modules${missing%,}"
    [[ ! $missing ]]
}

# MLNX_OFED has such ones of what its user did not choose, rpcrdma and nvme_rdma among them.
is_dummy() {
    [[ $(modinfo -k "$kernel" -F description "$1" 2> /dev/null) == *"dummy kernel module"* ]] \
        && dwarn "initagent: $1 is a dummy of its vendor's: it does nothing"
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

# An image for one machine alone names it (IA-E109, IA-E212), and has what it was booted with;
# dracut's --kernel-cmdline counts more.
install_hostonly() {
    local machine identity
    machine=$(cat /sys/class/dmi/id/{sys_vendor,product_name} 2> /dev/null)
    mkdir -p "$initdir"/etc/{initagent,cmdline.d}
    echo "$(uname -n)${machine:+ (${machine//$'\n'/ })}" > "$initdir/etc/initagent/hostonly"
    cp /sys/class/dmi/id/product_uuid "$initdir/etc/initagent/machine" 2> /dev/null || :
    [[ $hostonly_cmdline != yes ]] || identity=$(cmdline)
    [[ ! $identity ]] || echo "$identity" > "$initdir/etc/cmdline.d/00initagent.conf"
}

install_units() {
    local unit
    for unit in initagent initagent-root initagent-network initagent-online; do
        inst_simple "$moddir/$unit.service" "$systemdsystemunitdir/$unit.service"
    done
    (($(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p') < 254)) \
        || inst_simple "$moddir/direct.conf" "$systemdsystemunitdir/initagent.service.d/direct.conf"
    inst_script "$moddir/initagent-generator" \
        "$systemdutildir/system-generators/initagent-generator"
    inst_script "$moddir/initagent-online.sh" /usr/sbin/initagent-online
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
    elif ! find_binary switch_root > /dev/null; then
        dfatal "initagent: an image without systemd needs switch_root, which is not installed"
        exit 1
    else
        inst_hook pre-trigger 10 "$moddir/initagent-start.sh"
        inst_hook initqueue 50 "$moddir/initagent-watch.sh"
        inst_hook initqueue/finished 50 "$moddir/initagent-finished.sh"
        inst_hook mount 50 "$moddir/initagent-verify.sh"
        inst_hook pre-pivot 10 "$moddir/initagent-network.sh"
        inst_hook initqueue 60 "$moddir/initagent-online.sh"
        inst_hook pre-mount 60 "$moddir/initagent-online.sh"
        inst_hook pre-pivot 60 "$moddir/initagent-online.sh"
    fi
}
