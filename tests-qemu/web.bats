#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root from an image of web servers: what boots, and what must never boot.
# first: many boots

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/web

# boots CMDLINE: a node with an Ethernet interface and nothing else.
boots() {
    node_start "$image" "$console ip=dhcp $*"
}

@test "squashfs with a digest: the root is writable, the image is not" {
    boots "root=live:$web/root.squashfs $(digest root.squashfs) rd.live.overlay.size=20"
    assert_image 60 squashfs digest
    assert_overlay squashfs
    grep -q ' /run/initramfs/overlay .*size=20480k' "$node_dir/results/mountinfo"
    assert_state .root.url "$web/root.squashfs"
    assert_state '.causes | length' 0
    assert_console 'squashfs from http://10.99.0.1.*MiB/s.*proof: digest'
}

@test "signed manifest with digests of chunks" {
    boots "root=$web/root.squashfs.manifest $(site_key)"
    assert_image 60 squashfs signature
    assert_console 'signed: lab root.squashfs.manifest'
    assert_state .root.url "$web/root.squashfs"
}

@test "signature beside a bare image" {
    boots "root=$web/root.squashfs $(site_key)"
    assert_image 60 squashfs signature
    assert_console 'signed: lab root.squashfs'
}

@test "erofs" {
    # nobody has that address: the proxy is asked for it, and it has such a file itself
    boots "root=http://10.99.0.77/root.erofs rd.root.proxy=$server_ip:80 $(digest root.erofs)"
    assert_image 60 erofs digest
    assert_overlay erofs
}

@test "cpio, without any proof, as xCAT has it for stateless nodes; its master knows the state" {
    server shell "nc -ll -p 3002 -e /etc/xcatd </dev/null >/dev/null 2>&1 &"
    # dracut's word for the proxy
    boots "imgurl=http://10.99.0.77/root.cpio XCAT=$server_ip:3001 NODE=n1 FC=0 XCATHTTPPORT=80 \
rootlimit=200M hostname=n1 proxy=$server_ip:80"
    # the node's resolv.conf and hostname in place of the master's
    assert_image 60 cpio none 5
    grep -q ' / / rw.* - tmpfs rootfs rw,size=204800k' "$node_dir/results/mountinfo"
    run -0 server shell "cat /run/xcatd"
    assert_eq "$output" "installstatus netbooting" "what the master was told"
}

