#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run: it adds up what the levels say, and no test gets lost on the way.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	# what the caller gave its own run
	unset AGAIN_MAX BUDGET BEGAN IDLE_GRACE FAST_LIMIT QEMU_LIMIT IDLE_LIMIT JOBS VM_JOBS \
		MUTATIONS SEED
	export OUT=$BATS_TEST_TMPDIR/out VERBOSE=""
	export TEST_PROGS="" FUZZ_PROGS=""
}

# program NAME: standard input becomes the script of a test program.
program() {
	{ echo '#!/bin/bash'; cat; } >"$BATS_TEST_TMPDIR/$1"
	chmod +x "$BATS_TEST_TMPDIR/$1"
	TEST_PROGS+=" $BATS_TEST_TMPDIR/$1"
}

unit() {
	# unchecked: the caller looks at $status
	run tests/run unit
	echo "$output"
}

last() {
	[ "${lines[-1]}" = "$1" ]
}

@test "passed, failed and skipped cases of all programs are added up" {
	program one \
		<<<"printf '1..3\nok 1 - a\nok 2 - b # SKIP no card\nnot ok 3 - c\n# why\n'; exit 1"
	program two <<<"printf '1..2\nok 1 - d\nok 2 - e\n'"
	unit
	[ "$status" -eq 1 ]
	last "3 passed, 1 failed, 1 skipped"
	[[ $output == *"SKIP b: no card"* ]]
	[[ $output == *"FAIL c"*"# why"* ]]
	[[ $output == *$'failed:\n  '*$'one: c\n      why\n'* ]]
}

@test "the sum is alone on the last line" {
	program one <<<"printf '1..1\nok 1 - a\n'"
	unit
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} =~ ^[0-9]+" passed, "[0-9]+" failed, "[0-9]+" skipped"$ ]]
	[ "$(grep -c passed, <<<"$output")" -eq 1 ]
}

@test "nothing run is not a success" {
	unit
	[ "$status" -eq 1 ]
	last "0 passed, 0 failed, 0 skipped"
}

@test "only skipped is not a success" {
	program one <<<"printf '1..1\nok 1 - a # SKIP nothing here\n'"
	unit
	[ "$status" -eq 1 ]
	last "0 passed, 0 failed, 1 skipped"
}

@test "in a full run a skip fails, unless tests/skips has its reason; other runs go on" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests"
	cp -r tests/run tests/lib "$tree/tests/"
	printf '%s\n' '# suites' '^the mirror has no ' '' '^no card [0-9]+$' >"$tree/tests/skips"
	program one <<<"printf '1..4\nok 1 - a in 3ms\nok 2 - b # SKIP the mirror has no sid\n'
		printf 'ok 3 - c # skip no card 7\nok 4 - d in 2ms # skip no tun # here\n'"
	run -0 "$tree/tests/run" unit
	last "1 passed, 0 failed, 3 skipped"
	run -1 "$tree/tests/run" --full unit
	echo "$output"
	last "1 passed, 1 failed, 2 skipped"
	[[ $output == *"SKIP b: the mirror has no sid"* && $output != *"SKIP d"* ]]
	[[ $output == *$'failed:\n  '*$'one: d\n      skipped for a reason that is not expected:'\
" no tun # here"* ]]
	# none at all, an empty line is no expression
	program two <<<"printf '1..2\nok 1 - e # SKIP\nok 2 - f # SKIP suites\n'"
	run -1 "$tree/tests/run" --full unit
	last "1 passed, 3 failed, 2 skipped"
	printf '@test "g" { skip "no card 8"; }\n@test "h" { skip "no card"; }\n' \
		>"$tree/tests/x.bats"
	run -1 "$tree/tests/run" --full bats
	last "0 passed, 1 failed, 1 skipped"
	rm "$tree/tests/skips"
	run -2 "$tree/tests/run" --full unit
}

