#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# softib outside the lab: built and used by the commands of its README, as they stand there, on two
# VMs of a stock Debian that have nothing of the lab but a control channel.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/softib

setup_file() {
    vm_begin softib-readme
}

teardown_file() {
    sib_stop
    vm_end
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || VM_SHOW_LINES=30 vm_show
}

# commands HEADING: the first block of code under a heading of the README.
commands() {
    sed -n "/^## $1/,/^## /p" "$BATS_TEST_DIRNAME/softib/README.md" |
        awk '/^    / { print substr($0, 5); found = 1; next } found { exit }'
}

# built DIR: runs the block's "make" in a copy of the sources in DIR, on a machine that has the
# headers of the VMs' kernel installed and runs it.
built() {
    local kver
    kver=$(<"$LAB/kver")
    mkdir -p "$1"
    cp "$BATS_TEST_DIRNAME"/softib/{*.[ch],Kbuild} "$1/"
    MAKEFLAGS=-j2 unshare --mount --propagation private bash -euc '
        cd "$1"
        mount -t tmpfs upper "$2"
        mkdir "$2/upper" "$2/work"
        mount -t overlay -o "lowerdir=/usr/lib,upperdir=$2/upper,workdir=$2/work" lib /usr/lib
        mkdir -p "/usr/lib/modules/$3"
        ln -s "$4" "/usr/lib/modules/$3/build"
        uname() { echo "$kver"; }
        kver=$3
        eval "$5"
    ' - "$1" "$(mktemp -d -p "$BATS_TEST_TMPDIR")" "$kver" \
        "$("$BATS_TEST_DIRNAME/softib/headers" "$LAB/headers" "$kver")" \
        "$(commands Build | grep '^make ')"
}

# debian NAME on|off: a VM whose eth0 is its end of the cable
debian() {
    sib_vm "$1" 1024 -initrd "$BATS_TEST_TMPDIR/debian.img" -netdev "$(vm_link 0 "$2"),id=n0" \
        -device "virtio-net-pci,netdev=n0,mac=52:54:00:99:00:0$3,romfile="
}

# as_written VM: the rest of both blocks, line by line, in the directory of the module. What the
# README says of one machine is for a, and b has the other address.
as_written() {
    local line lines
    mapfile -t lines < <(commands Build | grep -v '^make '; commands Use)
    [ "${#lines[@]}" -ge 8 ]
    for line in "${lines[@]}"; do
        [[ $1 != b || $line != *"# on one of them"* ]] || continue
        [[ $1 != b ]] || line=${line/10.10.0.1/10.10.0.2}
        echo "$1: $line"
        on "$1" "bash -c 'cd /root && ${line%%#*}'"
    done
}

@test "the README's commands, on two machines: OpenSM, ACTIVE, ping over IPoIB" {
    built "$BATS_TEST_TMPDIR/src"
    mkdir -p "$BATS_TEST_TMPDIR/extra/root"
    cp "$BATS_TEST_TMPDIR/src/softib.ko" "$BATS_TEST_TMPDIR/extra/root/"
    (cd "$BATS_TEST_TMPDIR/extra" && find root | cpio --quiet -o -H newc -R 0:0) \
        >"$BATS_TEST_TMPDIR/extra.cpio"
    vm_initrd "$BATS_TEST_TMPDIR/debian.img" "$LAB/softib-debian.img" \
        "$BATS_TEST_TMPDIR/extra.cpio"
    debian a on 1
    # the cable's other end finds a socket that listens
    sib_ready a
    debian b off 2
    as_written a
    sib_ready b
    as_written b
    on b "timeout 30 bash -c 'until ping -q -c 1 -W 1 10.10.0.1; do :; done'"
    run -0 on b ibstat
    [[ $output == *"CA type: softib"*"State: Active"* ]]
}
