#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # bats sets them
#
# Process 1 of the stand-alone image in a process namespace of its own, with a boot that ends as it
# is told (pid1/pid1drive.c):
# every end of it keeps to rd.shell and rd.emergency. Where reboot(2) restarts the machine, the
# namespace's process 1 ends by SIGHUP; where it halts or powers off, by SIGINT (pid_namespaces(7)).
bats_require_minimum_version 1.5.0

RESTARTED=129
HALTED=130

setup() {
	[[ $EUID -eq 0 ]] || skip "namespaces need root"
	cd "$BATS_TEST_DIRNAME/.." || return
	B=$(realpath "${BUILD:-build}")
	T=$BATS_TEST_TMPDIR
	mkdir "$T/i"
}

# pid1 STATUS CMDLINE BEHAVIOUR [SCRIPT]: runs it; what the rescue shell reads is this function's
# input. SCRIPT is run in the folder of the initramfs before. A user namespace keeps it from the
# machine's devices.
pid1() {
	run -"$1" timeout -s KILL 120 unshare \
		--kill-child --user --map-root-user --mount --pid --fork bash -euo pipefail -c '
		cd "$1/i"
		mount -t tmpfs none .
		cd "$1/i"
		mkdir bin dev etc proc sys run sysroot
		echo "$3" >etc/cmdline
		cp "$2/musl/tests/pid1/pid1drive" init
		cp "$(type -P busybox)" bin/busybox
		for name in sh cat echo ls mount mkdir reboot poweroff halt; do
			ln -s busybox bin/$name
		done
		echo "$4" >behaviour
		eval "${5:-}"
		exec ${6:+"$6"} chroot . /init' - "$T" "$B" "$2" "$3" "${4:-}" "${on:-}"
	echo "$output"
}

@test "a boot that fails: no shell and the action" {
	pid1 $RESTARTED "rd.shell=0 rd.emergency=reboot" fail </dev/null
	[[ $output != *"rescue shell"* ]]
	pid1 $HALTED "rd.emergency=halt" fail </dev/null
	pid1 $HALTED "rd.emergency=poweroff" fail </dev/null
	pid1 $HALTED "rd.shell=0" fail </dev/null
	[[ $output != *"rescue shell"* ]]
}

@test "a boot that is killed again and again: the action" {
	pid1 $RESTARTED "rd.shell=0 rd.emergency=reboot" kill </dev/null
	[ "$(grep -c '^boot: kill' <<<"$output")" -eq 5 ]
	[[ $output == *"IA-E901"* ]]
	[[ $output != *"rescue shell"* ]]
	pid1 $HALTED "rd.shell=0" kill </dev/null
}

@test "a shell first, then the action; without one left open the boot begins again" {
	pid1 $RESTARTED "rd.shell rd.emergency=reboot" fail <<<"echo in the shell; exit"
	[[ $output == *"in the shell"* ]]
	pid1 $HALTED "" fail <<<"echo no more >/behaviour; rm /bin/sh; exit"
	[[ $output == *"boot: fail"*"'exit' tries the boot again"*"boot: no more"* ]]
}

@test "reboot, poweroff and halt of the rescue shell" {
	pid1 $RESTARTED "" fail <<<"reboot; exec cat"
	[[ $output == *"restarting the machine"* ]]
	pid1 $HALTED "" fail <<<"poweroff; exec cat"
	[[ $output == *"powering the machine off"* ]]
	pid1 $HALTED "" fail <<<"halt; exec cat"
	[[ $output == *"halting the machine"* ]]
}

@test "no shell in the image: the action, or halt" {
	pid1 $HALTED "" fail 'rm bin/sh' </dev/null
	[[ $output == *"no rescue shell"* ]]
	pid1 $RESTARTED "rd.shell rd.emergency=reboot" kill 'rm bin/sh' </dev/null
}

@test "a command line that cannot be read: no shell, a restart" {
	pid1 $RESTARTED "" fail 'rmdir proc; : >proc' </dev/null
	[[ $output == *"/proc/cmdline cannot be read"* ]]
	[[ $output != *"rescue shell"* ]]
}

# a root at sysroot with what a script adds
root='mount -t tmpfs none sysroot; mkdir -p sysroot/{dev,proc,sys,run,sbin,bin}'

# A boot that fails at once, a console that nobody reads: each attempt may ask servers and send
# reports.
@test "attempts do not follow each other without a pause" {
	local begin=$SECONDS

	# the second shell restarts the machine
	pid1 $RESTARTED "" fail 'rm bin/sh
		printf "%s\n" "#!/bin/busybox sh" "[ ! -e /again ] || exec reboot" ": >/again" \
			>bin/sh
		chmod 755 bin/sh' </dev/null
	[ "$(grep -c '^boot: fail' <<<"$output")" -eq 2 ]
	((SECONDS - begin >= 9))
}

