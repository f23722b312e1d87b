#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The same agent as a dracut module, with and without systemd in the initramfs.
# first: boots of dracut

# shellcheck disable=SC2154,SC2034 # the variables are shared with it
load lib/collector

setup_file() {
    vm_begin dracut
    collector_cpio "$BATS_FILE_TMPDIR/collector.cpio"
    SERVER_EXTRA=$BATS_FILE_TMPDIR/collector.cpio server_start >/dev/null
    collector_start
}

@test "every hook of dracut's that configures a network or mounts a network root is known" {
    local dir=$LAB/root/usr/lib/dracut/modules.d module name n=0
    # These act on root= alone, which is no longer theirs, on options that name another disk, or
    # after the boot.
    local others=" parse-livenet fetch-liveupdate parse-iscsiroot parse-cifsroot lldpad
        parse-fcoe parse-nvmf-boot-connections
        cleanup-iscsi cleanup-fcoe stop-fcoe kill-dhclient nfsroot-cleanup "
    for module in 40network 35network-legacy 35network-manager 35connman 95nfs 95nbd 95iscsi \
        95cifs 95fcoe 95nvmf 90livenet; do
        # unchecked: counted over all modules
        # shellcheck disable=SC2013 # words, one a line
        for name in $(sed -n 's/.*inst_hook .*\/\([a-z-]*\)\.sh".*/\1/p' \
            "$dir/$module/module-setup.sh"); do
            n=$((n + 1))
            [[ $others =~ [[:space:]]${name}[[:space:]] ]] ||
                grep -qw -e "$name" dracut/70initagent/initagent-claim.sh || {
                echo "$module: not emptied: $name"
                return 1
            }
        done
    done
    [ "$n" -ge 28 ]
}

@test "every Ethernet driver in the image has its RDMA driver with it" {
    local names row rows n=0
    names=" $(cpio -t --quiet <"$LAB/agent-systemd.img" |
        sed -n 's,.*/\([^/]*\)\.ko.*,\1,p' | paste -sd ' ') "
    mapfile -t rows < <(sed -n 's/^\t{"\(.*\)", "\(.*\)", COMPANION_AFTER,.*/\1 \2/p' \
        initagent/modules/companions.c)
    [ "${#rows[@]}" -ge 8 ]
    for row in "${rows[@]}"; do
        [[ $names == *" ${row% *} "* && " $(kernel_modules) " == *" ${row#* } "* ]] || continue
        n=$((n + 1))
        [[ $names == *" ${row#* } "* ]] || {
            echo "${row% *} without ${row#* }"
            return 1
        }
    done
    [ "$n" -ge 8 ]
}

# The names of all modules of the lab's kernel.
kernel_modules() {
    sed -n 's,.*/\([^/:]*\)\.ko:.*,\1,p' "$LAB/root/lib/modules/$(<"$LAB/kver")/modules.dep" |
        paste -sd ' '
}

# dracut's udev renames interfaces; the plan names eth0
dracut_console="$console net.ifnames=0"

boot_flavour() {
    node_start "$LAB/agent-$1.img" "$dracut_console $rdma_root ip=dhcp rd.neednet=1 $rxe ${*:2}"
    assert_boot 150 4.2 rdma
}

# Killed between two events, the agent is started again, finds what is up and does not start over.
killed_at() {
    boot_flavour "$1" "bootmark.kill=$2" "${@:3}"
    assert_killed "$2"
}

