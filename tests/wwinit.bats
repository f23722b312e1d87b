#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016,SC2030,SC2031,SC2034 # scripts for a shell inside; one subshell a case
#
# A root of Warewulf's layers, from a command line to a mounted root, against a server that answers
# as warewulfd does (tests/lib/warewulfd.conf) and against one that does what it must not.
bats_require_minimum_version 1.5.0

load lib/webdrive

# layer NODE NAME DIR: DIR as warewulfd serves it.
layer() {
	mkdir -p "$WW/$1"
	(cd "$3" && find . | cpio --quiet -o -H newc -R 0:0) | gzip -1 >"$WW/$1/$2.gz"
}

setup_file() {
	local node
	[[ $EUID -eq 0 ]] || skip "namespaces need root"
	export F=$BATS_FILE_TMPDIR
	WW=$F/ww
	mkdir -p "$F"/image/{sbin,bin,etc,usr/lib64,usr/bin,run,var,dev,srv/dev} \
		"$F"/system/{warewulf/wwinit.d,etc,lib64,var/run} "$F"/runtime/{etc,usr/bin}
	gcc -nostdlib -static -s -x c -o "$F/image/sbin/init" - \
		<<<'void _start(void) { for (;;) ; }'
	cp "$F/image/sbin/init" "$F/image/bin/sh"
	cp "$F/image/sbin/init" "$F/image/usr/bin/su"
	chmod 4755 "$F/image/usr/bin/su"
	head -c 2000000 /dev/urandom >"$F/image/usr/lib64/libc.so"
	ln -s usr/lib64 "$F/image/lib64"
	ln -s /run "$F/image/var/run"
	echo image >"$F/image/etc/motd"
	mknod "$F/image/dev/null" c 1 3
	mknod "$F/image/srv/dev/null" c 1 3
	printf '#!/bin/sh\nexec /sbin/init\n' >"$F/system/warewulf/run-init"
	chmod 755 "$F/system/warewulf/run-init"
	printf 'WWTLS=false\nWWTLSPORT=9874\nWWIPADDR=127.0.0.1\n' >"$F/system/warewulf/config"
	echo system >"$F/system/etc/motd"
	echo system >"$F/system/lib64/more"
	echo system >"$F/system/var/run/state"
	echo runtime >"$F/runtime/etc/runtime"
	cp "$F/image/sbin/init" "$F/runtime/usr/bin/mine"
	chmod 4755 "$F/runtime/usr/bin/mine"
	for node in n1 n2 n3; do
		layer $node image "$F/image"
		layer $node system "$F/system"
		layer $node runtime "$F/runtime"
	done
}

# warewulfd [HTTPS-LINES [LINES]]: the server on 127.0.0.1:9873, with more lines for every request;
# $LOG: "STATUS PORT REQUEST" a line.
warewulfd() {
	LOG=$T/ww.log WW=$T/ww
	mkdir -p "$T/nginx"
	cp -a "$F/ww" "$WW"
	{
		echo "daemon off; user root; pid $T/nginx/pid; events {} http {"
		for part in client_body proxy fastcgi uwsgi scgi; do
			echo "${part}_temp_path $T/nginx/$part;"
		done
		sed -e "s|%DIR%|$WW|; s|%LOG%|$LOG|; s|%HTTP%|127.0.0.1:9873|; s|%HTTPS%|${1:-}|" \
			-e 's/%MAC%/52.54.00.12.34.56/; s/%LEMAC%/-/' \
			-e "s|location / {|& ${2:-}|" tests/lib/warewulfd.conf
		echo "}"
	} >"$T/nginx/conf"
	ip netns exec "$NS" nginx -e "$T/nginx/error" -c "$T/nginx/conf" 3>&- &
	PIDS+=($!)
	ready ip netns exec "$NS" bash -c ': </dev/tcp/127.0.0.1/9873'
}

