#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root keeps its link when an image of initramfs-tools hands over to a Debian root on NFSoRDMA.
# last: what handover.bats has, from another initramfs

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/handover

setup_file() {
    managers=(networkd)
    vm_begin handover-initramfs-tools
    handover_server
    handover_nodes "$LAB/irt.img" "$server_ip" "$rxe net.ifnames=0"
}

@test "initramfs-tools: systemd-networkd over Soft-RoCE" {
    assert_kept networkd eth0
    assert_networkd eth0
    assert_lease
    assert_services roce "$server_ip"
}
