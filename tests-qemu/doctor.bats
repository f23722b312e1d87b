#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# "initagent doctor" and "initagent ports" of the product on a running kernel with the software HCA:
# the real ib_umad, ib_ipoib and OpenSM. One VM and its own switch. The first two cases need a VM
# without an HCA, or without a subnet manager; each other one begins with a fabric that is up, and
# takes its own fault back.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/softib

setup_file() {
    vm_begin doctor
    mkdir -p "$vm_logs/extra/bin"
    cp "$vm_build/initagent" "$vm_logs/extra/bin/initagent"
    (cd "$vm_logs/extra" && find . | cpio --quiet -o -H newc >"$vm_logs/extra.cpio")
    SERVER_EXTRA=$vm_logs/extra.cpio sib_start_server
}

teardown_file() {
    sib_stop
    vm_end
}

phys_state=/sys/class/infiniband/sib0/ports/1/phys_state
hca_up="modprobe softib && ulps && switch leaf01 &&
    /bin/rdma link add sib0 type softib netdev swhca"

# fabric_up: HCA, switch, subnet manager, IPoIB with carrier, whatever was there before
fabric_up() {
    on server "[ -e /sys/class/infiniband/sib0 ] || { $hca_up; };
        partitions; faults_clear; modprobe ib_umad; ip link set swport up; ip link set ib0 up;
        if [ ! -e /run/opensm.pid ] || sm_gone; then sm; fi;
        wait_active sib0 && wait_carrier ib0"
}

teardown() {
    # nothing of it troubles the kernel
    no_trouble server
    [ -n "${BATS_TEST_COMPLETED:-}${BATS_TEST_SKIPPED:-}" ] || {
        on server "initagent doctor; tail -n 5 /run/opensm.log; dmesg | tail -n 5; sm_stop" || true
    }
}

# doctor FILTER: jq over what the doctor says, then its exit status
doctor() {
    local text
    text=$(on server 'initagent doctor --json; echo $?') || return
    jq -r "$1" <<<"${text%$'\n'*}"
    echo "exit ${text##*$'\n'}"
}

# judged STATUS FILTER WANT
judged() {
    assert_eq "$(doctor "$2")" "$3"$'\n'"exit $1" "judgement"
}

@test "no RDMA device" {
    judged 3 '.verdict, .findings[].id' $'no device\nPORT_NO_HCA'
    assert_eq "$(on server "initagent ports")" "no RDMA device"
}

@test "an HCA without subnet manager: where the cable ends" {
    on server "$hca_up"
    on server "soon grep -q LinkUp $phys_state"
    judged 2 '(.ports[0] | .state, .neighbour.name, .neighbour.port), .findings[].id' \
        $'INIT\nleaf01\n1\nPORT_NO_SM'
    on server "initagent doctor" | grep -F \
        'IA-E306 sib0/1 LinkUp INIT, no subnet manager yet (cable ends at leaf01 port 1)'
}

@test "the subnet manager answers, IPoIB has carrier" {
    fabric_up
    judged 0 '.verdict, (.ports[0] | .sm.state, .sm.priority, (.netdevs[0] |
        .name, .carrier, .pkey)), (.findings | length)' \
        $'ready\nalive\n0\nib0\ntrue\nffff\n0'
    # Who it is, as infiniband-diags see it.
    assert_eq "$(doctor '.ports[0].sm.guid' | head -n 1)" "$(on server "sminfo" |
        sed -n 's/.*sm guid 0x0*\([0-9a-f]*\),.*/\1/p' |
        sed 's/.*/0000000000000000&/; s/.*\(.\{16\}\)$/\1/')" "the subnet manager's GUID"
    # The file to send: the same judgement, and what it rests on.
    on server "initagent doctor --report" >"$BATS_TEST_TMPDIR/report"
    assert_eq "$(jq -r '.doctor.verdict,
        (.files[] | select(.path | endswith("/sib0/ports/1/sm_lid")) | .text),
        any(.files[]; .path == "/proc/modules"), any(.kernel_log[]; test("rdma|ib0: "))' \
        "$BATS_TEST_TMPDIR/report")" $'ready\n0x1\ntrue\ntrue' "the report"
    local table
    table=$(on server "initagent ports --ask")
    grep -E '^sib0/1 +InfiniBand +LinkUp +ACTIVE ' <<<"$table"
    grep -E '^  netdev ib0, carrier, MTU [0-9]+, P_Key ffff, datagram$' <<<"$table"
    grep -F '  cable ends at leaf01 port 1' <<<"$table"
}

@test "the judgement of a healthy port takes less than a second" {
    local took
    fabric_up
    judged 0 .verdict ready
    stopwatch
    took=$(on server "now >/run/t; initagent doctor >/dev/null; now >>/run/t; cat /run/t" |
        paste -sd ' ')
    # shellcheck disable=SC2086 # two numbers
    assert_ms $took 1000 "judgement"
}