# asked N: waits until so many requests are in $LOG: nginx writes one down behind its last byte.
asked() {
	ready eval "[[ \$(wc -l <'$LOG') -ge $1 ]]"
}

# line WWID [WORD...]: what 4.7's boot template writes. old WWID: 4.6's.
line() {
	echo "root=wwinit:tmpfs wwinit.server=${U:-http://127.0.0.1:9873}" \
		"wwinit.uri=http://127.0.0.1:9873/provision/$1 init=/warewulf/run-init wwid=$*"
}

old() {
	echo "root=wwinit:tmpfs wwinit.uri=${U:-http://127.0.0.1:9873}/provision/$1" \
		"init=/warewulf/run-init wwid=$1"
}

mac=52:54:00:12:34:56

# waits CODE STATUS LINE: the node asks again and again, and has no root.
waits() {
	DEADLINE=3000 inside "refuses '$3' && nothing"
	[ "$status" -eq 0 ]
	[[ $output == *"retry IA-E$1 "*"$2"*deadline*nothing ]]
}

# certificate FILE KEY: as internal/pkg/configure/tls.go makes it for 'wwctl configure tls'.
certificate() {
	openssl req -x509 -newkey rsa:4096 -nodes -subj "/O=Warewulf" -keyout "$2" -out "$1" \
		-addext "subjectAltName=IP:127.0.0.1,DNS:warewulf" \
		-addext basicConstraints=critical,CA:FALSE -addext extendedKeyUsage=serverAuth \
		-addext keyUsage=critical,keyEncipherment,digitalSignature 2>/dev/null
}

# is WORD FILE: the file in the root holds the word.
unpacked='is() { [[ $(cat "$root/sysroot/$2") == "$1" ]] || { echo "$2 is not $1"; exit 9; }; }
	is system etc/motd; is system usr/lib64/more; is system run/state
	[[ -L $root/sysroot/lib64 && -u $root/sysroot/usr/bin/su ]]
	cmp "$F/image/usr/lib64/libc.so" "$root/sysroot/usr/lib64/libc.so"
	[[ ! -e $root/sysroot/dev/null && ! -e $root/sysroot/srv/dev/null ]]'

