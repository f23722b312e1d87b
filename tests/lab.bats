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