@test "partitions: one that works, one without a group, one this port is not in" {
    fabric_up
    on server "partition 0x8001 10.9.1.1/24"
    judged 0 '.ports[0].netdevs[] | "\(.name) \(.carrier) \(.pkey)"' \
        $'ib0 true ffff\nib0.8001 true 8001'
    on server "lab_members limited"
    judged 0 '.findings[] | select(.where == "ib0.8001") | "\(.trouble) \(.text)"' \
        'false sib0/1 is a limited member of partition 8001: it reaches full members only'
    on server "lab_members full"
    on server "ip link add link ib0 name ib0.8002 type ipoib pkey 0x8002 && ip link set ib0.8002 up"
    judged 2 '.findings[] | select(.trouble) | "\(.id) \(.where)"' "IPOIB_NO_GROUP ib0.8002"
    on server "ip link del ib0.8002; ip link add link ib0 name ib0.8009 type ipoib pkey 0x8009;
        ip link set ib0.8009 up"
    judged 2 '.findings[] | select(.trouble) | "\(.id) \(.where)"' "PORT_NO_PKEY ib0.8009"
    on server "ip link del ib0.8009"
}

@test "a subnet manager that died" {
    fabric_up
    on server "sm_stop"
    judged 2 '(.ports[0] | .state, .sm.state), (.findings[] | select(.trouble).id)' \
        $'ACTIVE\nsilent\nPORT_SM_SILENT'
    # Its host is alive and says so: nothing is waited for.
    local took
    stopwatch
    took=$(on server "now >/run/t; initagent doctor >/dev/null; now >>/run/t; cat /run/t" |
        paste -sd ' ')
    # shellcheck disable=SC2086 # two numbers
    assert_ms $took 1500 "judgement without subnet manager"
    # ib_umad is not in use any more.
    on server "rmmod ib_umad"
    judged 0 '.findings[].text' 'subnet manager not queried over sib0/1: ib_umad is not loaded'
    on server "modprobe ib_umad"
}

# pings STATUS WANT: what doctor --ping says of the other VM's server, without the times
pings() {
    local text
    text=$(on server 'initagent doctor --ping 10.9.0.2; echo "exit $?"')
    echo "$text"
    text=$(grep -v '  check ' <<<"$text" | sed -E 's/ +[0-9]+\.[0-9]+ ms +/: /')
    assert_eq "$text" "10.9.0.2:"$'\n'"$2"$'\n'"exit $1" "steps"
}

@test "--ping: ICMP, path record and connection, each with its cause" {
    fabric_up
    on server "/bin/rdma link add leaf01 type softib-switch netdev eth0"
    on server "ip addr add 10.9.0.1/24 dev ib0"
    sib_start_node node 0
    sib_ready node
    node_up node 10.9.0.2
    pings 2 "  ICMP: ok
  RDMA-CM address: ok
  SA path record: LID 1 to LID 3, P_Key ffff
  RDMA-CM connect 20049: IA-E605 refused, nothing listens at port 20049
not reached"
    on node "nfsd_start 20m"
    pings 0 "  ICMP: ok
  RDMA-CM address: ok
  SA path record: LID 1 to LID 3, P_Key ffff
  RDMA-CM connect 20049: ok
reached"
    # the server has forgotten the connection that was given up
    on node "soon sh -c '! /bin/rdma resource show qp | grep -q \"type RC\"'"
    on server sm_stop
    pings 2 "  ICMP: ok
  RDMA-CM address: ok
  SA path record: IA-E308 no path record: the subnet manager has stopped, or knows no path to it
  RDMA-CM connect 20049  not tried
not reached"
    vm_kill "$(sib_pid node)"
}

@test "a cable that is out" {
    fabric_up
    on server "ip link set swport down; soon grep -q Polling $phys_state"
    judged 2 '(.findings[] | select(.trouble).id), .ports[0].neighbour' $'PORT_NO_LINK\nnull'
    on server "ip link set swport up; soon grep -q LinkUp $phys_state"
}

@test "a switch that keeps silent, as one with an M_Key does" {
    fabric_up
    # a subnet manager that does not sweep, not even at a trap: the switch would be silent to it,
    # too, and lost
    on server "sm_stop; rm /run/opensm.log; echo 'sweep_on_trap FALSE' >/run/opensm.conf;
        SM_OPTIONS='-s 0 -F /run/opensm.conf' sm; soon grep -q 'SUBNET UP' /run/opensm.log;
        rule leaf01/p1 drop dir=rx class=0x81"
    judged 0 '.ports[0] | .state, .neighbour' $'ACTIVE\nnull'
    on server "rule leaf01/p1 clear"
    judged 0 '.ports[0].neighbour.name' leaf01
    on server sm_stop
}

# OpenSM runs on the HCA that is replaced, and its requests by directed route would be lost.
@test "an HCA that no libibverbs provider here serves, as Omni-Path's" {
    fabric_up
    on server "sm_stop; /bin/rdma link delete sib0;
        echo Y >/sys/module/softib/parameters/omni_path;
        /bin/rdma link add hfi1_0 type softib netdev swhca;
        soon grep -q LinkUp /sys/class/infiniband/hfi1_0/ports/1/phys_state"
    judged 2 '.findings[] | select(.where == "hfi1_0") | "\(.trouble) \(.text)"' \
        'false hfi1_0: no libibverbs provider for hfi1_0 in this program: it polls the port'
    on server "/bin/rdma link delete hfi1_0; echo N >/sys/module/softib/parameters/omni_path;
        /bin/rdma link add sib0 type softib netdev swhca"
    fabric_up
    judged 0 '.findings | length' 0
}