@test "three layers, the system overlay by itself before; the runtime overlay from a low port" {
	warewulfd
	for FLAVOUR in host musl; do
		: >"$LOG"
		inside "drive '$(line $mac)'; $unpacked"'
			is runtime etc/runtime
			[[ ! -u $root/sysroot/usr/bin/mine ]]
			# with "rootfs" init.d/90-selinux waits a minute and leaves SELinux out
			grep -q " $root/sysroot .* - tmpfs tmpfs" /proc/self/mountinfo'
		[ "$status" -eq 0 ]
		[[ $output == *"mounted layers=3 runtime=1 init=/warewulf/run-init"* ]]
		[[ $output == *"system layer: "*"2 links or folders kept in place of an entry"* ]]
		asked 4
		run -0 awk '{ print $1, $3 }' "$LOG"
		[ "$output" = "200 /system/$mac?assetkey=&uuid=&compress=gz
200 /image/$mac?assetkey=&uuid=&compress=gz
200 /system/$mac?assetkey=&uuid=&compress=gz
200 /runtime/$mac?assetkey=&uuid=&compress=gz" ]
		[ "$(awk '$3 ~ /runtime/ && $2 < 1024' "$LOG" | wc -l)" = 1 ]
	done
}

@test "as 4.6 writes it: the stage in the query of one URL" {
	warewulfd
	inside "drive '$(old 52-54-00-12-34-56)'; $unpacked"
	[ "$status" -eq 0 ]
	[[ $output == *"mounted layers=3 runtime=1"* ]]
	asked 4
	run -0 grep -c "200 .* /provision/52-54-00-12-34-56?stage=[a-z]*&assetkey=&uuid=&" "$LOG"
	[ "$output" = 4 ]
}

@test "asset key and UUID come from DMI; without the key the server refuses the node" {
	warewulfd
	inside "mkdir -p \$root/sys/class/dmi/id
		echo 'rack 7' >\$root/sys/class/dmi/id/chassis_asset_tag
		echo 01234567-89ab-cdef-0123-456789abcdef >\$root/sys/class/dmi/id/product_uuid
		drive '$(line key)'"
	[ "$status" -eq 0 ]
	grep -q 'assetkey=rack%207&uuid=01234567-89ab-cdef-0123-456789abcdef&' "$LOG"
	refused 690 "$(line key)"
	[[ $output == *"status 401"* ]]
}

@test "refused: a node that is not configured; asked again: not built, node lookup fails" {
	local layer
	warewulfd
	refused 690 "$(line 52:54:00:00:00:01)"
	[[ $output == *"IA-E690 system overlay: "*"status 400"* ]]
	waits 623 503 "$(line down)"
	for layer in image system; do
		mv "$WW/n1/$layer.gz" "$WW/n1/$layer"
		waits 690 404 "$(line $mac)"
		[[ $output == *"IA-E690 $layer"*": "*404* ]]
		mv "$WW/n1/$layer" "$WW/n1/$layer.gz"
	done
}

@test "no runtime overlay: 4.7 boots without, at once; 4.6 waits for it" {
	warewulfd
	rm "$WW/n1/runtime.gz"
	DEADLINE=10000 inside "drive '$(line $mac)'; $unpacked"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E691 "*404*"mounted layers=2 runtime=0"* ]]
	DEADLINE=10000 inside "drive '$(line tls)'; $unpacked"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E691 "*403*"mounted layers=2 runtime=0"* ]]
	waits 690 404 "$(old 52-54-00-12-34-56)"
}

@test "the runtime overlay over TLS, with the certificate in the system overlay" {
	mkdir -p "$T/system/warewulf/tls"
	cp -a "$F/system/." "$T/system/"
	sed -i s/WWTLS=false/WWTLS=true/ "$T/system/warewulf/config"
	certificate "$T/system/warewulf/tls/warewulf.crt" "$T/key"
	cp "$T/system/warewulf/tls/warewulf.crt" "$T/crt"
	tls="listen 127.0.0.1:9874 ssl; ssl_protocols TLSv1.2 TLSv1.3;"
	warewulfd "$tls ssl_certificate $T/crt; ssl_certificate_key $T/key;"
	layer n3 system "$T/system"
	for FLAVOUR in host musl; do
		inside "drive '$(line tls)'; $unpacked; is runtime etc/runtime"
		[ "$status" -eq 0 ]
		[[ $output == *"mounted layers=3 runtime=1"* ]]
	done
	# a server of IPv6 alone leaves WWIPADDR empty: it is the one that the other layers are from
	sed -i s/WWIPADDR=.*/WWIPADDR=/ "$T/system/warewulf/config"
	layer n3 system "$T/system"
	inside "drive '$(line tls)'; $unpacked; is runtime etc/runtime"
	[ "$status" -eq 0 ]
	# another certificate than the server's
	certificate "$T/system/warewulf/tls/warewulf.crt" "$T/key2"
	layer n3 system "$T/system"
	inside "drive '$(line tls)'; [[ ! -e \$root/sysroot/etc/runtime ]]"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E691 "*"mounted layers=2 runtime=0"* ]]
}

@test "an overlay of nothing: what warewulfd sends where no runtime overlay is set" {
	warewulfd
	cpio --quiet -o -H newc </dev/null | gzip >"$WW/n1/runtime.gz"
	inside "drive '$(line $mac)'; $unpacked"
	[ "$status" -eq 0 ]
	[[ $output == *"mounted layers=3 runtime=1"* ]]
	inside "drive '$(old 52-54-00-12-34-56)'; $unpacked"
	[ "$status" -eq 0 ]
	[[ $output == *"mounted layers=3 runtime=1"* ]]
	# an image of nothing has no init
	cp "$WW/n1/runtime.gz" "$WW/n1/image.gz"
	refused 607 "$(line $mac)"
}

@test "an image cut on its way goes on; a layer that is cut or damaged is not handed over" {
	local name
	# every stage of this server is the image: what fails is that it has no run-init
	hostile 127.0.0.1 "$F/ww/n1/image.gz"
	refused 607 "root=wwinit wwid=a wwinit.uri=$U/a?rcut=500000&times=8 init=/warewulf/run-init"
	logged
	[ "$(awk '$3 < 500000' "$LOG" | wc -l)" -ge 3 ]
	unset U
	warewulfd
	for name in image system runtime; do
		head -c -100 "$F/ww/n1/$name.gz" >"$WW/n1/$name.gz"
		refused 651 "$(line $mac)"
		yes damaged | head -c 300 >"$WW/n1/$name.gz"
		refused 650 "$(line $mac)"
		[[ $output == *"IA-E650 $name"*": "* ]]
		cp "$F/ww/n1/$name.gz" "$WW/n1/$name.gz"
	done
}

@test "swapped layers: without run-init, or without init's shell" {
	warewulfd
	cp "$F/ww/n1/runtime.gz" "$WW/n1/system.gz"
	refused 607 "$(line $mac)"
	cp "$F/ww/n1/system.gz" "$WW/n1/system.gz"
	cp "$F/ww/n1/system.gz" "$WW/n1/image.gz"
	refused 607 "$(line $mac)"
}

@test "a layer that is no archive of files" {
	warewulfd
	mksquashfs "$F/system" "$T/fs" -quiet -no-progress >/dev/null
	cp "$T/fs" "$WW/n1/system.gz"
	refused 650 "$(line $mac)"
	gzip <"$T/fs" >"$WW/n1/system.gz"
	refused 650 "$(line $mac)"
	# one that the kernel has a module for
	rm "$T/fs"
	mkfs.ext4 -q "$T/fs" 1M
	cp "$T/fs" "$WW/n1/system.gz"
	refused 650 "$(line $mac)"
}

@test "a runtime overlay is not taken from another server" {
	warewulfd "" "if (\$ww_stage = runtime) { return 302 http://127.0.0.2:9873/a; }"
	inside "drive '$(line $mac)'; [[ ! -e \$root/sysroot/etc/runtime ]]"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E691 "*"to another server"*"mounted layers=2 runtime=0"* ]]
}

@test "a runtime overlay that does not come: half the boot's time at most is its own" {
	warewulfd "" "if (\$ww_stage = runtime) { return 503; }"
	DEADLINE=20000 inside "drive '$(line $mac rd.retry=6)'
		[[ ! -e \$root/sysroot/etc/runtime ]]"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E691 "*"mounted layers=2 runtime=0"* ]]
}

