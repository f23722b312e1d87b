#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rendered configurations of dnsmasq, ISC dhcpd and Kea, asked by clients shaped like the boot
# stages of one node (tests/address/dhcpask.c): who gets which address and which file.
bats_require_minimum_version 1.5.0

GUID=b8cef60300313331
FLEXBOOT=ff000000000002000002c900$GUID
HW=20$GUID
IPXE=01b8cef6313331
RFC4361=ff0031333100030020$GUID
UUID=ff0031333100040102030405060708090a0b0c0d0e0f10

setup_file() {
	[[ $EUID -eq 0 ]] || skip "network namespaces and raw sockets need root"
}

setup() {
	load lib/net
	make_net
	SITE=$(realpath "${BUILD:-build}")/initagent-site
	ASK=$(realpath "${BUILD:-build}")/host/tests/address/dhcpask
	echo file >"$T/file"
}

teardown() {
	end_net
}

# site NETWORK NODES [LINES]: writes and renders a site with one server and one network.
site() {
	cat >"$T/site.yaml" <<-END
		site: lab
		tree: $T/tree
		servers: {boot1: {address: 10.0.0.1}}
		networks:
		  net: {subnet: 10.0.0.0/24, router: 10.0.0.254, dns: 10.0.0.1, mtu: 2044,
		    interface: s0, $1}
		images: {a: {kernel: file, initrd: file, uki: file}}
		defaults: {image: a, root: "nfs:10.0.0.1:/export"}
		nodes:
		  $2
		${3:-}
	END
	"$SITE" -f "$T/site.yaml" render "$T/tree"
}

infiniband() {
	local bios="loaders: {bios: file}"

	site "fabric: infiniband, pool: 10.0.0.200-10.0.0.250${1:-}" \
		"n1: {guid: $GUID, address: 10.0.0.11,
		     uuid: 01020304-0506-0708-090a-0b0c0d0e0f10}" \
		"${2:-$bios}"
}

ethernet() {
	site "fabric: ethernet" "e1: {mac: 52:54:00:00:00:01, address: 10.0.0.11}" \
		"loaders: {bios: file, efi-x64: file, efi-arm64: file}${1:+$'\n'}${1:-}"
}

# serve SERVER: checks the syntax with the server's own checker, then starts it.
serve() {
	local dir=$T/tree/dhcp/boot1

	: >"$T/leases"
	case $1 in
	dnsmasq)
		dnsmasq --test --conf-file="$dir/dnsmasq.conf"
		ip netns exec "$SERVER" dnsmasq \
			--keep-in-foreground --conf-file="$dir/dnsmasq.conf" --user=root \
			--pid-file= --dhcp-leasefile="$T/leases" --log-facility="$T/log" 3>&- &
		;;
	dhcpd)
		need dhcpd isc-dhcp-server
		dhcpd -t -cf "$dir/dhcpd.conf"
		ip netns exec "$SERVER" dhcpd -4 -f -q -cf "$dir/dhcpd.conf" -lf "$T/leases" \
			--no-pid s0 >"$T/log" 2>&1 3>&- &
		;;
	kea)
		# The leases of a real server outlive it, in a folder of its own.
		sed 's/"persist": true/"persist": false/' "$dir/kea-dhcp4.json" >"$T/kea.json"
		ip netns exec "$SERVER" kea-dhcp4 -t "$T/kea.json"
		ip netns exec "$SERVER" env KEA_PIDFILE_DIR="$T" KEA_LOCKFILE_DIR="$T" kea-dhcp4 \
			-c "$T/kea.json" \
			>"$T/log" 2>&1 3>&- &
		;;
	esac
	echo $! >>"$T/pids"
	ready listening "$SERVER" 67
	# it answers nothing before
	[[ $1 != kea ]] || ready grep -q DHCP4_STARTED "$T/log"
}

