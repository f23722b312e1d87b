# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scenarios of the hand-over share: one server with three roots, and three nodes that boot
# them at the same time, each with another network manager. A node ends by itself, when its witness
# (guest/iowitness.c) has seen I/O and the lease renewed every 10 s for a while ($span); the tests
# only look at what it left.

# shellcheck source=tests-qemu/lib/scenario.bash
source "${BASH_SOURCE[0]%/*}/scenario.bash"

# on NAME COMMAND...: on the server VM's control channel, called as that of lib/softib is.
declare -F on >/dev/null || on() {
    shift
    server shell "$*"
}

managers=(networkd nm ifupdown)
# Why there is no root of Debian 13, if so.
next_absent=$LAB/handover-next/absent
# In seconds. While a manager starts again it renews nothing: files with restarts have longer ones.
lease=40
# How long the lease is renewed before a node may end: two lease times, if not said otherwise.
span=
# What the DHCP server does when one of them has booted. With "away 12", longer than T1, everybody's
# first renewal fails, and it is back before the last one.
declare -gA dhcpd=()
# The image and the root of one of them, if they are not those of all; and how its machine ends. The
# tests look at roots and ends, too.
declare -gA images=() roots=() ends=()
# Another of the server's roots for one of them, and another address of the server's.
declare -gA folders=() servers=()
# More on the kernel command line of one of them. (-g: bats loads this file in a function.)
declare -gA words=()
# The link of the server's that one of them has a second interface on.
declare -gA seconds=()
# More to lay over the server's image, and another kernel for the nodes.
server_cpio='' node_kernel=''
# What one of by_release() has its address on, and the parts of that.
declare -gA tops=()

