#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# kernel-cmdline/compat.def against what it is about: the programs that make a configuration of the
# command line for systemd-networkd and NetworkManager, the init of initramfs-tools, that with
# live-boot, and the hooks of dracut's network-legacy, for which this proves the dracut column of
# options.def as well. All are in the lab's roots and images.
bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_TEST_DIRNAME/.." || return
    export LAB
    LAB=$(realpath "${BUILD:-build}")/lab
    mkdir "$BATS_FILE_TMPDIR/legacy"
    (cd "$BATS_FILE_TMPDIR/legacy" && cpio -id --quiet) <"$LAB/agent-legacy.img"
}

# rows BACKEND: example, tab, proof
rows() {
    printf '%s\n' '#define COMPAT(b, id, value, text, example, proof) @b example proof' \
        '#define PROVED(id, example, proof) @LEGACY example proof' \
        '#include "kernel-cmdline/compat.def"' @ | cc -E -P -x c -I. - | tr '\n@' ' \n' |
        sed -nE "s/^$1 *\"([^\"]*)\" *\"([^\"]*)\" *\$/\\1\\t\\2/p"
}

# What is made by chance, or changes with the machine, is left out.
nm() {
    # shellcheck disable=SC2086 # a command line is words
    chroot "$LAB/handover-root" /usr/lib/NetworkManager/nm-initrd-generator -s -- $1 2>&1 |
        sed -E 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/UUID/g
            s/^NetworkManager-Message: [0-9:.]*//; s/\[[0-9.]+\]//'
}