@test "make check is a full run; what it may skip for is what a test says" {
	local pattern patterns

	grep -q 'tests/run --full images .* lint bats unit corpus qemu' tests/rules.mk
	[ "$(grep -c 'tests/run --full' tests/rules.mk)" -eq 1 ]
	mapfile -t patterns < <(grep -v '^#' tests/skips | grep .)
	[ "${#patterns[@]}" -gt 4 ]
	for pattern in "${patterns[@]}"; do
		# all are held at their begin, and none is content with anything
		[[ $pattern == '^'* ]]
		run -1 grep -E "$pattern" <<<$'namespaces need root\nno /dev/net/tun: no device\n'\
$'no squashfs or no loop devices here\nno right to make a network namespace: x\n'
	done
}

@test "a program that stops short of its plan has failed" {
	program one <<<"printf '1..3\nok 1 - a\n'; kill -SEGV \$\$"
	unit
	[ "$status" -eq 1 ]
	last "1 passed, 1 failed, 0 skipped"
	[[ $output == *"stopped after 1 of 3 cases, exit status 139"* ]]
}

@test "a program without plan has failed, and its words are shown" {
	program one <<<"echo cannot start; exit 4"
	unit
	[ "$status" -eq 1 ]
	last "0 passed, 1 failed, 0 skipped"
	[[ $output == *"cannot start"*"ended without a test plan, exit status 4"* ]]
}

@test "a program that does not exist has failed" {
	TEST_PROGS=$BATS_TEST_TMPDIR/nosuch unit
	[ "$status" -eq 1 ]
	last "0 passed, 1 failed, 0 skipped"
}

@test "an exit status without failed case is a failure" {
	program one <<<"printf '1..1\nok 1 - a\n'; exit 9"
	unit
	[ "$status" -eq 1 ]
	last "1 passed, 1 failed, 0 skipped"
	[[ $output == *"exit status 9 without a failed case"* ]]
}

@test "a program that hangs is ended and has failed" {
	program one <<<"printf '1..2\nok 1 - a\n'; exec sleep 60"
	FAST_LIMIT=5 unit
	[ "$status" -eq 1 ]
	last "1 passed, 1 failed, 0 skipped"
	[[ $output == *"still running after 5 s"* ]]
}

@test "a program whose job is killed has failed, and the others go on" {
	# shellcheck disable=SC2016 # the program's own variables
	program one <<<'kill -KILL "$(ps -o ppid= $PPID)"'
	program two <<<"printf '1..1\nok 1 - a\n'"
	unit
	[ "$status" -eq 1 ]
	last "1 passed, 1 failed, 0 skipped"
	[[ $output == *"one: ended without a result"* ]]
}

@test "what looks like a case inside a comment or a word is not counted" {
	program one <<<"printf '1..1\n# ok 7 - no\nokay\nnot okay\n  ok 2 - indented\nok 1 - a\n'"
	unit
	[ "$status" -eq 0 ]
	last "1 passed, 0 failed, 0 skipped"
}

@test "VERBOSE shows each case" {
	program one <<<"printf '1..1\nok 1 - the only case\n'"
	VERBOSE=1 unit
	[[ $output == *"ok   the only case"* ]]
}

