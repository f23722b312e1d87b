# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# ready.bash: waiting for a server that has just been started.

# ready COMMAND...: waits until the command succeeds, at most 10 s.
ready() {
	local i
	for ((i = 0; i < 500; i++)); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.02
	done
	echo "not in 10 s: $*"
	return 1
}
