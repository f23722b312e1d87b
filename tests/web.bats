#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2030,SC2031,SC2034 # each case, its setup and teardown run in one subshell
#
# The web room whole, from a command line to a mounted root, against nginx and the server that does
# everything wrong (tests/fetch/hostile.c), in a network and a mount namespace of its own. "Refused"
# always means: nothing is mounted.
# first: many boots of a root by web servers
# shares: 2
bats_require_minimum_version 1.5.0

load lib/webdrive

setup_file() {
	[[ $EUID -eq 0 ]] || skip "namespaces need root"
	export F=$BATS_FILE_TMPDIR
	# A root of 8 MB that does not pack, in a few files.
	mkdir -p "$F/tree/sbin" "$F/tree/usr/lib"
	gcc -nostdlib -static -s -x c -o "$F/tree/sbin/init" - <<<'void _start(void) { for (;;) ; }'
	head -c 5000000 /dev/urandom >"$F/tree/usr/lib/a"
	head -c 3000000 /dev/urandom >"$F/tree/usr/lib/b"
	tar -C "$F/tree" --owner=0 --group=0 -cf "$F/root.tar" .
	zstd -q -1 "$F/root.tar" -o "$F/root.tar.zst"
	(cd "$F/tree" && find . | cpio --quiet -o -H newc -R 0:0) >"$F/root.cpio"
	"${BUILD:-build}/initagent" manifest "$F/root.tar.zst" --chunk-size 256K >/dev/null
	"${BUILD:-build}/initagent" manifest "$F/root.cpio" --chunk-size 256K >/dev/null
}

# boots ARGUMENT...: that command line gives the root.
boots() {
	inside "drive '$*' && same"
	[ "$status" -eq 0 ]
	[[ $output == *same ]]
}

digest() {
	echo "rd.root.digest=sha256:$(sha256sum "$F/$1" | cut -d' ' -f1)"
}

# sent PATH: how many bytes of bodies of it the server sent in all.
sent() {
	logged
	awk -v path="$1" '$1 == path { n += $3 } END { printf "%d\n", n }' "$LOG"
}

# --- streamed ------------------------------------------------------------------------------------

@test "archives are unpacked while they are fetched, in both flavours" {
	local name
	nginx_on 8080
	for FLAVOUR in host musl; do
		for name in root.tar root.cpio root.tar.zst; do
			boots "root=http://127.0.0.1:8080/$name $(digest $name)"
			[[ $output == *"unpacked while it is fetched"*"mounted "*\
" digest http://127.0.0.1:8080 "* ]]
		done
	done
	boots "root=http://127.0.0.1:8080/root.tar.zst.manifest $(digest root.tar.zst.manifest)"
	[[ $output == *"unpacked while it is fetched"*"mounted zstd tar digest"* ]]
	# KiB: of the agent, and of the largest of its processes.
	[[ $output =~ rss\ ([0-9]+)\ ([0-9]+) ]]
	[ $((BASH_REMATCH[1] + BASH_REMATCH[2])) -le 16384 ]
}

