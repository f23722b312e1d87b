#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats runs each case with its setup and teardown in one subshell; run sets status and output
# shellcheck disable=SC2030,SC2031,SC2154
#
# MADs against real subnet managers: the fabric room, the doctor and the table of ports on ibsim's
# fabric, with OpenSM. Two programs of the host flavour take part, since ibsim's preload library
# gives its /sys and its ib_umad to dynamic programs only:
#
#	smnode [1] - [1] leaf01 [7] - [7] spine01 [3] - [1] node003
#	node001 [1] - [2] leaf01 [3] - [1] node002
bats_require_minimum_version 1.5.0

load lib/ready

UMAD2SIM=/usr/lib/$(gcc -print-multiarch)/umad2sim/libumad2sim.so

setup() {
	local build
	build=$(realpath "${BUILD:-build}")
	ASK=$build/host/tests/fabric/ask
	AGENT=$build/host/agent
	T=$BATS_TEST_TMPDIR
	cd "$T" || return
	PIDS=()
	# Abstract sockets, private to this case.
	export IBSIM_SOCKNAME=ia$$x$BATS_TEST_NUMBER
	# umad2sim reads its own buffer 32 bytes too far (sizeof(struct sim_request) is less than a
	# umad).
	echo 'interceptor_via_lib:libumad2sim.so' >asan
	export ASAN_OPTIONS=verify_asan_link_order=0:suppressions=$T/asan
	fabric
}

