#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The same agent in an image of initramfs-tools, as mkinitramfs makes it with our hook.

# shellcheck disable=SC2154,SC2034 # the variables are from there
load lib/web

setup() {
    node_of_case irt.img
    server reset
    server shell web start
}

# boots CMDLINE; udev of the image renames interfaces, the plan names eth0
boots() {
    node_start "$image" "$console net.ifnames=0 ip=dhcp $*"
}

@test "Debian 12: NFSoRDMA 4.2 with DHCP, chosen by root= alone" {
    boots "$rdma_root $rxe"
    assert_boot 150 4.2 rdma
    assert_state .root.proto rdma
}

@test "Debian 12: NFS over TCP by root=/dev/nfs; killed while DHCP runs and right after the mount" {
    boots "root=/dev/nfs nfsroot=$server_ip:$root_path,vers=4.1 bootmark.kill=addr,mount"
    assert_boot 150 4.1 tcp
    assert_killed addr,mount
}

@test "Debian 12: an image by HTTP, a squashfs with its digest" {
    boots "root=live:$web/root.squashfs $(digest root.squashfs)"
    assert_image 150 squashfs digest
    assert_overlay squashfs
}

# The harness gives panic=-1, which in initramfs-tools also means: no shell.
@test "Debian 12: no DHCP server: the cause, no shell, restart because of panic=" {
    server dhcp stop
    boots "$rdma_root $rxe rd.retry=8"
    assert_failed 120 IA-E703 restart
    assert_console 'initagent could not mount the root\.'
    run -1 grep -F '(initramfs)' "$node_dir/console.log"
}

@test "Debian 12: rd.shell=0 rd.emergency=poweroff without panic=: no shell, off" {
    server dhcp stop
    boots "$rdma_root $rxe rd.retry=8 panic= rd.shell=0 rd.emergency=poweroff"
    assert_failed 120 IA-E703 poweroff
    run -1 grep -F '(initramfs)' "$node_dir/console.log"
}

@test "Debian 12: a shell without panic=; its exit tries again, and the server is back" {
    server dhcp stop
    NODE_TALK=1
    boots "$rdma_root $rxe rd.retry=8 panic="
    node_wait 120 'IA-E703 the network or the root was not ready'
    # shellcheck disable=SC2016 # the node's shell reads it
    node_type 'initagent status >/dev/null; echo status=$?.'
    node_wait 60 '^status=1\.'
    server dhcp start
    node_type exit
    assert_boot 150 4.2 rdma
}

# local_root CMDLINE: a root on a disk of the node, which is initramfs-tools' own. late, if not
# empty: the DHCP server comes after this console line, so that only our wait holds the boot.
local_root() {
    local late=${late:-}
    NODE_DISK=$vm_logs/local.ext4
    [ -s "$NODE_DISK" ] || {
        truncate -s 64M "$NODE_DISK"
        mkfs.ext4 -q -L lroot -d "$LAB/export/root" "$NODE_DISK"
    }
    boots "${late:+loglevel=7} $*"
    [ -z "$late" ] || {
        node_wait 120 'IA-E501' >/dev/null
        node_wait 60 "$late" >/dev/null
        server dhcp start
    }
    node_booted 150
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    grep -q '^[^-]* / / [^-]* - ext4 ' "$node_dir/results/mountinfo"
}

@test "Debian 12: a root on a disk is left to initramfs-tools, with boot=initagent too" {
    local_root root=LABEL=lroot
    [ ! -e "$node_dir/results/run" ]
    local_root root=/dev/vda boot=initagent
    [ ! -e "$node_dir/results/run" ]
    assert_console 'initagent: root= names no root'
}

@test "Debian 12: rd.neednet=1 beside a root on a disk: the network is up and handed over" {
    server dhcp stop
    late='EXT4-fs \(vda\): mounted' local_root root=LABEL=lroot rd.neednet=1 rd.handover=networkd
    assert_clean_handover
    assert_state '.rails[0] | "\(.netdev) \(.address) \(.state)"' "eth0 10.99.0.199/24 ready"
    grep -q '10.99.0.199' "$node_dir/results/fib_trie"
    grep -q '^\[Match\]' "$node_dir/results/eth0.network"
}

# assert_network: a script that called configure_networking() before the root was mounted found the
# agent's network, and the real root finds the same file; no ipconfig was run.
assert_network() {
    [ ! -e "$node_dir/results/run/ipconfig" ]
    assert_eq "$(<"$node_dir/results/run/network")" "eth0 10.99.0.199 255.255.255.0 dhcp"
    grep -q '^# Written by initagent' "$node_dir/results/run/net.conf"
    grep -qx "IPV4ADDR='10.99.0.199'" "$node_dir/results/run/net.conf"
}

@test "Debian 12: a script that needs the network before the agent's root gets the agent's" {
    boots "$rdma_root $rxe lab.net"
    assert_boot 150 4.2 rdma
    assert_network
}

@test "Debian 12: a script that needs the network gets the agent's with rd.neednet=1 alone" {
    server dhcp stop
    late='[3-9] requests sent' local_root root=LABEL=lroot rd.neednet=1 lab.net
    assert_clean_handover
    assert_network
    local_root root=LABEL=lroot lab.net
    assert_eq "$(<"$node_dir/results/run/network")" "stub   "
    assert_eq "$(<"$node_dir/results/run/ipconfig")" "ipconfig -t 2 -c dhcp -d "
}

# debian_13: its image and kernel.
debian_13() {
    local part
    for part in suites kernels; do
        [ ! -e "$LAB/$part/trixie/absent" ] || skip "$(<"$LAB/$part/trixie/absent")"
    done
    image=$LAB/irt-next.img
    NODE_KERNEL=$LAB/kernels/trixie/kernel
}

@test "Debian 13 and its kernel: NFSoRDMA 4.2 with DHCP" {
    debian_13
    boots "$rdma_root $rxe"
    assert_boot 150 4.2 rdma
    assert_state .root.proto rdma
}

@test "Debian 13 and its kernel: NFS over TCP; killed while DHCP runs" {
    debian_13
    boots "root=nfs:$server_ip:$root_path:vers=4.2 bootmark.kill=addr"
    assert_boot 150 4.2 tcp
    assert_killed addr
}

@test "Debian 13 and its kernel: wrong digest: the cause, no shell, restart" {
    debian_13
    boots "root=live:$web/root.squashfs $(digest root.cpio) rd.shell=0 $reboot panic="
    assert_failed 120 IA-E630 restart
    run -1 grep -F '(initramfs)' "$node_dir/console.log"
}

@test "Debian 13 and its kernel: a script that needs the network before the agent's root" {
    debian_13
    boots "$rdma_root $rxe lab.net"
    assert_boot 150 4.2 rdma
    assert_network
}
