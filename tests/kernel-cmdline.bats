#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Where "initagent lint" and "initagent plan" take the command line from. What they say of it:
# kernel-cmdline/rows/.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/.." || return
	export AGENT=${BUILD:-build}/initagent
}

@test "lint: the arguments, standard input, a file; which one is said" {
	local line="root=nfs:192.0.2.1:/srv rd.retry=10s"

	run -1 "$AGENT" lint "$line"
	[[ ${lines[0]} == root=nfs:192.0.2.1:/srv ]]
	[[ $output == *"warning: read as 10"* ]]
	run -1 "$AGENT" lint - <<<"$line"
	[[ ${lines[0]} == "(command line of standard input)" ]]
	[[ $output == *"warning: read as 10"* ]]
	# as in /etc/cmdline.d
	printf '%s\n' root=nfs:192.0.2.1:/srv rd.retry=10s >"$BATS_TEST_TMPDIR/line"
	run -1 "$AGENT" lint -f "$BATS_TEST_TMPDIR/line"
	[[ ${lines[0]} == "(command line of $BATS_TEST_TMPDIR/line)" ]]
	[[ $output == *"warning: read as 10"* ]]
	[[ $output == *"| root=nfs:192.0.2.1:/srv rd.retry=10s"$'\n'* ]]
}

@test "lint: without an argument this system's, whatever standard input holds" {
	run "$AGENT" lint <<<"root=nfs:192.0.2.1:/srv rd.retry=10s"
	[[ $status -le 2 ]]
	[[ ${lines[0]} == "(command line of this system)" ]]
	[[ $output != *192.0.2.1* ]]
}

@test "lint: no line to judge" {
	run -3 "$AGENT" lint -f "$BATS_TEST_TMPDIR/absent"
	[[ $output == *"absent: No such file or directory"* ]]
	head -c 20000 /dev/zero | tr '\0' x >"$BATS_TEST_TMPDIR/long"
	run -3 "$AGENT" lint -f "$BATS_TEST_TMPDIR/long"
}

@test "plan: the same places" {
	run -0 "$AGENT" plan rd.retry=10
	[[ $output == *retry_s=10* ]]
	run -0 "$AGENT" plan - <<<rd.retry=10
	[[ $output == *retry_s=10* ]]
}
