#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots that cannot succeed: each ends within its budget, in its own cause code, and in the end
# of the machine that was asked for.
# first: many boots

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/scenario

# assert_named SECONDS CODE: the node says that cause, and mounts nothing. What it does at the end
# of rd.retry is other cases' business: it is not waited for.
assert_named() {
    node_wait "$1" "initagent: (.*: )?$2 " >/dev/null
    run -1 grep -E ' mounted, NFS ' "$node_dir/console.log"
}

# fits FILE: no larger than the stand-alone image may be, in bytes.
fits() {
    [ "$(stat -c %s "$1")" -le 5000000 ]
}

@test "the stand-alone image has at most 5,000,000 bytes" {
    echo "# $(stat -c %s "$image") bytes" >&3
    fits "$image"
    truncate -s 5000001 "$BATS_TEST_TMPDIR/larger"
    run -1 fits "$BATS_TEST_TMPDIR/larger"
}

@test "RDMA listener absent, fall-back refused" {
    server nfs stop
    server nfs start
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=20 $reboot"
    assert_failed 90 IA-E605 restart
}

# Without its rxe link the server drops what comes to UDP port 4791.
@test "RDMA packets dropped, fall-back allowed: TCP after one attempt" {
    server shell '/bin/rdma link del rxe0'
    node_start "$image" "$console $rdma_root rd.nfs.fallback=tcp ip=dhcp $rxe"
    node_wait 90 'no RDMA connection is made .*, falling back to TCP as allowed'
    server shell '/bin/rdma link add rxe0 type rxe netdev eth0'
    assert_boot 90 4.2 tcp
    assert_state '[.root | .fell_back, .attempts] | @text' '[true,2]'
}

@test "export that does not exist" {
    node_start "$image" "$console ip=dhcp $rxe rd.retry=20 $reboot \
root=nfs:$server_ip:/export/nothing:vers=4.2,proto=rdma,port=20049"
    assert_failed 90 IA-E603 restart
}

@test "a path that is a file" {
    node_start "$image" "$console ip=dhcp root=nfs4:$server_ip:$root_path/sbin/init"
    assert_named 90 IA-E603
    assert_console 'the path is not a directory'
}

@test "export that does not exist, version 3" {
    node_start "$image" "$console ip=dhcp $rxe \
root=nfs:$server_ip:/export/nothing:vers=3,proto=rdma,port=20049"
    assert_named 90 IA-E603
}

@test "export without an init" {
    node_start "$image" "$console ip=dhcp $rxe \
root=nfs:$server_ip:/export/noinit:vers=4.2,proto=rdma,port=20049"
    assert_named 90 IA-E607
}

@test "export for Kerberos alone: refused, and said" {
    server shell 'mkdir -p /export/krb &&
        exportfs -o sec=krb5,rw,fsid=7,no_subtree_check,insecure *:/export/krb'
    node_start "$image" "$console ip=dhcp $rxe \
root=nfs:$server_ip:/export/krb:vers=4.2,proto=rdma,port=20049"
    assert_named 90 IA-E603
    assert_console 'AUTH_SYS \(sec= of its export\)'
    server shell 'exportfs -u *:/export/krb'
}

@test "a path that is referred to a server by its name: that is named, not version 3 mounted" {
    server shell 'mkdir -p /export/ref &&
        exportfs -o refer=/r@fs1.example,fsid=8,no_subtree_check,insecure *:/export/ref'
    node_start "$image" "$console ip=dhcp root=nfs:$server_ip:/export/ref"
    assert_named 90 IA-E603
    assert_console 'referred to a server by its name: .*: fs1.example'
    server shell 'exportfs -u *:/export/ref'
}

@test "Kerberos asked for: AUTH_SYS does not take its place" {
    node_start "$image" "$console ip=dhcp $rxe rd.retry=20 $reboot \
root=nfs:$server_ip:$root_path:vers=4.2,proto=rdma,port=20049,sec=krb5"
    assert_failed 90 IA-E606 restart
}

