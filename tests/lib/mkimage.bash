# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # run sets output
#
# mkimage.bash: the image builder over a made-up root, for tests/mkimage*.bats.

kver=6.5.5-test

# made_root: $root with folders for modules ($modules) and firmware, and $out, the image to be.
made_root() {
	mkimage=${BUILD:-build}/initagent-mkimage
	root=$BATS_TEST_TMPDIR/root
	modules=$root/lib/modules/$kver
	out=$BATS_TEST_TMPDIR/image
	mkdir -p "$modules/kernel" "$root/lib/firmware"
	touch "$modules"/modules.{order,builtin,builtin.modinfo}
	unset SOURCE_DATE_EPOCH
}

# The agent is any static program here.
build() {
	"$mkimage" --agent /bin/busybox --busybox /bin/busybox --root "$root" --kver "$kver" \
		--out "$out" --level 1 --no-base "$@"
}

# refused STATUS TEXT ARGUMENT...: the build fails with that line and leaves no image, nor a part.
refused() {
	run -"$1" build "${@:3}"
	[[ $output == *"$2"* ]] || {
		echo "no such complaint: $2"
		return 1
	}
	[ -z "$(find "$BATS_TEST_TMPDIR" -maxdepth 1 -name 'image*')" ]
}
