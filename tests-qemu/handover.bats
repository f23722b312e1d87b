#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps its link at switch-root, over Soft-RoCE: Debian roots on NFSoRDMA, whose
# network managers take the interface over, and are restarted, as rdma-core's services are.
# first: six VMs, which wait for renewals

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/handover

# A busy machine takes a minute and more to restart NetworkManager.
lease=240 span=120
ends[next]=reboot
roots[block]=nvmf:tcp:$server_ip:4421:nqn.2024-01.org.example:root

setup_file() {
    vm_begin handover
    managers=(networkd nm)
    [ -e "$LAB/suites/trixie/absent" ] || managers+=(next)
    managers+=(block ifupdown)
    # its networkd does not see that the root is on the network, where it keeps all by itself
    words[next]=rd.overlay=1
    words[nm]=systemd.setenv=LEAVE=1
    words[block]=systemd.setenv=LEAVE=1
    # one is dhclient's, whatever the others have to renew by then
    away[ifupdown]=12
    images[block]=$LAB/agent-block.img
    handover_server
    server shell "ln -s /handover/root.ext4 /run/root.ext4.nvme; block nvme root.ext4"
    # a firewall, and netplan's files with another name for the interface
    server shell "cp -r /site/. /handover/networkd/etc/;
        ln -s /lib/systemd/system/nftables.service \
            /handover/networkd/etc/systemd/system/sysinit.target.wants/"
    handover_nodes "$LAB/agent.img" "$server_ip" "$rxe systemd.wants=restart.service \
systemd.setenv=AWAITED=restarts"
}

# the server's control channel, as the InfiniBand one is called
on() {
    shift
    server shell "$*"
}

@test "systemd-networkd over Soft-RoCE, restarted; nftables, and netplan's files" {
    assert_kept networkd eth0
    assert_networkd eth0
    assert_file units '^nftables.service +loaded +active +exited'
    # the firewall is there before the network
    run -0 grep -oE 'Finished nftables|Starting systemd-networkd' "$node_dir/results/journal"
    [[ $output == "Finished nftables"* ]]
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

# At the power-off the network is there until systemd runs /run/initramfs/shutdown.
@test "NetworkManager over Soft-RoCE, restarted; the root is unmounted in the end" {
    assert_kept nm eth0
    assert_console 'shutdown: the root is unmounted'
    assert_nm eth0
    assert_restarted NetworkManager
    assert_lease
    assert_services roce "$server_ip"
}

@test "NetworkManager, the root by NVMe over TCP, restarted; the root is unmounted in the end" {
    assert_kept block eth0
    assert_console 'shutdown: the root is unmounted'
    assert_nm eth0
    assert_restarted NetworkManager
    assert_lease
}

@test "ifupdown over Soft-RoCE, restarted; the DHCP server is away at T1" {
    local asked given
    assert_kept ifupdown eth0
    assert_ifupdown eth0
    assert_restarted networking
    assert_lease
    asked=$(grep -c 'dhclient.*DHCPREQUEST' "$node_dir/results/journal")
    given=$(grep -c 'dhclient.*DHCPACK' "$node_dir/results/journal")
    assert_most 1 $((asked - given)) "requests without an answer (at least)"
    assert_services roce "$server_ip"
}
