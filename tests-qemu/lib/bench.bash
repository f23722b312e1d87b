# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What make bench is made of: its rows, which of them were asked for, and what a reader of its
# figures has to know of this machine and of the programs. Boots nothing.
#
#   bench_options         reads BENCH=, ONLY=, N=, BOOTS=, MB=; status 2 and a message: a bad one
#   configurations        every row: "root|row|image|CPUs|command line"
#   chosen                those that were asked for and have an image
#   has_rows ROOT         some of this root
#   wanted PART           fetch, chain or icount was asked for
#   estimate FILE         seconds that a round of the chosen rows takes, by published figures
#   about                 a JSON object: commit, versions, machine, programs

all_roots=nfsrdma,nfsrdma_ib,nfs_tcp,http,http_cache,nvme_tcp,nvme_rdma,nbd,disk
all_parts=$all_roots,fetch,chain,icount

quiet="quiet loglevel=4 rd.neednet=1 net.ifnames=0"

# refuse WHAT: a request that cannot be meant.
refuse() {
    echo "bench: $*" >&2
    return 2
}

# number NAME VALUE: a whole one, at least 1.
number() {
    [[ $2 =~ ^[1-9][0-9]*$ ]] || refuse "$1 is a number, 1 or more, not: $2"
}

bench_options() {
    local part list
    rounds=${N:-5} boots=${BOOTS:-20} mb=${MB:-300} only=${ONLY:-.}
    parts=
    number N "$rounds" && number BOOTS "$boots" && number MB "$mb" || return
    [ -z "${BENCH+set}" ] || [ -n "${BENCH//[, ]/}" ] || refuse "BENCH is empty" || return
    read -ra list <<<"$(tr ',' ' ' <<<"${BENCH:-$all_parts}")"
    [ "${#list[@]}" -gt 0 ]
    for part in "${list[@]}"; do
        [[ ,$all_parts, == *,$part,* ]] ||
            refuse "BENCH: no such part: $part (there are ${all_parts//,/ })" || return
        parts+=,$part
    done
    parts=${parts#,}
    grep -qE -- "$only" /dev/null 2>/dev/null || [ $? -eq 1 ] ||
        refuse "ONLY is no regular expression: $only" || return
    wanted fetch || wanted chain || [ -n "$(rows)" ] ||
        refuse "no row of $parts is named like ONLY=$only" || return
}

# wanted PART: fetch, chain or icount.
wanted() {
    [[ ,$parts, == *,$1,* && $1 =~ $only ]]
}

# row ROOT NAME IMAGE CMDLINE; pair: the same with two processors as well.
row() {
    echo "$1|$2|$3|1|$quiet $4"
}

pair() {
    row "$@"
    echo "$1|${2}_smp2|$3|2|$quiet $4"
}

# ours ROOT STANDALONE CMDLINE: the product's images.
ours() {
    pair "$1" standalone "bench/$2.img" "ip=dhcp $3"
    pair "$1" dracut bench/ours-shell.img "ip=dhcp $3"
    pair "$1" dracut_systemd bench/ours-systemd.img "ip=dhcp $3"
}

# script ROOT IMAGE KIND [SUFFIX]: and the floor below it.
script() {
    pair "$1" "busybox_script${4:-}" "$2" "peer=$3"
    pair "$1" "floor${4:-}" script-roots.img "floor=$1${3#"${3%% *}"}"
}

# stock ROOT IMAGES CMDLINE: dracut 059's own ways; IMAGES: empty or -roots.
stock() {
    pair "$1" stock_dracut "bench/stock$2.img" "$3"
    pair "$1" stock_dracut_systemd "bench/stock-systemd$2.img" "$3"
    row "$1" dracut_nm "bench/stock-nm$2.img" "$3"
}

rows_nfsrdma() {
    local lab="lab.rxe rd.driver.post=rdma_rxe,rpcrdma"
    ours nfsrdma agent "$rdma_root $rxe"
    script nfsrdma script.img nfs_rdma
    stock nfsrdma "" "ip=dhcp $rdma_root $lab"
    row nfsrdma dracut_lean bench/ours-lean.img "ip=dhcp $rdma_root $rxe"
    row nfsrdma stock_dracut_lean bench/stock-lean.img "ip=dhcp $rdma_root $lab"
    row nfsrdma dracut_newest bench/ours-newest.img "ip=dhcp $rdma_root $rxe"
    row nfsrdma stock_dracut_newest bench/stock-newest.img "ip=dhcp $rdma_root $lab"
}

rows_nfsrdma_ib() {
    ours nfsrdma_ib agent-softib "$ib_root $hca"
    script nfsrdma_ib script-roots.img nfs_ib
    stock nfsrdma_ib "" \
        "lab.ib $ib_root ip=10.9.0.20::10.9.0.1:255.255.255.0:node:ib0:none"
}

rows_nfs_tcp() {
    local line=root=nfs4:$server_ip:$root_path
    ours nfs_tcp agent "$line:proto=tcp"
    script nfs_tcp script-roots.img nfs_tcp
    stock nfs_tcp "" "ip=dhcp $line"
    row nfs_tcp dracut_newest bench/ours-newest.img "ip=dhcp $line:proto=tcp"
    row nfs_tcp stock_dracut_newest bench/stock-newest.img "ip=dhcp $line"
    row nfs_tcp initramfs_tools bench/irt.img \
        "ip=dhcp boot=nfs root=/dev/nfs nfsroot=$server_ip:$root_path"
}

rows_http() {
    local line=root=live:http://$server_ip/big.squashfs
    ours http agent "$line rd.root.digest=sha256:$big"
    script http script-roots.img "http image=big.squashfs"
    script http script-roots.img "http image=big.squashfs digest=$big" _digest
    stock http -roots "ip=dhcp $line rd.live.overlay.overlayfs=1"
    row http stock_dracut_newest bench/stock-newest-roots.img \
        "ip=dhcp $line rd.live.overlay.overlayfs=1"
    row http live_boot bench/live.img "ip=dhcp boot=live fetch=http://$server_ip/big.squashfs"
}

rows_http_cache() {
    ours http_cache agent-block "root=live:http://$server_ip/big.squashfs \
rd.root.digest=sha256:$big rd.root.cache=LABEL=cache"
    script http_cache script-roots.img "http_cache image=sha256-$big"
    script http_cache script-roots.img "http_cache image=sha256-$big digest=$big" _digest
}

rows_nvme_tcp() {
    local line="ip=dhcp root=/dev/nvme0n1 ro lab.nvme=tcp,4421"
    ours nvme_tcp agent-block "root=nvmf:tcp:$server_ip:4421:$nqn ro"
    script nvme_tcp script-roots.img nvme_tcp
    stock nvme_tcp -roots "$line"
    row nvme_tcp stock_dracut_newest bench/stock-newest-roots.img "$line"
}

rows_nvme_rdma() {
    ours nvme_rdma agent-block "root=nvmf:rdma:$server_ip:4420:$nqn ro $rxe"
    script nvme_rdma script-roots.img nvme_rdma
    stock nvme_rdma -roots "ip=dhcp root=/dev/nvme0n1 ro lab.rxe lab.nvme=rdma,4420"
}

rows_nbd() {
    local line=root=nbd:$server_ip:root
    ours nbd agent-block "$line ro"
    script nbd script-roots.img nbd
    stock nbd -roots "ip=dhcp $line:ext4 ro"
    row nbd stock_dracut_newest bench/stock-newest-roots.img "ip=dhcp $line:ext4 ro"
    row nbd initramfs_tools bench/irt.img \
        "ip=dhcp root=/dev/nbd0 nbdroot=$server_ip,root,nbd0 ro"
}

# What dracut takes of itself, without a network: nothing of ours is at work.
rows_disk() {
    local quiet=${quiet/rd.neednet=1/}
    row disk dracut bench/ours-shell.img "root=LABEL=lroot ro"
    row disk dracut_systemd bench/ours-systemd.img "root=LABEL=lroot ro"
}

configurations() {
    local root
    for root in ${all_roots//,/ }; do
        "rows_$root"
    done
}

# why_not ROOT.ROW REASON...
why_not() {
    echo "$1|${*:2}"
}

# What cannot be measured, and why: "root.row|reason".
bench_absent() {
    local root row image reason=$LAB/suites/sid/absent
    why_not http_cache.stock_dracut "no peer keeps an image on a disk: dracut's livenet and" \
        "live-boot fetch it each time"
    why_not nfsrdma.initramfs_tools "klibc's nfsmount has TCP and UDP only"
    why_not nfsrdma_ib.initramfs_tools "klibc's nfsmount has TCP and UDP only, its ipconfig no" \
        "InfiniBand"
    why_not nvme_tcp.initramfs_tools "Debian 12 has no script for NVMe over Fabrics"
    why_not nvme_rdma.initramfs_tools "Debian 12 has no script for NVMe over Fabrics"
    why_not nfs_tcp.live_boot "boots squashfs images only"
    why_not nfs_tcp.dracut_networkd "dracut 059's systemd-networkd module runs no online hooks" \
        "and never mounts a network root; the newest one's does (stock_dracut_newest)"
    # unchecked: as rows
    rows | while IFS='|' read -r root row image _; do
        [ -e "$LAB/$image" ] || echo "$root.$row|$(cat "$reason" 2>/dev/null ||
            echo "there is no $image: make lab-bench")"
    done
}

# rows: those that were asked for; chosen: which can be booted.
rows() {
    local root row rest
    # unchecked: a selection may have none, which bench_options refuses
    configurations | while IFS='|' read -r root row rest; do
        [[ ,$parts, == *,$root,* && $root.$row =~ $only ]] && echo "$root|$row|$rest"
    done
    return 0
}

chosen() {
    local root row image rest
    # unchecked: as rows
    rows | while IFS='|' read -r root row image rest; do
        [ -e "$LAB/$image" ] && echo "$root|$row|$image|$rest"
    done
    return 0
}

has_rows() {
    [ "$(chosen | grep -c "^$1|")" -gt 0 ]
}

# packed_alike: every chosen image is zstd's (RFC 8878, 3.1.1): what the kernel takes to unpack
# another one, and what that leaves in its memory, would be part of a comparison.
packed_alike() {
    local image images magic
    mapfile -t images < <(chosen | cut -d '|' -f 3 | sort -u)
    # unchecked: fetch and chain have none
    for image in "${images[@]}"; do
        magic=$(head -c 4 "$LAB/$image" | od -An -tx1)
        [ "$magic" = " 28 b5 2f fd" ] ||
            refuse "$image is not packed by zstd, as all others are" || return
    done
}

# estimate FILE: wall_s where a run had it; else what is published of the row, or of the same row of
# another root, with the seconds that QEMU, the checks and the end take; half a minute if nothing.
estimate() {
    chosen | cut -d '|' -f 1,2 | jq -Rn --slurpfile was "$1" '
        def boot($key): $was[0] as $w | $w["\($key).wall_s"].median //
            ($w["\($key)_s"].median as $s | $w["\($key).before_pid1_s"].median as $b |
                if $s and $b then $s + $b + 5 else null end);
        [inputs | split("|") | . as [$root, $row] |
            ($row | rtrimstr("_smp2")) as $one |
            boot("\($root).\($row)") // boot("\($root).\($one)") // boot("nfs_tcp.\($row)") //
            boot("nfs_tcp.\($one)") // (if $row | test("^floor") then
                boot("\($root).busybox_script") else null end) // 30] | add // 0 | ceil'
}

# --- what a reader has to know -------------------------------------------------------------------

# changed_by FILE...: the commit that last changed them, and "+" if they are changed since.
changed_by() {
    (
        cd "$vm_top" || return
        git log -1 --format=%h -- "$@" 2>/dev/null || echo unknown
        git diff --quiet HEAD -- "$@" 2>/dev/null || echo +
    ) | tr -d '\n'
}

# program NAME ABOUT FILE...: which program a row's figures are of.
program() {
    local name=$1 about=$2
    shift 2
    jq -n --arg name "$name" --arg about "$about" --arg commit "$(changed_by "$@")" \
        '{($name): {about: $about, commit: $commit}}'
}

programs() {
    local guest=tests-qemu/guest
    program standalone "the product alone, as initagent-mkimage makes the image" initagent dracut
    program dracut "the product in dracut's image" initagent dracut
    program floor "what the kernel alone takes: modules up to 8 at a time, DHCP in four messages, \
port, mount; floor_digest: an image's SHA-256 as well" $guest/floor{,load,lease,pour}.c
    program busybox_script "the shortest script that boots: no error handled, nothing verified; \
busybox_script_digest: an image's SHA-256" $guest/script-init
    program stock_dracut "dracut's own modules, with scripts that make the RDMA link, wait for the \
port, connect NVMe" $guest/stock-modules
    program marks "the clock: bootmark before /init, finalinit as the real init" \
        $guest/bootmark.c $guest/finalinit.c
    program lab "the images" tests-qemu/lab
}

# version NAME TEXT
version() {
    jq -n --arg name "$1" --arg text "$2" '{($name): ($text | gsub("^\\s+|\\s+$"; ""))}'
}

# packages NAME...: as the lab's Debian has them.
packages() {
    local name
    for name; do
        version "$name" "$(dpkg-query --admindir="$LAB/root/var/lib/dpkg" -W \
            -f '${Version}' "$name" 2>/dev/null || true)"
    done
}

# host_versions: programs of this machine that take part.
host_versions() {
    version qemu "$(qemu-system-x86_64 --version | sed -n '1s/.*version //p')"
    version nginx "$(nginx -v 2>&1 | sed 's,.*/,,')"
    version nbd-server "$(dpkg-query -W -f '${Version}' nbd-server 2>/dev/null || true)"
    version curl "$(curl --version | sed -n '1s/^curl \([^ ]*\).*/\1/p')"
    version openssl "$(openssl version)"
    version host_kernel "$(uname -r)"
}

versions() {
    local name text
    version kernel "$(<"$LAB/kver")"
    packages busybox-static opensm dnsmasq-base nfs-kernel-server dracut-core systemd
    host_versions
    # unchecked: what is not recorded shows in bench.json
    cat "$LAB"/bench/*.versions 2>/dev/null | while read -r name text; do
        [ "$name" != systemd ] || name=systemd_newest
        version "$name" "$text"
    done
    version dracut_newest "$(sed -n 's/.*, dracut //p' "$LAB/bench/stock-newest.img.about" \
        2>/dev/null || true)"
}

# images: what each of dracut's and initramfs-tools' is, and how many drivers are in it.
images() {
    local file
    for file in "$LAB"/bench/*.img "$LAB"/script{,-roots}.img; do
        [ -e "$file" ] || continue
        jq -n --arg name "$(basename "$file" .img)" --argjson drivers "$(image_drivers "$file")" \
            --arg about "$(cat "$file.about" 2>/dev/null || true)" \
            --argjson bytes "$(stat -c %s "$file")" \
            '{($name): ({about: $about, drivers: $drivers, bytes: $bytes} | del(.[] |
                select(. == "")))}'
    done
}

image_drivers() {
    zstd -dcq "$1" 2>/dev/null | cpio --quiet -t 2>/dev/null |
        awk '/\.ko(\.[a-z]+)?$/ { n++ } END { print n + 0 }'
}

absent() {
    bench_absent | jq -R 'split("|") | {(.[0]): .[1]}'
}

machine() {
    jq -n --arg cpu "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" \
        --argjson cpus "$(nproc)" --arg accel "$(vm_accel)" --arg node "${VM_CPU:-}" \
        --argjson kb "$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)" \
        '{cpu: $cpu, cpus: $cpus, memory_kb: $kb, accel: $accel, node_cpu: $node}'
}

about() {
    jq -n --arg date "$(date -u +%Y-%m-%dT%H:%MZ)" --argjson rounds "$rounds" \
        --argjson boots "$boots" --argjson mb "$mb" --arg parts "$parts" --arg only "$only" \
        --arg commit "$(changed_by .)" --argjson machine "$(machine)" \
        --argjson versions "$(versions | jq -s add)" --argjson images "$(images | jq -s add)" \
        --argjson programs "$(programs | jq -s add)" --argjson absent "$(absent | jq -s add)" \
        '{date: $date, commit: $commit, rounds: $rounds, boots: $boots, parts: $parts, only: $only,
            image_mb: $mb, packed: "zstd -3", machine: $machine, versions: $versions,
            programs: $programs, images: $images, absent: $absent}'
}