@test "names and links that leave the root" {
	warewulfd
	mkdir -p "$T/a/b"
	echo evil >"$T/a/evil"
	(cd "$T/a" && echo "$T/a/evil" | cpio --quiet -o -H newc) | gzip >"$WW/n1/system.gz"
	refused 656 "$(line $mac)"
	(cd "$T/a/b" && echo ../evil | cpio --quiet -o -H newc) | gzip >"$WW/n1/system.gz"
	refused 656 "$(line $mac)"
	# a link upwards in one layer, a file through it in the next: it stays in the root
	mkdir -p "$T/first" "$T/second/up"
	cp -a "$F/system/." "$T/first"
	ln -s ../../../../../../.. "$T/first/up"
	cp "$T/a/evil" "$T/second/up"
	layer n1 system "$T/first"
	layer n1 runtime "$T/second"
	inside "drive '$(line $mac)'; [[ \$(<\$root/sysroot/evil) == evil ]]"
	[ "$status" -eq 0 ]
	[ ! -e "$T/root/evil" ] && [ ! -e /evil ]
}

@test "a folder of an overlay where the image has a link to nothing: the link is followed" {
	warewulfd
	mkdir -p "$T"/img "$T"/rt/var/{lock,spool/a,out}
	cp -a "$F/image/." "$T/img/"
	ln -s ../run/lock "$T/img/var/lock"
	ln -s /srv/deep/spool "$T/img/var/spool"
	ln -s ../../../../../x/out "$T/img/var/out"
	layer n1 image "$T/img"
	echo runtime | tee "$T"/rt/var/{lock,spool/a,out}/file
	layer n1 runtime "$T/rt"
	inside "drive '$(line $mac)'; $unpacked"'
		[[ -L $root/sysroot/var/lock && -L $root/sysroot/var/spool ]]
		is runtime run/lock/file; is runtime srv/deep/spool/a/file; is runtime x/out/file'
	[ "$status" -eq 0 ]
	[[ $output == *"runtime layer: "*"3 links or folders kept in place of an entry"* ]]
	[ ! -e /x ]
}

