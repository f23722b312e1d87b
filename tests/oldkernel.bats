#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is there on a kernel that lacks newer system calls, as RHEL 8's does (oldkernel/oldkernel.c):
# the same tests, whatever the agent does instead.

# shellcheck disable=SC2034,SC2154 # lib/mkimage's

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	B=$(realpath "${BUILD:-build}")
}

# on_old PROGRAM...: unit tests, as on that kernel.
on_old() {
	local program

	for program; do
		"$B/host/tests/oldkernel/oldkernel" "$B/$program"
	done
}

@test "names below a root are opened without leading out of it" {
	on_old host/initagent/root/init/test_init_check host/initagent/handover/test_managers
}

@test "a kernel that cannot mount so at all: named" {
	"$B/host/tests/oldkernel/oldkernel" -5.1 "$B/host/initagent/root/init/test_init_check"
}

@test "archives are unpacked in their sandbox, images mounted, by either C library" {
	on_old host/initagent/root/image/test_unpack musl/initagent/base/test_sandbox \
		musl/initagent/root/image/test_image
}

@test "what a provisioner's script leaves in the background is not waited for" {
	on_old host/initagent/root/nfs/test_statelite
}

@test "images are built" {
	local mkimage kver root modules out BUILD=$B

	load lib/mkimage
	made_root
	printf '#!/bin/sh\nexec %q %q "$@"\n' "$B/host/tests/oldkernel/oldkernel" "$mkimage" \
		>"$BATS_TEST_TMPDIR/mkimage"
	chmod +x "$BATS_TEST_TMPDIR/mkimage"
	mkimage=$BATS_TEST_TMPDIR/mkimage
	build
	[ -s "$out" ]
}
