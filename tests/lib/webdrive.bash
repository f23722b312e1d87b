# shellcheck shell=bash disable=SC2016,SC2030,SC2031,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/web.bats and tests/wwinit.bats share: a case's network namespace, and webdrive in a
# mount namespace of its own.

# shellcheck source=tests/lib/servers.bash
source "${BASH_SOURCE[0]%/*}/servers.bash"

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	T=$BATS_TEST_TMPDIR
	B=$(realpath "${BUILD:-build}")
	FLAVOUR=host
	NS=iaw$$x$BATS_TEST_NUMBER
	ip netns add "$NS"
	ip -n "$NS" link set lo up
	mkdir "$T/root"
}

# inside SCRIPT: in namespaces of its own, with a prefix at $T/root in memory; "drive" in the script
# is webdrive.
inside() {
	# unchecked: the caller looks at $status
	run ip netns exec "$NS" unshare -m --propagation private timeout 60 bash -euo pipefail -c '
		T=$1 F=$2 web=$3
		root=$T/root
		mount -t tmpfs none "$root"
		mkdir -p "$root"/{dev,run,sysroot,proc,sys/class/block,etc/initagent/keys}
		mount --bind /dev "$root/dev"
		echo "MemAvailable: ${MEM:-400000} kB" >"$root/proc/meminfo"
		drive() { "$web" "$root" "${DEADLINE:-20000}" "$*"; }
		# ended: how drive ended, in $s. refuses: it said no, and did not die.
		ended() { s=0; drive "$@" || s=$?; }
		refuses() { ended "$@"; [[ $s == 3 || $s == 4 ]]; }
		# same: the root is the one that was packed. nothing: there is none, nor a part of
		# one, nor memory kept.
		# Each prints its word only when that is so, and fails otherwise.
		same() { diff -r "$F/tree" "$root/sysroot" && echo same; }
		mounts() {
			grep -E " $root/(sysroot|run)" /proc/self/mountinfo |
				grep -v " $root/run/initagent/fetch "
		}
		nothing() {
			[[ -z $(ls -A "$root/sysroot") ]] || { ls -lA "$root/sysroot"; return 1; }
			[[ -z $(mounts) ]] || { mounts; return 1; }
			echo nothing
		}
		eval "$4"' - "$T" "$F" "$B/$FLAVOUR/tests/web/webdrive" "$1"
	echo "$output"
}

# refused CODE ARGUMENT...: it ends with that cause, and nothing is mounted.
refused() {
	inside "drive '${*:2}' && exit 9; [[ \$? == 3 ]] && nothing"
	[ "$status" -eq 0 ]
	[[ $output == *"fatal IA-E$1 "*nothing ]]
}
