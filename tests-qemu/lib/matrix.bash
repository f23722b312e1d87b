# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# One cell of the matrix: a kernel of tests-qemu/kernels, a flavour of image, a root of the lab's
# server VMs.
#
#   matrix_server DIR            starts the server with every kind of root; matrix_end: ends all
#   matrix_fabric                starts the one on InfiniBand alone
#   cell KERNEL FLAVOUR ROOT     boots it; figures in $node_dir/cell.json
#   $matrix_roots                all kinds

# shellcheck source=tests-qemu/lib/web.bash
source "${BASH_SOURCE[0]%/*}/web.bash"
# shellcheck source=tests-qemu/lib/block.bash
source "${BASH_SOURCE[0]%/*}/block.bash"

# shellcheck source=tests-qemu/lib/infiniband.bash
source "${BASH_SOURCE[0]%/*}/infiniband.bash"

# Stand-alone, or the dracut of a suite, without systemd and with it.
matrix_flavours=(standalone {dracut059,dracut106,dracut-sid}-{shell,systemd})
matrix_roots=(nfs-rdma nfs3-rdma nfs-ib nfs-tcp nfs3-tcp http nvme-rdma nvme-tcp nbd)

# flavour_suite FLAVOUR: whose dracut it is.
flavour_suite() {
    case $1 in
    dracut059-*) echo bookworm ;;
    dracut106-*) echo trixie ;;
    dracut-sid-*) echo sid ;;
    esac
}

matrix_server() {
    web_images "$1/web"
    block_disks "$1/block"
    SERVER_EXTRA="$1/web/web.cpio $1/block/block.cpio" server_start >/dev/null
    server shell web start
    server shell block nvme root.ext4
    server shell block nbd
}

# matrix_fabric: sockets and logs of its own, as both servers have the same names for theirs.
matrix_fabric() {
    local vm_sockets=$vm_sockets/ib vm_logs=$vm_logs/ib server_pid
    mkdir -p "$vm_sockets"
    SERVER_LINKS=1 sib_root_server
}

matrix_end() {
    vm_sockets=$vm_sockets/ib sib_stop
    vm_end
}

teardown() {
    [ -z "${node_pid:-}" ] || vm_kill "$node_pid"
    [ -n "${BATS_TEST_COMPLETED:-}${BATS_TEST_SKIPPED:-}" ] || vm_show
}

# kernel_field KERNEL NUMBER: of its row in the table.
kernel_field() {
    awk -v name="$1" -v field="$2" '$1 == name { print $field }' "$vm_top/tests-qemu/kernels"
}

# cell_root ROOT: the command line that asks for it.
cell_root() {
    local nfs="root=nfs:$server_ip:$root_path"
    case $1 in
    nfs-rdma) echo "$nfs:vers=4.2,proto=rdma,port=20049 $rxe" ;;
    nfs3-rdma) echo "$nfs:vers=3,nolock,proto=rdma,port=20049 $rxe" ;;
    nfs-ib) echo "$ib_root $hca" ;;
    nfs-tcp) echo "$nfs:vers=4.2" ;;
    nfs3-tcp) echo "$nfs:vers=3,nolock" ;;
    http) echo "root=live:http://$server_ip/root.squashfs $(digest root.squashfs)" ;;
    nvme-rdma) echo "root=nvmf:rdma:$server_ip:4420:$nqn $rxe" ;;
    nvme-tcp) echo "root=nvmf:tcp:$server_ip:4421:$nqn" ;;
    nbd) echo "root=nbd:$server_ip:root" ;;
    esac
}

# cell_booted ROOT: the whole of a good boot.
cell_booted() {
    local proto=${1#*-}
    case $1 in
    nfs-ib)
        assert_boot 150 4.2 rdma
        assert_rail .netdev ib0
        ;;
    nfs-*) assert_boot 150 4.2 "$proto" ;;
    nfs3-*) assert_boot 150 3 "$proto" ;;
    http) assert_image 150 squashfs digest ;;
    nvme-*) assert_block 150 nvmf "$proto" ext4 ;;
    nbd) assert_block 150 nbd tcp ext4 ;;
    esac
}

