# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scenarios for arm64 share: nodes of QEMU's machine "virt".

# shellcheck source=tests-qemu/lib/scenario.bash
source "${BASH_SOURCE[0]%/*}/scenario.bash"

arm64=$LAB/arm64

# arm64_node [SERVER]: what a case starts with
arm64_node() {
    node_of_case arm64/agent.img
    NODE_QEMU=qemu-system-aarch64
    NODE_KERNEL=$(echo "$arm64"/boot/vmlinuz-*)
    root_path=/export/arm64
    rdma_root="root=nfs:${1:-$server_ip}:$root_path:vers=4.2,proto=rdma,port=20049"
    # The witness's results come out by a virtio port: this machine has one UART.
    options="console=ttyAMA0 cryptomgr.notests panic=-1 printk.devkmsg=on $console ip=dhcp \
rd.neednet=1 rd.retry=40 rd.driver.post=virtio_console $reboot"
}

# arm64_machine pci|device QEMU-ARGUMENT...: a node with its devices on PCI or on virtio-mmio.
arm64_machine() {
    local bus=$1 rom=
    shift
    [ "$bus" = device ] || rom=,romfile=
    node_dir=$vm_logs/$NODE_NAME
    rm -rf "$node_dir"
    # see vm_accel_args
    vm_firmware "$node_dir" 240 -machine virt -cpu cortex-a72 -accel tcg,thread=multi \
        -smp 1,maxcpus=2 -m "$NODE_MEM" -netdev "$(vm_link 0 off),id=n0" \
        -device "virtio-net-$bus,netdev=n0,mac=52:54:00:99:00:64$rom" \
        -chardev "file,id=results,path=$node_dir/results.tar" -device "virtio-serial-$bus" \
        -device virtserialport,chardev=results,name=results "$@"
    node_pid=$vm_pid
}

# arm64_start pci|device CMDLINE
arm64_start() {
    arm64_machine "$1" -kernel "$NODE_KERNEL" -initrd "$image" -append "$options $2"
}
