#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The builder of the stand-alone image, over a made-up root with made-up kernel modules.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # scripts for other shells; lib/mkimage

bats_require_minimum_version 1.5.0
load lib/mkimage

setup() {
    made_root
}

# module NAME [export=SYMBOL] [use=SYMBOL] [KEY=VALUE]...: a kernel module as far as depmod and the
# builder look at one.
module() {
    local name=$1 row
    {
        printf '.section .modinfo,"a"\n.asciz "name=%s"\n' "$name"
        for row in "${@:2}"; do
            case $row in
                export=*)
                    printf '.section __ksymtab_strings,"aMS",1\n.asciz "%s"\n' "${row#*=}"
                    printf '.data\n.globl %s\n%s: .quad 0\n' "${row#*=}" "${row#*=}"
                    ;;
                use=*) printf '.data\n.quad %s\n' "${row#*=}" ;;
                *) printf '.section .modinfo,"a"\n.asciz "%s"\n' "$row" ;;
            esac
        done
    } >"$BATS_TEST_TMPDIR/module.s"
    as -o "$modules/kernel/$name.ko" "$BATS_TEST_TMPDIR/module.s"
}

listing() {
    zstd -dcq "$out" | cpio -t --quiet
}

has() {
    listing | grep -qx "$1" || {
        echo "not in the image: $1"
        return 1
    }
}

lacks() {
    has init
    if listing | grep -x "$1"; then
        return 1
    fi
}

unpack() {
    mkdir -p "$BATS_TEST_TMPDIR/unpacked"
    zstd -dcq "$out" | (cd "$BATS_TEST_TMPDIR/unpacked" && cpio -idm --quiet --no-preserve-owner)
}

@test "agent, console, mount points, release file and rescue shell" {
    build
    unpack
    cd "$BATS_TEST_TMPDIR/unpacked"
    cmp init /bin/busybox
    [ -x init ]
    [ "$(readlink sbin/modprobe)" = ../init ]
    [ "$(readlink bin/initagent)" = ../init ]
    [ "$(stat -c %t:%T:%a dev/console)" = 5:1:600 ]
    [ "$(stat -c %a tmp)" = 1777 ]
    [ "$(stat -c %a root)" = 700 ]
    for dir in dev proc sys run sysroot; do [ -d "$dir" ]; done
    grep -qx ID=initagent etc/initrd-release
}

@test "packed as its kernel can read it: zstd from 5.9 on" {
    build
    zstd -tq "$out"
    mv "$root/lib/modules/$kver" "$root/lib/modules/4.18.0-553.el8"
    kver=4.18.0-553.el8
    build
    gzip -t <"$out"
    gzip -dc <"$out" | cpio -t --quiet | grep -qx init
    cp "$out" "$out.first"
    build
    cmp "$out" "$out.first"
}

@test "a report that cannot be written is an error with its reason" {
    run -1 sh -c '"$@" >/dev/full' sh "$mkimage" --agent /bin/busybox --busybox /bin/busybox \
        --root "$root" --kver "$kver" --out "$out" --level 1 --no-base --explain
    [[ $output == "initagent-mkimage: standard output: No space left on device" ]]
}

@test "a firmware folder that is not there is not taken for missing modules" {
    refused 1 "initagent-mkimage: --firmware-dir $root/fw: No such file or directory" \
        --firmware-dir "$root/fw"
    [ "${#lines[@]}" -eq 1 ]
}

@test "ended by a signal it leaves no scratch folder" {
    local sig tmp=$BATS_TEST_TMPDIR/tmp
    mkdir "$tmp"
    mkfifo "$out"
    for sig in INT TERM HUP; do
        # Waits for a reader of the pipe. Asynchronous commands of a shell ignore SIGINT.
        TMPDIR=$tmp python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$(realpath "$mkimage")" --agent /bin/busybox \
            --busybox /bin/busybox --root "$root" --kver "$kver" --out "$out" --level 1 \
            --no-base 3>&- &
        until compgen -G "$tmp/initagent-mkimage.*" >/dev/null; do kill -0 $!; done
        kill -"$sig" $!
        status=0
        wait $! || status=$?
        [ "$status" -eq $((128 + $(kill -l "$sig"))) ]
        [ -z "$(ls "$tmp")" ]
    done
}

