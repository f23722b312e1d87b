#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent in an image with dracut's own ways to a network and to roots on it: one with systemd,
# NetworkManager and systemd-networkd, one without systemd, with network-legacy. What is the agent's
# is left to it, what is not it leaves alone. The DHCP server's log tells who has asked.
# first: boots of dracut

# shellcheck disable=SC2154,SC2034 # the variables are shared with it
load lib/block

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    block_disks "$BATS_FILE_TMPDIR/disks"
    SERVER_EXTRA=$BATS_FILE_TMPDIR/disks/block.cpio server_start >/dev/null
}

setup() {
    node_of_case agent.img
    server reset
    server shell block stop
    server shell block nbd
}

# boots FLAVOUR CMDLINE
boots() {
    node_start "$LAB/agent-$1.img" "$console net.ifnames=0 ip=dhcp ${*:2}"
}

# asked NUMBER: so many clients, told by their identifiers, have got a lease.
asked() {
    local log
    log=$(server dhcp log)
    assert_eq "$(grep -c 'DHCPACK' <<<"$log")" "$1" "leases" || {
        echo "$log"
        return 1
    }
}

# An NBD root as dracut writes it, which names its device: not the agent's.
dracut_nbd() {
    boots "$1" "root=/dev/nbd0 netroot=nbd:$server_ip:root:ext4"
    node_booted 200
    assert_eq "$(node_result .files_good)" 3 "files checked"
    grep -q ' / / .* - ext4 /dev/nbd0 ' "$node_dir/results/mountinfo"
    [ ! -e "$node_dir/results/run/state.json" ]
}

@test "NetworkManager, networkd and dracut's nfs beside an NFSoRDMA root: the agent alone asks" {
    boots nm "$rdma_root $rxe rd.neednet=1"
    assert_boot 200 4.2 rdma
    asked 1
    run -1 grep -aE 'Start.*(nm-initrd|networkd.serv)' "$node_dir/console.log"
}

@test "NetworkManager and dracut's nbd beside root=nbd:, which both know: the agent alone acts" {
    boots nm "root=nbd:$server_ip:root"
    assert_block 200 nbd tcp ext4
    asked 1
}

@test "NetworkManager brings up a root of dracut's, and the agent does nothing" {
    dracut_nbd nm
}

@test "network-legacy, dracut's nfs and nbd beside an NFSoRDMA root: the agent alone asks" {
    boots legacy "$rdma_root $rxe rd.neednet=1"
    assert_boot 150 4.2 rdma
    asked 1
}

@test "network-legacy brings up a root of dracut's, and the agent does nothing" {
    dracut_nbd legacy
}
