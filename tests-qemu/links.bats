#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vlan=, bond=, bridge=: the node makes them and boots over them. The server's two links are ports
# of its bridge, with VLAN 5 on top; in some cases they are a bond with LACP instead.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/scenario

vlan_ip=10.98.0.1
bond="bond=bond0:eth0,eth1:mode=active-backup"
lacp="bond=bond0:eth0,eth1:mode=802.3ad,lacp_rate=fast,miimon=100"
tcp_root="root=nfs4:$server_ip:$root_path"

setup_file() {
    vm_begin links
    export SERVER_LINKS=2
    server_start >/dev/null
    server shell "modprobe 8021q; modprobe bonding max_bonds=0;
        /bin/ip link add link br0 name br0.5 type vlan id 5; /bin/ip link set br0.5 up;
        /bin/ip addr add $vlan_ip/24 dev br0.5"
}

setup() {
    node_of_case agent-links.img
    NODE_SECOND=1
    # the kernel sends no LACPDU over a link that is not known to be full duplex
    NODE_NIC=virtio-net-pci,speed=10000,duplex=full
    server reset
    server dhcp stop
    server dhcp start --dhcp-range=set:vlan,10.98.0.20,10.98.0.90,1h \
        "--dhcp-option=tag:vlan,option:router,$vlan_ip"
}

teardown() {
    [ -z "${node_pid:-}" ] || vm_kill "$node_pid"
    [ -n "${BATS_TEST_COMPLETED:-}" ] || vm_show
    server shell "[ ! -e /sys/class/net/bond0 ] || { /bin/ip link del bond0;
        for p in eth0 eth1; do /bin/ip link set \$p master br0; /bin/ip link set \$p up; done; }"
}

# assert_only_rail NETDEV: what is below it is no rail, nor did it ask for a lease.
assert_only_rail() {
    assert_state '[.rails[].netdev] | @text' "[\"$1\"]"
    assert_eq "$(server dhcp leases | wc -l)" 1 "leases"
}

@test "NFSoRDMA over a VLAN; its parent has no address" {
    NODE_SECOND=
    node_start "$image" "$console root=nfs:$vlan_ip:$root_path:vers=4.2,proto=rdma,port=20049 \
vlan=vlan0005:ens2 ip=vlan0005:dhcp rd.neednet=1 ${rxe/eth0/ens2}"
    assert_boot 120 4.2 rdma
    assert_only_rail vlan0005
    assert_state '.causes | length' 0
    assert_rail '.address | startswith("10.98.0.")' true
}

# Its address is the second interface's, which is named first, by its ifname=, and comes when the
# other one is part of the bond already. Under the running root the first one's cable comes in, and
# the active one's goes out.
@test "active-backup: one cable out before the boot, the other after it; the agent is killed" {
    NODE_LATE=1
    node_start "$image" "$console $tcp_root ${bond/eth0,eth1/leaf1,eth0}:4000 ip=bond0:dhcp \
ifname=leaf1:52:54:00:99:00:65 rd.route=192.0.2.0/24:$server_ip:bond0 \
bootmark.kill=addr finalinit=cable:2"
    node_cable off
    node_wait 60 'eth0: part of bond0'
    node_plug
    node_wait 120 'finalinit: the server may go'
    node_mark
    node_cable on
    node_next 10 'link eth0 flags .* -> '
    stopwatch
    node_cable off n1
    assert_boot 60 4.2 tcp
    assert_within .stalled_s 3 "the root was not read"
    assert_only_rail bond0
    assert_killed addr
    assert_console 'bond0: bond adopted'
    assert_rail .hwaddr 52:54:00:99:00:65
    assert_rail .mtu 4000
    assert_rail '.lower | sort | @text' '["eth0","leaf1"]'
    assert_rail '.routes | @text' "[{\"dst\":\"192.0.2.0/24\",\"gateway\":\"$server_ip\"}]"
    grep -q '^bond0.*000200C0.*0100630A' "$node_dir/results/route"
}

