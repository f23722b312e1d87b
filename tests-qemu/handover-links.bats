#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps its link at switch-root over a VLAN on a bond, for two of them in a bridge: Debian
# roots on NFSoRDMA, of Debian 12 and 13, whose network managers take the whole stack over, and are
# restarted.
# last: what handover.bats has, on other links

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/block
load lib/handover

# A busy machine takes a minute and more to restart NetworkManager.
lease=240 span=120
vlan_ip=10.98.0.1
roots[nm]=nbd:$vlan_ip:root

setup_file() {
    local bridge="bridge=br0:bond0.5 rd.rdma.link=rxe0,rxe,br0" vlan="rd.rdma.link=rxe0,rxe,bond0"
    vm_begin handover-links
    managers=(networkd)
    [ -e "$next_absent" ] || managers+=(nm ifupdown next)
    seconds=([networkd]=4 [nm]=5 [ifupdown]=6 [next]=7)
    handover_server "modprobe 8021q; /bin/ip link add link br0 name br0.5 type vlan id 5;
        /bin/ip link set br0.5 up; /bin/ip addr add $vlan_ip/24 dev br0.5"
    server shell "ln -s /handover/root.ext4 /run/nbd-root.ext4;
        sed -i s/10.99.0.1/$vlan_ip/ /etc/nbd.conf; block nbd"
    folders[ifupdown]=next-ifupdown
    words=([networkd]=$bridge [nm]=$bridge [ifupdown]=$vlan [next]=$vlan)
    handover_nodes "$LAB/agent-links.img" "$vlan_ip" "vlan=bond0.5:bond0 \
bond=bond0:eth0,eth1,eth9:mode=active-backup systemd.wants=restart.service \
systemd.setenv=AWAITED=restarts"
}

# assert_stack MANAGER: it has taken over what is below the bridge, too, and that is as it was.
assert_stack() {
    local netdev
    for netdev in bond0.5 bond0 eth0 eth1; do
        if [ "$1" = nm ]; then
            assert_nm "$netdev"
        else
            assert_file "networkctl.$netdev" \
                "Network File: /run/systemd/network/.*initagent.*$netdev.network"
            assert_file "networkctl.$netdev" 'State: .* \(configured\)'
        fi
    done
    assert_file address "bond0.5@bond0: .* master br0 "
    assert_file address "eth[01]: .* master bond0 "
    assert_parts
}

# assert_parts: one that went is joined again, and one that was not there at first, which was said.
assert_parts() {
    assert_slave eth1
    assert_file late "eth9: .*,UP.* master bond0 "
    assert_eq "$(jq -r '.causes[] | select(.code == "IA-E401") | .where' \
        "$node_dir/results/run/state.json")" eth9
}

@test "systemd-networkd takes over a bridge of a VLAN on a bond, restarted" {
    assert_kept networkd br0
    assert_networkd br0
    assert_stack networkd
    assert_restarted roce systemd-networkd
    assert_lease
}

@test "systemd-networkd of Debian 13 takes over a VLAN on a bond, restarted" {
    of_next
    assert_kept next bond0.5
    assert_networkd bond0.5
    assert_parts
    assert_restarted roce systemd-networkd
    assert_lease
}

@test "NetworkManager of Debian 13 takes over a bridge of a VLAN on a bond, the root by NBD" {
    of_next
    assert_kept nm br0
    assert_nm br0
    assert_stack nm
    assert_restarted roce NetworkManager
    assert_lease
}

@test "ifupdown of Debian 13 takes over a VLAN on a bond, restarted" {
    of_next
    assert_kept ifupdown bond0.5
    assert_ifupdown bond0.5
    assert_parts
    assert_restarted roce networking
    assert_lease
}
