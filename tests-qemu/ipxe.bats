#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rendered iPXE scripts in a real iPXE (Debian's of 2019) under SeaBIOS. There is no operating
# system: the "kernel" (ipxe/echo.S) writes to the console what iPXE gave it, and resets. QEMU's own
# network serves DHCP, the rendered nginx configuration the rest.
bats_require_minimum_version 1.5.0

MAC=52:54:00:00:00:01
UNKNOWN=52:54:00:00:00:99

setup_file() {
	[[ $EUID -eq 0 ]] || skip "network namespaces need root"
}

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	SITE=$(realpath "${BUILD:-build}")/initagent-site
	VMCTL=$(realpath "${BUILD:-build}")/lab/bin/vmctl
	T=$BATS_TEST_TMPDIR
	NS=ipxe$$x$BATS_TEST_NUMBER
	PIDS=()
	ip netns add "$NS"
	ip -n "$NS" link set lo up
	cp "$(realpath "${BUILD:-build}")/ipxe/echo" "$T/kernel"
	head -c 1234 /dev/zero >"$T/initrd"
	: >"$T/console"
}

teardown() {
	local pid

	for pid in "${PIDS[@]}" $(cat "$T"/nginx*/nginx.pid 2>/dev/null); do
		kill "$pid" 2>/dev/null || :
	done
	ip netns del "$NS"
}

# site [SED]: a site with two servers, of which the test runs none, one or both; rendered, with a
# change by sed.
site() {
	cat >"$T/site.yaml" <<-END
		site: test
		tree: $T/tree
		servers:
		  web1: {address: 10.0.2.2, port: 8001}
		  web2: {address: 10.0.2.2, port: 8002}
		networks: {lan: {fabric: roce, subnet: 10.0.2.0/24, router: 10.0.2.2}}
		boot: {tries: 2, wait: 1, reboot-after: 1, script-timeout: 5, timeout: 20,
		  link-wait: 10, menu-wait-ms: 100, unknown: guest}
		images:
		  good: {kernel: kernel, initrd: [initrd, initrd]}
		  other: {kernel: kernel, initrd: initrd}
		defaults: {image: good, root: "nfs:{web1}:/export:vers=4.2,proto=rdma"}
		groups: {guest: {options: as.guest=1}, hpc: {image: other, options: as.hpc=1}}
		nodes:
		  n1: {mac: $MAC, address: 10.0.2.15,
		    options: 'console=ttyS0,115200 init_arg="a  b"'}
	END
	sed -i "${1:-}" "$T/site.yaml"
	"$SITE" -f "$T/site.yaml" render "$T/tree"
}

# web PORT: serves the tree on one of the two servers' ports.
web() {
	mkdir -p "$T/nginx$1"
	sed "/listen/d; s,server_name,listen $1; server_name," "$T/tree/nginx/site.conf" \
		>"$T/nginx$1/site.conf"
	cp "$T/tree/nginx/nginx.conf" "$T/nginx$1/"
	ip netns exec "$NS" nginx -p "$T/nginx$1" -c "$T/nginx$1/nginx.conf" -g "user root;" 3>&- \
		>"$T/nginx$1/log" 2>&1
}

# boot MAC [QEMU-ARGUMENT]...: powers the machine on, in the background; its console is a file, its
# keyboard a pipe.
boot() {
	local mac=$1 nic=()

	shift
	[[ -z ${CABLE-yes} ]] || nic=(-netdev \
		"user,id=n,bootfile=http://10.0.2.2:${FIRST:-8001}/boot.ipxe" \
		-device "virtio-net-pci,netdev=n,mac=$mac")
	mkfifo "$T/keys"
	exec 7<>"$T/keys"
	ip netns exec "$NS" timeout -k 5 120 qemu-system-x86_64 -nodefaults -machine graphics=off \
		-display none -serial stdio -m 128 \
		-no-reboot -boot n "${nic[@]}" "$@" <&7 >"$T/console" 2>&1 3>&- &
	QEMU=$!
	PIDS+=("$QEMU")
}

# ends: waits until the machine resets, and shows its console as people see it.
ends() {
	wait $QEMU
	tr -d '\r' <"$T/console" | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' >"$T/text"
	sed -n '/\[1 entry\]/,$p' "$T/text"
}