teardown() {
	[[ ${#PIDS[@]} -eq 0 ]] || kill -9 "${PIDS[@]}" 2>/dev/null || :
	wait
}

fabric() {
	cat >net <<-'END'
		Switch 8 "leaf01"
		[1] "smnode"[1]
		[2] "node001"[1]
		[3] "node002"[1]
		[7] "spine01"[7]

		Switch 8 "spine01"
		[3] "node003"[1]
		[7] "leaf01"[7]

		Hca 1 "smnode"
		[1] "leaf01"[1]

		Hca 1 "node001"
		[1] "leaf01"[2]

		Hca 2 "node002"
		[1] "leaf01"[3]

		Hca 1 "node003"
		[1] "spine01"[3]

	END
	mkfifo console
	ibsim -s net <console >ibsim.out 2>&1 3>&- &
	PIDS+=($!)
	exec 7>console
	ready grep -q 'Network simulator ready' ibsim.out
}

# on NODE COMMAND...: a program with the fabric as NODE sees it.
on() {
	local node=$1
	shift
	SIM_HOST=$node LD_PRELOAD=$UMAD2SIM timeout 120 "$@" 3>&- 7>&-
}

# sm NAME NODE [OPTION...]: OpenSM on NODE, until it has brought the subnet up. Its process is
# SM_PID.
sm() {
	local name=$1 node=$2
	shift 2
	sm_start "$name" "$node" "$@"
	ready grep -q 'SUBNET UP' "$name/log"
}

sm_start() {
	local dir=$T/$1 node=$2
	shift 2
	rm -rf "$dir"
	mkdir "$dir"
	SIM_HOST=$node OSM_TMP_DIR=$dir OSM_CACHE_DIR=$dir LD_PRELOAD=$UMAD2SIM \
		opensm -d 2 -f "$dir/log" -s 3 "$@" </dev/null >"$dir/out" 2>&1 3>&- 7>&- &
	SM_PID=$!
	PIDS+=("$SM_PID")
}

end_sm() {
	kill -9 "$1"
	wait "$1" || :
}

# partitions: what a site's partitions.conf may hold.
partitions() {
	cat >parts.conf <<-'END'
		Default=0x7fff, ipoib, mtu=4, rate=3 : ALL=full, ALL_SWITCHES=full ;
		jobs=0x8001, ipoib, mtu=4, rate=3 : ALL=full ;
		quick=0x8002, ipoib, mtu=5, rate=7 : ALL=full ;
		bare=0x8003 : ALL=full ;
	END
}

no_sm="ibsim0/1 LinkUp INIT, no subnet manager yet"

@test "the cable's other end is known while there is no subnet manager" {
	run on node001 "$ASK"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = \
		"port ibsim0/1 LinkUp INIT lid 0 sm_lid 0: $no_sm" ]
	[[ ${lines[1]} == "neighbour leaf01 port 2 type 2 guid "* ]]
	# The same as infiniband-diags see it.
	[[ $(on node001 smpquery -D nodeinfo 0,1) == *LocalPort:*2* ]]
	guid=$(on node001 smpquery -D nodeinfo 0,1 | sed -n 's/^Guid:.*0x//p')
	[[ ${lines[1]} == *"guid $guid" ]]
	run -0 on node003 "$ASK"
	[[ $output == *"neighbour spine01 port 3 type 2"* ]]
}

@test "the doctor says that the subnet manager is missing, and where the cable ends" {
	run on node002 "$AGENT" doctor
	[ "$status" -eq 2 ]
	[[ $output == *"IA-E306 $no_sm (cable ends at leaf01 port 3)"* ]]
	[[ $output == *$'\nnot ready' ]]
	run -0 on node002 "$ASK" --sm --group ffff
	[[ $output == *"sm not asked: Resource temporarily unavailable"* ]]
	[[ $output == *"group ffff not asked: Resource temporarily unavailable"* ]]
}

@test "a cable that is out" {
	echo 'Unlink "node001"[1]' >&7
	polling() { [[ $(on node001 "$ASK") == *Polling* ]]; }
	ready polling
	run on node001 "$AGENT" doctor
	[ "$status" -eq 2 ]
	[[ $output == *"IA-E305 ibsim0/1 Polling DOWN, no link partner: cable out,\
 or its other end off"* ]]
	[[ $output != *"cable  "* ]]
}

@test "a port that somebody switched off" {
	# ibsim leaves the logical state as it is.
	on node001 ibportstate -D 0 1 disable >portstate 2>&1
	run on node001 "$AGENT" doctor
	[ "$status" -eq 2 ]
	[[ $output == *"IA-E311 ibsim0/1 Disabled INIT, port is disabled"* ]]
}

@test "the subnet manager: who it is, that its SA answers, and what the doctor makes of it" {
	sm osm smnode -p 9
	run on node001 "$ASK" --sm
	[ "$status" -eq 0 ]
	[[ $output == *"sm_lid 1: ready"* ]]
	[[ $output == *"sm alive guid 0000000000100001 priority 9 role 3"* ]]
	[[ $(on node001 sminfo) == *"sm guid 0x100001, "*"priority 9 state 3 SMINFO_MASTER"* ]]
	run on node001 "$AGENT" doctor --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.verdict, (.ports[0] |
		.neighbour.name, .neighbour.port, .sm.state, .sm.guid)' \
		<<<"$output" | paste -sd ' ')" = "ready leaf01 2 alive 0000000000100001" ]
	run on node001 "$AGENT" ports --ask
	[ "$status" -eq 0 ]
	[[ $output == *"ibsim0/1 "*" LinkUp   ACTIVE "*"cable ends at leaf01 port 2"* ]]
}

@test "SM on the node itself" {
	sm osm smnode
	# Another program of the same node: ibsim lets several attach.
	run on smnode "$ASK" --sm --group ffff
	[ "$status" -eq 0 ]
	[[ $output == *"neighbour leaf01 port 1"* ]]
	[[ $output == *"sm alive guid 0000000000100001"* ]]
}

@test "broadcast groups: there, in a second partition, too fast, and missing" {
	partitions
	sm osm smnode -P "$T/parts.conf"
	run on node001 "$ASK" --group 7fff --group 8001 --group 8002 --group 8003
	[ "$status" -eq 0 ]
	[[ $output == *"group ffff present status 0000 mtu 2048 rate 10000 \
port_mtu 2048: NETDEV_NO_CARRIER"* ]]
	[[ $output == \
		*"group 8001 present status 0000 mtu 2048 rate 10000 "*": NETDEV_NO_CARRIER"* ]]
	[[ $output == *"group 8002 present status 0000 mtu 4096 rate 40000 "*": IPOIB_JOIN_REFUSED\
 ibsim0/1 P_Key 8002: broadcast group's MTU above the port's (4096, port 2048)"* ]]
	[[ $output == *"group 8003 absent status 0300 "*": IPOIB_NO_GROUP ibsim0/1 P_Key 8003:\
 no IPoIB broadcast group"* ]]
	run -0 on node001 "$ASK" --group 8004
	[[ $output == *"group 8004 absent"* ]]
}

@test "a partition this port is not in" {
	printf '%s\n' 'Default=0x7fff, ipoib : ALL=full ;' 'other=0x8005, ipoib : 0x100001=full ;' \
		>parts.conf
	sm osm smnode -P "$T/parts.conf"
	run -0 on node001 "$ASK" --group 8005
	# OpenSM tells a stranger that there is no such group.
	[[ $output == *"group 8005 absent "*": IPOIB_NO_GROUP"* ]]
}

@test "a dead subnet manager leaves its LID behind" {
	sm osm smnode
	end_sm "$SM_PID"
	run -0 on node001 "$ASK" --sm --group ffff
	[[ $output == *"ACTIVE lid "*" sm_lid 1: ready"* ]]
	[[ $output == *"sm silent guid 0000000000000000"* ]]
	[[ $output == *"group ffff silent "*": PORT_SM_SILENT ibsim0/1 P_Key ffff:\
 subnet manager does not answer"* ]]
	run on node001 "$AGENT" doctor
	[ "$status" -eq 2 ]
	[[ $output == *"IA-E308 ibsim0/1 LinkUp ACTIVE, subnet manager does not answer\
 (cable ends at leaf01 port 2)"* ]]
	# Without asking nothing looks wrong.
	run on node001 "$AGENT" doctor --no-ask
	[ "$status" -eq 0 ]
}

@test "the SM probe sees the subnet manager come back under its LID" {
	sm osm smnode
	end_sm "$SM_PID"
	# Two answers, in either order: the SA's that it is alive, the SM's who it is.
	on node001 "$ASK" --smprobe --until "sm alive guid 0000000000100001" --for 25 >probe &
	probe=$!
	ready grep -q 'sm silent' probe
	sm again smnode
	wait "$probe"
	cat probe
	[[ $(<probe) == *"asking the subnet manager whether it is alive"*"sm silent"*\
"sm alive guid 0000000000100001"* ]]
}

@test "hand-over to a standby with another LID" {
	printf '%s\n' 'sminfo_polling_timeout 500' 'polling_retry_number 2' >conf
	sm first smnode -p 9
	master=$SM_PID
	sm_start second node003 -p 3 -F "$T/conf"
	ready grep -q 'STANDBY' second/log
	run -0 on node001 "$ASK" --sm
	[[ $output == *"sm_lid 1: ready"*"sm alive guid 0000000000100001 priority 9 role 3"* ]]
	end_sm "$master"
	ready grep -q 'SUBNET UP' second/log
	run on node001 "$ASK" --sm
	[ "$status" -eq 0 ]
	[[ $output != *"sm_lid 1: ready"* ]]
	[[ $output == *": ready"*"sm alive guid 0000000000"*" priority 3 role 3"* ]]
}

@test "queries take milliseconds when all is well, and at most the limits without answer" {
	sm osm smnode
	# a busy machine may hold up one, or two
	for _ in 1 2 3; do
		begin=$(date +%s%N)
		on node001 "$ASK" --sm --group ffff >/dev/null
		took=$((($(date +%s%N) - begin) / 1000000))
		echo "answered after $took ms"
		[ "$took" -ge 1000 ] || break
	done
	[ "$took" -lt 1000 ]
	end_sm "$SM_PID"
	begin=$(date +%s%N)
	on node001 "$ASK" --sm --group ffff >/dev/null
	took=$((($(date +%s%N) - begin) / 1000000))
	echo "silence after $took ms"
	# both are asked at the same time: one after the other they would take 7 s
	[ "$took" -ge 3500 ]
	[ "$took" -lt 7000 ]
}

@test "no program leaves its simulated /sys behind" {
	on node001 "$ASK" --sm
	on node001 "$AGENT" ports
	run ls -d sys-*
	[ "$status" -ne 0 ]
}
