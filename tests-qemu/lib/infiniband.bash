# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the InfiniBand scenarios share: a server VM with switch, subnet manager, IPoIB, DHCP and NFS
# over RDMA on the software HCA, and nodes with nothing but an InfiniBand port.

# shellcheck source=tests-qemu/lib/scenario.bash
source "${BASH_SOURCE[0]%/*}/scenario.bash"
# shellcheck source=tests-qemu/lib/softib.bash
source "${BASH_SOURCE[0]%/*}/softib.bash"

ib_root="root=nfs:$sib_server:$root_path:vers=4.2,proto=rdma,port=20049"
# The node's HCA; its Ethernet interface is the cable and nothing else.
hca="rd.rdma.link=sib0,softib,eth0 rd.ib.port=sib0"

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    SERVER_LINKS=${IB_LINKS:-2} sib_root_server
}

teardown_file() {
    vm_end
}

setup() {
    node_of_case agent-softib.img
    on server "fabric_reset"
}

teardown() {
    [ -z "${node_pid:-}" ] || vm_kill "$node_pid"
    [ -n "${BATS_TEST_COMPLETED:-}${BATS_TEST_SKIPPED:-}" ] || {
        VM_SHOW_LINES=80 vm_show
        on server "tail -n 20 /run/opensm.log; tail -n 20 /run/dnsmasq.log;
            cat /sys/kernel/debug/softib/leaf01/p2/fault" || true
    }
}

cable() {
    if [ "$1" = on ]; then
        fault hold=none
    else
        fault hold=polling
    fi
}

# fault WORD...: a fault on the cable of the node at link 0, in the server's words.
fault() {
    on server "fault leaf01/p2 $*"
}
