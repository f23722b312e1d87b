#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root from an image of a web server with dracut, with and without systemd in the initramfs.
# first: boots of dracut

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/web

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

# What dracut's own livenet lays into an image, which means the same root= for itself: hook,
# generator, and what they source.
livenet() {
    local dir=$BATS_TEST_TMPDIR/livenet modules=$LAB/root/usr/lib/dracut/modules.d
    install -D "$modules/90livenet/parse-livenet.sh" \
        "$dir/usr/lib/dracut/hooks/cmdline/29-parse-livenet.sh"
    install -D "$modules/90livenet/livenet-generator.sh" \
        "$dir/usr/lib/systemd/system-generators/dracut-livenet-generator"
    install -D "$modules/90livenet/livenetroot.sh" "$dir/usr/sbin/livenetroot"
    install -D "$modules/45url-lib/url-lib.sh" "$dir/usr/lib/url-lib.sh"
    # proof that they were run
    sed -i '1a echo "<3>lab: livenet was here" >/dev/kmsg' "$dir"/usr/lib/dracut/hooks/cmdline/* \
        "$dir"/usr/lib/systemd/system-generators/*
    (cd "$dir" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$1"
}

@test "dracut's livenet beside ours: ours acts, livenet stays out" {
    local flavour
    NODE_EXTRA=$BATS_TEST_TMPDIR/livenet.cpio
    livenet "$NODE_EXTRA"
    for flavour in systemd shell; do
        boots $flavour "root=live:$web/root.squashfs $(digest root.squashfs)"
        assert_image 150 squashfs digest
        assert_overlay squashfs
        assert_console 'lab: livenet was here'
        run -1 grep -E 'livenet: root image at|Failed to mount .*sysroot' "$node_dir/console.log"
    done
}

@test "systemd flavour: a partition of a packed disk image, as systemd fetches it" {
    boots systemd "rd.systemd.pull=raw,machine,verify=checksum,blockdev::$web/disk.raw.xz \
root=/dev/disk/by-loop-ref/disk.raw-part2"
    assert_image 150 xz none
    assert_overlay squashfs
    assert_state .root.inside 'partition 2'
}

@test "a partition by its name, as systemd fetches it: nothing waits for a disk that has it" {
    local flavour
    for flavour in systemd shell; do
        boots $flavour "rd.systemd.pull=raw,machine,verify=checksum,blockdev::$web/disk.raw.xz \
root=PARTLABEL=root"
        assert_image 150 xz none
        assert_overlay squashfs
        assert_state .root.inside 'partition 2'
    done
}

@test "shell flavour: killed while it gets an address and right after the mount" {
    boots shell "root=live:$web/root.squashfs $(digest root.squashfs) bootmark.kill=addr,mount"
    node_booted 150
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_clean_handover
    assert_killed addr,mount
}

@test "systemd flavour: killed right after the mount" {
    boots systemd "root=live:$web/root.squashfs $(digest root.squashfs) bootmark.kill=mount"
    node_booted 150
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_clean_handover
    assert_killed mount
}

@test "shell flavour: wrong digest, reboot as asked" {
    boots shell "root=live:$web/root.squashfs $(digest root.cpio) rd.shell=0 $reboot"
    assert_failed 120 IA-E630 restart
}

@test "systemd flavour: wrong digest, reboot as asked" {
    boots systemd "root=live:$web/root.squashfs $(digest root.cpio) rd.shell=0 $reboot"
    assert_failed 120 IA-E630 restart
}
