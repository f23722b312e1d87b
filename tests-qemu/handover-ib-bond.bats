#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps a bond of two IPoIB ports at switch-root: NetworkManager and Debian 13's
# systemd-networkd take it over.
# last: what handover.bats has, on other links

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/softib
load lib/handover

setup_file() {
    local rails="rd.rdma.link=sib1,softib,eth1 \
bond=bond0:ib0,ib1:mode=active-backup,primary=ib0"
    vm_begin handover-ib-bond
    managers=(nm)
    [ -e "$next_absent" ] || managers+=(next)
    seconds=([nm]=2 [next]=3)
    handover_ib_server
    words=([nm]=$rails [next]=$rails)
    handover_nodes "$LAB/agent-softib.img" "$sib_server" \
        "rd.rdma.link=sib0,softib,eth0 rd.ib.port=sib0 net.ifnames=0 lab_cable=1"
}

@test "NetworkManager over a bond of IPoIB" {
    assert_kept nm bond0
    assert_nm bond0
    assert_nm ib0
    assert_nm ib1
    assert_slave ib1
    assert_lease
    assert_services infiniband "$sib_server"
}

@test "systemd-networkd of Debian 13 over a bond of IPoIB" {
    of_next
    assert_kept next bond0
    assert_networkd bond0
    # that a part is "enslaved (configured)" is not said by every version
    assert_file networkctl.ib0 "Network File: .*initagent-ib0.network"
    assert_file networkctl.ib1 "Network File: .*initagent-ib1.network"
    assert_slave ib1
    assert_lease
}
