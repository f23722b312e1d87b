#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The stand-alone image for arm64 on InfiniBand alone: softib, built for that machine on this one,
# at the switch of the lab's server.

# shellcheck disable=SC2034,SC2154 # variables are shared with it
load lib/arm64
load lib/infiniband

setup_file() {
    vm_begin arm64-ib
    SERVER_EXTRA=$LAB/arm64/server.cpio SERVER_LINKS=1 sib_root_server
}

@test "arm64: InfiniBand alone: SM, IPoIB, DHCP, NFSoRDMA 4.2" {
    arm64_node "$sib_server"
    arm64_start pci "$rdma_root $hca"
    assert_boot 150 4.2 rdma
    assert_rail .netdev ib0
    assert_rail .address 10.9.0.20/24
    assert_rail .rdma.state ACTIVE
    assert_state '.causes | length' 0
    assert_console 'sib0/1: cable ends at leaf01 port 2'
}
