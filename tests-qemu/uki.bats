#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The forms of the stand-alone image that a firmware starts by itself: the unified kernel image by
# UEFI (OVMF), the rescue image by a BIOS (SeaBIOS); both to the init of the NFS root over RDMA.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/scenario

ovmf=/usr/share/OVMF

setup_file() {
    local format
    export images=$BATS_FILE_TMPDIR
    vm_begin uki
    server_start >/dev/null
    mkdir -p "$images/esp/EFI/BOOT"
    for format in uki iso; do
        "$vm_build/initagent-mkimage" --agent "$vm_build/initagent" \
            --busybox "$vm_build/busybox" --root "$LAB/root" \
            --kver "$(<"$LAB/kver")" --level 1 --format "$format" --out "$images/node.$format" \
            --drivers efivarfs \
            --cmdline "console=ttyS0 $vm_kernel panic=-1 $console $rdma_root ip=dhcp rd.neednet=1 \
$rxe rd.report=efi finalinit=settle rd.retry=40 $reboot"
    done
    mv "$images/node.uki" "$images/esp/EFI/BOOT/BOOTX64.EFI"
}

# firmware_start QEMU-ARGUMENT...: a node whose firmware has to find what it starts.
firmware_start() {
    local accel
    read -ra accel < <(vm_accel_args "")
    node_dir=$vm_logs/$NODE_NAME
    rm -rf "$node_dir"
    vm_firmware "$node_dir" "$NODE_SECONDS" "${accel[@]}" -m "$NODE_MEM" \
        -serial "file:$node_dir/results.tar" \
        -netdev "$(vm_link 0 off),id=n0" \
        -device virtio-net-pci,netdev=n0,mac=52:54:00:99:00:64,romfile= "$@"
    node_pid=$vm_pid
}

uefi_start() {
    firmware_start -machine q35 \
        -drive "if=pflash,format=raw,readonly=on,file=$ovmf/OVMF_CODE_4M.fd" \
        -drive "if=pflash,format=raw,file=$images/vars" \
        -drive "if=none,id=esp,format=raw,readonly=on,file=fat:$images/esp" \
        -device virtio-blk-pci,drive=esp,bootindex=0
}

# variable_states: those of all copies of our variable in the machine's store, one a line
# (hexadecimal). EDK II's authenticated variables have their state at 2, their name at 60. 3f: it is
# there; bits are cleared when it is removed.
variable_states() {
    local at name
    # shellcheck disable=SC2001 # with the character itself in it
    name=$(sed 's/./&\\x00/g' <<<InitagentLastFailure)
    LC_ALL=C grep -aboP "$name" "$images/vars" | cut -d : -f 1 |
        while read -r at; do
            od -An -tx1 -j $((at - 58)) -N 1 "$images/vars"
        done
}

# status_of_node: what "initagent status --last-failure" says in the node's root
status_of_node() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount bash \
        -euc 'mount -t tmpfs run /run; cp -r "$1" /run/initagent; exec "$2" status --last-failure' \
        - \
        "$node_dir/results/run" "$vm_build/initagent"
}

# The machine is the same each time: its variable store.
@test "UEFI starts the unified kernel image; an EFI variable tells of the failed boot before" {
    NODE_SECONDS=300
    cp "$ovmf/OVMF_VARS_4M.fd" "$images/vars"
    server nfs stop
    uefi_start
    "$vmctl" gone 280 "$node_pid"
    assert_console 'giving up after [0-9]+ s: IA-E'
    run -1 grep -q 'the last boot failed' "$node_dir/console.log"
    run -1 grep -q 'IA-E711' "$node_dir/console.log"
    assert_eq "$(variable_states | grep -c 3f)" 1 "variables kept"
    server nfs start rdma
    NODE_NAME+=-again
    uefi_start
    node_end_firmware 280
    assert_boot 120 4.2 rdma
    assert_console 'initagent: the last boot failed: IA-E'
    run -1 status_of_node
    [[ $output == "failed     IA-E60"* && $output == *"after the kernel's start"* ]]
    assert_eq "$(variable_states | grep -c 3f)" 0 "variables left by a boot that succeeded"
}

@test "a BIOS starts the rescue image from a CD" {
    firmware_start -machine pc -drive "file=$images/node.iso,format=raw,media=cdrom,readonly=on"
    assert_boot 120 4.2 rdma
}
