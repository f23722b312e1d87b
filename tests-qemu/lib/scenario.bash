# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What all scenario files share: one warm server VM a file, put back to its first state before
# every test; the node's logs are kept, and shown when a test fails.

bats_require_minimum_version 1.5.0
# shellcheck source=tests-qemu/lib/vm.bash
source "${BASH_SOURCE[0]%/*}/vm.bash"

root_path=/export/root
# Every scenario's command line begins so. No "quiet": the agent's progress lines are looked at.
console="loglevel=4"
rdma_root="root=nfs:$server_ip:$root_path:vers=4.2,proto=rdma,port=20049"
# Soft-RoCE on the node's only interface: the RDMA device of all nodes here.
rxe="rd.rdma.link=rxe0,rxe,eth0"
# A failure ends the node at once, so that the scenario can see how.
reboot="rd.emergency=reboot"

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    server_start >/dev/null
}

teardown_file() {
    vm_end
}

setup() {
    node_of_case agent.img
    server reset
}

teardown() {
    [ -z "${node_pid:-}" ] || vm_kill "$node_pid"
    [ -n "${BATS_TEST_COMPLETED:-}" ] || vm_show
}

# assert_state FILTER WANT: a value of the node's state.json.
assert_state() {
    assert_eq "$(node_state "$1")" "$2" "state $1"
}

# assert_rail FILTER WANT: of the rail that carries the root.
assert_rail() {
    assert_state ".rails | map(select(.carries_root)) | .[0]$1" "$2"
}

# assert_most GOT LIMIT ABOUT: whole numbers.
assert_most() {
    [ "$1" -le "$2" ] && return
    printf '%s: got %s, want at most %s\n' "$3" "$1" "$2"
    return 1
}

# assert_within FILTER SECONDS ABOUT: a time of the real root's witness, in seconds; -1: it measured
# none. The carrier may be told of in the millisecond in which the root is read again. What the VM
# waited for this machine's processors since stopwatch does not count.
assert_within() {
    local took
    echo "# $3: $(node_result "$1") s" >&3
    took=$(node_result "$1 * 1000 | floor")
    [ "$took" -ge 0 ] || {
        echo "$3: never"
        return 1
    }
    within "$took" "$(($2 * 1000))"
}

# assert_stalled: a node started with finalinit=outage could not read its root for a while.
assert_stalled() {
    node_result '.stalled_s > 2' >/dev/null || {
        echo "the root was read at any time: within $(node_result .stalled_s) s at most"
        return 1
    }
}

# assert_root VERSION PROTO: what the kernel itself says about the mounted root, and that every
# byte of it came over right.
assert_root() {
    local line
    line=$(grep ' / / ' "$node_dir/results/mountinfo")
    [[ $line == *"vers=$1,"* && $line == *"proto=$2,"* ]] || {
        echo "the root is mounted otherwise: $line"
        return 1
    }
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    assert_eq "$(node_result .files_good)" 3 "files checked"
}

# assert_clean_handover: everything moved, no process stays (an open verbs context would keep the
# netdev from ever going away), the agent's own record complete. udevd of dracut without systemd is
# not counted: dracut's init tells it to end and does not wait until it has, which takes udevd as
# long as its workers and its own timers do.
assert_clean_handover() {
    assert_eq "$(node_result '[.moved_proc, .moved_sys, .moved_dev, .moved_run] | @text')" \
        '[true,true,true,true]' "file systems moved"
    assert_eq "$(grep -v $'\t/usr/bin/udevadm (deleted)\t' "$node_dir/results/processes" |
        cut -f 1)" 1 "processes left behind" || {
        cat "$node_dir/results/processes"
        return 1
    }
    assert_state .schema 1
    assert_state .outcome 'done'
}

# assert_boot SECONDS VERSION PROTO: the whole of a good boot.
assert_boot() {
    node_booted "$1"
    assert_root "$2" "$3"
    assert_clean_handover
}

# assert_console REGEX
assert_console() {
    grep -qE "$1" "$node_dir/console.log" || {
        echo "no console line like: $1"
        return 1
    }
}

# assert_cause CODE: the last cause on the console, but for the line that gives up: where a budget
# ended, that names what it was spent on. The whole set of codes is in causes.def.
assert_cause() {
    local got
    got=$(grep -v 'giving up after' "$node_dir/console.log" | grep -oE 'IA-E[0-9]{3}' | tail -n 1)
    assert_eq "$got" "$1" "last cause on the console"
}

# Limits that are no numbers of seconds: as without them.
malformed="rd.retry=soon rd.retry= rd.retry=-1 rd.retry=31536001 \
rd.timeout=soon rd.timeout= rd.timeout=-1 rd.timeout=31536001"