networkd() {
    # shellcheck disable=SC2086 # a command line is words
    chroot "$2" sh -c 'rm -rf /run/systemd/network
        /usr/lib/systemd/systemd-network-generator -- "$@" 2>&1
        cat /run/systemd/network/* 2>/dev/null
        rm -rf /run/systemd/network' - $1
}

# Goes into a view of the root $1 that nothing is left of.
# shellcheck disable=SC2016 # for the other shell
in_view='mount -t tmpfs view "$1/run" && mkdir "$1"/run/{upper,work,root} &&
    mount -t overlay -o "lowerdir=$1,upperdir=$1/run/upper,workdir=$1/run/work" view \
        "$1/run/root" && cd "$1/run/root" || exit
'

# init_with CMDLINE STEPS: the loop of the init of initramfs-tools over the words of its command
# line, then these steps of a shell.
init_with() {
    unshare --mount --propagation private bash -c "$in_view"'
        mkdir -p proc sys/class/net/eth{0,1} conf && printf "%s\n" "$2" >proc/cmdline &&
            echo BOOT=local >conf/initramfs.conf &&
            echo 52:54:00:12:34:56 >sys/class/net/eth0/address &&
            echo 52:54:00:12:34:57 >sys/class/net/eth1/address &&
            echo 1 | tee sys/class/net/eth{0,1}/carrier >/dev/null
        exec chroot . /bin/dash -c "
            rootmnt= BOOT= ROOT= IP= BOOTIF= readonly= init= NFSROOT= ROOTFLAGS= ROOTFSTYPE= quiet=n
            . /usr/share/initramfs-tools/scripts/functions
            $(sed -n "/^for x in \$(cat/,/^done/p" usr/share/initramfs-tools/init |
                sed "s/set -x/:/")
            sleep() { :; }
            log_begin_msg() { :; }
            log_end_msg() { :; }
            ipconfig() { echo ipconfig \"\$@\"; : >/run/net-eth0.conf; }
            $3"' - "$LAB/suites/trixie/root" "$1" "$2" 2>&1
}

# Shown are the variables that are set, and how ipconfig is called.
initramfs_tools() {
    # shellcheck disable=SC2016 # for the other shell
    init_with "$1" 'wait_for_udev() { :; }
        time_elapsed() { echo 999; }
        _usable_netdev_exists() { :; }
        set | grep -vE "^(_|x|PPID|LINENO|OPTIND|cmdline)="
        configure_networking'
}

# Shown is what it does: the steps of its Live(), as far as the root file system.
live_boot() {
    # shellcheck disable=SC2016 # for the other shell
    init_with "$1" '. /bin/live-boot
        modprobe() { :; }
        udevadm() { :; }
        ip() { :; }
        nfsmount() {
            echo nfsmount "$@"
            mkdir -p "$mountpoint/live"
            : >"$mountpoint/live/x.squashfs"
        }
        panic() { echo panic "$@"; exit; }
        setup_unionfs() { echo "root of $1"; }
        LIVE_BOOT_CMDLINE=$(cat /proc/cmdline)
        Cmdline_old
        Select_eth_device
        [ ! -e /conf/param.conf ] || . /conf/param.conf
        [ -n "$NETBOOT$FETCH$HTTPFS$FTPFS" ] || panic no root by network
        do_netmount && mount_images_in_directory "$mountpoint" /root ""
        echo "init=$init quiet=$quiet toram=$TORAM"'
}

# legacy CMDLINE: the hooks of network-legacy, and its ifup for the interfaces that these name.
# Shown are the programs that they call, what they write, and how often they slept. eth1 has no
# carrier.
legacy() {
    unshare --mount --propagation private bash -c "$in_view"'
        mkdir -p proc/sys/net/ipv6/conf/eth0 sys/class/net/eth{0,1} called &&
            printf "%s\n" "$2" >proc/cmdline && echo "$3" >called/stub && chmod 755 called/stub
        echo 52:54:00:12:34:56 | tee sys/class/net/eth{0,1}/address >/dev/null
        echo 1 >sys/class/net/eth0/carrier
        echo 0 >sys/class/net/eth1/carrier
        for i in ip dhclient modprobe arping teamd teamdctl sleep; do
            ln -s stub "called/$i"
        done
        cp called/stub sbin/netroot
        exec chroot . /bin/bash -c "
            PATH=/called:\$PATH
            . /lib/dracut-lib.sh
            . /lib/net-lib.sh
            : >/slept
            trap \"cd /tmp; ls; grep -s . *; cat /lib/dracut/hooks/emergency/01-die.sh /calls
                echo slept \\\$(grep -c . /slept)\" EXIT
            for hook in /lib/dracut/hooks/cmdline/9[1-9]-*.sh; do
                case \$hook in *-block.sh | *-virtiofs.sh) ;; *) . \$hook ;; esac
            done
            . /lib/dracut/hooks/pre-udev/50-ifname-genrules.sh
            . /lib/dracut/hooks/pre-udev/60-net-genrules.sh
            ls /lib/dracut/hooks/initqueue/finished
            cat /etc/udev/rules.d/*net*.rules /etc/udev/rules.d/*ifname*
            sed s/^PATH=.*// /sbin/ifup >/called/ifup && chmod 755 /called/ifup
            for i in eth0 eth1; do
                ! grep -q NAME==.\$i /etc/udev/rules.d/90-net.rules || ifup \$i
            done"' - "$BATS_FILE_TMPDIR/legacy" "$1" '#!/bin/sh
            name=${0##*/}
            [ "$name" != sleep ] || { echo x >>/slept; exit; }
            echo "$name $*" >>/calls
            case "$name $*" in
            "dhclient --help") echo --timeout ;;
            dhclient*) exit 1 ;;
            "ip link show"*) echo "<UP>" ;;
            esac' 2>&1
}

# proved PROGRAM EXAMPLE PROOF [ROOT]
proved() {
    local output part parts
    # what the program says of a wrong line is a part of the proof, and its status is not
    output=$("$1" "$2" "${4:-}") || output+=$'\n'"status $?"
    mapfile -t parts <<<"${3// & /$'\n'}"
    for part in "${parts[@]}"; do
        case $part in
        =) [[ $2 == *" "* && $output == "$("$1" "${2#* }" "${4:-}")" ]] || break ;;
        +*) grep -qE -e "${part#+}" <<<"$output" || break ;;
        -*) ! grep -qE -e "${part#-}" <<<"$output" || break ;;
        *) break ;;
        esac
        [[ $part != "${parts[-1]}" ]] || return 0
    done
    printf '%s\nnot proved: %s\n%s\n' "$2" "$3" "$output"
    return 1
}

# all_proved BACKEND LEAST PROGRAM [ROOT]: each of its rows, LEAST or more
all_proved() {
    local list row
    mapfile -t list < <(rows "$1")
    [ "${#list[@]}" -ge "$2" ]
    for row in "${list[@]}"; do
        proved "$3" "${row%$'\t'*}" "${row#*$'\t'}" "${4:-}"
    done
}

