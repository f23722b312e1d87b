#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The DHCP server has forgotten its leases, lets them end, and gives other addresses, while the
# roots on NFSoRDMA are under I/O.
# last: takes minutes for two rare cases

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/handover

setup_file() {
    vm_begin handover-moved
    managers=(nm ifupdown)
    dhcpd[ifupdown]=move
    # no renewal ends its witness
    words[nm]=systemd.setenv=SPAN=0
    handover_server
    handover_nodes "$LAB/agent.img" "$server_ip" "$rxe systemd.wants=moved.service \
systemd.setenv=AWAITED=moved"
}

# assert_stays MANAGER GONE: GONE addresses were removed, and the root is there as before.
assert_stays() {
    assert_reported "$1"
    assert_eq "$(node_result .renamed)" 0 "interfaces renamed"
    # NFS asks again after its timeo= where what was under way is lost
    node_result '.longest_s < 45' >/dev/null
    assert_eq "$(node_result .address_gone)" "$2" "addresses removed"
    assert_end poweroff
}

@test "ifupdown: a lease ends, the DHCP server gives another address; the root stays" {
    assert_stays ifupdown 1
    # the old lease came to its end
    node_result '"# without an answer for \(.unanswered_s) s"' >&3
    node_result '.unanswered_s > 25' >/dev/null
    assert_eq "$(address_of_root | cut -d . -f 4 | cut -c 1)" 1 "range of the old address"
    assert_file address 'inet 10\.99\.0\.2[0-9][0-9]/24 .* eth0'
    # by the networkd that is borrowed
    assert_networkd eth0
    assert_ifupdown eth0
}

@test "NetworkManager: a lease ends, and is not given again; the address and the root stay" {
    assert_stays nm 0
    assert_file journal 'dhcp4 \(eth0\): state changed no lease'
    assert_nm eth0
    assert_file address "inet $(address_of_root) .* eth0"
}