@test "a pipe, a device is written to and not replaced; a folder is refused" {
    local whole=$BATS_TEST_TMPDIR/whole
    build
    mv "$out" "$whole"
    mkfifo "$out"
    timeout 60 cat "$out" >"$BATS_TEST_TMPDIR/read" 3>&- &
    build
    wait $!
    cmp "$BATS_TEST_TMPDIR/read" "$whole"
    [ -p "$out" ]
    out=$BATS_TEST_TMPDIR/folder
    mkdir "$out"
    run -1 build
    [[ $output == "initagent-mkimage: $out: Is a directory" ]]
    # one of our own, as the builder of before would have taken the machine's away
    [[ $EUID -eq 0 ]] || return 0
    out=$BATS_TEST_TMPDIR/full
    mknod "$out" c 1 7
    run -1 build
    [[ $output == "initagent-mkimage: $out: No space left on device" && -c $out ]]
}

@test "a link is followed and stays, as /dev/stdout is one" {
    local file=$BATS_TEST_TMPDIR/node.img link=$out to
    for to in node.img /proc/self/fd/1; do
        echo before >"$file"
        ln -sf "$to" "$link"
        out=$link
        build >"$file"
        [ "$(readlink "$link")" = "$to" ]
        out=$file
        has bin/busybox
    done
}

@test "every link of the rescue shell is an applet of our busybox and of Debian's" {
    local link ours
    ours=$(realpath "${mkimage%/*}/busybox")
    build
    unpack
    cd "$BATS_TEST_TMPDIR/unpacked/bin"
    [ -L sh ]
    for link in *; do
        [ "$link" = busybox ] || [ "$link" = initagent ] || {
            [ "$(readlink "$link")" = busybox ]
            "$ours" --list | grep -qx "$link"
            /bin/busybox --list | grep -qx "$link"
        }
    done
}

@test "the default busybox is the one installed with the builder; else the system's, and said" {
    local ours=/usr/lib/initagent command line
    command=("$mkimage" --agent /bin/busybox --root "$root" --kver "$kver" --out "$out"
        --level 1 --no-base)
    run -0 --separate-stderr unshare --mount bash -euc '
        [ ! -e "$0" ] || mount -t tmpfs none "$0"
        "$@"' "$ours" "${command[@]}"
    line="initagent-mkimage: $ours/busybox is not installed: taking /bin/busybox as rescue shell"
    [ "$stderr" = "$line" ]
    zstd -dcq "$out" | cpio -i --quiet --to-stdout bin/busybox | cmp - /bin/busybox
    run -0 --separate-stderr unshare --mount bash -euc '
        mount -t tmpfs none /mnt
        mkdir -p /mnt/upper/initagent /mnt/work
        cp "$1" /mnt/upper/initagent/
        mount -t overlay -o lowerdir=/usr/lib,upperdir=/mnt/upper,workdir=/mnt/work none /usr/lib
        "${@:2}"' - "${mkimage%/*}/busybox" "${command[@]}"
    [ "$stderr" = "" ]
    zstd -dcq "$out" | cpio -i --quiet --to-stdout bin/busybox | cmp - "${mkimage%/*}/busybox"
}

# into STATUS ARGUMENT...: into a node image.
into() {
    run -"$1" "$mkimage" --agent /bin/busybox --busybox /bin/busybox --into "$root" --level 1 \
        --no-base "${@:2}"
}

@test "--into: the image of a node image's only kernel in its /boot; another one is kept" {
    local image=$root/boot/initramfs-$kver.img kept=$root/boot/before-initagent-$kver.img
    mkdir "$root/boot"
    echo dracut >"$image"
    into 0
    [ "$(<"$kept")" = dracut ]
    out=$image
    has bin/busybox
    # our own does not take its place
    into 0
    [ "$(<"$kept")" = dracut ]
    [[ $output != *"kept as"* ]]
    [ "$(ls "$root/boot")" = "${kept##*/}"$'\n'"${image##*/}" ]
}

@test "--into: its modules are looked for in the tree, wherever /lib leads, and below usr/" {
    mkdir "$root/boot" "$root/usr"
    mv "$root/lib" "$root/usr/"
    into 0
    ln -s /usr/lib "$root/lib"
    into 0
}

@test "--into: several kernels are named; no link as /boot, no --out beside it" {
    mkdir "$root/boot" "$root/lib/modules/5.6"
    into 1
    [[ $output == *"kernel 5.6"*"kernel $kver"*"name one with --kver"* ]]
    into 0 --kver "$kver"
    into 2 --kver "$kver" --out /dev/null
    rm -r "${root:?}/boot"
    mkdir "$BATS_TEST_TMPDIR/boot"
    ln -s "$BATS_TEST_TMPDIR/boot" "$root/boot"
    into 1 --kver "$kver"
    [ -z "$(ls "$BATS_TEST_TMPDIR/boot")" ]
}

