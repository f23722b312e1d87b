# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scenarios with a root on a block device share: disks made of the root that the others
# mount over NFS, and nbd-server with its libraries, laid over the server VM's image together with
# the kernel's own targets.
#
#   block_disks DIR    makes them, and DIR/block.cpio (block-ib.cpio) for SERVER_EXTRA

# shellcheck source=tests-qemu/lib/scenario.bash
source "${BASH_SOURCE[0]%/*}/scenario.bash"

nqn=nqn.2024-01.org.example:root

block_disks() {
    local tree=$1/tree
    mkdir -p "$tree/block"
    block_kinds "$tree/block"
    block_server "$tree"
    cp -a "$LAB/block-modules/." "$tree/"
    (cd "$tree" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$1/block.cpio"
    # for a server that has the modules itself
    (cd "$tree" && find block bin/block | cpio --quiet -o -H newc -R 0:0) >"$1/block-ib.cpio"
}

# xfs_prototype DIR: the tree as mkfs.xfs -p reads it.
xfs_prototype() {
    local entry name mode
    [ -n "${2:-}" ] || printf '/dev/null\n0 0\nd--755 0 0\n'
    for entry in "$1"/*; do
        [ -e "$entry" ] || [ -L "$entry" ] || continue
        name=${entry##*/}
        mode=$(stat -c %03a "$entry")
        if [ -L "$entry" ]; then
            echo "$name l--777 0 0 $(readlink "$entry")"
        elif [ -d "$entry" ]; then
            echo "$name d--$mode 0 0"
            xfs_prototype "$entry" inner
        elif [ -f "$entry" ]; then
            echo "$name ---$mode 0 0 $entry"
        fi
    done
    echo '$'
}

# The root as ext4, as xfs, as squashfs, as the second partition of a disk; and nothing.
block_kinds() {
    local dir=$1 root=$LAB/export/root
    truncate -s 24M "$dir/root.ext4"
    mkfs.ext4 -q -O ^metadata_csum_seed,^orphan_file -d "$root" "$dir/root.ext4" >/dev/null
    truncate -s 32M "$dir/root.xfs"
    xfs_prototype "$root" >"$dir/../xfs.proto"
    # smaller than 300 MB it is made for its own tests only
    TEST_DIR=1 TEST_DEV=1 QA_CHECK_FS=1 mkfs.xfs -q -p "$dir/../xfs.proto" "$dir/root.xfs"
    rm "$dir/../xfs.proto"
    mksquashfs "$root" "$dir/root.squashfs" -quiet -no-progress -all-root -noappend >/dev/null
    truncate -s 32M "$dir/disk.img"
    printf 'label: gpt\nsize=2M\nsize=26M\n' | sfdisk -q "$dir/disk.img"
    dd if="$dir/root.ext4" of="$dir/disk.img" bs=1M seek=3 conv=notrunc status=none
    truncate -s 1M "$dir/empty.img"
    # what an NBD server sends until its export of 1 MiB is agreed upon; it does not hang upon what
    # it is told
    printf 'NBDMAGICIHAVEOPT\0\3' >"$dir/mute.nbd"
    printf '\0\3\xe8\x89\x04\x55\x65\xa9\0\0\0\7\0\0\0\3\0\0\0\014\0\0\0\0\0\0\0\020\0\0\0\1' \
        >>"$dir/mute.nbd"
    printf '\0\3\xe8\x89\x04\x55\x65\xa9\0\0\0\7\0\0\0\1\0\0\0\0' >>"$dir/mute.nbd"
}

block_server() {
    local dir=$1 file
    for file in /usr/bin/nbd-server $(ldd /usr/bin/nbd-server | grep -o '/[^ ]*'); do
        install -D "$file" "$dir$file"
    done
    mkdir -p "$dir/bin" "$dir/etc"
    mv "$dir/usr/bin/nbd-server" "$dir/bin/"
    # Between its listen() and its first accept() nbd-server makes parameters for TLS, which no
    # export here has: a search for random primes, of 1 to 16 s on an emulated processor that has
    # nothing else to do. A node that connects meanwhile gets no answer.
    cc -shared -nostdlib -fPIC -s -x c -o "$dir/lib/no-dh.so" - <<<'
        int gnutls_dh_params_generate2(void *params, unsigned bits);
        int gnutls_dh_params_generate2(void *params, unsigned bits)
        { (void)params; (void)bits; return 0; }'
    install -m 755 "$vm_top/tests-qemu/guest/block" "$dir/bin/block"
    cp "$vm_top/tests-qemu/guest/nbd.conf" "$dir/etc/"
}

# assert_block SECONDS TYPE PROTO FSTYPE: the whole of a good boot.
assert_block() {
    node_booted "$1"
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_clean_handover
    assert_state .root.type "$2"
    assert_state .root.proto "$3"
    assert_state .root.fstype "$4"
    assert_state '[.phases[].name | select(. == "connect" or . == "mount")] | @text' \
        '["connect","mount"]'
    grep -q " / / .* - $4 /dev/$(node_state .root.device) " "$node_dir/results/mountinfo"
}
