#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# IPv6 over InfiniBand: automatic, DHCPv6 and static addresses on IPoIB, NFSoRDMA root by RDMA-CM
# over IPv6.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/infiniband

server6=2001:db8:9::1
ib6_root="root=nfs:[$server6]:$root_path:vers=4.2,proto=rdma,port=20049"

setup() {
    node_of_case agent-softib.img
    on server "fabric_reset"
    on server "dhcp_stop"
    on server "/bin/ip -6 addr replace $server6/64 dev ib0 nodad"
    on server "echo 1 >/proc/sys/net/ipv6/conf/all/forwarding"
}

@test "automatic address, made from the port GUID" {
    on server "dhcp_start --enable-ra --dhcp-range=2001:db8:9::,ra-only"
    node_start "$image" "$console $ib6_root ip=auto6 $hca"
    assert_boot 120 4.2 rdma6
    assert_rail .netdev ib0
    assert_rail .method auto6
    [[ $(node_state '.rails | map(select(.carries_root)) | .[0].address') == 2001:db8:9:*/64 ]]
    assert_state '.causes | length' 0
}

@test "DHCPv6: known by the port GUID" {
    on server "dhcp_start --enable-ra --dhcp-range=2001:db8:9::100,2001:db8:9::1ff,64,1h \
--dhcp-host=id:00:03:00:20:50:54:00:ff:fe:99:00:64,[2001:db8:9::77]"
    node_start "$image" "$console $ib6_root ip=dhcp6 $hca"
    assert_boot 120 4.2 rdma6
    assert_rail .address 2001:db8:9::77/128
    assert_rail .lease.client_id 00030020505400fffe990064
}

# Its first solicitation is lost in IPoIB, which still joins the group that it goes to.
@test "static address, in use at first; IPv4 by DHCP beside it" {
    on server "dhcp_start; /bin/ip -6 addr add 2001:db8:9::50/64 dev ib0 nodad"
    node_start "$image" "$console $ib6_root ip=[2001:db8:9::50]:::64::ib0:none ip=ib0:dhcp $hca"
    node_wait 60 'ib0: IA-E505 .*2001:db8:9::50 is in use by another host'
    on server "/bin/ip -6 addr del 2001:db8:9::50/64 dev ib0"
    assert_boot 120 4.2 rdma6
    assert_rail .address6 2001:db8:9::50/64
    assert_rail .method dhcp
}
