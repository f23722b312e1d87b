#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Managers and releases of Debian on InfiniBand alone that tests-qemu/handover-ib*.bats have not
# (make check-handover).

# shellcheck disable=SC2154,SC2034,SC2004 # variables and arrays are shared with it
load ../lib/softib
load ../lib/handover

roots[nm13]=nvmf:rdma:$sib_server:4420:nqn.2024-01.org.example:root
tops=(
    [ifupdown12]="bond0 ib0 ib1" [ifupdown13]="ib0" [networkd12]="bond0 ib0 ib1"
    [nm12]="ib0" [nm13]="bond0 ib0 ib1"
)

setup_file() {
    local name
    vm_begin handover-cells-ib
    for name in "${!tops[@]}"; do
        [[ ${tops[$name]} != bond0* ]] || words[$name]="rd.rdma.link=sib1,softib,eth1 \
bond=bond0:ib0,ib1:mode=active-backup,primary=ib0"
        # the form that systemd-networkd 252 can send whichever port is active; dhcpd.conf has no
        # name for it
        [[ $name != @(networkd|ifupdown)12 ]] ||
            words[$name]+=" rd.ib.client-id=rfc4361 hostname=$name"
    done
    by_release ifupdown13 nm12 networkd12 ifupdown12 nm13
    handover_ib_server
    on server "ln -s /handover/root.ext4 /run/root.ext4.nvme; block nvme root.ext4 $sib_server"
    handover_nodes "$LAB/agent-softib.img" "$sib_server" \
        "rd.rdma.link=sib0,softib,eth0 rd.ib.port=sib0 net.ifnames=0 lab_cable=1"
}

@test "ifupdown of Debian 13 over IPoIB" { taken_over ifupdown13; }

@test "NetworkManager of Debian 12 over IPoIB" { taken_over nm12; }

@test "systemd-networkd of Debian 12 over a bond of IPoIB" { taken_over networkd12; }

@test "ifupdown of Debian 12 over a bond of IPoIB" { taken_over ifupdown12; }

@test "NetworkManager of Debian 13 over a bond of IPoIB, the root by NVMe over RDMA" {
    taken_over nm13
}
