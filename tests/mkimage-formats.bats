#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # lib/mkimage sets them
# The forms of the stand-alone image: kernel and initrd, unified kernel image, rescue image. The
# "kernel" is systemd's EFI stub itself: a PE program of this machine that needs no package of a
# kernel. What boots them is in tests-qemu/uki.bats.
bats_require_minimum_version 1.5.0
load lib/mkimage

stub=/usr/lib/systemd/boot/efi/linuxx64.efi.stub
good="root=nfs:10.0.0.1:/export/root ip=dhcp console=ttyS0"

setup() {
	made_root
	mkdir "$root/boot"
	cp "$stub" "$root/boot/vmlinuz-$kver"
}

# section NAME [FILE]: the bytes of a section, with its padding if its size in memory covers that.
section() {
	objcopy --dump-section "$1=$BATS_TEST_TMPDIR/section" "${2:-$out}" \
		"$BATS_TEST_TMPDIR/copy" &&
		cat "$BATS_TEST_TMPDIR/section"
}

# spoil FILE OFFSET BYTES: in the PE header of a copy of the stub, whose place the stub tells.
spoil() {
	# shellcheck disable=SC2059 # escapes
	printf "$3" | dd of="$1" bs=1 seek=$(($(od -An -tu4 -j 60 -N 4 "$1") + $2)) conv=notrunc \
		status=none
}

# bzimage VERSION: makes the kernel say that it is of this version.
bzimage() {
	local kernel=$root/boot/vmlinuz-$kver
	printf 'HdrS' | dd of="$kernel" bs=1 seek=$((0x202)) conv=notrunc status=none
	printf '\0\1' | dd of="$kernel" bs=1 seek=$((0x20e)) conv=notrunc status=none
	printf '%s (builder) #1\0' "$1" | dd of="$kernel" bs=1 seek=$((0x300)) conv=notrunc \
		status=none
}

@test "pair: kernel, initrd and command line beside each other" {
	build --format pair --cmdline "$good"
	cmp "$out/vmlinuz" "$stub"
	[ "$(cat "$out/cmdline")" = "$good" ]
	zstd -dcq "$out/initrd.img" | cpio -t --quiet | grep -qx init
	[ "$(stat -c %a "$out"/* | sort -u)" = 600 ]
}

@test "uki: every part in its section, byte for byte, and the stub as it was" {
	local name size
	build --format pair --cmdline "$good"
	mv "$out" "$BATS_TEST_TMPDIR/pair"
	build --format uki --cmdline "$good"
	section .cmdline | cmp - "$BATS_TEST_TMPDIR/pair/cmdline"
	section .initrd | head -c "$(stat -c %s "$BATS_TEST_TMPDIR/pair/initrd.img")" |
		cmp - "$BATS_TEST_TMPDIR/pair/initrd.img"
	section .linux | head -c "$(stat -c %s "$stub")" | cmp - "$stub"
	[ "$(section .uname)" = "$kver" ]
	section .osrel | grep -qx ID=initagent
	for name in .text .data .reloc .sbat .sdmagic; do
		section "$name" "$stub" >"$BATS_TEST_TMPDIR/old"
		section "$name" | cmp - "$BATS_TEST_TMPDIR/old"
	done
}

@test "uki: no section lies over another, in the file or in memory, and the image spans them all" {
	build --format uki --cmdline "$good"
	objdump -h -w "$out" | awk '$1 ~ /^[0-9]+$/ { print $4, $3, $6 }' >"$BATS_TEST_TMPDIR/rows"
	# command line, os-release, version, initrd, kernel
	[ "$(wc -l <"$BATS_TEST_TMPDIR/rows")" -eq \
		$(($(objdump -h -w "$stub" | grep -cE '^ +[0-9]+ ') + 5)) ]
	# addresses are shown with the base that the stub was linked for
	base=$((0x$(objdump -p "$out" | awk '/^ImageBase/ { print $2 }')))
	sort "$BATS_TEST_TMPDIR/rows" | {
		end=0 file=0
		while read -r at size offset; do
			((0x$at >= end && 0x$offset >= file))
			end=$((0x$at + 0x$size)) file=$((0x$offset + 0x$size))
		done
		((0x$(objdump -p "$out" | awk '/^SizeOfImage/ { print $2 }') >= end - base))
		(($(stat -c %s "$out") >= file))
	}
}

