#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The software InfiniBand HCA and switch: real OpenSM, IPoIB and NFSoRDMA between three VMs, node a
# and node b on ports 2 and 3 of a switch in the server VM. One fabric for the whole file; a test
# leaves it as it found it.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load softib

# Not all of these have passed on a quiet machine yet: they run when asked for.
proven() {
    [ -n "${SOFTIB:-}" ]
}

setup_file() {
    proven || return 0
    vm_begin softib
    sib_start_server
    sib_start_node a 0
    sib_start_node b 1
    sib_ready a
    sib_ready b
}

teardown_file() {
    proven || return 0
    sib_stop
    vm_end
}

setup() {
    proven || skip "still being proven; make check-softib runs it"
    [ "$BATS_TEST_NUMBER" = 1 ] || [ -e "$vm_logs/up" ] || {
        echo "there is no fabric to test on"
        return 1
    }
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}${BATS_TEST_SKIPPED:-}" ] || {
        VM_SHOW_LINES=30 vm_show
        on server "tail -n 15 /run/opensm.log; grep -v ' 0$' $faults/leaf01/p2/stats" || true
        on a "dmesg | tail -n 15; grep -v ' 0$' $faults/sib0/stats" || true
    }
}

faults=/sys/kernel/debug/softib

# until_on VM SECONDS CONDITION
until_on() {
    on "$1" "until_true $2 sh -c '. /etc/softib; $3'" || {
        echo "$1: not within $2 s: $3"
        return 1
    }
}

# ping_both_ways SIZE
ping_both_ways() {
    on a "ping -c 3 -s $1 $sib_server" | grep -q ' 0% packet loss'
    on server "ping -c 3 -s $1 10.9.0.2" | grep -q ' 0% packet loss'
}