# appears REGEX: waits for it on the console, also in a line without end; the machine's own time
# limit ends a wait in vain.
appears() {
	"$VMCTL" see 150 "$T/console" "$1" "$QEMU" >/dev/null || { cat "$T/console"; return 1; }
}

said() {
	grep -qF -- "$1" "$T/text" || { echo "was not said: $1"; return 1; }
}

@test "a known node: its own command line, byte by byte, and both parts of its initrd" {
	site
	web 8001
	boot $MAC
	ends
	said "initagent [3 identity] 525400000001 has 10.0.2.15"
	said "initagent [4 script] http://10.0.2.2:8001/node/525400000001.ipxe"
	said "initagent [5 image] n1: good from http://10.0.2.2:8001"
	said 'echo: line initrd=initrd0 initrd=initrd1 '\
'root=nfs:10.0.2.2:/export:vers=4.2,proto=rdma '\
'console=ttyS0,115200 init_arg="a b" hostname=n1 BOOTIF=01-52-54-00-00-00-01'
	# 1234 bytes after a page with 1234 more
	said "echo: initrd 000014D2"
	# what was handed over is what explain says
	line=$(sed -n 's/^echo: line //p' "$T/text")
	"$SITE" -f "$T/site.yaml" explain n1 | tr -s ' ' | grep -qF " $line"
}

@test "an unknown node after a dead server, from a web server that knows no try_files" {
	site
	web 8002
	sed -i '/try_files/d' "$T/nginx8002/site.conf"
	ip netns exec "$NS" nginx -p "$T/nginx8002" -c "$T/nginx8002/nginx.conf" -g "user root;" \
		-s reload 2>/dev/null
	FIRST=8002 boot $UNKNOWN
	ends
	said "initagent [4 script] http://10.0.2.2:8001 does not answer"
	said "initagent [4 script] 525400000099 IS NOT IN THE SITE FILE"
	said "initagent [5 image] guest: good from http://10.0.2.2:8002"
	said "as.guest=1 BOOTIF=01-52-54-00-00-00-99"
}

@test "no image, no server, no group: bounded rounds, the reason, and a reboot" {
	site 's/ unknown: guest//'
	web 8001
	rm "$T/tree/http/images/good/initrd1"
	boot $MAC
	ends
	said "initagent [5 image] n1: NO IMAGE good from http://10.0.2.2:8001"
	said "initagent [4 script] http://10.0.2.2:8002 does not answer"
	said "initagent [4 script] round 2 of 2 without success"
	said "initagent [9 give up] servers answer, but none of them booted this node"
	said "initagent [9 give up] reboot"
	rm "$T/keys"
	boot $UNKNOWN
	ends
	said "initagent [9 give up] 525400000099 is not in the site file"
}

@test "signed images: this iPXE cannot verify, which is said; a required signature stops the boot" {
	echo signature | tee "$T/kernel.sig" >"$T/initrd.sig"
	site 's/other: {/other: {signed: require, /; s/good: {/good: {signed: try, /'
	web 8001
	boot $MAC
	ends
	said "initagent [6 verify] this iPXE cannot verify signatures; continuing without"
	said "echo: line initrd=initrd0"
	sed -i 's/address: 10.0.2.15,/&image: other,/' "$T/site.yaml"
	"$SITE" -f "$T/site.yaml" render "$T/tree"
	rm "$T/keys"
	boot $MAC
	ends
	said "initagent [6 verify] REFUSED: this iPXE cannot verify signatures"
	run -1 grep -q "echo: line" "$T/text"
	said "initagent [9 give up] reboot"
}

