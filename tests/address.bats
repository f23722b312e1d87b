#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2030,SC2031 # bats runs each case with its setup and teardown in one subshell
#
# The link and address rooms against real DHCP and DNS servers, in network namespaces: client -
# switch - servers.
# first: real leases
bats_require_minimum_version 1.5.0

setup_file() {
	[[ $EUID -eq 0 ]] || skip "network namespaces and raw sockets need root"
}

setup() {
	load lib/net
	make_net
}

teardown() {
	end_net
}

# drive [KEY=VALUE]...: runs the client; its lines are $output, its console is $stderr.
drive() {
	stopwatch
	# unchecked: the caller looks at $status
	run --separate-stderr ip netns exec "$CLIENT" timeout 60 "$NETDRIVE" c0 prefix="$T/root" \
		"$@"
	# shellcheck disable=SC2154 # set by run
	printf '%s\n' "$output" "console:" "$stderr"
}

no_address() {
	[[ $(client -4 addr show c0) != *inet* ]]
}

@test "dnsmasq: a lease with everything a boot needs" {
	dnsmasq_on "$SERVER" s0 "$RANGE" --dhcp-option=3,10.0.0.1 \
		--dhcp-option=6,10.0.0.1,10.0.0.2 --domain=example \
		--dhcp-option=42,10.0.0.9 --dhcp-option=17,10.0.0.1:/export/root,vers=4.2 \
		--dhcp-option=26,1400 \
		--dhcp-option=119,lab.example,example \
		--dhcp-host=id:01:02:00:00:00:00:05,10.0.0.77,node5 \
		--dhcp-boot=boot.ipxe,bootserver,10.0.0.3
	drive client-id=01020000000005 probe=none
	[ "$status" -eq 0 ]
	[[ $output == \
		*"addr=10.0.0.77/24 gateway=10.0.0.1 dns=10.0.0.1 dns=10.0.0.2 ntp=10.0.0.9"* ]]
	[[ $output == *"hostname=node5 domain=example search=lab.example example\
 root-path=10.0.0.1:/export/root,vers=4.2"* ]]
	[[ $output == *"boot-file=boot.ipxe"*"next-server=10.0.0.3 server=10.0.0.1 mtu=1400\
 lease=3600 adopted=0"* ]]
	took 800
	[[ $(client -4 addr show c0) == *"inet 10.0.0.77/24 brd 10.0.0.255"* ]]
	[[ $(client route) == *"default via 10.0.0.1 dev c0 proto dhcp"* ]]
	[[ $(client link show c0) == *"mtu 1400"* ]]
	[ "$(cat "$T/root/etc/resolv.conf")" = \
		$'search lab.example example\nnameserver 10.0.0.1\nnameserver 10.0.0.2' ]
}

@test "dnsmasq: classless routes" {
	dnsmasq_on "$SERVER" s0 "$RANGE" --dhcp-option=3,10.0.0.1 \
		--dhcp-option=121,0.0.0.0/0,10.0.0.2,172.16.0.0/12,10.0.0.3,192.0.2.128/25,0.0.0.0
	drive
	[ "$status" -eq 0 ]
	[[ $(client route) == *"default via 10.0.0.2 dev c0"* ]]
	[[ $(client route) == *"172.16.0.0/12 via 10.0.0.3 dev c0"* ]]
	[[ $(client route) == *"192.0.2.128/25 dev c0"* ]]
}

# exchange NS: the messages that the dnsmasq there has seen and sent.
exchange() {
	sed -n 's/.* \(DHCP[A-Z]*\)(.*/\1/p' "$T/$1.log" | paste -sd' '
}

