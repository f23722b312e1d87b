# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the scenarios from power-on share: a site file, the trees initagent-site made of it, served
# by the server VM's nginx and dnsmasq as they were rendered, and nodes that start with their
# firmware instead of a kernel.
#
#   chain_sites DIR          the sites of these scenarios; makes DIR/chain.cpio for SERVER_EXTRA
#   chain_serve NAME         the server's web and DHCP server with the rendered files of site NAME
#   chain_power bios|uefi|pxe|sealed N  switches node N on, uefi: HTTP Boot, pxe: UEFI with PXE,
#                            sealed: HTTP Boot with Secure Boot; sets $node_dir

# shellcheck source=tests-qemu/lib/web.bash
source "${BASH_SOURCE[0]%/*}/web.bash"

chain_tool=$vm_build/initagent-site
chain_trees=/srv/initagent
ovmf=/usr/share/OVMF

# chain_file NAME SERVERS HTTP-BOOT SIGNED UKI: web0 is a server that is down.
chain_file() {
    cat <<EOT
site: $1
tree: $chain_trees/$1
servers:
  web0: {address: 10.99.0.9}
  web1: {address: $server_ip}
networks:
  eth:
    fabric: ethernet
    subnet: 10.99.0.0/24
    pool: 10.99.0.100-10.99.0.199
    interface: eth0
    dhcp: [web1]
    dns: [$server_ip]
boot:
  servers: [$2]
  tries: 1
  wait: 1
  script-timeout: 2
  reboot-after: 1
  menu-wait-ms: 100
  http-boot: $3
loaders:
  efi-x64: $images/ipxe.efi
images:
  stable: {kernel: $images/vmlinuz, initrd: $images/node.img, uki: $images/$5.efi, signed: $4}
defaults:
  image: stable
  options: [console=ttyS0, $vm_kernel, loglevel=4, panic=-1, printk.devkmsg=on, rd.retry=60,
    rd.emergency=reboot]
groups:
  compute:
    root: "nfs:{web1}:$root_path:vers=4.2,proto=rdma,port=20049"
    options: ["$rxe"]
  image:
    root: "live:http://{web1}/files/root.squashfs"
    options: [$(digest root.squashfs)]
files:
  root.squashfs: $images/tree/web/root.squashfs
nodes:
  n1: {mac: 52:54:00:99:00:41, address: 10.99.0.51, groups: compute}
  n2: {mac: 52:54:00:99:00:42, address: 10.99.0.52, groups: image}
EOT
}

# chain_site NAME SERVERS [HTTP-BOOT [SIGNED [UKI]]]
chain_site() {
    chain_file "$1" "$2" "${3:-loader}" "${4:-off}" "${5:-node}" >"$images/$1.yaml"
    "$chain_tool" -f "$images/$1.yaml" check
    mkdir -p "$images/root$chain_trees"
    "$chain_tool" -f "$images/$1.yaml" render "$images/root$chain_trees/$1"
}

# Signed by the key that a variable store of Debian's OVMF, made for tests, trusts.
chain_uki() {
    local key=/usr/share/ovmf/PkKek-1-snakeoil
    openssl rsa -in "$key.key" -passin pass:snakeoil -out "$images/sb.key" 2>/dev/null
    "$vm_build/initagent-mkimage" --agent "$vm_build/initagent" \
        --busybox "$vm_build/busybox" --root "$LAB/root" --kver "$(<"$LAB/kver")" --level 1 \
        --format uki --sb-key "$images/sb.key" --sb-cert "$key.pem" --out "$images/node.efi" \
        --cmdline "console=ttyS0 $vm_kernel panic=-1 $console $rdma_root ip=dhcp rd.neednet=1 $rxe"
    chmod 644 "$images/node.efi"
}