# can_verify: gives the rendered scripts an iPXE that can verify, as far as scripts see: the
# commands of a build with IMAGE_TRUST_CMD, which Debian does not package. A signature is a script
# here, whose end is the verdict.
can_verify() {
	sed -i 's/^imgtrust --allow /isset ${server} /
		s/^imgverify [a-z0-9]* /chain --autofree /' "$T"/tree/http/node/*.ipxe
	grep -q '^chain --autofree ${server}/images/good/initrd1.sig || goto bad' \
		"$T"/tree/http/node/*.ipxe
}

@test "signed images, if iPXE can verify: each part is; a wrong signature: the next server" {
	printf '#!ipxe\necho verified ${cwuri}\nexit 0\n' | tee "$T/kernel.sig" >"$T/initrd.sig"
	site 's/good: {/good: {signed: require, /'
	can_verify
	web 8001
	boot $MAC
	ends
	said "initagent [6 verify] good"
	[ "$(grep -c '^verified ' "$T/text")" -eq 3 ]
	# SeaBIOS keeps the last letter of what goes to the serial port until its next tick: the
	# kernel may be faster.
	said "initagent [7 kernel] n1: starting goo"
	said "echo: line initrd=initrd0 initrd=initrd1"
	said "echo: initrd 000014D2"
	# the second part's is another's
	printf '#!ipxe\nexit 1\n' >"$T/wrong"
	cp "$T/wrong" "$T/tree/http/images/good/initrd1.sig"
	web 8002
	rm "$T/keys"
	boot $MAC
	ends
	said "initagent [6 verify] WRONG SIGNATURE of good from http://10.0.2.2:8001"
	said "initagent [6 verify] WRONG SIGNATURE of good from http://10.0.2.2:8002"
	run -1 grep -q "echo: line" "$T/text"
	said "initagent [9 give up] servers answer, but none of them booted this node"
	said "initagent [9 give up] reboot"
}

@test "a key opens the menu: boot as one of a group" {
	site 's/menu-wait-ms: 100/menu-wait-ms: 20000/'
	web 8001
	boot $MAC
	appears "key m: menu"
	printf m >&7
	appears "Boot as one of group hpc"
	# two lines down
	printf '\e[B\e[B\r' >&7
	ends
	said "initagent [5 image] hpc: other from http://10.0.2.2:8001"
	said "echo: line initrd=initrd root=nfs:10.0.2.2:/export:vers=4.2,proto=rdma as.hpc=1 \
BOOTIF=01-52-54-00-00-00-01"
}

@test "the entry script without a lease asks for one; without a network it gives up in time" {
	site
	web 8001
	# iPXE as a kernel, the script as its initrd; the card's own ROM stays out of it
	boot $MAC -kernel /boot/ipxe.lkrn -initrd "$T/tree/http/boot.ipxe"
	ends
	said "initagent [2 network] waiting for a link"
	said "initagent [3 identity] 525400000001 has 10.0.2.15"
	said "hostname=n1"
	rm "$T/keys"
	CABLE='' boot $MAC -kernel /boot/ipxe.lkrn -initrd "$T/tree/http/boot.ipxe"
	ends
	said "initagent [2 network] no lease, go 1 of 1"
	said "initagent [9 give up] no link or no lease"
}

@test "an InfiniBand port is known by its GUID" {
	site "s/roce/infiniband/; s/mac: $MAC/guid: b8cef60300313333/"
	web 8001
	# QEMU has no such port: the script gets its addresses as iPXE shows them there
	sed -i 's/^set path:string default/set lemac:hex b8:ce:f6:31:33:33\n&/
		s/^set lemac/set guid:hex b8:ce:f6:03:00:31:33:33\n&/
		s,netX/hwaddr,guid,g; s,netX/mac,lemac,g' "$T/tree/http/boot.ipxe"
	boot $MAC
	ends
	said "initagent [4 script] http://10.0.2.2:8001/node/b8cef60300313333.ipxe"
	said "hostname=n1 rd.ib.client-id=flexboot BOOTIF=20-b8-ce-f6-03-00-31-33-33"
	# the same from a group's script, which takes the port from the entry script
	rm "$T/keys" "$T/tree/http/node/b8cef60300313333.ipxe"
	boot $MAC
	ends
	said "as.guest=1 BOOTIF=20-b8-ce-f6-03-00-31-33-33"
	# FlexBoot before 3.5.403 has no hwaddr: six octets of the GUID lead to the node's script
	rm "$T/keys"
	"$SITE" -f "$T/site.yaml" render "$T/tree"
	sed -i 's/^set path:string default/set lemac:hex b8:ce:f6:31:33:33\n&/
		s,netX/hwaddr,netX/nosuch,g; s,netX/mac,lemac,g' "$T/tree/http/boot.ipxe"
	boot $MAC
	ends
	said "initagent [4 script] http://10.0.2.2:8001/node/b8cef6313333.ipxe"
	said "hostname=n1 rd.ib.client-id=flexboot"
}
