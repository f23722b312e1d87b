#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The test of a source file is found by its name (tests/README.md).
bats_require_minimum_version 1.5.0

sources() {
	find initagent kernel-cmdline dracut flexboot ipxe-scripts -name '*.c' \
		! -name 'test_*' ! -name 'fuzz_*'
}

@test "each source file has a test, and tests/of finds it" {
	local files

	mapfile -t files < <(sources)
	[ "${#files[@]}" -gt 300 ]
	tests/of "${files[@]}" >"$BATS_TEST_TMPDIR/found"
	run -0 tests/of initagent/address/client_id.c
	[ "${lines[0]}" = initagent/address/test_client_id.c ]
	run -0 tests/of initagent/boot/pid1.c
	[ "${lines[0]}" = tests/pid1.bats ]
	# its own header names them, those of its folder have others
	run -0 tests/of initagent/modules/modprobe.c
	[ "$output" = $'initagent/modules/test_modprobe.c\ntests-qemu/rooms.bats' ]
}

@test "a source file without a test is named" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests" "$tree/initagent/new"
	cp tests/of "$tree/tests/"
	echo 'int fresh(void);' >"$tree/initagent/new/fresh.h"
	echo 'int fresh(void) { return 0; }' >"$tree/initagent/new/fresh.c"
	run -1 "$tree/tests/of" initagent/new/fresh.c
	[ "$output" = "initagent/new/fresh.c: no test" ]
	# a header that names a test which is not there does not make one
	echo '/* Tests: new/test_fresh_too.c. */' >"$tree/initagent/new/fresh.h"
	run -1 "$tree/tests/of" initagent/new/fresh.c
	echo 'int main(void) { return fresh(); }' >"$tree/initagent/new/test_fresh_too.c"
	run -0 "$tree/tests/of" initagent/new/fresh.c
	[ "$output" = initagent/new/test_fresh_too.c ]
}

@test "a bats file is named for a folder of the source, or for a subject of tests/README.md" {
	local file name subjects

	subjects=$(sources | xargs -n 1 dirname | sort -u | sed 's,.*/,,')
	subjects+=$'\n'$(sed -n 's/^| \(`.*\) |.*/\1/p' tests/README.md |
		sed 's/ |.*//' | grep -oE '[a-z0-9-]+')
	for file in tests/*.bats tests-qemu/*.bats; do
		name=$(basename "$file" .bats)
		grep -qxF -e "$name" -e "${name%%-*}" <<<"$subjects" ||
			{ echo "$file: neither a folder nor a subject"; return 1; }
	done
}

@test "boot.c stays the story of a boot: under 300 lines, struct boot at most 15 fields" {
	local fields

	[ "$(wc -l <initagent/boot/boot.c)" -lt 300 ]
	fields=$(sed -n '/^struct boot {/,/^}/p' initagent/boot/private.h | grep -c '^	.*;')
	[ "$fields" -ge 10 ]
	[ "$fields" -le 15 ]
}
