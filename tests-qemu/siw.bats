#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# NFS over RDMA on iWARP: Soft-iWARP of the kernel's own source, which Debian's kernels are built
# without, at both ends. It is an RNIC: no GIDs of its own network, TCP below.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/scenario

siw="rd.rdma.link=siw0,siw,eth0"

setup_file() {
    vm_begin siw
    SERVER_EXTRA=$LAB/siw-server.cpio server_start >/dev/null
    # in the place of rxe: which of both a connection came in by is of no doubt then
    server shell "/bin/rdma link delete rxe0 && insmod /lib/modules/*/extra/libcrc32c.ko &&
        insmod /lib/modules/*/extra/siw.ko && /bin/rdma link add siw0 type siw netdev eth0"
}

setup() {
    node_of_case agent-siw.img
    server reset
}

@test "Soft-iWARP: NFSoRDMA 4.2 with DHCP" {
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $siw"
    assert_boot 90 4.2 rdma
    assert_state .root.proto rdma
    assert_rail .rdma.device siw0
    assert_rail .rdma.state ACTIVE
    assert_state '.causes | length' 0
    [[ $(server shell "/bin/rdma link show siw0/1") == *ACTIVE* ]]
}

@test "Soft-iWARP: NFSv3 over RDMA" {
    node_start "$image" "$console root=nfs:$server_ip:$root_path:vers=3,proto=rdma,port=20049 \
ip=dhcp rd.neednet=1 $siw"
    assert_boot 90 3 rdma
}