# The root lies beside the unified kernel image, whose stub, of systemd 258 or later, says where
# that came from. Nothing of it if the mirror has no such systemd.
chain_beside() {
    local stub=$LAB/suites/sid/root/usr/lib/systemd/boot/efi/linuxx64.efi.stub http
    [ -e "$stub" ] || return 0
    "$vm_build/initagent-mkimage" --agent "$vm_build/initagent" \
        --busybox "$vm_build/busybox" --root "$LAB/root" --kver "$(<"$LAB/kver")" --level 1 \
        --format uki --stub "$stub" --out "$images/beside.efi" \
        --cmdline "console=ttyS0 $vm_kernel panic=-1 $console ip=dhcp \
rd.systemd.pull=raw,machine,verify=checksum,blockdev,bootorigin:rootdisk:root.raw \
root=/dev/disk/by-loop-ref/rootdisk.raw rd.retry=60 $reboot"
    chmod 644 "$images/beside.efi"
    chain_site beside web1 stable off beside
    http=$images/root$chain_trees/beside/http/images/stable
    cp "$images/tree/web/root.squashfs" "$http/root.raw"
    (cd "$http" && sha256sum root.raw >SHA256SUMS)
}

chain_sites() {
    export images=$1
    mkdir -p "$images/tree/web"
    mksquashfs "$LAB/export/root" "$images/tree/web/root.squashfs" \
        -quiet -no-progress -all-root -noappend >/dev/null
    cp /usr/lib/ipxe/snponly.efi "$images/ipxe.efi"
    cp "$LAB/vmlinuz" "$images/vmlinuz"
    cp "$LAB/agent.img" "$images/node.img"
    # their contents are not looked at: the iPXE at hand cannot
    echo | tee "$images/vmlinuz.sig" >"$images/node.img.sig"
    chain_uki
    chain_site good web1
    chain_site dead web0,web1
    chain_site whole web1 stable
    # signed, but one byte of the kernel changed afterwards
    printf 'x' | dd of="$images/node.efi" bs=1 seek=4000000 conv=notrunc status=none
    chain_site forged web1 stable
    chain_site strict web1 loader require
    chain_beside
    web_server "$images/root"
    mkdir -p "$images/root/var/lib/misc"
    # the users that nginx and dnsmasq change to
    printf '%s:x:33:33::/:/bin/false\n' www-data dnsmasq nobody |
        cat "$LAB/server/etc/passwd" - >"$images/root/etc/passwd"
    printf '%s:x:33:\n' www-data dip | cat "$LAB/server/etc/group" - >"$images/root/etc/group"
    (cd "$images/root" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$images/chain.cpio"
}

chain_serve() {
    server site start "$chain_trees/$1" web1
}

# The firmware, its console on the serial port. OVMF is told to try HTTP or PXE alone: with a DHCP
# server that answers both it would try PXE first.
chain_firmware() {
    local pxe=n
    case $1 in
    bios) echo "-machine pc,graphics=off -device virtio-net-pci,netdev=n0,mac=$2,bootindex=1" ;;
    uefi | pxe | sealed)
        [ "$1" != pxe ] || pxe=y
        cp "$ovmf/OVMF_VARS_4M$([ "$1" != sealed ] || echo .snakeoil).fd" "$node_dir/vars.fd"
        echo "-machine q35,graphics=off -device virtio-net-pci,netdev=n0,mac=$2,romfile=,bootindex=1
            -drive if=pflash,format=raw,unit=0,readonly=on,file=$ovmf/OVMF_CODE_4M.fd
            -drive if=pflash,format=raw,unit=1,file=$node_dir/vars.fd
            -fw_cfg name=opt/org.tianocore/IPv4PXESupport,string=$pxe
            -fw_cfg name=opt/org.tianocore/IPv6PXESupport,string=n
            -fw_cfg name=opt/org.tianocore/IPv6Support,string=n"
        ;;
    esac
}

chain_power() {
    local accel firmware
    node_dir=$vm_logs/$NODE_NAME
    rm -rf "$node_dir"
    mkdir -p "$node_dir"
    read -ra accel < <(vm_accel_args "")
    read -rd '' -a firmware < <(chain_firmware "$1" "52:54:00:99:00:4$2") || true
    vm_firmware "$node_dir" "$NODE_SECONDS" "${accel[@]}" -m "$NODE_MEM" -vga none \
        -serial "file:$node_dir/results.tar" "${firmware[@]}" \
        -netdev "$(vm_link 0 off),id=n0"
    node_pid=$vm_pid
}

# chain_stages NUMBER...: the stages that iPXE went through, in that order.
chain_stages() {
    local got
    got=$(grep -ao 'initagent \[[0-9] [a-z]*\]' "$node_dir/console.log" | grep -o '[0-9]' | uniq |
        paste -sd ' ')
    assert_eq "$got" "$*" "stages"
}
