# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# bats runs each case with its setup and teardown in one subshell
# shellcheck disable=SC2030,SC2031,SC2034
#
# net.bash: namespaces joined by a switch, and real DHCP servers in them, for tests/address*.bats.

# shellcheck source=tests/lib/ready.bash
source "${BASH_SOURCE[0]%/*}/ready.bash"
# shellcheck source=tests/lib/waits.bash
source "${BASH_SOURCE[0]%/*}/waits.bash"

# make_net: client - switch - two servers (10.0.0.1 and .2), each in a namespace of its own, and $T
# for files.
make_net() {
	cd "$BATS_TEST_DIRNAME/.." || return
	NETDRIVE=$(realpath "${BUILD:-build}")/host/tests/address/netdrive
	T=$BATS_TEST_TMPDIR
	ID=ia$$x$BATS_TEST_NUMBER
	CLIENT=${ID}c SWITCH=${ID}w SERVER=${ID}s SECOND=${ID}t
	LATER=
	mkdir -p "$T/root/run" "$T/root/etc"
	local ns
	for ns in "$CLIENT" "$SWITCH" "$SERVER" "$SECOND"; do
		ip netns add "$ns"
		ip -n "$ns" link set lo up
	done
	ip -n "$SWITCH" link add br0 type bridge
	ip -n "$SWITCH" link set br0 up
	plug "$CLIENT" c0
	plug "$SERVER" s0
	plug "$SECOND" t0
	ip -n "$SERVER" addr add 10.0.0.1/24 dev s0
	ip -n "$SECOND" addr add 10.0.0.2/24 dev t0
	ip -n "$SERVER" link set s0 up
	ip -n "$SECOND" link set t0 up
	# The client's end is up before the test: the switch's queue towards it would drop packets
	# for a moment.
	ip -n "$CLIENT" link set c0 up
	ready link_up "$CLIENT" c0
}

# end_net: ends what was started and takes the namespaces down.
end_net() {
	local ns
	[[ -n ${ID:-} ]] || return 0
	# First the process that may still start others, then those.
	[[ -z ${LATER:-} ]] || kill "$LATER" 2>/dev/null || :
	[[ -z ${LATER:-} ]] || wait "$LATER" || :
	stop
	for ns in "$CLIENT" "$SWITCH" "$SERVER" ${SECOND:+"$SECOND"}; do
		ip netns del "$ns" 2>/dev/null || :
	done
}

# client ARGUMENT...: ip in the client's namespace.
client() {
	ip -n "$CLIENT" "$@"
}

# plug NS NAME: a cable from NAME in NS to the switch, where it bears the same name.
plug() {
	ip -n "$SWITCH" link add "$2" type veth peer name "$2" netns "$1"
	ip -n "$SWITCH" link set "$2" master br0 up
}

link_up() {
	[[ $(ip -n "$1" link show "$2") == *"state UP"* &&
		$(ip -n "$SWITCH" link show "$2") == *"state UP"* ]]
}

listening() {
	[[ -n $(ip netns exec "$1" ss -H -lun "sport = :$2") ]]
}

# dnsmasq_on NS NAME OPTIONS...: dnsmasq serving 10.0.0.50-99 unless the options say otherwise.
dnsmasq_on() {
	local ns=$1 name=$2

	shift 2
	ip netns exec "$ns" dnsmasq --keep-in-foreground --conf-file=/dev/null \
		--no-resolv --no-hosts --no-ping \
		--interface="$name" --bind-dynamic --except-interface=lo --user=root --pid-file= \
		--log-facility="$T/$ns.log" \
		--log-dhcp --dhcp-leasefile="$T/$ns.leases" --dhcp-authoritative "$@" 3>&- &
	echo $! >>"$T/pids"
	ready listening "$ns" 67
}

RANGE=--dhcp-range=10.0.0.50,10.0.0.99,255.255.255.0,1h

# need PROGRAM PACKAGE: skips the case where this release has the package no more.
need() {
	command -v "$1" >/dev/null || skip "$1 is not installed: no $2 in this release"
}

# dhcpd_on NS NAME CONF: ISC dhcpd with this configuration.
dhcpd_on() {
	local ns=$1 name=$2

	need dhcpd isc-dhcp-server
	printf '%s\n' "$3" >"$T/dhcpd.conf"
	: >"$T/dhcpd.leases"
	ip netns exec "$ns" dhcpd -4 -f -q -cf "$T/dhcpd.conf" -lf "$T/dhcpd.leases" \
		--no-pid "$name" \
		>"$T/dhcpd.log" 2>&1 3>&- &
	echo $! >>"$T/pids"
	ready listening "$ns" 67
}

# kea_on NS NAME SUBNET [MORE]: Kea; SUBNET is the inside of its subnet4 entry, MORE further global
# members.
kea_on() {
	local ns=$1 name=$2

	cat >"$T/kea.conf" <<-EOF
		{ "Dhcp4": { "interfaces-config": { "interfaces": [ "$name" ] },
		"valid-lifetime": 600,
		"lease-database": { "type": "memfile", "persist": false }, "authoritative": true,
		"host-reservation-identifiers": [ "client-id" ],
		"loggers": [ { "name": "kea-dhcp4", "severity": "DEBUG", "debuglevel": 50,
			"output_options": [ { "output": "$T/kea.log" } ] } ], ${4:-}
		"subnet4": [ { "id": 1, $3 } ] } }
	EOF
	# Kea 3 writes logs into this one folder only
	ip netns exec "$ns" env KEA_PIDFILE_DIR="$T" KEA_LOCKFILE_DIR="$T" KEA_LOG_FILE_DIR="$T" \
		KEA_LOGGER_DESTINATION="$T/kea.start" \
		kea-dhcp4 -c "$T/kea.conf" >"$T/kea.out" 2>&1 3>&- &
	echo $! >>"$T/pids"
	# its port is open before
	ready grep -qs DHCP4_STARTED "$T/kea.log"
}

# stop: ends the servers. Their ids are in a file, since some are started by a subshell, later.
stop() {
	local pid

	[[ -e $T/pids ]] || return 0
	while read -r pid; do
		kill "$pid" 2>/dev/null || continue
		wait "$pid" 2>/dev/null || ready gone "$pid"
	# unchecked: those that were started
	done <"$T/pids"
	rm "$T/pids"
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# later SECONDS COMMAND...: runs the command in the background after a while.
later() {
	(sleep "$1"; "${@:2}") 3>&- &
	LATER=$!
}

# took MS: the first "configured" came within so many milliseconds. lasted MS: not before.
took() {
	configured_ms && within "$MS" "$1"
}

lasted() {
	configured_ms && [[ $MS -gt $1 ]]
}

configured_ms() {
	# shellcheck disable=SC2154 # set by run
	[[ $output =~ configured[^$'\n']*\ ms=([0-9]+) ]] && MS=${BASH_REMATCH[1]}
}
