#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A Warewulf node over Ethernet, with the command line that Warewulf's own template writes.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/wwinit

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    warewulf_images "$BATS_FILE_TMPDIR/images"
    SERVER_EXTRA=$images/web.cpio server_start >/dev/null
}

@test "image, system and runtime overlay over Ethernet; run-init, init.d" {
    node_start "$image" "$console $(warewulf_line boot0:52:54:00:99:00:64)"
    assert_warewulf 60
    assert_rail .netdev boot0
    assert_console '3 Warewulf layers from http://10.99.0.1:9873'
    # what the server saw, as its own tools show it
    run -0 server shell "cat /run/warewulfd.log"
    [[ $output == *"200 "*" /image/52:54:00:99:00:64?assetkey=&uuid="*"&compress=gz"*"200 "*\
" /system/52:54:00:99:00:64?"*"200 "*" /runtime/52:54:00:99:00:64?"* ]]
}

@test "refused: a node that the server does not know, with the server's status" {
    node_start "$image" "$console $(warewulf_line boot0:52:54:00:99:00:64 \
        wwid=52:54:00:00:00:01) rd.retry=20 $reboot"
    assert_failed 60 IA-E690 restart
    assert_console 'IA-E690 .*HTTP status 400'
}