@test "uki without a command line has no such section: the boot loader's counts" {
	build --format uki
	run -0 objdump -h "$out"
	[[ $output == *" .linux "* ]]
	[[ $output != *" .cmdline "* ]]
}

@test "uki and iso: two builds, the same bytes, whatever the clock and its zone" {
	local format epoch
	for epoch in 0 1700000000; do
		for format in uki iso; do
			SOURCE_DATE_EPOCH=$epoch build --format $format --cmdline "$good"
			mv "$out" "$out.$format.$epoch"
		done
	done
	sleep 2.1 # FAT counts every other second
	for epoch in 0 1700000000; do
		for format in uki iso; do
			TZ=Asia/Kolkata TMPDIR=$BATS_TEST_TMPDIR SOURCE_DATE_EPOCH=$epoch \
				build --format $format --cmdline "$good"
			cmp "$out" "$out.$format.$epoch"
		done
	done
	run -1 cmp -s "$out.iso.0" "$out.iso.1700000000"
}

@test "uki signed for Secure Boot" {
	local key=$BATS_TEST_TMPDIR/key cert=$BATS_TEST_TMPDIR/cert other=$BATS_TEST_TMPDIR/other
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=site -keyout "$key" -out "$cert" \
		-days 2 2>/dev/null
	openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=other -keyout "$other.key" \
		-out "$other" -days 2 2>/dev/null
	build --format uki --cmdline "$good" --sb-key "$key" --sb-cert "$cert"
	sbverify --cert "$cert" "$out"
	run -1 sbverify --cert "$other" "$out"
	[[ $output == *"Signature verification failed"* ]]
	section .cmdline | grep -q 10.0.0.1
	rm "$out"
	refused 1 "signing with /nosuch" --format uki --sb-key /nosuch --sb-cert "$cert"
	refused 2 "--sb-key and --sb-cert go together" --format uki --sb-key "$key"
}

@test "a command line the agent cannot obey is refused with its own words" {
	refused 2 "--cmdline has errors" --format uki \
		--cmdline "root=nfs:10.0.0.1:/x ip=10.0.0.300::::::"
	[[ $output == *"ip"* ]]
	refused 2 "more than one line" --format uki --cmdline $'root=nfs:10.0.0.1:/x\nip=dhcp'
}

@test "a kernel of another version than the modules is refused, both named" {
	bzimage 5.5.6-other
	refused 1 "boot/vmlinuz-$kver is kernel 5.5.6-other, the modules are of kernel $kver" \
		--format uki
	bzimage "$kver"
	build --format uki
	rm "$out"
	echo nonsense >"$root/boot/vmlinuz-$kver"
	refused 1 "is not a kernel with an EFI stub" --format pair
	rm "$root/boot/vmlinuz-$kver"
	refused 1 "no kernel $kver beside its modules: --kernel FILE (make: KERNEL=) names one" \
		--format uki
	build --format uki --kernel "$stub"
}

@test "a kernel for another machine than the image" {
	cp "$stub" "$root/boot/vmlinuz-$kver"
	spoil "$root/boot/vmlinuz-$kver" 4 '\144\252'
	refused 1 "vmlinuz-$kver is for machine 183, the image for machine 62" --format pair
}

@test "stubs that cannot be used: none, of another machine, used already, signed, full" {
	local bad=$BATS_TEST_TMPDIR/bad
	refused 1 "/nosuch" --format uki --stub /nosuch
	refused 1 "is not an EFI stub" --format uki --stub /bin/busybox
	cp "$stub" "$bad"
	spoil "$bad" 4 '\144\252'
	refused 1 "is for machine aa64, the kernel for 8664" --format uki --stub "$bad"
	build --format uki
	mv "$out" "$bad"
	refused 1 "it already contains a kernel" --format uki --stub "$bad"
	cp "$stub" "$bad"
	spoil "$bad" $((24 + 112 + 36)) '\10'
	refused 1 "it is signed" --format uki --stub "$bad"
	cp "$stub" "$bad"
	spoil "$bad" $((24 + 60)) '\320\2'
	refused 1 "no room for more sections" --format uki --stub "$bad"
	head -c 30000 "$stub" >"$bad"
	refused 1 "EFI stub cannot be used" --format uki --stub "$bad"
}

