#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A root that was unpacked in memory and enforces SELinux: its policy is loaded, and its files have
# their labels, before init is executed (make check-handover).

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load ../lib/web

setup_file() {
    vm_begin handover-selinux
    export images=$BATS_FILE_TMPDIR/images
    mkdir -p "$images/tree/web"
    cp "$LAB/handover-selinux/root.tar.zst" "$images/tree/web/"
    web_certificates "$images/tree/etc/tls"
    web_server "$images/tree"
    (cd "$images/tree" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$images/web.cpio"
    SERVER_MEM=1280 SERVER_EXTRA=$images/web.cpio server_start >/dev/null
}

# Restorecon reads its rules for two minutes on an emulated processor.
@test "SELinux: an archive, whose files have no labels of their own" {
    local line

    node_of_case agent.img
    server reset
    server shell web start
    NODE_MEM=2048 NODE_SECONDS=600
    node_start "$image" "$console root=$web/root.tar.zst ip=dhcp hostname=n1 security=selinux \
rd.timeout=0"
    node_end 600
    while read -r line; do
        assert_console "^selinux: $line"
    done <<'END'
enforcing 1
init init_t
/ root_t
/etc etc_t
/usr usr_t
/usr/bin/ls bin_t
/var/log var_log_t
/tmp tmp_t
failed [[:space:]]*$
end
END
    run -1 grep 'selinux: avc.*tcontext=[^ ]*:tmpfs_t' "$node_dir/console.log"
    run -1 grep -E '^initagent: root: (SELinux|IA-E615)' "$node_dir/console.log"
}
