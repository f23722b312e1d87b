# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What the softib scenarios share: a fabric of VMs. The server holds the switch "leaf01": port 1
# goes to its own HCA, port 2 and 3 over its links to the VMs of nodes. Server and nodes boot the
# same image (softib/guest) and are told what to do over their control channels.

! declare -F bats_require_minimum_version >/dev/null || bats_require_minimum_version 1.5.0
# shellcheck source=tests-qemu/lib/vm.bash
source "${BASH_SOURCE[0]%/*}/vm.bash"

sib_server=10.9.0.1
# SIB_KERNEL: one of tests-qemu/kernels instead of the lab's, for all VMs of the fabric.
sib_files=$LAB${SIB_KERNEL:+/kernels/$SIB_KERNEL}

# The kernel's words stay in its log: tens of thousands of lines about bad packets would keep an
# emulated console, and with it the VM, busy for minutes.
#
# sib_vm NAME MEMORY QEMU-ARGUMENT...: boots one VM; vm_pid is its process. SIB_SMP=2: with two
# processors, for the driver's own races. No other has: where one of them changes the kernel's code
# (a static key), QEMU 7.2 now and then still finds the breakpoint there on the other one, which
# stands still for good.
sib_vm() {
    local name=$1 mem=$2 accel NODE_KERNEL=$sib_files/kernel
    shift 2
    read -ra accel < <(vm_accel_args "")
    rm -f "$vm_sockets/$name.control"
    vm_start "$vm_logs/$name" "${SIB_SECONDS:-1800}" "${accel[@]}" -m "$mem" \
        ${SIB_SMP:+-smp "$SIB_SMP"} \
        -serial "unix:$vm_sockets/$name.control,server=on,wait=off" \
        -append "console=ttyS0 $vm_kernel loglevel=1 log_buf_len=4M panic=-1 vmname=$name" "$@"
    echo "$vm_pid" >"$vm_sockets/$name.pid"
}

sib_pid() {
    cat "$vm_sockets/$1.pid"
}

# host_now: hundredths of a second since boot, of this machine
host_now() {
    local now
    read -r now _ </proc/uptime
    echo $((10#${now/./}))
}

# sib_others: hundredths of a second of processor time of everything on this machine but our VMs,
# since boot
sib_others() {
    local sum=0 fields file pid
    read -ra fields </proc/stat
    # user, nice, system, irq, softirq, stolen
    sum=$((fields[1] + fields[2] + fields[3] + fields[6] + fields[7] + fields[8]))
    for file in "$vm_sockets"/*.pid; do
        # QEMU is the child of what limits its time
        pid=$(<"$file")
        read -r pid _ <"/proc/$pid/task/$pid/children"
        read -ra fields <"/proc/$pid/stat"
        sum=$((sum - fields[13] - fields[14]))
    done
    echo "$sum"
}

sib_ready() {
    vm_wait "$vm_logs/$1" 120 'softib-vm: ready' "$(sib_pid "$1")" >/dev/null
}

# sib_start_server: its QEMU listens on all links, SERVER_LINKS or 2, when the VM is ready; link n
# is eth<n> there and goes into port n+2 of the switch
sib_start_server() {
    local i args=()
    read -ra args < <(server_disk) || true
    for ((i = 0; i < ${SERVER_LINKS:-2}; i++)); do
        args+=(-netdev "$(vm_link "$i" on),id=n$i"
            -device "virtio-net-pci,netdev=n$i,mac=52:54:00:99:00:0$((i + 1)),romfile=")
    done
    # shellcheck disable=SC2086 # a list of files
    vm_initrd "$vm_sockets/server.img" "$sib_files/softib-vm.img" ${SERVER_EXTRA:-}
    sib_vm server 1024 -initrd "$vm_sockets/server.img" "${args[@]}"
    server_pid=$vm_pid
    sib_ready server
}

# sib_root_server, with more options of dnsmasq in SIB_DHCP: starts the server VM and all of it that
# a diskless node needs: switch leaf01, SM, ib0 with $sib_server, DHCP on it, the roots of the lab
# over NFSoRDMA and TCP. A node is any VM on a link of it (node_start) with softib on that
# interface. vm_end stops the server.
sib_root_server() {
    sib_start_server && SIB_ASK=120 on server "root_server ${SIB_DHCP:-}"
}

# sib_start_node NAME LINK
sib_start_node() {
    sib_vm "$1" 768 -initrd "$sib_files/softib-vm.img" \
        -netdev "$(vm_link "$2" off),id=n0" \
        -device "virtio-net-pci,netdev=n0,mac=52:54:00:99:00:$((64 + $2)),romfile="
}

# on VM COMMAND...: runs it there; SIB_ASK seconds at most
on() {
    local name=$1 command status=0
    shift
    # the channel takes lines
    command=$*
    "$vmctl" ask "$(patience "${SIB_ASK:-60}")" \
        "$vm_sockets/$name.control" "${command//$'\n'/ }" || status=$?
    [ "$status" -ne 124 ] || echo "$name: no answer: $command" >&2
    return "$status"
}

sib_stop() {
    local file
    for file in "$vm_sockets"/*.pid; do
        [ ! -e "$file" ] || vm_kill "$(cat "$file")"
    done
}

# node_up VM ADDRESS
node_up() {
    on "$1" "modprobe softib && ulps && /bin/rdma link add sib0 type softib netdev eth0 &&
        ip link set ib0 up && wait_active sib0 && wait_carrier ib0 &&
        ip addr add $2/24 dev ib0"
}

# assert_ms FROM TO LIMIT ABOUT: two readings of a VM's uptime, in seconds with two decimals. What
# it waited for this machine's processors since stopwatch does not count.
assert_ms() {
    local took=$(((10#${2/./} - 10#${1/./}) * 10))
    echo "# $4: $took ms" >&3
    within "$took" "$3"
}

# refute_on VM SECONDS CONDITION: it must not become true for that long
refute_on() {
    if on "$1" "until_true $2 sh -c '. /etc/softib; $3'"; then
        echo "$1: became true: $3"
        return 1
    fi
}

# no_trouble VM...: nothing in the kernel log that a kernel log should not have
no_trouble() {
    local vm
    for vm; do
        assert_eq "$(on "$vm" trouble)" clean "$vm's kernel log"
    done
}
