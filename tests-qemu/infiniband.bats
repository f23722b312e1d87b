#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The stand-alone image on InfiniBand alone: from a dark port to the init of an NFS root over RDMA,
# with OpenSM, IPoIB and DHCP over it.
# first: many boots

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/infiniband

guid=50:54:00:ff:fe:99:00:64
second=50:54:00:ff:fe:99:00:65

@test "InfiniBand alone: SM, IPoIB, DHCP, NFSoRDMA 4.2" {
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 $hca"
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib0
    assert_rail .address 10.9.0.20/24
    assert_rail .rdma.state ACTIVE
    assert_state '.causes | length' 0
    assert_console 'sib0/1: cable ends at leaf01 port 2'
    assert_eq "$(<"$node_dir/results/nfs4_unique_id")" "${guid//:/}" nfs4_unique_id
    # what it waited for: modules, while the agent had left eth0 down
    assert_state '[.critical[].name | select(endswith(" down"))] | length' 0
    assert_state 'any(.critical[]; .name == "nfsv4 module")' true
    # the link was made when its driver was there, not after all others
    assert_state '(.timeline | map(select(.rail == "sib0/1"))[0].s) <
        (.timeline[] | select(.rail == "nfsv4" and .to == "loaded") | .s)' true
    assert_state '[.critical[].name | select(. != "between")][-1]' '10.9.0.1 mounting'
}

@test "the admin's recipe to the letter, without a word about ports" {
    node_start "$image" "$console $ib_root rd.driver.post=mlx5_ib,ib_ipoib,ib_umad,rdma_ucm \
rd.neednet=1 rd.timeout=0 rd.retry=160 rd.rdma.link=sib0,softib,eth0 rd.ib.node-desc=rack7-left"
    node_wait 60 'port ready'
    on server "soon sh -c 'smpquery nodedesc 3 | grep -q rack7-left'"
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib0
    # no device asks for it: the option alone does
    assert_state '.modules[] | select(.name == "mlx5_ib") | .state' loaded
}

# A trap that says that the description has changed is lost: the subnet manager knows what it found
# in its first sweep. Nothing but the agent sets one: there is no rdma-ndd in the image.
@test "static address; the subnet manager's first sweep finds the host's name" {
    on server "dhcp_stop; sm_stop; rule leaf01/p2 drop dir=rx class=0x01 method=0x05"
    node_start "$image" \
        "$console $ib_root $hca ip=10.9.0.50::10.9.0.1:255.255.255.0:node50:ib0:none"
    node_wait 60 'IA-E306'
    on server "sm; wait_active sib0; soon sh -c 'saquery NR | grep -q Desc.*sib0'"
    node_wait 60 'port ready'
    on server "saquery NR | grep -q 'NodeDescription.*node50 sib0'"
    assert_boot 90 4.2 rdma
    assert_rail .address 10.9.0.50/24
}

# boots_from HCA ADDRESS WORDS: two HCAs that both lead to the root; each has an address reserved.
# The second becomes ACTIVE later, so that a node that chooses by itself takes the first.
boots_from() {
    NODE_SECOND=1
    on server "rule leaf01/p3 delay:1500 dir=tx class=0x81 method=2 attr=0x15"
    node_start "$image" "$console $ib_root rd.rdma.link=sib0,softib,eth0 \
rd.rdma.link=sib1,softib,eth1 rd.neednet=1 $3"
    assert_boot 120 4.2 rdma
    assert_rail .rdma.device "$1"
    assert_rail .address "$2/24"
}

@test "two HCAs that both lead to the root, none chosen: the first" {
    boots_from sib0 10.9.0.20 ip=dhcp
    # whichever is up first, routes over the second have a lower priority
    assert_state '.rails | map(select(.netdev | startswith("ib"))) | sort_by(.netdev) |
        .[0].metric < .[1].metric' true
}

@test "BOOTIF= picks the second of two HCAs: a boot ROM's GUID, bare, all 20 octets, 48 bits" {
    local form
    for form in "20-${second//:/-}" "${second//:/-}" "01-50-54-00-99-00-65" \
        "20-80-00-12-34-fe-80-00-00-00-00-00-00-${second//:/-}"; do
        boots_from sib1 10.9.0.21 "BOOTIF=$form"
    done
}

