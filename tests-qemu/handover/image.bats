#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A node of OpenCHAMI in one boot: its image by a presigned URL of an object store, in memory, then
# cloud-init by the address of the lease, which the image's network manager renews (make
# check-handover).

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load ../lib/web
load ../lib/handover

# The lines that boot parameters and cloud-init's server write.
image="live:http://$server_ip:9000/boot-images/compute/base-9.5?X-Amz-Algorithm=AWS4-HMAC-SHA256\
&X-Amz-Credential=AKIABOOT%2F2026%2Fs3%2Faws4_request&X-Amz-Expires=86400\
&X-Amz-SignedHeaders=host&X-Amz-Signature=d5e8"
roots[cloud]=$image
words[cloud]="nomodeset ro overlayroot=tmpfs overlayroot_cfgdisk=disabled apparmor=0 selinux=0 \
cloud-init=enabled initrd=initrd xname=x1000c0s0b0n0 nid=1 BOOTIF=01-52-54-00-99-00-64 \
ds=nocloud-net;s=http://$server_ip:8082/cloud/"
managers=(cloud)

setup_file() {
    vm_begin handover-image
    export images=$BATS_FILE_TMPDIR/images SERVER_MEM=1280
    mkdir -p "$images/tree/web"
    mksquashfs "$LAB/handover/cloud" "$images/tree/web/root.squashfs" -comp zstd \
        -Xcompression-level 1 -quiet -no-progress -noappend >/dev/null
    web_certificates "$images/tree/etc/tls"
    web_server "$images/tree"
    server_cpio=$images/web.cpio
    (cd "$images/tree" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$server_cpio"
    handover_server "sed -i s/@NAME@/x1000c0s0b0n0/ /cloud/meta-data; web start;
        busybox httpd -f -vv -p 8082 -h / </dev/null >/dev/null 2>/run/httpd.log &"
    handover_nodes "$LAB/agent.img" "$server_ip" "net.ifnames=0"
}

setup() {
    node_dir=
}

@test "OpenCHAMI: an image by a presigned URL, its systemd-networkd, and cloud-init" {
    local ip
    assert_kept cloud eth0
    assert_networkd eth0
    assert_lease
    assert_eq "$(node_state .root.type)" image "root"
    [[ $(node_state .root.url) == http://$server_ip:9000/boot-images/compute/base-9.5* ]]
    assert_file mountinfo ' /run/rootfsbase ro.* - squashfs /dev/loop[0-9]* ro'
    assert_file cloud '^DataSourceNoCloudNet '
    assert_file cloud.written '^of the user data$'
    ip=$(address_of_root)
    on server cat /run/httpd.log >"$BATS_TEST_TMPDIR/httpd"
    grep -q "${ip%/*}[]:].* url:/cloud/user-data" "$BATS_TEST_TMPDIR/httpd"
    # nothing but the image was had from the store
    run -0 on server "grep -v '\" 20[06] ' /run/nginx.log"
    [[ ${#lines[@]} -eq 1 && $output == *"GET /boot-images/compute/mirrors?"*" 403 "* ]]
}
