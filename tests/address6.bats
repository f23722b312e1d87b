#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# IPv6 in the link and address rooms against a real router and DHCPv6 server (dnsmasq), in network
# namespaces: client - switch - servers. The client's switches under /proc/sys are the kernel's own.
# first: real router advertisements and leases
# shares: 2
bats_require_minimum_version 1.5.0

load lib/net

setup_file() {
	[[ $EUID -eq 0 ]] || skip "network namespaces and raw sockets need root"
}

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	NETDRIVE=$PWD/${BUILD:-build}/host/tests/address/netdrive
	[[ ${BUILD:-} != /* ]] || NETDRIVE=$BUILD/host/tests/address/netdrive
	T=$BATS_TEST_TMPDIR
	ID=ia6$$x$BATS_TEST_NUMBER
	CLIENT=${ID}c SWITCH=${ID}w SERVER=${ID}s
	mkdir -p "$T/root/run" "$T/root/etc"
	ln -s /proc "$T/root/proc"
	local ns
	for ns in "$CLIENT" "$SWITCH" "$SERVER"; do
		ip netns add "$ns"
		ip -n "$ns" link set lo up
	done
	ip -n "$SWITCH" link add br0 type bridge mcast_snooping 0
	ip -n "$SWITCH" link set br0 up
	plug "$CLIENT" c0
	plug "$SERVER" s0
	ip netns exec "$SERVER" sysctl -qw net.ipv6.conf.s0.accept_dad=0 \
		net.ipv6.conf.all.forwarding=1
	ip -n "$SERVER" link set s0 up
	ip -n "$SERVER" addr add 2001:db8:1::1/64 dev s0 nodad
	ip -n "$SERVER" addr add 10.0.0.1/24 dev s0
	ip -n "$CLIENT" link set c0 address 02:00:00:00:00:05
	# The client's interface is down: what the room sets it sets before, as in a boot.
	ready switch_up
}

teardown() {
	end_net
}

switch_up() {
	[[ $(ip -n "$SWITCH" link show br0) == *LOWER_UP* ]]
}

# link_local: the client has a link-local address that is past its check.
link_local() {
	local all
	all=$(client -6 addr show c0)
	[[ $all == *fe80* && $all != *tentative* ]]
}

running() {
	grep -q "started, version" "$T/dnsmasq.log"
}

# dnsmasq_on OPTIONS...: dnsmasq on the server.
dnsmasq_on() {
	: >"$T/dnsmasq.log"
	ip netns exec "$SERVER" dnsmasq --keep-in-foreground --conf-file=/dev/null \
		--no-resolv --no-hosts --no-ping \
		--interface=s0 --bind-dynamic --except-interface=lo --user=root --pid-file= \
		--log-facility="$T/dnsmasq.log" \
		--log-dhcp --dhcp-leasefile="$T/leases" --dhcp-authoritative "$@" 3>&- &
	echo $! >>"$T/pids"
	ready running
}

ROUTER=(--enable-ra "--dhcp-range=2001:db8:1::,ra-only")
STATELESS=(--enable-ra "--dhcp-range=2001:db8:1::,ra-stateless")
STATEFUL=(--enable-ra "--dhcp-range=2001:db8:1::100,2001:db8:1::1ff,64,1h")

# drive [KEY=VALUE]...: runs the client; its lines are $output, its console is $stderr.
drive() {
	stopwatch
	# unchecked: the caller looks at $status
	run --separate-stderr ip netns exec "$CLIENT" timeout 90 "$NETDRIVE" c0 prefix="$T/root" \
		"$@"
	# shellcheck disable=SC2154 # set by run
	printf '%s\n' "$output" "console:" "$stderr" "server:"
	cat "$T/dnsmasq.log" 2>/dev/null || :
}

@test "link6: the link-local address, and nothing a router says" {
	dnsmasq_on "${ROUTER[@]}"
	drive method=link6 hold=1
	[ "$status" -eq 0 ]
	[[ $output == *"configured -  addr=fe80::ff:fe00:5/64"*"method=link6"* ]]
	took 1000
	[[ $(client -6 addr show c0) != *2001:db8* ]]
	[[ $(client -6 route) != *default* ]]
}

@test "auto6: address, default route, DNS servers and search domains of the router" {
	dnsmasq_on "${ROUTER[@]}" \
		"--dhcp-option=option6:dns-server,[2001:db8:1::1],[2001:db8:1::2]" \
		--dhcp-option=option6:domain-search,lab.example,example \
		--host-record=nfs.example,2001:db8:1::42
	drive method=auto6 resolve=nfs.example neighbour=2001:db8:1::1
	[ "$status" -eq 0 ]
	[[ $output == *"configured -  addr=2001:db8:1::ff:fe00:5/64 gateway=fe80::"*\
" dns=2001:db8:1::1 dns=2001:db8:1::2"* ]]
	[[ $output == *"search=lab.example example method=auto6"* ]]
	[[ $output == *"neighbour reachable"*"resolved -  is=2001:db8:1::42"* ]]
	took 2500
	[ "$(cat "$T/root/etc/resolv.conf")" = \
		$'search lab.example example\nnameserver 2001:db8:1::1\nnameserver 2001:db8:1::2' ]
	[[ $(client -6 route) == *"default via fe80::"*"proto ra"* ]]
	# What was set for the time of the boot is as it was.
	[ "$(ip netns exec "$CLIENT" sysctl -n net.ipv6.conf.c0.optimistic_dad \
		net.ipv6.conf.c0.use_optimistic net.ipv6.conf.c0.router_solicitation_delay)" = \
		$'0\n0\n1' ]
}

@test "auto6: what the router leaves to DHCPv6 is asked for beside it" {
	dnsmasq_on "${STATELESS[@]}" "--dhcp-option=option6:dns-server,[2001:db8:1::7]" \
		"--dhcp-option=option6:ntp-server,[2001:db8:1::8]" --ra-param=s0,0
	drive method=auto6 hold=3
	[ "$status" -eq 0 ]
	[[ $output == *"addr=2001:db8:1::ff:fe00:5/64"* ]]
	grep -q "nameserver 2001:db8:1::7" "$T/root/etc/resolv.conf"
}

@test "auto6: the router comes five seconds late" {
	later 5 dnsmasq_on "${ROUTER[@]}"
	drive method=auto6 limit=30
	[ "$status" -eq 0 ]
	[[ $output == *"hindrance IA-E521 waiting for a router advertisement"* ]]
	took 15000
}

@test "auto6: the router has DHCPv6 only, and no router at all" {
	dnsmasq_on "${STATEFUL[@]}"
	drive method=auto6 limit=6 auto-limit=5
	[ "$status" -eq 2 ]
	[[ $output == *"hindrance IA-E522 the router offers addresses by DHCPv6 only (M flag)"* ]]
	[[ $stderr == *IA-E522* ]]
	stop
	client link set c0 down
	drive method=auto6 limit=4 auto-limit=3
	[ "$status" -eq 2 ]
	[[ $stderr == *IA-E521* ]]
}

@test "dhcp6: a lease with what a boot needs" {
	dnsmasq_on "${STATEFUL[@]}" "--dhcp-option=option6:dns-server,[2001:db8:1::1]" \
		--dhcp-option=option6:domain-search,lab.example \
		"--dhcp-option=option6:ntp-server,[2001:db8:1::9]" \
		"--dhcp-option=option6:bootfile-url,http://[2001:db8:1::1]/boot/x.efi" \
		"--dhcp-host=id:00:03:00:01:02:00:00:00:00:05,[2001:db8:1::77],node5"
	drive method=dhcp6 neighbour=2001:db8:1::1 hostname=node5
	[ "$status" -eq 0 ]
	[[ $output == *"configured -  addr=2001:db8:1::77/128 gateway=fe80::"*\
" dns=2001:db8:1::1 ntp=2001:db8:1::9"* ]]
	[[ $output == *"search=lab.example boot-file=http://[2001:db8:1::1]/boot/x.efi \
method=dhcp6"*"lease=3600"* ]]
	[[ $output == *"neighbour reachable"* ]]
	took 6000
	[[ $(client -6 addr show c0) == *"inet6 2001:db8:1::77/128"* ]]
	[[ $(client -6 route) == *"2001:db8:1::/64 dev c0 proto kernel"* ]]
}

@test "dhcp6: hostile text from a real server never reaches a file" {
	dnsmasq_on "${STATEFUL[@]}" "--dhcp-option=option6:bootfile-url,\`id\`" \
		"--dhcp-option=option6:domain-search,\$(reboot)" \
		"--dhcp-option=option6:dns-server,[2001:db8:1::1],[ff02::1]"
	drive method=dhcp6
	[ "$status" -eq 0 ]
	[[ $stderr == *"ignoring some entries of "*" in DHCPv6 reply: invalid, or more than 4"* ]]
	[[ $output == *"dns=2001:db8:1::1"* && $output != *boot-file=* && $output != *search=* ]]
	[[ $stderr == *"ignoring invalid boot file URL in DHCPv6 reply"* ]]
	run -1 grep -rs "[\`\$]" "$T/root/run" "$T/root/etc"
}

@test "dhcp6: carrier lost and back: the lease is confirmed" {
	flap() {
		ip -n "$SWITCH" link set c0 down
		sleep 1
		ip -n "$SWITCH" link set c0 up
	}
	dnsmasq_on "${STATEFUL[@]}"
	later 3 flap
	drive method=dhcp6 hold=8
	[ "$status" -eq 0 ]
	[[ $output == *"configured"*"lost IA-E402 carrier lost"*"configured"* ]]
	grep -q DHCPCONFIRM "$T/dnsmasq.log"
}

# received PACKETS: what the kernel would count; the tests' root has no sysfs of the client's.
received() {
	mkdir -p "$T/root/sys/class/net/c0/statistics"
	echo "$1" >"$T/root/sys/class/net/c0/statistics/rx_packets"
}

@test "dhcp6: the server comes five seconds late" {
	later 5 dnsmasq_on "${STATEFUL[@]}"
	drive method=dhcp6 limit=40
	[ "$status" -eq 0 ]
	[[ $output == *"hindrance IA-E501 no DHCPv6 answer yet, "* ]]
	took 20000
}

@test "dhcp6: no server, and a time after which it is over" {
	drive method=dhcp6 dhcp-limit=3
	[ "$status" -eq 1 ]
	[[ $output == *"failed IA-E501 no DHCPv6 lease after 3 s"* ]]
}

@test "dhcp6: a segment on which nobody speaks is told from one without a server" {
	received 7
	drive method=dhcp6 dhcp-limit=6
	[[ $output == \
		*"hindrance IA-E501 no DHCPv6 answer yet, "*" sent, nothing at all received"* ]]
	[[ $output == *"failed IA-E501 no DHCPv6 lease after 6 s, nothing at all received"* ]]
	later 3 received 10
	drive method=dhcp6 dhcp-limit=6
	[[ $output == \
		*"failed IA-E501 no DHCPv6 lease after 6 s, 3 packets of any kind received"* ]]
}

@test "dhcp6: no address left" {
	dnsmasq_on --enable-ra --dhcp-range=2001:db8:1::100,static,64,1h
	drive method=dhcp6 limit=6
	[ "$status" -eq 2 ]
	[[ $output == *"hindrance IA-E524 the DHCPv6 server says: no addresses available (2)"* ]]
}

@test "dhcp6: an address that is in use is declined, the next one is taken" {
	dnsmasq_on --enable-ra --dhcp-range=2001:db8:1::100,2001:db8:1::101,64,1h
	ip -n "$SERVER" addr add 2001:db8:1::100/128 dev s0 nodad
	ip -n "$SERVER" addr add 2001:db8:1::101/128 dev s0 nodad
	drive method=dhcp6 probe=first limit=10
	[ "$status" -eq 2 ]
	[[ $output == *"lost IA-E505 2001:db8:1::10"*" is in use by another host"* ]]
	grep -q DHCPDECLINE "$T/dnsmasq.log"
	[[ $(client -6 addr show c0) != *"2001:db8:1::10"* ]]
}

@test "either6: automatic when the router has it, DHCPv6 when the router says so" {
	dnsmasq_on "${ROUTER[@]}"
	drive method=either6
	[ "$status" -eq 0 ]
	[[ $output == *"addr=2001:db8:1::ff:fe00:5/64"*"method=auto6"* ]]
	stop
	client link set c0 down
	dnsmasq_on "${STATEFUL[@]}"
	drive method=either6
	[ "$status" -eq 0 ]
	[[ $output == *"addr=2001:db8:1::1"*"/128"*"method=dhcp6"* ]]
	took 6000
}

@test "either6: no router, so DHCPv6 after the time for automatic addresses" {
	dnsmasq_on --dhcp-range=2001:db8:1::100,2001:db8:1::1ff,64,1h
	drive method=either6 auto-limit=3 limit=30
	[ "$status" -eq 0 ]
	[[ $output == *"hindrance IA-E521 address set, waiting for a router advertisement"* ]]
	[[ $output == *"method=dhcp6"* ]]
	[[ $stderr == *"no automatic address in time, asking DHCPv6"* ]]
	[[ $stderr == *"IA-E521"*"only routes of the command line are set"* ]]
	lasted 3000
}

@test "IPv4 and IPv6 at the same time: the first is used, the other one is set as well" {
	dnsmasq_on "${ROUTER[@]}" --dhcp-range=10.0.0.50,10.0.0.99,255.255.255.0,1h \
		"--dhcp-option=option6:dns-server,[2001:db8:1::1]"
	drive method=dhcp second=auto6 hold=4
	[ "$status" -eq 0 ]
	took 1500
	[[ $output == *"configured -  addr="*"configured -  addr="* &&
		$output == *"addr=10.0.0."* ]]
	[[ $output != *"lost"* ]]
	[[ $(client -6 addr show c0) == *2001:db8:1::ff:fe00:5/64* ]]
	grep -q 2001:db8:1::1 "$T/root/etc/resolv.conf"
}

@test "static address, gateway, neighbour; a duplicate" {
	drive static=2001:db8:1::7/64 gateway=2001:db8:1::1 neighbour=2001:db8:1::1
	[ "$status" -eq 0 ]
	[[ $output == *"addr=2001:db8:1::7/64 gateway=2001:db8:1::1"*"neighbour reachable"* ]]
	took 1000
	[[ $(client -6 route) == *"default via 2001:db8:1::1 dev c0"* ]]
	client link set c0 down
	ip -n "$SERVER" addr add 2001:db8:1::8/64 dev s0 nodad
	drive static=2001:db8:1::8/64 probe=first limit=4
	[ "$status" -eq 2 ]
	[[ $output == *"lost IA-E505 2001:db8:1::8 is in use by another host"* ]]
	[[ $output != *configured* ]]
	[[ $stderr == *IA-E505* ]]
	# Used while it is checked, and taken off when the check says so.
	client link set c0 down
	drive static=2001:db8:1::8/64 limit=4 hold=2
	[[ $output == *"lost IA-E505 2001:db8:1::8 is in use by another host"* ]]
	[[ $(client -6 addr show c0) != *2001:db8:1::8* ]]
}

@test "a second run adopts: automatic, leased, static" {
	local first
	dnsmasq_on "${STATEFUL[@]}"
	drive method=dhcp6
	[ "$status" -eq 0 ]
	first=${output#*addr=}
	first=${first%%/*}
	stop
	drive method=dhcp6
	[ "$status" -eq 0 ]
	[[ $output == *"addr=$first/128"*"adopted=1"* ]]
	took 800
	client link set c0 down
	dnsmasq_on "${ROUTER[@]}"
	drive method=auto6
	[ "$status" -eq 0 ]
	stop
	drive method=auto6
	[ "$status" -eq 0 ]
	took 800
	drive static=2001:db8:1::7/64
	[ "$status" -eq 0 ]
	drive static=2001:db8:1::7/64
	[[ $output == *"adopted=1"* ]]
	took 800
}

@test "the interface was up and deaf to routers: it asks at once" {
	ip netns exec "$CLIENT" sysctl -qw net.ipv6.conf.c0.accept_ra=0
	client link set c0 up
	dnsmasq_on "${ROUTER[@]}"
	ready link_local
	drive method=auto6
	[ "$status" -eq 0 ]
	took 5000
}

@test "IPv6 switched off on this interface, no link-local address: it is switched on" {
	ip netns exec "$CLIENT" sysctl -qw net.ipv6.conf.c0.disable_ipv6=1 \
		net.ipv6.conf.c0.addr_gen_mode=1
	drive method=link6
	[ "$status" -eq 0 ]
	[[ $output == *"addr=fe80::ff:fe00:5/64"* ]]
}

@test "a router that goes takes its address with it" {
	dnsmasq_on "${ROUTER[@]}"
	later 4 ip -n "$CLIENT" -6 addr flush dev c0 scope global
	drive method=auto6 hold=6
	[ "$status" -eq 0 ]
	[[ $output == *"lost IA-E525 2001:db8:1::ff:fe00:5 is gone"* ]]
}