@test "rd.ib.guid=, rd.ib.port= pick the second of two HCAs" {
    local words
    for words in "rd.ib.guid=0x${second//:/}" rd.ib.port=sib1/1 \
        "rd.ib.guid=ff:00:00:00:00:00:02:00:00:02:c9:00:$second"; do
        boots_from sib1 10.9.0.21 "$words"
    done
}

@test "ifname= and ip= by that name pick the second of two HCAs, whatever QPN and prefix are" {
    boots_from sib1 10.9.0.21 \
        "ifname=boot0:80:00:02:08:fe:80:00:00:00:00:00:00:$second ip=boot0:dhcp"
    assert_rail .netdev boot0
}

@test "ifname= of 8 octets, ip= by that name: the second of two HCAs; without it the first" {
    boots_from sib0 10.9.0.20 ip=ib0:dhcp
    boots_from sib1 10.9.0.21 "ip=ib0:dhcp ifname=ib0:$second"
    assert_rail .netdev ib0
}

@test "connected mode with its large MTU, umcast" {
    node_start "$image" "$console $ib_root ip=ib0:dhcp:65520 $hca rd.ib.mode=connected rd.ib.umcast"
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib0
    assert_state '.causes | length' 0
    assert_rail .mtu 65520
    assert_eq "$(<"$node_dir/results/umcast")" 1 "umcast of ib0"
}

@test "connected mode refused, as by mlx5's Enhanced IPoIB: said, and booted without" {
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 $hca rd.ib.mode=connected \
softib.datagram_only=1"
    assert_boot 90 4.2 rdma
    assert_console 'ib0: IA-E312 .*Invalid argument'
    assert_state '[.causes[] | [.code, .where]] | @text' '[["IA-E312","ib0"]]'
    assert_rail .mtu 2044
}

