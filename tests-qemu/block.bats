#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root on a block device that a server lends: NVMe over RDMA and TCP against the kernel's own target, NBD against
# nbd-server, SRP against the kernel's target.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load block

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    block_disks "$BATS_FILE_TMPDIR/disks"
    SERVER_EXTRA=$BATS_FILE_TMPDIR/disks/block.cpio server_start >/dev/null
}

setup() {
    node_defaults
    NODE_NAME=$(printf '%02d' "$BATS_TEST_NUMBER")
    image=$LAB/agent-block.img
    server reset
    server shell block stop
}

# boots CMDLINE: a node with an Ethernet interface and nothing else.
boots() {
    node_start "$image" "$console ip=dhcp $*"
}

@test "NVMe over TCP, read-write" {
    server shell block nvme root.ext4
    boots "root=nvmf:tcp:$server_ip:4421:$nqn rw"
    assert_block 60 nvmf tcp ext4
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_state '.causes | length' 0
}

@test "NVMe over RDMA (rxe), read-only" {
    server shell block nvme root.ext4
    boots "root=nvmf:rdma:$server_ip:$nqn $rxe"
    assert_block 60 nvmf rdma ext4
    assert_eq "$(node_result .writable)" false "root can be written to"
}

@test "NBD, read-write" {
    server shell block nbd
    boots "root=nbd:$server_ip:root rw"
    assert_block 60 nbd tcp ext4
    assert_eq "$(node_result .writable)" true "root can be written to"
}
