#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root on a disk of the kernel's SRP target, by InfiniBand's own connection manager, and on one
# of its NVMe target, over the software HCA.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/infiniband
load lib/block

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    block_disks "$BATS_FILE_TMPDIR/disks"
    SERVER_EXTRA=$BATS_FILE_TMPDIR/disks/block-ib.cpio SERVER_LINKS=2 sib_root_server
}

setup() {
    node_of_case agent-softib.img
    on server fabric_reset
    on server block stop
}

teardown() {
    [ -z "${node_pid:-}" ] || vm_kill "$node_pid"
    [ -n "${BATS_TEST_COMPLETED:-}" ] || VM_SHOW_LINES=80 vm_show
}

@test "SRP by IB CM" {
    local guid gid
    # the node's port is the only one that may log in
    on server block srp root.ext4 505400fffe990064
    guid=$(on server "sed 's/://g' /sys/class/infiniband/*/node_guid")
    gid=$(on server "sed 's/://g' /sys/class/infiniband/*/ports/1/gids/0")
    node_start "$image" "$console ip=dhcp rd.retry=60 $hca $reboot rw \
root=srp:id_ext=$guid,ioc_guid=$guid,dgid=$gid,pkey=ffff,service_id=$guid"
    assert_block 90 srp rdma ext4
    assert_eq "$(node_result .writable)" true "root can be written to"
}

# srp_fails CODE ID_EXT GID [OPTION]: empty ones are the target's own.
srp_fails() {
    local guid gid
    on server "[ -e /sys/kernel/config/target/srpt ] || block srp root.ext4 505400fffe990064"
    guid=$(on server "sed 's/://g' /sys/class/infiniband/sib0/node_guid")
    gid=$(on server "sed 's/://g' /sys/class/infiniband/sib0/ports/1/gids/0")
    node_start "$image" "$console ip=dhcp rd.retry=20 $hca $reboot root=srp:\
id_ext=${2:-$guid},ioc_guid=$guid,dgid=${3:-$gid},pkey=ffff,service_id=$guid$4"
    assert_failed 90 "$1" restart
}

@test "SRP by IB CM: another target's identifier; no path to it; a node that is not let in" {
    srp_fails IA-E672 0000000000001234 "" ""
    assert_console 'SRP LOGIN from .* REJECTED, reason 0x00010003'
    srp_fails IA-E670 "" fe80000000000000505400fffe123456 ""
    assert_console 'Path record query failed'
    srp_fails IA-E673 "" "" ,initiator_ext=0000000000000001
}

# RDMA-CM has one number for what it did not reach, and NVMe passes it on.
@test "NVMe over RDMA: no path record, then one" {
    on server block nvme root.ext4 "$sib_server"
    on server "rule leaf01/p2 refuse:0x0300 dir=rx class=0x03 method=0x01 attr=0x35"
    node_start "$image" "$console ip=dhcp rd.retry=160 $hca $reboot rw \
root=nvmf:rdma:$sib_server:$nqn"
    node_wait 60 'IA-E67'
    assert_console 'IA-E670 .*no path to the server'
    on server "rule leaf01/p2 clear"
    assert_block 90 nvmf rdma ext4
}

@test "NVMe over RDMA" {
    on server block nvme root.ext4 "$sib_server"
    node_start "$image" "$console ip=dhcp rd.retry=60 $hca $reboot rw \
root=nvmf:rdma:$sib_server:$nqn"
    assert_block 90 nvmf rdma ext4
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_state '.rails | map(select(.carries_root)) | .[0].rdma.link_layer' InfiniBand
    # The server may still have the connection of the boot before, with the same queue pair: it is
    # told so once (CM reject 10, stale connection), and the next one is accepted.
    assert_state '[.causes[] | select(.text | contains("stale conn") | not)] | length' 0
}