# A site's modprobe.d, laid over the image, and the command line. The second adapter's driver is one
# that the cold plug would load.
configured() {
    NODE_EXTRA=$BATS_TEST_TMPDIR/modprobe.cpio
    NODE_SPARE=e1000
    modprobe_d "$NODE_EXTRA" 'options ib_ipoib send_queue_size=256' 'blacklist erofs' \
        'softdep rdma_ucm pre: ib_umad'
    boot_flavour "$1" ib_ipoib.recv_queue_size=512 rd.driver.blacklist=e1000 rd.retry=160s \
        rd.driver.post=ib_ipoib,rdma_ucm,fs-erofs
    assert_state .root.proto rdma
    assert_parameters send_queue_size 256 recv_queue_size 512
    assert_module ib_umad
    run -1 grep -E '^(erofs|e1000) ' "$node_dir/results/modules"
    assert_state '[.causes[] | [.code, .where]] | @text' '[["IA-E206","fs_erofs"]]'
    assert_console 'initagent: cmdline: rd.retry: read as 160'
}

@test "shell flavour: NFSoRDMA 4.2 with DHCP; modprobe.d, blacklists, rd.retry with a unit" {
    configured shell
}

@test "systemd flavour: NFSoRDMA 4.2 with DHCP; modprobe.d, blacklists, rd.retry with a unit" {
    configured systemd
}

# late_dhcp [REGEX]: the DHCP server comes when the node has said (REGEX) that there is none.
late_dhcp() {
    node_wait 120 "${1:-IA-E501}"
    refute_within 3 'reboot: |Switching root|mounted, NFS'
    server dhcp start
    assert_boot 150 4.2 rdma
    assert_state '[.work[].what | select(startswith("DHCP packet"))] | length > 1' true
}

@test "systemd flavour: udev is free to rename the interface, the DHCP server is late" {
    server dhcp stop
    # rd.neednet=0 takes nothing from a root that needs it, as in dracut
    node_start "$LAB/agent-systemd.img" "$console $rdma_root ip=dhcp rd.neednet=0 $rxe"
    late_dhcp ' s of 180 s, IA-E501'
}

# systemd's own writable layer is made when the root is there, not before.
@test "systemd flavour: systemd.volatile=overlay over a root that comes late" {
    server dhcp stop
    node_start "$LAB/agent-systemd.img" "$console $rdma_root ip=dhcp $rxe systemd.volatile=overlay"
    node_wait 120 IA-E501
    server dhcp start
    node_booted 150
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_state '.root | .type' nfs
}

@test "shell flavour: the admin's recipe, the DHCP server is late" {
    server dhcp stop
    node_start "$LAB/agent-shell.img" "$dracut_console $rdma_root ip=dhcp rd.neednet=1 $rxe \
rd.driver.post=mlx5_ib,ib_ipoib,ib_umad,rdma_ucm rd.timeout=0 rd.retry=160 \
rd.driver.pre=rdma_cm,no_such_pre rd.driver.pre=nfsv3"
    late_dhcp
    grep -q "^ib_ipoib " "$node_dir/results/modules"
    assert_driver_order rdma_cm,nfsv3 mlx5_ib,ib_ipoib,ib_umad,rdma_ucm
    assert_state '[.causes[] | select(.code == "IA-E201") | .where] | @text' '["no_such_pre"]'
}

# logged_us REGEX: when the kernel's log got that line, in microseconds of the node's uptime
logged_us() {
    sed -nE "s/^[0-9]+,[0-9]+,([0-9]+),[^;]*;.*$1.*/\\1/p" "$node_dir/results/kmsg" | tail -n 1
}