# gets SHAPE PORT [CLIENT-ID] -- WORD...: each word is in the answer. There is none after two
# seconds where that is expected, as it may be with SOON set.
gets() {
	local ask=() word

	while [[ $1 != -- ]]; do
		ask+=("$1")
		shift
	done
	shift
	[[ "$*" != "no offer" ]] || local SOON=1
	# unchecked: the caller looks at $status
	WAIT_MS=${SOON:+2000} run ip netns exec "$CLIENT" "$ASK" c0 "${ask[@]}"
	echo "${ask[*]}: $output"
	for word; do
		[[ " $output " == *" $word "* ]] ||
			{ echo "lacks $word"; tail -n 20 "$T/log"; return 1; }
	done
}

read_twice() {
	[[ $(grep -c "read .*/dhcp/boot1/dnsmasq.hosts" "$T/log") -ge 2 ]]
}

# stages SERVER: what all three do with a node of an InfiniBand network.
stages() {
	infiniband
	serve "$1"
	gets flexboot $GUID -- addr=10.0.0.11 host=n1 file=http://10.0.0.1/boot.ipxe next=10.0.0.1 \
		vendor=
	gets agent $GUID $FLEXBOOT -- addr=10.0.0.11 host=n1 file=
	# the next boot
	gets flexboot $GUID -- addr=10.0.0.11 file=http://10.0.0.1/boot.ipxe
	# a FlexBoot that does not say that it is an iPXE; a PXE loader would start it in a circle
	gets flexboot-noclass $GUID -- addr=10.0.0.11 file=http://10.0.0.1/boot.ipxe vendor=
	gets flexboot-noclass b8cef60300313338 -- file=http://10.0.0.1/boot.ipxe
	gets flexboot-hw b8cef60300313337 -- file=http://10.0.0.1/boot.ipxe
	gets flexboot-noid b8cef60300313337 -- file=http://10.0.0.1/boot.ipxe
	# only a ROM gets one
	gets agent b8cef60300313336 20b8cef60300313336 -- file=
	# an unknown node gets an address from the pool, and the script
	gets flexboot b8cef60300313339 -- file=http://10.0.0.1/boot.ipxe
	[[ $output == addr=10.0.0.2[0-4][0-9]" "* ]]
}

# ethernet_stages SERVER
ethernet_stages() {
	ethernet
	serve "$1"
	gets pxe 525400000001 -- addr=10.0.0.11 host=e1 file=undionly.kpxe next=10.0.0.1 vendor=
	gets pxe-efi 525400000001 -- addr=10.0.0.11 file=ipxe-x64.efi
	gets http-efi 525400000001 -- addr=10.0.0.11 file=http://10.0.0.1/loaders/ipxe-x64.efi \
		vendor=HTTPClient
	gets pxe-arm64 525400000001 -- addr=10.0.0.11 file=ipxe-arm64.efi vendor= next=10.0.0.1
	gets http-arm64 525400000001 -- addr=10.0.0.11 \
		file=http://10.0.0.1/loaders/ipxe-arm64.efi vendor=HTTPClient
	gets ipxe 525400000001 -- addr=10.0.0.11 file=http://10.0.0.1/boot.ipxe vendor=
	gets ipxe-efi 525400000001 -- addr=10.0.0.11 file=http://10.0.0.1/boot.ipxe vendor=
	# a RoCE adapter's ROM
	gets flexboot-ethernet 525400000001 -- addr=10.0.0.11 file=http://10.0.0.1/boot.ipxe vendor=
	gets agent-ethernet 525400000001 -- addr=10.0.0.11 host=e1 file=
	gets agent-ethernet-id 525400000001 ff0000000100030001525400000001 -- addr=10.0.0.11 host=e1
	gets pxe 525400000001 -- addr=10.0.0.11 host=e1
	gets pxe 525400000002 -- "no offer"
}

