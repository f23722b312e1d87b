#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root from an image of a web server with dracut, with and without systemd in the initramfs.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load web

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    web_images "$BATS_FILE_TMPDIR/images"
    SERVER_EXTRA=$images/web.cpio server_start >/dev/null
}

setup() {
    node_defaults
    NODE_NAME=$(printf '%02d' "$BATS_TEST_NUMBER")
    server reset
    server shell web start
}

# boots FLAVOUR CMDLINE; dracut's udev renames interfaces, the plan names none
boots() {
    node_start "$LAB/agent-$1.img" "$console net.ifnames=0 ip=dhcp ${*:2}"
}

@test "shell flavour: squashfs with a digest" {
    boots shell "root=live:$web/root.squashfs $(digest root.squashfs)"
    assert_image 150 squashfs digest
    assert_overlay squashfs
}

@test "systemd flavour: squashfs by a signed manifest" {
    boots systemd "root=live:$web/root.squashfs.manifest $(site_key)"
    assert_image 150 squashfs signature
    assert_overlay squashfs
}

@test "systemd flavour: tar.zst" {
    boots systemd "root=$web/root.tar.zst $(digest root.tar.zst)"
    assert_image 150 zstd digest
}

@test "shell flavour: killed while it gets an address and right after the mount" {
    boots shell "root=live:$web/root.squashfs $(digest root.squashfs) bootmark.kill=addr,mount"
    node_booted 150
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_clean_handover
    assert_console "bootmark: killed the agent .* at=mount"
}

@test "systemd flavour: killed right after the mount" {
    boots systemd "root=live:$web/root.squashfs $(digest root.squashfs) bootmark.kill=mount"
    node_booted 150
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_clean_handover
    assert_console "bootmark: killed the agent .* at=mount"
}

@test "shell flavour: wrong digest, reboot as asked" {
    boots shell "root=live:$web/root.squashfs $(digest root.cpio) rd.shell=0 $reboot"
    assert_failed 120 IA-E630 restart
}

@test "systemd flavour: wrong digest, reboot as asked" {
    boots systemd "root=live:$web/root.squashfs $(digest root.cpio) rd.shell=0 $reboot"
    assert_failed 120 IA-E630 restart
}
