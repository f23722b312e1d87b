#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# initagent-flexboot on real expansion ROMs (Debian's iPXE) and on texts like mstconfig's.
bats_require_minimum_version 1.5.0

setup() {
	flexboot=${BUILD:-build}/initagent-flexboot
	# its folder has moved from release to release
	roms=$(dpkg -L ipxe-qemu | sed -n 's,/efi-virtio\.rom$,,p')
	corpus=tests/corpus
}

@test "every ROM of Debian's iPXE is whole, and its images are what they are" {
	local rom n=0
	for rom in "$roms"/{efi,pxe}-*.rom; do
		run -0 "$flexboot" rom verify "$rom"
		[[ $output == *"no errors" ]]
		n=$((n + 1))
	done
	[ "$n" -ge 10 ]
	run -0 "$flexboot" rom list --json "$roms/efi-virtio.rom"
	[ "$(jq -r '[.images[] | .kind + " " + .vendor + " " + (.last | tostring)] | join(",")' \
		<<<"$output")" = \
		"x86 1af4 false,EFI 1af4 true" ]
	[ "$(jq -r '.images[1].machine' <<<"$output")" = x86-64 ]
	# behind the last image is nothing, or what fills the ROM up
	size=$(jq '[.images[].size] | add' <<<"$output")
	[ "$(tail -c "+$((size + 1))" "$roms/efi-virtio.rom" | tr -d '\0\377' | wc -c)" -eq 0 ]
	[ "$(jq -r '.images[0].name' <<<"$output")" = iPXE ]
}

@test "images come out as files: the first is the BIOS ROM, the second a PE program" {
	local dir=$BATS_TEST_TMPDIR
	local names=$'image-1-x86.rom\nimage-2-efi-x86-64.rom'
	run -0 "$flexboot" rom list "$roms/efi-e1000e.rom"
	# newer ones of Debian's are compressed, which the firmware undoes
	[[ $output == *", compressed, last"* ]] || names+=$'\nimage-2-efi-x86-64.efi'
	run -0 "$flexboot" rom extract --into "$dir" "$roms/efi-e1000e.rom"
	[ "$output" = "$names" ]
	cat "$dir/image-1-x86.rom" "$dir/image-2-efi-x86-64.rom" >"$dir/both"
	cmp -n "$(stat -c %s "$dir/both")" "$dir/both" "$roms/efi-e1000e.rom"
	[[ $names != *.efi ]] || objdump -h "$dir/image-2-efi-x86-64.efi" | grep -q 'pei-x86-64'
	run -3 "$flexboot" rom extract --into "$dir" "$roms/efi-e1000e.rom"
	[[ $output == *"image-1-x86.rom: File exists" ]]
}

@test "a spoilt byte and a cut file are told with the offset" {
	local rom=$BATS_TEST_TMPDIR/rom
	cp "$roms/efi-virtio.rom" "$rom"
	printf '\377' | dd of="$rom" bs=1 seek=4660 conv=notrunc status=none
	run -1 "$flexboot" rom verify "$rom"
	[[ $output == "$rom: at 0: bytes of the x86 image add up to "*", must be 00" ]]
	read -r first second < <("$flexboot" rom list --json "$rom" |
		jq -r '[.images[].size] | @tsv')
	head -c "$((first + 4224))" "$roms/efi-virtio.rom" >"$rom"
	run -1 "$flexboot" rom verify "$rom"
	[[ $output == "$rom: at 0x"*": image of $second bytes, but 4224 are left in the ROM" ]]
	: >"$rom"
	run -1 "$flexboot" rom list "$rom"
	[[ $output == *"at 0: the ROM ends here, an image should begin" ]]
	run -3 "$flexboot" rom list /nosuch
	run -3 "$flexboot" rom list /dev/zero
}

@test "a ROM with Mellanox signatures: version, and whether it fits the adapter" {
	run -0 "$flexboot" rom list "$corpus/rom/flexboot"
	[[ $output == *"name: FlexBoot"* ]]
	[[ $output == *"also for devices: 1019 101b"* ]]
	[[ $output == *"Mellanox signature at 0x200: PXE version 3.7.400, device 1017, protocol IB,\
 port 1, in image 1"* ]]
	run -0 "$flexboot" rom verify --fits 15b3:101b "$corpus/rom/flexboot"
	run -1 "$flexboot" rom verify --fits 15b3:1003 "$corpus/rom/flexboot"
	[[ $output == *"image 2 is for 15b3:1017 and not for the device 15b3:1003" ]]
	run -2 "$flexboot" rom verify --fits 15b3 "$corpus/rom/flexboot"
}

