#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# DHCP over real IPoIB, whose link-layer addresses have 20 bytes: the forms of client identifier,
# told by the address that dnsmasq has for each, and the time to the first packet.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/infiniband

# leases_as ADDRESS WORDS: the node boots and has this address.
leases_as() {
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 $hca $2"
    assert_boot 90 4.2 rdma
    assert_rail .address "$1/24"
}

@test "the default is the boot ROM's form; the first packet follows the carrier" {
    leases_as 10.9.0.20 ""
    local us
    us=$(node_state '.work[] | select(.what == "first DHCP packet on ib0") |
        (.end_s - .begin_s) * 1e6 | floor')
    echo "# carrier to first DHCP packet: $us us" >&3
    # An emulated processor, beside other work; on a real one it is a hundredth.
    assert_most "$us" 200000 "us from carrier to first DHCP packet"
}

@test "hardware type and GUID" { leases_as 10.9.0.40 rd.ib.client-id=hw; }

@test "bytes as given, for InfiniBand and for one interface" {
    leases_as 10.9.0.40 rd.ib.client-id=hex:20:50:54:00:ff:fe:99:00:64
    leases_as 10.9.0.40 rd.net.dhcp.client-id=ib0:20-50-54-00-ff-fe-99-00-64
}

@test "auto: the form the server knows when it does not know the first" {
    on server "dhcp_stop"
    on server "sed '/id:ff/d; s/^dhcp-range=.*/dhcp-range=10.9.0.0,static/' /etc/dnsmasq.conf \
        >/run/hw.conf"
    on server "/sbin/dnsmasq --conf-file=/run/hw.conf --pid-file=/run/dnsmasq.pid"
    leases_as 10.9.0.40 ""
    assert_console 'no DHCP answer to client identifier form flexboot .*, trying form hw'
}
