#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The C test harness and the fuzz driver: every way a case can end is told apart, none takes others
# along.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	HARNESS=$(realpath "${BUILD:-build}")/host/tests/harness
	cd "$BATS_TEST_TMPDIR" || return
	cp "$HARNESS/target" .
	unset CHECK_TIMING
}

sample() {
	# unchecked: the caller looks at $status
	run "$HARNESS/sample" "$@"
	echo "$output"
}

@test "how long a case took, if asked" {
	CHECK_TIMING=1 sample passes fails skips
	[[ ${lines[1]} =~ ^"ok 1 - skips in "[0-9]+"ms # SKIP no such device here"$ ]]
	[[ $output =~ $'\n'"not ok 2 - fails in "[0-9]+ms$'\n' ]]
	[[ ${lines[-1]} =~ ^"ok 3 - passes in "[0-9]+ms$ ]]
}

@test "a passing case is one ok line, and what it printed is kept back" {
	sample passes
	[ "$status" -eq 0 ]
	[ "$output" = $'1..1\nok 1 - passes' ]
}

@test "a failed case names file, line and condition and shows what it printed" {
	sample fails
	[ "$status" -eq 1 ]
	[ "${lines[1]}" = "not ok 1 - fails" ]
	[[ ${lines[2]} =~ ^"# "tests/harness/sample.c:[0-9]+:" 1 == 2"$ ]]
	[ "${lines[3]}" = "# noise of the failed case" ]
}

@test "differing strings, numbers and bytes show both sides" {
	sample fails_str
	[[ $output == *'#   got  "left"'*'#   want "right"'* ]]
	sample fails_str_null
	[[ $output == *'#   got  NULL'*'#   want "right"'* ]]
	sample fails_int
	[[ $output == *"40 + 1"*"got  41 (0x29)"*"want 42 (0x2a)"* ]]
	sample fails_mem
	[[ $output == *"from offset 2 of 4"*"got  63 64"*"want 78 64"* ]]
}

@test "a skipped case gives its reason and does not fail" {
	sample skips
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "ok 1 - skips # SKIP no such device here" ]
}

@test "a crash, a leak, an overrun and an early exit are failures" {
	sample crashes
	[ "$status" -eq 1 ]
	[[ ${lines[1]} == "not ok 1 - crashes" ]]
	sample leaks
	[ "$status" -eq 1 ]
	[[ $output == *"detected memory leaks"* ]]
	sample overruns
	[ "$status" -eq 1 ]
	[[ $output == *"overflow"* || $output == *"insufficient space"* ]]
	sample exits_early
	[ "$status" -eq 1 ]
	[[ $output == *"# exit status 3"* ]]
}

@test "a hanging case is ended" {
	CHECK_SECONDS=1 sample hangs
	[ "$status" -eq 1 ]
	[[ $output == *"# still running after 1 s"* ]]
}

@test "all cases run, whatever happens to the ones before" {
	# ends the one that hangs, and none that a busy machine keeps waiting
	CHECK_SECONDS=5 sample
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "1..12" ]
	[ "$(grep -cE '^(not )?ok ' <<<"$output")" -eq 12 ]
	[ "$(grep -cE '^ok ' <<<"$output")" -eq 2 ]
}

@test "rows share a child, and yet each has an end of its own" {
	run -1 "$HARNESS/rows"
	[ "${lines[0]}" = "1..201" ]
	[ "$(grep -cE '^ok ' <<<"$output")" -eq 197 ]
	[ "$(grep -E '^not ok' <<<"$output")" = \
		$'not ok 42 - row 40\nnot ok 43 - row 41\n'\
$'not ok 102 - row 100\nnot ok 133 - row 131' ]
	[[ $output == *"not ok 43 - row 41"*"SEGV"*"not ok 102 - row 100"*"4711 byte"*\
"# ended before its end"* ]]
	[[ $output == *"ok 201 - row 199 # SKIP no such device here" ]]
	run -0 "$HARNESS/rows" "row 39" "row 42"
	[ "$output" = $'1..2\nok 1 - row 39\nok 2 - row 42' ]
}

@test "no case at all is a failure" {
	sample nosuch
	[ "$status" -eq 1 ]
	[ "$output" = "1..0" ]
}

@test "the fuzz driver replays every input of its folders" {
	mkdir one two
	printf a >one/a
	printf b >one/b
	: >two/empty
	run -0 --separate-stderr ./target one two
	[ "${lines[0]}" = "1..1" ]
	[ "${lines[1]}" = "ok 1 - target: 3 corpus inputs" ]
}

@test "an input the target dies of is named and kept" {
	mkdir corpus
	printf good >corpus/good
	printf 'bad\377' >corpus/overrun
	run -1 --separate-stderr ./target corpus
	[ "${lines[1]}" = "not ok 1 - target: corpus inputs" ]
	[[ $output == *"died on input 2"*"which is corpus/overrun"* ]]
	cmp target-crash-2 corpus/overrun
	# the kept input is enough to see it again
	run -1 ./target target-crash-2
}

@test "mutations find what the corpus does not hold, the same way each time" {
	mkdir corpus
	printf 'a harmless input' >corpus/a
	run -1 --separate-stderr ./target -mutate 5000 -seed 7 corpus
	[ "${lines[1]}" = "ok 1 - target: 1 corpus inputs" ]
	[ "${lines[2]}" = "not ok 2 - target: mutated inputs" ]
	local first=$output

	run -1 --separate-stderr ./target -mutate 5000 -seed 7 corpus
	[ "$output" = "$first" ]
	grep -q $'\xff' target-crash-*
	rm target-crash-*
	# the next seed makes others, not the same ones moved on by one
	run -1 --separate-stderr ./target -mutate 5000 -seed 8 corpus
	local number=${first#*died on input } next=${output#*died on input }
	[ "${next%% *}" -ne "${number%% *}" ]
	[ "${next%% *}" -ne "$((${number%% *} - 1))" ]
}

@test "mutations end when their time is over" {
	mkdir corpus
	# nothing can be mutated into the byte that kills
	printf '' >corpus/a
	run -0 --separate-stderr ./target -mutate 1000000000 -seconds 1 corpus
	[[ ${lines[2]} =~ ^"ok 2 - target: "[0-9]+" mutated inputs"$ ]]
}

@test "no input at all is an error" {
	mkdir corpus
	run -2 ./target corpus
	run -2 ./target nosuch
}
