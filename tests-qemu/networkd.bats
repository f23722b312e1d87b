#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The profile with FlexBoot's client identifier in the hands of the systemd-networkd of Debian 13,
# which is the first Debian's that can send it (255 and later). No VM: a network namespace, in which
# an Ethernet interface has IPoIB's name; the identifier does not depend on the interface.

# shellcheck disable=SC2034,SC2154,SC2317 # shared with lib/net
bats_require_minimum_version 1.5.0

# the client identifier of tests/fixtures/handover/ipoib-dhcp-flexboot-257.txt
flexboot=ff000000000002000002c9000002c903000e0b72
networkd13=$(realpath -m "${BUILD:-build}")/lab/suites/trixie/root

setup() {
    load ../tests/lib/net
    [ ! -e "${networkd13%/root}/absent" ] || skip "$(<"${networkd13%/root}/absent")"
    make_net
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || tail -n 60 "$T/networkd.log"
    end_net
}

# networkd FOLDER: in the client's namespace, with the folder's files in a /run of its own. A /sys
# that cannot be written means to it that there is no udev.
networkd() {
    exec ip netns exec "$CLIENT" unshare -m --propagation private bash -ec '
        mount -t proc proc "$2/proc"
        mount --bind /dev "$2/dev"
        mount --bind /sys "$2/sys"
        mount -o remount,bind,ro "$2/sys"
        mount -t tmpfs tmpfs "$2/run"
        mkdir -p "$2"/run/systemd/netif/{links,leases,lldp} "$2/run/systemd/network"
        cp "$1"/run/systemd/network/*.network "$2/run/systemd/network"
        chroot "$2" chown -R systemd-network: /run/systemd/netif
        export SYSTEMD_LOG_LEVEL=debug SYSTEMD_LOG_TARGET=console
        exec timeout 60 chroot "$2" /usr/lib/systemd/systemd-networkd' \
        networkd "$1" "$networkd13" >"$T/networkd.log" 2>&1
}

ib0_up() {
    [[ $(ip -n "$CLIENT" link show ib0) == *"state UP"* ]]
}

@test "FlexBoot's client identifier is the one that Debian 13's networkd renews with" {
    mkdir -p "$T/real/run/systemd/network"
    awk '/^=== / { file = $2 ~ /network$/ ? top $2 : "/dev/null"; next } { print > file }' \
        top="$T/real" tests/fixtures/handover/ipoib-dhcp-flexboot-257.txt
    sed -i /^Type=/d "$T/real/run/systemd/network/"*
    id=$(sed 's/../&:/g; s/:$//' <<<"$flexboot")
    dnsmasq_on "$SERVER" s0 "$RANGE" --dhcp-host="id:$id,10.0.0.61"
    ip -n "$CLIENT" link set c0 down
    ip -n "$CLIENT" link set c0 name ib0
    ip -n "$CLIENT" link set ib0 up
    ready ib0_up
    ip -n "$CLIENT" addr add 10.0.0.61/24 dev ib0
    (networkd "$T/real") 3>&- &
    echo $! >>"$T/pids"
    for ((i = 0; i < 4; i++)); do
        ready grep -q 'DHCPv4 address 10.0.0.61/24' "$T/networkd.log" && break
    done
    grep -q 'DHCPv4 address 10.0.0.61/24' "$T/networkd.log"
    # the whole of it, as the server has it
    grep -q " 10.0.0.61 .* $id$" "$T/$SERVER.leases"
    [ "$(ip -n "$CLIENT" -4 addr show ib0 | grep -c 'inet ')" -eq 1 ]
}
