#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# deps/: pinned tarballs, the private apt configuration, and builds cached by hash. No network is
# used: the tarballs are made here, and apt-get and apt-cache are replaced by scripts that write
# down what they were asked.

bats_require_minimum_version 1.5.0

# sources and recipes of two made-up libraries: "high" needs "low".
setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE/deps/recipes" "$BATS_TEST_TMPDIR/dist" "$BATS_TEST_TMPDIR/bin"
	cp deps/fetch deps/build "$TREE/deps/"
	pack low "int low;"
	pack high "int high;"
	cat >"$TREE/deps/recipes/low" <<-'EOF'
		cp low.c "$OUT/include/low.h"
		echo "$VERSION" >"$OUT/lib/low.version"
	EOF
	cat >"$TREE/deps/recipes/high" <<-'EOF'
		# needs: low
		cat "$SYSROOT/include/low.h" high.c >"$OUT/include/high.h"
	EOF
	write_sources
	export DISTFILES=$BATS_TEST_TMPDIR/dist DEPS_DIR=$BATS_TEST_TMPDIR/out
	export DEPS_CC=gcc DEPS_CFLAGS=-Os DEPS_LDFLAGS=-static
}

pack() {
	mkdir -p "$BATS_TEST_TMPDIR/$1-1.0"
	echo "$2" >"$BATS_TEST_TMPDIR/$1-1.0/$1.c"
	tar -C "$BATS_TEST_TMPDIR" -czf "$BATS_TEST_TMPDIR/dist/$1_1.0.orig.tar.gz" "$1-1.0"
}

sum() {
	sha256sum "$BATS_TEST_TMPDIR/dist/$1_1.0.orig.tar.gz" | cut -d' ' -f1
}

write_sources() {
	printf '# name version tarball sha256\n%s\n%s\n' \
		"low 1:1.0+dfsg-2 low_1.0.orig.tar.gz $(sum low)" \
		"high 1.0-1 high_1.0.orig.tar.gz $(sum high)" >"$TREE/deps/sources"
}

hash_of() {
	"$TREE/deps/build" --plan | awk -v n="$1" '$1 == n { print $2 }'
}

build() {
	local stamp

	stamp=$DEPS_DIR/stamps/$1.$(hash_of "$1")
	run "$TREE/deps/build" "$1" "$stamp"
	echo "$output"
	[ "$status" -eq 0 ]
	[ -e "$stamp" ]
}

@test "a tarball from DISTFILES is checked and kept" {
	run "$TREE/deps/fetch" low
	[ "$status" -eq 0 ]
	[ "$output" = "$DEPS_DIR/distfiles/low_1.0.orig.tar.gz" ]
	cmp "$output" "$DISTFILES/low_1.0.orig.tar.gz"
	rm -r "$DISTFILES"
	run "$TREE/deps/fetch" low
	[ "$status" -eq 0 ]
}

@test "a damaged tarball stops with both sums and is not kept" {
	local wanted found

	wanted=$(sum low)
	printf x >>"$DISTFILES/low_1.0.orig.tar.gz"
	found=$(sum low)
	run "$TREE/deps/fetch" low
	echo "$output"
	[ "$status" -ne 0 ]
	[[ $output == *"wrong checksum"* ]]
	[[ $output == *"expected sha256 $wanted"* ]]
	[[ $output == *"found    sha256 $found"* ]]
	[ ! -e "$DEPS_DIR/distfiles/low_1.0.orig.tar.gz" ]
}

@test "a wrong checksum stops the build of the library" {
	printf x >>"$DISTFILES/low_1.0.orig.tar.gz"
	run "$TREE/deps/build" low "$DEPS_DIR/stamps/low.x"
	[ "$status" -ne 0 ]
	[[ $output == *"wrong checksum"* ]]
	[ ! -e "$DEPS_DIR/stamps/low.x" ]
}

@test "a tarball damaged in the cache is noticed" {
	"$TREE/deps/fetch" low
	printf x >>"$DEPS_DIR/distfiles/low_1.0.orig.tar.gz"
	run "$TREE/deps/fetch" low
	[ "$status" -ne 0 ]
	[[ $output == *"wrong checksum"* ]]
}

@test "a tarball that DISTFILES lacks is named" {
	rm "$DISTFILES/low_1.0.orig.tar.gz"
	run "$TREE/deps/fetch" low
	[ "$status" -ne 0 ]
	[[ $output == *"low_1.0.orig.tar.gz is not in DISTFILES"* ]]
}