@test "802.3ad with a partner; root over the bond" {
    server_bond "802.3ad lacp_rate fast"
    node_start "$image" "$console $tcp_root $lacp ip=bond0:dhcp"
    assert_boot 150 4.2 tcp
    assert_only_rail bond0
    assert_state '.rails[0].kind' bond
    assert_state '.rails[0].lower | sort | @text' '["eth0","eth1"]'
    assert_state '[.causes[].code] | index("IA-E405")' null
}

@test "802.3ad without a partner: said at once, and used without one in the end" {
    node_start "$image" "$console $tcp_root $lacp ip=bond0:dhcp rd.net.timeout.carrier=4"
    assert_boot 120 4.2 tcp
    assert_console 'bond0 has seen no LACP partner: its MAC is 00:00:00:00:00:00; .* IA-E405\)'
    assert_console 'bond0: IA-E405 no LACP partner.*used without one after 4 s'
    assert_only_rail bond0
}

@test "NFSoRDMA over a VLAN on a bond" {
    node_start "$image" "$console root=nfs:$vlan_ip:$root_path:vers=4.2,proto=rdma,port=20049 \
vlan=bond0.5:bond0 $bond:1400 ip=dhcp rd.rdma.link=rxe0,rxe,bond0 \
bonding.max_bonds=1"
    assert_boot 150 4.2 rdma
    assert_only_rail bond0.5
    assert_console 'bond0: bond adopted'
    assert_rail .mtu 1400
    assert_rail .rdma.device rxe0
}

@test "a bridge of a VLAN of a bond; BOOTIF= of a slave" {
    node_start "$image" "$console root=nfs4:$vlan_ip:$root_path bridge=br0:bond0.0005 \
vlan=bond0.0005:bond0 $bond ip=dhcp BOOTIF=01-52-54-00-99-00-65"
    assert_boot 150 4.2 tcp
    assert_only_rail br0
    assert_state '.rails[0].lower | @text' '["bond0.0005"]'
}

# Tagged frames are the VLAN's, the others the bridge's.
@test "a VLAN on a port of a bridge" {
    NODE_SECOND=
    node_start "$image" "$console root=nfs4:$vlan_ip:$root_path bridge=br0:eth0 ip=br0:dhcp \
vlan=eth0.5:eth0 ip=eth0.5:dhcp bootdev=eth0.5"
    assert_boot 120 4.2 tcp
    assert_state '.causes | length' 0
    assert_rail .netdev eth0.5
}

@test "a VLAN that carries nothing has a cause with its number" {
    NODE_SECOND=
    node_start "$image" "$console $tcp_root vlan=eth0.7:eth0 ip=eth0.7:dhcp rd.retry=30 $reboot"
    node_end 120
    assert_console 'giving up after .*: IA-E406 eth0.7: no frame was received'
    assert_console 'no frame received on VLAN 7 of eth0'
}

@test "a VLAN that nobody is on, below a bridge with a static address: it is named" {
    NODE_SECOND=
    node_start "$image" "$console root=nfs4:192.0.2.1:/x vlan=eth0.7:eth0 bridge=br0:eth0.7 \
ip=192.0.2.2:::24::br0:none rd.retry=30 $reboot"
    node_end 120
    assert_console 'br0: IA-E406 .*: no frame received on VLAN 7 of eth0'
}

# The server's bridge is the switch as well: it drops what is larger than its port's 1500 octets.
@test "jumbo frames that the path drops: the interface and its MTU are named, in each round" {
    server shell '/bin/ip link set br0 mtu 9000 gso_max_segs 1'
    NODE_SECOND=
    node_start "$image" "$console $tcp_root ip=eth0:dhcp:9000 rd.retry=40 $reboot"
    assert_failed 90 IA-E613 restart
    assert_console 'IA-E613 .*are large packets lost \(MTU\)\? \(over eth0, MTU 9000\)'
    run -1 grep mountd "$node_dir/console.log"
    server shell '/bin/ip link set br0 mtu 1500 gso_max_segs 65535'
}

@test "active_slave= of a bond whose links come up later than they join" {
    node_start "$image" "$console $tcp_root $bond,miimon=100,active_slave=eth1 ip=bond0:dhcp"
    assert_boot 60 4.2 tcp
    assert_only_rail bond0
    assert_state '.causes | length' 0
    grep -q '^Currently Active Slave: eth1$' "$node_dir/results/bond0"
}