@test "dnsmasq with and without rapid commit: a lease in two packets, and in four" {
	dnsmasq_on "$SERVER" s0 "$RANGE" --dhcp-rapid-commit
	drive probe=none
	[ "$status" -eq 0 ]
	[[ $output == *"addr=10.0.0."*"server=10.0.0.1 "*"lease=3600"* ]]
	[ "$(exchange "$SERVER")" = "DHCPDISCOVER DHCPACK" ]
	stop
	rm -r "$T/root/run/initagent"
	client addr flush dev c0
	dnsmasq_on "$SECOND" t0 "$RANGE"
	drive probe=none
	[ "$status" -eq 0 ]
	[ "$(exchange "$SECOND")" = "DHCPDISCOVER DHCPOFFER DHCPREQUEST DHCPACK" ]
}

# A committed lease that is not taken is missing in its server's range until it expires.
@test "two servers, of which one would commit, but a list names the other: no address is lost" {
	dnsmasq_on "$SERVER" s0 --dhcp-range=10.0.0.50,10.0.0.50,255.255.255.0,1h \
		--dhcp-rapid-commit
	dnsmasq_on "$SECOND" t0 --dhcp-range=10.0.0.150,10.0.0.199,255.255.255.0,1h
	drive server=10.0.0.2
	[ "$status" -eq 0 ]
	[[ $output == *"addr=10.0.0.1"*"server=10.0.0.2 "* ]]
	[[ $(exchange "$SERVER") != *DHCPACK* ]]
}

# again: forgets the lease on the client's side, and what the servers have logged.
again() {
	rm -rf "$T/root/run/initagent"
	client addr flush dev c0
	: >"$T/$SERVER.log"
}

# leased: the address of the lease.
leased() {
	sed -n 's/^configured .* addr=\([0-9.]*\).*/\1/p' <<<"$output"
}

@test "the address that was leased before the kernel: two packets, or as usual after a refusal" {
	dnsmasq_on "$SERVER" s0 "$RANGE"
	drive probe=none
	local first
	first=$(leased)
	again
	drive probe=none request="$first"
	[ "$status" -eq 0 ]
	[ "$(leased)" = "$first" ]
	[ "$(exchange "$SERVER")" = "DHCPREQUEST DHCPACK" ]
	again
	drive probe=none request=10.9.0.5
	[ "$status" -eq 0 ]
	[ "$(leased)" = "$first" ]
	[ "$(exchange "$SERVER")" = \
		"DHCPREQUEST DHCPNAK DHCPDISCOVER DHCPOFFER DHCPREQUEST DHCPACK" ]
	[[ $stderr == *"NAK from 10.0.0.1 to the address of rd.net.dhcp.request=; asking for"* ]]
	[[ $stderr$output != *IA-E502* ]]
}

@test "the same from Kea" {
	kea_on "$SERVER" s0 \
		'"subnet": "10.0.0.0/24", "pools": [ { "pool": "10.0.0.50 - 10.0.0.60" } ]'
	drive probe=none
	[ "$status" -eq 0 ]
	local first
	first=$(leased)
	again
	: >"$T/kea.log"
	drive probe=none request="$first"
	[ "$status" -eq 0 ]
	[ "$(leased)" = "$first" ]
	run -1 grep DHCPDISCOVER "$T/kea.log"
}

# RFC 2131 section 4.3.2: such a server says nothing about an address of which it knows nothing.
@test "the address that was leased before the kernel, and a silent server: a second is lost" {
	dhcpd_on "$SERVER" s0 'not authoritative; default-lease-time 600;
		subnet 10.0.0.0 netmask 255.255.255.0 {
			range 10.0.0.50 10.0.0.60; ping-check false; }'
	drive probe=none request=10.0.0.99
	[ "$status" -eq 0 ]
	[[ $(leased) == 10.0.0.[56]? ]]
	took 2500
	lasted 800
}

