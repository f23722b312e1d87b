#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps its link at switch-root, on InfiniBand alone: Debian roots on NFSoRDMA and SRP,
# whose network managers take the IPoIB interface over; rdma-core's units are restarted.
# first: five VMs, which wait for renewals

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/softib
load lib/handover

# its port is named when the server is there
roots[nm]=srp

setup_file() {
    local first=50:54:00:ff:fe:99:00 rails guid gid
    vm_begin handover-ib
    managers=(networkd ifupdown)
    [ -e "$next_absent" ] || managers+=(nm next)
    seconds=([networkd]=4 [next]=5)
    dhcpd[nm]='away 12'
    handover_ib_server
    rails="rd.rdma.link=sib1,softib,eth1 ifname=rail0:$first"
    # for the port of NetworkManager's node alone
    on server "ln -s /handover/root.ext4 /run/srp.img; block srp root.ext4 505400fffe990066"
    guid=$(on server "sed 's/://g' /sys/class/infiniband/*/node_guid")
    gid=$(on server "sed 's/://g' /sys/class/infiniband/*/ports/1/gids/0")
    roots[nm]=srp:id_ext=$guid,ioc_guid=$guid,dgid=$gid,pkey=ffff,service_id=$guid
    # the form of the identifier that systemd-networkd 252 can send, too
    # a partition of the renamed port beside
    words[networkd]="rd.ib.client-id=hw $rails:64 ifname=rail1:$first:68 rd.ib.pkey=0x8001 \
ip=rail0:dhcp ip=10.9.1.20:::24::rail0.8001:none"
    words[next]="$rails:67 ifname=rail1:$first:69"
    # ISC dhclient knows no InfiniBand: ifupdown borrows networkd
    words[ifupdown]=rd.ib.client-id=hw
    handover_nodes "$LAB/agent-softib.img" "$sib_server" \
        "rd.rdma.link=sib0,softib,eth0 rd.ib.port=sib0 net.ifnames=0 lab_cable=1 \
systemd.wants=restart.service systemd.setenv=AWAITED=restarts systemd.setenv=MANAGERS="
}

# assert_rebound: the interface of the second HCA was bound again, with another QPN, and udev gave
# it the name of ifname= by our rule.
assert_rebound() {
    local lines
    mapfile -t lines <"$node_dir/results/rebind"
    [[ ${lines[0]:12} == "${lines[1]:12}" && ${lines[0]:0:11} != "${lines[1]:0:11}" ]] || {
        printf 'not the same GUID with another QPN: %s\n' "${lines[@]}"
        return 1
    }
    echo "# udev ${lines[2]}: ${lines[0]:0:11}, then ${lines[1]:0:11}" >&3
    assert_file rebind '^rail0$'
    assert_file rebind '^rail1$'
    assert_file files '70-initagent-net.rules'
}

@test "systemd-networkd over IPoIB" {
    assert_kept networkd rail0
    assert_networkd rail0
    assert_networkd rail0.8001
    assert_lease
    assert_services infiniband "$sib_server"
    assert_restarted infiniband rdma-hw.target
    assert_rebound
}

# It sends the identifier as the boot ROM does.
@test "systemd-networkd of Debian 13 over IPoIB" {
    of_next
    assert_kept next rail0
    assert_networkd rail0
    assert_lease
    assert_services infiniband "$sib_server"
    assert_restarted infiniband rdma-hw.target
    assert_rebound
}

@test "NetworkManager of Debian 13 over IPoIB, the root by SRP; the DHCP server is away at T1" {
    of_next
    assert_kept nm ib0
    assert_nm ib0
    assert_lease
    assert_away
    assert_services infiniband "$sib_server"
    assert_restarted infiniband rdma-hw.target srp_daemon.service \
        'srp_daemon_port@sib0:1.service'
}

# networkd, which is not enabled there, renews the lease, and leaves everything else alone.
@test "ifupdown over IPoIB" {
    assert_kept ifupdown ib0
    assert_ifupdown ib0
    assert_networkd ib0
    assert_file networkctl.eth0 'State: .*\(unmanaged\)'
    assert_lease
    assert_services infiniband "$sib_server"
    assert_restarted infiniband rdma-hw.target
    assert_console "ib0: the real root's systemd-networkd is started to renew this lease"
    run -1 grep IA-E705 "$node_dir/console.log"
}
