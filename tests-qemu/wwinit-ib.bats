#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A Warewulf node over InfiniBand alone: Warewulf knows it by the short form of the port GUID that
# iPXE calls its MAC address.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/infiniband
load lib/wwinit

web=http://$sib_server

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    warewulf_images "$BATS_FILE_TMPDIR/images"
    SERVER_EXTRA=$images/web.cpio SERVER_LINKS=2 sib_root_server
}

setup() {
    node_of_case agent-softib.img
    on server fabric_reset
    on server web start
}

teardown() {
    [ -z "${node_pid:-}" ] || vm_kill "$node_pid"
    [ -n "${BATS_TEST_COMPLETED:-}" ] || VM_SHOW_LINES=80 vm_show
}

@test "over IPoIB: wwid= and ifname= are the short form of the port GUID" {
    node_start "$image" "$console $(warewulf_line boot0:50:54:00:99:00:64) $hca rd.ib.client-id=hw"
    assert_warewulf 90
    assert_rail .netdev boot0
    run -0 on server "cat /run/warewulfd.log"
    [[ $output == *"200 "*" /image/50:54:00:99:00:64?"*" /runtime/50:54:00:99:00:64?"* ]]
}
