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
	local tool
	for tool in site mkimage flexboot; do
		cmp "${BUILD:-build}/initagent-$tool" "$DEST/usr/sbin/initagent-$tool"
	done
	cmp "${BUILD:-build}/initagent-timeline" "$DEST/usr/libexec/initagent/initagent-timeline"
	[ -x "$DEST/usr/lib/dracut/modules.d/70initagent/module-setup.sh" ]
}

@test "man pages and completion land where their programs look" {
	local page options

	run -0 make install DESTDIR="$DEST" PREFIX=/usr
	for page in 8/initagent{,-site,-mkimage,-flexboot}.8 7/initagent.{cmdline,causes}.7; do
		grep -q '^\.TH' "$DEST/usr/share/man/man$page"
	done
	# each option, each cause; groff's escapes out of the way
	sed 's/\\&//g; s/\\-/-/g' "$DEST/usr/share/man/man7/initagent.cmdline.7" \
		>"$BATS_TEST_TMPDIR/cmdline"
	mapfile -t options < <("${BUILD:-build}/initagent" options --completion)
	[ "${#options[@]}" -gt 50 ]
	for page in "${options[@]}"; do
		grep -qF -- "${page%=}" "$BATS_TEST_TMPDIR/cmdline"
	done
	[ "$(grep -cE 'IA\\?-E[0-9]' "$DEST/usr/share/man/man7/initagent.causes.7")" -ge 100 ]
	[ "$(grep -cE 'IA\\?-E[0-9]' "$DEST/usr/share/man/man7/initagent.causes.7")" -ge \
		"$("${BUILD:-build}/initagent" causes --markdown | grep -c '^| IA-E')" ]
	[ -f "$DEST/usr/share/bash-completion/completions/initagent-site" ]
}

@test "man pages name every command and option that the programs' help names" {
	local tool option

	for tool in initagent initagent-site initagent-mkimage initagent-flexboot; do
		"${BUILD:-build}/$tool" "$([ "$tool" = initagent ] && echo help ||
			echo --help)" >"$BATS_TEST_TMPDIR/help"
		mapfile -t options < <(grep -oE -- '--[a-z][a-z-]+' "$BATS_TEST_TMPDIR/help" |
			sort -u)
		[ "${#options[@]}" -ge 2 ]
		for option in "${options[@]}"; do
			grep -qE -- "\*([a-z]+ )?$option\*" "docs/man/$tool.8.scd" ||
				{ echo "$tool.8 does not name $option"; return 1; }
		done
	done
	mapfile -t commands < <("${BUILD:-build}/initagent" help |
		sed -n 's/^  initagent \([a-z]*\).*/\1/p')
	[ "${#commands[@]}" -ge 10 ]
	for option in "${commands[@]}"; do
		grep -q "^\*.*$option\*" docs/man/initagent.8.scd ||
			{ echo "initagent.8 does not name $option"; return 1; }
	done
}

@test "the unit of the real root calls what is installed" {
	local unit=$DEST/usr/lib/systemd/system/initagent-textfile.service

	run -0 make install DESTDIR="$DEST" PREFIX=/usr
	[ -x "$DEST$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$unit")" ]
	grep -q '^WantedBy=multi-user.target$' "$unit"
}

