#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The dracut module's hooks, in dash as in the initramfs, with an agent that answers as told.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2317 # scripts for other shells; stand-ins

bats_require_minimum_version 1.5.0

module=$BATS_TEST_DIRNAME/../dracut/70initagent

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    export hookdir=$PWD/hooks
    mkdir -p hooks/{cmdline,pre-udev,pre-trigger,mount,emergency} bin
    mkdir -p hooks/initqueue/{settled,finished}
    # answer/SUBCOMMAND holds the exit status; each call is written down.
    mkdir answer
    # what the generator has made
    mkdir -p units/initrd-root-fs.target.requires
    ln -s /usr/lib/systemd/system/initagent-root.service units/initrd-root-fs.target.requires/
    cat >bin/initagent <<SCRIPT
#!/bin/sh
echo "\$*" >>$PWD/calls
[ \$1 != claims ] || cat $PWD/answer/device 2>/dev/null
exit "\$(cat $PWD/answer/\$1)"
SCRIPT
    chmod 755 bin/initagent
    for hook in "$module"/initagent-*.sh "$module/initagent-generator"; do
        sed "s|/usr/sbin/initagent|$PWD/bin/initagent|g" "$hook" >"bin/${hook##*/}"
    done
}

answers() {
    echo "$2" >"answer/$1"
}

# in_dracut SCRIPT: in the shell that sources the hooks, with dracut's functions it may use.
in_dracut() {
    env ${DRACUT_SYSTEMD:+DRACUT_SYSTEMD=1} NEWROOT=/sysroot \
        initagent_units="$PWD/units" dash -euc '
        need_shutdown() { echo need_shutdown >>calls.dracut; }
        ismounted() { return "${MOUNTED:-1}"; }
        getarg() { return "${BREAK:-1}"; }
        emergency_shell() { echo "emergency: $*"; }
        warn() { echo "warning: $*"; }
        set +eu
        '"$1"
}

# names of all hooks of dracut's that configure the network or mount a network root
others=(cmdline/90-parse-nfsroot.sh cmdline/90-parse-nbdroot.sh cmdline/91-dhcp-root.sh \
    cmdline/98-parse-ip-opts.sh
    cmdline/99-parse-ifname.sh cmdline/99-nm-config.sh cmdline/99-networkd-config.sh
    cmdline/99-cm-config.sh cmdline/92-parse-ibft.sh cmdline/95-parse-vlan.sh \
        cmdline/96-parse-bond.sh
    cmdline/96-parse-team.sh cmdline/97-parse-bridge.sh pre-udev/50-ifname-genrules.sh
    pre-udev/60-net-genrules.sh pre-udev/99-nfs-start-rpc.sh initqueue/settled/99-nm-run.sh
    initqueue/settled/99-networkd-run.sh initqueue/settled/99-cm-run.sh
    cmdline/99-wicked-config.sh pre-udev/99-wicked-run.sh)
bystanders=(cmdline/10-parse-root-opts.sh cmdline/30-parse-lvm.sh cmdline/95-parse-block.sh
    pre-udev/30-block-genrules.sh initqueue/settled/blocksymlink.sh)

dracut_hooks() {
    local hook
    for hook in "${others[@]}" "${bystanders[@]}"; do
        echo "echo ran ${hook##*/}" >"hooks/$hook"
    done
    cp bin/initagent-claim.sh hooks/cmdline/11-initagent-claim.sh
}

# The two ways dracut sources a stage: 059 looks at each file in turn, dracut-ng lists them first.
ways=('for f in "$hookdir"/cmdline/*.sh; do [ -e "$f" ] && . "$f"; done'
    'for f in $(echo "$hookdir"/cmdline/*.sh); do . "$f"; done')