@test "the image is for its owner only, whatever the umask and whatever was there" {
    (umask 000 && build)
    [ "$(stat -c %a "$out")" = 600 ]
    chmod 666 "$out"
    build
    [ "$(stat -c %a "$out")" = 600 ]
}

@test "two builds give the same bytes, from files of other times and order" {
    local other=$BATS_TEST_TMPDIR/other
    module a use=b_symbol
    module b export=b_symbol firmware=b.bin
    echo firmware >"$root/lib/firmware/b.bin"
    build --drivers "a b"
    cp "$out" "$out.1"
    mkdir -p "$other/lib/modules/$kver/kernel" "$other/lib/firmware"
    cp "$root/lib/firmware/b.bin" "$other/lib/firmware/"
    for file in b a; do cp "$modules/kernel/$file.ko" "$other/lib/modules/$kver/kernel/"; done
    touch "$other/lib/modules/$kver"/modules.{builtin.modinfo,builtin,order}
    touch -d 2001-01-01 "$other/lib/modules/$kver/kernel/"*
    root=$other
    TMPDIR=$other build --drivers "b,a"
    cmp "$out" "$out.1"
}

# details AWK: distinct values over the lines of a long listing; a device's size is two words.
details() {
    zstd -dcq "$out" | TZ=UTC cpio -itv --quiet --numeric-uid-gid | sed 's/5,   1/0/' |
        awk "{print $1}" |
        sort -u
}

@test "SOURCE_DATE_EPOCH is the time of every file; 0 without it" {
    build
    [ "$(details '$6 $7 $8')" = Jan11970 ]
    SOURCE_DATE_EPOCH=1000000000 build
    [ "$(details '$6 $7 $8')" = Sep92001 ]
    SOURCE_DATE_EPOCH=12x run -2 build
}

@test "all belongs to root, whoever owns the sources" {
    module a
    chown 1234:1234 "$modules/kernel/a.ko"
    build --drivers a
    [ "$(details '$3 ":" $4')" = 0:0 ]
}

@test "dependencies, soft and weak ones, the unlisted crc32 and companions come along" {
    module base export=base_symbol
    module soft
    module weak
    module crc32_generic alias=crypto-crc32
    module rdma_rxe use=base_symbol use=crypto_alloc_shash \
        "softdep=pre: soft nosuch post: nosuch2" weakdep=weak
    module mlx4_core
    module mlx4_ib
    module unwanted
    build --drivers "rdma-rxe mlx4_core"
    for name in base soft weak crc32_generic rdma_rxe mlx4_core mlx4_ib; do
        has "lib/modules/$kver/kernel/$name.ko"
    done
    lacks "lib/modules/$kver/kernel/unwanted.ko"
    unpack
    [ "$(modprobe -d "$BATS_TEST_TMPDIR/unpacked" -S "$kver" -D rdma_rxe | grep -c insmod)" -ge 2 ]
}

@test "rxe of a kernel that needs crc32 is not built without it; a newer one is" {
    module rdma_rxe use=crypto_alloc_shash
    refused 1 "module crypto-crc32 is neither" --drivers rdma_rxe
    module rdma_rxe use=crc32_le
    build --drivers rdma_rxe
}

@test "modules keep their bytes, signature included; compressed ones are unpacked" {
    module plain
    printf 'signature~Module signature appended~\n' >>"$modules/kernel/plain.ko"
    module x export=x_symbol
    module z use=x_symbol
    cp "$modules/kernel/x.ko" "$BATS_TEST_TMPDIR/x.ko"
    cp "$modules/kernel/z.ko" "$BATS_TEST_TMPDIR/z.ko"
    xz "$modules/kernel/x.ko"
    zstd -q --rm "$modules/kernel/z.ko"
    build --drivers "plain z"
    unpack
    cmp "$BATS_TEST_TMPDIR/unpacked/lib/modules/$kver/kernel/plain.ko" "$modules/kernel/plain.ko"
    cmp "$BATS_TEST_TMPDIR/unpacked/lib/modules/$kver/kernel/x.ko" "$BATS_TEST_TMPDIR/x.ko"
    cmp "$BATS_TEST_TMPDIR/unpacked/lib/modules/$kver/kernel/z.ko" "$BATS_TEST_TMPDIR/z.ko"
}