@test "every page, the state's schema and the collectors' recipes are installed" {
	local page pages=(docs/*.md docs/*.json docs/collector/*)

	run -0 make install DESTDIR="$DEST" PREFIX=/usr
	[ "${#pages[@]}" -ge 25 ]
	for page in "${pages[@]}"; do
		cmp "$page" "$DEST/usr/share/doc/initagent/${page#docs/}"
	done
	cmp README.md "$DEST/usr/share/doc/initagent/README.md"
}

@test "make help: the targets that the Makefile's head names, no more" {
	run -0 make help
	[[ ${lines[0]} == "make  "*"static agent at build/initagent"* ]]
	[ "${#lines[@]}" -eq "$(grep -c '^#   make' Makefile)" ]
	[ "$(grep -c '^make' <<<"$output")" -eq "${#lines[@]}" ]
}

@test "make deb and make rpm name the packages that they lack, before anything is built" {
	local bin=$BATS_TEST_TMPDIR/bin make

	make=$(command -v make)
	mkdir "$bin"
	ln -s /usr/bin/* "$bin/"
	rm -f "$bin/rpmbuild" "$bin/dpkg-checkbuilddeps"
	cat >"$bin/dpkg-checkbuilddeps" <<-'END'
		#!/bin/sh
		echo "dpkg-checkbuilddeps: error: Unmet build dependencies:" \
			"debhelper-compat (= 13) scdoc libyaml-dev (>= 0.2) python3:native" >&2
		exit 1
	END
	chmod +x "$bin/dpkg-checkbuilddeps"
	PATH=$bin run -2 "$make" deb-needs
	[ "${lines[0]}" = \
		"make deb: first apt-get install debhelper scdoc libyaml-dev python3" ]
	PATH=$bin run -2 "$make" rpm-needs
	[ "${lines[0]}" = "make rpm: rpmbuild is in the package rpm (Debian) or rpm-build" ]
}

@test "completion: commands, their options, kernel command line options" {
	PATH=$(realpath "${BUILD:-build}"):$PATH
	# shellcheck source=docs/completion/initagent.bash
	source docs/completion/initagent.bash
	complete_at() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(); "$function"; }
	function=_initagent
	complete_at initagent st
	[ "${COMPREPLY[*]}" = status ]
	complete_at initagent wait --t
	[ "${COMPREPLY[*]}" = --timeout ]
	complete_at initagent lint rd.ib.pk
	[ "${COMPREPLY[*]}" = rd.ib.pkey= ]
	# every command of the help
	complete_at initagent ''
	[ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$(initagent help |
		sed -n 's/^  initagent \([a-z]*\).*/\1/p' | sort)" ]
	# every option that the help has for a command
	local pair
	mapfile -t pairs < <(initagent help | awk '$1 == "initagent" { command = $2 } {
		while (match($0, /--[a-z][a-z-]*/)) {
			print command, substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
		}
	}')
	[ "${#pairs[@]}" -gt 25 ]
	for pair in "${pairs[@]}"; do
		complete_at initagent "${pair% *}" "${pair#* }"
		[[ " ${COMPREPLY[*]} " == *" ${pair#* } "* ]]
	done
	complete_at initagent lint root = n
	[ "${COMPREPLY[*]}" = "nfs: nfs4: nvmf: nbd:" ]
	complete_at initagent lint root =
	[[ " ${COMPREPLY[*]} " == *" https:// "* ]]
	function=_initagent_site
	complete_at initagent-site ex
	[ "${COMPREPLY[*]}" = explain ]
	printf '%s\n' 'nodes:' '  login1: {guid: 1}' '  node[098-101]:' '    address: 10.0.0.1' \
		'unknown:' '  image: a' >"$BATS_TEST_TMPDIR/site"
	complete_at initagent-site -f "$BATS_TEST_TMPDIR/site" explain ''
	[ "${COMPREPLY[*]}" = "login1 node098 node099 node100 node101" ]
	complete_at initagent-site import w
	[ "${COMPREPLY[*]}" = warewulf ]
	function=_initagent_mkimage
	complete_at initagent-mkimage --format u
	[ "${COMPREPLY[*]}" = uki ]
	complete_at initagent-mkimage --fi
	[ "${COMPREPLY[*]}" = --firmware-dir ]
	function=_initagent_flexboot
	complete_at initagent-flexboot rom ex
	[ "${COMPREPLY[*]}" = extract ]
	complete_at initagent-flexboot settings want --firmware u
	[ "${COMPREPLY[*]}" = uefi ]
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