@test "dracut's NVMe hook is empty for the agent's NVMe root, else it is for other disks" {
    local root hook=hooks/cmdline/92-parse-nvmf-boot-connections.sh
    for root in nfs:10.0.0.1:/x nvmf:tcp:10.0.0.1:nqn.x nvmf; do
        dracut_hooks
        echo "echo ran" >"$hook"
        answers claims 0
        in_dracut "DRACUT_SYSTEMD=1 root=$root; . bin/initagent-claim.sh"
        [[ $root == nfs:* && -s $hook || $root == nvmf* && ! -s $hook ]]
    done
    rm "$hook"
}

@test "a network root is unmounted by dracut's shutdown, and nobody waits for /dev/root" {
    local claim left hook=hooks/cmdline/30-parse-dmsquash-live.sh
    local expected=('need_shutdown ' 'echo ran' 'echo ran')
    answers boot 0
    for claim in 0 1 2; do
        dracut_hooks
        rm -f calls.dracut
        echo "echo ran" >"$hook"
        answers claims "$claim"
        in_dracut "root=live:http://x/y; . bin/initagent-claim.sh; wait"
        left="$(cat calls.dracut 2>/dev/null) $(cat "$hook")"
        [ "${left# }" = "${expected[claim]}" ]
    done
    rm "$hook"
}

