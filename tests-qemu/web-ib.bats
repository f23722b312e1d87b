#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root from an image of a web server, over InfiniBand alone: HTTP over IPoIB on the software
# HCA.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/infiniband
load lib/web

web=http://$sib_server

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    web_images "$BATS_FILE_TMPDIR/images"
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

@test "squashfs by a signed manifest over IPoIB" {
    node_start "$image" \
        "$console root=live:$web/root.squashfs.manifest $(site_key) ip=dhcp rd.neednet=1 $hca"
    assert_image 90 squashfs signature
    assert_overlay squashfs
    assert_rail .netdev ib0
}

@test "connected mode, tar.zst" {
    node_start "$image" "$console root=$web/root.tar.zst $(digest \
        root.tar.zst) ip=ib0:dhcp:65520 $hca \
rd.ib.mode=connected"
    assert_image 90 zstd digest
    assert_rail .mtu 65520
}

@test "refused: wrong digest" {
    node_start "$image" "$console root=$web/root.squashfs $(digest \
        root.cpio) ip=dhcp $hca rd.retry=30 $reboot"
    assert_failed 90 IA-E630 restart
}
