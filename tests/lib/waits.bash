# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# waits.bash: times on a machine whose processors others want as well.

# control_group: the folder of this process's control group; nothing without such groups.
control_group() {
	local mounted

	mounted=$(sed -n 's/^[^ ]* \([^ ]*\) cgroup2 .*/\1/p' /proc/self/mounts | head -n 1)
	[[ -z $mounted ]] || echo "$mounted$(sed -n 's/^0:://p' /proc/self/cgroup)"
}

# own_group: makes one of its own for this process and what it starts (tests/run: each source of
# tests), and removes what earlier ones left.
own_group() {
	local group

	group=$(control_group)
	rmdir "$group"/initagent-* 2>/dev/null
	mkdir "$group/initagent-$BASHPID" 2>/dev/null &&
		echo "$BASHPID" >"$group/initagent-$BASHPID/cgroup.procs"
} 2>/dev/null

# waited_ms: milliseconds in which a process of this control group waited for a processor that
# others had, of this machine or of its hypervisor. Without such groups: a process of the machine.
waited_ms() {
	local total=0 stolen file

	for file in "$(control_group)/cpu.pressure" /proc/pressure/cpu; do
		[[ ! -r $file ]] || {
			total=$(sed -n 's/^some.*total=//p' "$file")
			break
		}
	done
	read -r _ _ _ _ _ _ _ _ stolen _ </proc/stat
	echo $((total / 1000 + stolen * 1000 / $(getconf CLK_TCK)))
}

# stopwatch: within() counts from here on.
stopwatch() {
	WAITED=$(waited_ms)
}

# within MS LIMIT: so many milliseconds, of a while since then, are no more than LIMIT, and what
# was waited for a processor meanwhile. The kernel adds that up every two seconds.
within() {
	local waited pause

	for pause in 0 2.1; do
		sleep "$pause"
		waited=$(($(waited_ms) - ${WAITED:?}))
		[[ $(($1 - waited)) -gt $2 ]] || return 0
	done
	echo "took $1 ms, at most $2 allowed; $waited ms of it may have been for a processor"
	return 1
}
