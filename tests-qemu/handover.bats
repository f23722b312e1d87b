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
    local last
    vm_begin handover
    managers=(nm)
    [ -e "$next_absent" ] || managers+=(next block)
    # networkd as the last one: Python takes an emulated processor a minute
    managers+=(ifupdown networkd)
    # its networkd does not see that the root is on the network, where it keeps all by itself
    words[next]="rd.overlay=1 systemd.wants=systemd-sysext.service \
rd.systemd.pull=tar,sysext,verify=no:tools:http://$server_ip:8081/ext/tools.tar \
rd.systemd.pull=tar,confext,verify=no:site:http://$server_ip:8081/ext/tools.tar"
    # cloud-init asks for its data by the address of the lease, and writes and applies a file for
    # netplan
    folders[networkd]=cloud
    words[networkd]="ds=nocloud-net;s=http://$server_ip:8081/cloud/"
    words[nm]=systemd.setenv=LEAVE=1
    words[block]=systemd.setenv=LEAVE=1
    # an administrator who does not want networkd: ISC dhclient renews the lease
    dhcpd[ifupdown]='away 12'
    images[block]=$LAB/agent-block.img
    handover_server
    server shell "ln -s /handover/root.ext4 /run/root.ext4.nvme; block nvme root.ext4"
    # a firewall, and another name for the interface in netplan's words
    last=$((${#managers[@]} - 1))
    server shell "sed -i s/@MAC@/52:54:00:99:00:$(printf %02x $((0x64 + last)))/ \
            /site/netplan/* /site/systemd/network/*;
        sed -i s/@NAME@/node$last/ /cloud/meta-data;
        cp -r /site/. /handover/cloud/etc/;
        ln -s /dev/null /handover/ifupdown/etc/systemd/system/systemd-networkd.service;
        ln -s /lib/systemd/system/nftables.service \
            /handover/cloud/etc/systemd/system/sysinit.target.wants/;
        mkdir -p /ext/usr/lib/extension-release.d;
        echo ID=_any >/ext/usr/lib/extension-release.d/extension-release.tools;
        tar -C /ext -cf /ext/tools.tar usr;
        busybox httpd -f -vv -p 8081 -h / </dev/null >/dev/null 2>/run/httpd.log &"
    handover_nodes "$LAB/agent.img" "$server_ip" "$rxe systemd.wants=restart.service \
systemd.setenv=AWAITED=restarts"
}

@test "systemd-networkd over Soft-RoCE, restarted; nftables, cloud-init, and netplan" {
    local ip
    assert_kept networkd eth0
    assert_networkd eth0
    assert_file units '^nftables.service +loaded +active +exited'
    # the firewall is there before the network
    run -0 grep -oE 'Finished nftables|Starting systemd-networkd' "$node_dir/results/journal"
    [[ $output == "Finished nftables"* ]]
    assert_restarted roce systemd-networkd
    assert_lease
    assert_file cloud '^DataSourceNoCloudNet '
    assert_file cloud.written '^of the user data$'
    assert_file cloud.log "Running command \['netplan', 'apply'\]"
    assert_file files '^==> systemd/network/10-netplan-(eth0|lan0).network'
    # by the address of the root
    on server cat /run/httpd.log >"$BATS_TEST_TMPDIR/httpd"
    ip=$(address_of_root)
    grep -q "${ip%/*}[]:].* url:/cloud/user-data" "$BATS_TEST_TMPDIR/httpd"
    assert_services roce "$server_ip"
}

@test "systemd-networkd of Debian 13, the root under a writable layer, restarted; reboot" {
    of_next
    assert_kept next eth0
    # fetched beside the root, and merged by its systemd-sysext
    assert_file mountinfo ' /run/confexts/site .* - tmpfs extension '
    assert_file mountinfo ' /usr .* - overlay sysext '
    assert_eq "$(node_state '[.work[] | select(.room == "extension") | "\(.what) \(.result)"] |
        join(", ")')" "sysext tools 0, confext site 0" "what was fetched beside the root"
    assert_networkd eth0
    assert_restarted roce systemd-networkd
    assert_lease
    assert_services roce "$server_ip"
}

# At the power-off the network is there until systemd runs /run/initramfs/shutdown.
@test "NetworkManager over Soft-RoCE, restarted; the root is unmounted in the end" {
    assert_kept nm eth0
    assert_console 'shutdown: the root is unmounted'
    assert_nm eth0
    assert_restarted roce NetworkManager
    assert_lease
    assert_services roce "$server_ip"
}

@test "NetworkManager of Debian 13, the root by NVMe over TCP, restarted; unmounted in the end" {
    of_next
    assert_kept block eth0
    assert_console 'shutdown: the root is unmounted'
    assert_nm eth0
    assert_restarted roce NetworkManager
    assert_lease
}

@test "ifupdown with dhclient over Soft-RoCE, restarted; the DHCP server is away at T1" {
    local asked given
    assert_kept ifupdown eth0
    assert_ifupdown eth0
    assert_restarted roce networking
    assert_lease
    asked=$(grep -c 'dhclient.*DHCPREQUEST' "$node_dir/results/journal")
    given=$(grep -c 'dhclient.*DHCPACK' "$node_dir/results/journal")
    assert_most 1 $((asked - given)) "requests without an answer (at least)"
    assert_services roce "$server_ip"
}