@test "MTU 4092: a 4K broadcast group carries an NFS root" {
    on server "grep -q ^big= /run/partitions ||
        echo 'big=0x8003,ipoib,mtu=5:ALL=full;' >>/run/partitions; sm_sweep;
        soon grep -qx 0x8003 /sys/class/infiniband/sib0/ports/1/pkeys/*;
        partition 0x8003 10.9.3.1/24"
    node_start "$image" "$console root=nfs:10.9.3.1:$root_path:vers=4.2,proto=tcp $hca \
rd.ib.pkey=0x8003 ip=10.9.3.20:::24::ib0.8003:none:4092"
    assert_boot 90 4.2 tcp
    assert_rail .netdev ib0.8003
    assert_rail .mtu 4092
    assert_state '.causes | length' 0
}

# What a port of Omni-Path lacks: a provider in the agent, and an answer from the switch.
opa="softib.omni_path=1 rd.rdma.link=hfi1_0,softib,eth0"

# assert_omni_path: by LIDs of more than 16 bits and the timer alone
assert_omni_path() {
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib0
    assert_rail .rdma.device hfi1_0
    assert_state '.ports[0] | .lid >= 65536 and .sm_lid >= 65536' true
    # it has no driver, so its own name; a driver's is in test_doctor.c
    assert_console 'hfi1_0/1: no libibverbs provider for .* in this program: polling instead'
    assert_state '.ports[0].neighbour' null
}

@test "Omni-Path: no provider, no switch that answers; LIDs above 16 bits" {
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 $opa rd.ib.port=hfi1_0"
    assert_omni_path
}

@test "Omni-Path beside an Ethernet interface whose lease comes first" {
    NODE_SECOND=1
    on server "rule leaf01/p2 delay:1500 dir=tx class=0x81 method=2 attr=0x15;
        ip addr show dev eth1 | grep -q 10.7.0.1 || ip addr add 10.7.0.1/24 dev eth1;
        /sbin/dnsmasq --conf-file=/dev/null --port=0 --user=root --interface=eth1 --bind-dynamic \
            --no-ping --dhcp-range=10.7.0.100,10.7.0.199,1h --pid-file=/run/dnsmasq2.pid \
            --dhcp-leasefile=/run/dnsmasq2.leases"
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 $opa"
    assert_omni_path
    on server "kill \$(cat /run/dnsmasq2.pid); ip addr del 10.7.0.1/24 dev eth1"
    assert_state '.rails[] | select(.netdev == "eth1") | .address | startswith("10.7.0.")' true
}

@test "an MTU above the broadcast group's is said" {
    node_start "$image" "$console $ib_root ip=ib0:dhcp:4092 $hca"
    assert_boot 90 4.2 rdma
    assert_console 'MTU 4092 .*2044'
}

@test "a partition's child interface, made when the P_Key comes" {
    on server "partition 0x8001 10.9.1.1/24"
    fault pkey_remove=0x8001
    node_start "$image" "$console root=nfs:10.9.1.1:$root_path:vers=4.2,proto=rdma,port=20049 $hca \
rd.ib.pkey=0x8001 ip=10.9.1.20:::255.255.255.0::ib0.8001:none rd.retry=160"
    node_wait 60 'ib0.8001: .*P_Key 0x8001.*IA-E307'
    fault pkey_remove=none
    on server sm_sweep
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib0.8001
    assert_rail .address 10.9.1.20/24
}

# As tenants of a fabric have it: the subnet manager is no member of the first P_Key's partition.
@test "the SA is asked in the default partition, which is not the first (OpenSM's indx0)" {
    on server "echo 'tenant=0x8004,indx0:0x${guid//:/}=full;' >>/run/partitions; sm_sweep"
    node_start "$image" "$console $ib_root $hca rd.ib.sm-probe=1 ip=10.9.0.50:::24::ib0:none"
    node_wait 60 'ib0: sib0/1 P_Key 8004: no IPoIB broadcast group'
    on server "sed -i /tenant/d /run/partitions; sm_sweep"
}

# Before the subnet manager has come, the table has the default partition alone.
@test "the default partition, which is not the first, has an interface of its own (indx0)" {
    on server "sm_stop; echo 'tenant=0x8004,indx0:0x${guid//:/}=full;' >>/run/partitions"
    node_start "$image" "$console $ib_root $hca ip=dhcp rd.neednet=1 rd.ib.pkey=0xffff"
    node_wait 60 'sib0/1 .*INIT.*no subnet manager.*IA-E306'
    on server sm
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib0.ffff
    on server "sed -i /tenant/d /run/partitions; sm_sweep"
}

@test "NetworkManager's ib.pkey=, DHCP in the partition" {
    on server "partition 0x8001 10.9.1.1/24"
    on server "dhcp_stop; dhcp_start --interface=ib0.8001 --dhcp-range=10.9.1.100,10.9.1.199,1h"
    node_start "$image" "$console root=nfs:10.9.1.1:$root_path:vers=4.2,proto=rdma,port=20049 $hca \
ib.pkey=ib0.8001 rd.neednet=1"
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib0.8001
}

@test "a subnet manager that comes late" {
    on server sm_stop
    fault flap=300
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 $hca rd.retry=160 rd.ib.sm-probe=1"
    node_wait 60 'sib0/1 .*INIT.*no subnet manager.*IA-E306'
    on server sm
    assert_boot 90 4.2 rdma
}

@test "two rails, one with a dead cable" {
    NODE_SECOND=1
    fault hold=polling
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 rd.rdma.link=sib0,softib,eth0 \
rd.rdma.link=sib1,softib,eth1 rd.ib.port=sib0,sib1"
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib1
}

@test "two rails, one static address, the first without subnet manager: the other takes it" {
    NODE_SECOND=1
    fault hold=init
    node_start "$image" "$console $ib_root rd.rdma.link=sib0,softib,eth0 \
rd.rdma.link=sib1,softib,eth1 rd.ib.port=sib0,sib1 ip=10.9.0.77::10.9.0.1:255.255.255.0:::none"
    assert_boot 90 4.2 rdma
    assert_rail .netdev ib1
    assert_rail .address 10.9.0.77/24
}

# In a partition; in the default one: handover-ib-bond.bats.
@test "a bond of two IPoIB ports: the active one's cable out under a running root" {
    NODE_SECOND=1
    on server "partition 0x8001 10.9.1.1/24"
    on server "dhcp_stop; dhcp_start --interface=ib0.8001 --dhcp-range=10.9.1.100,10.9.1.199,1h"
    node_start "$image" "$console root=nfs:10.9.1.1:$root_path:vers=4.2,proto=rdma,port=20049 \
rd.rdma.link=sib0,softib,eth0 rd.rdma.link=sib1,softib,eth1 rd.neednet=1 rd.ib.pkey=0x8001 \
ip=bond0:dhcp finalinit=cable:1 bond=bond0:ib0.8001,ib1.8001:mode=active-backup,primary=ib0.8001"
    node_wait 120 'finalinit: the server may go'
    stopwatch
    fault hold=polling
    # without the other port the root is not read to its end any more
    assert_boot 60 4.2 rdma
    assert_within .stalled_s 3 "the root was not read"
    assert_state '[.rails[] | .netdev, .kind, .lower[]] | @text' \
        '["bond0","bond","ib0.8001","ib1.8001"]'
    assert_rail .rdma.device sib0
}

@test "a rail lost while the root is not answering is replaced by the next" {
    NODE_SECOND=1
    on server nfsd_pause
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 rd.rdma.link=sib0,softib,eth0 \
rd.rdma.link=sib1,softib,eth1 rd.ib.port=sib0,sib1 rd.retry=160"
    # whichever has its lease first begins with the root
    node_wait 60 'ib0: RDMA port sib0/1 is ACTIVE'
    node_wait 60 'IA-E60[0-9]'
    fault hold=polling
    node_wait 30 'ib0: .*no link|ib0: .*IA-E(305|402)'
    on server nfsd_resume
    assert_boot 120 4.2 rdma
    assert_rail .netdev ib1
}

# hang_mount BREAK: two rails; the root is not there until the server's command BREAK has broken the
# first one.
hang_mount() {
    NODE_SECOND=1
    on server nfsd_pause
    node_start "$image" "$console $ib_root ip=dhcp rd.neednet=1 rd.rdma.link=sib0,softib,eth0 \
rd.rdma.link=sib1,softib,eth1 rd.ib.port=sib0,sib1 rd.retry=160"
    node_wait 60 'ib0: RDMA port sib0/1 is ACTIVE'
    node_wait 60 'IA-E60[0-9]'
    on server "$1"
    on server nfsd_resume
}

@test "a rail lost in the middle of a mount is replaced by the next" {
    # the connection request gets no answer, while neighbours are found: the attempt lasts
    hang_mount "rule leaf01/p2 drop class=0x07"
    refute_within 5 'mounted'
    fault hold=polling
    assert_boot 30 4.2 rdma
    assert_rail .netdev ib1
}

@test "a rail that carries nothing any more is left for the next" {
    hang_mount "fault leaf01/p2 drop=1000000"
    assert_boot 60 4.2 rdma
    assert_rail .netdev ib1
    assert_console 'ib0: lower priority now: route metric raised'
}

@test "two subnets, two servers by DHCP, the first does not answer: the other root is used" {
    on server "partition 0x8001 10.9.1.1/24"
    on server "dhcp_stop; dhcp_start --interface=ib0.8001 \
--dhcp-range=set:one,10.9.0.100,10.9.0.199,1h --dhcp-range=set:two,10.9.1.100,10.9.1.199,1h \
--dhcp-option=tag:one,option:root-path,nfs:10.9.0.99:$root_path:vers=4.2,proto=rdma,port=20049 \
--dhcp-option=tag:two,option:root-path,nfs:10.9.1.1:$root_path:vers=4.2,proto=rdma,port=20049"
    node_start "$image" \
        "$console root=dhcp $hca rd.ib.pkey=0x8001 ip=ib0:dhcp ip=ib0.8001:dhcp rd.retry=160"
    assert_boot 120 4.2 rdma
    assert_rail .netdev ib0.8001
}

@test "dracut without systemd, InfiniBand alone" {
    node_start "$LAB/softib-shell.img" "$console net.ifnames=0 $ib_root ip=dhcp rd.neednet=1 $hca"
    assert_boot 150 4.2 rdma
    assert_rail .netdev ib0
}

@test "initramfs-tools, InfiniBand alone" {
    node_start "$LAB/irt-softib.img" "$console net.ifnames=0 $ib_root ip=dhcp $hca"
    assert_boot 150 4.2 rdma
    assert_rail .netdev ib0
}

@test "dracut with systemd, InfiniBand alone" {
    node_start "$LAB/softib-systemd.img" "$console net.ifnames=0 $ib_root ip=dhcp rd.neednet=1 $hca"
    assert_boot 150 4.2 rdma
    assert_rail .netdev ib0
}
