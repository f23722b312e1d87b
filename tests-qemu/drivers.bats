#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel modules as distributions ship them: signed, compressed, built in; a kernel that is locked
# down.

# shellcheck disable=SC2154,SC2034 # the variables are shared with it
load lib/scenario

# What the kernel itself says of a module without signature.
@test "lockdown=integrity: signed modules boot NFSoRDMA, an unsigned one is refused and named" {
    node_start "$LAB/agent-softib.img" \
        "$console $rdma_root ip=dhcp $rxe lockdown=integrity rd.driver.post=softib"
    assert_boot 90 4.2 rdma
    assert_state '[.causes[] | [.code, .where]] | @text' '[["IA-E207","softib"]]'
    assert_console 'IA-E207 .*nsigned module loading is restricted'
}

# The stand-alone image holds modules as they are when loaded; here three are packed again in
# their places. What xz and zstd have packed, dracut-hostonly.bats boots.
@test "modules packed with gzip are unpacked; one that is built in is not missing" {
    local dir=$BATS_TEST_TMPDIR/packed name path
    for name in rpcrdma nfsv4 rdma_rxe; do
        path=$(cd "$LAB/root/usr" && find lib/modules -name "$name.ko")
        mkdir -p "$dir/${path%/*}"
        gzip -c "$LAB/root/usr/$path" >"$dir/$path"
    done
    (cd "$dir" && find . -name '*.ko' | cpio --quiet -o -H newc) >"$dir.cpio"
    NODE_EXTRA=$dir.cpio
    grep -q '/ipv6.ko$' "$LAB/root/usr/lib/modules/$(<"$LAB/kver")/modules.builtin"
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.driver.post=af_packet,ipv6"
    assert_boot 90 4.2 rdma
    assert_state '[.causes[].code] | @text' '[]'
}