@test "missing modules are all named, and no image is left" {
    module a
    refused 1 "module nosuch is neither" --drivers "a nosuch"
    run -1 build --drivers "one two"
    [[ $output == *"module one is"* && $output == *"module two is"* ]]
}

@test "a module built into the kernel is not missing" {
    echo kernel/drivers/net/inside.ko >"$modules/modules.builtin"
    build --drivers inside --explain >"$BATS_TEST_TMPDIR/explain"
    grep -q '^inside *built into the kernel' "$BATS_TEST_TMPDIR/explain"
}

@test "a kernel before 5.2, which lists no aliases of what is built in" {
    rm "$modules/modules.builtin.modinfo"
    printf 'kernel/%s.ko\n' nfs nfsv3 nfsv4 sunrpc lockd overlay squashfs loop af_packet \
        >"$modules/modules.builtin"
    "$mkimage" --agent /bin/busybox --root "$root" --kver "$kver" --out "$out" --level 1
}

@test "what a module asks the crypto layer for may be built in there, too" {
    rm "$modules/modules.builtin.modinfo"
    printf 'kernel/crypto/%s_generic.ko\n' crc32 crc32c >"$modules/modules.builtin"
    module libcrc32c use=crypto_alloc_shash
    module rdma_rxe use=crypto_alloc_shash
    build --drivers "libcrc32c rdma_rxe"
    module crc32c-intel alias=crypto-crc32c
    build --drivers libcrc32c
    has "lib/modules/$kver/kernel/crc32c-intel.ko"
}

@test "a kernel without modules: --no-base makes an image without" {
    local line="root=nvmf:tcp:10.0.0.1:nqn.2024-01.org.example:root bond=bond0:eth0,eth1"
    mkdir "$root/boot"
    cp /usr/lib/systemd/boot/efi/linuxx64.efi.stub "$root/boot/vmlinuz-$kver"
    # all that its build leaves
    printf 'kernel/%s.ko\n' nfs nfsv3 nfsv4 sunrpc lockd overlay squashfs loop af_packet \
        >"$modules/modules.builtin"
    rm -r "$modules"/{kernel,modules.builtin.modinfo}
    "$mkimage" --agent /bin/busybox --root "$root" --kver "$kver" --out "$out" --level 1
    has "lib/modules/$kver/modules.dep.bin"
    rm -r "$root/lib/modules" "$out"
    run -1 "$mkimage" --agent /bin/busybox --root "$root" --kver "$kver" --out "$out"
    [[ $output == *"no modules of kernel $kver"*"--no-base"* ]]
    refused 1 "no modules of kernel $kver" --drivers a
    run -0 build --format pair --cmdline "$line" --explain
    [[ $output == *"no modules of kernel $kver"*", 0 modules for kernel $kver"* ]]
    out=$out/initrd.img lacks 'lib/modules.*'
}

@test "the standard set is asked for in full; WITHOUT takes from it" {
    local names
    module a
    run -1 "$mkimage" --agent /bin/busybox --root "$root" --kver "$kver" --out "$out" --level 1
    for name in nfsv4 overlay squashfs loop; do
        [[ $output == *"module $name is neither"* ]]
    done
    for name in mlx4_ib mlx5_ib rdma_rxe ib_ipoib rpcrdma virtio_net; do
        [[ $output == *"has no module $name, the image is built without"* &&
            $output != *"module $name is neither"* ]]
    done
    names=$(sed -n 's/^need *\([^ ]*\).*/\1/p' dracut/70initagent/drivers.list | paste -sd ' ')
    run -0 "$mkimage" --agent /bin/busybox --root "$root" --kver "$kver" --out "$out" --level 1 \
        --without "$names"
    [[ $output == *"has no module ib_ipoib, the image is built without (IP over InfiniBand"* ]]
    # asked for by name it is needed
    run -1 "$mkimage" --agent /bin/busybox --root "$root" --kver "$kver" --out "$out" --level 1 \
        --without "$names" --drivers ib_ipoib
    [[ $output == *"module ib_ipoib is neither"* ]]
}

