#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The root on a block device that a server lends: NVMe over RDMA and TCP against the kernel's own
# target, NBD against nbd-server, SRP against the kernel's target.
# first: many boots

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/block

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    block_disks "$BATS_FILE_TMPDIR/disks"
    SERVER_EXTRA=$BATS_FILE_TMPDIR/disks/block.cpio server_start >/dev/null
}

setup() {
    node_of_case agent-block.img
    server reset
    server shell block stop
}

# Before the node goes, as its connections go with it.
teardown() {
    # unchecked: a server that does not answer any more has no more to say
    [ -n "${BATS_TEST_COMPLETED:-}" ] || server shell block show || true
    [ -z "${node_pid:-}" ] || vm_kill "$node_pid"
    [ -n "${BATS_TEST_COMPLETED:-}" ] || vm_show
}

# boots CMDLINE: a node with an Ethernet interface and nothing else.
boots() {
    [[ $* == *" ip="* ]] || set -- ip=dhcp "$@"
    node_start "$image" "$console $*"
}

@test "NVMe over TCP, read-write; killed while it gets an address and right after the mount" {
    server shell block nvme root.ext4
    # lets in a host of this name alone
    server shell block nvme-only nqn.2024-01.org.example:someone
    boots "root=nvmf:tcp:$server_ip:4421:$nqn rw rootflags=noatime bootmark.kill=addr,mount \
rd.nvmf.hostnqn=nqn.2024-01.org.example:someone \
rd.nvmf.hostid=6f0f7a5e-0d2b-4b8f-9d59-2f3c6a1e7b10"
    node_booted 60
    assert_eq "$(<"$node_dir/results/hostid")" 6f0f7a5e-0d2b-4b8f-9d59-2f3c6a1e7b10 \
        "host identifier"
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_clean_handover
    assert_killed addr,mount
    assert_state .root.type nvmf
    grep -q ' / / rw,noatime.* - ext4 /dev/nvme0n1 ' "$node_dir/results/mountinfo"
}

@test "NVMe over RDMA (rxe): the first server refuses, the second is asked which subsystem it has" {
    server shell block nvme root.ext4
    boots "root=nvmf:rdma:$server_ip:4499:$nqn rd.nvmf.discover=rdma,$server_ip $rxe"
    assert_block 60 nvmf rdma ext4
    assert_eq "$(node_result .writable)" false "root can be written to"
    assert_state '[.causes[].code] | @text' '["IA-E671"]'
    assert_state .root.attempts 2
    assert_state .root.name "$nqn"
}

@test "NVMe over TCP: the last of the 41 subsystems that discovery knows" {
    server shell block nvme root.ext4
    server shell block nvme-many 40
    boots "root=nvmf:$nqn rd.nvmf.discover=tcp,$server_ip,,4421"
    assert_block 60 nvmf tcp ext4
    assert_state '.causes | length' 0
}

@test "NVMe over TCP: the discovery service is on its own port alone" {
    server shell block nvme root.ext4
    server shell block nvme-port 8009
    boots "root=nvmf:tcp:$server_ip"
    assert_block 60 nvmf tcp ext4
    assert_state '[.causes[].code] | @text' '["IA-E671"]'
    assert_state .root.attempts 2
    assert_state .root.port 8009
    assert_state .root.name "$nqn"
}

# What is not accepted there stays in a queue with room for two; the kernel drops what comes then,
# as a filter does, and that of the node would try to connect for two minutes.
@test "NVMe over TCP: nothing listens, and the other port is filtered: the first has its turn" {
    server shell 'nc -l -p 8009 >/dev/null 2>&1 &' \
        'until grep ":1F49 0.*0 0A 00000000:00000000" /proc/net/tcp6; do :; done; kill -STOP $!;' \
        'for i in 1 2 3; do nc 127.0.0.1 8009 </dev/zero >/dev/null 2>&1 & done;' \
        'until grep ":1F49 0.*0 0A 00000000:00000002" /proc/net/tcp6; do :; done'
    boots "root=nvmf:tcp:$server_ip"
    node_wait 60 "$server_ip port 8009: no answer in 4 s"
    server shell block nvme root.ext4
    server shell block nvme-port 4420
    assert_block 60 nvmf tcp ext4
    assert_state .root.port 4420
    # the others end by themselves when the first has gone
    server shell 'killall -9 nc 2>/dev/null; :'
}

