#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Managers and releases of Debian over Ethernet that tests-qemu/handover*.bats have not: ifupdown of
# Debian 13, and bonds by LACP whose partner is a bond of the server's (make check-handover).

# shellcheck disable=SC2154,SC2034,SC2004 # variables and arrays are shared with it
load ../lib/block
load ../lib/handover

vlan_ip=10.98.0.1
roots[nm13]=nbd:$server_ip:root
tops=(
    [ifupdown12]="br0 bond0.5 bond0 eth0 eth1" [ifupdown13]="eth0"
    [networkd12]="bond0 eth0 eth1" [networkd13]="br0 bond0.5 bond0 eth0 eth1"
    [nm12]="br0 bond0.5 bond0 eth0 eth1" [nm13]="bond0 eth0 eth1"
)

# over NETDEV: the command line of what has that on top.
over() {
    local bond="bond=bond0:eth0,eth1:mode=802.3ad,lacp_rate=fast,miimon=100"
    local vlan="vlan=bond0.5:bond0 $bond"
    case $1 in
    eth0) echo "$rxe" ;;
    bond0) echo "$bond rd.rdma.link=rxe0,rxe,bond0" ;;
    br0) echo "bridge=br0:bond0.5 $vlan rd.rdma.link=rxe0,rxe,br0" ;;
    esac
}

setup_file() {
    local i name
    vm_begin handover-cells
    for name in "${!tops[@]}"; do
        words[$name]=$(over "${tops[$name]%% *}")
        [[ ${tops[$name]} != *bond0.5* ]] || servers[$name]=$vlan_ip
    done
    by_release ifupdown13 networkd12 nm12 ifupdown12 networkd13 nm13
    handover_server "modprobe 8021q; modprobe bonding max_bonds=0;
        /bin/ip link add link br0 name br0.5 type vlan id 5;
        /bin/ip link set br0.5 up; /bin/ip addr add $vlan_ip/24 dev br0.5"
    server shell "ln -s /handover/root.ext4 /run/nbd-root.ext4; block nbd"
    for i in "${!managers[@]}"; do
        name=${managers[i]}
        [ -z "${seconds[$name]:-}" ] ||
            server_bond "802.3ad lacp_rate fast" "bond$i" "eth$i" "eth${seconds[$name]}"
    done
    handover_nodes "$LAB/agent-links.img" "$server_ip" "net.ifnames=0"
}

# assert_lacp: the bond is as it was made, of both links, and the server's is its partner.
assert_lacp() {
    assert_file address 'bond mode 802.3ad .*lacp_rate fast .*ad_num_ports 2 '
    run -1 grep 'ad_partner_mac 00:00:00:00:00:00' "$node_dir/results/address"
}

@test "ifupdown of Debian 13" { taken_over ifupdown13; }

@test "ifupdown of Debian 12 over a bridge of a VLAN on an 802.3ad bond" {
    taken_over ifupdown12
    assert_lacp
}

@test "systemd-networkd over an 802.3ad bond" {
    taken_over networkd12
    assert_lacp
}

@test "systemd-networkd of Debian 13 over a bridge of a VLAN on an 802.3ad bond" {
    taken_over networkd13
    assert_lacp
}

@test "NetworkManager of Debian 12 over a bridge of a VLAN on an 802.3ad bond" {
    taken_over nm12
    assert_lacp
}

@test "NetworkManager of Debian 13 over an 802.3ad bond, the root by NBD" {
    taken_over nm13
    assert_lacp
}
