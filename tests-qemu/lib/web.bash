# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scenarios with a root image share: images made of the root that the others mount over
# NFS, manifests and signatures of a key made here, and nginx with them, laid over the server VM's
# image.
#
#   web_images DIR    makes them, and DIR/web.cpio for SERVER_EXTRA
#   $images           DIR, for digests and keys

# shellcheck source=tests-qemu/lib/scenario.bash
source "${BASH_SOURCE[0]%/*}/scenario.bash"

web=http://$server_ip

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    web_images "$BATS_FILE_TMPDIR/images"
    SERVER_EXTRA=$images/web.cpio server_start >/dev/null
}

setup() {
    node_of_case agent.img
    server reset
    server shell web start
}

web_images() {
    export images=$1
    local dir=$1/tree/web
    mkdir -p "$dir"
    web_kinds "$dir"
    web_proofs "$dir"
    web_certificates "$1/tree/etc/tls"
    web_server "$1/tree"
    # the install monitor of xCAT (sbin/xcatd), for nc -e
    cat >"$1/tree/etc/xcatd" <<'END'
#!/bin/sh
echo ready; read -r line; echo "$line" >>/run/xcatd; echo done
END
    chmod 755 "$1/tree/etc/xcatd"
    (cd "$1/tree" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$1/web.cpio"
}

# The same root in every form.
web_kinds() {
    local dir=$1 root=$LAB/export/root
    mksquashfs "$root" "$dir/root.squashfs" -quiet -no-progress -all-root -noappend >/dev/null
    mkfs.erofs --all-root "$dir/root.erofs" "$root" >/dev/null 2>&1
    web_xcat "$root" "$images/xcat" >"$dir/root.cpio"
    tar -C "$root" --owner=0 --group=0 --numeric-owner -cf - . | zstd -q -3 >"$dir/root.tar.zst"
    web_disk "$dir/root.squashfs" "$dir/disk.raw"
    (cd "$dir" && sha256sum disk.raw.xz root.tar.zst >SHA256SUMS)
    mkdir -p "$images/iso/"{LiveOS,site}
    ln -f "$dir/root.squashfs" "$images/iso/LiveOS/squashfs.img"
    ln -f "$dir/root.squashfs" "$images/iso/site/root.img"
    xorriso -as mkisofs -quiet -R -o "$dir/live.iso" "$images/iso" 2>/dev/null
    echo '<html><body>Please log in</body></html>' >"$dir/login.squashfs"
}

# file_sum TEXT FILE: the line of etc/sums for a file with that text and a newline.
file_sum() {
    echo "$(echo "$1" | cksum | sed 's/ $//') $2"
}

# web_xcat ROOT DIR: the root of Debian's family as genimage leaves it, the files of the master in
# it, and sums of what the node has there.
web_xcat() {
    cp -a "$1" "$2"
    echo 12.5 >"$2/etc/debian_version"
    echo master >"$2/etc/hostname"
    echo '#Dummy' >"$2/etc/resolv.conf"
    {
        file_sum n1 /etc/hostname
        file_sum "$(printf 'search lab.test\nnameserver %s' "$server_ip")" /etc/resolv.conf
    } >>"$2/etc/sums"
    (cd "$2" && find . | cpio --quiet -o -H newc -R 0:0)
}

# web_disk ROOT FILE: FILE.xz, a disk with an EFI partition and ROOT in the second one, of the type
# that a root of this machine has (UAPI.2).
web_disk() {
    local size
    size=$(($(stat -c %s "$1") / 1048576 + 1))
    truncate -s $((size + 4))M "$2"
    printf 'label: gpt\nsize=1M, type=U\nsize=%sM, type=%s, name=root\n' "$size" \
        4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709 | sfdisk -q "$2"
    dd if="$1" of="$2" bs=1M seek=2 conv=notrunc status=none
    xz -T1 -1 "$2"
}

# Signed by the site's key: root.squashfs and its manifest. What else there is must not be believed.
web_proofs() {
    local dir=$1 key
    for key in site other; do
        minisign -G -W -p "$images/$key.pub" -s "$images/$key.key" >/dev/null
    done
    "$vm_build/initagent" manifest "$dir/root.squashfs" --chunk-size 256K
    web_sign site "$dir"/root.squashfs{,.manifest}
    # another's signature; none at all; one byte damaged after it was signed
    ln "$dir/root.squashfs" "$dir/stranger.squashfs"
    web_sign other "$dir/stranger.squashfs"
    ln "$dir/root.squashfs" "$dir/unsigned.squashfs"
    mkdir "$dir/damaged"
    cp "$dir"/root.squashfs{,.minisig,.manifest,.manifest.minisig} "$dir/damaged/"
    printf 'x' | dd of="$dir/damaged/root.squashfs" bs=1 seek=1000000 conv=notrunc status=none
    mkdir "$dir/forged"
    sed 's/"size": *[0-9]*/"size": 4096/' "$dir/root.squashfs.manifest" \
        >"$dir/forged/root.squashfs.manifest"
    cp "$dir/root.squashfs.manifest.minisig" "$dir/forged/"
}

web_sign() {
    local key=$1 file
    shift
    for file; do
        minisign -S -W -s "$images/$key.key" -m "$file" -t "lab $(basename "$file")" >/dev/null
    done
}

# An authority; the server's certificate by it, and one that it signed itself. $images/ca.cpio: the
# authority's, as a site lays it into its initramfs; $images/site.cpio: the same as /site.pem.
web_certificates() {
    local dir=$1 ca=$images/ca
    mkdir -p "$dir" "$ca/etc/initagent"
    web_certificate "$ca/etc/initagent/ca.pem" "$images/ca.key" 'lab authority' \
        -addext basicConstraints=critical,CA:TRUE
    web_certificate "$dir/self.pem" "$dir/self.key" self
    web_certificate "$dir/good.pem" "$dir/good.key" good -CA "$ca/etc/initagent/ca.pem" -CAkey \
        "$images/ca.key"
    (cd "$ca" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$images/ca.cpio"
    cp "$ca/etc/initagent/ca.pem" "$images/site.pem"
    (cd "$images" && echo site.pem | cpio --quiet -o -H newc -R 0:0) >"$images/site.cpio"
}

# web_certificate FILE KEY NAME OPTION...: as from yesterday, for nodes whose clock is a little
# behind.
web_certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$2" -out "$1" \
        -subj "/CN=$3" \
        -addext "subjectAltName=IP:$server_ip" -days 3650 "${@:4}" 2>/dev/null
}

# nginx of this machine and its libraries: the lab's root is made of the same suite.
web_server() {
    local dir=$1 file
    mkdir -p "$dir/etc" "$dir/bin"
    for file in /usr/sbin/nginx $(ldd /usr/sbin/nginx | grep -o '/[^ ]*'); do
        install -D "$file" "$dir$file"
    done
    install -m 755 "$vm_top/tests-qemu/guest/web" "$dir/bin/web"
    cp "$vm_top/tests-qemu/guest/nginx.conf" "$dir/etc/"
}

# digest FILE: rd.root.digest= of it; site_key: rd.root.key= of the site.
digest() {
    echo "rd.root.digest=sha256:$(sha256sum "$images/tree/web/$1" | cut -d ' ' -f 1)"
}

site_key() {
    echo "rd.root.key=$(sed -n 2p "$images/site.pub")"
}

# assert_image SECONDS FORMAT PROOF [FILES]: the whole of a good boot: every file as it was, a root
# that can be written to, no process left behind.
assert_image() {
    node_booted "$1"
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    assert_eq "$(node_result .files_good)" "${4:-3}" "files checked"
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_clean_handover
    assert_state .root.type image
    assert_state .root.format "$2"
    assert_state .root.proof "$3"
    assert_state '[.phases[].name | select(. == "fetch" or . == "mount")] | @text' \
        '["fetch","mount"]'
}

# assert_overlay FSTYPE: the root is an overlay of memory over a read-only image.
assert_overlay() {
    local line
    for line in ' / / rw.* - overlay LiveOS_rootfs ' \
        " /run/rootfsbase ro.* - $1 /dev/loop[0-9]* ro"; do
        grep -q "$line" "$node_dir/results/mountinfo" || {
            echo "not mounted: $line"
            cat "$node_dir/results/mountinfo"
            return 1
        }
    done
}
