#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The stand-alone image for arm64, made on this machine, in a VM of QEMU's machine "virt": with
# adapters on PCI, on virtio-mmio as the device tree and as ACPI tell of them, and by UEFI as a
# unified kernel image. The server VM is the lab's.

# shellcheck disable=SC2153,SC2154,SC2034 # variables are shared with it
load lib/scenario

arm64=$LAB/arm64

setup_file() {
    vm_begin arm64
    SERVER_EXTRA=$LAB/arm64/server.cpio server_start >/dev/null
}

setup() {
    node_of_case arm64/agent.img
    NODE_QEMU=qemu-system-aarch64
    NODE_KERNEL=$(echo "$arm64"/boot/vmlinuz-*)
    root_path=/export/arm64
    rdma_root="root=nfs:$server_ip:$root_path:vers=4.2,proto=rdma,port=20049"
    # The witness's results come out by a virtio port: this machine has one UART.
    options="console=ttyAMA0 cryptomgr.notests panic=-1 printk.devkmsg=on $console ip=dhcp \
rd.neednet=1 rd.retry=40 rd.driver.post=virtio_console $reboot"
    server reset
}

# arm64_machine pci|device QEMU-ARGUMENT...: a node with its devices on PCI or on virtio-mmio.
arm64_machine() {
    local bus=$1 rom=
    shift
    [ "$bus" = device ] || rom=,romfile=
    node_dir=$vm_logs/$NODE_NAME
    rm -rf "$node_dir"
    # see vm_accel_args
    vm_firmware "$node_dir" 120 -machine virt -cpu cortex-a72 -accel tcg,thread=multi \
        -smp 1,maxcpus=2 -m "$NODE_MEM" -netdev "$(vm_link 0 off),id=n0" \
        -device "virtio-net-$bus,netdev=n0,mac=52:54:00:99:00:64$rom" \
        -chardev "file,id=results,path=$node_dir/results.tar" -device "virtio-serial-$bus" \
        -device virtserialport,chardev=results,name=results "$@"
    node_pid=$vm_pid
}

# assert_modalias TEXT: of a device that the agent has asked for a driver of.
assert_modalias() {
    grep -q "modules: device .*: $1" "$node_dir/results/run/log"
}

# arm64_start pci|device CMDLINE
arm64_start() {
    arm64_machine "$1" -kernel "$NODE_KERNEL" -initrd "$image" -append "$options $2"
}

@test "arm64: virtio-net on PCI, NFSoRDMA 4.2" {
    arm64_start pci "$rdma_root $rxe"
    assert_boot 100 4.2 rdma
    assert_modalias pci:v00001AF4d
    assert_rail .rdma.state ACTIVE
    assert_state '.causes | length' 0
}

@test "arm64: virtio-net on virtio-mmio by device tree, NFS 4.2 over TCP" {
    arm64_start device "root=nfs:$server_ip:$root_path:vers=4.2"
    assert_boot 100 4.2 tcp
    assert_modalias 'of:Nvirtio_mmioT(null)Cvirtio,mmio'
    assert_module virtio_mmio
    assert_state '.causes | length' 0
}

@test "arm64: UEFI starts the unified kernel image; virtio-mmio by ACPI, NFSoRDMA 4.2" {
    local firmware=/usr/share/AAVMF esp=$BATS_TEST_TMPDIR/esp
    mkdir -p "$esp/EFI/BOOT"
    "$vm_build/initagent-mkimage" --agent "$vm_build/aarch64/initagent" --root "$arm64" \
        --busybox "$vm_build/aarch64/busybox" --kver "$(<"$arm64/kver")" --level 1 --format uki \
        --stub "$arm64/usr/lib/systemd/boot/efi/linuxaa64.efi.stub" \
        --out "$esp/EFI/BOOT/BOOTAA64.EFI" --cmdline "$options $rdma_root $rxe"
    cp "$firmware/AAVMF_VARS.fd" "$BATS_TEST_TMPDIR/vars"
    arm64_machine device \
        -drive "if=pflash,format=raw,readonly=on,file=$firmware/AAVMF_CODE.fd" \
        -drive "if=pflash,format=raw,file=$BATS_TEST_TMPDIR/vars" \
        -drive "if=none,id=esp,format=raw,readonly=on,file=fat:$esp" \
        -device virtio-blk-device,drive=esp,bootindex=0
    assert_boot 110 4.2 rdma
    assert_modalias acpi:LNRO0005:
    assert_module virtio_mmio
    assert_state '.causes | length' 0
}