@test "firmware: found where the kernel looks, unpacked, by pattern, through links" {
    module a firmware=plain.bin firmware=dir/packed.bin "firmware=dir/pat-*.bin" \
        firmware=linked.bin \
        firmware=new.bin
    firmware=$root/lib/firmware
    mkdir -p "$firmware/dir" "$firmware/updates/$kver"
    echo plain >"$firmware/plain.bin"
    echo packed | xz >"$firmware/dir/packed.bin.xz"
    echo 1 >"$firmware/dir/pat-1.bin"
    echo 2 | zstd -q >"$firmware/dir/pat-2.bin.zst"
    ln -s /lib/firmware/plain.bin "$firmware/linked.bin"
    echo old >"$firmware/new.bin"
    echo newer >"$firmware/updates/$kver/new.bin"
    build --drivers a
    unpack
    cd "$BATS_TEST_TMPDIR/unpacked/lib/firmware"
    [ "$(cat plain.bin dir/packed.bin dir/pat-1.bin dir/pat-2.bin linked.bin new.bin |
        paste -sd,)" = \
        plain,packed,1,2,plain,newer ]
    [ ! -L linked.bin ]
}

@test "missing firmware is named, and can be done without by module or by name" {
    module a firmware=vendor/a.bin
    refused 1 "firmware file vendor/a.bin, named by module a," --drivers a
    build --drivers a --no-firmware a
    build --drivers a --no-firmware 'vendor/*'
    run -1 build --drivers a --no-firmware b
}

@test "firmware names that lead out of the firmware directory are refused" {
    echo secret >"$root/secret"
    for name in ../../secret /secret a//b ./a dir/../../../secret; do
        module a "firmware=$name"
        refused 1 "which is not a safe relative path" --drivers a
    done
}

@test "links of the root stay inside it" {
    local rel
    module a firmware=a.bin
    rel=$(realpath --relative-to="$root/lib/firmware" /etc/hostname)
    ln -s "$rel" "$root/lib/firmware/a.bin"
    refused 1 "firmware file a.bin" --drivers a
    ln -sf /etc/hostname "$root/lib/firmware/a.bin"
    refused 1 "firmware file a.bin" --drivers a
    mkdir "$root/etc"
    echo inside >"$root/etc/hostname"
    build --drivers a
    unpack
    [ "$(cat "$BATS_TEST_TMPDIR/unpacked/lib/firmware/a.bin")" = inside ]
}

@test "a module index that names other places is refused" {
    module a
    depmod -b "$root" "$kver"
    LC_ALL=C sed -i 's|kernel/a.ko:|/etc/host.k:|' "$modules/modules.dep.bin"
    refused 1 "which is not a safe relative path" --drivers a
}

@test "a truncated module is refused" {
    module a
    depmod -b "$root" "$kver"
    truncate -s 100 "$modules/kernel/a.ko"
    refused 1 "is not a kernel module" --drivers a
    : >"$modules/kernel/a.ko"
    refused 1 "is not a kernel module" --drivers a
}

@test "agent and busybox must be static" {
    run -1 build --busybox /bin/sh
    [[ $output == *"/bin/sh is not statically linked"* ]]
    run -1 build --agent /bin/sh
    [[ $output == *"/bin/sh is not statically linked"* ]]
    run -1 build --agent /etc/hostname
}

@test "extra files: where they go, how they may not" {
    echo text >"$BATS_TEST_TMPDIR/text"
    build --extra "$BATS_TEST_TMPDIR/text:/etc/some/text" --extra /bin/busybox:/usr/bin/tool
    unpack
    [ "$(cat "$BATS_TEST_TMPDIR/unpacked/etc/some/text")" = text ]
    [ "$(stat -c %a "$BATS_TEST_TMPDIR/unpacked/usr/bin/tool")" = 755 ]
    rm "$out"
    for path in etc/text ../text /../text /etc/../text /etc//text /etc/text/ / "" /init /etc \
        "/bin/sh/x" \
        "/a b"; do
        refused 1 "--extra" --extra "$BATS_TEST_TMPDIR/text:$path"
    done
    refused 1 "--extra" --extra "$BATS_TEST_TMPDIR/nosuch:/etc/text"
    refused 1 "--extra" --extra "$BATS_TEST_TMPDIR:/etc/text"
}

@test "kernel versions that are paths, and unknown ones, are refused" {
    for kver in ../5.5.5 . .. /etc "" 6.6.6; do
        run -1 "$mkimage" --agent /bin/busybox --root "$root" --modules-dir "$modules/$kver" \
            --out "$out" --no-base --kver "${kver:-a/b}"
    done
    run -1 build --kver 6.6.6
    [[ $output == *"no modules of kernel 6.6.6"* ]]
}