# One collector is dead: its sender tries for 9 s. systemd asks it to end, and neither waits for
# that nor gets it.
@test "systemd flavour: the admin's recipe; collectors get reports, and the boot does not wait" {
    local leaving switching sent kernel
    boot_flavour systemd rd.driver.post=mlx5_ib,ib_ipoib,ib_umad,rdma_ucm rd.timeout=0 \
        rd.retry=160 rd.driver.pre=rdma_cm,no_such_pre rd.driver.pre=nfsv3 \
        hostname=n19 "$told" rd.report=http://10.99.0.99/ finalinit=settle systemd.log_target=kmsg
    grep -q "^ib_ipoib " "$node_dir/results/modules"
    assert_driver_order rdma_cm,nfsv3 mlx5_ib,ib_ipoib,ib_umad,rdma_ucm
    assert_state '[.causes[] | select(.code == "IA-E201") | .where] | @text' '["no_such_pre"]'
    told n19 'done' | jq -e '.text | startswith("the root is mounted after ")'
    told_state n19 | jq -e '.outcome == "done" and .root.proto == "rdma"'
    leaving=$(logged_us 'Starting initrd-cleanup.service')
    switching=$(logged_us 'Switching root')
    sent=$(logged_us 'report to http:..10.99.0.99.: not stored')
    # what the machine took for another step, which is some five times as long
    kernel=$(logged_us 'Freeing unused kernel image .initmem')
    echo "leaving at $leaving us, switching at $switching us, sender's end at $sent us," \
        "the kernel's at $kernel us" | tee -a "$vm_logs/senders"
    [ -n "$leaving" ]
    [ -n "$switching" ]
    [ -n "$sent" ]
    [ -n "$kernel" ]
    # on a slow machine it may end just then
    [ "$sent" -lt "$leaving" ] || [ "$sent" -gt "$switching" ] ||
        [ $((switching - leaving)) -lt $((kernel > 3000000 ? kernel : 3000000)) ]
}

@test "shell flavour: killed while DHCP runs and again before the mount; malformed limits" {
    # shellcheck disable=SC2086 # a list of words
    killed_at shell link,addr $malformed
    assert_malformed
}

@test "systemd flavour: killed while DHCP runs and again before the mount" {
    killed_at systemd link,addr
}

@test "systemd flavour: killed right after the mount; malformed limits" {
    # shellcheck disable=SC2086 # a list of words
    killed_at systemd mount $malformed
    assert_malformed
}

@test "shell flavour: rd.retry with a unit ends the wait before rd.timeout; reboot as asked" {
    server dhcp stop
    node_start "$LAB/agent-shell.img" "$dracut_console $rdma_root ip=dhcp $rxe rd.retry=8s \
rd.timeout=60 rd.shell=0 rd.emergency=reboot"
    assert_failed 200 IA-E703 restart
}

@test "shell flavour: rd.retry=0 is no limit, rd.timeout ends the boot" {
    server dhcp stop
    node_start "$LAB/agent-shell.img" "$dracut_console $rdma_root ip=dhcp $rxe rd.retry=0 \
rd.timeout=8 rd.shell=0 rd.emergency=reboot"
    assert_failed 120 IA-E704 restart
}

@test "systemd flavour: rd.retry with a unit ends the wait before rd.timeout; reboot as asked" {
    server dhcp stop
    node_start "$LAB/agent-systemd.img" "$dracut_console $rdma_root ip=dhcp $rxe rd.retry=8s \
rd.timeout=60 rd.shell=0 rd.emergency=reboot"
    assert_failed 200 IA-E703 restart
}

# The cause is on the console by the agent's own hand.
@test "systemd flavour: rd.retry=0 is no limit, rd.timeout ends the boot; journald stands still" {
    local dir=$BATS_TEST_TMPDIR/still/etc/systemd/system/initagent.service.d
    mkdir -p "$dir"
    printf '[Service]\nExecStartPre=/bin/systemctl kill -s STOP systemd-journald\n' \
        >"$dir/still.conf"
    NODE_EXTRA=$BATS_TEST_TMPDIR/still.cpio
    (cd "$BATS_TEST_TMPDIR/still" && find . | cpio --quiet -o -H newc -R 0:0) >"$NODE_EXTRA"
    server dhcp stop
    node_start "$LAB/agent-systemd.img" "$dracut_console $rdma_root ip=dhcp $rxe rd.retry=0 \
rd.timeout=20 rd.shell=0 rd.emergency=reboot"
    assert_failed 120 IA-E704 restart
    assert_console 'initagent: eth0: no DHCP answer yet, 1 request'
}

