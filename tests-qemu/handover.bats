#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps its link at switch-root, over Soft-RoCE: Debian roots on NFSoRDMA, whose
# network managers take the interface over, and are restarted, as rdma-core's services are.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/handover

lease=60
ends[next]=reboot
roots[block]=nvmf:tcp:$server_ip:4421:nqn.2024-01.org.example:root

setup_file() {
    vm_begin handover
    [ -e "$LAB/suites/trixie/absent" ] || managers+=(next)
    managers+=(block)
    # its networkd does not see that the root is on the network, where it keeps all by itself
    words[next]=rd.overlay=1
    # dhclient asks again soon
    away[ifupdown]=3
    images[block]=$LAB/agent-block.img
    handover_server
    server shell "ln -s /handover/root.ext4 /run/root.ext4.nvme; block nvme root.ext4"
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
    assert_lease
    assert_services roce "$server_ip"
}

@test "systemd-networkd of Debian 13, the root under a writable layer, restarted; reboot" {
    [ ! -e "$LAB/suites/trixie/absent" ] || skip "$(<"$LAB/suites/trixie/absent")"
    assert_kept next eth0
    assert_networkd eth0
    # no rdma-core is there
    assert_file restarts '^systemd-networkd 0$'
    assert_lease
}

@test "NetworkManager over Soft-RoCE, restarted" {
    assert_kept nm eth0
    assert_nm eth0
    assert_restarted NetworkManager
    assert_lease
    assert_services roce "$server_ip"
}

@test "NetworkManager, the root by NVMe over TCP, restarted" {
    assert_kept block eth0
    assert_nm eth0
    assert_restarted NetworkManager
    assert_lease
}

@test "ifupdown over Soft-RoCE, restarted; the DHCP server is away at T1" {
    assert_kept ifupdown eth0
    assert_ifupdown eth0
    assert_restarted networking
    assert_lease
    assert_away
    assert_services roce "$server_ip"
}