@test "the real root is entered, and the initramfs freed" {
	# init reads from a FIFO what became of the old /init
	pid1 0 "rd.emergency=reboot" "init /sbin/init" "$root"'
		cp bin/busybox sysroot/bin/busybox
		ln -s busybox sysroot/bin/sh
		mkfifo sysroot/fate fifo
		exec 9<>sysroot/fate
		{ while [[ -e init ]]; do read -rt 0.05 <>fifo || :; done; echo freed >&9; } &
		# rd.driver.blacklist= is not for the real root
		printf "%s\n" "#!/bin/sh" "[ -e /proc/self ] && [ ! -e /init ] &&
			test -d /run/modprobe.d -a ! -e /run/modprobe.d/initagent.conf &&
			read fate </fate && echo \"the initramfs is \$fate\"" >sysroot/sbin/init
		chmod 755 sysroot/sbin/init' </dev/null
	[[ $output == *"the initramfs is freed"* ]]
	[[ $output != *"IA-E"* ]]
}

@test "a boot whose process goes on after the hand-over is not waited for, on older kernels too" {
	local on

	for on in "" "$B/host/tests/oldkernel/oldkernel"; do
		pid1 0 "rd.emergency=reboot" "leave /sbin/init" "$root"'
			cp bin/busybox sysroot/bin/busybox
			ln -s busybox sysroot/bin/sh
			printf "%s\n" "#!/bin/sh" "[ -e /proc/self ] && echo entered" \
				>sysroot/sbin/init
			chmod 755 sysroot/sbin/init' </dev/null
		[[ $output == *entered* ]]
	done
}

@test "a root whose export was replaced, though its attributes have left the cache: once more" {
	pid1 $RESTARTED "rd.shell=0 rd.emergency=reboot" "stale /sbin/init" "$root" </dev/null
	[ "$(grep -c '^boot: stale' <<<"$output")" -eq 2 ]
	[ "$(grep -c '^initagent: root: mounted once more' <<<"$output")" -eq 1 ]
}

# console= names a port that this machine lacks: /dev/console cannot be opened. Descriptors of other
# files must not become the standard streams, then.
@test "a machine without a console: the standard streams are /dev/null" {
	pid1 0 "rd.emergency=reboot" "init /sbin/init" "$root"'
		mount -t tmpfs none dev
		: >dev/null
		cp bin/busybox sysroot/bin/busybox
		ln -s busybox sysroot/bin/sh
		printf "%s\n" "#!/bin/sh" "for fd in 0 1 2; do
			/bin/busybox readlink /proc/\$\$/fd/\$fd; done | /bin/busybox cat >&9" \
			>sysroot/sbin/init
		chmod 755 sysroot/sbin/init
		exec 9>"$1/streams" <&- >&- 2>&-' </dev/null
	[ "$(cat "$T/streams")" = "$(printf '%s\n' /dev/null /dev/null /dev/null)" ]
}

# Roots packed without /proc, /sys and /run are common; what /run holds for the real root would be
# lost.
@test "mount points that the root lacks: made, or said where it cannot be written to" {
	local bare="$root"'; rmdir sysroot/{dev,proc,sys,run}
		cp bin/busybox sysroot/bin/busybox
		ln -s busybox sysroot/bin/sh
		ln -s busybox sysroot/bin/ls
		printf "%s\n" "#!/bin/sh" \
			"echo proc \$(ls -d /proc/self)., sys \$(ls -d /sys)." >sysroot/sbin/init
		chmod 755 sysroot/sbin/init'
	pid1 0 "rd.emergency=reboot" "init /sbin/init" "$bare" </dev/null
	[[ $output == *"proc /proc/self., sys /sys."* ]]
	[[ $output != *"initagent: root:"* ]]
	pid1 0 "rd.emergency=reboot" "init /sbin/init" \
		"$bare; mount -o remount,ro sysroot" </dev/null
	[[ $output == *"root: no folder /proc in it, and none can be made: Read-only"* ]]
	[[ $output == *"proc ., sys ."* ]]
}

# As systemd mounts it: a journal in /run may take a tenth of it.
@test "/run of the real root is limited to a fifth of the memory" {
	local size memory flags="tmpfs /run tmpfs rw,nosuid,nodev,"

	pid1 0 "rd.emergency=reboot" "init /sbin/init" "$root"'
		cp bin/busybox sysroot/bin/busybox
		ln -s busybox sysroot/bin/sh
		printf "%s\n" "#!/bin/sh" "exec /bin/busybox grep \" /run \" /proc/mounts" \
			>sysroot/sbin/init
		chmod 755 sysroot/sbin/init' </dev/null
	[[ $output =~ "$flags"size=([0-9]+)k,nr_inodes=819200,mode=755 ]]
	size=${BASH_REMATCH[1]}
	memory=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
	((size > memory / 5 - 100 && size < memory / 5 + 100))
}

