#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every way the software HCA and the server can fail an InfiniBand node: the node names the cause
# while it waits, and boots by itself once the fault is gone. A table of all of them is printed.
# first: many boots

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/infiniband

teardown_file() {
    [ ! -e "$vm_logs/table" ] || sed 's/^/# /' "$vm_logs/table" >&3
    vm_end
}

# row NAME CODE: for the table, from the node's own record.
row() {
    local seconds
    seconds=$(node_result '(.init_ns - .pid1_ns) / 1e9' 2>/dev/null | cut -c 1-5) || seconds=-
    printf '%-44s %-9s %8s\n' "$1" "$2" "$seconds" >>"$vm_logs/table"
}

# heals CODE BREAK FIX [WORDS]: the server's command BREAK makes the node wait for CODE, after FIX
# it boots. WORDS are for the node's command line.
heals() {
    local code=$1 break=$2 fix=$3
    shift 3
    on server "$break"
    node_start "$image" "$console $ib_root rd.neednet=1 $hca rd.retry=160 $*"
    node_wait 60 "$code"
    on server "$fix"
    assert_boot 120 4.2 rdma
    row "$BATS_TEST_DESCRIPTION" "$code"
}

# gives_up CODE BREAK [WORDS]: the fault stays, the node names the cause and ends in time: it has
# three times as long as an emulated one needs to find it, half of that for its modules.
gives_up() {
    local code=$1 break=$2
    shift 2
    on server "$break"
    node_start "$image" "$console $ib_root rd.neednet=1 $hca rd.retry=30 $reboot $*"
    node_end 60
    [ ! -e "$node_dir/results/result.json" ]
    assert_console "$code"
    node_ended_by restart
    row "$BATS_TEST_DESCRIPTION" "$code"
}

# passes BREAK COUNTER [LEAST]: a nuisance that only costs time. It was there: the port's COUNTER
# rose by LEAST.
passes() {
    local before
    on server "$1"
    before=$(on server "stat $p $2")
    node_start "$image" "$console $ib_root rd.neednet=1 $hca rd.retry=160"
    assert_boot 150 4.2 rdma
    assert_most $((before + ${3:-1})) "$(on server "stat $p $2")" "$2 (at least)"
    row "$BATS_TEST_DESCRIPTION" none
}

p=leaf01/p2
# SubnAdm Set(MCMemberRecord), the node's way into the switch
join="dir=rx class=0x03 method=0x02 attr=0x38"

@test "cable out (Polling)" { heals IA-E305 "fault $p hold=polling" "fault $p hold=none"; }
@test "cable out and in before ACTIVE, in DHCP, while mounting, at hand-over, under the root" {
    on server "dhcp_stop; nfsd_pause"
    fault hold=polling
    NODE_TALK=1
    node_start "$image" "$console $ib_root ip=dhcp $hca rd.break finalinit=outage"
    pulled_through 'ib0: sib0/1 Polling .* \(.*IA-E305\)' 'on server dhcp_start' \
        'on server nfsd_resume' IA-E305
}
@test "link down" { heals 'IA-E30[25]' "fault $p hold=down" "fault $p hold=none"; }
@test "held in INIT" {
    heals IA-E306 "fault $p hold=init" "fault $p hold=none"
    assert_console 'no subnet manager yet, but its switch names one at LID [0-9]+ \(cable ends at'
}
@test "held in ARMED" { heals IA-E302 "fault $p hold=armed" "fault $p hold=none"; }
@test "no subnet manager" { heals IA-E306 "sm_stop" "sm"; }
@test "every packet lost" { heals 'IA-E30[56]' "fault $p drop=1000000" "fault $p drop=0"; }
@test "every packet damaged" { heals 'IA-E30[56]' "fault $p corrupt=1000000" "fault $p corrupt=0"; }
@test "the SM's MADs lost" { heals IA-E306 "rule $p drop class=0x81" "rule $p clear"; }
@test "another SM LID: the SA is silent" { heals IA-E308 "fault $p sm_lid=77" "fault $p sm_lid=0"; }
@test "SA silent, probed" {
    heals IA-E308 "rule $p drop dir=rx class=0x03" "rule $p clear" rd.ib.sm-probe=1
}
@test "SA silent, not probed" { heals IA-E308 "rule $p drop dir=rx class=0x03" "rule $p clear"; }
@test "SA probed, ib_umad kept out" {
    gives_up IA-E206 true rd.ib.sm-probe rd.driver.blacklist=ib_umad
    assert_console 'giving up after [0-9]+ s: IA-E206 ib0'
}
@test "SM dies while the node waits for DHCP" {
    on server dhcp_stop
    node_start "$image" "$console $ib_root rd.neednet=1 $hca rd.retry=160"
    node_wait 60 IA-E501
    on server sm_stop
    node_wait 60 IA-E308
    on server "sm; dhcp_start"
    assert_boot 120 4.2 rdma
    row "$BATS_TEST_DESCRIPTION" IA-E308
}
@test "SM dies after ACTIVE, before the mount" {
    on server dhcp_stop
    node_start "$image" "$console $ib_root rd.neednet=1 $hca rd.retry=40 $reboot"
    node_wait 60 IA-E501
    on server "sm_stop; dhcp_start"
    node_end 90
    [ ! -e "$node_dir/results/result.json" ]
    assert_console 'giving up after [0-9]+ s: IA-E308'
    node_ended_by restart
    row "$BATS_TEST_DESCRIPTION" IA-E308
}
# taken_over CODE BREAK FIX [WORDS]: the node waits for CODE, the master SM is killed, another one
# with the same or another prefix takes over, and the node boots. sm2's options are in $standby.
taken_over() {
    local code=$1 break=$2 fix=$3
    shift 3
    on server "sm2 ${standby:-0}; $break"
    node_start "$image" "$console $ib_root rd.neednet=1 $hca rd.retry=160 $*"
    node_wait 60 "$code"
    on server "sm_stop; sm2_master"
    on server "$fix"
    [ -z "$NODE_TALK" ] || node_tell 'go on'
    assert_boot 120 4.2 rdma
    on server "sm_gone && ! sm2_gone"
    row "$BATS_TEST_DESCRIPTION" "$code"
}

