#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The stand-alone image: from power-on to the init of an NFS root over RDMA (Soft-RoCE).
# first: many boots

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/scenario

# The server has been asked so often which security it wants (SECINFO_NO_NAME, operation 52).
security_questions() {
    server shell 'grep ^proc4ops /proc/net/rpc/nfsd' | awk '{ print $(3 + 52) }'
}

@test "NFSoRDMA 4.2 with DHCP" {
    local asked
    asked=$(security_questions)
    [[ $asked =~ ^[0-9]+$ ]]
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe"
    assert_boot 90 4.2 rdma
    assert_state .root.proto rdma
    assert_state .root.version 4.2
    assert_state .root.port 20049
    assert_state .root.fell_back false
    assert_rail .lease.server "$server_ip"
    assert_rail .rdma.state ACTIVE
    assert_state '.causes | length' 0
    # 21 are usual for the whole initramfs; kernel threads that come and go are included
    assert_most "$(node_result '.processes - .pid1_processes')" 24 "processes made"
    assert_most "$(node_result .self_maxrss_kb)" 6144 "peak of resident memory, KB"
    assert_most "$(node_result .children_maxrss_kb)" 6144 "peak of resident memory of a child, KB"
    assert_most "$(node_result '(.total_kb - .pid1_free_kb)')" 65536 "memory in use at /init, KB"
    # it sleeps while it waits: of emulated time, a third of a second is usual; what others take of
    # the machine counts as its own, and the boot is as much longer
    assert_state '.agent.cpu_s < ([2, (.now_s - .start_s) / 2] | max)' true
    grep -q 'ACTIVE' "$node_dir/results/ports"
    # AUTH_SYS is not asked for leave
    assert_eq "$(security_questions)" "$asked" "questions for the security"
    grep -q ' / / .*sec=sys' "$node_dir/results/mountinfo"
    # without a host name all nodes would be one NFSv4 client
    assert_eq "$(<"$node_dir/results/nfs4_unique_id")" 525400990064 nfs4_unique_id
    # the kernel's module helper is the real root's again
    assert_eq "$(<"$node_dir/results/modprobe")" /sbin/modprobe kernel.modprobe
}

@test "the image's own /init as PID 1; the options that every site has: quiet, ro, init=" {
    NODE_MARK=
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe quiet ro init=/sbin/init"
    assert_boot 90 4.2 rdma
    # the agent's own log has it, the console has not
    grep -q '\] version ' "$node_dir/results/run/log"
    run -1 grep -a 'initagent: version' "$node_dir/console.log"
}

@test "one export for all nodes, under a writable layer in memory; killed at the mount" {
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rw \
rd.overlay=tmpfs:size=16M bootmark.kill=mount"
    node_booted 90
    assert_clean_handover
    assert_killed mount
    assert_eq "$(node_result .writable)" true "root can be written to"
    assert_state '[.root | .type, .version, .proto, .overlay] | @text' '["nfs","4.2","rdma",true]'
    assert_state '.rails | map(select(.carries_root)) | length' 1
    grep -q ' / / .* - overlay LiveOS_rootfs ' "$node_dir/results/mountinfo"
    grep -q ' /run/rootfsbase ro.* - nfs4 10.99.0.1:/export/root .*proto=rdma' \
        "$node_dir/results/mountinfo"
    grep -q ' /run/initramfs/overlay .*size=16384k' "$node_dir/results/mountinfo"
}

@test "two CPUs" {
    NODE_SMP=2
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe quiet rd.info"
    assert_boot 90 4.2 rdma
    # rd.info wins over quiet
    assert_console 'initagent: version'
    assert_state '.causes | length' 0
}

