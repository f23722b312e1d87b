#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# make install below a DESTDIR.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	DEST=$BATS_TEST_TMPDIR/dest
	# the make that runs the tests must not lend its jobs and options
	unset MAKEFLAGS MFLAGS MAKELEVEL
}

@test "the agent and the dracut module land below DESTDIR and PREFIX" {
	run -0 make install DESTDIR="$DEST" PREFIX=/usr
	cmp "${BUILD:-build}/initagent" "$DEST/usr/sbin/initagent"
	[ "$(stat -c %a "$DEST/usr/sbin/initagent")" = 755 ]
	cmp "${BUILD:-build}/initagent-site" "$DEST/usr/sbin/initagent-site"
	[ -x "$DEST/usr/lib/dracut/modules.d/70initagent/module-setup.sh" ]
}

@test "PREFIX is honoured and nothing lands outside" {
	run -0 make install DESTDIR="$DEST" PREFIX=/opt/agent
	[ -x "$DEST/opt/agent/sbin/initagent" ]
	[ "$(ls "$DEST")" = opt ]
}

@test "what is installed is not writable by others and owned by one user" {
	run -0 make install DESTDIR="$DEST" PREFIX=/usr
	[ "$(find "$DEST/usr" -perm /022 -not -type l | wc -l)" -eq 0 ]
}