@test "server whose mountd does not run: it accepts connections, and what it lacks is said" {
    server shell 'kill $(pidof rpc.mountd); exportfs -f'
    node_start "$image" "$console ip=dhcp root=nfs:$server_ip:$root_path:vers=4.2"
    assert_named 90 IA-E601
    assert_console 'accepts connections, but does not answer: is mountd running'
    server shell /sbin/rpc.mountd
}

@test "server whose mountd does not run, over RDMA: the connection is there, RDMA is not blamed" {
    server shell 'kill $(pidof rpc.mountd); exportfs -f'
    node_start "$image" "$console ip=dhcp $rdma_root $rxe"
    assert_named 90 IA-E601
    server shell /sbin/rpc.mountd
    assert_console 'over rdma .* does not answer: is mountd running'
}

@test "NFS version the server does not speak" {
    server shell 'rpc.nfsd 0; rpc.nfsd -N 3 8; echo "rdma 20049" >/proc/fs/nfsd/portlist'
    node_start "$image" "$console ip=dhcp $rxe \
root=nfs:$server_ip:$root_path:vers=3,proto=rdma,port=20049"
    assert_named 90 IA-E604
    server shell 'rpc.nfsd 0; rpc.nfsd -V 3 8'
}

@test "no DHCP server: rd.retry ends the wait" {
    server dhcp stop
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=20 rd.timeout=0 $reboot"
    assert_failed 90 IA-E703 restart
    # the wait that never ended is named by the last line
    assert_console 'giving up after [0-9]+ s: IA-E501 eth0: '
}

@test "no DHCP server: rd.timeout ends the boot before rd.retry" {
    server dhcp stop
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.timeout=20 rd.retry=60 $reboot \
rd.net.timeout.dhcp=2"
    assert_failed 60 IA-E704 restart
    assert_console 'eth0: no lease after 1 round of 2 s'
}

@test "rd.emergency=poweroff" {
    server dhcp stop
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=20 rd.emergency=poweroff \
rd.net.timeout.dhcp=2 rd.net.dhcp.retry=2"
    assert_failed 60 IA-E501 poweroff
    # asked twice and no more
    assert_console 'eth0: IA-E501 .*no lease after 2 rounds of 2 s'
    run -1 grep 'eth0: no lease after [3-9] rounds' "$node_dir/console.log"
}

@test "rd.emergency=halt; rd.retry=0 is no limit, rd.timeout ends the boot" {
    server dhcp stop
    node_start "$image" \
        "$console $rdma_root ip=dhcp $rxe rd.retry=0 rd.timeout=6 rd.emergency=halt"
    # a halted machine does not end by itself
    node_wait 60 'reboot: System halted'
    assert_cause IA-E704
}

@test "rd.shell: a rescue shell, and only after the cause" {
    server dhcp stop
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=3 rd.shell"
    node_wait 60 'rescue shell'
    assert_cause IA-E703
}

@test "the rescue shell has the commands it names, and reboot restarts the machine" {
    server dhcp stop
    NODE_TALK=1
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=3"
    node_wait 60 "'initagent status' shows what happened, 'reboot' restarts the machine"
    node_type 'initagent causes IA-E703 && echo status $?'
    node_wait 30 '^status 0'
    node_type reboot
    node_end 60
    assert_console 'initagent: restarting the machine'
    node_ended_by restart
}

@test "the rescue shell is left by exit once the DHCP server is back" {
    server dhcp stop
    NODE_TALK=1
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=20"
    assert_rescued
}

@test "server that stops between the mount and init: said, and the action after rd.timeout" {
    NODE_TALK=1
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.break rd.timeout=30 $reboot"
    node_wait 90 'rd.break: the root is at /sysroot'
    server nfs stop
    node_type exit
    node_end 120
    assert_console "$server_ip:$root_path: the root does not answer: .* s of [0-9]+ s, IA-E609"
    assert_cause IA-E609
    node_ended_by restart
}

