#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# DHCP over real IPoIB, whose link-layer addresses have 20 bytes: the forms of client identifier,
# told by the address that dnsmasq has for each, and the time to the first packet.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/infiniband

# kea_files DIR: this machine's Kea, with what initagent-site makes of a site whose node has another
# address than dnsmasq gives it; DIR/extra.cpio is for the server VM's image.
kea_files() {
    local dir=$1 file
    mkdir -p "$dir/root/etc"
    for file in /usr/sbin/kea-dhcp4 $(ldd /usr/sbin/kea-dhcp4 | grep -o '/[^ ]*'); do
        install -D "$file" "$dir/root$file"
    done
    echo file >"$dir/file"
    cat >"$dir/site.yaml" <<-END
	site: lab
	tree: $dir/tree
	servers: {boot1: {address: 10.8.0.2}}
	networks: {ib: {fabric: infiniband, subnet: 10.9.0.0/24, router: 10.9.0.1}}
	images: {a: {kernel: file, initrd: file}}
	defaults: {image: a, root: "nfs:10.9.0.1:$root_path"}
	nodes:
	  kea0: {guid: 505400fffe990064, address: 10.9.0.30}
	END
    "$vm_build/initagent-site" -f "$dir/site.yaml" render "$dir/tree"
    sed 's/"persist": true/"persist": false/' "$dir/tree/dhcp/boot1/kea-dhcp4.json" \
        >"$dir/root/etc/kea.json"
    (cd "$dir/root" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$dir/extra.cpio"
}

setup_file() {
    vm_begin ib-dhcp
    kea_files "$BATS_FILE_TMPDIR/kea"
    SERVER_LINKS=2 SERVER_EXTRA=$BATS_FILE_TMPDIR/kea/extra.cpio sib_root_server
}

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

@test "Kea behind a relay: what the site file reserves" {
    on server "dhcp_stop; kea_start"
    leases_as 10.9.0.30 ""
    assert_rail .hostname kea0
    on server "grep 'DHCP4_LEASE_ALLOC.*10.9.0.30' /run/kea.log"
    # by a relay, which is asked over IPoIB
    on server "grep 'DHCP relay.*10.8.0.2' /run/dnsmasq.log"
}