# The signature of such a URL is good for one name and one method; all else gets 403.
@test "an object store's presigned URL: a name without suffix, nothing else needed" {
	local query="X-Amz-Expires=86400&X-Amz-Signature=0f2e"
	mkdir "$F/images"
	ln "$F/root.tar.zst" "$F/images/compute-9.5"
	nginx_on 8080 "if (\$request_method != GET) { return 403; }
		if (\$uri != /images/compute-9.5) { return 403; }
		if (\$args != '$query') { return 403; }"
	boots "root=live:http://127.0.0.1:8080/images/compute-9.5?$query"
	# a list of mirrors beside it may be there, or not
	run -0 grep -v '" 20[06] ' "$N/access"
	[[ $output == *"GET /images/mirrors?"*" 403 "* && ${#lines[@]} -eq 1 ]]
}

@test "an archive cut again and again goes on while it is unpacked" {
	hostile 127.0.0.1 "$F/root.tar.zst"
	boots "root=$U/a?rcut=900000&times=12&rst $(digest root.tar.zst)"
	[ "$(sent /a)" -le $(($(stat -c %s "$F/root.tar.zst") * 105 / 100)) ]
}

@test "a wrong byte: the digest at the end throws away what was unpacked" {
	hostile 127.0.0.1 "$F/root.tar"
	# not all of it may be there before the unpacker's first turn
	refused 630 "root=$U/a?flip=7900000&rate=8000000 $(digest root.tar)"
	[[ $output == *"unpacked while it is fetched"* ]]
	hostile 127.0.0.1 "$F/root.tar.zst"
	refused 630 "root=$U/a?flip=7000000 $(digest root.tar.zst)"
}

@test "a wrong byte from one mirror, the right ones from another: unpacked anew" {
	hostile 127.0.0.1 "$F/root.tar"
	# Of these, node 1 asks one first and the other then: one of the two cases begins with the
	# wrong one.
	boots "root=$U/a?flip=7900000 rd.root.mirror=$U/b $(digest root.tar)"
	boots "root=$U/c rd.root.mirror=$U/d?flip=7900000 $(digest root.tar)"
}

@test "another version in the midst of it: unpacked anew, never joined" {
	hostile 127.0.0.1 "$F/root.tar"
	boots "root=$U/a?cut=3000000&times=1&etag=two&since=1"
	[[ $output == *"mounted tar tar none"* ]]
	refused 630 "root=$U/b?cut=3000000&times=1&other&since=1 $(digest root.tar)"
}

@test "an archive that is broken, with a digest that is right: said as it is" {
	head -c 6000000 "$F/root.tar.zst" >"$F/short.tar.zst"
	nginx_on 8080
	refused 651 "root=http://127.0.0.1:8080/short.tar.zst $(digest short.tar.zst)"
	[[ $output == *"unpacked while it is fetched"* ]]
	refused 651 "root=http://127.0.0.1:8080/short.tar.zst"
}

@test "a sparse file counts by what is in it, in every form of tar" {
	local form
	mkdir -p "$T/tree/sbin"
	cp "$F/tree/sbin/init" "$T/tree/sbin/init"
	# A lastlog is as long as the largest user's number says.
	truncate -s 300G "$T/tree/lastlog" "$T/tree/empty"
	printf entry | dd of="$T/tree/lastlog" bs=1 seek=200000000000 conv=notrunc status=none
	nginx_on 8080
	for form in --format=gnu --format=posix\ --sparse-version={0.0,0.1,1.0}; do
		# shellcheck disable=SC2086 # two options
		tar -C "$T/tree" $form -Scf "$F/sparse.tar" .
		inside "
			drive root=http://127.0.0.1:8080/sparse.tar
			stat -c '%n %s %b' \"\$root\"/sysroot/{lastlog,empty}
			dd if=\"\$root/sysroot/lastlog\" bs=5 skip=40000000000 count=1 status=none"
		[ "$status" -eq 0 ]
		[[ $output =~ /lastlog\ 322122547200\ ([0-9]+).*/empty\ 322122547200\ 0.*entry$ ]]
		[ "${BASH_REMATCH[1]}" -le 64 ]
	done
	# What is in it does count, before its first byte.
	head -c 20M /dev/urandom | dd of="$T/tree/lastlog" bs=1M seek=1000 conv=notrunc status=none
	tar -C "$T/tree" -Scf "$F/sparse.tar" .
	MEM=100000 refused 657 "root=http://127.0.0.1:8080/sparse.tar"
	[[ $output =~ lastlog:\ [0-9]+\ bytes\ unpacked,\ 2[01][0-9]+\ more ]]
}

@test "packed as pzstd does: each frame behind one that is skipped" {
	pzstd -q -p 2 "$F/root.tar" -o "$F/frames.tar.zst"
	nginx_on 8080
	boots "root=http://127.0.0.1:8080/frames.tar.zst"
}

@test "more behind the end of an archive than a pipe holds" {
	local end=$F/end name
	head -c 3000000 /dev/zero >"$end"
	gzip -1 <"$F/root.tar" | cat - "$end" >"$F/padded.tar.gz"
	cat "$F/root.tar" "$end" >"$F/padded.tar"
	xz -0 <"$F/root.tar" | cat - "$end" >"$F/padded.tar.xz"
	nginx_on 8080
	cat "$F/root.tar.zst" "$end" >"$F/padded.tar.zst"
	for name in padded.tar padded.tar.gz padded.tar.xz padded.tar.zst; do
		boots "root=http://127.0.0.1:8080/$name"
		[[ $output == *"unpacked while it is fetched"* ]]
	done
	for name in gz xz zst; do
		{ cat "$F/padded.tar.$name"; echo more; } >"$F/more.tar.$name"
		refused 651 "root=http://127.0.0.1:8080/more.tar.$name"
	done
}

@test "an archive is unpacked whole or refused; cpio archives behind each other are one root" {
	local name
	: | cpio --quiet -o -H newc | cat "$F/root.cpio" - >"$F/two.cpio"
	gzip -1 <"$F/root.cpio" | cat - <(: | cpio --quiet -o -H newc | gzip) >"$F/two.cpio.gz"
	cat "$F/root.tar" "$F/root.tar" >"$F/two.tar"
	{ cat "$F/root.cpio"; echo more; } >"$F/more.cpio"
	{ gzip -1 <"$F/root.tar"; echo more; } >"$F/more.tar.gz"
	# The last entry's header and nothing behind it.
	head -c 1024 "$F/root.tar" >"$F/half.tar"
	zstd -q "$F/root.tar.zst" -o "$F/twice.tar.zst.zst"
	nginx_on 8080
	for name in two.cpio two.cpio.gz; do
		boots "root=http://127.0.0.1:8080/$name"
	done
	for name in two.tar more.cpio more.tar.gz half.tar; do
		refused 651 "root=http://127.0.0.1:8080/$name"
	done
	refused 650 "root=http://127.0.0.1:8080/twice.tar.zst.zst"
	[[ $output == *"packed twice"* ]]
}

@test "entries that may not be in a root are refused on the way" {
	local evil=$T/evil name
	mkdir -p "$evil/dir/sbin" "$evil/dir/etc"
	cp "$F/tree/usr/lib/a" "$evil/dir/big"
	cp "$F/tree/sbin/init" "$evil/dir/sbin/init"
	mknod "$evil/dir/etc/disk" b 8 0
	ln -s / "$evil/dir/out"
	tar -C "$evil/dir" -cf "$F/node.tar" big sbin etc
	tar -C "$evil/dir" -P --transform 's,^sbin/init,../../escaped,' -cf "$F/dots.tar" big \
		sbin/init
	tar -C "$evil/dir" -P --transform 's,^sbin/init,/escaped,' -cf "$F/absolute.tar" big \
		sbin/init
	tar -C "$evil/dir" -P --transform 's,^sbin/init,out/escaped,' -cf "$F/link.tar" big out \
		sbin/init
	ln "$evil/dir/big" "$evil/dir/zzz"
	tar -C "$evil/dir" -P --transform 's,^big,../big,;s,^zzz,etc/zzz,' -cf "$F/hard.tar" \
		sbin/init big zzz
	# Cut to what a file has room for, this owner would be root.
	tar -C "$evil/dir" --format=posix --pax-option=uid:=4294967296 -cf "$F/owner.tar" big sbin
	tar -C "$evil/dir" --format=posix --pax-option=gid:=4294967295 -cf "$F/group.tar" big sbin
	nginx_on 8080
	for name in node dots absolute hard owner group; do
		refused 656 "root=http://127.0.0.1:8080/$name.tar"
		[ ! -e /escaped ]
		# what "../.." of sysroot is
		[ ! -e "$T/escaped" ]
	done
	# A link to "/" is the root's own "/": nothing leaves it.
	inside "ended 'root=http://127.0.0.1:8080/link.tar'; [[ \$s == 0 || \$s == 3 ]]"
	[ "$status" -eq 0 ]
	[ ! -e /escaped ]
}

@test "a manifest's digest of the whole is reported only where it was compared" {
	local other=$T/root.tar.zst.manifest size
	F=$T nginx_on 8080
	ln "$F/root.tar.zst" "$T/"
	for size in 256K 0; do
		"$B/initagent" manifest "$F/root.tar.zst" --chunk-size $size --output "$other" \
			>/dev/null
		sed -i 's/"sha256": ".\{16\}/"sha256": "0123456789abcdef/' "$other"
		[[ $size == 0 ]] || boots root=http://127.0.0.1:8080/root.tar.zst.manifest
		[[ $size == 0 || $output == *" sha256="$'\n'* ]]
	done
	refused 630 root=http://127.0.0.1:8080/root.tar.zst.manifest
}

@test "a manifest of other kernels is refused with both; one of this kernel is not" {
	local name=root.tar.zst this
	this=$(uname -r)
	nginx_on 8080
	for this in "$this" "${this%%.*}.*"; do
		"$B/initagent" manifest "$F/$name" --kernel 5.4.0-1-other --kernel "$this" \
			--output "$F/this.manifest" >/dev/null
		boots "root=http://127.0.0.1:8080/this.manifest"
	done
	"$B/initagent" manifest "$F/$name" --kernel 5.4.0-1-other --kernel "9.9.*" \
		--output "$F/other.manifest" >/dev/null
	refused 662 "root=http://127.0.0.1:8080/other.manifest"
	[[ $output == *"IA-E662 $(uname -r) runs, it is for 5.4.0-1-other, 9.9.*"* ]]
	# Nothing was asked for that would not be taken.
	[ "$(grep -c "GET /$name " "$N/access")" -eq 2 ]
}

# bats test_tags=slow
@test "gzip, xz and zstd bombs: refused with the numbers, whatever they want to become" {
	truncate -s 3G "$T/zeroes"
	mkdir -p "$T/bomb/sbin"
	tar -C "$T" -cf - zeroes 2>/dev/null | head -c 600M | gzip -1 >"$F/bomb.tar.gz"
	head -c 600M /dev/zero | zstd -q -19 --ultra -22 --long=27 -T1 >"$F/bomb.zst"
	nginx_on 8080
	refused 657 "root=http://127.0.0.1:8080/bomb.tar.gz"
	inside "refuses root=http://127.0.0.1:8080/bomb.zst && nothing"
	[ "$status" -eq 0 ]
}

@test "memory: the numbers before the first byte, and what is unpacked beside the file" {
	nginx_on 8080
	MEM=70000 refused 632 "root=http://127.0.0.1:8080/root.tar.zst"
	[[ $output =~ IA-E632\ .*[0-9]+\ bytes\ \([0-9]+\ MiB\),\ room\ for\ [0-9]+ ]]
	[[ $output != *"bytes 2"* ]]
	# Room for the file, but not for what is in it, in whole pages, however much of the file is
	# there when that is asked: with numbers that stand still, what has come counts as room. 64
	# MiB are kept back.
	MEM=$((65536 + ($(stat -c %s "$F/root.tar.zst") + 1023) / 1024)) refused 657 \
		"root=http://127.0.0.1:8080/root.tar.zst"
}

# --- killed and started again ---------------------------------------------------------------------

# A server that stands still after some bytes of its first answer, and webdrive, killed then and
# started again.
killed='
	DEADLINE=20000 drive "$line" >"$T/first" 2>&1 &
	for ((i = 0; i < 2500; i++)); do
		grep -q "^bytes $1" "$T/first" && break
		sleep 0.02
	done
	pkill -KILL -P $! || :
	kill -KILL $! || :
	wait $! 2>/dev/null || :
	cat "$T/first"
	[[ -z $(ls -A "$root/sysroot") ]]
	echo ---- again
	drive "$line"
	same'

@test "nowhere to mount the root: said as it is, nothing left" {
	nginx_on 8080
	inside "rmdir \$root/sysroot; : >\$root/sysroot
		refuses 'root=http://127.0.0.1:8080/root.tar.zst'
		rm \$root/sysroot; mkdir \$root/sysroot; nothing"
	[ "$status" -eq 0 ]
	[[ $output == *"fatal IA-E652 "*nothing ]]
}

@test "killed in mid-transfer: the next one goes on where it was" {
	skip_unless_squashfs
	hostile 127.0.0.1 "$F/root.squashfs"
	local size
	size=$(stat -c %s "$F/root.squashfs")
	inside "line='root=$U/a?cut=5000000&stall&times=1 $(digest \
		root.squashfs)'; set -- '[45]'; $killed"
	[ "$status" -eq 0 ]
	[[ $output == \
		*"bytes of the image are there from an earlier attempt"*"mounted squashfs"*same ]]
	[ "$(sent /a)" -le $((size * 105 / 100)) ]
}

@test "killed in mid-transfer by a manifest: whole chunks stay" {
	skip_unless_squashfs
	local size
	size=$(stat -c %s "$F/root.squashfs")
	nginx_on 8080 "location /root.squashfs { limit_rate_after 5000k; limit_rate 1; }"
	nginx_on 8081
	inside "
		line='root=http://127.0.0.1:8080/root.squashfs.manifest $(digest \
			root.squashfs.manifest)'; set -- '[45]'
		$(sed 's/^\tdrive "$line"/\tdrive "${line\/8080\/8081}"/' <<<"$killed")"
	[ "$status" -eq 0 ]
	[[ $output == \
		*"bytes of the image are there from an earlier attempt"*"mounted squashfs"*same ]]
	# The second one asked for the rest alone.
	[ "$(awk '/root.squashfs HTTP/ { print $10 }' "$T/nginx8081/access")" \
		-le $((size - 4000000)) ]
}

@test "killed in mid-transfer, and what is there was changed: found, and begun anew" {
	skip_unless_squashfs
	hostile 127.0.0.1 "$F/root.squashfs"
	local change='printf damaged | dd of="$(ls -d "$root"/run/initagent/fetch/*)"'
	change+=' bs=1 seek=100000 conv=notrunc'
	inside "
		line='root=$U/a?cut=5000000&stall&times=1 $(digest root.squashfs)'; set -- '[45]'
		${killed/echo ---- again/$change}"
	[ "$status" -eq 0 ]
	[[ $output == *"retry IA-E630 "*"mounted squashfs"*same ]]
}

@test "killed while an archive is unpacked: nothing is seen of it, and it begins anew" {
	hostile 127.0.0.1 "$F/root.tar"
	inside "line='root=$U/a?cut=5000000&stall&times=1 $(digest \
		root.tar)'; set -- '[45]'; $killed"
	[ "$status" -eq 0 ]
	[[ $output == *"unpacked while it is fetched"*again*"unpacked while it is fetched"*\
"mounted tar"*same ]]
}

@test "started again after the mount: adopted, with URL and proof" {
	skip_unless_squashfs
	nginx_on 8080
	local line
	line="root=http://127.0.0.1:8080/root.squashfs $(digest root.squashfs)"
	inside "drive '$line'; drive '$line'; same
		[ \$(grep -c \" \$root/run/rootfsbase \" /proc/self/mountinfo) -eq 1 ]
		[ \$(grep -c \" \$root/sysroot \" /proc/self/mountinfo) -eq 1 ]"
	[ "$status" -eq 0 ]
	[[ $output == *"adopted squashfs squashfs digest http://127.0.0.1:8080 cached=0 bytes="*\
" url=http://127.0.0.1:8080/root.squashfs sha256="* ]]
}

# --- a local cache --------------------------------------------------------------------------------

# disk NAME COMMAND...: a disk of 32 MB, made a file system of by COMMAND with the disk as its last
# word; $DISK is its device.
disk() {
	truncate -s 32M "$T/$1"
	"${@:2}" "$T/$1" >/dev/null 2>&1
	disk_of "$T/$1"
}

disk_of() {
	DISK=$(losetup -f --show "${@:2}" "$1")
	DISKS+=("$DISK")
}

# on_disk SCRIPT: in the disk's file system, mounted for that long.
on_disk() {
	mkdir -p "$T/mnt"
	# In a namespace of its own: one that another test makes meanwhile would take the mount
	# along, and keep it.
	DISK=$DISK IMAGE=$IMAGE unshare --mount bash -c '
		mount "$DISK" "$1" && cd "$1" || exit
		eval "$2"
		status=$?
		cd / && umount "$1"
		exit $status' on_disk "$T/mnt" "$1"
}

# kept: an image of that disk, which a boot put there; $LINE is the boot's.
kept() {
	skip_unless_disks
	nginx_on 8080
	disk "$@"
	# shellcheck disable=SC2034 # for scripts in quotes
	IMAGE=sha256-$(sha256sum "$F/root.tar.zst" | cut -d' ' -f1)
	LINE="root=http://127.0.0.1:8080/root.tar.zst $(digest root.tar.zst) rd.root.cache=$DISK"
	boots "$LINE"
	[[ $output == *"mounted zstd tar digest http://127.0.0.1:8080 cached=0"* &&
		$output != *"retry "* ]]
}

# fetched TEXT: a boot from the network, with that word about the cache.
fetched() {
	boots "$LINE"
	[[ $output == *"$1"*"mounted zstd tar digest http://127.0.0.1:8080 cached=0"* ]]
}

cached() {
	boots "$LINE"
	[[ $output == *"mounted zstd tar digest $DISK cached=1"* && $output != *"retry "* ]]
}

skip_unless_disks() {
	if ! grep -qw ext4 /proc/filesystems || [ ! -w /dev/loop-control ]; then
		skip "no ext4 or no loop devices here"
	fi
}

misnamed="the image there does not match its digest"

@test "cache: kept, used, and fetched again whatever became of the image there" {
	kept disk mkfs.ext4 -q
	cached
	local damage
	for damage in \
		'dd if=/dev/zero of=$IMAGE bs=1 count=9 seek=5000000 conv=notrunc status=none' \
		'truncate -s 5000000 $IMAGE' \
		'truncate -s 0 $IMAGE' 'cat /etc/services >>$IMAGE' \
		'rm $IMAGE; ln -s /etc/passwd $IMAGE' 'rm $IMAGE; mkfifo $IMAGE'; do
		on_disk "$damage"
		fetched "retry IA-E641 $DISK: $misnamed; it was removed"
		cached
	done
	# A folder in its place cannot be removed.
	on_disk 'rm $IMAGE; mkdir -p $IMAGE/x'
	fetched "retry IA-E640 $DISK: $misnamed, and cannot be removed"
}

@test "cache: of a manifest's image, larger than it says" {
	kept disk mkfs.ext4 -q
	LINE="root=http://127.0.0.1:8080/root.tar.zst.manifest $(digest \
		root.tar.zst.manifest) rd.root.cache=$DISK"
	cached
	on_disk 'cat /etc/services >>$IMAGE'
	fetched "retry IA-E641 "
	cached
}

@test "cache: a disk that may only be read" {
	kept disk mkfs.ext4 -q
	local held=$DISK
	disk_of "$T/disk" -r
	LINE=${LINE/$held/$DISK}
	cached
	DISK=$held on_disk \
		'dd if=/dev/zero of=$IMAGE bs=1 count=9 seek=5000000 conv=notrunc status=none'
	fetched "retry IA-E640 $DISK: $misnamed, and cannot be removed"
	DISK=$held on_disk 'rm $IMAGE'
	fetched "$DISK: Read-only file system"
}

@test "cache: a disk that is full, and one that is too small: nobody's file goes in vain" {
	kept disk mkfs.ext4 -q
	on_disk 'rm $IMAGE; fallocate -l 21M stuff; echo old >sha256-$(printf a%.0s {1..64})'
	fetched "retry IA-E640 $DISK: no room for the image"
	on_disk '[ -s stuff ] && [ -s sha256-$(printf a%.0s {1..64}) ]'
	# Of older images as many go as have to.
	on_disk 'rm stuff; for i in b c d e f; do
		fallocate -l 4M sha256-$(printf $i%.0s {1..64})
		touch -d @$((16#$i)) sha256-$i$i$i*; done'
	fetched ""
	on_disk 'want=$(printf "%s\n" $IMAGE sha256-{aaa,ddd,eee,fff}* | sort | xargs)
		[ "$(echo sha256-*)" = "$want" ] || { ls -l; false; }'
	cached
}

@test "cache: a disk that was wiped, or is damaged where its file system begins" {
	kept disk mkfs.ext4 -q
	dd if=/dev/zero of="$T/disk" bs=1k seek=2 count=300 conv=notrunc status=none
	fetched "retry IA-E640 $DISK: Structure needs cleaning"
	dd if=/dev/urandom of="$T/disk" bs=1 seek=1100 count=900 conv=notrunc status=none
	fetched "retry IA-E640 $DISK: "
	dd if=/dev/zero of="$T/disk" bs=1k count=8 conv=notrunc status=none
	fetched "retry IA-E640 $DISK: no file system of a known kind (ext4, xfs, btrfs, vfat)"
	mkswap "$T/disk" >/dev/null
	fetched "no file system of a known kind"
}

@test "cache: a disk that is gone in the midst of reading or writing" {
	kept disk mkfs.ext4 -q
	truncate -s 5M "$T/disk"
	losetup -c "$DISK"
	fetched "retry IA-E64"
	# A disk whose blocks cannot be written: what is below it is full.
	mkdir "$T/small"
	mount -t tmpfs -o size=5M none "$T/small"
	truncate -s 32M "$T/small/disk"
	mkfs.ext4 -q "$T/small/disk"
	disk_of "$T/small/disk"
	umount -l "$T/small"
	LINE="${LINE% *} rd.root.cache=$DISK"
	fetched "retry IA-E640 $DISK: "
}

# --- whatever a server does -----------------------------------------------------------------------

# fate NUMBER LINE: a boot with that command line ends in the right root or in none; what it was is
# a line in $T/fates.
fate() {
	local fate=$T/fate$1
	mkdir -p "$fate/root"
	T=$fate DEADLINE=900 inside \
		"ended '$2'; case \$s in 0) same ;; 3|4) nothing ;; *) exit 9 ;; esac" >/dev/null
	case $status:$output in
	0:*"mounted "*same) echo "booted $2" ;;
	0:*nothing) echo "none $2" ;;
	*) printf 'WRONG (status %s) %s\n%s\n' "$status" "$2" "$output" ;;
	esac >>"$T/fates"
}

# bats test_tags=slow
@test "whatever a server does: the right root or none, by digest or manifest, streamed or not" {
	local lie more n=0 jobs=() d m where
	FLAVOUR=musl
	d=$(digest root.tar.zst) m=$(digest root.tar.zst.manifest)
	hostile 127.0.0.1 "$F/root.tar.zst"
	# At the beginning of a file, in its midst, and near its end.
	for lie in cut=3000000 "cut=3000000&rst" drip=1 len=9000000 len=1000000 len2=5 nolen \
		chunked chunked\&chunksize=ffffffffffffffff \
		"chunked&chunksize=-1" "chunked&len2=7&trailer" norange force206 multipart first=5 \
		first=-5 total=5 etag=y noetag other \
		flip=10 flip=4000000 flip=7999000 status=206 status=416 enc=gzip coding=gzip \
		interim fold heads=300 bighead=300000 \
		raw=x raw=HTTP/0.9 http=HTTP/0.9 http=HTTP/3 lentext=5,6 lentext=-1 lentext=0x10 \
		lentext=99999999999999999999999 \
		status=404 "status=403&after=1" "status=503&after=99999" status=302\&loc=/x \
		status=302\&loc=file:///etc/passwd; do
		for more in "" "&cut=3000000&times=1&since=1"; do
			for where in "$U/n?$lie$more $d" "$U/n.manifest?$lie$more $m"; do
				n=$((n + 1))
				fate $n "root=${where/\/n/\/$n}" 3>&- &
				jobs+=($!)
				[ ${#jobs[@]} -lt 6 ] || { wait "${jobs[@]}"; jobs=(); }
			done
		done
	done
	wait "${jobs[@]}"
	cut -d' ' -f1 "$T/fates" | sort | uniq -c
	sed -E '/^(booted|none) /d' "$T/fates"
	[ "$(grep -cE '^(booted|none) ' "$T/fates")" -eq $n ]
	[ "$(grep -c ^booted "$T/fates")" -ge 10 ]
}

# Loop devices are not to be had everywhere.
skip_unless_squashfs() {
	if ! grep -q squashfs /proc/filesystems || [ ! -w /dev/loop-control ]; then
		skip "no squashfs or no loop devices here"
	fi
	[ -e "$F/root.squashfs" ] || mksquashfs "$F/tree" "$F/root.squashfs" \
		-quiet -no-progress -all-root -noI -noD -noF -noX >/dev/null
	[ -e "$F/root.squashfs.manifest" ] ||
		"$B/initagent" manifest "$F/root.squashfs" --chunk-size 256K >/dev/null
}