@test "NVMe over TCP: the first port's path cannot be used (ANA), the second's can" {
    server shell block nvme root.ext4
    server shell block nvme-ana inaccessible
    boots "root=nvmf:tcp:$server_ip:4421,$server_ip:4422:$nqn"
    assert_block 90 nvmf tcp ext4
    assert_console 'IA-E678 .*\(ANA state inaccessible\)'
    assert_state .root.port 4422
}

@test "NVMe over RDMA (rxe): the node is reset, and the server still has its connections" {
    local root="root=nvmf:rdma:$server_ip:$nqn $rxe"
    server shell block nvme root.ext4
    boots "$root finalinit=outage"
    node_wait 60 'finalinit: the server may go'
    # so that the target does not find out by the time the node is back, however slow that is
    server_pause on
    node_kill
    boots "$root ip=10.99.0.150::$server_ip:255.255.255.0::eth0:none"
    node_wait 60 'waiting for an answer of'
    server_pause off
    assert_block 60 nvmf rdma ext4
    assert_console 'Connect rejected: status 10 \(stale conn\)'
    assert_state '.causes | length' 0
    assert_state .root.attempts 1
}

@test "NVMe over TCP, xfs: the server goes away under the running root, and comes back" {
    server shell block nvme root.xfs
    NODE_TALK=1
    boots "root=nvmf:tcp:$server_ip:4421:$nqn rw finalinit=outage"
    node_wait 60 'finalinit: the server may go'
    server shell block away
    refute_within 5 'finalinit: back'
    server shell block back
    node_tell 'go on'
    assert_block 60 nvmf tcp xfs
    assert_console 'finalinit: back after'
    assert_stalled
    assert_eq "$(node_result .writable)" true "root can be written to"
}

@test "NBD, a squashfs lent for reading only under a writable layer; killed right after the mount" {
    server shell block nbd
    boots "root=nbd:$server_ip:image rd.overlay=tmpfs:size=16M rw bootmark.kill=mount"
    node_booted 60
    assert_eq "$(node_result .files_good)" 3 "files checked"
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_clean_handover
    assert_killed mount
    assert_state '[.root | .fstype, .readonly, .overlay] | @text' '["squashfs",true,true]'
    grep -q ' / / .* - overlay ' "$node_dir/results/mountinfo"
    grep -q ' /run/rootfsbase ro.* - squashfs /dev/nbd0 ' "$node_dir/results/mountinfo"
    grep -q ' /run/initramfs/overlay .*size=16384k' "$node_dir/results/mountinfo"
}

@test "NVMe over TCP, the server's link-local address" {
    local address=fe80::5054:ff:fe99:1%eth0
    server shell block nvme root.ext4 "$address"
    node_start "$image" "$console ip=link6 root=nvmf:tcp:[$address]:4421:$nqn rw"
    assert_block 60 nvmf tcp ext4
    assert_state .root.address "$address"
    assert_state '.causes | length' 0
}

@test "NBD, read-write" {
    server shell block nbd
    boots "root=nbd:$server_ip:root rw"
    assert_block 60 nbd tcp ext4
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_state '.causes | length' 0
}

@test "NBD: the second partition of a disk, a late server, named by DHCP" {
    server dhcp stop
    server dhcp start "--dhcp-option=option:root-path,nbd:$server_ip:disk:ext4:noatime:part=2"
    boots "root=dhcp rd.retry=160"
    node_wait 60 'IA-E671'
    refute_within 2 'reboot: '
    server shell block nbd
    assert_block 60 nbd tcp ext4
    assert_state .root.device nbd0p2
}

