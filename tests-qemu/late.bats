#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Servers and cables that come late: the agent waits for the event, says what it waits for, and
# goes on as soon as it can.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/scenario

# of two links the server makes a bridge
setup_file() {
    vm_begin late
    SERVER_LINKS=2 server_start >/dev/null
}

handed_over='reboot: '

@test "DHCP server up late" {
    server dhcp stop
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.retry=160"
    node_wait 60 'initagent.*DHCP'
    refute_within 3 "$handed_over"
    server dhcp start
    assert_boot 60 4.2 rdma
}

@test "NFS server up late" {
    server nfs stop
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.retry=160"
    node_wait 60 'IA-E60[12]'
    refute_within 3 "$handed_over"
    server nfs start rdma
    assert_boot 60 4.2 rdma
    assert_state .root.fell_back false
}

@test "only the RDMA listener late: no fall-back while it is not allowed" {
    server nfs stop
    server nfs start
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.retry=160"
    node_wait 60 'IA-E60[25]'
    refute_within 3 "$handed_over"
    server nfs stop
    server nfs start rdma
    assert_boot 60 4.2 rdma
    assert_state .root.proto rdma
}

# spanning_tree 0|1 HUNDREDTHS: how long a port listens, and then learns
spanning_tree() {
    local bridge=/sys/class/net/br0/bridge
    server shell "echo $1 >$bridge/stp_state; echo $2 >$bridge/forward_delay"
}

# The switch's port listens and learns for 25 s each from when the cable is plugged in, as with
# spanning tree and no edge port, and forwards nothing.
@test "a switch port that forwards after 50 s" {
    local pauses
    spanning_tree 1 2500
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe"
    server shell '/bin/ip link set eth0 down; /bin/ip link set eth0 up'
    node_wait 60 'IA-E501'
    assert_eq "$(server shell cat /sys/class/net/eth0/brport/state)" 1 "the port listens"
    assert_boot 120 4.2 rdma
    assert_state '.phases[] | select(.name == "address") | .end_s - .begin_s > 30' true
    # the pauses between its packets grow: 1, 2, 4 ... s
    pauses=$(node_state '[.work[] | select(.what | startswith("DHCP packet")) |
        .end_s - .begin_s] | "\(length >= 6 and .[0] < 2 and .[2] > 3 and .[5] > 6) \(.)"')
    [[ $pauses == "true "* ]] || {
        echo "pauses between DHCP packets: $pauses"
        return 1
    }
    spanning_tree 0 0
}

# The cable is out before the interface ever had a carrier, and again at each stage.
@test "cable out and in before the carrier, in DHCP, while mounting, at hand-over, under the root" {
    server dhcp stop
    server nfs stop
    NODE_TALK=1
    node_start "$image" "$console $rdma_root,timeo=150 ip=dhcp $rxe rd.break finalinit=outage"
    node_cable off
    pulled_through 'eth0: .*carrier.* \(.*IA-E402\)' 'server dhcp start' \
        'server nfs start rdma' IA-E402
}

# The cable is out under the running root, whose only way it is. TCP sends again after pauses that
# double: at most as long after the cable is in as it was out.
@test "the first NFS server is down, the second has no RDMA listener; TCP is allowed; a cable" {
    server nfs stop
    server nfs start
    node_start "$image" "$console ip=dhcp rd.neednet=1 $rxe rd.nfs.fallback=tcp rd.retry=160 \
root=nfs:10.99.0.9,$server_ip:$root_path:vers=4.2,proto=rdma,port=20049 finalinit=cable:2"
    node_wait 120 'finalinit: the server may go'
    node_cable off
    refute_within 4 'finalinit: back'
    stopwatch
    node_cable on
    assert_boot 60 4.2 tcp
    assert_within .back_s 5 "from the carrier until the root is read"
    assert_state .root.server "$server_ip"
    assert_state '[.causes[] | [.code, .where]] | @text' \
        "[[\"IA-E601\",\"10.99.0.9\"],[\"IA-E605\",\"$server_ip\"]]"
    assert_state .root.proto tcp
    assert_state .root.fell_back true
    assert_console 'falling back to TCP as allowed'
}