# overlay: a system overlay of the case's own, in $T/more, with Warewulf's runner and SCRIPT.
overlay() {
	mkdir -p "$T"/more/warewulf/{wwinit.d,run}
	cp -a "$F/system/." "$T/more/"
	cat >"$T/more/warewulf/run-wwinit.d" <<-'END'
		#!/bin/sh
		for script in "$PREFIX"/warewulf/wwinit.d/*; do
			PREFIX=$PREFIX sh "$script"
		done
	END
	echo "$1" >"$T/more/warewulf/wwinit.d/10-script.sh"
	layer n1 system "$T/more"
}

shell='mkdir -p $root/bin; ln -sfn /bin/sh $root/bin/sh'

@test "a full folder or a mount of the image stays where an overlay has a link or a file" {
	warewulfd
	mkdir -p "$T"/img/{opt/full,opt/file,srv/home}
	cp -a "$F/image/." "$T/img/"
	echo a | tee "$T"/img/opt/{full,file}/a
	ln -s srv/home "$T/img/home"
	layer n1 image "$T/img"
	overlay true
	mkdir "$T/more/opt"
	ln -s /srv/x "$T/more/opt/full"
	echo content >"$T/more/opt/file"
	echo 'tmpfs tmpfs /home' >"$T/more/warewulf/mounts"
	layer n1 system "$T/more"
	inside "$shell; drive '$(line $mac)'; $unpacked"'
		is a opt/full/a; is a opt/file/a; mounts'
	[ "$status" -eq 0 ]
	[[ $output == *"image layer: "*"1 links or folders kept in place of an entry"* ]]
	[[ $output == *"system layer: "*"4 links or folders kept in place of an entry"* ]]
	[[ $output == *"/sysroot/home "* ]]
}

# one FILE NAME...: a layer of these names of one file alone; its content is behind the last one.
one() {
	local first=$T/one/$2 name
	mkdir -p "$T/one"
	(cd "$T/one" && mkdir -p "${@:2}" && rmdir "${@:2}")
	echo content >"$first"
	for name in "${@:3}"; do
		ln "$first" "$T/one/$name"
	done
	(cd "$T/one" && printf '%s\n' "${@:2}" | cpio --quiet -o -H newc -R 0:0) | gzip >"$1"
	rm -r "$T/one"
}

@test "names of one file: on two mounts, or one kept out by a full folder" {
	warewulfd
	overlay true
	mkdir -p "$T/img/opt/full"
	cp -a "$F/image/." "$T/img/"
	echo a >"$T/img/opt/full/a"
	layer n1 image "$T/img"
	echo 'tmpfs tmpfs /home' >"$T/more/warewulf/mounts"
	layer n1 system "$T/more"
	# GNU cpio writes the second one first
	one "$WW/n1/runtime.gz" home/other opt/name opt/third
	inside "$shell; drive '$(line $mac)'; $unpacked; is content opt/name
		is content opt/third; readlink \$root/sysroot/home/other"
	[ "$status" -eq 0 ]
	[[ $output == *"
/opt/name" ]]
	# its content comes with the one that is left out
	one "$WW/n1/runtime.gz" opt/name opt/full
	inside "$shell; drive '$(line $mac)'; $unpacked; is content opt/name; is a opt/full/a"
	[ "$status" -eq 0 ]
}

@test "scripts in wwinit.d run before there is a root; what they leave is kept" {
	warewulfd
	overlay 'echo "disk of $PREFIX"; read -r x || echo "no input: $x"
		echo nothing >$PREFIX/etc/not-kept; echo done >$PREFIX/warewulf/run/.marker
		grep -q "initagent.*/overlay" /proc/self/mountinfo && echo "a place of its own"
		if ! grep -q "/sysroot" /proc/self/mountinfo; then echo "no root yet"; fi
		echo "warewulf: sfdisk not found, skipping partitioning"'
	for FLAVOUR in host musl; do
		export WEBDRIVE_DEBUG=1
		inside "$shell; drive '$(line $mac)'; $unpacked"'; is done warewulf/run/.marker
			[[ ! -e $root/sysroot/etc/not-kept ]]
			[[ -z $(ls -A "$root/run/initagent/overlay") ]]
			mounts'
		[ "$status" -eq 0 ]
		[[ $output == *"disk of $T/root/run/initagent/overlay"*"no input: "*\
"a place of its own"*"no root yet"*"mounted layers=3"* ]]
		# where the time goes
		[[ $output == *"disks: wwinit: idle -> scripts"*"disk of "*\
"disks: wwinit: scripts -> mounting"*"disks: wwinit: mounting -> done"* ]]
		[[ $output == *"IA-E692 "*"sfdisk not found"* ]]
		[[ ${output##*mounted layers} != *initagent/overlay* ]]
	done
}

@test "the image is unpacked on its way, also where scripts and mounts come first" {
	warewulfd
	overlay 'true'
	inside "$shell; drive '$(line $mac)'; $unpacked; mounts"
	[ "$status" -eq 0 ]
	[[ $output == *"gzip: unpacked while it is fetched"*"mounted layers=3"*" tmpfs tmpfs "* ]]
	echo 'tmpfs tmpfs /srv' >"$T/more/warewulf/mounts"
	layer n1 system "$T/more"
	inside "$shell; drive '$(line $mac)'; $unpacked; mounts"
	[ "$status" -eq 0 ]
	[[ $output == *"gzip: unpacked while it is fetched"*"mounted layers=3"*"/sysroot/srv "* ]]
	# the boot goes on without a runtime overlay: not unpacked before all of it is there
	head -c 2000000 /dev/urandom >"$T/more/filler"
	layer n1 runtime "$T/more"
	head -c -100 "$WW/n1/runtime.gz" >"$T/cut"
	mv "$T/cut" "$WW/n1/runtime.gz"
	inside "$shell; refuses '$(line $mac)'; nothing"
	[ "$status" -eq 0 ]
	[[ $output == *"fatal IA-E651 "*nothing ]]
	[ "$(grep -c "unpacked while" <<<"$output")" = 1 ]
}

# changing: as warewulfd, but the image is cut at 1,000,000 bytes and then another one.
changing() {
	cat >"$T/changing" <<-'END'
		import http.server, sys
		folder, new = sys.argv[1:]
		asked = 0
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        global asked
		        layer = self.path.split('/')[1]
		        asked += layer == 'image'
		        name = new if asked > 1 and layer == 'image' else f'{folder}/{layer}.gz'
		        data = open(name, 'rb').read()
		        self.send_response(200)
		        day = min(asked, 2) + 1
		        self.send_header('Last-Modified', f'Wed, 0{day} Jan 2025 00:00:00 GMT')
		        self.send_header('Content-Length', str(len(data)))
		        self.end_headers()
		        cut = asked == 1 and layer == 'image'
		        self.wfile.write(data[:1000000] if cut else data)
		http.server.HTTPServer(('127.0.0.1', 9873), Handler).serve_forever()
	END
	ip netns exec "$NS" python3 "$T/changing" "$WW/n1" "$T/new.gz" 2>/dev/null 3>&- &
	PIDS+=($!)
	ready ip netns exec "$NS" bash -c ': </dev/tcp/127.0.0.1/9873'
}

@test "an image that changes on its way below mounts ends the boot: no root of two images" {
	WW=$T/ww
	cp -a "$F/ww" "$WW"
	overlay true
	echo 'tmpfs tmpfs /opt' >"$T/more/warewulf/mounts"
	layer n1 system "$T/more"
	cp "$WW/n1/image.gz" "$T/new.gz"
	mkdir -p "$T/img"
	cp -a "$F/image/." "$T/img/"
	head -c 1000 /dev/urandom >"$T/img/etc/stale"
	layer n1 image "$T/img"
	changing
	inside "$shell; refuses '$(line $mac)'; nothing"
	[ "$status" -eq 0 ]
	[[ $output == *"fatal IA-E629 "*nothing ]]
}

@test "a root on a disk: the image is unpacked on its way there, too" {
	local loop
	truncate -s 64M "$T/disk"
	mkfs.ext4 -q "$T/disk"
	loop=$(losetup -f --show "$T/disk") || skip "no loop devices here"
	warewulfd
	inside "drive '$(line $mac | sed "s,wwinit:tmpfs,wwinit:$loop,")'; $unpacked; mounts"
	losetup -d "$loop"
	[ "$status" -eq 0 ]
	[[ $output == *"gzip: unpacked while it is fetched"*"mounted layers=3"* ]]
	[[ $output == *" - ext4 "*"$loop "* ]]
}

@test "what scripts leave in warewulf/run is copied over all layers, as it is" {
	warewulfd
	overlay 'cd $PREFIX/warewulf/run || exit; mkdir -m 710 sub; echo a >sub/a; mkfifo sub/fifo
		echo key >secret; chmod 600 secret; chown 7:8 secret; touch -d @1000000000 secret
		ln -s ../../../../../../etc/passwd link; mknod null c 1 3
		echo changed >state; head -c 100000 /dev/zero >big'
	echo original >"$T/more/warewulf/run/state"
	layer n1 system "$T/more"
	for FLAVOUR in host musl; do
		inside "$shell; drive '$(line $mac)'; $unpacked"'; cd "$root/sysroot/warewulf/run"
			is a warewulf/run/sub/a; is changed warewulf/run/state
			stat -c "%n %F %a %u:%g %s %Y" big secret
			stat -c "%n %F %a" sub sub/fifo; readlink link; ls -A'
		[ "$status" -eq 0 ]
		[[ $output == *"IA-E692 "*"not copied: /warewulf/run/null: "* ]]
		[[ $output == *"
big regular file 644 0:0 100000 "*"
secret regular file 600 7:8 4 1000000000
sub directory 710
sub/fifo fifo 644
../../../../../../etc/passwd
big
link
secret
state
sub" ]]
	done
	overlay 'cd $PREFIX/warewulf/run || exit; truncate -s 1G huge; echo b >after'
	inside "$shell; drive '$(line $mac)'; $unpacked; is b warewulf/run/after"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E692 "*"not copied: /warewulf/run/huge: "* ]]
}

@test "what a script says of a missing program is named, where there is work for it" {
	warewulfd
	overlay 'echo "warewulf: ignition not found"; echo "a: not found but fine"'
	echo null >"$T/more/warewulf/ignition.json"
	layer n1 system "$T/more"
	inside "$shell; drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output != *"IA-E692 "* ]]
	[[ $output == *"ignition not found"*"not found but fine"* ]]
	echo '{"ignition": {"version": "3.1.0"}}' >"$T/more/warewulf/ignition.json"
	layer n1 system "$T/more"
	inside "$shell; drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E692 "*"ignition not found"* ]]
	overlay 'nosuch1 --all; true'
	inside "$shell; drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E692 "*"nosuch1: "*"not found"* ]]
}

@test "scripts in wwinit.d that cannot run, or fail, are named; the node boots" {
	warewulfd
	overlay 'exit 3'
	inside "drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E692 "*"10-script.sh was not run: no /bin/sh"*"mounted "* ]]
	echo 'exit 7' >"$T/more/warewulf/run-wwinit.d"
	layer n1 system "$T/more"
	inside "$shell; drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E692 "*"ended with exit status 7"*"mounted "* ]]
	rm "$T/more/warewulf/run-wwinit.d"
	layer n1 system "$T/more"
	inside "$shell; drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E692 "*"was not run: no /warewulf/run-wwinit.d"*"mounted "* ]]
}

