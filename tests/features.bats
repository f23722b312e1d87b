#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# FEATURES: what a build may leave out, and what it says then. Nothing is linked here; that the
# smaller agents link is seen when they are built.
# Agents of other features are built, which takes long.
# bats file_tags=slow
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
}

# ask FEATURES: what make would do for the agent.
ask() {
	env -u MAKEFLAGS -u MAKELEVEL make -n BUILD="$BATS_TEST_TMPDIR/build" \
		DEPS="$BATS_TEST_TMPDIR/deps" \
		FEATURES="$1" "$BATS_TEST_TMPDIR/build/initagent" 2>&1
}

# options FEATURE...: the option table of a build with these.
options() {
	local feature flags=() sources

	for feature; do
		flags+=("-DFEATURE_${feature^^}")
	done
	mapfile -t sources < <(find kernel-cmdline -maxdepth 1 -name '*.c' ! -name 'test_*' ! \
		-name 'fuzz_*')
	printf '%s\n' '#include "options.h"' \
		'int main(void) { return options_print(stdout, OPTIONS_MARKDOWN); }' \
		>"$BATS_TEST_TMPDIR/main.c"
	gcc -std=gnu11 -D_GNU_SOURCE -DINITAGENT_VERSION='"0"' "${flags[@]}" -I. -Iinitagent \
		-Ikernel-cmdline \
		-o "$BATS_TEST_TMPDIR/options" "$BATS_TEST_TMPDIR/main.c" \
		"${sources[@]}"
	"$BATS_TEST_TMPDIR/options"
}

@test "a feature there is none of, or one that needs another, is refused" {
	run ask "http torrent"
	[ "$status" -ne 0 ]
	[[ $output == *"no such feature: torrent"* ]]
	run ask "tls"
	[ "$status" -ne 0 ]
	[[ $output == *"tls needs http"* ]]
}

@test "what is left out is neither built nor linked" {
	run -0 ask "http tls"
	[[ $output == *"deps/build curl "*  && $output == *"deps/build mbedtls "* &&
		$output == *libmbedtls.a* ]]
	[[ $output == *initagent/fetch/fetch.o* && $output == *-DFEATURE_TLS* ]]
	run -0 ask "http"
	[[ $output == *"deps/build curl "* && $output == *libcurl.a* ]]
	[[ $output != *mbedtls* && $output != *-DFEATURE_TLS* && $output != *-DTLS_MBEDTLS* ]]
	run -0 ask "block"
	[[ $output == *initagent/root/block/nvmf.o* ]]
	run -0 ask ""
	[[ $output != *initagent/root/block/* && $output != *initagent/root/web/* ]]
	[[ $output != *curl* && $output != *initagent/fetch/* && $output != *FEATURE_HTTP* ]]
}

@test "a compiler's warning ends the build of the tests, never that of a user" {
	local goal

	for goal in all deb image install; do
		run -0 env -u MAKEFLAGS -u MAKELEVEL make -n BUILD="$BATS_TEST_TMPDIR/build" \
			DEPS="$BATS_TEST_TMPDIR/deps" "$goal"
		[[ $output == *-Wextra* || $goal == deb ]]
		[[ $output != *-Werror* ]]
	done
	run -0 env -u MAKEFLAGS -u MAKELEVEL make -n BUILD="$BATS_TEST_TMPDIR/build" \
		DEPS="$BATS_TEST_TMPDIR/deps" check-build
	[ "$(grep -c -e '-Wextra.* -c ' <<<"$output")" -gt 100 ]
	[ "$(grep -e '-Wextra.* -c ' <<<"$output" | grep -vc -e -Werror)" -eq 0 ]
}

@test "a library that looks at the features is another one with others; the rest stays" {
	local with without

	with=$(DEPS_DIR=x DEPS_CC=gcc DEPS_CFLAGS='' DEPS_LDFLAGS='' DEPS_FEATURES="http tls" \
		deps/build --plan)
	without=$(DEPS_DIR=x DEPS_CC=gcc DEPS_CFLAGS='' DEPS_LDFLAGS='' DEPS_FEATURES="http" \
		deps/build --plan)
	diff <(grep -v '^curl\|^mbedtls' <<<"$with") <(grep -v '^curl\|^mbedtls' <<<"$without")
	[[ $(grep ^curl <<<"$with") != "$(grep ^curl <<<"$without")" ]]
	[[ $without != *mbedtls* ]]
}

@test "a build without archives names that, when it meets one" {
	printf '%s\n' '#include "root/image/unpack.h"' \
		'int main(void) { struct unpack_message m; unpack_next(NULL, &m);' \
		'return unpack_available() || !m.final || m.cause != CAUSE_IMAGE_NO_ARCHIVES; }' \
		>"$BATS_TEST_TMPDIR/main.c"
	gcc -std=gnu11 -D_GNU_SOURCE -I. -Iinitagent -Ikernel-cmdline -o "$BATS_TEST_TMPDIR/none" \
		"$BATS_TEST_TMPDIR/main.c" \
		initagent/root/image/unpack_none.c
	"$BATS_TEST_TMPDIR/none"
}

@test "the option table tells what the build lacks" {
	[[ $(options http tls archive block) != *"This build"* ]]
	[[ $(options http tls archive block) != *"Not in this build: "* ]]
	[[ $(options http tls archive) == *"This build has no block roots"* ]]
	[[ $(options http archive) == \
		*"| \`root="*"This build has no TLS: no root from an https URL."* ]]
	[[ $(options http tls) == *"This build unpacks no archives"* ]]
	[[ $(options) == *"| \`rd.root."*"Not in this build: it has no HTTP."* ]]
}
