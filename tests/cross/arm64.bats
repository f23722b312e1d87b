#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What "make ARCH=arm64" built, run by qemu-user: "make check-cross", and a part of "make check".
bats_require_minimum_version 1.5.0

kver=6.5.5-test

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	native=${BUILD:-build}/initagent
	agent=${BUILD:-build}/aarch64/initagent
	mkimage=${BUILD:-build}/aarch64/initagent-mkimage
	shell=${BUILD:-build}/aarch64/busybox
}

arm64() {
	qemu-aarch64-static "$agent" "$@"
}

@test "a static program of that machine" {
	readelf -h "$agent" | grep -q 'Machine: *AArch64'
	run -0 readelf -l "$agent" --wide
	[[ $output != *INTERP* ]]
}

@test "the rescue shell is a static program of that machine, and runs" {
	readelf -h "$shell" | grep -q 'Machine: *AArch64'
	run -0 readelf -l "$shell" --wide
	[[ $output != *INTERP* ]]
	# shellcheck disable=SC2016 # expanded by the shell that is tested
	run -0 qemu-aarch64-static "$shell" sh -c 'echo $((6 * 7))'
	[ "$output" = 42 ]
}

@test "lint, options and causes say what they say on this machine" {
	local line="root=nfs:[2001:db8::1]:/x ip=dhcp rd.retry=x rd.rdma.link=rxe0,rxe,eth0"
	line+=" netroot=nosuch"
	run arm64 lint "$line"
	[ "$status" -eq 2 ]
	[ "$output" = "$("$native" lint "$line")" ]
	cmp <(arm64 options --markdown) <("$native" options --markdown)
	cmp <(arm64 causes) <("$native" causes)
}

@test "an image with modules of that machine; none with this machine's agent" {
	local root=$BATS_TEST_TMPDIR/root modules
	modules=$root/lib/modules/$kver
	mkdir -p "$modules/kernel" "$root/lib/firmware"
	touch "$modules"/modules.{order,builtin,builtin.modinfo}
	printf '.section .modinfo,"a"\n.asciz "name=a"\n' >"$BATS_TEST_TMPDIR/a.s"
	aarch64-linux-gnu-as -o "$modules/kernel/a.ko" "$BATS_TEST_TMPDIR/a.s"
	build() {
		"$mkimage" --agent "$1" --busybox "$2" --root "$root" --kver "$kver" --level 1 \
			--no-base \
			--drivers a --out "$BATS_TEST_TMPDIR/image"
	}
	run -0 build "$agent" "$shell"
	zstd -dcq "$BATS_TEST_TMPDIR/image" | cpio -t --quiet |
		grep -qx "lib/modules/$kver/kernel/a.ko"
	run -1 build "$native" "$agent"
	[[ $output == *"is for machine 62, the modules for machine 183"* ]]
	run -1 build "$agent" /bin/busybox
	[[ $output == *"/bin/busybox is for machine 62"* ]]
}