assert_same() {
    [ "$1" = "$2" ] || { diff <(echo "$2") <(echo "$1"); return 1; }
}

@test "lint --compat=nm says what nm-initrd-generator does" {
    all_proved NM 15 nm
}

# options SED-SCRIPT: of each option of the table its id, name and status and the dracut column
options() {
    printf '%s\n' '#define OPTION(id, name, g, d, st, f, p, m, dracut, ...) @id name st dracut' \
        '#include "kernel-cmdline/options.def"' '@' | cc -E -P -x c -I. - | tr '\n@' ' \n' |
        sed -nE "$1"
}

# names: of all options of the table that this agent acts on
names() {
    options 's/^ *[A-Z0-9_]* *"([^"]*)" *ACTED .*/\1/p'
}

# all_unread BACKEND PROGRAM REST: each option that is acted on here and of which lint says that it
# has no effect there has none; each other one has some. REST is a line that has everything else.
all_unread() {
    local list name value n=0 plain with unread=""
    plain=$("$2" "$3")
    mapfile -t list < <(names)
    [ "${#list[@]}" -ge 90 ]
    for name in "${list[@]}"; do
        [[ $name != ip && $name != root && $name != nfsroot ]] || continue
        # the line as a whole may be wrong
        run "${BUILD:-build}/initagent" lint "--compat=$1" "$name=1 root=/dev/nfs"
        [ "$status" -le 2 ]
        if [[ $output == "$name=1"*": has no effect"* ]]; then
            unread+=" $name $name=1"
            n=$((n + 1))
        else
            value=1
            [[ $name != BOOTIF ]] || value=01-52-54-00-12-34-57
            with=$("$2" "$3 $name=$value")
            [[ $with != "$plain" ]] || with=$("$2" "$3 $name")
            [[ $with != "$plain" ]] || { echo "$name has no effect"; return 1; }
        fi
    done
    [ "$n" -ge 80 ]
    assert_same "$("$2" "$3$unread")" "$plain"
}

@test "lint --compat=initramfs-tools says what its init does, and what it does not read" {
    all_proved INITRAMFS_TOOLS 6 initramfs_tools
    all_unread initramfs-tools initramfs_tools ip=off
}

# differing: the options of the network of which the dracut column says something of its own
differing() {
    options '/^ *RD_RETRY |^ *RD_TIMEOUT |"not known/d
        /^ *RD_NEEDNET /,/^ *TEAM /s/^ *([A-Z0-9_]*) *"[^"]*" *[A-Z]* *"[^"].*/\1/p'
}

@test "lint --compat=dracut-legacy says what network-legacy does: each option of the network" {
    local list name
    all_proved LEGACY 20 legacy
    mapfile -t list < <(differing)
    [ "${#list[@]}" -ge 12 ]
    for name in "${list[@]}"; do
        grep -q "^PROVED($name," kernel-cmdline/compat.def ||
            { echo "$name has no proof"; return 1; }
    done
    # what is not known there has no effect
    mapfile -t list < <(options 's/^ *[A-Z0-9_]* *"([^"]*)" *ACTED *"not known there".*/ \1 \1=1/p')
    [ "${#list[@]}" -ge 20 ]
    assert_same "$(legacy "ip=eth0:dhcp${list[*]}")" "$(legacy ip=eth0:dhcp)"
}

@test "lint --compat=live-boot says what that does, and what has no effect there" {
    all_proved LIVE_BOOT 4 live_boot
    all_unread live-boot live_boot "root=/dev/nfs nfsroot=192.0.2.1:/x"
}

@test "lint --compat=networkd says what systemd-network-generator of Debian 12 and 13 does" {
    all_proved NETWORKD 20 networkd "$LAB/handover-root"
    all_proved NETWORKD 20 networkd "$LAB/suites/trixie/root"
    # of which the older one leaves no interface set up at all
    local line
    for line in bond bond=bond0 bridge bridge=br0 vlan=vlan0008:eth0; do
        proved networkd "$line ip=dhcp" "+Failed to parse & -^DHCP=" "$LAB/handover-root"
    done
}