@test "modules come from a directory of any place" {
    module a
    depmod -b "$root" "$kver"
    mv "$modules" "$BATS_TEST_TMPDIR/9.9.9-odd"
    local dir
    # also as a shell completes it
    for dir in "$BATS_TEST_TMPDIR/9.9.9-odd" "$BATS_TEST_TMPDIR/9.9.9-odd/"; do
        "$mkimage" --agent /bin/busybox --out "$out" --level 1 --no-base --drivers a \
            --modules-dir "$dir"
        has lib/modules/9.9.9-odd/kernel/a.ko
        has lib/modules/9.9.9-odd/modules.dep.bin
    done
}

@test "the source is left as it was" {
    module a
    find "$root" -printf '%p %m %s %T@\n' | sort >"$BATS_TEST_TMPDIR/before"
    build --drivers a
    find "$root" -printf '%p %m %s %T@\n' | sort >"$BATS_TEST_TMPDIR/after"
    cmp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

@test "modprobe.d: only when asked for, and only its .conf files" {
    mkdir "$BATS_TEST_TMPDIR/modprobe.d"
    echo "options a b=1" >"$BATS_TEST_TMPDIR/modprobe.d/a.conf"
    echo old >"$BATS_TEST_TMPDIR/modprobe.d/a.conf.dpkg-old"
    build
    lacks 'etc/modprobe.d.*'
    build --modprobe-d "$BATS_TEST_TMPDIR/modprobe.d"
    has etc/modprobe.d/a.conf
    lacks 'etc/modprobe.d/.*old'
    run -1 build --modprobe-d "$BATS_TEST_TMPDIR/nosuch"
    # as alternatives leave it when their package goes
    ln -s /etc/alternatives/none "$BATS_TEST_TMPDIR/modprobe.d/left.conf"
    rm "$out"
    refused 1 "$BATS_TEST_TMPDIR/modprobe.d/left.conf: No such file or directory" \
        --modprobe-d "$BATS_TEST_TMPDIR/modprobe.d"
}

@test "explain names every file with a reason" {
    local path paths
    module a firmware=a.bin
    echo a >"$root/lib/firmware/a.bin"
    build --drivers a --explain >"$BATS_TEST_TMPDIR/explain"
    mapfile -t paths < <(listing)
    [ "${#paths[@]}" -gt 20 ]
    for path in "${paths[@]}"; do
        grep -q " /$path (.*)$" "$BATS_TEST_TMPDIR/explain" || {
            echo "no reason for $path"
            return 1
        }
    done
    grep -q "^a  *lib/modules/$kver/kernel/a.ko (asked for with --drivers)" \
        "$BATS_TEST_TMPDIR/explain"
    grep -q "/lib/firmware/a.bin (firmware named by a)" "$BATS_TEST_TMPDIR/explain"
    grep -qx "Missing firmware, allowed: none" "$BATS_TEST_TMPDIR/explain"
    grep -qx "Module options: none" "$BATS_TEST_TMPDIR/explain"
    # once in the list of files, which it is not in
    [ "$(grep -cw "$(stat -c %s "$out")" "$BATS_TEST_TMPDIR/explain")" -eq 1 ]
    mkdir "$BATS_TEST_TMPDIR/modprobe.d"
    echo 'options a x=1' >"$BATS_TEST_TMPDIR/modprobe.d/a.conf"
    build --drivers a --explain --modprobe-d "$BATS_TEST_TMPDIR/modprobe.d" \
        >"$BATS_TEST_TMPDIR/explain"
    grep -A 1 '^Module options:$' "$BATS_TEST_TMPDIR/explain" | grep -q 'x'
}

@test "wrong calls end with status 2, in one line" {
    run -2 "$mkimage"
    [[ $output == "initagent-mkimage: missing, see --help: --out" ]]
    run -2 build --nosuch
    [[ $output == "initagent-mkimage: unknown option, see --help: --nosuch" ]]
    run -2 build --cmdline "root=nfs4:10.0.0.1:/a ip=dhcp"
    [[ $output == *"--cmdline has no place in an initrd"* ]]
    run -2 build --level 23
    run -2 build --level
    run -0 "$mkimage" --help
}

@test "no scratch files are left, after success or failure" {
    mkdir "$BATS_TEST_TMPDIR/scratch"
    module a
    TMPDIR=$BATS_TEST_TMPDIR/scratch build --drivers a
    TMPDIR=$BATS_TEST_TMPDIR/scratch run -1 build --drivers nosuch
    [ -z "$(ls -A "$BATS_TEST_TMPDIR/scratch")" ]
    TMPDIR=$BATS_TEST_TMPDIR/nosuch run -1 build
}
