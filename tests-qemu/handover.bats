#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps its link at switch-root, over Soft-RoCE: Debian roots on NFSoRDMA, whose
# network managers take the interface over, and are restarted, as rdma-core's services are.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/handover

setup_file() {
    vm_begin handover
    handover_server
    # counted after the restart: the renewal alone; NetworkManager may still answer to the restart
    refreshes=([networkd]=1 [nm]=2 [ifupdown]=1)
    handover_nodes "$LAB/agent.img" "$server_ip" "$rxe systemd.wants=restart.service \
systemd.setenv=AWAITED=restarts"
}

# the server's control channel, as the InfiniBand one is called
on() {
    shift
    server shell "$*"
}

@test "systemd-networkd over Soft-RoCE, restarted" {
    assert_kept networkd eth0
    assert_networkd eth0
    assert_restarted systemd-networkd
    assert_lease 4
    assert_services roce "$server_ip"
}

@test "NetworkManager over Soft-RoCE, restarted" {
    assert_kept nm eth0
    assert_nm eth0
    assert_restarted NetworkManager
    assert_lease 4
    assert_services roce "$server_ip"
}

@test "ifupdown over Soft-RoCE, restarted" {
    assert_kept ifupdown eth0
    assert_ifupdown eth0
    assert_restarted networking
    assert_lease
    assert_services roce "$server_ip"
}
