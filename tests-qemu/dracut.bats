#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The same agent as a dracut module, with and without systemd in the initramfs.
# first: boots of dracut

# shellcheck disable=SC2154 # the variables are from there
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

# dracut's udev renames interfaces; the plan names eth0
dracut_console="$console net.ifnames=0"

boot_flavour() {
    node_start "$LAB/agent-$1.img" "$dracut_console $rdma_root ip=dhcp rd.neednet=1 $rxe ${*:2}"
    assert_boot 150 4.2 rdma
}

# Killed between two events, the agent is started again, finds what is up and does not start over.
killed_at() {
    boot_flavour "$1" "bootmark.kill=$2"
    assert_killed "$2"
}

@test "shell flavour: NFSoRDMA 4.2 with DHCP" {
    boot_flavour shell
    assert_state .root.proto rdma
}

@test "systemd flavour: NFSoRDMA 4.2 with DHCP" {
    boot_flavour systemd
    assert_state .root.proto rdma
}

# late_dhcp: the DHCP server comes when the node has said that there is none.
late_dhcp() {
    node_wait 120 'IA-E501'
    refute_within 3 'reboot: |Switching root|mounted, NFS'
    server dhcp start
    assert_boot 150 4.2 rdma
    assert_state '[.work[].what | select(startswith("DHCP packet"))] | length > 1' true
}

@test "systemd flavour: udev is free to rename the interface, the DHCP server is late" {
    server dhcp stop
    node_start "$LAB/agent-systemd.img" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe"
    late_dhcp
}

@test "shell flavour: the admin's recipe, the DHCP server is late" {
    server dhcp stop
    node_start "$LAB/agent-shell.img" "$dracut_console $rdma_root ip=dhcp rd.neednet=1 $rxe \
rd.driver.post=mlx5_ib,ib_ipoib,ib_umad,rdma_ucm rd.timeout=0 rd.retry=160"
    late_dhcp
    grep -q "^ib_ipoib " "$node_dir/results/modules"
}

@test "systemd flavour: the admin's recipe; collectors get reports, and the boot does not wait" {
    local leaving switching sent
    boot_flavour systemd rd.driver.post=mlx5_ib,ib_ipoib,ib_umad,rdma_ucm rd.timeout=0 \
        rd.retry=160 \
        hostname=n19 "$told" rd.report=http://10.99.0.99/ finalinit=settle systemd.log_target=kmsg
    grep -q "^ib_ipoib " "$node_dir/results/modules"
    told n19 'done' | jq -e '.text | startswith("the root is mounted after ")'
    told_state n19 | jq -e '.outcome == "done" and .root.proto == "rdma"'
    leaving=$(logged_us 'Starting initrd-cleanup.service')
    switching=$(logged_us 'Switching root')
    sent=$(logged_us 'report to http:..10.99.0.99.: not stored')
    echo "leaving at $leaving us, switching at $switching us, sender's end at $sent us" |
        tee -a "$vm_logs/senders"
    [ -n "$leaving" ]
    [ -n "$switching" ]
    [ -n "$sent" ]
    # on a slow machine it may end just then
    [ "$sent" -lt "$leaving" ] || [ "$sent" -gt "$switching" ] ||
        [ $((switching - leaving)) -lt 3000000 ]
}

@test "shell flavour: killed while DHCP runs and again before the mount" {
    killed_at shell link,addr
}

@test "systemd flavour: killed while DHCP runs and again before the mount" {
    killed_at systemd link,addr
}

@test "systemd flavour: killed right after the mount" {
    killed_at systemd mount
}

@test "shell flavour: rd.retry ends the wait, reboot as asked" {
    server dhcp stop
    node_start "$LAB/agent-shell.img" "$dracut_console $rdma_root ip=dhcp $rxe rd.retry=8 \
rd.shell=0 rd.emergency=reboot"
    assert_failed 120 IA-E703 restart
}

@test "systemd flavour: rd.retry ends the wait, reboot as asked" {
    server dhcp stop
    node_start "$LAB/agent-systemd.img" "$dracut_console $rdma_root ip=dhcp $rxe rd.retry=8 \
rd.shell=0 rd.emergency=reboot"
    assert_failed 120 IA-E703 restart
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