@test "static address, gateway, route, host name" {
    server dhcp stop
    node_start "$image" "$console $rdma_root $rxe \
ip=10.99.0.50::10.99.0.1:255.255.255.0::eth0:none nameserver=10.99.0.1 \
systemd.hostname=node50 rd.route=10.77.0.0/16:10.99.0.1"
    assert_boot 90 4.2 rdma
    grep -qE '^eth0	00004D0A	0100630A' "$node_dir/results/route"
    assert_state '.rails[0].method' static
    assert_state '.rails[0].address' 10.99.0.50/24
    assert_state '.rails[0].gateway' 10.99.0.1
    assert_eq "$(<"$node_dir/results/hostname")" node50 "host name"
    # destination 0, gateway 10.99.0.1 in the byte order of /proc/net/route
    grep -qE '^eth0	00000000	0100630A' "$node_dir/results/route"
}

@test "RoCE version 2 for RDMA-CM; version 1, which rxe does not know, is said and lived without" {
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.rdma.roce=v2"
    assert_boot 90 4.2 rdma
    assert_console 'rxe0/1: RDMA-CM uses RoCE v2'
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe rd.rdma.roce=rxe0/1:v1"
    assert_boot 90 4.2 rdma
    assert_state '.causes[0].code' IA-E313
}

@test "NFS version 3 over RDMA, by nfsroot=; the short form of ip=" {
    node_start "$image" "$console rd.neednet=1 $rxe \
root=/dev/nfs nfsroot=$server_ip:$root_path,vers=3,proto=rdma,port=20049 \
ip=10.99.0.51 netmask=255.255.255.0 gateway=10.99.0.1 mtu=1400 ksdevice=eth0"
    assert_boot 90 3 rdma
    assert_state '[.rails[0] | .netdev, .method, .address, .gateway, .mtu] | @text' \
        '["eth0","static","10.99.0.51/24","10.99.0.1",1400]'
    assert_state .root.version 3
    grep -q 'nolock' "$node_dir/results/mountinfo"
}

@test "NFS versions 4.1 and 4.0 over RDMA" {
    local version
    for version in 4.1 4.0; do
        node_start "$image" \
            "$console root=nfs:$server_ip:$root_path:vers=$version,proto=rdma ip=dhcp $rxe"
        assert_boot 90 "$version" rdma
        assert_state .root.version "$version"
        assert_state .root.port 20049
        assert_state '.causes | length' 0
    done
}

@test "nfsd on another port than 2049: version 3 asks rpcbind for it, as mount.nfs does" {
    server shell 'rpc.nfsd 0; rpc.nfsd -V 3 -p 2050 8'
    node_start "$image" "$console root=nfs:$server_ip:$root_path ip=dhcp"
    assert_boot 90 3 tcp
    assert_console 'IA-E602 .* over tcp port 2049, NFS 4.2: nothing listens on that port'
    server shell 'rpc.nfsd 0'
}

@test "plain NFS over TCP needs no RDMA at all" {
    node_start "$image" "$console netroot=nfs4:$server_ip:$root_path ip=dhcp"
    assert_boot 90 4.2 tcp
    assert_eq "$(grep -c '^rpcrdma ' "$node_dir/results/modules")" 0 "rpcrdma loaded"
    # nor is one made up where there is no /sys/class/infiniband at all
    assert_state '[.rails[].rdma // empty] | length' 0
}

