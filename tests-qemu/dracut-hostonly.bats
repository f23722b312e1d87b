#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# dracut's host-only image with systemd, made on a machine as tests-qemu/guest/machine lays it out.
# first: boots of dracut

# shellcheck disable=SC2154,SC2034 # the variables are shared with it
load lib/scenario

boots() {
    node_start "$LAB/hostonly.img" "$console net.ifnames=0 $*"
}

@test "it has the drivers of its machine, and no others but those of drivers.list" {
    local names
    zstd -dcq "$LAB/hostonly.img" | cpio -t --quiet >"$BATS_TEST_TMPDIR/list"
    names=$(sed -n 's,.*/\([^/]*\)\.ko.*,\1,p' "$BATS_TEST_TMPDIR/list")
    for name in e1000 ice irdma qedr mlx5_ib nfsv4; do
        grep -qx "$name" <<<"$names" || {
            echo "not in it: $name"
            return 1
        }
    done
    run -1 grep -xE 'igb|e1000e|ocrdma|hfi1' <<<"$names"
}

@test "NFSoRDMA by what its machine was booted with; modprobe.d; compressed modules, locked down" {
    NODE_NIC=e1000
    boots lockdown=integrity rd.driver.post=ib_ipoib
    assert_boot 150 4.2 rdma
    assert_parameters send_queue_size 256
    assert_state '[.causes[].code] | @text' '[]'
}

@test "on another machine: the driver it lacks, and whose image it is" {
    NODE_NIC=e1000e
    boots rd.retry=20 rd.shell=0 "$reboot"
    node_end 120
    assert_console 'IA-E212 .* pci:v00008086d000010D3.*, made on .* \(Lab maker Node 1\)'
}