@test "dhcpd: a lease, matched by client identifier, and one from the pool" {
	dhcpd_on "$SERVER" s0 'authoritative; default-lease-time 600; option domain-name "example";
		subnet 10.0.0.0 netmask 255.255.255.0 { range 10.0.0.50 10.0.0.60;
		option routers 10.0.0.1; ping-check false;
			option root-path "10.0.0.1:/export/root"; next-server 10.0.0.3;
			filename "boot.ipxe"; }
		host node5 { option dhcp-client-identifier 01:02:00:00:00:00:05;
			fixed-address 10.0.0.77; option host-name "node5"; }'
	drive client-id=01020000000005
	[ "$status" -eq 0 ]
	[[ $output == *"addr=10.0.0.77/24 gateway=10.0.0.1"*"hostname=node5 domain=example\
 root-path=10.0.0.1:/export/root"* ]]
	[[ $output == \
		*"boot-file=boot.ipxe"*"next-server=10.0.0.3 server=10.0.0.1 mtu=0 lease=600"* ]]
	took 800
	rm -r "$T/root/run/initagent"
	client addr flush dev c0
	drive
	[ "$status" -eq 0 ]
	[[ $output == *"addr=10.0.0.5"*"lease=600"* || $output == *"addr=10.0.0.60/24"* ]]
}

@test "dhcpd with its ping check: OFFER a second late, still the first transaction" {
	dhcpd_on "$SERVER" s0 \
		'authoritative; default-lease-time 600; ping-check true; ping-timeout 1;
		subnet 10.0.0.0 netmask 255.255.255.0 { range 10.0.0.50 10.0.0.60; }'
	drive
	[ "$status" -eq 0 ]
	took 4000
	[[ $stderr != *IA-E5* ]]
}

@test "the server is five seconds late" {
	later 5 dnsmasq_on "$SERVER" s0 "$RANGE"
	drive limit=30
	[ "$status" -eq 0 ]
	[[ $output == *"hindrance IA-E501 no DHCP answer yet, 1 request sent"* ]]
	took 9000
	lasted 4900
}

@test "no server at all" {
	drive limit=6
	[ "$status" -eq 2 ]
	[[ $output == *"hindrance IA-E501 no DHCP answer yet, 2 requests sent"* ]]
	no_address
}

@test "two servers: only the allowed one is believed" {
	dnsmasq_on "$SECOND" t0 --dhcp-range=10.0.0.150,10.0.0.199,255.255.255.0,1h
	dhcpd_on "$SERVER" s0 'authoritative; default-lease-time 600;
		subnet 10.0.0.0 netmask 255.255.255.0 {
			range 10.0.0.50 10.0.0.60; ping-check false; }'
	drive server=10.0.0.1
	[ "$status" -eq 0 ]
	[[ $output == *"server=10.0.0.1 "* ]]
	rm -r "$T/root/run/initagent"
	client addr flush dev c0
	drive server=10.0.0.2
	[ "$status" -eq 0 ]
	[[ $output == *"addr=10.0.0.1"*"server=10.0.0.2 "* ]]
}

@test "only foreign servers" {
	dnsmasq_on "$SERVER" s0 "$RANGE"
	drive server=10.0.0.2 limit=4
	[ "$status" -eq 2 ]
	[[ $output == *"hindrance IA-E503 server 10.0.0.1 is not in rd.net.dhcp.server="* ]]
	[[ $stderr == *IA-E503* ]]
}

@test "dnsmasq says NAK to an address of another network" {
	dnsmasq_on "$SERVER" s0 "$RANGE"
	drive
	[ "$status" -eq 0 ]
	stop
	client addr flush dev c0
	ip -n "$SERVER" addr flush dev s0
	ip -n "$SERVER" addr add 10.9.0.1/24 dev s0
	dnsmasq_on "$SERVER" s0 --dhcp-range=10.9.0.50,10.9.0.99,255.255.255.0,1h
	drive
	[ "$status" -eq 0 ]
	[[ $output == *"hindrance IA-E502 NAK from 10.9.0.1"* ]]
	[[ $output == *"addr=10.9.0."* ]]
	took 1500
}