# assert_malformed: a node started with these has named each of them.
assert_malformed() {
    local option words
    for option in rd.retry rd.timeout; do
        for words in 'IA-E101 .*not a whole number; ignored' 'IA-E101 .*negative; ignored' \
            'IA-E101 .*too large; ignored' 'no value; as if it were not given'; do
            assert_console "initagent: .*$option: .*$words"
        done
    done
    assert_state '[.causes[] | [.code, .where]] | unique | @text' \
        '[["IA-E101","rd.retry"],["IA-E101","rd.timeout"]]'
}

# assert_failed SECONDS CODE END: no root, that cause, and that end of the machine.
assert_failed() {
    node_end "$1"
    [ ! -e "$node_dir/results/result.json" ] || {
        echo "the node reached a root"
        return 1
    }
    assert_cause "$2"
    node_ended_by "$3"
    assert_rested
}

# assert_rested: as node_rested, of a boot that failed: what its last summary on the console says.
assert_rested() {
    local total cpu
    read -r total cpu < <(grep -oE 'total [0-9.]+ s, CPU [0-9.]+ s' "$node_dir/console.log" |
        tail -n 1 | tr -dc '0-9. \n')
    jq -en --arg cpu "$cpu" --arg total "$total" \
        '($cpu | tonumber) <= 2 + ($total | tonumber) / 4' >/dev/null || {
        echo "the agent did not rest: $cpu CPU seconds in a boot of $total s"
        return 1
    }
}

# assert_killed POINT,POINT...: the agent was ended at each of them (bootmark.kill=), and started
# again.
assert_killed() {
    local point points
    IFS=, read -ra points <<<"$1"
    for point in "${points[@]}"; do
        assert_console "bootmark: killed the agent .* at=$point"
    done
    assert_most "${#points[@]}" "$(node_state .agent.restarts)" "restarts (at least)"
}

# refute_within SECONDS REGEX [FROM]: the line must not come for that long.
refute_within() {
    local status=0
    "$vmctl" wait "$1" "$node_dir/console.log" "$2" "$node_pid" "${3:-0}" || status=$?
    assert_eq "$status" 124 "time up without a line like '$2'"
}