# next_version: the tree pins another version of "low", and the first one is gone.
next_version() {
	mv "$BATS_TEST_TMPDIR/low-1.0" "$BATS_TEST_TMPDIR/low-1.2"
	tar -C "$BATS_TEST_TMPDIR" -czf "$BATS_TEST_TMPDIR/dist/low_1.2.orig.tar.gz" low-1.2
	printf '+low 1.2-1 low_1.2.orig.tar.gz %s\n' \
		"$(sha256sum <"$DISTFILES/low_1.2.orig.tar.gz" | cut -d ' ' -f 1)" \
		>>"$TREE/deps/sources"
	rm "$DISTFILES/low_1.0.orig.tar.gz"
}

@test "a tarball that is gone: the next pinned version is taken, said, and built as that" {
	next_version
	run "$TREE/deps/fetch" low
	[ "$status" -eq 0 ]
	[[ $output == *"low: taking the next pinned version, 1.2-1"*"/low_1.2.orig.tar.gz" ]]
	build low
	grep -qx 1.2 "$DEPS_DIR/sysroot/lib/low.version"
	# it stays with what it has
	run "$TREE/deps/fetch" low
	[ "$status" -eq 0 ]
	[ "$output" = "$DEPS_DIR/distfiles/low_1.2.orig.tar.gz" ]
}

@test "the next pinned version is checked by its own sum" {
	next_version
	printf x >>"$DISTFILES/low_1.2.orig.tar.gz"
	run "$TREE/deps/fetch" low
	[ "$status" -ne 0 ]
	[[ $output == *"wrong checksum: $DISTFILES/low_1.2.orig.tar.gz"* ]]
	[ ! -e "$DEPS_DIR/distfiles/low_1.2.orig.tar.gz" ]
}

@test "an unknown library is named" {
	run "$TREE/deps/fetch" nosuch
	[ "$status" -ne 0 ]
	[[ $output == *"no row for nosuch"* ]]
}

# fake_apt: apt-get and apt-cache of a machine with one mirror. "version" 1:1.0+dfsg-2 is gone from
# it; the same tarball came with -3.
fake_apt() {
	unset DISTFILES
	cat >"$BATS_TEST_TMPDIR/bin/apt-get" <<-EOF
		#!/bin/bash
		echo "\$*" >>"$BATS_TEST_TMPDIR/asked"
		case "\$*" in
		"indextargets "*)
			echo "http://packages.example/debian/ bookworm"
			echo "http://packages.example/debian/ bookworm-updates"
			echo "http://fixes.example/debian-security/ bookworm-security"
			;;
		*" source "*=1:1.0+dfsg-3) cp "$BATS_TEST_TMPDIR/dist/low_1.0.orig.tar.gz" . ;;
		*" source "*) echo "E: Can not find version" >&2; exit 100 ;;
		esac
	EOF
	cat >"$BATS_TEST_TMPDIR/bin/apt-cache" <<-EOF
		#!/bin/bash
		printf 'Package: low\nVersion: 1:1.1-1\n'
		printf 'Checksums-Sha256:\n 0123 7 low_1.1.orig.tar.gz\n\n'
		printf 'Package: low\nVersion: 1:1.0+dfsg-3\n'
		printf 'Checksums-Sha256:\n $(sum low) 7 low_1.0.orig.tar.gz\n'
	EOF
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

@test "apt is asked at the machine's own mirrors, with a configuration of its own" {
	fake_apt
	run "$TREE/deps/fetch" low
	echo "$output"
	[ "$status" -eq 0 ]
	grep -E '^deb-src (\[.*\] )?http://packages.example/debian trixie main$' \
		"$DEPS_DIR/apt/sources.list"
	grep -E '^deb-src (\[.*\] )?http://fixes.example/debian-security trixie-security main$' \
		"$DEPS_DIR/apt/sources.list"
	grep -q "^Dir::State \"$DEPS_DIR/apt/state\"" "$DEPS_DIR/apt/apt.conf"
	# every question after the first one goes through that configuration
	run -1 grep -v -e "^-c $DEPS_DIR/apt/apt.conf " -e '^indextargets ' \
		"$BATS_TEST_TMPDIR/asked"
	[ "$output" = "" ]
}

@test "when a version is gone, another one with the same tarball serves" {
	fake_apt
	run "$TREE/deps/fetch" low
	[ "$status" -eq 0 ]
	grep -q 'low=1:1.0+dfsg-2' "$BATS_TEST_TMPDIR/asked"
	grep -q 'low=1:1.0+dfsg-3' "$BATS_TEST_TMPDIR/asked"
	cmp "$DEPS_DIR/distfiles/low_1.0.orig.tar.gz" "$BATS_TEST_TMPDIR/dist/low_1.0.orig.tar.gz"
}

