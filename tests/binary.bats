#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The product is one static file that needs nothing of the initramfs it runs in.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/.." || return
	export AGENT=${BUILD:-build}/initagent STATIC=${BUILD:-build}/musl/tests/static
}

# is_static FILE: a fixed-address executable without program interpreter and without dynamic
# section.
is_static() {
	local headers

	headers=$(readelf -hldW "$1") || return 1
	grep -q 'Type: *EXEC' <<<"$headers" || return 1
	if grep -E 'INTERP|DYNAMIC|NEEDED' <<<"$headers"; then return 1; fi
}

# providers MAP: the verbs providers that a link map places in the file.
providers() {
	sed -nE 's/^ +0x[0-9a-f]+ +verbs_provider_([a-z0-9]+)$/\1/p' "$1" | grep -v '^none$' |
		sort | paste -sd ' '
}

@test "the agent is static: no INTERP, no NEEDED" {
	is_static "$AGENT"
}

@test "the static check tells a dynamic program" {
	printf 'int main(void) { return 0; }\n' >"$BATS_TEST_TMPDIR/x.c"
	gcc -no-pie -o "$BATS_TEST_TMPDIR/dynamic" "$BATS_TEST_TMPDIR/x.c"
	run -1 is_static "$BATS_TEST_TMPDIR/dynamic"
	gcc -static-pie -o "$BATS_TEST_TMPDIR/pie" "$BATS_TEST_TMPDIR/x.c"
	run -1 is_static "$BATS_TEST_TMPDIR/pie"
	gcc -static -o "$BATS_TEST_TMPDIR/static" "$BATS_TEST_TMPDIR/x.c"
	is_static "$BATS_TEST_TMPDIR/static"
}

@test "the rescue shell is static, stripped, and has at most 700000 bytes" {
	local shell=${BUILD:-build}/busybox size

	is_static "$shell"
	run -0 readelf -SW "$shell"
	[[ $output == *.text* && $output != *.symtab* && $output != *.debug* ]]
	size=$(stat -c %s "$shell")
	echo "# $size bytes" >&3
	[ "$size" -le 700000 ]
}

# in_shell TEXT: a login shell as the agent starts it, without any link or program of this machine.
in_shell() {
	PATH=/nowhere run "$SHELL_HERE" sh -l -c "$1"
	[ "$status" -eq 0 ] || { echo "$output"; return 1; }
}

@test "the rescue shell finds its applets without links" {
	SHELL_HERE=$(realpath "${BUILD:-build}/busybox")
	in_shell 'echo $((1 << 40)) | sed s/^/=/'
	[ "$output" = =1099511627776 ]
	in_shell 'printf "b\na\n" | sort | tr ab AB | xargs'
	[ "$output" = "A B" ]
	in_shell 'ip -4 addr show dev lo | grep -q 127.0.0.1'
	in_shell 'tar -cf - -C /etc hostname | gzip | tar -tzf -'
	[ "$output" = hostname ]
	# every applet says what it takes
	in_shell 'wget --help'
	[[ $output == *"Usage: wget"*"URL"* ]]
}

@test "the agent is stripped" {
	run -0 readelf -SW "$AGENT"
	[[ $output == *.text* && $output != *.symtab* && $output != *.debug* ]]
}

@test "the agent has at most 1750000 bytes" {
	local size

	size=$(stat -c %s "$AGENT")
	echo "# $size bytes" >&3
	[ "$size" -le 1750000 ]
}

@test "the agent holds the verbs providers mlx4, mlx5, rxe and siw" {
	run -0 providers "$AGENT.map"
	[ "$output" = "mlx4 mlx5 rxe siw" ]
}

@test "each provider registers itself when the agent starts" {
	# A provider is reached only through its constructor: .init_array has one entry for each,
	# and one of the C start-up code.
	local bytes

	bytes=$((16#$(readelf -SW "$AGENT" | sed -nE \
		's/.* \.init_array +INIT_ARRAY +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) .*/\1/p')))
	[ "$bytes" -ge $((5 * 8)) ]
}

@test "the agent's stack is not executable" {
	readelf -lW "$AGENT" | grep -E 'GNU_STACK +.* RW +0x'
}

@test "without the providers' define a program links but holds none" {
	[ -x "$STATIC/no-providers" ]
	run -0 providers "$STATIC/no-providers.map"
	[ "$output" = "" ]
}

@test "libkmod reads modules packed with gzip, xz and zstd" {
	cp "$STATIC/module.o" "$BATS_TEST_TMPDIR/plain.ko"
	(
		cd "$BATS_TEST_TMPDIR"
		gzip -c plain.ko >gz.ko.gz
		# as the kernel packs them: its own decoder knows no other check
		xz --check=crc32 --lzma2=dict=1MiB -c plain.ko >xz.ko.xz
		zstd -q plain.ko -o zst.ko.zst
	)
	for file in plain.ko gz.ko.gz xz.ko.xz zst.ko.zst; do
		run "$STATIC/static" modinfo "$BATS_TEST_TMPDIR/$file"
		echo "$file: $status $output"
		[ "$status" -eq 0 ]
		[ "$output" = "license GPL" ]
	done
}

@test "libkmod refuses a damaged packed module" {
	gzip -c "$STATIC/module.o" | head -c 100 >"$BATS_TEST_TMPDIR/cut.ko.gz"
	run "$STATIC/static" modinfo "$BATS_TEST_TMPDIR/cut.ko.gz"
	[ "$status" -ne 0 ]
}

@test "libnl-route lists the interfaces" {
	local before after

	# other programs may make some, or take some away, between two looks
	for _ in {1..100}; do
		before=$(ip -o link | wc -l)
		run "$STATIC/static" links
		after=$(ip -o link | wc -l)
		[ "$before" -ne "$after" ] || break
	done
	[ "$status" -eq 0 ]
	[ "$output" = "links $before" ]
}

@test "libibverbs, libibumad and cJSON work in a static program" {
	run "$STATIC/static" verbs
	[ "$status" -eq 0 ]
	[[ $output =~ ^(devices [0-9]+|error Function not implemented)$ ]]
	run -0 "$STATIC/static" umad
	[ "$output" = "umad 0" ]
	run -0 "$STATIC/static" json ' { "a" : [ 1, 2.5 ] } '
	[ "$output" = '{"a":[1,2.5]}' ]
}