@test "a script that ends the process that runs it: the boot ends, nothing is left" {
	warewulfd
	# the script's parent is the runner, its parent is the process
	overlay 'kill -9 "$(cut -d" " -f4 "/proc/$PPID/stat")"'
	inside "$shell; refuses '$(line $mac)'; nothing"
	[ "$status" -eq 0 ]
	[[ $output == *"fatal IA-E693 "*"killed"*nothing ]]
}

@test "a process that a script leaves in the background is not waited for" {
	warewulfd
	overlay 'sleep 30 & echo started'
	DEADLINE=15000 inside "$shell; drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output == *"started"*"mounted layers=3"* ]]
}

@test "a script that says more than is shown: the boot goes on" {
	warewulfd
	overlay 'seq 3000; echo after'
	inside "$shell; drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output == *"2000 lines of output; the rest is not shown"*"mounted layers=3"* ]]
	[[ $output != *after* ]]
}

@test "a script that talks without end: the boot ends" {
	warewulfd
	overlay 'yes'
	inside "$shell; refuses '$(line $mac)'; nothing"
	[ "$status" -eq 0 ]
	[[ $output == *"fatal IA-E693 "*"too much output"*nothing ]]
}

@test "warewulf/mounts: in the order of their paths, below the root; what fails is named" {
	warewulfd
	overlay ''
	rm "$T/more/warewulf/wwinit.d/10-script.sh"
	ln -s ../../../../.. "$T/more/up"
	printf '\ntmpfs tmpfs /srv/dev/deep\n%s\ntmpfs tmpfs /etc/../../x\n%s\n' \
		'tmpfs tmpfs /srv' '/dev/nosuch1 ext4 /home' >"$T/more/warewulf/mounts"
	layer n1 system "$T/more"
	DEADLINE=40000 inside "drive '$(line $mac)'; $unpacked; mounts; ls -A \$root/sysroot"
	[ "$status" -eq 0 ]
	[[ $output == *"IA-E692 "*"line that is not DEVICE TYPE PATH"* ]]
	[[ $output == *"IA-E692 "*"/dev/nosuch1 at /home: no such disk"* ]]
	[[ $output == *"/sysroot "*" tmpfs tmpfs "*"/sysroot/srv "*" - tmpfs tmpfs"*\
"/sysroot/srv/dev/deep "*" - tmpfs tmpfs"* ]]
}

@test "a root on a disk that is not there" {
	warewulfd
	DEADLINE=50000 refused 678 "$(line $mac | sed s,wwinit:tmpfs,wwinit:/dev/disk/by-label/no,)"
	[[ $output == *"/dev/disk/by-label/no: no such disk or partition"* ]]
}

@test "wwinit.tmpfs.size; an agent that starts again adopts the root" {
	warewulfd
	inside "drive '$(line $mac wwinit.tmpfs.size=20M)'
		grep '/sysroot ' /proc/self/mountinfo
		drive '$(line $mac)'"
	[ "$status" -eq 0 ]
	[[ $output == *"size=20480k"*"adopted layers=3 runtime=1 init=/warewulf/run-init"* ]]
	refused 657 "$(line $mac wwinit.tmpfs.size=1M)"
	[[ $output == *"its file system is full, after "* ]]
}
