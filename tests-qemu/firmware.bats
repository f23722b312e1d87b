#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# root=nvmf and ip=ibft: what the firmware's boot tables say becomes root and network of the node.
# QEMU shows the node tables that were made field by field (host/boottable.c); OVMF does so, too.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/block

mac=52:54:00:99:00:64
host=nqn.2024-01.org.example:firmware
# of the lab's NVMe target
space=("traddr=$server_ip" port=4421 "nqn=$nqn" nsid=1 iface=1)
vlan_ip=10.98.0.1

setup_file() {
    vm_begin firmware
    block_disks "$BATS_FILE_TMPDIR/disks"
    SERVER_EXTRA=$BATS_FILE_TMPDIR/disks/block.cpio server_start >/dev/null
    server shell "modprobe 8021q && /bin/ip link add link eth0 name eth0.5 type vlan id 5 &&
        /bin/ip link set eth0.5 up && /bin/ip addr add $vlan_ip/24 dev eth0.5"
}

setup() {
    node_of_case agent-block.img
    server reset
    server dhcp stop
    server shell block stop
    NODE_ACPI=$BATS_TEST_TMPDIR/table
}

# table nbft|ibft KEY=VALUE...
table() {
    "$LAB/bin/boottable" "$@" >"$NODE_ACPI"
}

@test "NBFT, root=nvmf: a static address; the server lets in the host of the table alone" {
    server shell block nvme root.ext4
    server shell block nvme-only "$host"
    table nbft hostnqn=$host mac=$mac addr=10.99.0.77 prefix=24 "${space[@]}"
    node_start "$image" "$console root=nvmf rw"
    assert_block 60 nvmf tcp ext4
    assert_state '[.rails[].netdev] | @text' '["nbft0"]'
    assert_rail .address 10.99.0.77/24
    assert_state .root.name "$nqn"
    assert_state '.causes | length' 0
}

@test "NBFT and no root= at all: DHCP on a VLAN, the first of two servers is not there" {
    server shell block nvme root.ext4 0.0.0.0
    server dhcp start --dhcp-range=set:vlan,10.98.0.20,10.98.0.90,1h
    table nbft hostnqn=$host mac=$mac vlan=5 dhcp=$vlan_ip \
        traddr=$vlan_ip port=4499 "nqn=$nqn" nsid=1 iface=1 digests=6 \
        traddr=$vlan_ip port=4421 "nqn=$nqn" nsid=1 iface=1 digests=6
    node_start "$image" "$console"
    assert_block 90 nvmf tcp ext4
    assert_state '[.rails[].netdev] | @text' '["nbft0.5"]'
    assert_rail '.address | startswith("10.98.0.")' true
    assert_state .root.attempts 2
}

# uefi_start FOLDER: OVMF starts what is on that disk.
uefi_start() {
    local accel flash=if=pflash,format=raw,file=/usr/share/OVMF/OVMF
    read -ra accel < <(vm_accel_args "")
    node_dir=$vm_logs/$NODE_NAME
    rm -rf "$node_dir"
    vm_firmware "$node_dir" "$NODE_SECONDS" "${accel[@]}" -m "$NODE_MEM" -machine q35 \
        -drive "${flash}_CODE_4M.fd,readonly=on" -drive "${flash}_VARS_4M.fd,snapshot=on" \
        -drive "if=none,id=esp,format=raw,readonly=on,file=fat:$1" \
        -device virtio-blk-pci,drive=esp,bootindex=0 -serial "file:$node_dir/results.tar" \
        -netdev "$(vm_link 0 off),id=n0" -device "virtio-net-pci,netdev=n0,mac=$mac,romfile=" \
        -acpitable "file=$NODE_ACPI"
    node_pid=$vm_pid
}

@test "NBFT under UEFI (OVMF), a unified kernel image: DHCP" {
    local disk=$BATS_TEST_TMPDIR/disk
    mkdir -p "$disk/EFI/BOOT"
    "$vm_build/initagent-mkimage" --agent "$vm_build/initagent" --busybox "$vm_build/busybox" \
        --root "$LAB/root" --kver "$(<"$LAB/kver")" --level 1 --drivers "nvme_tcp ext4" \
        --format uki --out "$disk/EFI/BOOT/BOOTX64.EFI" \
        --cmdline "console=ttyS0 $vm_kernel panic=-1 $console root=nvmf $reboot"
    server shell block nvme root.ext4
    server dhcp start
    table nbft hostnqn=$host mac=$mac "dhcp=$server_ip" "${space[@]}"
    uefi_start "$disk"
    node_end_firmware 180
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_clean_handover
    assert_state '[.rails[].netdev, .root.name] | @text' "[\"nbft0\",\"$nqn\"]"
}

@test "iBFT, ip=ibft: a static address for an NFS root" {
    table ibft mac=$mac addr=10.99.0.78 prefix=24 "gateway=$server_ip" hostname=ibftnode
    node_start "$image" "$console root=nfs4:$server_ip:$root_path ip=ibft"
    assert_boot 60 4.2 tcp
    assert_state '[.rails[].netdev] | @text' '["ibft0"]'
    assert_rail .address 10.99.0.78/24
    assert_state '.causes | length' 0
}

@test "the command line wins: another address; dracut with systemd" {
    image=$LAB/agent-systemd.img
    server shell block nvme root.squashfs
    table nbft hostnqn=$host mac=$mac addr=10.99.0.77 prefix=24 "${space[@]}"
    node_start "$image" "$console root=nvmf rd.overlay \
ip=10.99.0.79:::24::nbft0:none net.ifnames=0"
    node_booted 150
    assert_eq "$(node_result '[.files_good, .writable] | @text')" '[3,true]' \
        "files checked, root can be written to"
    assert_clean_handover
    assert_rail .netdev nbft0
    assert_rail .address 10.99.0.79/24
}

@test "refused: a table that is broken, and none" {
    table nbft hostnqn=$host mac=01:00:5e:00:00:01 addr=10.99.0.77 prefix=24 "${space[@]}"
    node_start "$image" "$console root=nvmf $reboot"
    assert_failed 60 IA-E108 restart
    assert_console 'IA-E107 .*no valid hardware address'
    NODE_ACPI=
    node_start "$image" "$console root=nfs4:$server_ip:$root_path ip=ibft $reboot"
    assert_failed 60 IA-E108 restart
}