@test "a download with a wrong checksum stops with both sums" {
	fake_apt
	local wanted

	wanted=$(sum low)
	printf x >>"$BATS_TEST_TMPDIR/dist/low_1.0.orig.tar.gz"
	run "$TREE/deps/fetch" low
	[ "$status" -ne 0 ]
	[[ $output == *"expected sha256 $wanted"* ]]
	[[ $output == *"found    sha256 $(sum low)"* ]]
	[ ! -e "$DEPS_DIR/distfiles/low_1.0.orig.tar.gz" ]
}

@test "a machine without Debian mirror is told of DISTFILES" {
	fake_apt
	printf '#!/bin/bash\nexit 0\n' >"$BATS_TEST_TMPDIR/bin/apt-get"
	run "$TREE/deps/fetch" low
	[ "$status" -ne 0 ]
	[[ $output == *DISTFILES* ]]
}

@test "libraries are built into the sysroot, with the version in the recipe" {
	build low
	build high
	[ "$(cat "$DEPS_DIR/sysroot/include/high.h")" = $'int low;\nint high;' ]
	[ "$(cat "$DEPS_DIR/sysroot/lib/low.version")" = 1.0 ]
}

@test "a library with its stamp is not built again" {
	build low
	rm "$DEPS_DIR/sysroot/include/low.h"
	build low
	[ ! -e "$DEPS_DIR/sysroot/include/low.h" ]
}

@test "a changed recipe is another hash, also for what needs it" {
	local low high

	low=$(hash_of low) high=$(hash_of high)
	echo "# changed" >>"$TREE/deps/recipes/low"
	[ "$(hash_of low)" != "$low" ]
	[ "$(hash_of high)" != "$high" ]
}

@test "a changed recipe leaves alone what does not need it" {
	local low

	low=$(hash_of low)
	echo "# changed" >>"$TREE/deps/recipes/high"
	[ "$(hash_of low)" = "$low" ]
}

@test "a changed tarball and changed flags are other hashes" {
	local low

	low=$(hash_of low)
	DEPS_CFLAGS=-O2
	[ "$(hash_of low)" != "$low" ]
	DEPS_CFLAGS=-Os
	[ "$(hash_of low)" = "$low" ]
	pack low "int low2;"
	write_sources
	[ "$(hash_of low)" != "$low" ]
}

@test "what a library no longer installs leaves the sysroot" {
	build low
	# shellcheck disable=SC2016 # the recipe's variable
	echo 'mv "$OUT/include/low.h" "$OUT/include/new.h"' >>"$TREE/deps/recipes/low"
	build low
	[ -e "$DEPS_DIR/sysroot/include/new.h" ]
	[ ! -e "$DEPS_DIR/sysroot/include/low.h" ]
}

@test "a recipe that fails shows its end and leaves no stamp" {
	echo 'echo the reason; false' >>"$TREE/deps/recipes/low"
	run "$TREE/deps/build" low "$DEPS_DIR/stamps/low.x"
	[ "$status" -ne 0 ]
	[[ $output == *"the reason"* ]]
	[ ! -e "$DEPS_DIR/stamps/low.x" ]
	[ ! -e "$DEPS_DIR/sysroot/include/low.h" ]
}

@test "missing tools are named before anything is built" {
	mkdir -p "$BATS_TEST_TMPDIR/few"
	for tool in bash dirname realpath; do
		ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/few/$tool"
	done
	PATH=$BATS_TEST_TMPDIR/few run "$TREE/deps/build" low "$DEPS_DIR/stamps/low.x"
	[ "$status" -ne 0 ]
	[[ $output == *"not found: "*cmake*bison* ]]
}

@test "every pinned library has a recipe, a full row and every recipe a row" {
	[ "$(grep -vc '^#' deps/sources)" -ge 10 ]
	while read -r name version tarball sha rest; do
		echo "$name"
		[ -f "deps/recipes/${name#+}" ]
		[ -n "$version" ]
		[[ $tarball == *.orig.tar.* ]]
		[[ $sha =~ ^[0-9a-f]{64}$ ]]
		[ -z "$rest" ]
	# unchecked: counted above
	done < <(grep -v '^#' deps/sources)
	for recipe in deps/recipes/*; do
		grep -q "^${recipe##*/} " deps/sources
	done
}

@test "every library has a next version behind its row, with another tarball; libnl3 has none" {
	run -0 awk '/^#/ { next }
		!/^\+/ { name = $1; tarball = $3; print name }
		/^\+/ && ($1 != "+" name || $3 == tarball) { print "not behind its row: " $0 }
		/^\+/ { print "+" name }' deps/sources
	[[ $output != *"not behind"* ]]
	[ "$(tr -d + <<<"$output" | sort | uniq -u)" = libnl3 ]
}
