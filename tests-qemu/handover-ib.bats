#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps its link at switch-root, on InfiniBand alone: three Debian roots on NFSoRDMA, whose
# network managers take the IPoIB interface over.
# first: four VMs, which wait two minutes

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/softib
load lib/handover

setup_file() {
    vm_begin handover-ib
    handover_ib_server
    # the form of the identifier that systemd-networkd 252 can send, too
    words[networkd]=rd.ib.client-id=hw
    # ISC dhclient knows no InfiniBand: ifupdown borrows networkd
    words[ifupdown]=rd.ib.client-id=hw
    refreshes[ifupdown]=2
    handover_nodes "$LAB/agent-softib.img" "$sib_server" \
        "rd.rdma.link=sib0,softib,eth0 rd.ib.port=sib0 net.ifnames=0 lab_cable=1"
}

@test "systemd-networkd over IPoIB" {
    assert_kept networkd ib0
    assert_networkd ib0
    assert_lease
    assert_services infiniband "$sib_server"
}

@test "NetworkManager over IPoIB" {
    assert_kept nm ib0
    assert_nm ib0
    assert_lease
    assert_services infiniband "$sib_server"
}

# networkd, which nobody has enabled there, renews the lease, and leaves everything else alone.
@test "ifupdown over IPoIB" {
    assert_kept ifupdown ib0
    assert_ifupdown ib0
    assert_networkd ib0
    assert_file networkctl.eth0 'State: .*\(unmanaged\)'
    assert_lease
    assert_services infiniband "$sib_server"
    assert_console "ib0: the real root's systemd-networkd is started to renew this lease"
    run -1 grep IA-E705 "$node_dir/console.log"
}
