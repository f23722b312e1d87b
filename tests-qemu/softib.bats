#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The software InfiniBand HCA and switch: real OpenSM, IPoIB and NFSoRDMA between three VMs, node a
# and node b on ports 2 and 3 of a switch in the server VM. One fabric for the whole file; a test
# leaves it as it found it.
# alone: three VMs with two processors each

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/softib

faults=/sys/kernel/debug/softib

setup_file() {
    vm_begin softib
    local SIB_SMP=2
    sib_start_server
    sib_start_node a 0
    sib_start_node b 1
    sib_ready a
    sib_ready b
    server_up
    node_a_up
    node_b_up
}

# Each of them leaves what its test looks at: when it was started, ACTIVE, with carrier (a and the
# server), and the events of the first way up (b, held in Polling until it is listened for).
server_up() {
    stopwatch
    on server "modprobe softib && ulps &&
        switch leaf01 eth0 eth1 && /bin/rdma link add sib0 type softib netdev swhca &&
        ip link set ib0 up; now >/run/t; sm; wait_active sib0 && now >>/run/t;
        wait_carrier ib0 && now >>/run/t; ip addr add $sib_server/24 dev ib0;
        tr '\n' ' ' </run/t" >"$vm_logs/server/times"
    echo $(($(waited_ms) - WAITED)) >"$vm_logs/server/waited"
}

node_a_up() {
    stopwatch
    on a "modprobe softib && ulps; now >/run/t;
        /bin/rdma link add sib0 type softib netdev eth0 && ip link set ib0 up;
        wait_active sib0 && now >>/run/t; wait_carrier ib0 && now >>/run/t;
        ip addr add 10.9.0.2/24 dev ib0; tr '\n' ' ' </run/t" >"$vm_logs/a/times"
    echo $(($(waited_ms) - WAITED)) >"$vm_logs/a/waited"
}

node_b_up() {
    on server "fault leaf01/p3 hold=polling"
    on b "modprobe softib && ulps && /bin/rdma link add sib0 type softib netdev eth0 &&
        ip link set ib0 up && watch_start"
    on server "fault leaf01/p3 hold=none"
    until_on b "carrier ib0"
    on b "watch_stop 1 PORT_ACTIVE; ip addr add 10.9.0.3/24 dev ib0" >"$vm_logs/b/events"
}

teardown_file() {
    sib_stop
    vm_end
}

# What a case that failed half-way has left behind.
setup() {
    on server "faults_clear; ! sm_gone || sm"
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}${BATS_TEST_SKIPPED:-}" ] || {
        VM_SHOW_LINES=30 vm_show
        SIB_ASK=20 on server "tail -n 15 /run/opensm.log; show" || true
        SIB_ASK=20 on a show || true
    }
}

# until_on VM CONDITION
until_on() {
    on "$1" "soon sh -c '. /etc/softib; $2'" || {
        echo "$1: not within minutes: $2"
        return 1
    }
}

# files: the server has an NFS server with a file of 64 MiB, and node a has mounted it
files() {
    on server \
        "[ -e /export/big ] || { nfsd_start 400m && head -c 67108864 /dev/urandom >/export/big; }"
    until_on a "ping -c 1 -W 1 $sib_server"
    on a "grep -q ' /mnt nfs4 ' /proc/mounts || nfs_mount $sib_server 10.9.0.2"
}

# take_down MS: node a loses its link for so long. Returns when it noticed: by a counter, as the
# time may be too short to see the state.
take_down() {
    local before
    before=$(on a "stat sib0 link_downed")
    on server "fault leaf01/p2 flap=$1"
    until_on a "[ \$(stat sib0 link_downed) -gt $before ]"
}

# ping_both_ways SIZE
ping_both_ways() {
    on a "ping -c 3 -s $1 $sib_server" | grep -q ' 0% packet loss'
    on server "ping -c 3 -s $1 10.9.0.2" | grep -q ' 0% packet loss'
}

