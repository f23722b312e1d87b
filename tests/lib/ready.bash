# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# ready.bash: waiting for a server that has just been started.

# ready COMMAND...: waits until the command succeeds. The minute only ends what hangs.
ready() {
	local end=$((SECONDS + 60))
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || { echo "not within a minute: $*"; return 1; }
		sleep 0.02
	done
}
