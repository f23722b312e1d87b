#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The ROM reader against a real kernel's sysfs: two adapters with Debian's iPXE ROMs; no server is
# needed.

bats_require_minimum_version 1.5.0
# shellcheck source=tests-qemu/lib/vm.bash
source "${BATS_TEST_DIRNAME}/lib/vm.bash"
# shellcheck disable=SC2154 # vm.bash sets them

roms=/usr/lib/ipxe/qemu

setup() {
    vm_begin rom
}

teardown() {
    vm_end
}

@test "adapters' ROMs are opened, read whole and closed again" {
    local root=$BATS_TEST_TMPDIR/root accel log=$vm_logs/node/console.log
    mkdir -p "$root"/{bin,dev,sys}
    cp /bin/busybox "$LAB/bin/flexboot" "$root/bin/"
    mknod "$root/dev/console" c 5 1
    cat >"$root/init" <<'END'
#!/bin/busybox sh
/bin/busybox mount -t sysfs sys /sys
for dir in /sys/bus/pci/devices/*; do
    [ -e "$dir/rom" ] || continue
    echo "device ${dir##*/} $(/bin/busybox cat "$dir/device")"
    /bin/flexboot rom list --device "${dir##*/}"
    echo "status $?"
    /bin/busybox cat "$dir/rom" >/dev/null || echo closed
done
/bin/busybox poweroff -f
END
    chmod 755 "$root/init"
    (cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >"$BATS_TEST_TMPDIR/initrd"
    read -ra accel < <(vm_accel_args "")
    vm_start "$vm_logs/node" 120 "${accel[@]}" -m 512 -initrd "$BATS_TEST_TMPDIR/initrd" \
        -append "console=ttyS0 $vm_kernel quiet panic=-1" -nic none \
        -device "virtio-net-pci,romfile=$roms/efi-virtio.rom" \
        -device "e1000,romfile=$roms/pxe-e1000.rom"
    "$vmctl" gone 110 "$vm_pid"
    tr -d '\r' <"$log" >"$log.text"
    grep -q ": $(stat -c %s "$roms/efi-virtio.rom") bytes, 2 images" "$log.text"
    grep -q ": $(stat -c %s "$roms/pxe-e1000.rom") bytes, 1 image$" "$log.text"
    # the e1000's ROM is for this very adapter; virtio's names the newer id of the two QEMU's
    # adapter may have
    grep -A 6 'device .* 0x100e' "$log.text" | grep -qx 'status 0'
    grep -q 'image 1 is for 1af4:1041 and not for the device 1af4:1000' "$log.text"
    [ "$(grep -cx closed "$log.text")" -eq 2 ]
}