@test "dnsmasq: the stages of an InfiniBand node" {
	stages dnsmasq
	# an iPXE between ROM and agent: by the MAC it makes of the GUID
	gets ipxe $GUID -- addr=10.0.0.11 file=http://10.0.0.1/boot.ipxe
	gets agent $GUID $FLEXBOOT -- addr=10.0.0.11
}

@test "dnsmasq: another client identifier gets another address while the lease lasts" {
	infiniband ", client-id: hw" "loaders: {efi-x64: file}"
	# which check says
	"$SITE" -f "$T/site.yaml" check | grep \
		"note: network net: while the agent's lease lasts, dnsmasq and Kea give UEFI"
	serve dnsmasq
	gets agent $GUID $HW -- addr=10.0.0.11
	gets ipxe $GUID -- file=http://10.0.0.1/boot.ipxe
	[[ $output == addr=10.0.0.2* ]]
	gets agent $GUID $HW -- addr=10.0.0.11
}

@test "dhcpd: the stages of an InfiniBand node, and every form of its client identifier" {
	stages dhcpd
	for id in $HW $IPXE $RFC4361 $UUID; do
		gets agent $GUID "$id" -- addr=10.0.0.11 host=n1
	done
	gets ipxe $GUID -- addr=10.0.0.11
	gets http-efi b8cef6313331 -- addr=10.0.0.11
}

@test "kea: the stages of an InfiniBand node" {
	stages kea
	# firmware, iPXE and agent: three clients to Kea, one after the other
	SOON=1 ready gets ipxe $GUID -- addr=10.0.0.11 host=n1 file=http://10.0.0.1/boot.ipxe
	SOON=1 ready gets agent $GUID $FLEXBOOT -- addr=10.0.0.11 host=n1
	# the next boot: FlexBoot gets it back, and after it those with another identifier
	gets flexboot $GUID -- addr=10.0.0.11
	SOON=1 ready gets pxe-efi $GUID -- addr=10.0.0.11 host=n1
	SOON=1 ready gets ipxe $GUID -- addr=10.0.0.11
	SOON=1 ready gets agent $GUID $FLEXBOOT -- addr=10.0.0.11
	# the agent's own lease is of the length that the site file says
	gets agent b8cef60300313399 20b8cef60300313399 --
	[[ $output == addr=10.0.0.2* ]]
}

@test "kea: UEFI on InfiniBand does not get the agent's address back while its lease lasts" {
	infiniband "" "loaders: {efi-x64: file}"
	serve kea
	SOON=1 ready gets pxe-efi $GUID -- addr=10.0.0.11 host=n1
	SOON=1 ready gets agent $GUID $FLEXBOOT -- addr=10.0.0.11 host=n1
	# the next boot: from the pool, and the file all the same; then the agent has its own again
	gets pxe-efi $GUID -- file=ipxe-x64.efi
	[[ $output == addr=10.0.0.2* ]]
	gets ipxe $GUID -- file=http://10.0.0.1/boot.ipxe
	[[ $output == addr=10.0.0.2* ]]
	gets agent $GUID $FLEXBOOT -- addr=10.0.0.11 host=n1
	stop
	# without a pool there is none, which check says
	site "fabric: infiniband" "n1: {guid: $GUID, address: 10.0.0.11}" "loaders: {efi-x64: file}"
	run -0 "$SITE" -f "$T/site.yaml" check
	[[ $output == *"warning: network net: while the agent's lease lasts"*"no address"* ]]
	serve kea
	gets agent $GUID $FLEXBOOT -- addr=10.0.0.11
	gets pxe-efi $GUID -- "no offer"
}

@test "kea: every form of a client identifier has the reservation" {
	infiniband
	for id in $FLEXBOOT $HW $IPXE $RFC4361 $UUID; do
		serve kea
		gets agent $GUID "$id" -- addr=10.0.0.11 host=n1
		stop
	done
}

@test "dnsmasq: the stages of an Ethernet node" {
	ethernet_stages dnsmasq
}

@test "dhcpd: the stages of an Ethernet node" {
	ethernet_stages dhcpd
}

