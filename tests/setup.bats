#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/setup, with dpkg-query, apt-get, apt-cache and id replaced: it installs what is missing
# where it may, and says what it did or what is needed.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	BIN=$BATS_TEST_TMPDIR/bin
	mkdir -p "$BIN"
	export OS_RELEASE=$BATS_TEST_TMPDIR/os-release POLICY_RC=$BATS_TEST_TMPDIR/policy-rc.d
	release debian 12
	# "bison" is missing until apt-get install was called
	stub dpkg-query <<-EOF
		[[ \${*: -1} == bison && ! -e $BATS_TEST_TMPDIR/bison ]] && exit 1
		echo installed
	EOF
	stub apt-cache <<<'exit 0'
	stub apt-get <<-EOF
		echo "\$*" >>$BATS_TEST_TMPDIR/asked
		[[ \$* != *install* ]] || touch $BATS_TEST_TMPDIR/bison
	EOF
	stub id <<<'echo 0'
	PATH=$BIN:$PATH
}

stub() {
	{ echo '#!/bin/bash'; cat; } >"$BIN/$1"
	chmod +x "$BIN/$1"
}

release() {
	printf 'ID=%s\n%s\n' "$1" "${2:+VERSION_ID=\"$2\"}" >"$OS_RELEASE"
}

setup_level() {
	# unchecked: the caller looks at $status
	run tests/setup "$@"
	echo "$output"
}

@test "what is missing is installed and named" {
	setup_level build
	[ "$status" -eq 0 ]
	[[ $output == *"installed: bison"* ]]
	grep -q 'install .* bison$' "$BATS_TEST_TMPDIR/asked"
}

@test "no server that is installed is started, and a policy of the machine's own stands" {
	stub apt-get <<-EOF
		[[ \$* != *install* ]] || {
			touch $BATS_TEST_TMPDIR/bison
			"$POLICY_RC"
			echo "\$?" >>$BATS_TEST_TMPDIR/verdict
		}
	EOF
	setup_level build
	[ "$(cat "$BATS_TEST_TMPDIR/verdict")" = 101 ]
	[ ! -e "$POLICY_RC" ]
	rm "$BATS_TEST_TMPDIR/bison"
	printf '#!/bin/sh\nexit 0\n' >"$POLICY_RC"
	chmod +x "$POLICY_RC"
	setup_level build
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/verdict")" = 0 ]
	[ -e "$POLICY_RC" ]
}

@test "nothing missing: silent, and apt is not asked" {
	touch "$BATS_TEST_TMPDIR/bison"
	setup_level build tests qemu
	[ "$status" -eq 0 ]
	[ "$output" = "" ]
	[ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "an optional package that no suite has is left out; one that is needed is not" {
	stub dpkg-query <<-EOF
		[[ \${*: -1} == @(isc-dhcp-server|bison) ]] && exit 1
		echo installed
	EOF
	setup_level build tests
	[ "$status" -eq 0 ]
	grep -q 'install .* bison$' "$BATS_TEST_TMPDIR/asked"
	stub apt-cache <<<'echo Package'
	setup_level build tests
	grep -q 'install .* bison isc-dhcp-server$' "$BATS_TEST_TMPDIR/asked"
}

@test "package lists that apt does not know yet are read first" {
	stub apt-cache <<<'exit 100'
	setup_level build
	[ "$status" -eq 0 ]
	[[ $(head -n 1 "$BATS_TEST_TMPDIR/asked") == *update ]]
}

@test "an installation that fails is tried again, then shown" {
	stub apt-get <<-EOF
		echo "\$*" >>$BATS_TEST_TMPDIR/asked
		echo "E: the mirror is away"
		exit 100
	EOF
	setup_level build
	[ "$status" -eq 1 ]
	[[ $output == *"E: the mirror is away"*"could not install: bison"* ]]
	[ "$(grep -c '^install ' "$BATS_TEST_TMPDIR/asked")" -eq 3 ]
}

@test "who is not root is told what is missing" {
	stub id <<<'echo 1000'
	setup_level build
	[ "$status" -eq 1 ]
	[[ $output == *"missing: bison"*"only as root"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "Debian 11 and other distributions are told what is missing" {
	release debian 11
	setup_level build
	[ "$status" -eq 1 ]
	[[ $output == *"missing: bison"* ]]
	release ubuntu 24.04
	setup_level build
	[ "$status" -eq 1 ]
	[ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "Debian testing has no number and counts as newer" {
	release debian
	setup_level build
	[ "$status" -eq 0 ]
	[[ $output == *"installed: bison"* ]]
}

@test "without dpkg the needed packages are listed and the caller goes on" {
	mkdir "$BATS_TEST_TMPDIR/few"
	for tool in bash dirname sed sort; do
		ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/few/$tool"
	done
	PATH=$BATS_TEST_TMPDIR/few setup_level build
	[ "$status" -eq 0 ]
	[[ $output == *"not a Debian system"*bison*cmake* ]]
}

@test "an unknown level is refused" {
	setup_level nosuch
	[ "$status" -ne 0 ]
	setup_level
	[ "$status" -ne 0 ]
}
