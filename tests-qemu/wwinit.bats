#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A Warewulf node over Ethernet, with the command line that Warewulf's own template writes.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/wwinit

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    warewulf_images "$BATS_FILE_TMPDIR/images"
    SERVER_EXTRA=$images/web.cpio server_start >/dev/null
}

@test "image, system and runtime overlay over Ethernet; run-init, init.d" {
    # the kernel names another one eth0
    NODE_SPARE=virtio-net-pci
    node_start "$image" "$console $(warewulf_line eth0:52:54:00:99:00:64)"
    assert_warewulf 60
    assert_rail .netdev eth0
    assert_console 'eth0: renamed to eth[12]: '
    assert_console '3 Warewulf layers from http://10.99.0.1:9873'
    # what the node list says of eth0 wins
    assert_console "eth0: the real root's own configuration of it replaces the boot's"
    assert_state '.handover.profiles | length' 0
    # what the server saw, as its own tools show it
    run -0 server shell "cat /run/warewulfd.log"
    [[ $output == *"200 "*" /image/52:54:00:99:00:64?assetkey=&uuid="*"&compress=gz"*"200 "*\
" /system/52:54:00:99:00:64?"*"200 "*" /runtime/52:54:00:99:00:64?"* ]]
}

@test "refused: a node that the server does not know, with the server's status" {
    node_start "$image" "$console $(warewulf_line boot0:52:54:00:99:00:64 \
        wwid=52:54:00:00:00:01) rd.retry=20 $reboot"
    assert_failed 60 IA-E690 restart
    assert_console 'IA-E690 .*HTTP status 400'
}

# with_disk MIB: the node "disks" and its disk.
with_disk() {
    NODE_DISK=$BATS_TEST_TMPDIR/disk
    truncate -s "$1M" "$NODE_DISK"
    line="$console $(warewulf_line boot0:52:54:00:99:00:64 wwid=disks)"
    line=${line/wwinit:tmpfs/wwinit:PARTLABEL=root}
}

# assert_on_disk SECONDS: root and /var are the disk's, with all that the layers bring.
assert_on_disk() {
    node_booted "$1"
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    assert_eq "$(node_result .files_good)" 6 "files checked"
    assert_clean_handover
    assert_state .root.type wwinit
    assert_state .root.layers 3
    grep -q ' / / rw.* - ext4 /dev/vda1 ' "$node_dir/results/mountinfo"
    grep -q ' / /var rw.* - ext4 /dev/vda2 ' "$node_dir/results/mountinfo"
}

# formats FLAVOUR: an empty disk, and an image of dracut's that has the programs.
formats() {
    local line
    with_disk 128
    node_start "$LAB/agent-$1.img" "$line"
    assert_on_disk 120
    assert_state '.causes | length' 0
    assert_console 'warewulf: 10-sfdisk.sh'
    # what it waited for: the scripts, and nothing of length that has no name
    assert_state 'any(.critical[]; .name == "disks scripts")' true
    assert_state '([.critical[] | select(.name == "between") | .end_s - .begin_s] | add // 0) * 3 <
        .now_s - .start_s' true
    dd if="$NODE_DISK" of="$BATS_TEST_TMPDIR/root" bs=1M skip=1 count=80 status=none
    run -0 debugfs -R "cat /warewulf/run/.formatted" "$BATS_TEST_TMPDIR/root"
    [[ $output == *formatted ]]
}

@test "a disk is partitioned and formatted by wwinit.d: dracut with systemd" {
    formats nm
}

@test "a disk is partitioned and formatted by wwinit.d: dracut without systemd" {
    formats legacy
}

@test "a disk that is there: found without udev; a program that wwinit.d lacks is named" {
    local line
    with_disk 128
    sfdisk -q --label gpt "$NODE_DISK" <"$images/disks/warewulf/sfdisk/device-0"
    for name in 80:1 46:81; do
        truncate -s "${name%:*}M" "$BATS_TEST_TMPDIR/part"
        mkfs.ext4 -q "$BATS_TEST_TMPDIR/part"
        dd if="$BATS_TEST_TMPDIR/part" of="$NODE_DISK" bs=1M seek="${name#*:}" conv=notrunc \
            status=none
        rm "$BATS_TEST_TMPDIR/part"
    done
    # rd.retry= is for the network: a disk may take longer
    node_start "$LAB/agent-block.img" "$line rd.retry=20 lab.slow"
    assert_on_disk 60
    assert_console 'IA-E692 .*sfdisk not found'
}