@test "dhcpd says NAK to an address of another network" {
	dnsmasq_on "$SERVER" s0 "$RANGE"
	drive
	[ "$status" -eq 0 ]
	stop
	client addr flush dev c0
	ip -n "$SERVER" addr flush dev s0
	ip -n "$SERVER" addr add 10.9.0.1/24 dev s0
	dhcpd_on "$SERVER" s0 'authoritative; default-lease-time 600;
		subnet 10.9.0.0 netmask 255.255.255.0 {
			range 10.9.0.50 10.9.0.60; ping-check false; }'
	drive
	[ "$status" -eq 0 ]
	[[ $output == *"hindrance IA-E502 NAK from 10.9.0.1"* ]]
	[[ $output == *"addr=10.9.0."* ]]
}

@test "a second run adopts the lease without a packet" {
	dnsmasq_on "$SERVER" s0 "$RANGE"
	drive
	[ "$status" -eq 0 ]
	local first=${output#*addr=}
	first=${first%%/*}
	stop
	drive
	[ "$status" -eq 0 ]
	[[ $output == *"addr=$first/24"*"adopted=1"* ]]
	# before a first request would be repeated
	took 800
}

@test "a lease is renewed by unicast while the boot waits" {
	dhcpd_on "$SERVER" s0 \
		'authoritative; default-lease-time 8; max-lease-time 8; min-lease-time 8;
		subnet 10.0.0.0 netmask 255.255.255.0 {
			range 10.0.0.50 10.0.0.60; ping-check false; }'
	drive hold=6
	[ "$status" -eq 0 ]
	[[ $output == *"renewed"* ]]
	[[ $output != *"lost"* ]]
}

# The server has another network when the lease is renewed: NAK, and the new address within seconds.
@test "another server says NAK at a renewal: an address of its own at once" {
	dhcpd_on "$SERVER" s0 \
		'authoritative; default-lease-time 8; max-lease-time 8; min-lease-time 8;
		subnet 10.0.0.0 netmask 255.255.255.0 {
			range 10.0.0.50 10.0.0.60; ping-check false; }'
	leased() {
		[[ $(client -4 addr show c0) == *inet\ 10.0.0.[56]* ]]
	}
	renumber() {
		ready leased
		stop
		dnsmasq_on "$SERVER" s0 --dhcp-range=10.0.0.90,10.0.0.99,255.255.255.0,1h
	}
	later 0 renumber
	drive hold=9 limit=30
	wait "$LATER"
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154
	[[ $output == *"lost IA-E502"*"configured "*" addr=10.0.0.9"*" ms="* ]]
	# the renewal was due 4 s after the first address
	configured_ms
	[[ ${output##*configured} =~ ms=([0-9]+) ]]
	within $((BASH_REMATCH[1] - MS)) 7000
}

@test "static address, routes, DNS and neighbour" {
	dnsmasq_on "$SERVER" s0 --port=53 --no-dhcp-interface=s0 --address=/nfs.example/10.0.0.42 \
		"$RANGE"
	drive static=10.0.0.7/24 gateway=10.0.0.1 dns=10.0.0.1 mtu=1300 neighbour=10.0.0.1 \
		resolve=nfs.example
	[ "$status" -eq 0 ]
	[[ $output == *"addr=10.0.0.7/24 gateway=10.0.0.1 dns=10.0.0.1"* ]]
	[[ $output == *"neighbour reachable"* ]]
	[[ $output == *"resolved -  is=10.0.0.42"* ]]
	[[ $(client neigh show 10.0.0.1) == *REACHABLE* ]]
	took 800
}

@test "names: aliases, search domains, unknown names, IPv6 only" {
	dnsmasq_on "$SERVER" s0 "$RANGE" --domain=example --host-record=nfs.example,10.0.0.42 \
		--cname=files.example,nfs.example --host-record=six.example,2001:db8::42 \
		--local=/example/ --local=//
	drive resolve=files.example
	[[ $output == *"resolved -  is=10.0.0.42"* ]]
	drive resolve=nfs
	[[ $output == *"resolved -  is=10.0.0.42"* ]]
	drive resolve=six.example
	[[ $output == *"resolved -  is=2001:db8::42"* ]]
	drive resolve=nobody.example
	[[ $output == *"resolved IA-E608 the DNS server has no address for nobody.example"* ]]
}

@test "names: more addresses than fit into UDP, behind an alias that fills it alone" {
	local i long many=() label
	label=$(printf 'x%.0s' {1..60})
	long=$label.$label.$label.example
	for ((i = 1; i <= 60; i++)); do
		many+=("--host-record=$long,10.0.1.$i")
	done
	dnsmasq_on "$SERVER" s0 "$RANGE" "${many[@]}" --cname="files.example,$long"
	drive resolve=files.example
	[[ $output == *"resolved -  is=10.0.1."* ]]
}

@test "one dead DNS server beside a living one costs nothing" {
	dnsmasq_on "$SERVER" s0 "$RANGE" --dhcp-option=6,10.0.0.250,10.0.0.1 \
		--host-record=nfs.example,10.0.0.42
	drive resolve=nfs.example
	[[ $output =~ "resolved -  is=10.0.0.42 ms="([0-9]+) ]]
	# Servers are asked again after a second; one after the other would be asked then.
	within "${BASH_REMATCH[1]}" 999
}

@test "only dead DNS servers" {
	dnsmasq_on "$SERVER" s0 "$RANGE" --dhcp-option=6,10.0.0.250
	drive resolve=nfs.example
	[[ $output == *"resolved IA-E608 no DNS server answered in time for nfs.example"* ]]
}

@test "an address that is in use is declined, the next one is taken" {
	dnsmasq_on "$SERVER" s0 --dhcp-range=10.0.0.50,10.0.0.51,255.255.255.0,1h
	ip -n "$SECOND" addr add 10.0.0.50/24 dev t0
	ip -n "$SECOND" addr add 10.0.0.51/24 dev t0
	drive probe=first limit=5
	[ "$status" -eq 2 ]
	[[ $output == *"lost IA-E505 10.0.0.5"*"is in use by "* ]]
	grep -q DHCPDECLINE "$T/$SERVER.log"
	no_address
}

@test "link flap in the middle of DHCP" {
	# the kernel's count of broadcasts for a port that nobody listens on
	asked() {
		ip netns exec "$SERVER" nstat -asz UdpIgnoredMulti | grep -q "Multi  *[1-9]"
	}
	flap() {
		ready asked
		ip -n "$SWITCH" link set c0 down
		sleep 2
		ip -n "$SWITCH" link set c0 up
		dnsmasq_on "$SERVER" s0 "$RANGE"
	}
	later 0 flap
	drive limit=20
	[ "$status" -eq 0 ]
	[[ $output == *"hindrance IA-E402 carrier lost"* ]]
	took 9000
}

@test "hostile text from a real server never reaches a file" {
	dnsmasq_on "$SERVER" s0 "$RANGE" "--dhcp-option-force=12,x'&touch /tmp/x #" \
		"--dhcp-option-force=15,\$(reboot)" \
		"--dhcp-option-force=17,\`id\`" --dhcp-option=6,10.0.0.1,127.0.0.1
	drive
	[ "$status" -eq 0 ]
	[[ $output != *hostname=* && $output != *root-path=* && $output != *domain=* ]]
	[[ $stderr == *"ignoring invalid host name in DHCP lease"* ]]
	[[ $output == *"dns=10.0.0.1"* && $output != *"dns=127"* ]]
	[[ $stderr == *"ignoring some entries of "*" in DHCP lease: invalid, or more than 4"* ]]
	run -1 grep -r "[\`\$&;']" "$T/root"
}

@test "the agent's own CPU time for a lease is a few milliseconds" {
	dnsmasq_on "$SERVER" s0 "$RANGE"
	drive
	[ "$status" -eq 0 ]
	[[ $output =~ self_us=([0-9]+)\ parser_us=([0-9]+) ]]
	# With sanitizers; without them it is a tenth.
	[ $((BASH_REMATCH[1] + BASH_REMATCH[2])) -lt 300000 ]
}
