#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every manager of both releases of Debian, on a kernel of tests-qemu/kernels and booted by one of
# the matrix's flavours of image: MATRIX_KERNEL and MATRIX_FLAVOUR, the newest of both if not set
# (make check-handover). make check-matrix runs it for each.

# shellcheck disable=SC2154,SC2034,SC2004 # variables and arrays are shared with it
load ../lib/matrix
load ../lib/handover

kernel=${MATRIX_KERNEL:-sid}
flavour=${MATRIX_FLAVOUR:-dracut-sid-systemd}
own=$LAB/kernels/$kernel
roots[nm13]=nvmf:tcp:$server_ip:4421:nqn.2024-01.org.example:root
tops=([networkd12]=eth0 [networkd13]=eth0 [nm12]=eth0 [nm13]=eth0 [ifupdown12]=eth0
    [ifupdown13]=eth0)
by_release ifupdown13 networkd12 nm12 ifupdown12 networkd13 nm13
# a cloud kernel
if cell_lacks "$kernel" nfs-rdma; then
    rxe=''
    for manager in "${managers[@]}"; do
        roots[$manager]=${roots[$manager]:-nfs:$server_ip:/handover/${folders[$manager]}:vers=4.2}
    done
fi

# lib/infiniband has one for its own servers
on() {
    shift
    server shell "$*"
}

# kernel_modules OUT: a cpio of what the roots need of this kernel, for the server to lay into them.
kernel_modules() {
    local dir=$BATS_FILE_TMPDIR/modules kver path module files
    kver=$(<"$own/kver")
    mapfile -t files < <(
        for module in virtio_pci virtio_net rdma_rxe rpcrdma nfsv4 ib_umad ib_uverbs rdma_ucm \
            autofs4 nvme_tcp ext4 crc32_generic crc32c_generic nf_tables nft_ct; do
            # unchecked: kernels differ in what is a module
            modprobe -d "$own" -S "$kver" --ignore-install --show-depends "$module" \
                2>/dev/null || true
        done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u
    )
    assert_most 10 "${#files[@]}" "modules (at least)"
    for path in "${files[@]}"; do
        install -D -m 644 "$path" "$dir/own${path#"$own"}"
    done
    cp "$own/lib/modules/$kver"/modules.{order,builtin,builtin.modinfo} \
        "$dir/own/lib/modules/$kver/"
    depmod -b "$dir/own" "$kver"
    (cd "$dir" && find own | cpio --quiet -o -H newc -R 0:0) >"$1"
}

setup_file() {
    local absent
    absent=$(cell_absent "$kernel" "$flavour")
    [ -z "$absent" ] || skip "$absent"
    vm_begin "handover-$kernel-$flavour"
    node_kernel=$own/kernel
    server_cpio=$BATS_FILE_TMPDIR/modules.cpio
    kernel_modules "$server_cpio"
    handover_server
    server shell "modprobe loop && mkdir /lent &&
        mount -t ext4 -o loop /handover/root.ext4 /lent &&
        for root in /handover/*/usr /lent/usr; do
            cp -r /own/lib/modules \$root/lib/ || echo \$root;
        done; umount /lent"
    server shell "ln -s /handover/root.ext4 /run/root.ext4.nvme; block nvme root.ext4"
    handover_nodes "$(cell_image "$kernel" "$flavour")" "$server_ip" "net.ifnames=0 $rxe"
}

@test "ifupdown of Debian 12" { taken_over ifupdown12; }
@test "ifupdown of Debian 13" { taken_over ifupdown13; }
@test "NetworkManager of Debian 12" { taken_over nm12; }
@test "NetworkManager of Debian 13, the root by NVMe over TCP" { taken_over nm13; }
@test "systemd-networkd of Debian 12" { taken_over networkd12; }
@test "systemd-networkd of Debian 13" { taken_over networkd13; }