# Another fsid is another export to the kernels of both ends, as after a fail-over to a server that
# makes it up itself.
@test "an export replaced between the mount and init: said, and mounted once more" {
    NODE_TALK=1
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.break"
    node_wait 90 'rd.break: the root is at /sysroot'
    server shell "/sbin/exportfs -u *:$root_path && /sbin/exportfs -i \
        -o rw,fsid=12,insecure,no_subtree_check,no_root_squash *:$root_path"
    node_mark
    node_type exit
    node_next 60 'rd.break: the root is at /sysroot'
    node_type exit
    assert_boot 90 4.2 rdma
    assert_console 'IA-E702 switching to the real root failed: .*: Stale file handle'
}

@test "named drivers keep their order; one that is not in the image: said, and the boot goes on" {
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.driver.pre=ib_umad,no_such_pre \
rd.driver.pre=rdma_cm rd.driver.blacklist=rdma_ucm rd.driver.post=rdma_ucm,no_such_ib \
rd.driver.post=ib_ipoib"
    assert_boot 90 4.2 rdma
    assert_state '[.causes[] | select(.code == "IA-E201") | .where] | @text' \
        '["no_such_pre","no_such_ib"]'
    assert_driver_order ib_umad,rdma_cm rdma_ucm,ib_ipoib
}

@test "modprobe.d and MODULE.PARAM= reach the kernel; softdep, blacklists; mlx4's companions" {
    NODE_EXTRA=$BATS_TEST_TMPDIR/modprobe.cpio
    modprobe_d "$NODE_EXTRA" 'options ib_ipoib send_queue_size=256' \
        'options mlx4_core port_type_array=2,1 log_num_mac=3' 'blacklist erofs' \
        'softdep rdma_ucm pre: ib_umad'
    node_start "$image" "$console $rdma_root ip=dhcp $rxe ib_ipoib.recv_queue_size=512 \
rd.driver.post=mlx4_core,ib_ipoib,rdma_ucm,fs-erofs,fs-squashfs modprobe.blacklist=squashfs"
    assert_boot 120 4.2 rdma
    assert_parameters send_queue_size 256 recv_queue_size 512 port_type_array 2,1 log_num_mac 3
    # no adapter is there: mlx4_core has none to ask for these, which have no alias
    assert_module mlx4_ib
    assert_module mlx4_en
    assert_module ib_umad
    run -1 grep -E '^(erofs|squashfs) ' "$node_dir/results/modules"
    assert_state '[.causes[] | [.code, .where]] | @text' \
        '[["IA-E206","fs_erofs"],["IA-E206","fs_squashfs"]]'
}

@test "the command line's port types of mlx4 outweigh those of modprobe.d" {
    NODE_EXTRA=$BATS_TEST_TMPDIR/modprobe.cpio
    modprobe_d "$NODE_EXTRA" 'options mlx4_core port_type_array=2,2'
    node_start "$image" "$console $rdma_root ip=dhcp $rxe mlx4_core.port_type_array=1,2 \
rd.driver.pre=mlx4_core"
    assert_boot 120 4.2 rdma
    assert_parameters port_type_array 1,2
    assert_module mlx4_ib
    assert_module mlx4_en
}

@test "module the plan cannot do without is not in the image" {
    node_start "$image" "$console $rdma_root ip=dhcp rd.rdma.link=siw0,siw,eth0 rd.retry=40 $reboot"
    assert_failed 60 IA-E201 restart
}

@test "driver of the RDMA device is not in the image" {
    node_start "$LAB/agent-norxe.img" "$console $rdma_root ip=dhcp $rxe rd.retry=40 $reboot"
    assert_failed 60 IA-E201 restart
    assert_console 'rdma_rxe'
}

@test "no RDMA device for a root over RDMA" {
    node_start "$image" "$console $rdma_root ip=dhcp rd.retry=20 $reboot"
    assert_failed 60 IA-E703 restart
    assert_console 'IA-E301'
}

