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

@test "man pages and completion land where their programs look" {
	local page

	run -0 make install DESTDIR="$DEST" PREFIX=/usr
	for page in 8/initagent.8 8/initagent-site.8 7/initagent.cmdline.7 7/initagent.causes.7; do
		grep -q '^\.TH' "$DEST/usr/share/man/man$page"
	done
	# each option, each cause; groff's escapes out of the way
	sed 's/\\[&-]//g; s/\\-/-/g' "$DEST/usr/share/man/man7/initagent.cmdline.7" >"$BATS_TEST_TMPDIR/cmdline"
	while read -r page; do
		grep -qF -- "${page%=}" "$BATS_TEST_TMPDIR/cmdline"
	done < <("${BUILD:-build}/initagent" options --completion)
	[ "$(grep -c 'IA-E[0-9]' "$DEST/usr/share/man/man7/initagent.causes.7")" -ge \
		"$("${BUILD:-build}/initagent" causes | grep -c '^| IA-E')" ]
	[ -f "$DEST/usr/share/bash-completion/completions/initagent-site" ]
}

@test "the state's schema and the hand-over's notes are installed" {
	run -0 make install DESTDIR="$DEST" PREFIX=/usr
	cmp docs/state.schema.json "$DEST/usr/share/doc/initagent/state.schema.json"
	[ -s "$DEST/usr/share/doc/initagent/handover.md" ]
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
	[ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$(initagent help | sed -n 's/^  initagent \([a-z]*\) .*/\1/p' | sort)" ]
	function=_initagent_site
	complete_at initagent-site ex
	[ "${COMPREPLY[*]}" = explain ]
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
