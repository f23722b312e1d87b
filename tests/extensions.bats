#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2030,SC2031,SC2034 # each case, its setup and teardown run in one subshell
#
# Images beside the root (initagent/root/extensions), from the command line to the places where the
# real root's systemd looks, against nginx and the server that does everything wrong. "Left out"
# always means: the rest is there, and of that one nothing.
# shares: 1
bats_require_minimum_version 1.5.0

load lib/webdrive

setup_file() {
	[[ $EUID -eq 0 ]] || skip "namespaces need root"
	export F=$BATS_FILE_TMPDIR
	mkdir -p "$F/tree/usr/lib/extension-release.d" "$F/tree/usr/bin"
	echo ID=_any >"$F/tree/usr/lib/extension-release.d/extension-release.tools"
	head -c 3000000 /dev/urandom >"$F/tree/usr/bin/tool"
	chmod 4755 "$F/tree/usr/bin/tool"
	mksquashfs "$F/tree" "$F/tools.raw" -quiet -no-progress -all-root
	xz -k0 "$F/tools.raw"
	zstd -q -1 "$F/tools.raw" -o "$F/tools.raw.zst"
	gzip -k1 "$F/tools.raw"
	tar -C "$F/tree" --owner=0 --group=0 -cf "$F/tools.tar" .
	zstd -q -1 "$F/tools.tar" -o "$F/tools.tar.zst"
	(cd "$F" && sha256sum tools.raw.xz tools.tar >SHA256SUMS)
	minisign -G -W -p "$F/site.pub" -s "$F/site.key" >/dev/null
	minisign -S -W -s "$F/site.key" -m "$F/tools.raw" >/dev/null
	minisign -S -W -s "$F/site.key" -m "$F/tools.tar.zst" >/dev/null
}

# beside SCRIPT ARGUMENT...: these images beside an NFS root, then the script, which prints "yes".
beside() {
	inside "drive 'root=nfs:192.0.2.1:/srv ${*:2}' && { $1; } && echo yes"
	[ "$status" -eq 0 ]
	[[ $output == *yes ]]
}

# left TEXT ARGUMENT...: nothing came of these, with a cause that has the text.
left() {
	beside nowhere "${@:2}"
	[[ $output == *"IA-E614 "*"$1"* ]]
}

inside_functions='
	nowhere() {
		[[ -z $(cd "$root/run" && find . -mindepth 2 -not -path "./initagent/*") &&
			-z $(mounts) ]] || { find "$root/run"; mounts; return 1; }
		! grep " $root/run/initagent/fetch " /proc/self/mountinfo
	}
	raw() { cmp "$F/tools.raw" "$root/run/$1.raw"; }
	folder() { diff -r "$F/tree" "$root/run/$1" && [[ -u $root/run/$1/usr/bin/tool ]]; }
'

# The same with functions for these cases.
eval "$(declare -f inside | sed '1s/inside/inside_plain/')"
inside() {
	inside_plain "$inside_functions $1"
}

pull=rd.systemd.pull
web=http://127.0.0.1:8080

@test "a disk image and an archive, in both flavours, where systemd looks for them" {
	nginx_on 8080
	for FLAVOUR in host musl; do
		beside "raw extensions/tools; folder confexts/site; raw portables/p" \
			"$pull=raw,sysext,verify=no:tools:$web/tools.raw" \
			"$pull=tar,confext,verify=no:site:$web/tools.tar" \
			"$pull=raw,portable,verify=no:p:$web/tools.raw"
		[[ $output == *"sysext tools: squashfs from $web: "*"proof: none"* ]]
		[[ $output == *"confext site: tar from $web: "* ]]
	done
}

@test "packed: a disk image is unpacked, as an archive is" {
	nginx_on 8080
	beside "raw extensions/a; raw extensions/b; raw extensions/tools; folder extensions/c" \
		"$pull=raw,sysext,verify=no:a:$web/tools.raw.xz" \
		"$pull=raw,sysext,verify=no:b:$web/tools.raw.zst" \
		"$pull=raw,sysext,verify=no::$web/tools.raw.gz" \
		"$pull=tar,sysext,verify=no:c:$web/tools.tar.zst"
	# in tmpfs's of their own, as /run is mounted, and nothing is left of the work
	beside 'grep " $root/run/extensions/c .*nosuid,nodev.* - tmpfs" /proc/self/mountinfo
		[[ $(mounts | wc -l) == 1 && $(ls -A "$root/run/initagent/extension") == "" ]]' \
		"$pull=tar,sysext,verify=no:c:$web/tools.tar.zst"
}

@test "checksum: NAME.sha256 or SHA256SUMS beside it, and only then" {
	nginx_on 8080
	beside "raw extensions/tools; folder confexts/tools" \
		"$pull=raw,sysext,verify=checksum::$web/tools.raw.xz" \
		"$pull=tar,confext,verify=checksum::$web/tools.tar"
	left "(IA-E622): " "$pull=raw,sysext,verify=checksum::$web/other/tools.raw"
	left "IA-E6" "$pull=raw,sysext,verify=checksum::$web/tools.raw.zst"
	mkdir "$F/bad"
	ln "$F/tools.tar" "$F/bad"
	sed 's/^...../00000/' "$F/SHA256SUMS" >"$F/bad/SHA256SUMS"
	left "(IA-E630): " "$pull=tar,sysext,verify=checksum::$web/bad/tools.tar"
}

