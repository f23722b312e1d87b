#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The modules and fabric rooms on a real kernel, alone in one VM without a peer: loading in
# parallel, Soft-RoCE links, verbs events, removal, and the kernel's own words about bad modules.
# All checks are made inside (rooms/rooms.c); it prints TAP on the console.

# shellcheck disable=SC2154,SC2034,SC1091 # variables are shared with it
source "${BATS_TEST_DIRNAME}/lib/scenario.bash"

# One VM, no server.
setup_file() {
    vm_begin rooms
}

setup() {
    node_of_case agent.img
}

# damage NAME COMMAND...: the module as COMMAND makes it of the right one, put over the image's.
damage() {
    local name=$1 kver path dir=$BATS_TEST_TMPDIR/$1
    shift
    kver=$(<"$LAB/kver")
    path=$(cd "$LAB/root/usr" && find "lib/modules/$kver" -name "$name.ko")
    mkdir -p "$dir/${path%/*}"
    "$@" <"$LAB/root/usr/$path" >"$dir/$path"
    (cd "$dir" && echo "$path" | cpio --quiet -o -H newc)
}

# program: the test program as a cpio; the kernel's modprobe is the same program.
program() {
    local dir=$BATS_TEST_TMPDIR/program
    mkdir -p "$dir/sbin"
    cp "$LAB/bin/rooms" "$dir/rooms"
    ln -s /rooms "$dir/sbin/modprobe"
    (cd "$dir" && printf '%s\n' rooms sbin/modprobe | cpio --quiet -o -H newc)
}

# rooms CMDLINE: runs the program to its end; fails when one of its checks does.
rooms() {
    local accel dir=$BATS_TEST_TMPDIR
    read -ra accel < <(vm_accel_args "$NODE_ICOUNT")
    node_dir=$vm_logs/$NODE_NAME
    mkdir -p "$node_dir"
    program >"$dir/program.cpio"
    # shellcheck disable=SC2086 # a list of files
    vm_initrd "$node_dir/initrd" "$image" "$dir/program.cpio" $NODE_EXTRA
    vm_start "$node_dir" 120 "${accel[@]}" -m 512 -smp "$NODE_SMP" -initrd "$node_dir/initrd" \
        -append "console=ttyS0 loglevel=4 panic=-1 printk.devkmsg=on rdinit=/rooms $1" \
        -netdev user,id=n0,restrict=on -device virtio-net-pci,netdev=n0,romfile=
    node_pid=$vm_pid
    "$vmctl" gone 120 "$node_pid"
    rm -f "$node_dir/initrd"
    # unchecked: to be shown, if there are any
    tr -d '\r' <"$node_dir/console.log" | grep -E '^(not ok|# figure)' || true
    assert_console '^# all passed'
}

@test "loading, links, events, removal and failures on one CPU" {
    local dir=$BATS_TEST_TMPDIR
    other_kernels_module loop "$dir/loop.cpio"
    damage ib_ipoib sed 's/IP-over-InfiniBand/IP-0ver-InfiniBand/g' >"$dir/ipoib.cpio"
    damage rdma_ucm head -c 3000 >"$dir/torn.cpio"
    NODE_EXTRA="$dir/loop.cpio $dir/ipoib.cpio $dir/torn.cpio"
    rooms ""
}

@test "the same modules on two CPUs" {
    NODE_SMP=2
    rooms "only=load"
}

# images DIR: root images of every kind, and some that are none, as a cpio of its own. The names say
# what the room must make of them.
images() {
    local dir=$1/images root=$1/root
    mkdir -p "$dir" "$root/sbin" "$1/live/LiveOS" "$1/iso/LiveOS"
    cp "$LAB/bin/rooms" "$root/sbin/init"
    mksquashfs "$root" "$dir/squashfs-squashfs" -quiet -no-progress >/dev/null
    mkfs.erofs --quiet "$dir/erofs-erofs" "$root"
    cp "$dir/squashfs-squashfs" "$1/iso/LiveOS/squashfs.img"
    xorriso -as mkisofs -quiet -R -o "$dir/iso-squashfs" "$1/iso" 2>/dev/null
    (cd "$root" && find . | cpio --quiet -o -H newc) | gzip -n >"$dir/gzip-cpio"
    tar -C "$root" --zstd -cf "$dir/zstd-tar" .
    tar -C "$root" -cf "$dir/tar-tar" .
    xz -c "$dir/squashfs-squashfs" >"$dir/xz-squashfs"
    head -c 3000 "$dir/zstd-tar" | head -c -20 >"$dir/bad-cut"
    printf '<!DOCTYPE html>' >"$dir/bad-page"
    tar -C "$root" -cPf "$dir/bad-name" --transform 's,^,../,' sbin
    (cd "$1" && find images | cpio --quiet -o -H newc)
}

@test "root images of every kind become roots, and nothing else does" {
    images "$BATS_TEST_TMPDIR/made" >"$BATS_TEST_TMPDIR/images.cpio"
    NODE_EXTRA=$BATS_TEST_TMPDIR/images.cpio
    rooms "only=images"
    run -0 grep -c '^ok .* is a root' "$node_dir/console.log"
    [ "$output" -eq 7 ]
}
