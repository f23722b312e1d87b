#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A sample of the matrix (make check-matrix boots all of it): every kernel of the sample, every kind
# of root. tests-qemu/kernels has what the image and memory of each may be.
# first: many boots

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/matrix

setup_file() {
    vm_begin matrix-sample
    matrix_server "$BATS_FILE_TMPDIR/disks"
}

setup() {
    node_defaults
    server dhcp start >/dev/null 2>&1 || true
}

# sample KERNEL FLAVOUR ROOT: without a mirror that has the kernel there is nothing to boot.
sample() {
    [ ! -e "$LAB/kernels/$1/absent" ] || skip "$(<"$LAB/kernels/$1/absent")"
    cell "$@"
}

@test "kernel 5.10: NFSoRDMA 4.2" { sample 5.10 standalone nfs-rdma; }
@test "kernel 5.10: NFSv3 over TCP" { sample 5.10 standalone nfs3-tcp; }
@test "kernel 5.10: NBD" { sample 5.10 standalone nbd; }
@test "kernel 5.10: NVMe over TCP" { sample 5.10 standalone nvme-tcp; }
@test "kernel 6.12: NFSv3 over RDMA" { sample 6.12 standalone nfs3-rdma; }
@test "kernel 6.12: NVMe over RDMA" { sample 6.12 standalone nvme-rdma; }
@test "kernel 6.12: HTTP image" { sample 6.12 standalone http; }
@test "cloud kernel: NFS 4.2 over TCP" { sample 6.12-cloud standalone nfs-tcp; }
@test "cloud kernel: HTTP image" { sample 6.12-cloud standalone http; }
@test "cloud kernel: NFSoRDMA is refused by the image builder" {
    sample 6.12-cloud standalone nfs-rdma
    grep -q 'has no module rdma_rxe, the image is built without' "$node_dir/build.log"
}
@test "kernel 7.3: NFSoRDMA 4.2" { sample 7.3 standalone nfs-rdma; }
@test "kernel 7.3: NVMe over RDMA" { sample 7.3 standalone nvme-rdma; }
@test "kernel 7.3: NBD" { sample 7.3 standalone nbd; }
