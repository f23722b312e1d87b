#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2030,SC2031 # bats runs each case with its setup and teardown in one subshell
#
# The real programs of a real root read the profiles that tests/fixtures/handover has as exact
# files.
bats_require_minimum_version 1.5.0

setup_file() {
	[[ $EUID -eq 0 ]] || skip "network namespaces need root"
}

setup() {
	load lib/net
	make_net
	# as in the fixtures, with the address that the agent has set
	ip -n "$CLIENT" link set c0 down
	ip -n "$CLIENT" link set c0 name eth0 address 52:54:00:12:34:02
	ip -n "$CLIENT" link set eth0 up
	ready both_up
	ip -n "$CLIENT" addr add 10.0.0.5/24 dev eth0
	ip -n "$CLIENT" route add default via 10.0.0.1 dev eth0 proto dhcp src 10.0.0.5
	FIXTURES=tests/fixtures/handover
}

both_up() {
	[[ $(ip -n "$CLIENT" link show eth0) == *"state UP"* &&
		$(ip -n "$SWITCH" link show c0) == *"state UP"* ]]
}

teardown() {
	end_net
}

# unpack FIXTURE FOLDER: its files below the folder.
unpack() {
	local path
	while read -r _ path _; do
		mkdir -p "$2${path%/*}"
	# unchecked: what is missing below the folder fails where it is looked for
	done < <(grep '^=== ' "$1")
	awk -v top="$2" '/^=== / { file = top $2; next } { print > file }' "$1"
}

# networkd FOLDER SECONDS: Debian's systemd-networkd in the client's namespace, for so long at most
# or until it is killed, with the folder's files in a /run of its own. A /sys that cannot be written
# means to it that there is no udev. It gives up root's rights, and so gets a / that others may
# enter, whatever this machine's is.
networkd() {
	mkdir -p "$T/top"
	exec ip netns exec "$CLIENT" unshare -m --propagation private bash -ec '
		mount -t tmpfs -o mode=755 tmpfs "$1"
		for name in bin lib lib64 sbin usr etc dev proc sys var; do
			[[ -e /$name ]] || continue
			mkdir "$1/$name"
			mount --rbind "/$name" "$1/$name"
		done
		mount -o remount,bind,ro "$1/sys"
		mkdir -p "$1"/run/systemd/netif/{links,leases,lldp} "$1/run/systemd/network"
		chown -R systemd-network: "$1/run/systemd/netif"
		cp "$2"/run/systemd/network/* "$1/run/systemd/network"
		export SYSTEMD_LOG_LEVEL=debug SYSTEMD_LOG_TARGET=console
		exec timeout "$3" chroot "$1" /lib/systemd/systemd-networkd' \
		networkd "$T/top" "$1" "$2" >"$T/networkd.log" 2>&1
}

# said REGEX: a line of networkd's log.
said() {
	grep -qE "$1" "$T/networkd.log"
}

@test "systemd-networkd understands every line of every profile" {
	local fixture name file files

	for fixture in "$FIXTURES"/*.txt; do
		grep -q '^=== /run/systemd/network/.*\.network' "$fixture" || continue
		name=$(basename "$fixture" .txt)
		# DUIDType= as a number is for versions from 255 on
		[[ $name != *-257 ]] || continue
		unpack "$fixture" "$T/$name"
		mkdir -p "$T/all/run/systemd/network"
		for file in "$T/$name"/run/systemd/network/*.{network,netdev}; do
			[[ -e $file ]] || continue
			cp "$file" "$T/all/run/systemd/network/$name-${file##*/}"
		done
	done
	files=("$T"/all/run/systemd/network/*.network)
	[ "${#files[@]}" -ge 9 ]
	# one that must be complained about, or the rest proves nothing
	printf '[Network]\nKeepConfigurations=yes\n' >"$T/all/run/systemd/network/bad.network"
	(networkd "$T/all" 60) 3>&- &
	echo $! >>"$T/pids"
	ready said 'Enumeration completed'
	said "bad.network:2: Unknown key 'KeepConfigurations'"
	# newer ones name each file that is right as well
	sed -i '/: Successfully loaded\.$/d' "$T/networkd.log"
	run -1 grep -E '^/run/systemd/network/[^b][^ ]*:' "$T/networkd.log"
}

# monitored: "ip monitor" listens: it has told of a change that is made for it.
monitored() {
	ip -n "$CLIENT" link set lo mtu "$((60000 + RANDOM % 1000))"
	[ -s "$T/monitor" ]
}

@test "systemd-networkd takes a leased link over: no gap, same client identifier, same address" {
	dnsmasq_on "$SERVER" s0 "$RANGE" --dhcp-host=id:01:52:54:00:12:34:02,10.0.0.5 \
		--dhcp-option=3,10.0.0.1
	unpack "$FIXTURES/ethernet-dhcp.txt" "$T/real"
	ip -n "$CLIENT" monitor link address route >"$T/monitor" 3>&- &
	echo $! >>"$T/pids"
	# it listens once it has said something
	ready monitored
	(networkd "$T/real" 60) 3>&- &
	echo $! >>"$T/pids"
	# the second is what 257 and newer say
	ready said 'eth0: (found matching network|Configuring with) .*05-initagent-eth0.network'
	for ((i = 0; i < 8; i++)); do
		ready said 'DHCPv4 address 10.0.0.5/24' && break
	done
	said 'DHCPv4 address 10.0.0.5/24'
	# of a lease with an end, newer ones say that it is not their own
	said 'DHCPv4 CLIENT: requesting (foreign dynamic address )?10.0.0.5'
	# no address or route went, the link was never down
	run -1 grep -E 'Deleted.*10\.0\.0\.|state DOWN|NO-CARRIER' "$T/monitor"
	# one way out: networkd's replaced the agent's
	[ "$(ip -n "$CLIENT" -4 route show default | wc -l)" -eq 1 ]
	ip -n "$CLIENT" addr show eth0 | grep -A 1 'inet 10.0.0.5/24' | grep 'valid_lft forever'
	[ "$(ip -n "$CLIENT" -4 addr show eth0 | grep -c 'inet ')" -eq 1 ]
}

configured() {
	[[ $(ip -n "$CLIENT" link show eth0) == *"mtu 1400"* &&
		$(ip -n "$CLIENT" route show 10.7.0.0/16) == *"via 10.0.0.9"* ]]
}

@test "a root's own configuration, as Warewulf's for networkd: nothing of the boot's is left" {
	local line unit=/run/systemd/system/initagent-release.service
	unpack "$FIXTURES/own.txt" "$T/real"
	cat >"$T/real/run/systemd/network/10-ww4-networkd-default.network" <<-END
		[Match]
		Name=eth0
		MACAddress=52:54:00:12:34:02

		[Network]
		DHCP=no
		Address=10.0.0.77/24
		Gateway=10.0.0.3

		[Link]
		MTUBytes=1400

		[Route]
		Destination=10.7.0.0/16
		Gateway=10.0.0.9
	END
	ip -n "$CLIENT" addr add 2001:db8::5/64 dev eth0 nodad
	ip -n "$CLIENT" route add default via 2001:db8::1 dev eth0
	mapfile -t lines < <(sed -n 's/^ExecStart=-//p' "$T/real$unit")
	for line in "${lines[@]}"; do
		# shellcheck disable=SC2086 # words
		ip netns exec "$CLIENT" $line
	done
	run -0 ip -n "$CLIENT" route
	[ -z "$output" ]
	run -0 ip -n "$CLIENT" -6 route
	[[ $output == fe80::/64* && ${#lines[@]} -eq 1 ]]
	(networkd "$T/real" 60) 3>&- &
	echo $! >>"$T/pids"
	ready configured
	run -0 ip -n "$CLIENT" -4 addr show eth0
	[[ $output == *"inet 10.0.0.77/24"* && $output != *10.0.0.5/* ]]
	run -0 ip -n "$CLIENT" -4 route show default
	[[ ${#lines[@]} -eq 1 && $output == "default via 10.0.0.3 "* ]]
}

@test "ISC dhclient goes on with the lease" {
	local now=$EPOCHSECONDS run=$T/real/run

	need dhclient isc-dhcp-client
	unpack "$FIXTURES/ethernet-dhcp.txt" "$T/real"
	# the fixture's clock stands in 2023
	sed -i -e "s/renew epoch .*/renew epoch $((now + 1800));/" \
		-e "s/rebind epoch .*/rebind epoch $((now + 3000));/" \
		-e "s/expire epoch .*/expire epoch $((now + 3600));/" "$run/dhclient-eth0.leases"
	dnsmasq_on "$SERVER" s0 "$RANGE" --dhcp-authoritative \
		--dhcp-host=id:01:52:54:00:12:34:02,10.0.0.5
	ip netns exec "$CLIENT" timeout 60 dhclient -4 -1 -d -cf "$run/nm-dhclient-eth0.conf" \
		-lf "$run/dhclient-eth0.leases" -pf "$T/pid" -sf /bin/true \
		eth0 >"$T/dhclient" 2>&1 3>&- &
	echo $! >>"$T/pids"
	for ((i = 0; i < 4; i++)); do
		ready grep -q 'bound to 10.0.0.5' "$T/dhclient" && break
	done
	grep -q 'bound to 10.0.0.5' "$T/dhclient"
	# asked for the address at once, without looking for a server
	run -1 grep DHCPDISCOVER "$T/dhclient"
}