@test "a root of ours is claimed; dracut's network hooks are empty, the others run" {
    local way hook
    for way in "${ways[@]}"; do
        dracut_hooks
        answers claims 0
        run -0 in_dracut "DRACUT_SYSTEMD=1 root=nfs:10.0.0.1:/x netroot=x; $way;
            echo \"\$root \$rootok \${netroot-none}\""
        [ "$output" = "ran 10-parse-root-opts.sh
ran 30-parse-lvm.sh
ran 95-parse-block.sh
initagent 1 none" ]
        for hook in "${others[@]}"; do
            [ -f "hooks/$hook" ]
            [ ! -s "hooks/$hook" ]
        done
        for hook in "${bystanders[@]}"; do [ -s "hooks/$hook" ]; done
    done
}

@test "a root that is not ours is left alone" {
    local code way hook
    for code in 1 127; do
        for way in "${ways[@]}"; do
            dracut_hooks
            answers claims "$code"
            run -0 in_dracut \
                "root=UUID=1 netroot=x; $way; echo \"\$root \${rootok-unset} \$netroot\""
            [[ "$output" == *"ran 90-parse-nfsroot.sh"* && "$output" == *"UUID=1 unset x" ]]
            for hook in "${others[@]}" "${bystanders[@]}"; do [ -s "hooks/$hook" ]; done
        done
    done
}

@test "rd.neednet beside a root of dracut's: the network hooks are empty, the root stays dracut's" {
    local way hook
    answers claims 2
    answers boot 0
    for way in "${ways[@]}"; do
        dracut_hooks
        run -0 in_dracut "root=UUID=1; $way; wait; echo \"\$root \${rootok-unset}\""
        [[ $output == *"ran 30-parse-lvm.sh"* && $output == *"UUID=1 unset" ]]
        for hook in "${others[@]}"; do [ ! -s "hooks/$hook" ]; done
        for hook in "${bystanders[@]}"; do [ -s "hooks/$hook" ]; done
    done
    [ "$(sort -u calls)" = "boot --sysroot /sysroot
claims" ]
}

@test "rd.neednet beside a root of dracut's: the pivot waits for the network" {
    answers boot 0
    answers wait 0
    in_dracut 'initagent_claims=2; . bin/initagent-network.sh'
    [ "$(cat calls)" = wait ]
    # failed, then up; with rd.break= the agent starts late, and the cold plug takes place
    answers wait 2
    run -0 in_dracut "initagent_claims=2; emergency_shell() { echo \"\$*\"; echo 0 >answer/wait; }
        . bin/initagent-network.sh"
    [ "$output" = "initagent could not bring the network up." ]
    [ "$(cat calls)" = "wait
wait
boot --sysroot /sysroot
wait" ]
    BREAK=0 in_dracut "initagent_claims=2; root=UUID=1; . bin/initagent-start.sh; wait"
    [ "$(tail -n 1 calls)" = "boot --sysroot /sysroot" ]
}

@test "hooks of initqueue/online: once for each interface, when the network is up" {
    local script='source_hook() { echo "$1 $2 $netif"; exit 1; }
        . bin/initagent-online.sh; printf "eth0\nib0\n" >online
        . bin/initagent-online.sh; . bin/initagent-online.sh; echo "end $netif"'
    sed -i "s|/run/initagent/online|$PWD/online|g; s|/sys/class/net|$PWD/sys|
        s|/tmp/dhc|$PWD/dhc|" bin/initagent-online.sh
    mkdir -p sys/{eth0,ib0}
    echo 3 | tee sys/eth0/ifindex >sys/ib0/ifindex
    run -0 in_dracut "$script"
    [ "$output" = "initqueue/online eth0 eth0
initqueue/online ib0 ib0
end " ]
    [ ! -e calls ]
}

@test "hooks of initqueue/online read of the lease what dracut's network modules give them" {
    local of_eth0='10.0.0.2 10.0.0.3|10.0.0.1|/srv/x|fd00::7'
    mkdir -p sys/{eth0,ib0} tmp
    echo 3 >sys/eth0/ifindex
    echo 4 >sys/ib0/ifindex
    printf '%s\n' initagent-lease=1 dns=10.0.0.9 ntp=10.0.0.2 ntp=10.0.0.3 next-server=10.0.0.1 \
        root-path=/srv/x >lease.3
    echo ntp=fd00::7 >lease6.3
    # not of a use that has quotes
    echo "root-path=/srv/';echo>bad;'" >lease.4
    # nor is a backslash read as anything else
    printf '%s\n' 'root-path=/srv/\0047;echo>bad;\0047' >lease6.4
    printf 'eth0\nib0\n' >online
    sed -i "s|/run/initagent/|$PWD/|g; s|/tmp/dhc|$PWD/tmp/dhc|; s|/sys/class/net/|$PWD/sys/|" \
        bin/initagent-online.sh
    run -0 in_dracut 'source_hook() { . "$PWD/tmp/dhclient.$2.dhcpopts"
        printf "%s|%s|%s|%s\n" "$new_ntp_servers" "$new_next_server" "$new_root_path" \
            "$new_dhcp6_ntp_servers"; }
        . bin/initagent-online.sh'
    [ "$output" = "$of_eth0
||/srv/\0047;echo>bad;\0047|" ]
    [ ! -e bad ]
    # static addresses: no lease
    rm lease* tmp/*
    run -0 in_dracut 'source_hook() { wc -c <"$PWD/tmp/dhclient.$2.dhcpopts"; }
        . bin/initagent-online.sh'
    [ "$output" = "0
0" ]
}

@test "hooks of a root that is not ours do not even call the agent" {
    local hook
    for hook in start watch finished verify network; do
        run -0 in_dracut "root=block:/dev/sda1; . bin/initagent-$hook.sh"
        [ -z "$output" ]
    done
    [ ! -e calls ]
}

# whole_start: the two hooks that start the agent and wait for it, then dracut's cold plug and, much
# later, the end of udevd.
whole_start() {
    answers claims 0
    printf '#!/bin/sh\necho "udevadm $*"\n' >bin/udevadm
    chmod 755 bin/udevadm
    in_dracut \
        'PATH=$PWD/bin:$PATH; . bin/initagent-claim.sh; echo "between"; . bin/initagent-start.sh
        udevadm control --reload; udevadm trigger --type=devices; $UDEV_QUEUE_EMPTY
        udevadm control --exit'
}

@test "the root mounted: dracut's cold plug is left out, other calls of udevadm are not" {
    answers boot 0
    UDEV_QUEUE_EMPTY="udevadm settle --timeout=0" run -0 whole_start
    [ "$output" = "between
udevadm control --reload
udevadm control --exit" ]
    [ "$(cat calls)" = "claims
boot --sysroot /sysroot" ]
}

# calculated SHELL ROOT: what dracut's init makes of rd.retry=160s after the hook.
calculated() {
    "$1" -c 'getarg() { [ "$1" != rd.retry ] || echo 160s; echo "$1" >&2; }
        root='"$2"' initagent_pid=
. bin/initagent-start.sh
RDRETRY=$(getarg rd.retry -d "rd_retry=")
RDRETRY=${RDRETRY:-180}
RDRETRY=$((RDRETRY * 2))
getarg rd.shell
echo "$RDRETRY"'
}

@test "dracut's arithmetic does not meet rd.retry=160s; of a root of its own it does" {
    local shell
    ln -s "$(command -v bash)" bin/sh
    answers boot 0
    for shell in dash bin/sh; do
        run -0 --separate-stderr calculated "$shell" initagent
        [ "$output" = 360 ]
        [ "$stderr" = rd.shell ]
        # how dash ends at a number that is none, and bash as sh
        run -"$([ "$shell" = dash ] && echo 2 || echo 127)" calculated "$shell" UUID=1
        [[ $output == *160s* ]]
    done
}

@test "something waits for a disk beside the root: the cold plug takes place" {
    answers boot 0
    echo '[ -e /dev/disk/by-label/scratch ]' >hooks/initqueue/finished/devexists-x.sh
    run -0 whole_start
    [[ $output == *"udevadm trigger"* ]]
    # of a root= of rd.systemd.pull=
    : >hooks/initqueue/finished/devexists-x.sh
    run -0 whole_start
    [[ $output != *"udevadm trigger"* ]]
}

@test "the device of a root= of rd.systemd.pull= is not waited for, another one is" {
    local at='hooks/initqueue/finished/devexists-\x2fdev\x2fdisk\x2fby'
    answers boot 0
    answers claims 0
    for device in /dev/disk/by-loop-ref/a.raw-part2 /dev/disk/by-label/ROOT ""; do
        echo "$device" >answer/device
        tee "$at-loop-ref\\x2fa.raw-part2.sh" "$at-label\\x2fROOT.sh" >"$at-label\\x2fscratch.sh" \
            <<<'[ -e x ]'
        in_dracut ". bin/initagent-claim.sh; wait"
        run -0 find hooks/initqueue/finished -name 'devexists-*' -empty -printf %P
        [ "$output" = "${device:+devexists-${device//\//\\x2f}.sh}" ]
    done
}

@test "the root not mounted: the cold plug takes place" {
    local code
    for code in 1 137; do
        answers boot "$code"
        run -0 whole_start
        [[ $output == *"udevadm trigger"* ]]
    done
}

@test "a shell asked for: the agent starts in its turn, and the cold plug takes place" {
    answers boot 0
    BREAK=0 run -0 whole_start
    [[ $output == *"udevadm trigger"* ]]
    [ "$(cat calls)" = "claims
boot --sysroot /sysroot" ]
}

@test "with systemd the claim starts nothing" {
    answers boot 0
    answers claims 0
    DRACUT_SYSTEMD=1 in_dracut '. bin/initagent-claim.sh; wait'
    [ "$(cat calls)" = claims ]
}

@test "with systemd a claim that the generator did not see is none: dracut makes its network" {
    local claim
    for claim in 0 2; do
        dracut_hooks
        rm -rf units
        answers claims "$claim"
        run -0 in_dracut 'DRACUT_SYSTEMD=1 root=LABEL=x; . bin/initagent-claim.sh; echo "$root"'
        [ "$output" = LABEL=x ]
        [ -s hooks/cmdline/99-networkd-config.sh ]
        # without systemd there is no generator
        run -0 in_dracut 'root=LABEL=x; . bin/initagent-claim.sh; wait'
        [ ! -s hooks/cmdline/99-networkd-config.sh ]
    done
}

@test "the queue is done when the agent is, and not before" {
    answers wait 0
    in_dracut 'root=initagent; . bin/initagent-finished.sh'
    for code in 1 2 3 4; do
        answers wait "$code"
        run -"$code" in_dracut 'root=initagent; . bin/initagent-finished.sh'
    done
    [ "$(sort -u calls)" = "wait --timeout 0" ]
}

# watch STATUS: what the job does when "wait" answers so; prints dracut's count of passes.
watch() {
    rm -f calls
    answers wait "$1"
    answers boot 0
    in_dracut \
        'root=initagent; main_loop=5; . bin/initagent-watch.sh; wait; echo "passes $main_loop"'
}

@test "at work: dracut's count of passes is held, so that rd.retry=0 does not end it" {
    [ "$(watch 1)" = "passes -1" ]
    [ "$(cat calls)" = "wait --timeout 1" ]
}

@test "killed: started again, while dracut's count runs on" {
    [ "$(watch 3)" = "passes 5" ]
    [ "$(cat calls)" = "wait --timeout 1
boot --sysroot /sysroot" ]
}

@test "failed: dracut's emergency policy, and another try when the shell is left" {
    run -0 watch 2
    [ "$output" = "emergency: initagent could not mount the root.
passes 5" ]
    [ "$(tail -n 1 calls)" = "boot --sysroot /sysroot" ]
}

@test "done meanwhile: nothing" {
    [ "$(watch 0)" = "passes 5" ]
    [ "$(cat calls)" = "wait --timeout 1" ]
}

@test "mount stage: a root that is gone is an emergency, a mounted one is none" {
    MOUNTED=0 run -0 in_dracut 'root=initagent; . bin/initagent-verify.sh'
    [ -z "$output" ]
    MOUNTED=1 run -0 in_dracut 'root=initagent; . bin/initagent-verify.sh'
    # dracut itself unmounts one that it takes for none, and says nothing
    [[ "$output" == "emergency: "*"/sysroot is gone"*" without /proc, /sys and /dev"* ]]
}

@test "generator: services of ours and masks, only for a root of ours" {
    mkdir normal early late
    answers claims 1
    dash bin/initagent-generator normal early late
    [ -z "$(find normal early late -mindepth 1)" ]
    answers claims 2
    dash bin/initagent-generator normal early late
    [ "$(find normal -type l -printf '%P %l\n' | sort)" = \
"initrd-cleanup.service.requires/initagent-network.service \
/usr/lib/systemd/system/initagent-network.service
initrd.target.requires/initagent-network.service \
/usr/lib/systemd/system/initagent-network.service
initrd.target.wants/initagent-online.service \
/usr/lib/systemd/system/initagent-online.service
network-online.target.wants/initagent-online.service \
/usr/lib/systemd/system/initagent-online.service" ]
    [ -z "$(find normal -name '*.conf')" ]
    [ "$(readlink early/systemd-networkd.service)" = /dev/null ]
    rm -r normal early late
    mkdir normal early late
    answers claims 0
    dash bin/initagent-generator normal early late
    [ -h normal/network-online.target.wants/initagent-online.service ]
    [ "$(readlink normal/initrd.target.wants/initagent-online.service)" = \
        /usr/lib/systemd/system/initagent-online.service ]
    grep -qxF 'ConditionPathExistsGlob=|/etc/systemd/system/initrd.target.wants/*.device' \
        normal/systemd-udev-trigger.service.d/*.conf
    grep -qx "After=initagent-root.service" normal/systemd-udev-trigger.service.d/*.conf
    [ "$(readlink normal/initrd-root-fs.target.requires/initagent-root.service)" = \
        /usr/lib/systemd/system/initagent-root.service ]
    for unit in systemd-networkd.service systemd-network-generator.service nm-initrd.service; do
        [ "$(readlink "early/$unit")" = /dev/null ]
    done
    [ -z "$(find late -mindepth 1)" ]
}

@test "the hooks speak no bash; the module stays short" {
    local hook
    for hook in "$module"/initagent-*.sh "$module/initagent-generator"; do
        dash -n "$hook"
        bash --posix -n "$hook"
        [ "$(wc -l <"$hook")" -le 48 ]
    done
    [ "$(wc -l <"$module/module-setup.sh")" -le 117 ]
}

@test "installed: hooks may run, the list of drivers lies beside module-setup.sh" {
    local rows dir=$PWD/dest/usr/lib/dracut/modules.d/70initagent
    make -s -C "$BATS_TEST_DIRNAME/.." install-dracut DESTDIR="$PWD/dest" PREFIX=/usr
    for file in "$module"/*; do cmp "$file" "$dir/${file##*/}"; done
    [ -x "$dir/module-setup.sh" ]
    [ -x "$dir/initagent-generator" ]
    [ ! -x "$dir/drivers.list" ]
    grep -qx 'ice irdma' "$dir/companions.list"
    rows=$(grep -c COMPANION_AFTER, "$BATS_TEST_DIRNAME/../initagent/modules/companions.c")
    [ "$(grep -cxE '[a-z0-9_]+ [a-z0-9_]+' "$dir/companions.list")" = "$rows" ]
}

@test "the diskless image is packed as its kernel can read it: zstd from 5.9 on" {
    local kernel compress row
    for row in 4.18.0-553.el8.x86_64: 5.4.0-1: 5.8.18: 5.9.0:zstd 5.14.0-570.el9:zstd \
        6.1.0-56:zstd 40.1.0:zstd; do
        kernel=${row%:*} compress=
        # shellcheck source=/dev/null
        . "$module/diskless.conf"
        [ "$compress" = "${row#*:}" ]
    done
}

@test "the module is refused without a shell" {
    local have
    # shellcheck source=dracut/70initagent/module-setup.sh
    . "$BATS_TEST_DIRNAME/../dracut/70initagent/module-setup.sh"
    find_binary() { [[ " $have " == *" $1 "* ]]; }
    require_binaries() {
        local name
        for name; do find_binary "$name" || { echo "no $name"; return 1; }; done
    }
    # switch_root may be the busybox' that dracut's module of that name brings: install() looks
    have="initagent sh" run -255 check
    [ -z "$output" ]
    IN_KDUMP=1 have="initagent sh" run -1 check
    have="initagent switch_root" run -1 check
    [ "$output" = "no sh" ]
}

@test "an image without systemd is not made without switch_root" {
    local have included
    # shellcheck source=dracut/70initagent/module-setup.sh
    . "$BATS_TEST_DIRNAME/../dracut/70initagent/module-setup.sh"
    find_binary() { [[ " $have " == *" $1 "* ]]; }
    dracut_module_included() { [[ " $included " == *" $1 "* ]]; }
    dfatal() { echo "fatal: $*"; }
    inst_binary() { :; }
    inst_hook() { :; }
    inst_multiple() { :; }
    have="initagent systemctl" included=base run -1 install
    [[ $output == "fatal: "*"switch_root"* ]]
    have="initagent switch_root" included=base run -0 install
    # busybox' is that of the host, or is taken out again
    have="initagent systemctl" included="base busybox" run -1 install
}

# drivers LACKS [CMDLINE]: installkernel() of a kernel without these modules.
drivers() {
    # shellcheck source=dracut/70initagent/module-setup.sh
    . "$BATS_TEST_DIRNAME/../dracut/70initagent/module-setup.sh"
    local lacks=$1 kernel_cmdline=${2:-} hostonly=${hostonly:-} moddir=$PWD/module
    mkdir -p "$moddir"
    cp "$module/drivers.list" "$moddir/"
    printf '%s\n' 'ice irdma' 'qede qedr' 'bnxt_en bnxt_re' >"$moddir/companions.list"
    # ours, but for what this machine was booted with
    initagent() {
        [[ $1 == claims ]] && { echo "${booted:-}"; return; }
        (cd "$BATS_TEST_DIRNAME/.." && "${BUILD:-build}/initagent" "$@")
    }
    dracut_module_included() { [[ " ${included:-} " == *" $1 "* ]]; }
    instmods() {
        echo "${!#}" >>"$BATS_TEST_TMPDIR/taken"
        [[ " $lacks " != *" ${!#} "* ]]
    }
    dwarn() { echo "warning: $*"; }
    derror() { echo "error: $*"; }
    dfatal() { echo "fatal: $*"; }
    installkernel
}

@test "a kernel without RDMA drivers: said; without one that must exist: no image" {
    local nfs=root=nfs:10.0.0.1:/srv
    run -0 drivers "rdma_rxe ib_ipoib siw virtio_blk" "$nfs ip=eth0:dhcp"
    [ "$output" = "warning: initagent: this kernel has no module rdma_rxe (RDMA over any \
Ethernet adapter (RoCE in software))
warning: initagent: this kernel has no module ib_ipoib (IP over InfiniBand; no alias \
loads it)
warning: initagent: this kernel has no module virtio_blk (virtual machines)" ]
    run -1 drivers "squashfs loop nfsv3"
    [ "$output" = "fatal: initagent: no image without the kernel modules nfsv3 (NFS root, \
version 3), squashfs (image root), loop (image root)" ]
}

# refuses MODULE OPTION CMDLINE: no image where the kernel lacks it; else it is in the image.
refuses() {
    run -1 drivers "$1" "$3"
    [[ $output == *"fatal: initagent: no image without the kernel modules $1 ($2)"* ]] || {
        echo "$3: $output"
        return 1
    }
    rm -f taken
    run -0 drivers "" "$3"
    grep -qx -e "$1" taken
}

@test "a vendor's dummy in place of a driver is none" {
    local nfs=root=nfs:10.0.0.1:/srv
    local -A dummy=(["-k 6.1 -F description rpcrdma"]=" dummy kernel module")
    modinfo() {
        echo "$4${dummy[$*]:-}"
    }
    kernel=6.1 run -0 drivers "" "$nfs ip=eth0:dhcp"
    [ "$output" = "warning: initagent: rpcrdma is a dummy of its vendor's: it does nothing
warning: initagent: this kernel has no module rpcrdma (NFS root over RDMA)" ]
    run -1 grep -x rpcrdma taken
    kernel=6.1 run -1 drivers "" "$nfs:proto=rdma ip=eth0:dhcp"
    [[ $output == *"fatal: initagent: no image without the kernel modules rpcrdma (root=)" ]]
}

@test "no image for a command line that asks for a driver the kernel does not have" {
    local nfs=root=nfs:10.0.0.1:/srv bond=bond=bond0:ib0,ib1:mode=active-backup
    refuses rpcrdma root= "$nfs:proto=rdma ip=eth0:dhcp"
    refuses rdma_rxe rd.rdma.link= "$nfs rd.rdma.link=rxe0,rxe,eth0"
    refuses siw rd.rdma.link= "$nfs rd.rdma.link=siw0,siw,eth0"
    refuses ib_ipoib "ip= or bootdev=" "$nfs ip=ib0:dhcp"
    refuses ib_ipoib "ip= or bootdev=" "$nfs ip=ibp65s0:dhcp"
    refuses ib_ipoib rd.ib. "$nfs rd.ib.pkey=0x8001"
    refuses ib_ipoib rd.ib. "$nfs rd.ib.mode=connected"
    refuses ib_ipoib bond= "$nfs ip=bond0:dhcp $bond"
    refuses bonding "vlan=, bond= or bridge=" "$nfs ip=bond0:dhcp $bond"
    refuses 8021q "vlan=, bond= or bridge=" "$nfs ip=vlan5:dhcp vlan=vlan5:eth0"
    refuses nvme_rdma root= root=nvmf:rdma:10.0.0.1:nqn.2024-01.org.example:x
    refuses nbd root= root=nbd:10.0.0.1:x
    refuses xfs rootfstype= "root=nbd:10.0.0.1:x rootfstype=xfs"
    refuses mlx5_ib rd.driver.post= "$nfs rd.driver.post=mlx5_ib"
    refuses iscsi_ibft ip= "$nfs ip=ibft"
    refuses efivarfs "rd.report=efi or bootorigin" "$nfs rd.report=efi"
    # these it may do without
    run -0 drivers rpcrdma "$nfs:proto=rdma rd.nfs.fallback=tcp"
    run -0 drivers "siw nvme_rdma nbd" "$nfs ip=eth0:dhcp"
}

@test "an image for one machine: what it was booted with is asked for as well" {
    local nfs=root=nfs:10.0.0.1:/srv:proto=rdma
    hostonly=1 hostonly_cmdline=yes booted=$nfs run -1 drivers rpcrdma
    [[ $output == *"fatal: "*" rpcrdma (root=)"* ]]
    hostonly=1 hostonly_cmdline=no booted=$nfs run -0 drivers rpcrdma
    hostonly='' hostonly_cmdline=yes booted=$nfs run -0 drivers rpcrdma
}

@test "an image for one machine has what it was booted with, before what dracut is given" {
    local initdir=$PWD/image hostonly_cmdline=yes booted="root=nfs:10.0.0.1:/x ip=dhcp"
    # shellcheck source=dracut/70initagent/module-setup.sh
    . "$BATS_TEST_DIRNAME/../dracut/70initagent/module-setup.sh"
    initagent() { [ "$*" = "claims --options" ] && [ "$booted" ] && echo "$booted"; }
    run -0 install_hostonly
    [ "$(cat image/etc/cmdline.d/00initagent.conf)" = "$booted" ]
    [ "$(cmdline)" = "$booted" ]
    rm -r image
    hostonly_cmdline=no run -0 install_hostonly
    booted='' run -0 install_hostonly
    [ -z "$(ls image/etc/cmdline.d)" ]
    booted='' run -0 cmdline
    [ -z "$output" ]
}

@test "a driver that omit_drivers names: not missed, unless the command line asks for it" {
    local omit_drivers='^squashfs$|^nbd$'
    run -0 drivers "squashfs nbd" root=nfs:10.0.0.1:/srv
    run -1 drivers "" root=nbd:10.0.0.1:x
    [[ $output == "fatal: "*" nbd (omitted, but for root=)" ]]
}

@test "a root that is left to a module of dracut's: said where the image has none" {
    local included=base line="root=LABEL=x netroot=iscsi:10.0.0.1::::iqn.2024-01.org.example:x"
    run -0 drivers "" "$line"
    [ "$output" = "warning: initagent: root= is left to dracut's module iscsi, which is not \
included" ]
    included="base iscsi" run -0 drivers "" "$line"
    [ -z "$output" ]
}

@test "Ethernet drivers have their RDMA drivers with them: all, or the added ones" {
    local add_drivers="nbd ice" included=base
    run -0 drivers bnxt_re
    [ -z "$output" ]
    assert_taken irdma
    add_drivers='' included="base kernel-network-modules"
    run -0 drivers bnxt_re
    [ -z "$output" ]
    assert_taken irdma qedr bnxt_re
}

# assert_taken NAME...: of these alone the modules that no list names
assert_taken() {
    local taken
    taken=$(grep -vxFf <(awk '{ print $2 }' "$module/drivers.list") taken | paste -sd ' ')
    rm taken
    [ "$taken" = "$*" ] || {
        echo "taken: $taken"
        return 1
    }
}

@test "the image trusts what /etc/initagent of its machine names, and holds no other key" {
    # shellcheck source=dracut/70initagent/module-setup.sh
    . "$BATS_TEST_DIRNAME/../dracut/70initagent/module-setup.sh"
    find_binary() { echo "/usr/sbin/$1"; }
    dracut_module_included() { :; }
    install_units() { :; }
    inst_binary() { :; }
    inst_hook() { :; }
    inst_multiple() { echo "$*"; }
    run -0 install
    [ "$output" = "-o /etc/initagent/ca.pem /etc/initagent/keys/*.pub" ]
}
