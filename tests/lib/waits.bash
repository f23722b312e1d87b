# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# waits.bash: times on a machine whose processors others want as well.

# waits: milliseconds since boot in which a process may have waited for a processor that others had,
# of this machine or of its hypervisor. The kernel's figure is the mean over the processors.
waits() {
	local total=0 stolen

	[[ ! -e /proc/pressure/cpu ]] ||
		total=$(sed -n 's/^some.*total=//p' /proc/pressure/cpu)
	read -r _ _ _ _ _ _ _ _ stolen _ </proc/stat
	echo $((total * $(nproc) / 1000 + stolen * 1000 / $(getconf CLK_TCK)))
}

# stopwatch: within() counts from here on.
stopwatch() {
	WAITS=$(waits)
}

# within MS LIMIT: so many milliseconds, of a while since then, are no more than LIMIT, and what
# may have been waited for a processor meanwhile.
within() {
	local waited=$(($(waits) - ${WAITS:?}))

	echo "took $1 ms, at most $2; up to $waited ms for a processor"
	[[ $(($1 - waited)) -le $2 ]]
}
