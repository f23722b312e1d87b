#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# kernel-cmdline/compat.def against what it is about: the programs that make a configuration of the
# command line for systemd-networkd and NetworkManager, and the init of initramfs-tools. All are in
# the lab's roots.
bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_TEST_DIRNAME/.." || return
    export LAB
    LAB=$(realpath "${BUILD:-build}")/lab
}

# rows BACKEND: example, tab, proof
rows() {
    printf '#define COMPAT(b, id, value, text, example, proof) @b example proof\n%s\n@\n' \
        '#include "kernel-cmdline/compat.def"' | cc -E -P -x c -I. - | tr '\n@' ' \n' |
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

# initramfs_tools CMDLINE: the loop of its init over the words, and its network functions with an
# ipconfig that says how it is called. Shown are the variables that are set.
initramfs_tools() {
    unshare --mount --propagation private bash -c '
        mount -t tmpfs sys "$1/sys" && mount -t tmpfs run "$1/run" &&
            mkdir -p "$1/proc" "$1/sys/class/net/eth0" && mount -t tmpfs proc "$1/proc" &&
            printf "%s\n" "$2" >"$1/proc/cmdline"
        exec chroot "$1" /bin/dash -c "
            rootmnt= BOOT= ROOT= IP= BOOTIF= readonly= init= NFSROOT= ROOTFLAGS= ROOTFSTYPE= quiet=n
            . /usr/share/initramfs-tools/scripts/functions
            wait_for_udev() { :; }
            sleep() { :; }
            time_elapsed() { echo 999; }
            log_begin_msg() { :; }
            log_end_msg() { :; }
            _usable_netdev_exists() { :; }
            ipconfig() { echo ipconfig \"\$@\"; : >/run/net-eth0.conf; }
            $(sed -n "/^for x in \$(cat/,/^done/p" "$1/usr/share/initramfs-tools/init" |
                sed "s/set -x/:/")
            set | grep -vE \"^(_|x|PPID|LINENO|OPTIND|cmdline)=\"
            configure_networking"' - "$LAB/suites/trixie/root" "$1" 2>&1
}

# proved PROGRAM EXAMPLE PROOF [ROOT]
proved() {
    local output part parts
    # what the program says of a wrong line is a part of the proof, and its status is not
    output=$("$1" "$2" "${4:-}") || output+=$'\n'"status $?"
    if [[ $3 == = ]]; then
        [[ $2 == *" "* && $output == "$("$1" "${2#* }" "${4:-}")" ]] && return
    else
        mapfile -t parts <<<"${3// & /$'\n'}"
        for part in "${parts[@]}"; do
            case $part in
            +*) grep -qE -e "${part#+}" <<<"$output" || break ;;
            -*) ! grep -qE -e "${part#-}" <<<"$output" || break ;;
            *) break ;;
            esac
            [[ $part != "${parts[-1]}" ]] || return 0
        done
    fi
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

# names: of all options of the table that this agent acts on
names() {
    printf '#define OPTION(id, name, grammar, def, status, ...) @status name\n%s\n@\n' \
        '#include "kernel-cmdline/options.def"' | cc -E -P -x c -I. - | tr '\n@' ' \n' |
        sed -nE 's/^ACTED *"([^"]*)" *$/\1/p'
}

@test "lint --compat=initramfs-tools says what its init does, and what it does not read" {
    local list name n=0 plain with said unread=""
    all_proved INITRAMFS_TOOLS 6 initramfs_tools
    plain=$(initramfs_tools "ip=off")
    [[ $plain == *"IP='off'"* ]]
    mapfile -t list < <(names)
    [ "${#list[@]}" -ge 90 ]
    for name in "${list[@]}"; do
        # the line as a whole may be wrong
        run "${BUILD:-build}/initagent" lint --compat=initramfs-tools "$name=1 root=/dev/nfs"
        [ "$status" -le 2 ]
        said=$output
        if [[ $said == "$name=1"*": not read there"* ]]; then
            unread+=" $name $name=1"
            n=$((n + 1))
        elif [[ $name != ip ]]; then
            with=$(initramfs_tools "$name=1 ip=off")
            [[ $with != "$plain" ]] || with=$(initramfs_tools "$name ip=off")
            [[ $with != "$plain" ]]
        fi
    done
    [ "$n" -ge 80 ]
    assert_same "$(initramfs_tools "ip=off$unread")" "$plain"
}

@test "lint --compat=networkd says what systemd-network-generator of Debian 12 and 13 does" {
    all_proved NETWORKD 20 networkd "$LAB/handover-root"
    all_proved NETWORKD 20 networkd "$LAB/suites/trixie/root"
}
