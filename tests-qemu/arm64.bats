#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Images for arm64 made on this machine, in a VM of QEMU's machine "virt": the stand-alone one with
# adapters on PCI, on virtio-mmio as the device tree and as ACPI tell of them, and by UEFI as a
# unified kernel image; dracut's with and without systemd. The server VM is the lab's.

# shellcheck disable=SC2034,SC2154 # variables are shared with it
load lib/arm64

setup_file() {
    vm_begin arm64
    SERVER_EXTRA=$LAB/arm64/server.cpio server_start >/dev/null
}

setup() {
    arm64_node
    server reset
}

# assert_modalias TEXT: of a device that the agent has asked for a driver of.
assert_modalias() {
    grep -q "modules: device .*: $1" "$node_dir/results/run/log"
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

# arm64_dracut FLAVOUR
arm64_dracut() {
    image=$arm64/$1.img
    arm64_start pci "$rdma_root $rxe"
    assert_boot 200 4.2 rdma
    assert_clean_handover
    assert_rail .rdma.state ACTIVE
}

@test "arm64: dracut without systemd, NFSoRDMA 4.2" { arm64_dracut shell; }

@test "arm64: dracut with systemd, NFSoRDMA 4.2" { arm64_dracut systemd; }