# cell_lacks KERNEL ROOT: that root needs a driver this kernel does not have.
cell_lacks() {
    case $2 in
    nfs-ib) kernel_lacks "$1" softib ;;
    *-rdma) kernel_lacks "$1" rdma_rxe ;;
    *) return 1 ;;
    esac
}

kernel_lacks() {
    [[ ,$(kernel_field "$1" 6), == *,$2,* ]]
}

# cell_refused KERNEL FLAVOUR ROOT: the image builder says so.
cell_refused() {
    local status=0
    mkdir -p "$node_dir"
    echo '{"refused": true}' >"$node_dir/cell.json"
    if [ "$2" != standalone ]; then
        grep -q 'this kernel has no module rdma_rxe' "$(cell_image "$1" "$2").log"
        return
    fi
    "$vm_build/initagent-mkimage" --agent "$vm_build/initagent" \
        --busybox "$vm_build/busybox" --out "$node_dir/image" \
        --kver "$(<"$LAB/kernels/$1/kver")" --root "$LAB/kernels/$1" --level 1 --format pair \
        --cmdline "$(cell_root "$3")" >"$node_dir/build.log" 2>&1 || status=$?
    cat "$node_dir/build.log"
    assert_eq "$status" 1 "exit status of the image builder"
    grep -q 'names the module rdma_rxe, which is not in the image' "$node_dir/build.log"
}

# cell_limits KERNEL FLAVOUR: what it took; of the stand-alone image, no more than its kernel's row
# says.
cell_limits() {
    local kb bytes
    kb=$(node_result '.total_kb - .pid1_free_kb')
    bytes=$(stat -c %s "$(cell_image "$1" "$2")")
    node_result "{seconds: (.init_ns / 1e8 | round / 10), memory_kb: $kb, image_bytes: $bytes}" \
        >"$node_dir/cell.json"
    [ "$2" = standalone ] || return 0
    assert_most "$(stat -c %s "$LAB/kernels/$1/agent.img")" "$(kernel_field "$1" 4)" \
        "bytes of the image"
    assert_most "$kb" "$(kernel_field "$1" 5)" "memory in use at /init, KB"
}

# cell_image KERNEL FLAVOUR
cell_image() {
    case $2 in
    standalone) echo "$LAB/kernels/$1/agent-block.img" ;;
    *) echo "$LAB/kernels/$1/dracut-$(flavour_suite "$2")/${2##*-}.img" ;;
    esac
}

# cell_absent KERNEL FLAVOUR: why there is nothing to boot, if the mirror does not have it.
cell_absent() {
    cat "$LAB/kernels/$1/absent" "$LAB/suites/$(flavour_suite "$2")/absent" 2>/dev/null ||
        [ $? -eq 1 ]
}

# cell_builder KERNEL FLAVOUR: the dracut and its version, which is the one of the flavour's name.
cell_builder() {
    local version
    [ "$2" != standalone ] || return 0
    version=$(<"$LAB/kernels/$1/dracut-$(flavour_suite "$2")/version")
    case $2 in
    dracut-*) ;;
    *) [[ $version == "dracut ${2//[!0-9]/}"* ]] || {
        echo "not the dracut of this flavour: $version"
        return 1
    } ;;
    esac
    echo "${version% }"
}

# cell KERNEL FLAVOUR ROOT: fails by the shell's -e alone: never call it in a condition.
cell() {
    NODE_KERNEL=$LAB/kernels/$1/kernel
    NODE_NAME=$1-$2-$3
    node_dir=$vm_logs/$NODE_NAME
    cell_builder "$1" "$2"
    if cell_lacks "$1" "$3"; then
        cell_refused "$1" "$2" "$3"
        return
    fi
    cell_start "$(cell_image "$1" "$2")" "$3"
    cell_booted "$3"
    cell_limits "$1" "$2"
}

# cell_start IMAGE ROOT: a node of the server that has this root.
cell_start() {
    local vm_sockets=$vm_sockets
    [ "$2" != nfs-ib ] || vm_sockets+=/ib
    node_start "$1" "$console net.ifnames=0 ip=dhcp rd.neednet=1 $(cell_root "$2")"
}