@test "whole outputs are kept" {
	program one <<<"printf '1..1\nok 1 - a\n# detail\n'"
	unit
	grep -q '# detail' "$OUT"/*one.tap
}

@test "fuzz targets get their corpus and mutations" {
	cat >"$BATS_TEST_TMPDIR/fuzz_thing" <<-'EOF'
		#!/bin/bash
		printf '1..1\nok 1 - %s\n' "$*"
	EOF
	chmod +x "$BATS_TEST_TMPDIR/fuzz_thing"
	FUZZ_PROGS=$BATS_TEST_TMPDIR/fuzz_thing MUTATIONS=5 VERBOSE=1 run -0 tests/run corpus
	echo "$output"
	[[ $output =~ "corpus: mutations by SEED="([0-9]+) ]]
	[[ $output == *"ok   -mutate 5 -seed ${BASH_REMATCH[1]} -seconds 10 tests/corpus/thing"* ]]
	last "1 passed, 0 failed, 0 skipped"
	SEED=7 FUZZ_PROGS=$BATS_TEST_TMPDIR/fuzz_thing VERBOSE=1 run -0 tests/run corpus
	[[ $output == *"-seed 7 "* ]]
}

@test "an unknown level is refused" {
	run tests/run nosuch
	[ "$status" -eq 2 ]
}

@test "programs run side by side, each report in one piece" {
	local n

	for n in one two three four; do
		program $n <<<"printf '1..1\n'; sleep 0.5
			printf 'not ok 1 - $n\n# detail of $n\n'; exit 1"
	done
	JOBS=4 unit
	last "0 passed, 4 failed, 0 skipped"
	for n in one two three four; do
		[[ $output == *"FAIL $n"$'\n'"       # detail of $n"$'\n'* ]]
	done
}

@test "a second run in the same tree does not touch the first one's outputs" {
	mkdir -p "$OUT"
	echo precious >"$OUT/first.tap"
	program one <<<"printf '1..1\nok 1 - a\n'"
	(
		flock 9
		tests/run unit >"$BATS_TEST_TMPDIR/output" 9>&-
	) 9>"$OUT/.lock"
	run -0 tail -n 1 "$BATS_TEST_TMPDIR/output"
	[ "$output" = "1 passed, 0 failed, 0 skipped" ]
	[ "$(cat "$OUT/first.tap")" = precious ]
}

@test "a process that a test leaves behind does not hold the run up" {
	program one <<<"printf '1..1\nok 1 - a\n'; sleep 99 & echo \$! >$BATS_TEST_TMPDIR/left"
	unit
	# It would have ended by itself.
	kill "$(cat "$BATS_TEST_TMPDIR/left")"
	last "1 passed, 0 failed, 0 skipped"
}

@test "a run that is broken off takes its programs along" {
	program one <<<"echo \$\$ >$BATS_TEST_TMPDIR/pid; printf '1..1\n'; exec sleep 99"
	tests/run unit >/dev/null 3>&- &
	local run=$! pid

	until [[ -s $BATS_TEST_TMPDIR/pid ]]; do sleep 0.05; done
	pid=$(cat "$BATS_TEST_TMPDIR/pid")
	kill "$run"
	wait "$run" || true
	# Long before it would have ended by itself.
	for ((i = 0; i < 60; i++)); do
		[[ -d /proc/$pid ]] || return 0
		sleep 0.5
	done
	false
}

@test "VM tests are shown case by case, filtered by name, with their reasons" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests" "$tree/tests-qemu"
	cp -r tests/run tests/lib "$tree/tests/"
	printf '@test "%s\n' 'boot one" { true; }' 'boot two" { skip "no firmware"; }' \
		'other" { false; }' \
		>"$tree/tests-qemu/a.bats"
	printf '@test "nothing of the kind" { false; }\n' >"$tree/tests-qemu/b.bats"
	run "$tree/tests/run" --filter '^boot' qemu
	echo "$output"
	[ "$status" -eq 0 ]
	last "1 passed, 0 failed, 1 skipped"
	[[ $output == *"ok   boot one"*"SKIP boot two: no firmware"* ]]
	[[ $output != *b.bats* ]]
	run "$tree/tests/run" qemu
	[ "$status" -eq 1 ]
	last "1 passed, 2 failed, 1 skipped"
}

@test "VM tests of the hand-over: those of a level of their own are in no other" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests" "$tree/tests-qemu/handover"
	cp -r tests/run tests/lib "$tree/tests/"
	printf '@test "x" { true; }\n' | tee "$tree"/tests-qemu/{a,handover-a}.bats \
		>"$tree/tests-qemu/handover/cells.bats"
	run -0 "$tree/tests/run" qemu
	last "2 passed, 0 failed, 0 skipped"
	[[ $output != *cells* ]]
	run -0 "$tree/tests/run" handover
	last "2 passed, 0 failed, 0 skipped"
	[[ $output == *handover/cells.bats* && $output != *" tests-qemu/a.bats"* ]]
}

@test "with BUDGET= no VM is begun late; files that say so go last" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests" "$tree/tests-qemu"
	cp -r tests/run tests/lib "$tree/tests/"
	printf '# %s\n@test "x" { true; }\n' "last: of all" >"$tree/tests-qemu/a.bats"
	printf '@test "%s" { true; }\n' y z >"$tree/tests-qemu/b.bats"
	VM_JOBS=1 BUDGET=10000 run "$tree/tests/run" qemu
	echo "$output"
	[ "$status" -eq 0 ]
	last "3 passed, 0 failed, 0 skipped"
	[[ $output == *b.bats*a.bats* ]]
	program one <<<"printf '1..1\nok 1 - a\n'"
	VM_JOBS=1 BUDGET=100 BEGAN=$(($(date +%s) - 100)) run "$tree/tests/run" unit qemu
	echo "$output"
	[ "$status" -eq 0 ]
	last "1 passed, 0 failed, 3 skipped"
	[[ $output == *"SKIP tests-qemu/b.bats: 2 cases, not begun within BUDGET=100 seconds"* ]]
}

@test "a failed case gets a second go by itself; what passes only then fails the run too" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests" "$tree/build/host/x"
	cp -r tests/run tests/lib "$tree/tests/"
	# shellcheck disable=SC2016 # the case's own variables
	printf '%s\n' '@test "unsteady, (for once)" {' \
		'[ -e "$MARKS/a" ] || { touch "$MARKS/a"; false; }' '}' \
		'@test "broken" {' 'false' '}' >"$tree/tests/a.bats"
	# shellcheck disable=SC2016 # the program's own variables
	printf '%s\n' '#!/bin/bash' 'echo 1..1' \
		'[ -e "$MARKS/u" ] && { echo "ok 1 - $1"; exit 0; }' \
		'touch "$MARKS/u"' 'echo "not ok 1 - shaky"' 'exit 1' >"$tree/build/host/x/test_u"
	chmod +x "$tree/build/host/x/test_u"
	cd "$tree" || return
	export MARKS=$BATS_TEST_TMPDIR BUILD=build OUT=build/check TEST_PROGS=build/host/x/test_u
	run tests/run bats unit
	echo "$output"
	[ "$status" -eq 1 ]
	last "0 passed, 3 failed, 0 skipped"
	[[ $output == *"failed, but passed at a second go:"*"a.bats: unsteady"* ]]
	[[ $output == *"failed, but passed at a second go:"*"x/test_u: shaky"* ]]
	[[ $output == *$'failed:\n  tests/a.bats: broken'* ]]
	# Without the broken one the run fails as well.
	rm -f "$MARKS"/[au]
	printf '%s\n' '@test "sound" {' 'true' '}' >tests/a.bats
	run -1 tests/run bats unit
	last "1 passed, 1 failed, 0 skipped"
	[[ $output != *$'\nfailed:'* ]]
	printf '%s\n' '@test "broken" {' 'false' '}' '@test "broken too" {' 'false' '}' \
		>tests/a.bats
	# Too many at once are no accident.
	rm -f "$MARKS"/[au]
	AGAIN_MAX=2 run -1 tests/run bats unit
	last "0 passed, 3 failed, 0 skipped"
}

@test "a file in shares: each case runs once, and a second go finds it" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests"
	cp -r tests/run tests/lib "$tree/tests/"
	# shellcheck disable=SC2016 # the case's own variables
	printf '%s\n' '# shares: 2' '@test "a, (for one)" {' 'echo a >>"$MARKS/ran"' '}' \
		'@test "b" {' 'echo b >>"$MARKS/ran"' '}' \
		'@test "c" {' 'echo c >>"$MARKS/ran"' \
		'[ -e "$MARKS/c" ] || { touch "$MARKS/c"; false; }' '}' >"$tree/tests/a.bats"
	cd "$tree" || return
	export MARKS=$BATS_TEST_TMPDIR BUILD=build OUT=build/check
	run tests/run bats
	echo "$output"
	[ "$status" -eq 1 ]
	last "2 passed, 1 failed, 0 skipped"
	[ "$(sort "$MARKS/ran" | tr -d '\n')" = abcc ]
	[[ $output == *"a.bats 1/2"*"failed, but passed at a second go:"*"a.bats 1/2: c"* ]]
	[[ $output == *"a.bats 2/2 "*"1 passed"* ]]
	# One that cannot be told by its name is lost to neither.
	echo "@test 'd' { true; }" >>tests/a.bats
	run -0 tests/run bats
	last "4 passed, 0 failed, 0 skipped"
}

@test "alone: a case that needs an earlier one's leftovers fails" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests"
	cp -r tests/run tests/lib "$tree/tests/"
	# shellcheck disable=SC2016 # the case's own variables
	printf '%s\n' '@test "leaves it" { touch "$BATS_FILE_TMPDIR/left"; }' '@test "needs it" {' \
		'[ -e "$BATS_FILE_TMPDIR/left" ]' '}' \
		'@test "needs none" { touch "$MARKS/share${VM_SHARE:-}"; }' \
		>"$tree/tests/a.bats"
	cd "$tree" || return
	export MARKS=$BATS_TEST_TMPDIR BUILD=build OUT=build/check
	run -0 tests/run bats
	last "3 passed, 0 failed, 0 skipped"
	run tests/run --alone bats
	echo "$output"
	[ "$status" -eq 1 ]
	last "2 passed, 1 failed, 0 skipped"
	[[ $output == *"a.bats 2/3: needs it"* ]]
	# VMs of shares that run side by side have each a folder of their own
	[ -e "$MARKS/share" ]
	[ -e "$MARKS/share3" ]
	run -0 tests/run --alone --filter "leaves it|needs none" bats
	last "2 passed, 0 failed, 0 skipped"
	[[ $output == *"a.bats 2/2 "* ]]
}

@test "the cases that took longest are shown at the end, a second or more" {
	local n

	for n in {1..30}; do
		program "p$n" <<<"printf '1..3\nok 1 - long $n in $((n * 1000))ms\n'
			printf 'ok 2 - short in 999ms\nok 3 - c in 40ms # SKIP no card\n'"
	done
	unit
	[ "$status" -eq 0 ]
	[[ $output == *"SKIP c: no card"* ]]
	mapfile -t lines < <(sed '1,/^slowest cases:$/d' <<<"$output")
	[ "${#lines[@]}" -eq 21 ]
	[ "${lines[0]}" = "   30.0 s  $BATS_TEST_TMPDIR/p30: long 30" ]
	[ "${lines[19]}" = "   11.0 s  $BATS_TEST_TMPDIR/p11: long 11" ]
}

@test "a quick run leaves out what takes long, and says so" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree/tests"
	cp -r tests/run tests/lib "$tree/tests/"
	printf '%s\n' '# bats file_tags=slow' '@test "long" { false; }' >"$tree/tests/a.bats"
	printf '%s\n' '# shares: 2' '@test "short" { true; }' '# bats test_tags=slow' \
		'@test "longer" { true; }' >"$tree/tests/b.bats"
	printf '%s\n' '#!/bin/bash' 'echo "1..1"; echo "ok 1 - $*"' >"$tree/fuzz_thing"
	chmod +x "$tree/fuzz_thing"
	cd "$tree" || return
	export BUILD=build OUT=build/check FUZZ_PROGS=./fuzz_thing VERBOSE=1
	run tests/run --quick bats corpus
	echo "$output"
	[ "$status" -eq 0 ]
	last "2 passed, 0 failed, 0 skipped"
	[[ $output == \
		*"left to make check: most mutations, 1 of tests/a.bats, 1 of tests/b.bats"* ]]
	[[ $output == *"-mutate 500 "* ]]
	run tests/run bats corpus
	[ "$status" -eq 1 ]
	[[ $output == *"-mutate 20000 "* ]]
	[[ $output != *"left to"* ]]
}

@test "what takes long is begun before the rest of all levels" {
	local tree=$BATS_TEST_TMPDIR/tree name

	mkdir -p "$tree"/{tests,build/host/x,x}
	cp -r tests/run tests/lib "$tree/tests/"
	cd "$tree" || return
	printf '%s\n' '@test "a" { true; }' | tee tests/a.bats tests/b.bats >/dev/null
	echo '# first: waits' >>tests/b.bats
	for name in one two; do
		printf '#!/bin/bash\nprintf "1..1\\nok 1 - %s\\n"\n' "$name" >"build/host/x/$name"
		chmod +x "build/host/x/$name"
		echo '/* a test */' >"x/$name.c"
	done
	printf '/*\n * first: waits\n */\n' >x/two.c
	JOBS=1 BUILD=build OUT=build/check TEST_PROGS="build/host/x/one build/host/x/two" run \
		tests/run bats unit
	[ "$status" -eq 0 ]
	[ "$(grep -o '^[^ ]* ' <<<"${output%$'\n'*}" |
		tr -d '\n')" = 'tests/b.bats x/two tests/a.bats x/one ' ]
}