@test "OpenSM brings every port to ACTIVE, IPoIB gets carrier" {
    local vm before active carrier
    for vm in server a; do
        read -r before active carrier <"$vm_logs/$vm/times"
        WAITED=$(($(waited_ms) - $(<"$vm_logs/$vm/waited")))
        assert_ms "$before" "$active" 3000 "$vm: the last of OpenSM and the port to ACTIVE"
        assert_ms "$active" "$carrier" 1000 "$vm: ACTIVE to IPoIB carrier"
    done
    no_trouble server a b
}

@test "a port's first way up: the events and their order" {
    cat "$vm_logs/b/events"
    assert_eq "$(grep -oE 'LID_CHANGE|SM_CHANGE|CLIENT_REREGISTER|PORT_ACTIVE' "$vm_logs/b/events" |
        paste -sd ' ')" "LID_CHANGE SM_CHANGE CLIENT_REREGISTER PORT_ACTIVE" "events in order"
}

@test "the tools see it: ibstat, rdma link, ibv_devinfo" {
    run -0 on a "ibstat"
    [[ $output == *"CA type: softib"*"State: Active"*"Physical state: LinkUp"* ]]
    [[ $output == *"SM lid: 1"*"Link layer: InfiniBand"* ]]
    run -0 on a "/bin/rdma link show sib0/1"
    [[ $output == *"state ACTIVE physical_state LINK_UP"* ]]
    run -0 on a "ibv_devinfo"
    [[ $output == *"PORT_ACTIVE"*"link_layer:"*"InfiniBand"* ]]
    # hardware's way from a netdev to its HCA: one device is the parent of both
    assert_eq "$(on a 'readlink -f /sys/class/net/ib0/device')" \
        "$(on a 'readlink -f /sys/class/infiniband/sib0/device')" "parents"
}

@test "topology: a switch with a name, nodes at its ports" {
    run -0 on server "ibnetdiscover"
    [[ $output == *'Switch	8 "S-505400fffd99fe02"'*'"leaf01"'* ]]
    [[ $output == *'[2]	"H-505400fffe990064"[1]'*'[3]	"H-505400fffe990065"[1]'* ]]
    # and from the node, as the agent asks: the neighbour's name and port, by directed route
    run -0 on a "smpquery -D nodedesc 0,1"
    [[ $output == *leaf01* ]]
    run -0 on a "smpquery -D nodeinfo 0,1"
    [[ $output == *"LocalPort:"*.2* ]]
}

@test "subnet administration, SM, performance counters, ibping" {
    local before after
    run -0 on a "saquery -g"
    [[ $output == *"ff12:401b:ffff::ffff:ffff"* ]]
    run -0 on a "sminfo"
    [[ $output == *SMINFO_MASTER* ]]
    run -0 on a "perfquery 1 1"
    [[ $output == *PortXmitData* ]]
    run -0 on a "perfquery 2 3"
    [[ $output == *"port 3"*PortRcvPkts* ]]
    run -0 on a "perfquery -x 1 1"
    [[ $output == *PortUnicastXmitPkts* ]]
    [ "$(on a "cat /sys/class/infiniband/sib0/ports/1/counters/port_rcv_packets")" -gt 0 ]
    # reset over the wire: fewer afterwards than before
    before=$(on a "perfquery -x" | sed -n 's/^PortXmitPkts:\.*//p')
    after=$(on a "perfquery -R -x; perfquery -x" | sed -n 's/^PortXmitPkts:\.*//p' | tail -n 1)
    [ "$after" -lt "$before" ]
    on server "ibping -S >/dev/null 2>&1 & echo \$! >/run/ibping.pid"
    run -0 on a "ibping -c 3 1"
    on server "kill \$(cat /run/ibping.pid)"
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
    until_on a "ping -c 1 -W 1 $sib_server"
    ping_both_ways 60000
    on a "/bin/rdma resource show qp" | grep -q 'type RC state RTS'
    on a "echo datagram >/sys/class/net/ib0/mode"
    on server "echo datagram >/sys/class/net/ib0/mode"
    until_on a "ping -c 1 -W 1 $sib_server"
    no_trouble server a
}