@test "root-path of the lease is not a root" {
    server dhcp stop
    server dhcp start "--dhcp-option=option:root-path,nfs:\`reboot\`:relative"
    node_start "$image" "$console root=dhcp ip=dhcp $rxe rd.retry=20 $reboot"
    assert_failed 60 IA-E611 restart
}

# A vendor driver left behind by a kernel update: one checksum of an imported symbol is another.
@test "module built for another kernel" {
    NODE_EXTRA=$BATS_TEST_TMPDIR/extra.cpio
    other_kernels_module rdma_rxe "$NODE_EXTRA"
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=40 $reboot"
    assert_failed 60 IA-E202 restart
    assert_console 'rdma_rxe'
}

# Built for the inbox drivers beside MLNX_OFED, or the other way round: what the root does not need.
@test "rd.driver.post= of another ib_core: module and symbol are named, the root is mounted" {
    NODE_EXTRA=$BATS_TEST_TMPDIR/extra.cpio
    other_kernels_module ko2iblnd "$NODE_EXTRA" ib_register_client "$LAB/lnet/root"
    node_start "$LAB/agent-lnet.img" \
        "$console $rdma_root ip=dhcp $rxe rd.driver.post=ko2iblnd,rdma_ucm"
    assert_boot 120 4.2 rdma
    assert_state '[.causes[] | [.code, .where]] | @text' '[["IA-E202","ko2iblnd"]]'
    assert_console 'ko2iblnd: IA-E202 .*ib_register_client'
    # what it depends on is of this kernel
    assert_module lnet
    assert_module rdma_ucm
}

@test "rd.driver.post=ko2iblnd brings lnet, before an NFS root without RDMA" {
    node_start "$LAB/agent-lnet.img" "$console root=nfs:$server_ip:$root_path ip=dhcp \
        rd.driver.post=ko2iblnd"
    assert_boot 120 4.2 tcp
    assert_state '.causes | length' 0
    assert_module lnet
    assert_module ko2iblnd
}

@test "image built for another kernel" {
    node_start "$LAB/agent-otherkernel.img" "$console $rdma_root ip=dhcp $rxe rd.retry=40 $reboot"
    assert_failed 60 IA-E205 restart
}

@test "a root of a kind that is dracut's: said, in the image that has no dracut" {
    node_start "$image" "$console root=iscsi:$server_ip::::iqn.2024-01.org:x ip=dhcp $reboot"
    assert_failed 60 IA-E103 restart
    assert_console 'IA-E103 check: .*other kinds need an image of dracut'
}

@test "no root= at all" {
    node_start "$image" "$console ip=dhcp $rxe $reboot"
    assert_failed 60 IA-E102 restart
}

@test "malformed limits: named, and the boot goes on with their defaults" {
    node_start "$image" "$console $rdma_root ip=dhcp $rxe $malformed rd.debug"
    assert_boot 90 4.2 rdma
    assert_console 'initagent: .*: target: .* -> mounting'
    assert_malformed
}

@test "a number with its unit is understood, and said" {
    server dhcp stop
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=4s rd.timeout=60 $reboot"
    assert_failed 60 IA-E703 restart
    assert_console 'initagent: cmdline: rd.retry: read as 4'
}

@test "address taken by somebody else" {
    server dhcp stop
    node_start "$image" "$console $rdma_root $rxe \
ip=$server_ip::10.99.0.1:255.255.255.0::eth0:none"
    assert_named 60 IA-E505
}

@test "cable never plugged in" {
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.retry=20 $reboot"
    node_cable off
    assert_failed 60 IA-E703 restart
    assert_console 'giving up after [0-9]+ s: IA-E402 eth0: '
}

@test "no network interface in the machine" {
    NODE_NIC=
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.net.timeout.iflink=1"
    assert_named 60 IA-E401
}
