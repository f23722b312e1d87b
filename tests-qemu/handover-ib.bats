#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps its link at switch-root, on InfiniBand alone: three Debian roots on NFSoRDMA, whose network managers
# take the IPoIB interface over.

# shellcheck disable=SC2154 # variables are shared with it
load softib
load handover

setup_file() {
    vm_begin handover-ib
    handover_ib_server
    handover_nodes "$LAB/agent-softib.img" "$sib_server" "rd.rdma.link=sib0,softib,eth0 rd.ib.port=sib0 net.ifnames=0"
}

@test "systemd-networkd over IPoIB" {
    assert_kept networkd ib0
    assert_networkd ib0
    assert_services infiniband
}

@test "NetworkManager over IPoIB" {
    assert_kept nm ib0
    assert_nm ib0
    assert_services infiniband
}

@test "ifupdown over IPoIB" {
    assert_kept ifupdown ib0
    assert_ifupdown ib0
    assert_services infiniband
}
