# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scenarios with a Warewulf server share: the lab's root as Warewulf's image, a system and
# a runtime overlay, and the server (tests/lib/warewulfd.conf) in the web server's place.
#
#   warewulf_images DIR   makes them, and DIR/web.cpio for SERVER_EXTRA
#   warewulf_line WWID WORD...   what Warewulf's iPXE template writes for a node

# shellcheck source=tests-qemu/lib/web.bash
source "${BASH_SOURCE[0]%/*}/web.bash"

warewulf_layer() {
    (cd "$2" && find . | cpio --quiet -o -H newc -R 0:0) | gzip -1 >"$images/tree/ww/n1/$1.gz"
}

# What run-init and the overlays bring is checked by the root's own sums: three of the image, one of
# each overlay, and what a script of init.d wrote.
warewulf_images() {
    export images=$1
    local tree=$1/tree system=$1/system runtime=$1/runtime
    mkdir -p "$tree/ww/n1" "$tree/web" "$system"/{warewulf/init.d,bin,etc} "$runtime/etc"
    warewulf_layer image "$LAB/export/root"
    # a folder bin, which the image has as a link
    ln -s busybox "$system/bin/sh"
    printf 'WWROOT=tmpfs\nWWINIT=\nWWTLS=false\nWWTLSPORT=9874\nWWIPADDR=%s\n' "${web#http://}" \
        >"$system/warewulf/config"
    # as Warewulf's run-init does
    cat >"$system/warewulf/run-init" <<'END'
#!/bin/sh
. /warewulf/config
for script in /warewulf/init.d/*; do
    sh "$script"
done
exec "${WWINIT:-/sbin/init}"
END
    chmod 755 "$system/warewulf/run-init"
    echo 'echo run >/etc/by-script' >"$system/warewulf/init.d/50-script"
    # networkd, and what the overlay for it says of the node's interface
    mkdir -p "$system/usr/lib/systemd" "$system/etc/systemd/network"
    : >"$system/usr/lib/systemd/systemd-networkd"
    printf '[Match]\nName=eth0\n\n[Network]\nDHCP=no\nAddress=10.99.0.100/24\n' \
        >"$system/etc/systemd/network/10-ww4-networkd-default.network"
    echo system >"$system/etc/by-system"
    echo wrong >"$system/etc/by-runtime"
    echo runtime >"$runtime/etc/by-runtime"
    {
        cat "$LAB/export/root/etc/sums"
        file_sum run /etc/by-script
        file_sum system /etc/by-system
        file_sum runtime /etc/by-runtime
    } >"$runtime/etc/sums"
    warewulf_layer system "$system"
    warewulf_layer runtime "$runtime"
    warewulf_disks "$tree/ww" "$system"
    web_server "$tree"
    sed -e 's|%DIR%|/ww|; s|%LOG%|/run/warewulfd.log|; s|%HTTP%|9873|; s|%HTTPS%||' \
        -e 's/%MAC%/52.54.00.99.00.64/; s/%LEMAC%/50.54.00.99.00.64/' \
        "$vm_top/tests/lib/warewulfd.conf" >"$tree/etc/ww.conf"
    # without the servers with TLS, whose certificates are not made here
    sed -i -e 's|^http {|&\n    include /etc/ww.conf;|' -e '/ssl/d; /443/d' "$tree/etc/nginx.conf"
    (cd "$tree" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$1/web.cpio"
}

# warewulf_disks WW SYSTEM: the node "disks": the same with a disk, partitioned and formatted by the
# scripts of its system overlay, as those of Warewulf's overlays sfdisk and mkfs do it.
warewulf_disks() {
    local ww=$1 overlay=$1/../../disks
    mkdir -p "$ww/n4" "$overlay/warewulf"/{wwinit.d,sfdisk,run}
    ln -s ../n1/image.gz ../n1/runtime.gz "$ww/n4"
    cp -a "$2/." "$overlay"
    printf 'size=80M, name=root\nname=var\n' >"$overlay/warewulf/sfdisk/device-0"
    printf '\n/dev/disk/by-partlabel/var ext4 /var\n' >"$overlay/warewulf/mounts"
    cat >"$overlay/warewulf/run-wwinit.d" <<'END'
#!/bin/sh
ls -1 "$PREFIX/warewulf/wwinit.d/" | while read -r name; do
    echo "warewulf: $name"
    PREFIX=$PREFIX sh "$PREFIX/warewulf/wwinit.d/$name"
done
END
    # longer than the node's rd.retry
    echo 'grep -q lab.slow /proc/cmdline && sleep 22' >"$overlay/warewulf/wwinit.d/05-slow.sh"
    cat >"$overlay/warewulf/wwinit.d/10-sfdisk.sh" <<'END'
if ! command -v sfdisk >/dev/null; then
    echo "warewulf: sfdisk not found, skipping partitioning"
    exit
fi
sfdisk --label gpt --wipe always /dev/vda <"$PREFIX/warewulf/sfdisk/device-0"
udevadm trigger --subsystem-match=block --action=add
udevadm settle
for name in root var; do
    mkfs --type=ext4 -q -L "$name" "/dev/disk/by-partlabel/$name"
done
echo formatted >"$PREFIX/warewulf/run/.formatted"
END
    chmod 755 "$overlay/warewulf/run-wwinit.d"
    (cd "$overlay" && find . | cpio --quiet -o -H newc -R 0:0) | gzip -1 >"$ww/n4/system.gz"
}

warewulf_line() {
    echo "rd.neednet=1 ifname=$1 ip=${1%%:*}:dhcp root=wwinit:tmpfs wwinit.server=$web:9873" \
        "wwinit.uri=$web:9873/provision/${1#*:} init=/warewulf/run-init wwid=${1#*:} ${*:2}"
}

# assert_warewulf SECONDS: every layer came, in its order; init.d ran; init is process 1.
assert_warewulf() {
    node_booted "$1"
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    assert_eq "$(node_result .files_good)" 6 "files checked"
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_clean_handover
    assert_state .root.type wwinit
    assert_state .root.layers 3
    assert_state .root.runtime true
    assert_state .root.init /warewulf/run-init
    assert_state '.causes | length' 0
    grep -q ' / / rw.* - tmpfs tmpfs ' "$node_dir/results/mountinfo"
}