# read_rate: MiB/s of reading 64 MiB again, and what it would at best have been had the machine had
# nothing else to do: without the part of its processors' time that others took meanwhile
read_rate() {
    local before after wall busy
    busy=$(sib_others)
    wall=$(host_now)
    SIB_ASK=120 on a \
        "echo 3 >/proc/sys/vm/drop_caches; now >/run/t; cat /mnt/big >/dev/null; now >>/run/t"
    busy=$(($(sib_others) - busy))
    wall=$((($(host_now) - wall) * $(grep -c '^cpu[0-9]' /proc/stat)))
    read -r before after < <(on a "tr '\n' ' ' </run/t")
    before=$((10#${after/./} - 10#${before/./}))
    [ "$busy" -lt "$wall" ] || busy=$((wall - 1))
    echo $((64 * 100 / before)) $((64 * 100 * wall / before / (wall - busy)))
}

@test "NFSoRDMA: 64 MiB read and written, checksums" {
    local sum rate alone
    files
    sum=$(on server "md5sum </export/big")
    on a "grep ' /mnt nfs4 ' /proc/mounts" | grep -q proto=rdma
    assert_eq "$(SIB_ASK=120 on a "echo 3 >/proc/sys/vm/drop_caches; md5sum </mnt/big")" "$sum" \
        "read"
    SIB_ASK=120 on a "head -c 67108864 /dev/urandom >/tmp/mine && cp /tmp/mine /mnt/back && sync"
    assert_eq "$(on server "md5sum </export/back")" "$(on a "md5sum </tmp/mine")" "written"
    no_trouble server a
    # a busy machine is not what the figure is about, and its load may come and go meanwhile
    for _ in 1 2 3 4; do
        read -r rate alone < <(read_rate)
        echo "# read: $rate MiB/s, on a machine with nothing else to do $alone" >&3
        [ "$alone" -lt 10 ] || break
    done
    [ "$alone" -ge 10 ]
}

@test "NFSoRDMA on two nodes at once" {
    local sum
    files
    sum=$(on server "head -c 33554432 /export/big | md5sum")
    until_on b "ping -c 1 -W 1 $sib_server"
    on b "nfs_mount $sib_server 10.9.0.3"
    on a "echo 3 >/proc/sys/vm/drop_caches; rm -f /run/sum;
        (head -c 33554432 /mnt/big | md5sum >/run/sum.part; mv /run/sum.part /run/sum) \
            >/dev/null 2>&1 &"
    assert_eq "$(SIB_ASK=120 on b "head -c 33554432 /mnt/big | md5sum")" "$sum" "read by b"
    until_on a "[ -e /run/sum ]"
    assert_eq "$(on a "cat /run/sum")" "$sum" "read by a"
    on b "umount /mnt"
}

@test "NVMe over RDMA: what is written comes back; it goes before the server misses it" {
    local times
    on server "nvmet_start 10.9.0.1"
    on b "nvme_connect 10.9.0.1 && soon test -b /dev/nvme0n1"
    SIB_ASK=120 on b "head -c 8388608 /dev/urandom >/tmp/blk &&
        dd if=/tmp/blk of=/dev/nvme0n1 bs=64k oflag=direct 2>/dev/null &&
        dd if=/dev/nvme0n1 bs=64k count=128 iflag=direct 2>/dev/null | cmp - /tmp/blk"
    # each of its queues has 128 memory regions
    stopwatch
    times=$(on b "now; echo 1 >/sys/class/nvme/nvme0/delete_controller; now")
    assert_ms "${times%$'\n'*}" "${times#*$'\n'}" 2500 "delete_controller"
    on server "nvmet_stop"
    no_trouble server b
}

@test "link flap from the server's side: events in the order of hardware, the mount goes on" {
    files
    on a "watch_start"
    take_down 1000
    until_on a "port_is sib0 ACTIVE && carrier ib0"
    run -0 on a "watch_stop 1 PORT_ACTIVE"
    echo "$output"
    [[ $output == *PORT_ERR*CLIENT_REREGISTER*PORT_ACTIVE* ]]
    assert_eq "$(SIB_ASK=120 on a "head -c 1048576 /mnt/big | md5sum")" \
        "$(on server "head -c 1048576 /export/big | md5sum")" "read after the flap"
}

@test "a port held in Polling" {
    on server "fault leaf01/p2 hold=polling"
    until_on a "port_is sib0 DOWN && port_file sib0 phys_state | grep -q Polling"
    # what was assigned stays to be seen, as on hardware
    [ "$(on a "port_file sib0 sm_lid")" = 0x1 ]
    on server "fault leaf01/p2 hold=none"
    until_on a "carrier ib0"
}

@test "a port held in INIT, SM LID set" {
    on server "fault leaf01/p2 hold=init flap=300"
    until_on a "port_is sib0 INIT"
    refute_on a 3 "port_is sib0 ACTIVE"
    [ "$(on a "port_file sib0 sm_lid")" = 0x1 ]
    on server "fault leaf01/p2 hold=none"
    until_on a "carrier ib0"
}

@test "a port held in ARMED" {
    on server "fault leaf01/p2 hold=armed flap=300"
    until_on a "port_is sib0 ARMED"
    refute_on a 3 "port_is sib0 ACTIVE"
    on server "fault leaf01/p2 hold=none"
    until_on a "carrier ib0"
}

@test "another SM LID" {
    on a "watch_start"
    on server "fault leaf01/p2 sm_lid=77"
    until_on a "port_file sib0 sm_lid | grep -qx 0x4d"
    on server "fault leaf01/p2 sm_lid=0"
    until_on a "port_file sib0 sm_lid | grep -qx 0x1"
    until_on a "carrier ib0"
    run -0 on a "watch_stop 2 SM_CHANGE"
    [[ $output == *SM_CHANGE*SM_CHANGE* ]]
}

@test "a P_Key removed, and one added late" {
    local before
    before=$(on a "cat /sys/class/infiniband/sib0/ports/1/pkeys/0")
    assert_eq "$before" 0xffff "P_Key 0"
    on a "watch_start"
    on server "fault leaf01/p2 pkey_remove=0xffff"
    until_on a "! carrier ib0"
    on server "fault leaf01/p2 pkey_remove=none"
    until_on a "carrier ib0"
    on server "fault leaf01/p2 pkey_add=0x8001"
    until_on a "grep -qx 0x8001 /sys/class/infiniband/sib0/ports/1/pkeys/1"
    on server "fault leaf01/p2 pkey_add=none"
    until_on a "! grep -qx 0x8001 /sys/class/infiniband/sib0/ports/1/pkeys/1"
    run -0 on a "watch_stop 4 PKEY_CHANGE"
    [[ $output == *PKEY_CHANGE*PKEY_CHANGE*PKEY_CHANGE*PKEY_CHANGE* ]]
}

@test "the broadcast group refuses the join" {
    # SubnAdm Set(MCMemberRecord); 0x0200 is the SA's ERR_REQ_INVALID
    on server "rule leaf01/p2 refuse:0x0200 dir=rx class=0x03 method=0x02 attr=0x38"
    on a "ip link set ib0 down && ip link set ib0 up"
    refute_on a 3 "carrier ib0"
    assert_eq "$(on a "port_is sib0 ACTIVE && echo yes")" yes "ACTIVE"
    on server "grep -q 'refuse' $faults/leaf01/p2/rules && rule leaf01/p2 clear"
    until_on a "carrier ib0"
    on a "ip addr add 10.9.0.2/24 dev ib0 2>/dev/null; true"
}

@test "SM packets dropped, late and doubled by class and attribute" {
    local before after
    # the node's answers to Get(NodeInfo) get lost twice: OpenSM asks again
    on server "rule leaf01/p2 drop dir=rx class=0x81 attr=0x11 count=2 && fault leaf01/p2 flap=300"
    until_on server "grep -q 'hits=2' $faults/leaf01/p2/rules"
    until_on a "port_is sib0 ACTIVE"
    on server "rule leaf01/p2 clear"
    # Set(PortInfo) takes 300 ms longer to arrive, each time, and three of them lead to ACTIVE;
    # OpenSM asks again after 200 ms
    on server "rule leaf01/p2 delay:300 dir=tx class=0x81 method=2 attr=0x15"
    on a "rm -f /run/way; (soon port_is sib0 INIT; now >/run/t;
        soon port_is sib0 ACTIVE;
        now >>/run/t; mv /run/t /run/way) >/dev/null 2>&1 &"
    on server "fault leaf01/p2 flap=200"
    until_on a "[ -e /run/way ]"
    read -r before after < <(on a "tr '\n' ' ' </run/way")
    [ $((10#${after/./} - 10#${before/./})) -ge 50 ]
    on server "rule leaf01/p2 clear"
    before=$(on server "stat leaf01/p2 fault_mads")
    on server "rule leaf01/p2 dup:2 class=0x81"
    take_down 1000
    until_on a "port_is sib0 ACTIVE && carrier ib0"
    [ "$(on server "stat leaf01/p2 fault_mads")" -gt $((before + 3)) ]
    on server "rule leaf01/p2 clear"
    no_trouble server a
}

@test "a wire that loses 1 % of all packets carries files right" {
    files
    on a "head -c 8388608 /dev/urandom >/tmp/sent"
    on server "fault leaf01/p2 drop=10000 corrupt=2000 dup=1000 seed=7"
    assert_eq "$(SIB_ASK=300 on a \
        "echo 3 >/proc/sys/vm/drop_caches; head -c 16777216 /mnt/big | md5sum")" \
        "$(on server "head -c 16777216 /export/big | md5sum")" "read"
    SIB_ASK=300 on a "cat /tmp/sent >/mnt/lossy && sync"
    assert_eq "$(on server "md5sum </export/lossy")" "$(on a "md5sum </tmp/sent")" "written"
    on server "fault leaf01/p2 reset"
    [ "$(on server "stat leaf01/p2 fault_drops")" -gt 50 ]
    [ "$(on a "stat sib0 bad_icrc")" -gt 0 ]
    no_trouble server a
}

@test "packets that come late" {
    local rtt
    on server "fault leaf01/p2 delay_tx=1000000 delay_ms=200"
    rtt=$(on a "ping -c 2 -W 5 $sib_server" | sed -n 's/.*seq=[01].*time=\([0-9]*\).*/\1/p' |
        tail -n 1)
    on server "fault leaf01/p2 reset"
    [ "$rtt" -ge 190 ]
}

@test "100,000 bad frames each way, and everything goes on" {
    files
    SIB_ASK=600 on server "sibfuzz eth0 100000 11 3" | grep -qx 'total 100000'
    SIB_ASK=600 on a "sibfuzz eth0 100000 12 1" | grep -qx 'total 100000'
    local name
    for name in bad_version bad_length bad_lrh bad_opcode bad_icrc bad_link_frame; do
        [ "$(on a "stat sib0 $name")" -gt 0 ] || {
            echo "no $name counted"
            return 1
        }
    done
    until_on a "carrier ib0 && ping -c 1 -W 1 $sib_server"
    assert_eq "$(SIB_ASK=120 on a \
        "echo 3 >/proc/sys/vm/drop_caches; head -c 4194304 /mnt/big | md5sum")" \
        "$(on server "head -c 4194304 /export/big | md5sum")" "read after the storm"
    no_trouble server a
}

@test "20,000 frames that may set what only the SM sets, then the SM puts it right" {
    SIB_ASK=300 on server "sibfuzz eth0 20000 13 3 set" | grep -qx 'total 20000'
    on server "sm_stop; sm; fault leaf01/p2 flap=300"
    until_on a "carrier ib0 && ping -c 1 -W 1 $sib_server"
    no_trouble server a
}

# Nothing is asked of node b's HCA, and no SM asks by itself. busy_for SECONDS: what it does in at
# least that time, as the numbers of packets, engine runs, link frames and link work runs, and the
# time in hundredths.
busy_for() {
    local before after i
    read -ra before < <(on b "busy sib0 | tr '\n' ' '; now")
    read -ra after < <(on b "sleep $1; busy sib0 | tr '\n' ' '; now")
    for i in 0 1 2 3 4; do
        echo $((10#${after[i]/./} - 10#${before[i]/./}))
    done | paste -sd ' '
}

@test "an idle port does nothing: one link frame a second, and not even that without a beat" {
    local packets runs frames work time
    on b "ip link set ib0 down"
    on server "sm_stop"
    until_on b "still sib0"
    read -r packets runs frames work time < <(busy_for 3)
    echo "# in ${time}0 ms: $packets packets, $runs engine runs, $frames link frames," \
        "$work link work runs" >&3
    [ "$packets $runs" = "0 0" ]
    # two beats fewer or more: what falls on the ends, and a late timer
    [ $((frames * 100)) -ge $((time - 200)) ]
    [ $((frames * 100)) -le $((time + 200)) ]
    [ $((work * 100)) -le $((time + 200)) ]
    on server "beat 0"
    # the beat that was due when it was switched off
    on b "beat 0"
    until_on b "still sib0"
    assert_eq "$(busy_for 2 | cut -d ' ' -f 1-4)" "0 0 0 0" "what it does without a beat"
    on b "port_is sib0 ACTIVE"
    on b "beat 1000; ip link set ib0 up"
    on server "beat 1000; sm; fault leaf01/p3 flap=300"
    until_on b "carrier ib0"
}

@test "rmmod with IPoIB up and the SM dead takes less than 5 s" {
    local before after
    on server "sm_stop"
    stopwatch
    before=$(on b now)
    on b "rmmod softib"
    after=$(on b now)
    assert_ms "$before" "$after" 5000 "rmmod"
    on server "sm"
    node_up b 10.9.0.3
    no_trouble b
}

@test "rmmod under a running read takes less than 5 s, and the read ends well with the next HCA" {
    local before after sum seen
    files
    sum=$(on server "md5sum </export/big")
    seen=$(on a "stat sib0 rx_bytes")
    on a "echo 3 >/proc/sys/vm/drop_caches; rm -f /run/sum;
        (md5sum </mnt/big >/run/sum.part; mv /run/sum.part /run/sum) >/dev/null 2>&1 &"
    until_on a "[ \$(stat sib0 rx_bytes) -gt $((seen + 4000000)) ]"
    stopwatch
    before=$(on a now)
    on a "rmmod softib"
    after=$(on a now)
    assert_ms "$before" "$after" 5000 "rmmod under a read"
    node_up a 10.9.0.2
    until_on a "[ -e /run/sum ]"
    assert_eq "$(on a "cat /run/sum")" "$sum" "read across two HCAs"
    no_trouble server a
}

@test "loaded and unloaded 50 times: nothing left behind" {
    local before after
    on server sm_heavy
    on b "rmmod softib"
    # run: what a command in there says is shown if it fails
    SIB_ASK=300 run -0 on b "cycle 5 && slab_kb"
    before=${lines[-1]}
    SIB_ASK=900 run -0 on b "cycle 50 && slab_kb"
    after=${lines[-1]}
    echo "# slab: $before kB before, $after kB after" >&3
    [ $((after - before)) -le 512 ]
    no_trouble b
    node_up b 10.9.0.3
}

@test "the server's module goes while everything is in use" {
    local before after
    files
    on a "umount -l /mnt"
    on server "/sbin/rpc.nfsd 0; umount /proc/fs/nfsd"
    stopwatch
    before=$(on server now)
    on server "rmmod softib"
    after=$(on server now)
    assert_ms "$before" "$after" 5000 "rmmod on the server"
    no_trouble server a b
}