@test "a mount point that is a link is looked for inside the root" {
	pid1 0 "rd.emergency=reboot" "init /sbin/init" "$root"'; rmdir sysroot/run
		mkdir -p sysroot/var/run
		ln -s /var/run sysroot/run
		cp bin/busybox sysroot/bin/busybox
		ln -s busybox sysroot/bin/sh
		printf "%s\n" "#!/bin/sh" "cd /run/modprobe.d && echo it is there" \
			>sysroot/sbin/init
		chmod 755 sysroot/sbin/init' </dev/null
	[[ $output == *"it is there"* ]]
}

@test "an init that cannot be executed: named, and the action" {
	pid1 $RESTARTED "rd.shell=0 rd.emergency=reboot" "init /sbin/init" "$root"'
		printf "#!/no/such/interpreter\n" >sysroot/sbin/init; chmod 755 sysroot/sbin/init' \
			</dev/null
	[[ $output == *"IA-E702"*"executing init: /sbin/init: interpreter /no/such/interpreter:\
 No such file"* ]]
	[[ $output != *"rescue shell"* ]]
}

@test "an init that cannot be executed: the shell is that of the initramfs, with all in its place" {
	pid1 $HALTED "" "init /sbin/init" "$root"'
		: >sysroot/sbin/init; chmod 755 sysroot/sbin/init' \
		<<<"ls / /sysroot; cat /proc/cmdline && echo proc is here; poweroff; exec cat"
	[[ $output == *"IA-E702"*"the file is empty"*"rescue shell"* ]]
	[[ $output == *"behaviour"*"/sysroot:"*"sbin"*"proc is here"* ]]
}

# labelled CONFIG [MORE [STATUS]]: enters a root in memory whose SELinux is configured so; its
# programs say what they are asked, and load_policy ends with STATUS.
labelled() {
	pid1 0 "rd.emergency=reboot ${options:-}" "init /sbin/init" "$root"'
		cp bin/busybox sysroot/bin/busybox
		ln -s busybox sysroot/bin/sh
		mkdir -p sysroot/{sys/fs/selinux,etc/selinux,usr/sbin}
		printf "%b" "'"$1"'" >sysroot/etc/selinux/config
		printf "%s\n" "#!/bin/sh" "echo asked: load_policy \$*" \
			"'"${slow:-:}"'" "exit '"${3:-0}"'" \
			>sysroot/usr/sbin/load_policy
		printf "%s\n" "#!/bin/sh" "echo asked: restorecon \$*" \
			>sysroot/usr/sbin/restorecon
		printf "%s\n" "#!/bin/sh" "echo entered" >sysroot/sbin/init
		chmod 755 sysroot/sbin/init sysroot/usr/sbin/*
		'"${2:-}" </dev/null
	[[ $output == *entered* ]]
}

@test "SELinux: a root in memory gets the labels of its policy before init" {
	labelled '# this file\nSELINUX=enforcing\nSELINUXTYPE=targeted\n'
	[[ $output == *"asked: load_policy -i"*"asked: restorecon -R "*" /"*entered* ]]
	labelled ' SELINUX="permissive"\n'
	[[ $output == *"asked: restorecon"* ]]
}

@test "SELinux: labelling that takes longer than the boot may is told, and not ended" {
	# 30 s are what init has at least
	local slow="sleep 31" options=rd.timeout=1

	labelled 'SELINUX=enforcing\n'
	[[ $output == *"root: still labelling its files for SELinux (5 s)"*"asked: restorecon"* ]]
}

@test "SELinux: nothing is asked for without it, or where its own script does that" {
	local config
	for config in 'SELINUX=disabled\n' '#SELINUX=enforcing\n' 'SELINUXTYPE=targeted\n' ''; do
		labelled "$config"
		[[ $output != *asked* ]]
	done
	labelled 'SELINUX=enforcing\n' 'rmdir sysroot/sys/fs/selinux'
	[[ $output != *asked* ]]
	labelled 'SELINUX=enforcing\n' 'mkdir -p sysroot/warewulf/init.d
		: >sysroot/warewulf/init.d/90-selinux'
	[[ $output != *asked* ]]
}

@test "SELinux: no policy is loaded, or a program is missing: named, and init is executed" {
	labelled 'SELINUX=enforcing\n' '' 3
	[[ $output == *"SELinux: load_policy ended with 3"* && $output != *restorecon* ]]
	[[ $output == *IA-E615* ]]
	labelled 'SELINUX=enforcing\n' 'rm sysroot/usr/sbin/restorecon'
	[[ $output == *"SELinux: restorecon: No such file"* ]]
}

# A container's only process: nothing of a boot is done in it, whatever the machine's command line
# is.
@test "as process 1 of a container its commands are commands" {
	mkdir "$T/i/proc"
	cp "$B/initagent" "$T/i/"
	run -0 timeout -s KILL 60 unshare --kill-child --user --map-root-user --mount --net --pid \
		--fork chroot "$T/i" /initagent version
	[[ $output == "initagent "* ]]
	[ ! -e "$T/i/sysroot" ]
}
