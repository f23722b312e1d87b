# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# The VM harness: one server VM and any number of node VMs on private links. Sourced by the
# scenarios, the bench and the demo. Every VM runs under a hard time limit and dies with the
# shell that started it. Nothing here sleeps: all waiting is for a line, an answer or an end. Its
# seconds only end what hangs, and are five minutes at least: what a busy machine needs for a boot
# is not what a scenario is about.
#
#   vm_begin NAME               a place for logs and sockets; vm_end stops what still runs
#   server_start                boots the server and waits until it serves
#   server COMMAND...           one command on its control channel (guest/server-init)
#   server_pause on|off         its processor and its clocks stand still
#   node_start IMAGE CMDLINE    boots a node; NODE_* below; sets $node_dir
#   node_wait SECONDS REGEX     a line on its console
#   node_mark                   node_next SECONDS REGEX waits for a line behind here
#   node_type TEXT              a line on its console, at a prompt, if it was started with NODE_TALK
#   node_tell TEXT              the same, for a program that has none
#   node_end SECONDS            waits until it powers off or reboots, unpacks its results
#   node_result FILTER          jq over what the real root's witness measured
#   node_state [OPTION...] FILTER  jq over the node's state.json

# shellcheck source=tests/lib/waits.bash
source "${BASH_SOURCE[0]%/*}/../../tests/lib/waits.bash"

vm_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
vm_build=$(cd "$vm_top" && realpath -m "${BUILD:-build}")
LAB=$vm_build/lab
server_ip=10.99.0.1
vmctl=$LAB/bin/vmctl
# For the kernel of every VM: on a busy host its check of the timer interrupt fails now and then,
# and it panics; its crypto's tests of itself, and that of its key derivation, take half a second
# each. An NMI makes it show every task and end (node_stuck).
vm_kernel="no_timer_check cryptomgr.notests initcall_blacklist=crypto_kdf108_init"
vm_kernel+=" unknown_nmi_panic panic_print=1"

# What a node is made of; set before node_start, back to this by node_defaults.
node_defaults() {
    NODE_MEM=1024 # MiB
    NODE_SMP=1
    NODE_ICOUNT=  # not empty: count instructions, one thread
    NODE_LINK=0   # which of the server's links
    NODE_NIC=virtio-net-pci # empty: none
    NODE_SECOND=  # not empty: a second interface, on this one of the server's links
    NODE_LATE=    # not empty: the second interface comes with node_plug
    NODE_SPARE=   # a model: an interface before it, with carrier on an empty segment
    NODE_KERNEL=  # not empty: another kernel than the lab's
    NODE_QEMU=    # not empty: the QEMU of another machine
    NODE_ACPI=    # not empty: a file that is a table of its firmware's (bin/boottable)
    NODE_DISK=    # not empty: a file that is a disk (virtio-blk)
    NODE_EXTRA=   # more cpio files, unpacked over the image
    NODE_TALK=    # not empty: something can be typed on its console (node_type)
    NODE_MARK=1   # empty: no bootmark, the image's own /init is PID 1
    NODE_NAME=node # its log folder
    NODE_SECONDS=600
}

# node_of_case IMAGE: the node of this case: its number is the name, IMAGE one of the lab's.
node_of_case() {
    node_defaults
    NODE_NAME=$(printf '%02d' "$BATS_TEST_NUMBER")
    image=$LAB/$1
}

# patience SECONDS: what a wait is given.
patience() {
    echo $(($1 < 300 ? 300 : $1))
}

# assert_eq GOT WANT [ABOUT]
assert_eq() {
    [ "$1" = "$2" ] && return
    printf '%s: got "%s", want "%s"\n' "${3:-value}" "$1" "$2"
    return 1
}
node_defaults

# vm_begin NAME: sockets live in a short path of their own, as their names have a limit. What is
# exported here and in server_start is for bats, which runs every test in a process of its own.
vm_begin() {
    # two shares of a file may run side by side
    export vm_logs=$vm_build/vm/$1${VM_SHARE:+/share$VM_SHARE} vm_sockets server_pid='' server_dir
    vm_sockets=$(mktemp -d "${TMPDIR:-/tmp}/initagent-vm.XXXXXX")
    server_dir=$vm_logs/server
    rm -rf "$vm_logs"
    mkdir -p "$vm_logs"
}