@test "dracut: NBD read-write (shell); NVMe over TCP, and RDMA, under a writable layer (systemd)" {
    server shell block nbd
    image=$LAB/agent-shell.img
    boots "root=nbd:$server_ip:root rw net.ifnames=0"
    assert_block 150 nbd tcp ext4
    assert_eq "$(node_result .writable)" true "root can be written to"
    server shell block nvme root.squashfs
    image=$LAB/agent-systemd.img
    boots "root=nvmf:tcp:$server_ip:4421:$nqn rd.overlay net.ifnames=0"
    node_booted 150
    assert_eq "$(node_result '[.files_good, .writable] | @text')" '[3,true]' \
        "files checked, root can be written to"
    assert_clean_handover
    assert_state '[.root | .type, .fstype, .overlay] | @text' '["nvmf","squashfs",true]'
    boots "root=nvmf:rdma:$server_ip:$nqn rd.overlay net.ifnames=0 $rxe"
    node_booted 150
    assert_eq "$(node_result '[.files_good, .writable] | @text')" '[3,true]' \
        "files checked, root can be written to"
    assert_clean_handover
    assert_state '[.root | .type, .proto, .fstype] | @text' '["nvmf","rdma","squashfs"]'
}

@test "SRP by RDMA-CM (rxe)" {
    # what rxe makes of this node's Ethernet address
    server shell block srp root.ext4 505400fffe990064
    guid=$(server shell "sed 's/://g' /sys/class/infiniband/rxe0/node_guid")
    boots "root=srp:id_ext=$guid,ioc_guid=$guid,dest=$server_ip:5555 rw $rxe rd.retry=160 $reboot"
    assert_block 60 srp rdma ext4
}

@test "refused: an NQN the server does not have, a host it does not let in" {
    server shell block nvme root.ext4
    boots "root=nvmf:tcp:server.lab.test:4421:nqn.2024-01.org.example:other rd.retry=20 $reboot"
    assert_failed 60 IA-E672 restart
    # the kernel does not say which address of the name that was
    assert_console "IA-E672 .*\(asked at $server_ip\)"
    server shell block nvme-only nqn.2024-01.org.example:someone
    boots "root=nvmf:tcp:$server_ip:4421:$nqn rd.retry=20 $reboot"
    assert_failed 60 IA-E673 restart
}

@test "refused: rw on an export that may only be read; nothing on it; no module in the image" {
    server shell block nbd
    boots "root=nbd:$server_ip:disk:::part=2 rw $reboot"
    assert_failed 60 IA-E680 restart
    boots "root=nbd:$server_ip:empty $reboot"
    assert_failed 60 IA-E679 restart
    boots "root=nbd:$server_ip:root rootfstype=xfs $reboot"
    assert_failed 60 IA-E606 restart
    assert_console 'IA-E606 .*nbd0 as xfs'
    image=$LAB/agent.img
    boots "root=nbd:$server_ip:root $reboot"
    assert_failed 60 IA-E201 restart
    assert_console 'IA-E201 .*DRIVERS=nbd'
}

# A GPT stands behind the first logical block, wherever that ends.
@test "a disk of 4096-byte blocks whose partition table was made for 512: said" {
    NODE_DISK=$BATS_TEST_TMPDIR/disk.img
    NODE_QEMU=$BATS_TEST_TMPDIR/qemu
    cp "$BATS_FILE_TMPDIR/disks/tree/block/disk.img" "$NODE_DISK"
    printf '#!/bin/sh\nexec qemu-system-x86_64 -global %s=4096 -global %s=4096 "$@"\n' \
        virtio-blk-pci.logical_block_size virtio-blk-pci.physical_block_size >"$NODE_QEMU"
    chmod 755 "$NODE_QEMU"
    boots "root=PARTUUID=$(sfdisk --part-uuid "$NODE_DISK" 2) rd.neednet=1 rd.retry=15 $reboot"
    assert_failed 60 IA-E678 restart
    assert_console 'the GPT of vda is for blocks of 512 bytes, the disk has 4096'
}

@test "given up: a server that falls silent once it is connected; its device is let go" {
    server shell block mute
    boots "root=nbd:$server_ip:10811 rd.retry=40 $reboot"
    # the server takes one connection only: the next attempt is refused
    assert_failed 60 IA-E671 restart
    assert_console 'IA-E681 .*timed out after 10 s \(over eth0, MTU 1500\)'
}