# assert_driver_order PRE POST: lists as rd.driver.pre= and rd.driver.post= name them: each loaded
# when the one before it had ended, PRE before the interface's own driver, POST between that and the
# first DHCP packet. What of PRE dracut has loaded before the agent looked has no times, but its
# place in the kernel's list, whose first is the newest; what the agent knows nothing of was never
# asked for.
assert_driver_order() {
    local said
    # shellcheck disable=SC2016 # the variables are jq's
    said=$(node_state --arg pre "$1" --arg post "$2" '
        . as $top | ([.modules[] | select(.end_s) | {key: .name, value: .}] | from_entries) as $m |
        ([$top.timeline[] | select(.room == "address" and .to == "asking") | .s] | min) as $dhcp |
        [($pre | split(",")[] | $m[.] // (if IN($top.modules[].name) then empty else
            {name: ., begin_s: -1, end_s: infinite} end)), $m.virtio_net,
            ($post | split(",")[] | $m[.] // {name: ., begin_s: -1, end_s: -1}),
            {name: "DHCP", begin_s: $dhcp, end_s: $dhcp}] |
        [range(1; length) as $i | select(.[$i].begin_s < .[$i - 1].end_s) |
            "\(.[$i].name) at \(.[$i].begin_s), \(.[$i - 1].name) ended at \(.[$i - 1].end_s)"] |
        join("; ")')
    assert_eq "$said" '' "out of order"
    said=$(awk -v names="$1,virtio_net" '
        { at[$1] = NR }
        END {
            for (i = split(names, list, ","); i > 1; i--)
                if (!at[list[i]] || at[list[i - 1]] <= at[list[i]])
                    print list[i - 1] " is not before " list[i]
        }' "$node_dir/results/modules")
    assert_eq "$said" '' "the kernel's list"
}

# other_kernels_module NAME CPIO [SYMBOL [ROOT]]: the module as if it came from another kernel: the
# checksum it expects of an imported symbol, the first one if none is named, is not this kernel's.
other_kernels_module() {
    local kver path at=8 dir=$BATS_TEST_TMPDIR/other root=${4:-$LAB/root}
    kver=$(<"$LAB/kver")
    path=$(cd "$root" && find "lib/modules/$kver/" -name "$1.ko")
    mkdir -p "$dir/${path%/*}"
    # without a second name objcopy rewrites the first one, and a signed module would lose its
    # signature
    objcopy --dump-section __versions="$dir/versions" "$root/$path" "$dir/$path"
    # a row is the checksum, 8 bytes, and the name, 56
    [ -z "${3:-}" ] || at=$(LC_ALL=C grep -aobP "$3\\x00" "$dir/versions" | sed "s/:.*//;q")
    printf 'otherbld' | dd of="$dir/versions" bs=1 seek=$((at - 8)) conv=notrunc status=none
    objcopy --update-section __versions="$dir/versions" "$root/$path" "$dir/$path"
    (cd "$dir" && echo "$path" | cpio --quiet -o -H newc) >"$2"
}

# modprobe_d CPIO LINE...: /etc/modprobe.d/site.conf of these lines, unpacked over the image.
modprobe_d() {
    local dir=$BATS_TEST_TMPDIR/modprobe
    mkdir -p "$dir/etc/modprobe.d"
    printf '%s\n' "${@:2}" >"$dir/etc/modprobe.d/site.conf"
    (cd "$dir" && printf '%s\n' etc etc/modprobe.d etc/modprobe.d/site.conf |
        cpio --quiet -o -H newc) >"$1"
}

assert_module() {
    grep -q "^$1 " "$node_dir/results/modules" || {
        echo "not loaded: $1"
        return 1
    }
}

# assert_parameters NAME VALUE...: as the kernel has them in the real root.
assert_parameters() {
    while [ $# -gt 0 ]; do
        assert_eq "$(<"$node_dir/results/$1")" "$2" "parameter $1"
        shift 2
    done
}

# cable on|off: the node's only one; InfiniBand's scenarios have their own.
cable() {
    node_cable "$1"
}

# pulled NAMED BACK: the cable is out until the console says NAMED, and in until it says BACK, which
# it waited for before. BACK does not come meanwhile.
pulled() {
    node_mark
    cable off
    node_next 30 "$1"
    node_mark
    refute_within 6 "$2" "$node_marked"
    node_mark
    cable on
    node_next 30 "$2"
}

# pulled_through NAMED ADDRESS SERVER CODE: a node started with rd.break and finalinit=outage, and
# without a DHCP and an NFS server; its cable is out and in while it waits for either, at the
# hand-over, and under the running root, which is back then. NAMED is the wait for the cable,
# ADDRESS and SERVER are commands that bring the servers back, CODE is the cable's cause.
pulled_through() {
    node_wait 60 "$1"
    cable on
    node_wait 60 'IA-E501\)'
    pulled "$1" 'IA-E501\)'
    eval "$2"
    node_wait 60 'IA-E602\)'
    pulled "$1" 'IA-E602\)'
    eval "$3"
    node_wait 60 'rd.break: the root is at /sysroot'
    cable off
    node_mark
    node_type exit
    node_next 30 'the root does not answer: .*0 has no carrier \('
    cable on
    node_wait 60 'finalinit: the server may go'
    cable off
    refute_within 20 'finalinit: back'
    cable on
    node_tell 'go on'
    # RPC over RDMA connects again after a pause that doubles with each failure, to 30 s. One may
    # have failed for want of the cable just before, and Soft-RoCE may want NFS to ask again after
    # its timeo= (handover.bash, repeated()).
    node_wait 75 'finalinit: back after'
    assert_boot 60 4.2 rdma
    assert_stalled
    assert_state "[.causes[].code] | index(\"$4\") != null" true
}

# assert_rescued: a node started with NODE_TALK and without a DHCP server has failed, and its shell
# has the agent's commands; "exit" there, with the server back, boots.
assert_rescued() {
    node_wait 150 'IA-E703 the network or the root was not ready'
    # what is typed is on the console as well: the words are put together there
    # shellcheck disable=SC2016 # the shell's that reads it
    node_type 'case $(initagent status) in *IA-E703*) echo status=$((40 + 2)).;; esac'
    node_type 'initagent timeline'
    node_type 'initagent ports; echo ports=$?.; initagent doctor; echo doctor=$?.'
    node_wait 60 'doctor=[0-9]+\.'
    assert_console 'status=42\.'
    # it waits for the server that is not there until its end
    assert_console '^  critical: .*eth0 asking [0-9.]+ s'
    assert_console 'ports=0\.'
    assert_console '^rxe0/1 +Ethernet '
    run -1 grep -E 'doctor=12[67]' "$node_dir/console.log"
    server dhcp start
    node_type exit
    assert_boot 150 4.2 rdma
}

# server_bond MODE [BOND PORT...]: these links of the server's, the first two if none are named,
# become one channel of this mode, a port of its bridge.
server_bond() {
    local mode=$1 bond=${2:-bond0} ports="${*:3}"
    server shell "for p in ${ports:=eth0 eth1}; do /bin/ip link set \$p nomaster;
            /bin/ip link set \$p down; done;
        /bin/ip link add $bond type bond mode $mode miimon 100;
        for p in $ports; do /bin/ip link set \$p master $bond; done;
        /bin/ip link set $bond master br0; /bin/ip link set $bond up"
}