# by_release NAME...: the nodes, each named for its manager and Debian's release, as nm12. One with
# a bond in its words has a second link.
by_release() {
    local name
    folders=([networkd12]=networkd [networkd13]=next [nm12]=nm [ifupdown12]=ifupdown
        [ifupdown13]=next-ifupdown)
    managers=()
    for name; do
        [[ $name == *13 && -e $next_absent ]] || managers+=("$name")
    done
    for name in "${managers[@]}"; do
        [[ ${words[$name]} != *bond=* ]] || seconds[$name]=$((${#managers[@]} + ${#seconds[@]}))
    done
}

# handover_extra DNSMASQ-CONF [LINE]: makes the cpio that is laid over the server VM's image:
# modules, who exports the roots, and ISC dhcpd. dnsmasq, whose leases are two minutes at least,
# only has the names; with LINE, it is also the relay.
handover_extra() {
    local dir=$BATS_FILE_TMPDIR/extra guest=$vm_top/tests-qemu/guest/handover
    mkdir -p "$dir/bin" "$dir/etc/modprobe.d"
    export SERVER_LINKS=$((${#managers[@]} + ${#seconds[@]}))
    cp -a "$LAB/handover-modules/." "$dir/"
    cp -r "$guest/"{site,cloud} "$dir/"
    install -m 755 "$guest/"{serve,dhcpd} "${guest%/*}/block" "$dir/bin/"
    [[ ${roots[*]} != *nbd:* ]] || block_server "$dir"
    sed "s/^\(.*-lease-time\) .*/\1 $lease;/" "$guest/dhcpd.conf" \
        >"$dir/etc/dhcpd.conf"
    # 8 if not said; one is for the server's own HCA
    echo "options softib switch_ports=$((SERVER_LINKS + 1))" >"$dir/etc/modprobe.d/softib.conf"
    { sed '/^dhcp-/d' "$1" && echo "${2:-}"; } >"$dir/etc/dnsmasq.conf"
    (cd "$dir" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) \
        >"$BATS_FILE_TMPDIR/extra.cpio"
    export SERVER_DISK=$LAB/handover.ext4
    export SERVER_EXTRA="$BATS_FILE_TMPDIR/extra.cpio $server_cpio"
}

# handover_server [COMMAND]: COMMAND is run before it serves.
handover_server() {
    handover_extra "$vm_top/tests-qemu/guest/dnsmasq.conf"
    server_start >/dev/null
    server shell "${1:-:}"
    server shell /bin/serve
    server dhcp start
    server shell /bin/dhcpd start
}

handover_ib_server() {
    handover_extra "$vm_top/tests-qemu/softib/guest/dnsmasq.conf" dhcp-relay=10.9.0.1,10.8.0.2
    sib_root_server
    on server /bin/serve
    on server /bin/dhcpd start
}

# handover_booted I: that one has booted.
handover_booted() {
    local name=${managers[$1]}
    node_dir=$vm_logs/$name node_pid=${pids[$1]}
    node_wait 600 "report: settled" || return 0
    [ -z "${dhcpd[$name]:-}" ] || on server "/bin/dhcpd ${dhcpd[$name]}"
}

# handover_nodes IMAGE SERVER CMDLINE: all of them, of which two boot at the same time, while others
# idle: what waits for a network gives up after a minute (NetworkManager-wait-online). Returns when
# they are off. A node that hangs is a failure of its test.
handover_nodes() {
    local i pids=() name root nfs=vers=4.2,proto=rdma,port=20049
    # repeated(): calls over D-Bus end after 25 s, what waits for a network gives up
    [[ "$3 ${words[*]}" != *,rxe,* ]] || nfs+=,timeo=150
    for i in "${!managers[@]}"; do
        [ "$i" -lt 2 ] || handover_booted $((i - 2))
        name=${managers[i]}
        node_defaults
        # a speed, as the kernel complains at each look at the RDMA port of an interface without
        NODE_NAME=$name NODE_LINK=$i NODE_SECONDS=900 NODE_SECOND=${seconds[$name]:-} \
            NODE_KERNEL=$node_kernel \
            NODE_NIC=virtio-net-pci,speed=10000,duplex=full
        root=nfs:${servers[$name]:-$2}:/handover/${folders[$name]:-$name}:$nfs
        root=${roots[$name]:-$root}
        node_start "${images[$name]:-$1}" "$console root=$root rw ip=dhcp rd.neednet=1 \
systemd.show_status=0 systemd.setenv=SPAN=${span:-$((2 * lease))} \
systemd.setenv=END=${ends[$name]:-poweroff} $3 ${words[$name]:-}"
        pids+=("$node_pid")
    done
    for i in "${!managers[@]}"; do
        [ "$i" -lt $((${#managers[@]} - 2)) ] || handover_booted "$i"
    done
    for i in "${!managers[@]}"; do
        node_dir=$vm_logs/${managers[i]} node_pid=${pids[i]}
        # unchecked: a node that hangs fails its own test
        node_end 900 || true
    done
    node_pid=
}

setup() {
    node_dir=
}

# of_next: the case's root is Debian 13's.
of_next() {
    [ ! -e "$next_absent" ] || skip "$(<"$next_absent")"
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || {
        vm_show
        cat "$node_dir/results/"{result.json,events,failed} || true
        tail -n 80 "$node_dir/results/journal" || true
    }
}

# assert_file NAME REGEX: what a program of the root said.
assert_file() {
    grep -qE "$2" "$node_dir/results/$1" || {
        echo "$1 has no line like: $2"
        cat "$node_dir/results/$1"
        return 1
    }
}

# assert_reported MANAGER: the node booted, and its witness saw no error and no change of the link.
assert_reported() {
    local what
    node_dir=$vm_logs/$1
    [ -s "$node_dir/results/result.json" ] || {
        echo "the node ended without a report"
        return 1
    }
    for what in io_errors damaged link_down carrier_lost link_gone port_changes overruns; do
        assert_eq "$(node_result ".$what")" 0 "$what"
    done
    node_result '"# \(.rounds) rounds of I/O in \(.seconds) s, longest \(.longest_s) s"' >&3
    [ -f "$node_dir/results/failed" ]
    ! grep -q . "$node_dir/results/failed" ||
        grep -F -f <(cut -d ' ' -f 1 "$node_dir/results/failed") "$node_dir/results/journal"
    assert_eq "$(cat "$node_dir/results/failed")" "" "failed units"
}

# assert_kept MANAGER NETDEV: the node booted, its root was there at all times until the power went
# off, and all is well. Every interface has the name of ifname= before the root's udev sees it.
assert_kept() {
    local repeated
    assert_reported "$1"
    assert_eq "$(node_result .address_gone)" 0 "addresses removed"
    assert_eq "$(node_result .renamed)" 0 "interfaces renamed"
    repeated=$(repeated)
    node_result ".rounds >= 30 and .longest_s < 20 + 20 * $repeated" >/dev/null
    node_result '"# renewed for \(.renewed_s) s, \(.refreshed) times"' >&3
    # an answer that is lost costs NetworkManager half of what is left to T2
    node_result ".renewed_s >= ${span:-$((2 * lease))} and .refreshed >= 3" >/dev/null
    assert_link_kept
    [ -n "${roots[$1]:-}" ] ||
        assert_eq "$(connects)" $((1 + repeated)) "connections of the root's RDMA transport"
    assert_file system '^running$'
    # udev says so on kernels that refuse it; others rename
    assert_file journal 'systemd-udevd'
    run -1 grep "cannot rename to" "$node_dir/results/journal"
    assert_file address "inet $(address_of_root) .* $2"
    assert_end "${ends[$1]:-poweroff}"
}

# assert_link_kept: no packet was lost for longer than 1 s. By echoes, as a round of I/O takes
# seconds on a busy machine that loses nothing.
assert_link_kept() {
    node_result '"# \(.echoes_lost) of \(.echoes) echoes lost, longest \(.longest_lost_s) s"' >&3
    node_result '.echoes >= .seconds and .longest_lost_s <= 1' >/dev/null || {
        node_result '"the link lost packets for \(.longest_lost_s) s, from \(.longest_lost_at_s)"'
        return 1
    }
}

# connects: how often the transport of the root's mount was connected (the third number;
# net/sunrpc/xprtrdma).
connects() {
    sed -n '/ with fstype nfs/,/^device/s/^\txprt:\trdma [0-9]* [0-9]* \([0-9]*\) .*/\1/p' \
        "$node_dir/results/mountstats"
}

# repeated: how often Soft-RoCE ended the connection by itself. When a packet has to be sent again,
# as on a busy machine, it registers the memory a second time, too, which is refused (req_retry(),
# rxe_do_local_ops() of the kernel); NFS asks again after its timeo=, 60 s if not said.
repeated() {
    sed -n '/rxe_reg_fast_mr: mr->lkey = .* not free/p' "$node_dir/results/journal" | wc -l
}

# assert_restarted KIND UNIT...: these and rdma-core's services, with modules of KIND, were
# restarted while the witness looked.
assert_restarted() {
    local unit
    for unit in "${@:2}" rdma-ndd.service rdma-load-modules@{rdma,"$1"}.service; do
        assert_file restarts "^$unit 0\$"
    done
}

# rail_of_root FIELD: of the interface that carries the root; with SRP by InfiniBand's own CM none
# does, and it is the first's.
rail_of_root() {
    node_state "([.rails[] | select(.carries_root)] + .rails)[0].$1"
}

# address_of_root: with its prefix, as the agent set it.
address_of_root() {
    rail_of_root address
}

# assert_lease [GIVEN]: all that the server knows of the address is one lease of the agent's client
# identifier: given to the agent, given again to the manager, and renewed;
# GIVEN times, 8.
assert_lease() {
    local address id lines
    address=$(address_of_root)
    # as the server writes it, without leading zeros
    id=$(rail_of_root lease.client_id | sed -E 's/../:&/g; s/:0?/:/g; s/^://')
    lines=$(on server "grep -F 'lease ${address%/*} ' /run/dhcpd.log")
    assert_eq "$(sort -u <<<"$lines")" "lease ${address%/*} $id" "client identifier of the lease"
    assert_most "${1:-8}" "$(wc -l <<<"$lines")" "times the lease was given (at least)"
    # the leases of before show that the log is there
    run -1 on server "grep -E 'DHCP(NAK|DECLINE|RELEASE).* ${address%/*}( |$)' /run/dhcpd.log"
}

# assert_away: the DHCP server did not answer at T1, 10 s, but later.
assert_away() {
    node_result '"# without an answer for \(.unanswered_s) s"' >&3
    node_result '.unanswered_s > 12' >/dev/null
}

# assert_end poweroff|reboot: the machine was shut down in order, and nothing had to be waited for
# until systemd gave up (90 s).
assert_end() {
    local sent off
    node_ended_by "${1/reboot/restart}"
    sent=$(sed -n 's/^\[ *\([0-9]*\)\..*report: sent.*/\1/p' "$node_dir/console.log")
    off=$(sed -n 's/^\[ *\([0-9]*\)\..*reboot: [PR].*/\1/p' "$node_dir/console.log")
    assert_most $((off - sent)) 80 "seconds of the shutdown"
}

# assert_services KIND SERVER: rdma-core found the ports, with modules of KIND, and named the node;
# names are found.
assert_services() {
    local unit name
    name=$(cat "$node_dir/results/hostname")
    assert_eq "$name" "$(rail_of_root hostname)" "host name"
    assert_file node_desc "^$name "
    assert_file units "^rdma-ndd.service +loaded +active +running"
    for unit in rdma "$1"; do
        assert_file units "^rdma-load-modules@$unit.service +loaded +active +exited"
    done
    assert_file resolved "^${2//./\\.} +server.lab.test"
}

# assert_networkd NETDEV: it has configured the interface by our file.
assert_networkd() {
    assert_file "networkctl.$1" "Network File: /run/systemd/network/.*initagent.*$1.network"
    assert_file "networkctl.$1" 'State: routable \(configured\)'
}

# assert_nm NETDEV: it has taken our connection over, and does not only look on ("connected
# (externally)").
assert_nm() {
    assert_file "nmcli.$1" '^GENERAL.STATE:100 \(connected\)$'
    assert_file "nmcli.$1" "^GENERAL.CONNECTION:.*initagent.*$1"
}

# assert_part_networkd NETDEV: that a part is "enslaved (configured)" is not said by every version.
assert_part_networkd() {
    assert_file "networkctl.$1" "Network File: /run/systemd/network/.*initagent.*$1.network"
}

# assert_slave NETDEV: it went and came back, and was joined again, whoever manages the bond.
assert_slave() {
    assert_file slave "$1: .*,UP.* master bond0 "
    run -1 grep "still there" "$node_dir/results/slave"
}

# assert_ifupdown NETDEV: it takes the interface for its own, configured.
assert_ifupdown() {
    assert_file "ifquery.$1" "^$1=$1$"
}

# taken_over NAME: that one of by_release() has renewed the lease for two lease times, with
# everything below the interface its own as well.
taken_over() {
    local manager=${1%1[23]} top parts netdev
    [[ $1 != *13 ]] || of_next
    read -r top parts <<<"${tops[$1]}"
    assert_kept "$1" "$top"
    assert_"$manager" "$top"
    for netdev in $parts; do
        case $manager in
        networkd) assert_part_networkd "$netdev" ;;
        *) assert_"$manager" "$netdev" ;;
        esac
    done
    assert_lease 8
}