# rescued FLAVOUR: a node that finds no DHCP server within rd.retry.
rescued() {
    server dhcp stop
    NODE_TALK=1
    node_start "$LAB/agent-$1.img" "$dracut_console $rdma_root ip=dhcp $rxe rd.retry=20"
}

@test "shell flavour: the rescue shell is left by exit once the DHCP server is back" {
    rescued shell
    assert_rescued
}

# sulogin asks for Enter before it starts the shell
@test "systemd flavour: the rescue shell is left by exit once the DHCP server is back" {
    rescued systemd
    "$vmctl" see 150 "$node_dir/console.log" 'Press Enter for maintenance' "$node_pid" >/dev/null
    echo >"$node_dir/talk.in"
    assert_rescued
}

# local_disk: the node gets a disk with a root on it.
local_disk() {
    NODE_DISK=$vm_logs/local.ext4
    [ -s "$NODE_DISK" ] || {
        truncate -s 64M "$NODE_DISK"
        mkfs.ext4 -q -L lroot -U 6a8c1f3e-0001-4a5b-9c3d-5e6f70819aab -d "$LAB/export/root" \
            "$NODE_DISK"
    }
}

# A root on a disk of the node, which is dracut's, and the network beside it. late, if not empty:
# the DHCP server comes when the disk is mounted, so that nothing but our wait holds the boot.
local_root() {
    local late=${late:-}
    local_disk
    [ -z "$late" ] || server dhcp stop
    node_start "$1" "$dracut_console ip=${asked:-dhcp} ${late:+loglevel=7} ${*:2}"
    [ -z "$late" ] || {
        node_wait 120 ' s of 180 s, IA-E501' >/dev/null
        node_wait 60 'EXT4-fs \(vda\): mounted' >/dev/null
        server dhcp start
    }
    node_booted 150
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    grep -q '^[^-]* / / [^-]* - ext4 ' "$node_dir/results/mountinfo"
}

# assert_network: up, with its lease, and handed over, when the real root's init began.
assert_network() {
    assert_clean_handover
    assert_state '.rails[0] | "\(.netdev) \(.address) \(.state)"' "eth0 10.99.0.199/24 ready"
    grep -q '10.99.0.199' "$node_dir/results/fib_trie"
    grep -q 'nameserver' "$node_dir/results/resolv.conf"
    grep -q '^\[Match\]' "$node_dir/results/eth0.network"
}

@test "shell flavour: rd.neednet=1 beside a root on a disk; without it nothing is done" {
    late=1 local_root "$LAB/agent-shell.img" root=LABEL=lroot rd.neednet=1 rd.handover=networkd
    assert_network
    # the same node: ip= alone is no reason
    local_root "$LAB/agent-shell.img" root=LABEL=lroot
    [ ! -e "$node_dir/results/run" ]
}

# behind_target TARGET FOLDER: a unit of a site's, in FOLDER of an initramfs, that is ordered after
# TARGET and says which interfaces are up.
behind_target() {
    local units=$2/etc/systemd/system
    mkdir -p "$units/initrd.target.wants"
    cat >"$units/lab-$1.service" <<END
[Unit]
DefaultDependencies=no
After=$1
Wants=$1
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo "lab: $1: \$(cat /run/initagent/online)" >/dev/kmsg'
END
    ln -s "../lab-$1.service" "$units/initrd.target.wants/"
}

# pack FOLDER: an archive that the node gets beside its initramfs.
pack() {
    NODE_EXTRA=$1.cpio
    (cd "$1" && find . -mindepth 1 | sort | cpio --quiet -o -H newc) >"$NODE_EXTRA"
}