vm_end() {
    [ -z "${server_pid:-}" ] || vm_kill "$server_pid"
    [ -z "${node_pid:-}" ] || vm_kill "$node_pid"
    rm -rf "$vm_sockets"
}

# vm_kill PID: ends a VM and waits until it is gone.
vm_kill() {
    kill -TERM "$1" 2>/dev/null || true
    "$vmctl" gone 10 "$1" || kill -KILL "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# vm_kvm_works: some machines have /dev/kvm and yet no guest ever gets anywhere, so boot one: a
# kernel without an initramfs panics, and panic=-1 makes that the end of QEMU.
vm_kvm_works() {
    [ -w /dev/kvm ] || return 1
    { # the shell's own word about a crash of QEMU is not of interest either
        timeout -s KILL 20 qemu-system-x86_64 -accel kvm -cpu host -m 256 -nodefaults \
            -display none -no-reboot -kernel "$LAB/kernel" -append "panic=-1 quiet"
    } </dev/null >/dev/null 2>&1
}

# vm_accel: kvm or tcg, found once per boot of this machine.
vm_accel() {
    local file=$LAB/accel boot
    boot=$(</proc/sys/kernel/random/boot_id)
    if [ -n "${VM_ACCEL:-}" ]; then
        echo "$VM_ACCEL"
        return
    fi
    if ! grep -qs "^$boot " "$file"; then
        # whole, or not there: files that run at once read it
        if vm_kvm_works; then
            echo "$boot kvm" >"$file.$BASHPID"
        else
            echo "$boot tcg" >"$file.$BASHPID"
        fi
        mv "$file.$BASHPID" "$file"
    fi
    sed 's/.* //' "$file"
}

# VM_CPU: the emulated processor. One with "fast" string instructions is used byte by byte by the
# kernel, which costs QEMU a round for each: without them the kernel copies words, and a boot takes
# a tenth less of the host.
vm_accel_args() {
    if [ -n "$1" ]; then
        echo "-accel tcg,thread=single -icount shift=1 -cpu max"
    elif [ "$(vm_accel)" = kvm ]; then
        echo "-accel kvm -cpu host"
    else
        # QEMU before 8.1 leaves the memory barriers of a machine of one processor out, although its
        # devices run beside that:
        # a doorbell of virtio is lost now and then, and the link stands still for good. Room for a
        # second one is enough.
        echo "-accel tcg,thread=multi -cpu ${VM_CPU:-max,-erms,-fsrm} -smp 1,maxcpus=2"
    fi
}

# vm_link N on|off: link N, a unix socket on which the server listens (on) and one node at a time
# connects (off). Over TCP each mount would take a second longer: QEMU sends frame by frame and
# leaves Nagle's algorithm at work.
vm_link() {
    echo "stream,server=$2,addr.type=unix,addr.path=$vm_sockets/link$1"
}

# vm_start DIR SECONDS QEMU-ARGUMENT...: starts QEMU with its console in DIR/console.log; the
# process is $vm_pid. vm_firmware: the same without a kernel of QEMU's: the firmware finds one.
vm_start() {
    vm_firmware "$@" -kernel "${NODE_KERNEL:-$LAB/kernel}"
}

vm_firmware() {
    local dir=$1 seconds=$2 serial=(-serial "file:$1/console.log")
    shift 2
    mkdir -p "$dir"
    : >"$dir/console.log"
    if [ -n "${NODE_TALK:-}" ]; then
        mkfifo "$dir/talk.in" "$dir/talk.out"
        cat "$dir/talk.out" >/dev/null 3>&- &
        serial=(-chardev "pipe,id=console,path=$dir/talk,logfile=$dir/console.log" \
            -serial chardev:console)
    fi
    setpriv --pdeathsig TERM timeout -k 5 "$seconds" \
        "${NODE_QEMU:-qemu-system-x86_64}" -nodefaults \
        -display none -no-reboot "${serial[@]}" "$@" \
        </dev/null >"$dir/qemu.log" 2>&1 3>&- 4>&- &
    vm_pid=$!
}

# vm_initrd OUT IMAGE [CPIO...]: the image, then what is unpacked over it. Each part starts at a
# multiple of 4 bytes, which the kernel asks of an uncompressed cpio after a compressed one.
vm_initrd() {
    local out=$1 part
    shift
    : >"$out"
    for part in "$@"; do
        cat "$part" >>"$out"
        truncate -s %4 "$out"
    done
}

# server_disk: QEMU's arguments for SERVER_DISK, a file that is a disk of the server's; what is
# written goes nowhere.
server_disk() {
    [ -z "${SERVER_DISK:-}" ] ||
        echo "-drive if=none,id=disk,format=raw,snapshot=on,file=$SERVER_DISK" \
            "-device virtio-blk-pci,drive=disk"
}

# server_start: with SERVER_LINKS links, 1 if not set, SERVER_MEM MiB, SERVER_DISK, and
# SERVER_EXTRA, a list of cpio files, unpacked over its image; on every link one node at a time is
# connected.
server_start() {
    local links=${SERVER_LINKS:-1} i args=() accel
    read -ra accel < <(vm_accel_args "")
    read -ra args < <(server_disk) || true
    for ((i = 0; i < links; i++)); do
        args+=(-netdev "$(vm_link "$i" on),id=n$i"
            -device "virtio-net-pci,netdev=n$i,mac=52:54:00:99:00:$(printf %02x $((i + 1))),\
romfile=,speed=10000,duplex=full")
    done
    # shellcheck disable=SC2086 # a list of files
    vm_initrd "$vm_sockets/server.img" "$LAB/server.img" ${SERVER_EXTRA:-}
    vm_start "$server_dir" "${SERVER_SECONDS:-3600}" "${accel[@]}" -m "${SERVER_MEM:-768}" \
        -serial "unix:$vm_sockets/control,server=on,wait=off" -initrd "$vm_sockets/server.img" \
        -qmp "unix:$vm_sockets/server.qmp,server=on,wait=off" \
        -append "console=ttyS0 $vm_kernel quiet loglevel=4 panic=-1" "${args[@]}"
    server_pid=$vm_pid
    vm_wait "$server_dir" 120 'lab-server: ready' "$server_pid"
}

server() {
    # the channel takes lines
    local command=$*
    "$vmctl" ask "$(patience 60)" "$vm_sockets/control" "${command//$'\n'/ }"
}

# server_pause on|off: its processor and its clocks stand still.
server_pause() {
    local command=cont
    [ "$1" = off ] || command=stop
    "$vmctl" qmp 60 "$vm_sockets/server.qmp" "{\"execute\": \"$command\"}"
}

# vm_wait DIR SECONDS REGEX PID: prints the line found.
vm_wait() {
    "$vmctl" wait "$(patience "$2")" "$1/console.log" "$3" "$4" || {
        local status=$?
        echo "no line like '$3' within $(patience "$2") s (status $status)" >&2
        return 1
    }
}

# node_qmp: the socket of the node's QEMU. Each has its own: of two that begin at the same moment,
# one is refused a name that both take.
node_qmp() {
    echo "$vm_sockets/${node_dir##*/}.qmp"
}

# node_start IMAGE CMDLINE
node_start() {
    local cmdline=$2 accel parts=("$1") mac second plugged
    read -ra accel < <(vm_accel_args "$NODE_ICOUNT")
    mac=52:54:00:99:00:$(printf '%02x' $((0x64 + NODE_LINK)))
    second=52:54:00:99:00:$(printf '%02x' $((0x64 + ${NODE_SECOND:-0})))
    [ -n "$NODE_LATE" ] || plugged=$NODE_SECOND
    node_dir=$vm_logs/$NODE_NAME
    rm -rf "$node_dir"
    mkdir -p "$node_dir"
    if [ -n "$NODE_MARK" ]; then
        parts+=("$LAB/bootmark.cpio")
        cmdline="rdinit=/bootmark $cmdline"
    fi
    # shellcheck disable=SC2206 # a list of files
    parts+=($NODE_EXTRA)
    vm_initrd "$node_dir/initrd" "${parts[@]}"
    vm_start "$node_dir" "$NODE_SECONDS" "${accel[@]}" -m "$NODE_MEM" -smp "$NODE_SMP" \
        -serial "file:$node_dir/results.tar" -qmp "unix:$(node_qmp),server=on,wait=off" \
        -initrd "$node_dir/initrd" -append \
        "console=ttyS0 $vm_kernel panic=-1 printk.devkmsg=on $cmdline" \
        ${NODE_ACPI:+-acpitable "file=$NODE_ACPI"} \
        ${NODE_SPARE:+-netdev hubport,id=spare,hubid=9} \
        ${NODE_SPARE:+-device "$NODE_SPARE,netdev=spare,mac=52:54:00:99:01:01,romfile="} \
        ${NODE_NIC:+-netdev "$(vm_link "$NODE_LINK" off),id=n0"} \
        ${NODE_NIC:+-device "$NODE_NIC,netdev=n0,mac=$mac,romfile="} \
        ${NODE_SECOND:+-netdev "$(vm_link "$NODE_SECOND" off),id=n1"} \
        ${plugged:+-device "$NODE_NIC,netdev=n1,mac=$second,romfile="} \
        ${NODE_DISK:+-drive "if=none,id=disk,format=raw,cache=unsafe,file=$NODE_DISK"} \
        ${NODE_DISK:+-device virtio-blk-pci,drive=disk}
    node_pid=$vm_pid
}

# node_type TEXT: at the prompt of the agent's shell, of dracut's, of sulogin's, or of
# initramfs-tools'.
node_type() {
    "$vmctl" see "$(patience 60)" "$node_dir/console.log" ':[^ ]*# |^\(initramfs\) ' \
        "$node_pid" >/dev/null
    node_tell "$1"
}

node_tell() {
    printf '%s\n' "$1" >"$node_dir/talk.in"
}

node_wait() {
    vm_wait "$node_dir" "$1" "$2" "$node_pid"
}

node_mark() {
    node_marked=$(stat -c %s "$node_dir/console.log")
}

node_next() {
    "$vmctl" wait "$(patience "$1")" "$node_dir/console.log" "$2" "$node_pid" "$node_marked" || {
        echo "no new line like '$2' within $(patience "$1") s" >&2
        return 1
    }
}

# node_end_firmware SECONDS: node_end, of a node whose firmware was OVMF. That talks on every serial
# port: on the second one its words stand before the witness's archive, whose first member has its
# mark at 257.
node_end_firmware() {
    local mark file=$node_dir/results.tar
    "$vmctl" gone "$(patience "$1")" "$node_pid" &&
        mark=$(LC_ALL=C grep -abom 1 ustar "$file" | head -n 1)
    [ -n "${mark:-}" ] || {
        echo "the node did not end in $(patience "$1") s, or without reaching its real root" >&2
        return 1
    }
    tail -c "+$((${mark%%:*} - 257 + 1))" "$file" >"$file.new"
    mv "$file.new" "$file"
    node_end "$1"
}

# node_kill: pulls the plug.
node_kill() {
    vm_kill "$node_pid"
}

# node_cable on|off [n1]: the carrier of the node's interface; of the second one.
node_cable() {
    local up=false
    [ "$1" = off ] || up=true
    "$vmctl" qmp 60 "$(node_qmp)" \
        "{\"execute\": \"set_link\", \"arguments\": {\"name\": \"${2:-n0}\", \"up\": $up}}"
}

# node_plug: puts in the second interface, of a node that was started with NODE_LATE=. node_unplug:
# takes it out, once the node has let it go.
node_plug() {
    "$vmctl" qmp 60 "$(node_qmp)" "{\"execute\": \"device_add\", \"arguments\":
        {\"driver\": \"${NODE_NIC%%,*}\", \"netdev\": \"n1\", \"id\": \"late\",
        \"mac\": \"52:54:00:99:00:$(printf '%02x' $((0x64 + NODE_SECOND)))\"}}"
}

node_unplug() {
    "$vmctl" qmp 60 "$(node_qmp)" \
        '{"execute": "device_del", "arguments": {"id": "late"}}' DEVICE_DELETED
}

# node_stuck: what the node's tasks wait for in the kernel. Its idle threads are of no interest.
# Ends the node.
node_stuck() {
    local said
    said=$(stat -c %s "$node_dir/console.log")
    "$vmctl" qmp 10 "$(node_qmp)" '{"execute": "inject-nmi"}' >/dev/null &&
        "$vmctl" gone 30 "$node_pid" || return 0
    tail -c "+$((said + 1))" "$node_dir/console.log" | tr -d '\r' >"$node_dir/tasks.log"
    truncate -s "$said" "$node_dir/console.log"
    awk '{ sub(/^\[ *[0-9.]+\] /, "") }
        /^task:/ { show = /state:[RD]/ || !/p?pid:2 / }
        /^task:|^ / { if (show) print "    " $0 }' "$node_dir/tasks.log" >&2
}

# node_end SECONDS: fails when the node is still running then.
node_end() {
    "$vmctl" gone "$(patience "$1")" "$node_pid" || {
        echo "the node was still running after $(patience "$1") s; its tasks:" >&2
        node_stuck
        return 1
    }
    wait "$node_pid" 2>/dev/null || true
    rm -f "$node_dir/initrd"
    mkdir -p "$node_dir/results"
    [ ! -s "$node_dir/results.tar" ] || tar -xf "$node_dir/results.tar" -C "$node_dir/results"
    [ ! -s "$node_dir/results/run/state.json" ] ||
        "$vm_top/tests/schema" "$node_dir/results/run/state.json" >&2
}

# node_booted SECONDS: the node reached the init of its real root, and its witness reported.
node_booted() {
    node_end "$1" || return
    [ -s "$node_dir/results/result.json" ] || {
        echo "the node ended without reaching its real root" >&2
        return 1
    }
    # what boots without the agent has no state
    [ ! -e "$node_dir/results/run/state.json" ] || node_rested
}

# node_rested: the agent slept while it waited. A deadline that has passed wakes it thousands of
# times a second, a descriptor that stays readable takes the whole processor; a good boot needs some
# 0.3 s of an emulated one.
node_rested() {
    local agent
    agent=$(node_state \
        '"\(.agent.timer_wakes) \(.agent.cpu_s) \(.now_s - .start_s) \(.agent.timer_wakes <= 50 and
        .agent.cpu_s <= 2 + (.now_s - .start_s) / 4)"')
    [[ $agent == *" true" ]] || {
        echo "the agent did not rest: timer wakes in a second, CPU seconds," \
            "seconds of the boot: $agent" >&2
        return 1
    }
}

node_result() {
    jq -e -r "$1" "$node_dir/results/result.json"
}

node_state() {
    jq -e -r "$@" "$node_dir/results/run/state.json"
}

# node_ended_by restart|poweroff|halt: by the kernel's own last words.
node_ended_by() {
    local words
    case $1 in
    restart) words='reboot: Restarting system' ;;
    poweroff) words='reboot: Power down' ;;
    halt) words='reboot: System halted' ;;
    esac
    grep -q "$words" "$node_dir/console.log" || {
        echo "the console does not say: $words" >&2
        return 1
    }
}

# vm_show: the ends of the server's and the last node's logs, for a scenario that failed.
vm_show() {
    local log
    for log in {"$server_dir","${node_dir:-}"}/{console,qemu}.log; do
        [ -s "$log" ] || continue
        echo "--- $log"
        tail -n "${VM_SHOW_LINES:-60}" "$log" | tr -d '\r'
    done
}