# The lines that OpenCHAMI's boot parameters and its script server write.
@test "OpenCHAMI: a presigned URL of an object store, whose name has no suffix" {
    local url=$web:9000/boot-images/compute/base-9.5
    server shell ": >/run/nginx.log"
    NODE_SPARE=virtio-net-pci
    node_start "$image" "$console nomodeset ro root=live:$url?X-Amz-Algorithm=AWS4-HMAC-SHA256\
&X-Amz-Credential=AKIABOOT%2F2026%2Fs3%2Faws4_request&X-Amz-Expires=86400\
&X-Amz-SignedHeaders=host&X-Amz-Signature=d5e8 ip=dhcp overlayroot=tmpfs \
overlayroot_cfgdisk=disabled apparmor=0 selinux=0 ip6=off cloud-init=enabled \
initrd=initrd xname=x1000c0s0b0n0 nid=1 BOOTIF=01-52-54-00-99-00-64 \
ds=nocloud-net;s=$web:8081/cloud-init/"
    assert_image 60 squashfs none
    assert_overlay squashfs
    assert_state '.rails | length' 1
    assert_rail .hwaddr 52:54:00:99:00:64
    assert_state '.causes | length' 0
    # a list of mirrors may be beside it; nothing else is asked for
    run -0 server shell "grep -v '\" 20[06] ' /run/nginx.log"
    [[ ${#lines[@]} -eq 1 && $output == *"GET /boot-images/compute/mirrors?"*" 403 "* ]]
}

@test "tar.zst as systemd fetches it, proved by SHA256SUMS" {
    boots "rd.systemd.pull=tar,machine,verify=checksum:root:$web/root.tar.zst \
root=bind:/run/machines/root"
    assert_image 60 zstd none
    assert_state .root.holds tar
    assert_state .root.sha256 "$(sha256sum "$images/tree/web/root.tar.zst" | cut -d ' ' -f 1)"
}

# What the root's own systemd makes of it: handover.bats.
@test "beside a root by NFS: a sysext and a confext in /run; one that is not there" {
    local extension=" - tmpfs extension "
    boots "root=nfs:$server_ip:/export/root \
rd.systemd.pull=raw,sysext,verify=no:tools:$web/root.squashfs \
systemd.set_credential=import.pull:tar,confext,verify=checksum:site:$web/root.tar.zst \
rd.systemd.pull=raw,sysext,verify=no:absent:$web/absent.raw"
    node_booted 60
    assert_clean_handover
    assert_state .root.type nfs
    grep "/image /run/extensions/tools.raw .*$extension" "$node_dir/results/mountinfo"
    grep " / /run/confexts/site .*nosuid,nodev.*$extension" "$node_dir/results/mountinfo"
    [ "$(grep -c "$extension" "$node_dir/results/mountinfo")" -eq 2 ]
    assert_console 'sysext tools: squashfs from http://10.99.0.1.*proof: none'
    assert_state '[.causes[].code] | @text' '["IA-E614"]'
    assert_console 'sysext absent: IA-E614 .*IA-E622'
}

@test "ISO: the file that rd.live.dir and rd.live.squashimg name, beside LiveOS/squashfs.img" {
    boots "root=live:$web/live.iso $(digest live.iso) rd.live.dir=site rd.live.squashimg=root.img"
    assert_image 60 iso digest
    assert_overlay squashfs
    assert_state .root.inside site/root.img
}

@test "root=dhcp: the URL in root-path, the proof on the command line; the server known by name" {
    server dhcp stop
    server dhcp start "--dhcp-option=option:root-path,http://server.lab.test/root.squashfs"
    boots "root=dhcp $(digest root.squashfs)"
    assert_image 60 squashfs digest
    assert_state .root.url http://server.lab.test/root.squashfs
}

# No DHCP server for IPv4, and a router's advertisements.
six_alone() {
    server dhcp stop
    server shell "/bin/ip -6 addr replace 2001:db8:99::1/64 dev eth0 nodad"
    server shell "echo 1 >/proc/sys/net/ipv6/conf/all/forwarding"
    server shell "/sbin/dnsmasq --conf-file=/dev/null --user=root --port=0 \
--pid-file=/run/router.pid --enable-ra --dhcp-range=2001:db8:99::,ra-only"
}

@test "an IPv6-only segment; ip=eth0:dhcp there is another family than the URL's" {
    six_alone
    node_start "$image" "$console root=http://[2001:db8:99::1]/root.squashfs \
$(digest root.squashfs)"
    assert_image 60 squashfs digest
    assert_state '.rails[0] | .address6 // .address | startswith("2001:db8:99:")' true
    node_start "$image" "$console root=http://[2001:db8:99::1]/root.squashfs ip=eth0:dhcp \
rd.retry=40 $reboot"
    assert_failed 60 IA-E106 restart
    assert_console 'IA-E106 .*IPv6 address, and ip= sets up IPv4 only'
    server shell 'kill $(cat /run/router.pid)'
}

@test "a web server by its link-local address, on a segment without anything else" {
    local site="http://[fe80::5054:ff:fe99:1%25eth0]"
    server dhcp stop
    node_start "$image" "$console root=$site/root.squashfs ip=link6 $(digest root.squashfs)"
    assert_image 60 squashfs digest
    assert_state .root.server "$site"
    assert_state '.causes | length' 0
}

@test "mirrors that are dead, and one that is not" {
    boots "root=$web:81/root.squashfs rd.root.mirror=$web:82/root.squashfs \
rd.root.mirror=$web:8080/root.squashfs $(digest root.squashfs)"
    assert_image 60 squashfs digest
    assert_state .root.server "$web:8080"
    # a dead one was asked before
    assert_state '[.causes[].code] | @text' '["IA-E621"]'
}

@test "a mirror whose image is damaged: that chunk from the other" {
    boots "root=$web/damaged/root.squashfs.manifest \
rd.root.mirror=$web:8080/root.squashfs.manifest $(site_key)"
    assert_image 60 squashfs signature
    assert_state '[.causes[].code] | @text' '["IA-E631"]'
    assert_state .root.attempts 2
}

# What the disk's file system says of its only entry, and where its content begins.
cache_entry() {
    debugfs -R "stat /images/sha256-$(sha256sum <"$images/tree/web/root.squashfs" |
        cut -d ' ' -f 1)" "$1" 2>&1
}

@test "cache on a disk: kept, then used without a server, then damaged: removed and fetched again" {
    local block
    image=$LAB/agent-block.img # has ext4
    NODE_DISK=$BATS_TEST_TMPDIR/disk
    truncate -s 64M "$NODE_DISK"
    mkfs.ext4 -q -L cache "$NODE_DISK"
    boots "root=$web/root.squashfs $(digest root.squashfs) rd.root.cache=LABEL=cache:/images"
    assert_image 60 squashfs digest
    assert_state .root.cached false
    assert_state '.causes | length' 0
    cache_entry "$NODE_DISK" | grep -q 'Type: regular'

    server shell web stop
    boots "root=$web/root.squashfs $(digest root.squashfs) rd.root.cache=LABEL=cache:/images \
rd.live.ram toram"
    assert_image 60 squashfs digest
    assert_state .root.cached true
    assert_state .root.server LABEL=cache:/images
    # in memory: nothing of the disk is in use
    run -1 grep ' /dev/vda ' "$node_dir/results/mountinfo"

    server shell web start
    block=$(cache_entry "$NODE_DISK" | sed -n 's/^(0-[0-9]*):\([0-9]*\)-.*/\1/p')
    [ -n "$block" ]
    printf 'damaged' | dd of="$NODE_DISK" bs=1 seek=$((block * 1024 + 5000)) conv=notrunc \
        status=none
    boots "root=$web/root.squashfs $(digest root.squashfs) rd.root.cache=LABEL=cache:/images"
    assert_image 60 squashfs digest
    assert_state .root.cached false
    assert_state '[.causes[].code] | @text' '["IA-E641"]'
}

@test "https: the certificate proves the server; rd.noverifyssl beside a digest takes any" {
    NODE_EXTRA=$images/ca.cpio
    boots "root=https://$server_ip/root.squashfs"
    assert_image 60 squashfs certificate
    boots "root=https://$server_ip:8443/root.squashfs rd.noverifyssl $(digest root.squashfs)"
    assert_image 60 squashfs digest
    assert_state .root.server "https://$server_ip:8443"
    NODE_EXTRA=$images/site.cpio
    boots "root=https://$server_ip/root.squashfs rd.root.ca=/site.pem"
    assert_image 60 squashfs certificate
}

@test "server 10 s late" {
    server shell web stop
    boots "root=$web/root.squashfs $(digest root.squashfs) rd.retry=160"
    node_wait 60 'IA-E621'
    refute_within 10 'reboot: '
    server shell web start
    assert_image 60 squashfs digest
}

# rd.retry is for a network that does not work: it does not end a transfer that goes on.
@test "slow server: bytes, rate, time left and mirror on the console; the cable is out meanwhile" {
    local line='image: [0-9.]+ of [0-9.]+ MiB, [0-9.]+ MiB/s, [0-9]+ s left, from '
    server shell ": >/run/nginx.log"
    boots "root=$web:8081/root.squashfs $(digest root.squashfs) rd.retry=8"
    node_wait 60 "${line}http://10.99.0.1:8081"
    node_mark
    node_cable off
    node_next 10 'eth0: .*carrier.*IA-E402'
    node_cable on
    node_next 10 "$line"
    assert_image 60 squashfs digest
    assert_most 8 \
        "$(node_state '.phases[] | select(.name == "fetch") | .end_s - .begin_s | floor')" \
        "seconds (at least)"
    # from where it was: nothing was sent twice but what was on its way
    server shell web log >"$BATS_TEST_TMPDIR/log"
    assert_most "$(awk '$9 ~ /^20/ { n += $10 } END { print n + 0 }' "$BATS_TEST_TMPDIR/log")" \
        $(($(stat -c %s "$images/tree/web/root.squashfs") * 3 / 2)) "bytes sent by the server"
    # a transfer slower than that is none
    boots "root=$web:8081/root.squashfs $(digest root.squashfs) rd.retry=8 \
rd.net.min-rate=10000000 $reboot"
    node_end 60
    assert_console 'IA-E703 .*giving up|giving up after [0-9]+ s'
    [ ! -e "$node_dir/results/result.json" ]
    node_ended_by restart
}

@test "killed while it gets an address and right after the mount" {
    boots "root=$web/root.squashfs $(digest root.squashfs) bootmark.kill=addr,mount"
    node_booted 60
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_clean_handover
    assert_killed addr,mount
    assert_state .root.type image
    assert_state .root.url "$web/root.squashfs"
    assert_state .root.proof digest
    assert_overlay squashfs
}

@test "refused: wrong digest" {
    boots "root=$web/root.squashfs $(digest root.cpio) rd.retry=20 $reboot"
    assert_failed 60 IA-E630 restart
}

@test "refused: digest of the image on a manifest" {
    boots "root=$web/root.squashfs.manifest $(digest root.squashfs) rd.retry=20 $reboot"
    assert_failed 60 IA-E630 restart
}

@test "refused: signed by a stranger" {
    boots "root=$web/stranger.squashfs $(site_key) rd.retry=20 $reboot"
    assert_failed 60 IA-E665 restart
}

@test "refused: not signed" {
    boots "root=$web/unsigned.squashfs $(site_key) rd.retry=20 $reboot"
    assert_failed 60 IA-E663 restart
}

@test "refused: damaged after it was signed" {
    boots "root=$web/damaged/root.squashfs $(site_key) rd.retry=20 $reboot"
    assert_failed 60 IA-E664 restart
}

@test "refused: manifest forged after it was signed" {
    boots "root=$web/forged/root.squashfs.manifest $(site_key) rd.retry=20 $reboot"
    assert_failed 60 IA-E664 restart
}

@test "refused: damaged on every mirror of a signed manifest" {
    boots "root=$web/damaged/root.squashfs.manifest \
rd.root.mirror=$web:8080/damaged/root.squashfs.manifest $(site_key) rd.retry=20 $reboot"
    assert_failed 60 IA-E631 restart
}

@test "refused: larger than this node's memory, with the numbers" {
    boots "root=$web/huge.squashfs rd.retry=20 $reboot"
    assert_failed 60 IA-E632 restart
    assert_console 'IA-E632 .*2147483648|IA-E632 .*2048'
    # so much shall stay free that nothing is left for any image
    boots "root=$web/root.squashfs rd.minmem=4096 rd.retry=20 $reboot"
    assert_failed 60 IA-E632 restart
}

@test "refused: a page somebody's proxy made up" {
    boots "root=$web/login.squashfs rd.retry=20 $reboot"
    assert_failed 60 IA-E650 restart
    assert_console 'an HTML page'
}

@test "refused: an untrusted certificate, and rd.noverifyssl without proof of the image" {
    NODE_EXTRA=$images/ca.cpio
    boots "root=https://$server_ip:8443/root.squashfs rd.noverifyssl rd.retry=20 $reboot"
    assert_failed 60 IA-E633 restart
    assert_console 'it is not signed by a trusted authority'
}

@test "refused: a digest that is none" {
    boots "root=$web/root.squashfs rd.root.digest=sha256:1234 rd.retry=20 $reboot"
    assert_failed 60 IA-E101 restart
}

@test "refused: a key that is none, the URL from DHCP" {
    server dhcp stop
    server dhcp start "--dhcp-option=option:root-path,http://server.lab.test/root.squashfs"
    boots "root=dhcp rd.root.key=RWnonsense rd.retry=20 $reboot"
    assert_failed 60 IA-E610 restart
    assert_console 'IA-E610 .*none of the given keys or digests is valid'
}