@test "what runs beside the others has the lowest priority, and its verdict at the end" {
	cat >"$BATS_TEST_TMPDIR/other-machine" <<-'END'
		#!/bin/bash
		printf '1..2\nok 1 - e\n'
		chrt -p $$ | grep -q SCHED_IDLE && echo ok 2 - f || echo not ok 2 - f
	END
	chmod +x "$BATS_TEST_TMPDIR/other-machine"
	program one <<<"printf '1..1\nok 1 - a\n'"
	CROSS_CHECK=$BATS_TEST_TMPDIR/other-machine run tests/run cross unit
	[ "$status" -eq 0 ]
	last "3 passed, 0 failed, 0 skipped"
	[[ ${lines[-2]} == tests/cross/arm64.bats* ]]
	CROSS_CHECK=false run tests/run cross unit
	[ "$status" -eq 1 ]
	[[ $output == *"arm64.bats: ended without a test plan"* ]]
}

@test "with BUDGET= what runs beside the others is given up when it finds no processor in time" {
	local sleep bin=$BATS_TEST_TMPDIR/bin

	# It takes its time to end, as everything does that finds no processor.
	sleep=$(command -v sleep)
	printf '%s\n' '#!/bin/bash' "trap '$sleep 1; exit' TERM" 'echo 1..1' \
		"echo \$\$ >$BATS_TEST_TMPDIR/pid" "$sleep 60 & wait" \
		>"$BATS_TEST_TMPDIR/other-machine"
	# The time is over once it has begun, however long it waits for a processor to do that.
	mkdir "$bin"
	printf '%s\n' '#!/bin/bash' "until [[ -s $BATS_TEST_TMPDIR/pid ]]; do $sleep 0.1; done" \
		>"$bin/sleep"
	chmod +x "$BATS_TEST_TMPDIR/other-machine" "$bin/sleep"
	program one <<<"printf '1..1\nok 1 - a\n'"
	PATH=$bin:$PATH CROSS_CHECK=$BATS_TEST_TMPDIR/other-machine BUDGET=1 IDLE_GRACE=1 \
		run tests/run cross unit
	echo "$output"
	[ "$status" -eq 0 ]
	last "1 passed, 0 failed, 1 skipped"
	[[ $output == *"SKIP tests/cross/arm64.bats: not ended 1 seconds after BUDGET=1"* ]]
	pid=$(<"$BATS_TEST_TMPDIR/pid")
	[ "$pid" -gt 1 ]
	run -1 kill -0 "$pid"
	CROSS_CHECK=$BATS_TEST_TMPDIR/other-machine IDLE_LIMIT=2 BUDGET=100 \
		run tests/run cross unit
	last "1 passed, 1 failed, 0 skipped"
	[[ $output == *"still running after 2 s"* ]]
}

@test "images for VMs are built beside the others; without them no VM is booted" {
	program one <<<"printf '1..1\nok 1 - a\n'"
	IMAGES_CHECK=false run tests/run images unit qemu
	[ "$status" -eq 1 ]
	[[ $output == *"images: ended without a test plan"* ]]
	[[ $output == *"without images no VM is booted"* ]]
	[[ $output != *tests-qemu* ]]
	last "1 passed, 1 failed, 0 skipped"
}

@test "a source has a control group of its own, whose wait for a processor does not count" {
	local group

	source tests/lib/waits.bash
	group=$(control_group)
	[[ -w $group/cgroup.procs ]] || skip "control groups cannot be made here"
	program one <<<"sed s/^0::/group=/ /proc/self/cgroup >$BATS_TEST_TMPDIR/group
		printf '1..1\nok 1 - a\n'"
	unit
	[ "$status" -eq 0 ]
	grep -qx 'group=.*/initagent-[0-9]*' "$BATS_TEST_TMPDIR/group"
	[[ $(grep -x 'group=.*' "$BATS_TEST_TMPDIR/group") != "group=$(sed -n s/^0:://p \
		/proc/self/cgroup)" ]]
	stopwatch
	within 5 10
	run -1 within 3600000 10
}
