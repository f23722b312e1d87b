#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What dracut's own NFS tests ask of a root on NFS (TEST-20-NFS to 059, TEST-60-NFS since), asked of
# the agent as a dracut module: without systemd for version 3, with it for version 4. Their server:
# three addresses, everything read-only below an export with fsid=0. docs/platforms.md has the list.
# DRACUT=sid boots every case from sid's dracut and kernel instead of Debian 12's; two do so anyway.
# first: boots of dracut

# shellcheck disable=SC2154,SC2034 # the variables are shared with it
load lib/matrix

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    server_start >/dev/null
    server shell '/bin/ip addr add 10.99.0.2/24 dev eth0; /bin/ip addr add 10.99.0.3/24 dev eth0'
}

setup() {
    node_of_case agent.img
    server reset
    server shell "/sbin/exportfs -i -o ro,fsid=0,insecure,no_subtree_check,no_root_squash *:/export"
}

# of_sid: the case boots from sid's dracut and kernel.
of_sid() {
    local absent
    absent=$(cell_absent sid dracut-sid-shell)
    [ -z "$absent" ] || skip "$absent"
    DRACUT=sid
}

# client FLAVOUR CMDLINE [ROOT-PATH]: a node, with that option of DHCP or none.
client() {
    local image=$LAB/agent-$1.img
    if [ -n "${3:-}" ]; then
        server dhcp stop
        server dhcp start "--dhcp-option=option:root-path,$3"
    fi
    if [ -n "${DRACUT:-}" ]; then
        image=$(cell_image "$DRACUT" "dracut-$DRACUT-$1")
        NODE_KERNEL=$LAB/kernels/$DRACUT/kernel
    fi
    node_start "$image" "$console $2"
}

# mounted VERSION LAST [wsize]: from the server's address that ends so, with wsize=4096 or not.
mounted() {
    local line type=nfs path=/export/root size=
    [ "$1" = 3 ] || type=nfs4 path=/root
    assert_boot 150 "$1" tcp
    line=$(grep ' / / ' "$node_dir/results/mountinfo")
    [[ $line != *,wsize=4096,* ]] || size=wsize
    assert_eq "$(sed -E 's/.* - (nfs4? [^ ]*) .*/\1/' <<<"$line") $size" \
        "$type 10.99.0.$2:$path ${3:-}" "what is mounted"
}

# layered: the same export under a writable layer.
layered() {
    node_booted 150
    assert_clean_handover
    grep -q ' / / .* - overlay LiveOS_rootfs ' "$node_dir/results/mountinfo"
    grep -q ' - nfs4 10.99.0.1:/root .*vers=4.2,' "$node_dir/results/mountinfo"
}

@test "v3: root=dhcp, DHCP: path" {
    client shell root=dhcp /export/root
    mounted 3 1
}

@test "v3: root=/dev/nfs nfsroot=IP:path, DHCP: another IP:path" {
    client shell 'root=/dev/nfs nfsroot=10.99.0.1:/export/root' 10.99.0.2:/export/root
    mounted 3 1
}

@test "v3: root=/dev/nfs, DHCP: path" {
    client shell root=/dev/nfs /export/root
    mounted 3 1
}

@test "v3: root=/dev/nfs, DHCP: IP:path" {
    client shell root=/dev/nfs 10.99.0.2:/export/root
    mounted 3 2
}

@test "v3: root=dhcp, DHCP: IP:path" {
    client shell root=dhcp 10.99.0.2:/export/root
    mounted 3 2
}

@test "v3: root=dhcp, DHCP: nfs:IP:path" {
    client shell root=dhcp nfs:10.99.0.3:/export/root
    mounted 3 3
}

@test "v3: root=dhcp, DHCP: nfs:IP:path:options" {
    client shell root=dhcp nfs:10.99.0.3:/export/root:wsize=4096
    mounted 3 3 wsize
}

@test "v3: root=nfs:IP:path" {
    client shell root=nfs:10.99.0.1:/export/root
    mounted 3 1
}

# bridge without a name is br0 of eth0.
@test "v3: root=nfs:IP:path bridge" {
    client shell 'root=nfs:10.99.0.1:/export/root bridge net.ifnames=0'
    mounted 3 1
    assert_rail .netdev br0
    assert_rail '.lower | @text' '["eth0"]'
}

@test "v3: root=IP:path" {
    client shell root=10.99.0.1:/export/root
    mounted 3 1
}

@test "v3: root=dhcp nfsroot=path, DHCP: nothing" {
    client shell "root=dhcp nfsroot=/export/root rd.retry=40 rd.shell=0 $reboot"
    assert_failed 120 IA-E611 restart
}

@test "v3: root=dhcp, DHCP: path,options" {
    client shell root=dhcp /export/root,wsize=4096
    mounted 3 1 wsize
}

@test "v3: root=dhcp, DHCP: IP:path,options" {
    client shell root=dhcp 10.99.0.2:/export/root,wsize=4096
    mounted 3 2 wsize
}

@test "v3: root=dhcp, DHCP: nfs:IP:path,options; dracut of sid" {
    of_sid
    client shell root=dhcp nfs:10.99.0.3:/export/root,wsize=4096
    mounted 3 3 wsize
}

@test "v4: root=dhcp, DHCP: nfs4:IP:path" {
    client systemd root=dhcp nfs4:10.99.0.3:/root
    mounted 4.2 3
}

@test "v4: root=dhcp, DHCP: nfs4:IP:path:options" {
    client systemd root=dhcp nfs4:10.99.0.3:/root:wsize=4096
    mounted 4.2 3 wsize
}

@test "v4: root=nfs4:IP:path" {
    client systemd root=nfs4:10.99.0.1:/root
    mounted 4.2 1
}

@test "v4: root=dhcp, DHCP: nfs4:IP:path,options" {
    client systemd root=dhcp nfs4:10.99.0.3:/root,wsize=4096
    mounted 4.2 3 wsize
}

@test "v4: root=nfs4:IP:path under a writable layer; dracut of sid" {
    of_sid
    client systemd 'root=nfs4:10.99.0.1:/root rd.live.overlay.overlayfs=1'
    layered
}

@test "v4: root=nfs4:IP:path as a live image under a writable layer" {
    client systemd 'root=nfs4:10.99.0.1:/root rd.live.image rd.live.overlay.overlayfs=1'
    layered
}