@test "signature: asked for by default, and by a key for whatever is asked for" {
	local key
	key=rd.root.key=$(tail -n 1 "$F/site.pub")
	nginx_on 8080
	left "neither rd.root.key= nor the initramfs has a key" "$pull=raw,sysext::$web/tools.raw"
	[[ $output == *"(IA-E663)"* ]]
	inside "drive 'root=$web/r.squashfs $key $pull=raw,sysext::$web/tools.raw \
		$pull=tar,confext,verify=no::$web/tools.tar.zst' && raw extensions/tools &&
		folder confexts/tools"
	[[ $status -eq 0 && $output == *"proof: signature"* ]]
	# not signed, and signed for another file
	cp "$F/tools.raw.minisig" "$F/tools.raw.gz.minisig"
	for name in tools.raw.zst:663 tools.raw.gz:664; do
		inside "drive 'root=$web/r.squashfs $key \
			$pull=raw,sysext,verify=no::$web/${name%:*}' && nowhere"
		[[ $status -eq 0 && $output == *"IA-E614 "*"(IA-E${name#*:})"* ]]
	done
	# the root's digest asks for proof, and is none for another file
	inside "drive 'root=$web/r.squashfs rd.root.digest=sha256:$(sha256sum "$F/tools.raw" |
		cut -d ' ' -f 1) $pull=raw,sysext,verify=no::$web/tools.raw' && nowhere"
	[[ $status -eq 0 && $output == *"(IA-E663)"* ]]
}

@test "one that fails is left out, whatever it is, and the others are there" {
	nginx_on 8080
	beside "raw extensions/b && [[ ! -e \$root/run/extensions/a.raw ]]" \
		"$pull=raw,sysext,verify=no:a:$web/nowhere.raw" \
		"$pull=raw,sysext,verify=no:b:$web/tools.raw"
	[[ $output == *"sysext a: IA-E614 "*"(IA-E622): "*404* ]]
	left "(IA-E621)" rd.retry=2 "$pull=raw,sysext,verify=no:a:http://127.0.0.1:9/tools.raw"
}

@test "what is not what was asked for" {
	local name
	nginx_on 8080
	echo '<html>no' >"$F/page.raw"
	head -c 1000000 "$F/tools.tar.zst" >"$F/cut.tar.zst"
	head -c 1000000 "$F/tools.raw.xz" >"$F/cut.raw.xz"
	left "an HTML page" "$pull=raw,sysext,verify=no:a:$web/page.raw"
	left "an HTML page" "$pull=tar,sysext,verify=no:a:$web/page.raw"
	left "an archive, where" "$pull=raw,sysext,verify=no:a:$web/tools.tar"
	left "an archive, where" "$pull=raw,sysext,verify=no:a:$web/tools.tar.zst"
	left "no archive, where" "$pull=tar,sysext,verify=no:a:$web/tools.raw"
	left "no archive, where" "$pull=tar,sysext,verify=no:a:$web/tools.raw.xz"
	left "(IA-E651)" "$pull=tar,sysext,verify=no:a:$web/cut.tar.zst"
	left "(IA-E651)" "$pull=raw,sysext,verify=no:a:$web/cut.raw.xz"
}

@test "an archive that leads out of its folder, or has a device node" {
	nginx_on 8080
	mkdir -p "$T/evil/usr"
	ln -s /run "$T/evil/usr/out"
	tar -C "$T/evil" -cf "$F/link.tar" usr
	rm "$T/evil/usr/out"
	mkdir "$T/evil/usr/out"
	echo out >"$T/evil/usr/out/leaked"
	tar -C "$T/evil" -rf "$F/link.tar" usr/out/leaked
	tar -C "$T/evil" -cf "$F/dots.tar" --transform 's,usr/out,../../..,' -P usr/out/leaked
	mknod "$T/evil/usr/mem" c 1 1
	tar -C "$T/evil" -cf "$F/node.tar" usr/mem
	for name in link dots node; do
		left "(IA-E65" "$pull=tar,sysext,verify=no:a:$web/$name.tar"
	done
}

@test "a server that cuts is asked again, and what is there is not fetched twice" {
	hostile 127.0.0.1 "$F/tools.raw"
	beside "raw extensions/a" "$pull=raw,sysext,verify=no:a:$U/a?rcut=900000&times=3&rst"
	hostile 127.0.0.1 "$F/tools.tar"
	beside "folder extensions/a" "$pull=tar,sysext,verify=no:a:$U/a?rcut=900000&times=3&rst"
}

@test "memory: too large is refused with the numbers, and a bomb ends at its limit" {
	nginx_on 8080
	{
		cat "$F/tools.raw"
		head -c 300000000 /dev/zero
	} | xz -0 >"$F/bomb.raw.xz"
	MEM=200000 left "(IA-E657)" "$pull=raw,sysext,verify=no:a:$web/bomb.raw.xz"
	MEM=67000 left "(IA-E6" rd.minmem=64 "$pull=raw,sysext,verify=no:a:$web/tools.raw"
}

@test "what is there already: an earlier agent's is kept, another's is not touched" {
	nginx_on 8080
	local a="$pull=raw,sysext,verify=no:a:$web/tools.raw" \
		b="$pull=tar,confext,verify=no:b:$web/tools.tar"
	beside "drive 'root=nfs:192.0.2.1:/srv $a $b'; raw extensions/a; folder confexts/b
		[[ \$(mounts | wc -l) == 2 ]]" "$a" "$b"
	[[ $output == *"sysext a is there already"*"confext b is there already"* ]]
	inside "mkdir -p \$root/run/extensions && echo mine >\$root/run/extensions/a.raw
		drive 'root=nfs:192.0.2.1:/srv $a' && grep -q mine \$root/run/extensions/a.raw"
	[[ $status -eq 0 && $output == *"IA-E614 "*"is there already"* ]]
}
