#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Servers and cables that come late: the agent waits for the event, says what it waits for, and
# goes on as soon as it can.

# shellcheck disable=SC2154 # the variables are from there
load lib/scenario

handed_over='reboot: '

@test "DHCP server up late" {
    server dhcp stop
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.retry=60"
    node_wait 60 'initagent.*DHCP'
    refute_within 3 "$handed_over"
    server dhcp start
    assert_boot 60 4.2 rdma
}

@test "NFS server up late" {
    server nfs stop
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.retry=60"
    node_wait 60 'IA-E60[12]'
    refute_within 3 "$handed_over"
    server nfs start rdma
    assert_boot 60 4.2 rdma
    assert_state .root.fell_back false
}

@test "only the RDMA listener late: no fall-back while it is not allowed" {
    server nfs stop
    server nfs start
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.retry=60"
    node_wait 60 'IA-E60[25]'
    refute_within 3 "$handed_over"
    server nfs stop
    server nfs start rdma
    assert_boot 60 4.2 rdma
    assert_state .root.proto rdma
}

@test "cable plugged in late" {
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.retry=60"
    node_cable off
    node_wait 60 'IA-E402'
    refute_within 3 "$handed_over"
    node_cable on
    assert_boot 60 4.2 rdma
}

@test "RDMA listener absent, fall-back to TCP allowed" {
    server nfs stop
    server nfs start
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.nfs.fallback=tcp"
    assert_boot 90 4.2 tcp
    assert_state .root.proto tcp
    assert_state .root.fell_back true
    assert_console 'falling back to TCP as allowed'
}
