#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root over IPv6: automatic, DHCPv6 and static addresses, NFS over RDMA (Soft-RoCE) and TCP.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/scenario

server6=2001:db8:99::1
rdma6_root="root=nfs:[$server6]:$root_path:vers=4.2,proto=rdma,port=20049"
router=(--enable-ra "--dhcp-range=2001:db8:99::,ra-only")
stateful=(--enable-ra "--dhcp-range=2001:db8:99::100,2001:db8:99::1ff,64,1h"
    "--dhcp-option=option6:dns-server,[$server6]" "--address=/six.lab.test/$server6")

# Like the other scenarios' setup, and the server's IPv6 side beside its IPv4 one; no router yet.
setup() {
    node_of_case agent.img
    server reset
    server dhcp stop
    server shell "/bin/ip -6 addr replace $server6/64 dev eth0 nodad"
    server shell "echo 1 >/proc/sys/net/ipv6/conf/all/forwarding"
}

@test "NFSoRDMA with an automatic address" {
    server dhcp start "${router[@]}"
    node_start "$image" "$console $rdma6_root ip=auto6 $rxe"
    assert_boot 90 4.2 rdma6
    assert_state .root.proto rdma
    assert_state .root.address "$server6"
    assert_state '.rails[0].method' auto6
    [[ $(node_state '.rails[0].address') == 2001:db8:99:*/64 ]]
    [[ $(node_state '.rails[0].gateway') == fe80::* ]]
    assert_state '.causes | length' 0
    assert_console 'eth0.*2001:db8:99:.*/64, router fe80::'
}

@test "NFSoRDMA with DHCPv6, server named" {
    server dhcp start "${stateful[@]}"
    node_start "$image" \
        "$console root=nfs:six.lab.test:$root_path:vers=4.2,proto=rdma,port=20049 ip=dhcp6 $rxe"
    assert_boot 90 4.2 rdma6
    assert_state .root.address "$server6"
    assert_state '.rails[0].method' dhcp6
    [[ $(node_state '.rails[0].address') == 2001:db8:99::1*/128 ]]
    assert_state '.rails[0].lease.seconds' 3600
    assert_state '.rails[0].dns[0]' "$server6"
}

@test "NFSoRDMA with either6, the router has DHCPv6 only" {
    server dhcp start "${stateful[@]}"
    node_start "$image" "$console $rdma6_root ip=either6 $rxe"
    assert_boot 90 4.2 rdma6
    assert_state '.rails[0].method' dhcp6
}

@test "static address and gateway, NFSoRDMA; no router on the segment" {
    node_start "$image" \
        "$console $rdma6_root $rxe ip=[2001:db8:99::50]::[$server6]:64:node50:eth0:none"
    assert_boot 90 4.2 rdma6
    assert_state '.rails[0].method' static
    assert_state '.rails[0].address' 2001:db8:99::50/64
    assert_state '.rails[0].gateway' "$server6"
    assert_eq "$(<"$node_dir/results/hostname")" node50 "host name"
}

@test "plain NFS over TCP, IPv4 beside IPv6" {
    server dhcp start "${router[@]}"
    node_start "$image" "$console root=nfs4:[$server6]:$root_path ip=dhcp,auto6"
    assert_boot 90 4.2 tcp6
    assert_state '.rails[0].method' dhcp
    [[ $(node_state '.rails[0].address') == 10.99.0.*/24 ]]
    assert_state '.rails[0].method6' auto6
    [[ $(node_state '.rails[0].address6') == 2001:db8:99:*/64 ]]
    assert_state '.causes | length' 0
}

@test "link-local addresses are enough on one segment: TCP, then RDMA" {
    local server_link=fe80::5054:ff:fe99:1
    node_start "$image" "$console root=nfs4:[$server_link]:$root_path ip=link6"
    assert_boot 90 4.2 tcp6
    assert_state '.rails[0].method' link6
    assert_state .root.address "$server_link%eth0"
    # both interfaces have a route to it; without the zone the first one's turn would come first
    NODE_SPARE=virtio-net-pci
    node_start "$image" "$console ip=link6 rd.rdma.link=rxe0,rxe,eth1 \
root=nfs:[$server_link%eth1]:$root_path:vers=4.2,proto=rdma,port=20049"
    assert_boot 90 4.2 rdma6
    assert_state .root.address "$server_link%eth1"
    assert_state '.causes | length' 0
}

@test "no ip= at all: the server's address says that IPv6 is wanted" {
    server dhcp start "${router[@]}"
    node_start "$image" "$console $rdma6_root $rxe"
    assert_boot 90 4.2 rdma6
}

@test "root=dhcp6, no ip=: DHCPv6's boot file URL names the root" {
    server dhcp start "${stateful[@]}" \
        "--dhcp-option=option6:bootfile-url,nfs:[$server6]:$root_path:vers=4.2,proto=rdma"
    node_start "$image" "$console root=dhcp6 $rxe"
    assert_boot 90 4.2 rdma6
    assert_state .root.address "$server6"
    assert_state '.rails[0].method' dhcp6
    assert_console 'root-path from DHCP: nfs:\[2001:db8:99::1\]'
}

@test "NFS version 3 over RDMA" {
    server dhcp start "${router[@]}"
    node_start "$image" \
        "$console root=nfs:[$server6]:$root_path:vers=3,proto=rdma,port=20049 ip=auto6 $rxe"
    assert_boot 90 3 rdma6
}

@test "stand-alone image: killed while it waits, before and after the mount" {
    server dhcp start "${stateful[@]}"
    node_start "$image" "$console $rdma6_root ip=dhcp6 $rxe bootmark.kill=link,addr,mount"
    assert_boot 90 4.2 rdma6
    assert_killed link,addr,mount
    assert_console '2001:db8:99::1.*/128, dhcp6 for 3600 s, adopted'
}

@test "systemd flavour of the dracut module" {
    server dhcp start "${router[@]}"
    node_start "$LAB/agent-systemd.img" \
        "$console net.ifnames=0 $rdma6_root ip=auto6 rd.neednet=1 $rxe"
    assert_boot 150 4.2 rdma6
}

@test "the kernel's IPv6 is switched off: the cause" {
    node_start "$image" "$console $rdma6_root ip=auto6 $rxe ipv6.disable=1 rd.retry=20 $reboot"
    assert_failed 90 IA-E703 restart
    assert_console 'waiting for the kernel.s IPv6 .*IA-E520'
}

@test "no router on the segment: the cause, and the end asked for" {
    node_start "$image" \
        "$console $rdma6_root ip=auto6 $rxe rd.net.timeout.ipv6auto=5 rd.retry=20 $reboot"
    assert_failed 90 IA-E703 restart
    assert_console 'IA-E521'
}