# assert_second_sm: the node's state has the LID of the second SM.
assert_second_sm() {
    local lid
    lid=$(on server "cat /sys/class/infiniband/sibsm/ports/1/lid")
    assert_eq "$(node_state .ports[0].sm_lid)" "$((lid))" "LID of the subnet manager"
}
prefix=fe:c0:00:00:00:00:0a:bc
guid=50:54:00:ff:fe:99:00:64
other_prefix="0 'subnet_prefix 0x${prefix//:/}'"

# assert_prefix: in the node's root the port has a GID of that prefix, and IPoIB an address of it.
assert_prefix() {
    assert_eq "$(tr -d : <"$node_dir/results/gid")" "${prefix//:/}${guid//:/}" "GID of the port"
    assert_eq "$(cut -d : -f 5- "$node_dir/results/address")" "$prefix:$guid" "address of ib0"
    assert_eq "$(<"$node_dir/results/broadcast")" \
        00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff "broadcast address of ib0"
}

# assert_held: the node's address is in the server's list of leases, with its client identifier.
assert_held() {
    assert_rail .address 10.9.0.20/24
    on server "grep -qi ' 10.9.0.20 .* ff:00:.*:$guid$' /run/dnsmasq.leases"
}

@test "master SM killed while the node waits for its port" {
    taken_over IA-E306 "fault $p hold=init" "fault $p hold=none"
    assert_second_sm
}
@test "master SM killed in DHCP, the next has another subnet prefix" {
    standby=$other_prefix taken_over IA-E501 dhcp_stop "wait_prefix $prefix; dhcp_start"
    assert_second_sm
    assert_prefix
    assert_held
}
@test "master SM killed while the node mounts, the next has another subnet prefix" {
    standby=$other_prefix taken_over 'E60[0-9]' nfsd_pause \
        "wait_prefix $prefix; nfsd_resume"
    assert_second_sm
    assert_prefix
    assert_held
}
@test "master SM killed under a running root, the next has another subnet prefix: read on" {
    NODE_TALK=1
    standby=$other_prefix taken_over 'finalinit: the server may go' true \
        "wait_prefix $prefix; nfsd_pause; nfsd_resume" finalinit=outage
    assert_console 'finalinit: back'
    assert_stalled
    assert_prefix
    assert_held
}
@test "an SM of higher priority takes over while the node waits for DHCP" {
    on server dhcp_stop
    node_start "$image" "$console $ib_root rd.neednet=1 $hca rd.retry=160"
    node_wait 60 IA-E501
    on server "sm2 5; sm2_master; dhcp_start"
    assert_boot 120 4.2 rdma
    assert_second_sm
    row "$BATS_TEST_DESCRIPTION" none
}
@test "default P_Key absent" {
    heals IA-E307 "fault $p pkey_remove=0xffff" "fault $p pkey_remove=none; sm_sweep"
}
@test "partition's P_Key absent" {
    heals IA-E307 "partition 0x8001 10.9.1.1/24; fault $p pkey_remove=0x8001" \
        "fault $p pkey_remove=none; sm_sweep" rd.ib.pkey=0x8001 ip=10.9.1.20:::24::ib0.8001:none \
        "root=nfs:10.9.1.1:$root_path:vers=4.2,proto=rdma,port=20049"
}
@test "two limited members of a partition" {
    heals 'E60[0-9].*limited member of its partition' \
        "partition 0x8001 10.9.1.1/24; lab_members limited" "lab_members full" \
        rd.ib.pkey=0x8001 ip=10.9.1.20:::24::ib0.8001:none \
        "root=nfs:10.9.1.1:$root_path:vers=4.2,proto=rdma,port=20049"
}
@test "partition without broadcast group" { gives_up IA-E309 true rd.ib.pkey=0x8002; }
@test "join refused" { heals IA-E310 "rule $p refuse:0x0200 $join" "rule $p clear"; }
@test "join's answers lost" { heals IA-E402 "rule $p drop $join" "rule $p clear"; }
@test "no DHCP server" { heals IA-E501 dhcp_stop dhcp_start; }
@test "only a DHCP server that is not allowed" {
    gives_up IA-E503 true rd.net.dhcp.server=10.9.0.9
}
@test "address in use" {
    gives_up IA-E505 true ip=10.9.0.1::10.9.0.1:24::ib0:none \
        "root=nfs:10.9.0.2:$root_path:proto=rdma"
}
@test "server's address unknown to anybody" {
    gives_up IA-E601 true "root=nfs:10.9.0.99:$root_path:vers=4.2,proto=rdma,port=20049"
}
@test "NFS server stopped" { heals 'IA-E60[25]' nfsd_pause nfsd_resume; }
@test "path not exported" {
    gives_up IA-E603 true root=nfs:10.9.0.1:/export/none:vers=4.2,proto=rdma,port=20049
}
@test "no HCA of that name" {
    hca="rd.rdma.link=sib0,softib,eth0" gives_up IA-E301 true rd.ib.port=mlx5_0/1
}
@test "no HCA at all" { hca="rd.ib.port=sib0" gives_up IA-E301 true; }
@test "HCA plugged in late, out while the node waits for DHCP, in again" {
    NODE_SECOND=1 NODE_LATE=1
    on server dhcp_stop
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 rd.retry=160 \
rd.rdma.link=sib0,softib,eth1 rd.ib.port=sib0"
    node_wait 60 IA-E301
    node_plug
    node_wait 60 IA-E501
    node_unplug
    node_wait 60 'ib0: the interface is gone .*IA-E401'
    node_plug
    on server dhcp_start
    assert_boot 120 4.2 rdma
    assert_state '[.causes[].code | select(. == "IA-E403")] | length' 0
    row "$BATS_TEST_DESCRIPTION" IA-E401
}
@test "IPoIB's module kept out" { gives_up 'IA-E206' true rd.driver.blacklist=ib_ipoib; }
@test "link flaps while the node boots" {
    local before
    before=$(on server "stat $p link_downed")
    node_start "$image" "$console $ib_root rd.neednet=1 $hca rd.retry=160"
    node_wait 60 'ib0: found'
    on server "fault $p flap=3000"
    assert_boot 150 4.2 rdma
    assert_most $((before + 1)) "$(on server "stat $p link_downed")" "links down (at least)"
    row "$BATS_TEST_DESCRIPTION" none
}
@test "SM packets doubled" { passes "rule $p dup:2 class=0x81" fault_mads 3; }
@test "SM packets 400 ms late" { passes "rule $p delay:400 dir=tx class=0x81 method=2" fault_mads; }
@test "join answered 2 s late" { passes "rule $p delay:2000 $join" fault_mads; }
@test "1 % of all packets lost, damaged or doubled" {
    passes "fault $p drop=10000 corrupt=2000 dup=1000 seed=7" fault_drops 5
}
@test "every packet 20 ms late" { passes "fault $p delay=1000000 delay_ms=20" fault_delays 20; }
