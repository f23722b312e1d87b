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
    local tree=$1/tree system=$1/system runtime=$1/runtime script
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
    echo system >"$system/etc/by-system"
    echo wrong >"$system/etc/by-runtime"
    echo runtime >"$runtime/etc/by-runtime"
    {
        cat "$LAB/export/root/etc/sums"
        warewulf_sum run by-script
        warewulf_sum system by-system
        warewulf_sum runtime by-runtime
    } >"$runtime/etc/sums"
    warewulf_layer system "$system"
    warewulf_layer runtime "$runtime"
    web_server "$tree"
    sed -e 's|%DIR%|/ww|; s|%LOG%|/run/warewulfd.log|; s|%HTTP%|9873|; s|%HTTPS%||' \
        -e 's/%MAC%/52.54.00.99.00.64/; s/%LEMAC%/50.54.00.99.00.64/' \
        "$vm_top/tests/lib/warewulfd.conf" >"$tree/etc/ww.conf"
    # without the servers with TLS, whose certificates are not made here
    sed -i -e 's|^http {|&\n    include /etc/ww.conf;|' -e '/ssl/d; /443/d' "$tree/etc/nginx.conf"
    (cd "$tree" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$1/web.cpio"
}

# warewulf_sum TEXT FILE: the line of etc/sums for a file with that line.
warewulf_sum() {
    echo "$(echo "$1" | cksum | sed 's/ $//') /etc/$2"
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
    grep -q ' / / rw.* - tmpfs rootfs ' "$node_dir/results/mountinfo"
}