@test "kea: the stages of an Ethernet node" {
	ethernet_stages kea
}

@test "UEFI HTTP Boot straight into a UKI" {
	ethernet "boot: {http-boot: a}"
	serve dnsmasq
	gets http-efi 525400000001 -- addr=10.0.0.11 file=http://10.0.0.1/images/a/a.efi \
		vendor=HTTPClient
	gets ipxe-efi 525400000001 -- file=http://10.0.0.1/boot.ipxe vendor=
}

# pe MACHINE: what is looked at of a UKI's header
pe() {
	head -c 60 /dev/zero
	printf '\x80\0\0\0'
	head -c 64 /dev/zero
	printf 'PE\0\0%b' "$1"
}

@test "UEFI HTTP Boot: a UKI for arm64 is not for x64" {
	ethernet "boot: {http-boot: a}"
	pe '\x64\xaa' >"$T/file"
	"$SITE" -f "$T/site.yaml" render "$T/tree"
	serve dnsmasq
	gets http-arm64 525400000001 -- addr=10.0.0.11 file=http://10.0.0.1/images/a/a.efi \
		vendor=HTTPClient
	gets http-efi 525400000001 -- file=http://10.0.0.1/loaders/ipxe-x64.efi vendor=HTTPClient
}

@test "dnsmasq takes new nodes on SIGHUP" {
	infiniband
	serve dnsmasq
	gets agent b8cef60300313340 20b8cef60300313340 -- file=
	sed -i 's/^  n1:/  n2: {guid: b8cef60300313341, address: 10.0.0.12}\n  n1:/' "$T/site.yaml"
	"$SITE" -f "$T/site.yaml" render "$T/tree"
	kill -HUP "$(tail -n 1 "$T/pids")"
	ready read_twice
	gets flexboot b8cef60300313341 -- addr=10.0.0.12 host=n2
}

@test "dnsmasq: a node's name is no lease time, and no order" {
	site "fabric: ethernet, lease: 1000" "101: {mac: 52:54:00:00:00:01, address: 10.0.0.11}"\
$'\n  ignore: {mac: 52:54:00:00:00:02, address: 10.0.0.12}'
	serve dnsmasq
	gets agent-ethernet 525400000001 -- addr=10.0.0.11
	gets agent-ethernet 525400000002 -- addr=10.0.0.12
	for mac in 01 02; do
		read -r end _ < <(grep "52:54:00:00:00:$mac" "$T/leases")
		((end - $(date +%s) > 900))
	done
}

# sending N: dnsmasq has as many TFTP transfers under way, each by a socket of its own.
sending() {
	(($(ip netns exec "$SERVER" ss -Hnua src 10.0.0.1 sport != :69 | wc -l) >= $1))
}

@test "dnsmasq: a hundred nodes load by TFTP at once" {
	ethernet
	serve dnsmasq
	client addr add 10.0.0.9/24 dev c0
	# Of a file of several blocks; these clients acknowledge none.
	head -c 4000 /dev/zero >"$T/tree/tftp/undionly.kpxe"
	ip netns exec "$CLIENT" bash -c 'for i in {1..100}; do
		exec {fd}>/dev/udp/10.0.0.1/69
		printf "\0\1undionly.kpxe\0octet\0" >&$fd
	done'
	ready sending 100
}

@test "a node with two ports: an address for each, one name" {
	local daemon daemons=(dnsmasq kea)

	site "fabric: infiniband" "n1: {ports: [{guid: $GUID, address: 10.0.0.11},
		{guid: b8cef60300313339, address: 10.0.0.12}]}"
	! command -v dhcpd >/dev/null || daemons+=(dhcpd)
	for daemon in "${daemons[@]}"; do
		serve "$daemon"
		gets flexboot $GUID -- addr=10.0.0.11 host=n1
		gets flexboot b8cef60300313339 -- addr=10.0.0.12 host=n1
		stop
	done
}