@test "OpenSM brings every port to ACTIVE, IPoIB gets carrier" {
    local before active carrier
    read -r before active carrier < <(on server "modprobe softib && ulps &&
        switch leaf01 eth0 eth1 && /bin/rdma link add sib0 type softib netdev swhca &&
        ip link set ib0 up; now >/run/t; sm; wait_active sib0 10 && now >>/run/t;
        wait_carrier ib0 10 && now >>/run/t; ip addr add $sib_server/24 dev ib0;
        tr '\n' ' ' </run/t")
    assert_ms "$before" "$active" 3000 "OpenSM started to the server's port ACTIVE"
    assert_ms "$active" "$carrier" 1000 "ACTIVE to IPoIB carrier"
    read -r before active carrier < <(on a "modprobe softib && ulps; now >/run/t;
        /bin/rdma link add sib0 type softib netdev eth0 && ip link set ib0 up;
        wait_active sib0 10 && now >>/run/t; wait_carrier ib0 10 && now >>/run/t;
        ip addr add 10.9.0.2/24 dev ib0; tr '\n' ' ' </run/t")
    assert_ms "$before" "$active" 3000 "node a plugged in to its port ACTIVE"
    assert_ms "$active" "$carrier" 1000 "ACTIVE to IPoIB carrier on node a"
    node_up b 10.9.0.3
    : >"$vm_logs/up"
    no_trouble server a b
}

@test "the tools see it: ibstat, rdma link, ibv_devinfo" {
    run on a "ibstat"
    [[ $output == *"CA type: softib"*"State: Active"*"Physical state: LinkUp"* ]]
    [[ $output == *"SM lid: 1"*"Link layer: InfiniBand"* ]]
    run on a "/bin/rdma link show sib0/1"
    [[ $output == *"state ACTIVE physical_state LINK_UP"* ]]
    run on a "ibv_devinfo"
    [[ $output == *"PORT_ACTIVE"*"link_layer:"*"InfiniBand"* ]]
    # hardware's way from a netdev to its HCA: one device is the parent of both
    assert_eq "$(on a 'readlink -f /sys/class/net/ib0/device')" \
        "$(on a 'readlink -f /sys/class/infiniband/sib0/device')" "parents"
}

@test "topology: a switch with a name, nodes at its ports" {
    run on server "ibnetdiscover"
    [[ $output == *'Switch	8 "S-505400fffd99fe02"'*'"leaf01"'* ]]
    [[ $output == *'[2]	"H-505400fffe990064"[1]'*'[3]	"H-505400fffe990066"[1]'* ]]
    # and from the node, as the agent asks: the neighbour's name and port, by directed route
    run on a "smpquery -D nodedesc 0,1"
    [[ $output == *leaf01* ]]
    run on a "smpquery -D nodeinfo 0,1"
    [[ $output == *"LocalPort:"*.2* ]]
}

@test "subnet administration, SM, performance counters, ibping" {
    run on a "saquery -g"
    [[ $output == *"ff12:401b:ffff::ffff:ffff"* ]]
    run on a "sminfo"
    [[ $output == *SMINFO_MASTER* ]]
    run on a "perfquery 1 1"
    [[ $output == *PortXmitData* ]]
    run on a "perfquery 2 3"
    [[ $output == *"port 3"*PortRcvPkts* ]]
    on server "ibping -S >/dev/null 2>&1 & echo \$! >/run/ibping.pid"
    run on a "ibping -c 3 1"
    on server 'kill $(cat /run/ibping.pid)'
    [[ $output == *"3 received, 0% packet loss"* ]]
}

@test "a user program that wants a data path gets a clean refusal" {
    run on a "timeout 10 ibv_rc_pingpong"
    [ "$status" -ne 0 ]
    [[ $output == *"Couldn't"* ]]
    no_trouble a
}

@test "ping both ways, datagram mode" {
    ping_both_ways 56
    ping_both_ways 1900
    ping_both_ways 9000
}

@test "ping both ways, connected mode" {
    on a "echo connected >/sys/class/net/ib0/mode && ip link set ib0 mtu 65520"
    on server "echo connected >/sys/class/net/ib0/mode && ip link set ib0 mtu 65520"
    until_on a 5 "ping -c 1 -W 1 $sib_server"
    ping_both_ways 60000
    on a "/bin/rdma resource show qp" | grep -q 'type RC state RTS'
    on a "echo datagram >/sys/class/net/ib0/mode"
    on server "echo datagram >/sys/class/net/ib0/mode"
    until_on a 10 "ping -c 1 -W 1 $sib_server"
    no_trouble server a
}

@test "NFSoRDMA: 64 MiB read and written, checksums" {
    local sum before after
    on server "nfsd_start 400m && head -c 67108864 /dev/urandom >/export/big"
    sum=$(on server "md5sum </export/big")
    until_on a 5 "ping -c 1 -W 1 $sib_server"
    on a "nfs_mount $sib_server 10.9.0.2"
    on a "grep ' /mnt nfs4 ' /proc/mounts" | grep -q proto=rdma
    read -r before after < <(SIB_ASK=120 on a "now >/run/t; cat /mnt/big >/dev/null; now >>/run/t;
        tr '\n' ' ' </run/t")
    echo "# read: $((64 * 1000 / ((10#${after/./} - 10#${before/./}) * 10))) MiB/s" >&3
    assert_eq "$(SIB_ASK=120 on a "echo 3 >/proc/sys/vm/drop_caches; md5sum </mnt/big")" "$sum" "read"
    SIB_ASK=120 on a "head -c 67108864 /dev/urandom >/tmp/mine && cp /tmp/mine /mnt/back && sync"
    assert_eq "$(on server "md5sum </export/back")" "$(on a "md5sum </tmp/mine")" "written"
    no_trouble server a
}

@test "NFSoRDMA on two nodes at once" {
    local sum
    sum=$(on server "head -c 33554432 /export/big | md5sum")
    until_on b 5 "ping -c 1 -W 1 $sib_server"
    on b "nfs_mount $sib_server 10.9.0.3"
    on a "echo 3 >/proc/sys/vm/drop_caches; rm -f /run/sum;
        (head -c 33554432 /mnt/big | md5sum >/run/sum.part; mv /run/sum.part /run/sum) >/dev/null 2>&1 &"
    assert_eq "$(SIB_ASK=120 on b "head -c 33554432 /mnt/big | md5sum")" "$sum" "read by b"
    until_on a 60 "[ -e /run/sum ]"
    assert_eq "$(on a "cat /run/sum")" "$sum" "read by a"
    on b "umount /mnt"
}

@test "NVMe over RDMA: what is written comes back" {
    on server "nvmet_start 10.9.0.1"
    on b "nvme_connect 10.9.0.1 && until_true 10 test -b /dev/nvme0n1"
    SIB_ASK=120 on b "head -c 8388608 /dev/urandom >/tmp/blk &&
        dd if=/tmp/blk of=/dev/nvme0n1 bs=64k oflag=direct 2>/dev/null &&
        dd if=/dev/nvme0n1 bs=64k count=128 iflag=direct 2>/dev/null | cmp - /tmp/blk"
    on b "echo 1 >/sys/class/nvme/nvme0/delete_controller"
    on server "nvmet_stop"
    no_trouble server b
}

@test "link flap from the server's side: events in the order of hardware, the mount goes on" {
    on a "ibv_asyncwatch >/run/events 2>&1 & echo \$! >/run/watch.pid"
    until_on a 5 "grep -q async /run/events"
    on server "fault leaf01/p2 flap=1000"
    until_on a 5 "port_is sib0 DOWN"
    until_on a 10 "port_is sib0 ACTIVE && carrier ib0"
    on a 'kill $(cat /run/watch.pid)'
    run on a "cat /run/events"
    echo "$output"
    [[ $output == *PORT_ERR*CLIENT_REREGISTER*PORT_ACTIVE* ]]
    assert_eq "$(SIB_ASK=120 on a "head -c 1048576 /mnt/big | md5sum")" \
        "$(on server "head -c 1048576 /export/big | md5sum")" "read after the flap"
}

@test "a port held in Polling" {
    on server "fault leaf01/p2 hold=polling"
    until_on a 5 "port_is sib0 DOWN && port_file sib0 phys_state | grep -q Polling"
    # what was assigned stays to be seen, as on hardware
    [ "$(on a "port_file sib0 sm_lid")" = 0x1 ]
    on server "fault leaf01/p2 hold=none"
    until_on a 10 "carrier ib0"
}

@test "a port held in INIT, SM LID set" {
    on server "fault leaf01/p2 hold=init flap=300"
    until_on a 5 "port_is sib0 INIT"
    refute_on a 3 "port_is sib0 ACTIVE"
    [ "$(on a "port_file sib0 sm_lid")" = 0x1 ]
    on server "fault leaf01/p2 hold=none"
    until_on a 15 "carrier ib0"
}

@test "a port held in ARMED" {
    on server "fault leaf01/p2 hold=armed flap=300"
    until_on a 5 "port_is sib0 ARMED"
    refute_on a 3 "port_is sib0 ACTIVE"
    on server "fault leaf01/p2 hold=none"
    until_on a 15 "carrier ib0"
}

@test "another SM LID" {
    on server "fault leaf01/p2 sm_lid=77"
    until_on a 5 "port_file sib0 sm_lid | grep -qx 0x4d"
    on server "fault leaf01/p2 sm_lid=0"
    until_on a 5 "port_file sib0 sm_lid | grep -qx 0x1"
    until_on a 20 "carrier ib0"
}

@test "a P_Key removed, and one added late" {
    local before
    before=$(on a "cat /sys/class/infiniband/sib0/ports/1/pkeys/0")
    assert_eq "$before" 0xffff "P_Key 0"
    on server "fault leaf01/p2 pkey_remove=0xffff"
    until_on a 5 "! carrier ib0"
    on server "fault leaf01/p2 pkey_remove=none"
    until_on a 20 "carrier ib0"
    on server "fault leaf01/p2 pkey_add=0x8001"
    until_on a 5 "grep -qx 0x8001 /sys/class/infiniband/sib0/ports/1/pkeys/1"
    on server "fault leaf01/p2 pkey_add=none"
    until_on a 5 "! grep -qx 0x8001 /sys/class/infiniband/sib0/ports/1/pkeys/1"
}

@test "the broadcast group refuses the join" {
    # SubnAdm Set(MCMemberRecord); 0x0200 is the SA's ERR_REQ_INVALID
    on server "rule leaf01/p2 refuse:0x0200 dir=rx class=0x03 method=0x02 attr=0x38"
    on a "ip link set ib0 down && ip link set ib0 up"
    refute_on a 3 "carrier ib0"
    assert_eq "$(on a "port_is sib0 ACTIVE && echo yes")" yes "ACTIVE"
    on server "grep -q 'refuse' $faults/leaf01/p2/rules && rule leaf01/p2 clear"
    until_on a 20 "carrier ib0"
    on a "ip addr add 10.9.0.2/24 dev ib0 2>/dev/null; true"
}

@test "SM packets dropped, late and doubled by class and attribute" {
    local before after
    # the node's answers to Get(NodeInfo) get lost twice: OpenSM asks again
    on server "rule leaf01/p2 drop dir=rx class=0x81 attr=0x11 count=2 && fault leaf01/p2 flap=300"
    until_on server 15 "grep -q 'hits=2' $faults/leaf01/p2/rules"
    until_on a 15 "port_is sib0 ACTIVE"
    on server "rule leaf01/p2 clear"
    # Set(PortInfo) takes 700 ms longer to arrive, each time: several of them before ACTIVE
    on server "rule leaf01/p2 delay:700 dir=tx class=0x81 method=2 attr=0x15"
    on server "fault leaf01/p2 flap=200"
    until_on a 5 "port_is sib0 INIT"
    before=$(on a now)
    until_on a 20 "port_is sib0 ACTIVE"
    after=$(on a now)
    [ $((10#${after/./} - 10#${before/./})) -ge 70 ]
    on server "rule leaf01/p2 clear"
    on server "rule leaf01/p2 dup:2 class=0x81 && fault leaf01/p2 flap=200"
    until_on a 5 "port_is sib0 DOWN"
    until_on a 20 "carrier ib0"
    [ "$(on server "stat leaf01/p2 fault_mads")" -gt 3 ]
    on server "rule leaf01/p2 clear"
    no_trouble server a
}

@test "a wire that loses 1 % of all packets carries files right" {
    until_on a 20 "ping -c 1 -W 1 $sib_server"
    on server "fault leaf01/p2 drop=10000 corrupt=2000 dup=1000 seed=7"
    assert_eq "$(SIB_ASK=300 on a "echo 3 >/proc/sys/vm/drop_caches; head -c 16777216 /mnt/big | md5sum")" \
        "$(on server "head -c 16777216 /export/big | md5sum")" "read"
    SIB_ASK=300 on a "head -c 8388608 /tmp/mine >/mnt/lossy && sync"
    assert_eq "$(on server "md5sum </export/lossy")" "$(on a "head -c 8388608 /tmp/mine | md5sum")" \
        "written"
    on server "fault leaf01/p2 reset"
    [ "$(on server "stat leaf01/p2 fault_drops")" -gt 50 ]
    [ "$(on a "stat sib0 bad_icrc")" -gt 0 ]
    no_trouble server a
}

@test "packets that come late" {
    local rtt
    on server "fault leaf01/p2 delay_tx=1000000 delay_ms=200"
    rtt=$(on a "ping -c 2 -W 5 $sib_server" | sed -n 's/.*seq=[01].*time=\([0-9]*\).*/\1/p' | tail -n 1)
    on server "fault leaf01/p2 reset"
    [ "$rtt" -ge 190 ]
}

@test "100,000 bad frames each way, and everything goes on" {
    until_on a 20 "ping -c 1 -W 1 $sib_server"
    SIB_ASK=600 on server "sibfuzz eth0 100000 11 3" | grep -qx 'total 100000'
    SIB_ASK=600 on a "sibfuzz eth0 100000 12 1" | grep -qx 'total 100000'
    local name
    for name in bad_version bad_length bad_lrh bad_opcode bad_icrc bad_link_frame; do
        [ "$(on a "stat sib0 $name")" -gt 0 ] || {
            echo "no $name counted"
            return 1
        }
    done
    until_on a 20 "carrier ib0 && ping -c 1 -W 1 $sib_server"
    assert_eq "$(SIB_ASK=120 on a "echo 3 >/proc/sys/vm/drop_caches; head -c 4194304 /mnt/big | md5sum")" \
        "$(on server "head -c 4194304 /export/big | md5sum")" "read after the storm"
    no_trouble server a
}

@test "20,000 frames that may set what only the SM sets, then the SM puts it right" {
    SIB_ASK=300 on server "sibfuzz eth0 20000 13 3 set" | grep -qx 'total 20000'
    on server "sm_stop; sm; fault leaf01/p2 flap=300"
    until_on a 30 "carrier ib0 && ping -c 1 -W 1 $sib_server"
    no_trouble server a
}

@test "an idle link is silent but for its heartbeat" {
    local before after
    on b "ip link set ib0 down; /bin/rdma link show sib0/1" | grep -q ACTIVE
    before=$(on b "cat /sys/class/net/eth0/statistics/tx_packets")
    on server "sm_stop"
    on b "sleep 4"
    after=$(on b "cat /sys/class/net/eth0/statistics/tx_packets")
    echo "# frames in 4 s: $((after - before))" >&3
    [ $((after - before)) -le 12 ]
    on server "sm"
    on b "ip link set ib0 up"
    until_on b 20 "carrier ib0"
}

@test "rmmod with IPoIB up and the SM dead takes less than 5 s" {
    local before after
    on server "sm_stop -KILL"
    before=$(on b now)
    on b "rmmod softib"
    after=$(on b now)
    assert_ms "$before" "$after" 5000 "rmmod"
    on server "sm"
    node_up b 10.9.0.3
    no_trouble b
}

@test "loaded and unloaded 50 times: nothing left behind" {
    local before after
    on b "rmmod softib; slab_kb" >/dev/null
    before=$(SIB_ASK=120 on b "cycle 5; slab_kb" | tail -n 1)
    after=$(SIB_ASK=600 on b "cycle 50; slab_kb" | tail -n 1)
    echo "# slab: $before kB before, $after kB after" >&3
    [ $((after - before)) -le 1024 ]
    no_trouble b
    node_up b 10.9.0.3
}

@test "the server's module goes while everything is in use" {
    local before after
    on a "umount -l /mnt"
    on server "/sbin/rpc.nfsd 0; umount /proc/fs/nfsd"
    before=$(on server now)
    on server "rmmod softib"
    after=$(on server now)
    assert_ms "$before" "$after" 5000 "rmmod on the server"
    no_trouble server a b
}
