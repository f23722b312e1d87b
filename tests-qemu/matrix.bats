#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A sample of the matrix (make check-matrix boots all of it): every kind of root, every kernel and
# dracut but Debian 12's, which the other cases boot. tests-qemu/kernels has what the stand-alone
# image and its memory may be.
# first: many boots

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/matrix

setup_file() {
    vm_begin matrix-sample
    matrix_server "$BATS_FILE_TMPDIR/disks"
    matrix_fabric
}

teardown_file() {
    matrix_end
}

setup() {
    node_defaults
    # unchecked: it may have been left running
    server dhcp start >/dev/null 2>&1 || true
}

# sample KERNEL FLAVOUR ROOT: without a mirror that has the suite there is nothing to boot.
sample() {
    local absent
    absent=$(cell_absent "$1" "$2")
    [ -z "$absent" ] || skip "$absent"
    cell "$@"
}

@test "bullseye's kernel: NFSoRDMA 4.2" { sample bullseye standalone nfs-rdma; }
@test "bullseye's kernel: NFSv3 over TCP" { sample bullseye standalone nfs3-tcp; }
@test "bullseye's kernel: NBD" { sample bullseye standalone nbd; }
@test "trixie's kernel: HTTP image" { sample trixie standalone http; }
@test "trixie's kernel and dracut, without systemd: InfiniBand alone" {
    sample trixie dracut106-shell nfs-ib
}
@test "trixie's kernel and dracut, with systemd: NFSv3 over RDMA" {
    sample trixie dracut106-systemd nfs3-rdma
}
@test "trixie's cloud kernel: NFS 4.2 over TCP" { sample trixie-cloud standalone nfs-tcp; }
@test "trixie's cloud kernel: NFSoRDMA is refused by the image builder" {
    sample trixie-cloud standalone nfs-rdma
    grep -q 'has no module rdma_rxe, the image is built without' "$node_dir/build.log"
}
@test "trixie-backports' kernel: InfiniBand alone" { sample trixie-backports standalone nfs-ib; }
@test "trixie-backports' kernel: NVMe over RDMA" { sample trixie-backports standalone nvme-rdma; }
@test "sid's kernel and dracut, without systemd: NVMe over TCP" {
    sample sid dracut-sid-shell nvme-tcp
}
@test "sid's kernel and dracut, with systemd: NFSoRDMA 4.2" {
    sample sid dracut-sid-systemd nfs-rdma
}