# may FILE MODE: what the profile of AppArmor in Debian's isc-dhcp-client says.
may() {
	local rules rule glob modes
	mapfile -t rules < <(grep '^ */' /etc/apparmor.d/sbin.dhclient)
	((${#rules[@]} > 9))
	for rule in "${rules[@]}"; do
		read -r glob modes <<<"$rule"
		glob=$(sed -E 's/\./\\./g; s/\*\*/.+/g; s/\*/[^\/]*/g; y/{,}/(|)/' <<<"$glob")
		if [[ $1 =~ ^$glob$ && $modes == *"$2"*, ]]; then return; fi
	done
	echo "no $2 of $1"
	return 1
}

@test "AppArmor lets ISC dhclient have the files that it is given" {
	local conf leases pid

	need dhclient isc-dhcp-client
	run -0 sed -n 's,.*/dhclient .*-cf \(.*\) -lf \(.*\) -pf \(.*\) %i$,\1 \2 \3,p' \
		"$FIXTURES/ethernet-dhcp.txt"
	read -r conf leases pid <<<"${output//%i/eth0}"
	may "$conf" r
	may "$leases" w
	may "$pid" w
}

@test "BusyBox's ifup, as Alpine's, leaves an interface of the boot alone" {
	unpack "$FIXTURES/ethernet-dhcp.txt" "$T/real"
	printf 'auto eth0\niface eth0 inet dhcp\n' >"$T/interfaces"
	# shellcheck disable=SC2016 # the variables are the inner shell's
	run -0 ip netns exec "$CLIENT" unshare -m sh -ec '
		mount --bind "$1/run" /run
		exec busybox ifup -i "$2" eth0' sh "$T/real" "$T/interfaces" 3>&-
	[ "$output" = "ifup: interface eth0 already configured" ]
}