@test "devices: no such address, no ROM" {
	local dir=$BATS_TEST_TMPDIR/sys/bus/pci/devices/0000:3b:00.0
	run -2 "$flexboot" rom list --device ../../etc
	run -3 "$flexboot" rom list --sysroot "$BATS_TEST_TMPDIR" --device 0000:3b:00.0
	[[ $output == *"0000:3b:00.0: no PCI device of that address (lspci -D)" ]]
	mkdir -p "$dir"
	echo 0x15b3 >"$dir/vendor"
	echo 0x1017 >"$dir/device"
	run -3 "$flexboot" rom list --sysroot "$BATS_TEST_TMPDIR" --device 0000:3b:00.0
	[[ $output == *"the adapter shows no ROM"* ]]
}

@test "settings wanted: one command each, with its reason" {
	run -0 "$flexboot" settings want --firmware uefi --pkey 0x8001 --device 3b:00.0
	[[ $output == *"mstconfig -d 3b:00.0 -y set LINK_TYPE_P1=1"* ]]
	[[ $output == *"mstconfig -d 3b:00.0 -y set BOOT_PKEY=32769"* ]]
	[[ $output == *"mstconfig -d 3b:00.0 -y set EXP_ROM_UEFI_x86_ENABLE=1"* ]]
	[[ $output != *LEGACY_BOOT_PROTOCOL* ]]
	[ "$(grep -c '^mstconfig' <<<"$output")" = "$(grep -c '^# \(must\|should\)' <<<"$output")" ]
	run -0 "$flexboot" settings want --json
	jq -e 'length > 5 and all(.reason | length > 10)' <<<"$output"
	run -2 "$flexboot" settings want --link eth --pkey 1
	run -2 "$flexboot" settings want --link token-ring
	run -2 "$flexboot" settings
}

@test "settings checked: what differs, what waits, and exactly the commands that correct it" {
	run -1 "$flexboot" settings check "$corpus/query/columns"
	[ "$(grep '^mst' <<<"$output")" = "mstconfig -d 3b:00.0 -y set LINK_TYPE_P1=1
mstfwreset -d 3b:00.0 -y reset   # or a power cycle" ]
	[[ $output == *"BOOT_RETRY_CNT "*"waits for a reset"* ]]
	[[ $output == *"LEGACY_BOOT_PROTOCOL"*" right "* ]]
	[[ $output == *"UEFI_HII_EN "*"not offered"* ]]
	run -1 "$flexboot" settings check --pkey 0x8001 "$corpus/query/columns"
	[[ $output == *"BOOT_PKEY "*"differs, read only must be 0x8001, is 0"* ]]
	[[ $output != *"set BOOT_PKEY"* ]]
}

# Names, values and columns are those of queries that owners of such adapters have published.
@test "settings checked: a ConnectX-3 and a ConnectX-5 as their owners show them" {
	run -1 "$flexboot" settings check --firmware bios "$corpus/query/connectx3"
	[ "$(grep '^mst' <<<"$output")" = "mstconfig -d 09:00.0 -y set LINK_TYPE_P1=1
mstconfig -d 09:00.0 -y set BOOT_OPTION_ROM_EN_P1=1
mstconfig -d 09:00.0 -y set BOOT_RETRY_CNT_P1=7
mstfwreset -d 09:00.0 -y reset   # or a power cycle" ]
	run -1 "$flexboot" settings check --firmware both "$corpus/query/connectx5"
	[ "$(sed -n 's/.* -y set //p' <<<"$output")" = "EXP_ROM_UEFI_x86_ENABLE=1
BOOT_RETRY_CNT1=7
UEFI_HII_EN=1" ]
}

@test "settings checked: several devices, JSON, standard input, a file that is none" {
	run -1 "$flexboot" settings check "$corpus/query/two"
	[[ $output == *"mstconfig -d /dev/mst/mt4103_pciconf0 -y set LEGACY_BOOT_PROTOCOL_P1=1"* ]]
	[[ $output != *"mt4115_pciconf0 -y set"* ]]
	run -1 "$flexboot" settings check --json "$corpus/query/json"
	[ "$(jq -r '.settings[] | select(.name == "LINK_TYPE_P1").verdict' <<<"$output")" = \
		"waits for a reset" ]
	sed 's/ETH(2)/IB(1)/g; s/NONE(0)/UNLIMITED(7)/g' "$corpus/query/columns" \
		>"$BATS_TEST_TMPDIR/good"
	run -0 "$flexboot" settings check <"$BATS_TEST_TMPDIR/good"
	run -3 "$flexboot" settings check README.md
	run -3 "$flexboot" settings check /nosuch
}

@test "an output that was not written is told, whatever the verdict" {
	local form
	for form in "" --json; do
		# shellcheck disable=SC2086 # none or one option
		run -3 sh -c '"$@" >/dev/full' sh "$flexboot" settings check $form \
			"$corpus/query/columns"
		[[ $output == *"standard output: No space left on device" ]]
	done
}

@test "a word that is no command is named, without the usage" {
	run -2 "$flexboot" frobnicate
	[ "$output" = "initagent-flexboot: frobnicate: no such command; see --help" ]
	run -2 "$flexboot"
	[[ ${lines[0]} == "usage: initagent-flexboot"* ]]
}
