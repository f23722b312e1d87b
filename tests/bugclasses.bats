#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/bugclasses names a test for what others were broken by: the tests must be there.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
}

# rows: rule, file and test of every row.
rows() {
	grep -v '^#' "${1:-tests/bugclasses}" | cut -f 1,3,4
}

# absent FILE: prints the rows whose test is not where the row says.
absent() {
	local rule file test

	while IFS=$'\t' read -r rule file test; do
		case $file in
		*.c) grep -qxF "TEST($test)" "$file" || echo "$rule $file: $test" ;;
		*.bats) grep -qF "@test \"$test\"" "$file" || echo "$rule $file: $test" ;;
		*) echo "$rule: no test file: $file" ;;
		esac
	# unchecked: the caller counts them
	done < <(rows "$1")
}

@test "every test named is there" {
	run -0 absent tests/bugclasses
	echo "$output"
	[ "$output" = "" ]
	[ "$(rows | wc -l)" -ge 30 ]
}

@test "every rule has a test" {
	# R10 is about HTTP roots, which this build does not bring up.
	[ "$(rows | cut -f 1 | sort -uV | tr '\n' ' ')" = "R1 R2 R3 R4 R5 R6 R7 R8 R9 R11 " ]
}

@test "a test that went away would be missed" {
	printf 'R4\t%s\t%s\t%s\n' what tests/address.bats 'no such case' what \
		initagent/address/test_parser.c no_such_case \
		>"$BATS_TEST_TMPDIR/rows"
	run -0 absent "$BATS_TEST_TMPDIR/rows"
	[ "${#lines[@]}" -eq 2 ]
}