@test "iso: a BIOS and a UEFI entry, and a partition table for a stick" {
	local report
	build --format iso --cmdline "$good"
	report=$(xorriso -indev "$out" -report_el_torito plain -report_system_area plain \
		2>/dev/null)
	grep -q 'boot img :   1  BIOS' <<<"$report"
	grep -q 'boot img :   2  UEFI' <<<"$report"
	grep -q 'MBR isohybrid.*GPT' <<<"$report"
	xorriso -osirrox on -indev "$out" -extract / "$BATS_TEST_TMPDIR/tree" 2>/dev/null
	cmp "$BATS_TEST_TMPDIR/tree/boot/vmlinuz" "$stub"
	grep -qx "  APPEND $good" "$BATS_TEST_TMPDIR/tree/isolinux/isolinux.cfg"
	mcopy -i "$BATS_TEST_TMPDIR/tree/efi.img" ::/EFI/BOOT/BOOTX64.EFI \
		"$BATS_TEST_TMPDIR/inside.efi"
	mv "$out" "$out.iso"
	build --format uki --cmdline "$good"
	cmp "$out" "$BATS_TEST_TMPDIR/inside.efi"
}

# lacking FILE...: the build of an ISO, signed, where those files or folders cannot be used.
lacking() {
	mkdir -p "$BATS_TEST_TMPDIR/empty"
	export -f build
	export mkimage root kver out BATS_TEST_TMPDIR
	run -1 unshare --mount --propagation private bash -euc '
		for file in "$@"; do
			[[ -d $file ]] && mount --bind "$BATS_TEST_TMPDIR/empty" "$file" ||
				mount --bind /dev/null "$file"
		done
		build --format iso --sb-key /nosuch --sb-cert /nosuch' - "$@"
}

@test "iso: what this machine lacks is named all at once, with its packages" {
	local bios=/usr/lib/ISOLINUX syslinux=/usr/lib/syslinux/modules/bios
	lacking "${stub%/*}" $bios $syslinux "$(command -v mformat)" "$(command -v xorriso)" \
		"$(command -v sbsign)"
	[ "$output" = "initagent-mkimage: not there: $stub, sbsign, mformat, mmd, mcopy, xorriso, \
$bios/isolinux.bin, $bios/isohdpfx.bin, $syslinux/ldlinux.c32; apt-get install \
systemd-boot-efi sbsigntool mtools xorriso isolinux (--no-bios does without) \
syslinux-common (likewise)" ]
	lacking "$(command -v xorriso)"
	[ "$output" = "initagent-mkimage: not there: xorriso; apt-get install xorriso" ]
	[ ! -e "$out" ]
}

@test "iso for UEFI alone" {
	local report
	build --format iso --no-bios --cmdline "$good"
	report=$(xorriso -indev "$out" -report_el_torito plain -report_system_area plain \
		2>/dev/null)
	grep -q 'boot img :   1  UEFI' <<<"$report"
	run -1 grep -q BIOS <<<"$report"
	grep -q 'protective-msdos-label.*GPT' <<<"$report"
}

@test "make passes its variables on" {
	make --no-print-directory BUILD="${BUILD:-build}" image FORMAT=uki OUT="$out" KVER="$kver" \
		ROOT="$root" \
		CMDLINE="$good" EXPLAIN=1 IMAGE_ARGS="--level 1 --no-base" >"$BATS_TEST_TMPDIR/log"
	section .cmdline | grep -qx "$good"
	grep -q '^Requested modules and their files:' "$BATS_TEST_TMPDIR/log"
	# the rescue shell is the one that was built
	grep -q " $(stat -c %s "${BUILD:-build}/busybox") /bin/busybox (rescue shell)" \
		"$BATS_TEST_TMPDIR/log"
}

@test "unknown formats are wrong calls" {
	refused 2 "--format is initrd, pair, uki or iso" --format tape
}
