#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab's own tools (tests-qemu/lab): what it does on a mirror, a kernel or a disk that lacks
# something.
# shellcheck disable=SC2016,SC2030,SC2031,SC2317 # every case has its own shell

bats_require_minimum_version 1.5.0

setup() {
    export BUILD=$BATS_TEST_TMPDIR/build
    # shellcheck source=tests-qemu/lab
    source "$BATS_TEST_DIRNAME/../tests-qemu/lab"
    mkdir -p "$lab"
    cd "$BATS_TEST_TMPDIR" || return
}

# inodes PATH...: one line if they are one file.
inodes() {
    stat -c %d:%i "$@" | sort -u
}

@test "a tree is copied by hard links, and with bytes of its own across file systems" {
    mkdir -p tree/sub other
    echo text >tree/sub/file
    ln -s sub/file tree/link
    linked tree copy
    [ "$(inodes tree/sub/file copy/sub/file | wc -l)" -eq 1 ]
    export -f linked inodes
    unshare --mount --propagation private bash -euc '
        mount -t tmpfs tmpfs other
        linked tree other/copy
        [ "$(<other/copy/link)" = text ]
        [ "$(inodes tree/sub/file other/copy/sub/file | wc -l)" -eq 2 ]'
}

@test "a package that a suite lacks is named and left out, one that was renamed is found" {
    # a suite that has these
    private_apt() {
        case ${*: -1} in
        kmod | dhcpcd-base | libssl3t64) echo "Package: ${*: -1}" ;;
        *) return 100 ;;
        esac
    }
    run --separate-stderr -0 available kmod 'isc-dhcp-client|dhcpcd-base' qemu-user-static \
        'libssl3t64|libssl3'
    [ "$output" = $'kmod\ndhcpcd-base\nlibssl3t64' ]
    # shellcheck disable=SC2154 # bats sets it
    [ "$stderr" = "lab: left out, as this suite has no such package: qemu-user-static" ]
}

@test "a suite that the mirror lacks is left out, and asked for another time" {
    sources_of() { :; }
    private_apt() { return 100; }
    run -0 suite slink
    [ "${lines[-1]}" = "lab: slink left out: the mirror has no slink" ]
    [ "$(<"$lab/suites/slink/absent")" = "the mirror has no slink" ]
    run -0 suite slink
    [[ $output == *'slink left out'* ]]
}

@test "a module that a kernel lacks is named and left out of the servers' images" {
    mkdir -p "$lab/root/lib/modules/1.0" image
    echo 1.0 >"$lab/kver"
    touch "$lab/root/lib/modules/1.0"/modules.{order,builtin,builtin.modinfo}
    modprobe() { [[ ${*: -1} == loop ]]; }
    depmod() { :; }
    run -0 copy_modules image loop crc32_generic
    [ "$output" = "lab: left out, as this kernel has no such module: crc32_generic" ]
}

@test "the matrix goes on after an image that cannot be built: a failed cell, with its cause" {
    mkdir -p tree/lib
    cp "$BATS_TEST_DIRNAME/../tests-qemu/matrix" tree/
    printf '%s\n' 'bad x' 'good x' >tree/kernels
    cat >tree/lib/matrix.bash <<'END'
vm_build=$BUILD LAB=$BUILD/lab vm_logs=$BUILD vm_sockets=$BUILD
matrix_flavours=(standalone) matrix_roots=(nfs nbd)
for f in kernel_field flavour_suite cell_absent cell_builder node_defaults server vm_begin \
    matrix_end matrix_server; do
    eval "$f() { :; }"
done
cell_lacks() { false; }
cell_image() { echo "$LAB/kernels/$1/kver"; }
cell() { mkdir -p "$node_dir" && echo '{"seconds": 7}' >"$node_dir/cell.json"; }
END
    cat >tree/lab <<'END'
#!/bin/bash
case $1 in
kernel:bad) echo lab: no linux-image; exit 1 ;;
kernel:good) mkdir -p "$BUILD/lab/kernels/good"; echo 6 >"$BUILD/lab/kernels/good/kver" ;;
esac
END
    chmod +x tree/lab
    run -1 tree/matrix
    grep -F '| bad | standalone | failed: no image: lab: no linux-image | failed: no image: lab:' \
        "$BUILD/matrix.md"
    grep -F '| 6 | standalone | 7 s | 7 s |' "$BUILD/matrix.md"
}

@test "free memory, as the guests measure it, counts the free pages in lists of the processors" {
    local guest=$BATS_TEST_DIRNAME/../tests-qemu/guest
    printf '%s\n' '#include <stdio.h>' '#include "guest.h"' \
        'int main(void) { struct snapshot s = {0}; guest_snapshot(&s, ".");' \
        'return !printf("%d", (int)s.mem_free_kb); }' >main.c
    cc -D_GNU_SOURCE -I"$guest" -o main main.c "$guest/guest.c"
    printf '%s kB\n' 'MemTotal: 1000000' 'MemFree: 600000' 'MemAvailable: 700000' >meminfo
    run -0 ./main
    [ "$output" = 600000 ]
    printf '%s\n' 'Node 0, zone    DMA32' '  pages free     150000' '      nr_free_pages 150000' \
        '  pagesets' '    cpu: 0' '              count:    2000' '              high:     2200' \
        '              batch:    63' '    cpu: 1' '              count:    500' >zoneinfo
    run -0 ./main
    [ "$output" = $((600000 + 2500 * $(getconf PAGESIZE) / 1024)) ]
}