@test "systemd flavour: rd.neednet=1 beside a root on a disk; without it nothing is done" {
    behind_target remote-fs-pre.target "$BATS_TEST_TMPDIR/site"
    pack "$BATS_TEST_TMPDIR/site"
    late=1 local_root "$LAB/agent-systemd.img" root=UUID=6a8c1f3e-0001-4a5b-9c3d-5e6f70819aab \
        rd.neednet=1 rd.handover=networkd
    assert_network
    assert_console 'lab: remote-fs-pre.target: eth0'
    local_root "$LAB/agent-systemd.img" root=/dev/vda
    [ ! -e "$node_dir/results/run" ]
}

# online_hooks: what a site's dracut module brings, as for a key that a server of the network has: a
# hook of initqueue/online, without which there is no disk, and a unit after network-online.target.
online_hooks() {
    local dir=$BATS_TEST_TMPDIR/online hooks=usr/lib/dracut/hooks/initqueue/online
    mkdir -p "$dir/$hooks"
    cat >"$dir/$hooks/50-lab.sh" <<'END'
echo "lab: hook of $1, $(sed -n 's/^nameserver //p' /etc/resolv.conf)" >/dev/kmsg
modprobe virtio_blk
END
    behind_target network-online.target "$dir"
    pack "$dir"
}

@test "initqueue/online and network-online.target: a root that needs the network first" {
    local flavour
    online_hooks
    for flavour in shell systemd; do
        # the interface by udev's name, whether udev or the agent is first
        asked=ens2:dhcp local_root "$LAB/agent-$flavour.img" root=LABEL=lroot rd.neednet=1 \
            loglevel=7 net.ifnames=1 rd.driver.blacklist=virtio_blk
        assert_clean_handover
        assert_state '.rails[0] | "\(.netdev) \(.address)"' "ens2 10.99.0.199/24"
        assert_eq "$(grep -c 'lab: hook of ens2, 10.99.0.1' "$node_dir/console.log")" 1 \
            "hooks that ran"
    done
    assert_console 'lab: network-online.target: ens2'
}

# no_network_beside_disk FLAVOUR SECONDS: the disk is there, and the network does not come.
no_network_beside_disk() {
    local_disk
    server dhcp stop
    node_start "$LAB/agent-$1.img" "$dracut_console ip=dhcp root=LABEL=lroot rd.neednet=1 \
rd.retry=$2 rd.timeout=0 rd.shell=0 rd.emergency=reboot loglevel=7"
    assert_failed 200 IA-E703 restart
}

@test "shell flavour: rd.retry ends the wait for the network beside a root on a disk" {
    no_network_beside_disk shell 8
}

@test "systemd flavour: rd.retry ends the wait for the network beside a root on a disk" {
    # the root is mounted by then, and the switch to it is queued
    no_network_beside_disk systemd 25
}

@test "stand-alone image: rd.neednet=1 beside a root on a disk" {
    local_root "$LAB/agent-block.img" root=LABEL=lroot rd.neednet=1 rd.handover=networkd
    assert_network
    assert_state '.root | "\(.type) \(.device) \(.name)"' "local vda LABEL=lroot"
}

@test "stand-alone image: killed while DHCP runs, before and after the mount" {
    node_start "$image" \
        "$console $rdma_root ip=dhcp rd.neednet=1 $rxe bootmark.kill=link,addr,mount"
    assert_boot 90 4.2 rdma
    assert_killed link,addr,mount
}

@test "a modprobe that cannot run is kept from the kernel; the real root has its own" {
    local dir=$BATS_TEST_TMPDIR/broken
    mkdir -p "$dir/sbin"
    : >"$dir/sbin/modprobe"
    NODE_EXTRA=$dir.cpio
    (cd "$dir" && printf '%s\n' sbin sbin/modprobe | cpio --quiet -o -H newc) >"$NODE_EXTRA"
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe bootmark.kill=link,addr"
    assert_boot 120 4.2 rdma
    assert_killed link,addr
    assert_eq "$(<"$node_dir/results/modprobe")" /sbin/modprobe kernel.modprobe
}