# The table's script stands for liteimg's, which asks xcatd.
@test "xCAT statelite: the image's script lays its table over the root; kept files are the node's" {
    local at="/export/lite /export/state" script
    script="#!/sbin/busybox sh
        cd /sysroot/.statelite
        echo tmpfs /etc/node >litefile
        /sbin/busybox hostname >tmpfs/node
        /sbin/busybox mount -o bind tmpfs/node /sysroot/etc/node
        echo \"\$(cat /etc/node)\" booted >>persistent/boots"
    server shell "cp -a $root_path /export/lite && mkdir /export/state && cd /export/lite &&
        mkdir -p .statelite etc/init.d proc sys dev && touch etc/node &&
        echo $(base64 -w 0 <<<"$script") | base64 -d >etc/init.d/statelite &&
        chmod 755 etc/init.d/statelite && for dir in $at; do
        /sbin/exportfs -i -o rw,fsid=\${#dir},insecure,no_subtree_check,no_root_squash *:\$dir;
        done"
    node_start "$image" "$console root=nfs:$server_ip:/export/lite:ro,vers=4.2,proto=rdma \
STATEMNT=$server_ip:/export/state XCAT=$server_ip:3001 NODE=n1 nonodestatus ip=dhcp $rxe"
    assert_boot 90 4.2 rdma
    grep -q ' /tmpfs/node /etc/node .* - tmpfs ' "$node_dir/results/mountinfo"
    grep -q " /.statelite/persistent rw.* - nfs4 $server_ip:/export/state/n1 " \
        "$node_dir/results/mountinfo"
    # and nothing of the view that it ran in
    assert_eq "$(grep -cE ' /(tmp|sysroot) ' "$node_dir/results/mountinfo")" 0 "mounts left"
    assert_eq "$(server shell 'cat /export/state/n1/boots')" "n1 booted" "kept"
    assert_state '.causes | length' 0
    server shell "for dir in $at; do /sbin/exportfs -u *:\$dir; done; rm -r $at"
}

# Version 3 names a path of the server's file system, version 4 one below the export with fsid=0.
@test "an export with fsid=0: nfs: steps down to version 3, nfs4: finds its path; DHCP's options" {
    server shell "/sbin/exportfs -i -o ro,fsid=0,insecure,no_subtree_check,no_root_squash *:/export"
    server dhcp stop
    server dhcp start "--dhcp-option=option:root-path,$root_path,wsize=4096"
    node_start "$image" "$console root=dhcp"
    assert_boot 90 3 tcp
    grep -q ' / / .*,wsize=4096' "$node_dir/results/mountinfo"
    server dhcp stop
    server dhcp start "--dhcp-option=option:root-path,nfs4:$server_ip:/root:wsize=4096"
    node_start "$image" "$console root=dhcp rd.live.image rd.overlay"
    node_booted 90
    grep -q ' / / .* - overlay LiveOS_rootfs ' "$node_dir/results/mountinfo"
    grep -q ' - nfs4 10.99.0.1:/root .*vers=4.2,.*,wsize=4096' "$node_dir/results/mountinfo"
    # what version 3 calls it, version 4 has not
    node_start "$image" "$console root=nfs4:$server_ip:$root_path ip=dhcp rd.retry=40 $reboot"
    assert_failed 90 IA-E603 restart
}

@test "root is read-only unless rw is given" {
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rd.peerdns=0"
    assert_boot 90 4.2 rdma
    # the lease names one
    assert_state '.rails[0].dns | length' 0
    grep -qE ' / / ro,' "$node_dir/results/mountinfo"
    run -1 grep -a 'cannot be written to' "$node_dir/console.log"
    # the mount takes rw whatever the export is
    server shell "/sbin/exportfs -i -o ro,fsid=1,insecure,no_subtree_check,no_root_squash \
        *:$root_path"
    node_start "$image" "$console $rdma_root ip=dhcp $rxe rw"
    assert_boot 90 4.2 rdma
    grep -qE ' / / rw,' "$node_dir/results/mountinfo"
    assert_console "root: $server_ip:$root_path is mounted rw, but cannot be written to"
}

@test "server named, not numbered: DNS from the lease" {
    node_start "$image" "$console ip=dhcp $rxe \
root=nfs:server.lab.test:$root_path:vers=4.2,proto=rdma,port=20049"
    assert_boot 90 4.2 rdma
    assert_state .root.server server.lab.test
    assert_state .root.address "$server_ip"
}

# The admin's recipe to the letter, on a node whose RDMA device is rxe. Drivers without a device
# load and do no harm; 0 is "no overall limit".
@test "rd.driver.post=mlx5_ib,ib_ipoib,ib_umad,rdma_ucm rd.neednet=1 rd.timeout=0 rd.retry=160" {
    node_start "$image" "$console $rdma_root ip=dhcp $rxe \
rd.driver.post=mlx5_ib,ib_ipoib,ib_umad,rdma_ucm rd.neednet=1 rd.timeout=0 rd.retry=160"
    assert_boot 120 4.2 rdma
    local module
    for module in mlx5_ib ib_ipoib ib_umad rdma_ucm; do
        grep -q "^$module " "$node_dir/results/modules"
        assert_state ".modules[] | select(.name == \"$module\") | .state" loaded
    done
    assert_state '.causes | length' 0
}

@test "two interfaces, the first leads nowhere: BOOTIF picks the other" {
    NODE_SPARE=virtio-net-pci
    node_start "$image" "$console $rdma_root ip=dhcp rd.rdma.link=rxe0,rxe,eth1 \
BOOTIF=01-52-54-00-99-00-64"
    assert_boot 90 4.2 rdma
    assert_state '.rails[] | select(.carries_root) | .netdev' eth1
}

@test "two interfaces, the first leads nowhere, nothing picks: the one that answers wins" {
    NODE_SPARE=virtio-net-pci
    # BOOTIF= names the first one
    node_start "$image" "$console $rdma_root ip=dhcp rd.rdma.link=rxe0,rxe,eth1 \
BOOTIF=01-52-54-00-99-01-01 rd.bootif=0"
    assert_boot 90 4.2 rdma
    assert_state '.rails[] | select(.carries_root) | .netdev' eth1
}

@test "a static address without interface goes on to the next when nobody answers on the first" {
    NODE_SPARE=virtio-net-pci
    node_start "$image" "$console $rdma_root rd.rdma.link=rxe0,rxe,eth1 rd.retry=60 \
ip=10.99.0.50::10.99.0.1:255.255.255.0:node50::none"
    assert_boot 90 4.2 rdma
    assert_rail .netdev eth1
    assert_state '[.causes[].code] | index("IA-E601") != null' true
}

@test "ifname= names an interface by its address, and the rest of the line uses that name" {
    NODE_SPARE=virtio-net-pci
    node_start "$image" "$console $rdma_root ifname=rail0:52:54:00:99:00:64 \
ip=10.77.0.2::10.77.0.1:255.255.255.0::eth0:none ip=rail0:dhcp \
bootdev=rail0 rd.rdma.link=rxe0,rxe,rail0"
    assert_boot 90 4.2 rdma
    assert_state '.rails[] | select(.carries_root) | .netdev' rail0
    # and bootdev= alone has a default route
    run -1 grep '^eth0	00000000	' "$node_dir/results/route"
}

@test "root=dhcp: server and path from the lease's root-path" {
    server dhcp stop
    server dhcp start "--dhcp-option=option:root-path,nfs:$server_ip:$root_path:vers=4.2,proto=rdma"
    node_start "$image" "$console root=dhcp ip=dhcp $rxe"
    assert_boot 90 4.2 rdma
    assert_state .root.path "$root_path"
}

# The first open waits until the server's grace period of 10 s is over.
@test "server in its grace period" {
    server nfs stop
    server nfs grace
    node_start "$image" "$console $rdma_root ip=dhcp $rxe"
    assert_boot 90 4.2 rdma
}

# rxe asks the crypto layer for "crc32" when its link is made: nothing in modules.dep says so.
@test "what rxe needs and no index lists is loaded before its link" {
    node_start "$image" "$console $rdma_root ip=dhcp $rxe"
    assert_boot 90 4.2 rdma
    grep -qE '^crc32_(generic|pclmul) ' "$node_dir/results/modules"
}

# The RDMA mount stalls for 5 s in half of all boots unless the server's neighbour entry is there.
@test "the server's neighbour entry is there before the mount, ten boots" {
    local i mount most
    for ((i = 0; i < 10; i++)); do
        node_start "$image" "$console $rdma_root ip=dhcp $rxe"
        assert_boot 90 4.2 rdma
        mount=$(node_state \
            '[.work[] | select(.room == "root") | .end_s - .begin_s] | max * 1000 | floor')
        # a fifth to half as long as the modules before it is usual, on a busy machine as well
        most=$(node_state '[4000, (.phases[] | select(.name == "modules") |
            (.end_s - .begin_s) * 1000 | floor)] | max')
        assert_most "$mount" "$most" "longest step of the root room, ms"
    done
}
