#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# initagent-site: what it finds wrong in a site file, what it renders, diff and explain. The servers
# that read what is rendered are in site-dhcp.bats, iPXE in tests-qemu/ipxe.bats.
bats_require_minimum_version 1.5.0

load lib/ready

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	SITE=$(realpath "${BUILD:-build}")/initagent-site
	T=$BATS_TEST_TMPDIR
}

teardown() {
	[[ ! -s $T/nginx/nginx.pid ]] || kill "$(<"$T/nginx/nginx.pid")"
	[[ -z ${NS:-} ]] || ip netns del "$NS"
}

# example: the example of the documentation in $T/site.yaml, with files for its images.
example() {
	mkdir -p "$T/images"
	cp ipxe-scripts/site.example.yaml "$T/site.yaml"
	echo kernel >"$T/images/vmlinuz"
	echo initrd >"$T/images/node.img"
}

# site ARGUMENT...: the tool on $T/site.yaml.
site() {
	"$SITE" -f "$T/site.yaml" "$@"
}

# big N: a site with N nodes, no two command lines alike.
big() {
	example
	sed '/^nodes:/q; s,subnet: .*,subnet: 10.20.0.0/16,; /pool:/d' \
		ipxe-scripts/site.example.yaml >"$T/site.yaml"
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
		printf "  node%05d: {guid: 0xb8cef603%08x, address: 10.20.%d.%d, " \
			"groups: [compute], options: [systemd.machine_id=%032x]}\n",
			i, i * 5 + 1, 16 + int(i / 250), 1 + i % 250, i * 7919 + 1 }' \
				>>"$T/site.yaml"
}

@test "the example is good" {
	example
	run -0 site --strict check
	[[ $output == *"good: nodes 6, groups 2, images 1, networks 1, servers 3" ]]
}

@test "check: every fault in one run, with line and remedy" {
	cd tests/fixtures/site
	run -1 "$SITE" -f broken.yaml check
	diff broken.txt <(printf '%s\n' "$output")
}

@test "check: text that is no site file at all" {
	printf 'a: [1\nb: 2\n' >"$T/site.yaml"
	run -1 site check
	[[ ${lines[0]} == *"site.yaml:2: error: not YAML: "* ]]
	printf 'a: &x 1\nb: *x\n' >"$T/site.yaml"
	run -1 site check
	[[ $output == *":1: error: anchors, aliases and tags are not supported"* ]]
	printf '\xff\xfe\xff' >"$T/site.yaml"
	run -1 site check
	[[ $output == *"error: not"* ]]
	printf 'site: s\nservers: {}\nnetworks: {}\nimages: {}\nnodes: {}\n' >"$T/site.yaml"
	run -1 site check
	[[ $output == *"error: the file names no server"* ]]
	: >"$T/site.yaml"
	run -1 site check
	[[ $output == *"error: the file is empty"* ]]
	head -c 34000000 /dev/zero | tr '\0' ' ' >"$T/site.yaml"
	run -1 site check
	[[ $output == *"error: the file is larger than 32 MiB"* ]]
	run -3 "$SITE" -f "$T/absent.yaml" check
	for i in {1..40}; do printf '['; done >"$T/site.yaml"
	run -1 site check
	[[ $output == *"nested too deeply"* ]]
}

@test "check: warnings fail only with --strict" {
	example
	sed -i 's/rd.retry=300/rd.retry=300s/' "$T/site.yaml"
	run -0 site check
	[[ $output == *": warning: rd.retry: read as 300"* ]]
	run -1 site --strict check
}

@test "check: one slip is one fault, not one for each of its nodes" {
	example
	sed -i 's/fabric: infiniband/fabric: infinband/; s/image: stable/image: stabel/' \
		"$T/site.yaml"
	run -1 site check
	[[ $output == *"error: fabric: infinband is not known here
    did you mean infiniband?"* ]]
	[[ $output == *"error: there is no image stabel
    did you mean stable?"* ]]
	[[ $output == *$'\n2 errors, 1 note' ]]
	example
	sed -i '/groups: .*compute/s/compute/comput/' "$T/site.yaml"
	run -1 site check
	[[ $output == *"there is no group comput"* && $output != *"has no image"* &&
		$output != *"has no root"* ]]
}

# slip SED TEXT: after that change of the example there is one error, which is that.
slip() {
	example
	sed -i "$1" "$T/site.yaml"
	run -1 site check
	[[ $(grep ': error: ' <<<"$output") == *": error: $2" ]] || {
		echo "$output"
		return 1
	}
	[[ ${lines[-1]} =~ ^1\ error(,\ 1\ note)?$ ]]
}

@test "check: a misspelled key, a value that is refused: no node lacks it as well" {
	slip 's/^  image: stable/  imgae: stable/' "defaults has no key imgae"
	slip 's/^    subnet:/    subent:/' "network ib has no key subent"
	slip 's/^    kernel:/    kernle:/' "image stable has no key kernle"
	slip '/^    groups:/{s/groups/grouqs/; :a; n; ba}' "node node[001-004] has no key grouqs"
	slip 's/{guid: 0xb8cef60300313300/{gudi: 0xb8cef60300313300/' "node login1 has no key gudi"
	slip 's/^nodes:/nodse:/' "the site file has no key nodse"
	slip 's/^  boot1: {address/  boot1: {addrexs/' "server boot1 has no key addrexs"
	slip '/pool:/d; s/address: 10.20.0.11/addrexs: 10.20.0.11/' \
		"node node[001-004] has no key addrexs"
	slip 's/^    guids: .*/    guids: [0xb8cef60300313310]/' "guids: 1 for a range of 4 nodes"
	slip 's/{guid: 0xb8cef60300313300/{guids: [0xb8cef60300313300]/' \
		"guids: a list of them is for a range of nodes, NAME[001-040]"
	slip 's/^  image: stable/  image: {stable: 1}/' "image: expected a text, found a map"
	slip 's/^    root: .*compute.*/    root: {nfs1}/' "root: expected a text, found a map"
	slip 's/^    kernel: .*/    kernel: a b/' "kernel: a b is not valid here"
	slip '/pool:/d; s/0.11$/0.256/' "address: 10.20.0.256 is not an IPv4 address"
	slip 's/{guid: 0xb8cef60300313300/{guid: 0xb8/' "guid: 0xb8 is not a port GUID"
	slip 's,^    subnet: .*,    subnet: 10.20.0.0,' "subnet: 10.20.0.0 is not an IPv4 subnet"
	slip 's/^  login1: .*/  login1: [a]/' "login1: expected a map, found a list"
	slip '/unknown:/d; s/^    kernel:/    uki:/; /^    initrd:/d' \
		"image stable has no kernel, which the nodes that boot it need"
	slip 's/nfs1: .*/nfs1: {address: "fd00::5"}/' "address: fd00::5 is not an IPv4 address"
	slip 's/nfs1: .*/nfs1: {address: nfs1.example}/; s/\[rd.shell\]/"ip={nfs1}::::::dhcp"/' \
		"address: nfs1.example is not an IPv4 address"
	slip 's/login1: .*/login1:/' "login1: expected a map, found nothing"
	slip 's/login1:/NODE001:/' "name node001 of node001 belongs to NODE001, see line 49"
	# what really lacks something is still named, beside the slip
	example
	sed -i '/^  image: stable/d; s/^    subnet:/    subent:/' "$T/site.yaml"
	run -1 site check
	[[ $output == *"no key subent"* && $output == *"login1 has no image"* ]]
}

# exec.c, command_terminator(): iPXE knows no quotes, and takes a lone ";" as well.
@test "check: what iPXE takes for its own syntax, also between a word's quotes" {
	slip 's/\[rd.shell\]/["quiet || reboot"]/' 'iPXE takes || for its own syntax'
	slip 's/\[rd.shell\]/["ds=nocloud; quiet ; x=1"]/' 'iPXE takes ; for its own syntax'
	slip "s/\\[rd.shell\\]/['a=\"b || c\"']/" 'iPXE takes || for its own syntax'
	slip "s/\\[rd.shell\\]/['a=\"b \\&\\& c\"']/" 'iPXE takes && for its own syntax'
	slip "s/\\[rd.shell\\]/['a=\"b #c\"']/" 'iPXE takes #c" for its own syntax'
	example
	sed -i "s/\[rd.shell\]/['a=\"b ||c; d#\"', x=;]/" "$T/site.yaml"
	run -0 site check
}

@test "check: a pool holds no fixed address, and fixed addresses are those of hosts" {
	local ib="of network ib" bad

	slip 's/pool: .*/pool: 10.20.0.3-10.20.0.9/' \
		"server nfs1: address 10.20.0.5 is in the pool $ib"
	[[ $output == *"site.yaml:14: error:"*"
    an address outside of the pool, or a smaller pool in line 20"* ]]
	slip '/^    pool:/a\    router: 10.20.3.7' "router 10.20.3.7 is in the pool $ib"
	slip 's/dns: .*/dns: [10.20.0.1, 10.20.3.7]/' "DNS server 10.20.3.7 is in the pool $ib"
	# with two owners it is one fault
	slip '/^    pool:/a\    router: 10.20.0.2
		s/pool: .*/pool: 10.20.0.2-10.20.0.4/; s/dns: .*/dns: 10.20.0.2/' \
		"server boot2: address 10.20.0.2 is in the pool $ib"
	slip 's/pool: .*/pool: 10.20.3.1-10.20.3.255/' \
		"the pool's last address 10.20.3.255 is the broadcast address $ib"
	[[ $output == *"site.yaml:20: error:"*"
    an address from 10.20.0.1 to 10.20.3.254"* ]]
	slip '/^    pool:/a\    router: 10.20.0.0' "router 10.20.0.0 is the subnet number $ib"
	slip 's/dns: .*/dns: 10.20.3.255/' "DNS server 10.20.3.255 is the broadcast address $ib"
	slip 's/nfs1: .*/nfs1: {address: 10.20.0.0}/' \
		"server nfs1: address 10.20.0.0 is the subnet number $ib"
	slip '/pool:/d; s/10.20.0.10,/10.20.0.0,/' \
		"address 10.20.0.0 of login1 belongs to the subnet itself, see line 19"
	slip '/pool:/d; s/10.20.0.10,/10.20.3.255,/' \
		"address 10.20.3.255 of login1 belongs to broadcast, see line 19"
	for bad in 0.0.0.0 127.0.0.53 224.0.0.1 255.255.255.255; do
		slip "s/dns: .*/dns: $bad/" "dns: no host can have the address $bad"
		slip "/^    pool:/a\    router: $bad" "router: no host can have the address $bad"
		slip "s/boot2: .*/boot2: {address: $bad}/" \
			"address: no host can have the address $bad"
		slip "s/10.20.0.10,/$bad,/" "address: no host can have the address $bad"
	done
	# all of it at once
	example
	sed -i 's/pool: .*/pool: 10.20.0.0-10.20.3.255/; /^    pool:/a\    router: 10.20.0.1' \
		"$T/site.yaml"
	run -1 site check
	for bad in "server boot1: address 10.20.0.1 is in the pool" "boot2: address 10.20.0.2 is" \
		"first address 10.20.0.0 is the subnet number" "last address 10.20.3.255 is"; do
		[[ $output == *"$bad"* ]]
	done
	# the smallest subnet has room for a router and a server
	example
	sed -i 's,^networks:.*,&\n  p2p: {fabric: ethernet\, \
    subnet: 10.30.0.0/30\, router: 10.30.0.1},
		s/nfs1: .*/nfs1: {address: 10.30.0.2}/; /^    pool:/a\    router: 10.20.0.1' \
		"$T/site.yaml"
	run -0 site check
}

@test "check: a TAB is named" {
	local change

	for change in 's/^  boot1:/\tboot1:/' 's/^    fabric:/  \tfabric:/' \
		's/^      - {guid: 0xb8cef60300313338/      -\t{guid: 0xb8cef60300313338/'; do
		slip "$change" "the line is indented with a TAB"
	done
	run -1 grep -F "cannot start any token" <<<"$output"
	example
	sed -i 's/^    dns: /    dns:\t/' "$T/site.yaml"
	run -0 site check
}

@test "check: a no-break space, which looks like any other, is named" {
	local change

	for change in 's/^  boot1:/ \xc2\xa0boot1:/' 's/^    dns: /    dns:\xc2\xa0/' \
		's/^      - {guid: 0xb8cef60300313338/      -\xc2\xa0{guid: 0xb8cef60300313338/'; do
		slip "$change" "the line has a no-break space (U+00A0)"
	done
}

@test "check: what is not there names the option for it" {
	example
	rm -r "$T/images"
	run -1 site check
	[ "$(grep -c "; with -n, check and explain skip this check$" <<<"$output")" -eq 2 ]
	run -0 site -n check
	cd "$T/"
	mkdir empty
	cd empty
	run -3 "$SITE" check
	[[ $output == *"site.yaml: No such file or directory"*"-f names the site file"* ]]
	run -3 "$SITE" -f other.yaml check
	[[ $output != *"-f names"* ]]
}

@test "{digest:NAME} is the SHA-256 of a published file, of each new one again" {
	local hex
	example
	printf 'files: {node.erofs: images/node.erofs}\n' >>"$T/site.yaml"
	sed -i '/^    root: .*compute/c\
    root: "live:http://{boot1}/files/node.erofs"\
    options: "rd.root.digest={digest:node.erofs}"' "$T/site.yaml"
	for hex in one two; do
		echo "$hex" >"$T/images/node.erofs"
		hex=$(sha256sum <"$T/images/node.erofs")
		site render "$T/out"
		grep -qF " rd.root.digest=sha256:${hex%% *} " \
			"$T"/out/http/node/b8cef60300313318.ipxe
		cmp "$T/out/http/files/node.erofs" "$T/images/node.erofs"
	done
	run -0 site -n explain node001
	[[ $output == *" rd.root.digest=sha256:0000000000"* ]]
	# a file that is not there, and a name that is none
	mv "$T/images/node.erofs" "$T/images/other"
	run -1 site check
	[[ $output == *"images/node.erofs: No such file or directory"* ]]
	sed -i 's,digest:node,digest:nodes,' "$T/site.yaml"
	run -1 site check
	[[ $output == *"there is no file nodes.erofs"*"did you mean node.erofs?"* ]]
	# one that cannot be waited for, and a path that is none
	sed -i 's,digest:nodes,digest:node,' "$T/site.yaml"
	mkfifo "$T/images/node.erofs"
	run -1 site check
	[[ $output == *"images/node.erofs: Invalid argument"* ]]
	sed -i 's,images/node.erofs,"images/my node.erofs",' "$T/site.yaml"
	run -1 site check
	[[ $output == *"my node.erofs"* ]]
}

@test "{NAME} in a URL has the server's port, unless the URL has one; elsewhere it is the address" {
	local options="rd.root.mirror=http://{boot1}:81/b rd.report=syslog://{boot1}"
	options+=" rd.root.mirror=http://{boot2}/c"
	example
	sed -i -e 's,^  boot1: .*,  boot1: {address: 10.20.0.1\, port: 8089},' \
		-e 's,^    root: .*compute.*,    root: "live:http://{boot1}/files/a.squashfs",' \
		-e "s,^  options: .*,  options: \"$options\"," \
		"$T/site.yaml"
	site render "$T/out"
	grep -qF 'root=live:http://10.20.0.1:8089/files/a.squashfs ' \
		"$T"/out/http/node/b8cef60300313318.ipxe
	grep -qF ' rd.root.mirror=http://10.20.0.1:81/b rd.report=syslog://10.20.0.1 '\
'rd.root.mirror=http://10.20.0.2/c ' \
		"$T"/out/http/node/b8cef60300313318.ipxe
}

# import PROVISIONER LIST [SED]...: what is imported is the file of the fixtures, and what is left
# out is said. Every placeholder is refused by its line; filled in by SED the file is good.
import() {
	local name=tests/fixtures/site/import/$1 line places

	"$SITE" import "$1" "$2" >"$T/site.yaml" 2>"$T/report"
	diff "$name.site.yaml" "$T/site.yaml"
	diff "$name.txt" <(sed "s,^$2:,${2##*/}:," "$T/report")
	run -1 site -n check
	mapfile -t places < <(grep -nE '^[^#]*<[A-Z]+>' "$T/site.yaml")
	[[ ${#places[@]} -ge 6 ]]
	for line in "${places[@]%%:*}"; do
		[[ $output == *"site.yaml:$line: error: "* ]] || { echo "$line passes"; false; }
	done
	sed -i "${@:3}" "$T/site.yaml"
	run -1 grep -E '^[^#]*<[A-Z]+>' "$T/site.yaml"
	run -0 site -n check
}

@test "import warewulf: networks, images, groups, nodes; filled in, Warewulf's command line" {
	import warewulf tests/fixtures/site/import/warewulf.yaml -e 's/<ADDRESS>/10.0.4.1/' \
		-e 's/<KERNEL>/vmlinuz/; s/<INITRD>/node.img/' \
		-e 's/{guid: <GUID>/{guid: 0xb8cef60300313312/'
	run -0 site -n explain n2
	grep -qF ' root=wwinit:LABEL=root wwinit.server=http://10.0.4.1:9873 '\
'init=/warewulf/run-init quiet crashkernel=no nvidia.NVreg_OpenRmEnableUnsupportedGpus=1 '\
'wwid=b8:ce:f6:31:33:12 hostname=n2 rd.ib.client-id=flexboot '\
'BOOTIF=20-b8-ce-f6-03-00-31-33-12' <<<"$output"
	[[ $output == *"unpacks Warewulf's image and overlays from http://10.0.4.1:9873"* ]]
	run -0 site -n explain io1
	# what YAML, JSON and the kernel have quotes for
	grep -qF ' note="a: b, c" dyndbg="file drivers/infiniband/* +p" path="a\b" '\
'cmp=a<b&c>d wwid=80:00:02:08:fe:80:00:00:00:00:00:00:b8:ce:f6:03:00:31:33:21 ' <<<"$output"
}

@test "import warewulf: JSON gives the same as YAML, from standard input as well" {
	local fixtures=tests/fixtures/site/import

	"$SITE" import warewulf "$fixtures/warewulf.json" 2>/dev/null |
		diff "$fixtures/warewulf.site.yaml" -
	"$SITE" import warewulf <"$fixtures/warewulf.json" 2>"$T/report" |
		diff "$fixtures/warewulf.site.yaml" -
	grep -q '^-:8: note: key ipxe template is left out' "$T/report"
	"$SITE" import xcat - <"$fixtures/xcat.stanza" 2>/dev/null |
		diff "$fixtures/xcat.site.yaml" -
}

# 4.5's profiles are not merged into its list, and its server knows neither /image/ nor stage=image.
@test "import warewulf: a list of 4.5 is taken as far as it goes, with a warning" {
	cat >"$T/list" <<-'EOF'
	n1:
	  container name: rocky-8
	  kernel:
	    override: 4.18.0-553.el8
	    args: quiet crashkernel=no
	  network devices:
	    default:
	      hwaddr: 52:54:00:00:00:11
	      ipaddr: 10.0.2.11
	      netmask: 255.255.252.0
	n2:
	  container name: rocky-8
	EOF
	"$SITE" import warewulf "$T/list" >"$T/site.yaml" 2>"$T/report"
	[ "$(grep -c ': warning: ' "$T/report")" = 1 ]
	grep -A1 ':2: warning: .*Warewulf 4.5 or before' "$T/report" | grep -q 'wwctl upgrade'
	run -1 grep -E 'container name|override' "$T/report"
	grep -A1 '  rocky-8:' "$T/site.yaml" | grep -q '# 4.18.0-553.el8'
	grep -q '  n1: {mac: 52:54:00:00:00:11, address: 10.0.2.11, options: \[quiet, ' \
		"$T/site.yaml"
}

@test "import xcat: networks, images, groups, nodes; filled in, xCAT's command line" {
	import xcat tests/fixtures/site/import/xcat.stanza -e 's/<KERNEL>/vmlinuz/' \
		-e 's/<INITRD>/node.img/; s/<ROOTIMG>/rootimg.cpio.gz/' \
		-e '/cn2/s/<ADDRESS>/10.1.0.13/; /gpu1/s/<ADDRESS>/10.1.0.21/'
	run -0 site -n explain cn2
	grep -qF ' root=live:http://10.1.0.1/install/netboot/rhels9/x86_64/compute/'\
'rootimg.cpio.gz XCATHTTPPORT=80 XCAT=10.1.0.1:3001 rd.report=xcat://10.1.0.1 '\
'console=tty0 console=ttyS0,115200 '\
'crashkernel=256M NODE=cn2 hostname=cn2 BOOTIF=01-ca-68-d3-ae-db-12' <<<"$output"
	run -0 site -n explain ca:68:d3:ae:db:13
	[[ $output == "cn2: "*"address 10.1.0.13"* ]]
}

# xCAT's scripts in the root take "XCAT=A XCAT=B" for a server and a port.
@test "import xcat: each node has one master, its own or the site's" {
	printf '%s:\n objtype=node\n ip=10.1.0.%d\n mac=ca:68:d3:ae:db:%d\n%b' \
		n 11 11 '' m 12 12 ' xcatmaster=10.1.0.2\n' >"$T/list"
	cat >>"$T/list" <<-'EOF'
	clustersite:
	 objtype=site
	 master=10.1.0.1
	 httpport=8080
	net:
	 objtype=network
	 net=10.1.0.0
	 mask=255.255.255.0
	EOF
	"$SITE" import xcat "$T/list" | sed -e 's/<KERNEL>/vmlinuz/; s/<INITRD>/node.img/' \
		-e 's/<ROOTIMG>/rootimg.sfs/' >"$T/site.yaml"
	: >"$T/vmlinuz" && : >"$T/node.img"
	for node in n:10.1.0.1 m:10.1.0.2; do
		run -0 site -n explain "${node%:*}"
		line=$(grep ' root=' <<<"$output") at=${node#*:}
		[[ $line == *" root=live:http://$at:8080/rootimg.sfs XCATHTTPPORT=8080 "* ]]
		[[ $(grep -o 'XCAT=[^ ]*' <<<"$line") == "XCAT=$at:3001" ]]
		[[ $(grep -o 'rd.report=[^ ]*' <<<"$line") == "rd.report=xcat://$at" ]]
	done
}

# refused PROVISIONER TEXT MESSAGE: nothing is written.
refused() {
	printf %b "$2" >"$T/list"
	run -1 sh -c '"$@" 2>"$0"' "$T/report" "$SITE" import "$1" "$T/list"
	[[ -z $output ]]
	grep -F -- "$3" "$T/report" || { cat "$T/report"; false; }
}

@test "import: a broken list is an error with its line, and nothing is written" {
	refused warewulf '' "error: the file is empty"
	refused warewulf '{}' "error: there is no node in it"
	refused warewulf 'n1:\n  a: [\n' "list:3: error: not YAML: "
	refused warewulf '{"n1": {"profiles": ["a",, ]}}' "list:1: error: not YAML: "
	refused warewulf '[n1]' ":1: error: column 1: expected a map, found a list"
	refused warewulf 'n1: {}\nn2: 3\n' ":2: error: column 5: expected a map, found a text"
	refused warewulf 'n1: {network devices: {a: {hwaddr: [1]}}}' "expected a text, found a list"
	refused warewulf 'n1: {kernel: {args: [[a]]}}' "expected a text, found a list"
	refused warewulf 'n1: {root: &a x}' ":1: error: anchors, aliases and tags"
	refused warewulf 'n1: {}\nn1: {}\n' ":2: error: duplicate key n1"
	refused warewulf 'nodes:\n  n1: {}\n' "take 'wwctl node export'"
	refused warewulf 'n1: {kernel: {args: [size=80%!x(MISSING)]}}' "take 'wwctl node export'"
	refused warewulf '{"n1": {"ImageName": "a", "NetDevs": {}}}' "take 'wwctl node export'"
	refused warewulf "$(printf '[%.0s' {1..40})" "nested too deeply"
	refused xcat '' "error: there is no node in it"
	refused xcat 'n1:\n  mac=1\n' "error: there is no node in it"
	refused xcat 'a=b\n' "list:1: error: neither NAME: nor"
	refused xcat 'n1:\nnonsense\n  objtype=node\n' "list:2: error: neither NAME: nor"
	refused xcat 'n1:\n  objtype=node\n  a=\0b\n' "list:3: error: neither NAME: nor"
	refused xcat 'n1:\n objtype=node\nn1:\n objtype=node\n' "list:3: error: duplicate node n1"
	many=$(printf 'w%d:\\n objtype=network\\n net=10.0.0.0\\n mask=255.0.0.0\\n' {1..1001})
	refused xcat "$many" ":4001: error: more than 1000 networks"
	head -c 34000000 /dev/zero | tr '\0' ' ' >"$T/list"
	run -1 "$SITE" import warewulf "$T/list"
	[[ $output == *"error: the file is larger than 32 MiB"* ]]
	run -1 "$SITE" import xcat "$T/list"
	[[ $output == *"error: the file is larger than 32 MiB"* ]]
	run -3 "$SITE" import xcat "$T/absent"
	run -2 "$SITE" import
	run -2 "$SITE" import slurm "$T/list"
	run -2 "$SITE" import xcat "$T/list" more
}

@test "import: what is not ASCII is refused by check, in its line" {
	printf 'n1: {kernel: {args: ["caf\xc3\xa9"]}, profiles: ["caf\xc3\xa9"]}' >"$T/list"
	"$SITE" import warewulf "$T/list" >"$T/site.yaml" 2>"$T/report"
	grep ':1: warning: group .* is left out: not a name in a site file' "$T/report"
	run -1 site -n check
	[[ $output == *": error: holds byte c3"* ]]
}

@test "usage: wrong words are refused, and named in one line" {
	run -2 "$SITE"
	run -2 "$SITE" inspect
	[ "$output" = "initagent-site: inspect: no such command; see --help" ]
	run -2 "$SITE" render
	[ "$output" = "initagent-site: render: not so many arguments, or too few; see --help" ]
	run -2 "$SITE" check now
	[ "$output" = "initagent-site: check: not so many arguments, or too few; see --help" ]
	echo >"$T/list"
	run -2 "$SITE" import slurm "$T/list"
	[ "$output" = "initagent-site: slurm: nothing is imported from that; see --help" ]
	run -2 "$SITE" --frob check
	run -0 "$SITE" --help
	[[ $output == *"render DIR"* ]]
}

@test "render: twice the same bytes, wherever" {
	example
	site render "$T/one"
	site render "$T/two"
	diff -r "$T/one" "$T/two"
	site render "$T/two/"
	diff -r "$T/one" "$T/two"
	# nothing is left beside them
	[ "$(ls "$T")" = $'images\none\nsite.yaml\ntwo' ]
}

@test "render: what a known port, an unknown one and a group get" {
	example
	site render "$T/out"
	cd "$T/out/http"
	grep -q ' root=nfs:10.20.0.5:/export/compute:vers=4.2,proto=rdma,port=20049 '\
'console=tty0 .* hostname=node002 rd.ib.client-id=flexboot '\
'BOOTIF=20-b8-ce-f6-03-00-31-33-18 rd.net.dhcp.request=${netX/ip} || goto' \
		node/b8cef60300313318.ipxe
	# the names under which old and new ROMs know the port
	cmp node/b8cef60300313318.ipxe node/b8cef6313318.ipxe
	grep -q 'IS NOT IN THE SITE FILE' default.ipxe
	grep -q 'root=nfs:10.20.0.5:/export/rescue.* BOOTIF=${bootif} '\
'rd.net.dhcp.request=${netX/ip} || goto' default.ipxe
	grep -q 'root=nfs:10.20.0.5:/export/rescue' group/rescue.ipxe
	cmp "$T/images/vmlinuz" images/stable/kernel
}

# lines: what a kernel gets of each script at most: iPXE under UEFI puts the image's name before it.
lines() {
	sed -n 's/^kernel --timeout [0-9]* --name \(kernel\) [^ ]*/\1/; s/ || goto no_file_0$//p' \
		"$T"/out/http/{node,group}/*.ipxe | sed 's,${netX/ip},255.255.255.255,
			s,${bootif},20-b8-ce-f6-03-00-31-33-18,'
}

@test "check: a line of the longest that it lets pass is not cut by the kernel" {
	local pad

	example
	sed -i 's|initrd: .*|initrd: [images/node.img, images/node.img, images/node.img]|' \
		"$T/site.yaml"
	cp "$T/site.yaml" "$T/short"
	for ((pad = 1900; pad > 1000; pad -= 3)); do
		sed "s,\[console,[pad=$(printf %0${pad}d 0)\, console," "$T/short" >"$T/site.yaml"
		! site render "$T/out" 2>"$T/log" || break
	done
	lines | awk '{ n++; if (length > 2047) { print length; bad = 1 } }
		length > 2030 { full = 1 } END { exit !n || bad || !full }'
}

@test "FlexBoot of ConnectX-3 marks the address that it makes of the GUID as a local one" {
	example
	sed -i 's/0xb8cef60300313318/0x0002c90300313318/' "$T/site.yaml"
	site render "$T/out"
	cmp "$T/out/http/node/0002c90300313318.ipxe" "$T/out/http/node/0202c9313318.ipxe"
	site explain 0002c90300313318 | diff - <(site explain 02:02:c9:31:33:18)
	# unless the file says what the ROM calls it
	sed -i 's/{guid: 0xb8cef60300313300/{guid: 0x0002c90300313300, mac: 02:02:c9:31:33:00/' \
		"$T/site.yaml"
	site render "$T/out"
	cmp "$T/out/http/node/0002c90300313300.ipxe" "$T/out/http/node/0202c9313300.ipxe"
}

@test "render: a node's name that dnsmasq takes for a lease time or for an order" {
	local name

	for name in 101 7h 1D infinite ignore; do
		example
		sed -i "s/login1:/\"$name\":/" "$T/site.yaml"
		site render "$T/out"
		grep -q ",set:known,10.20.0.10$" "$T/out/dhcp/boot1/dnsmasq.hosts"
		grep -q " hostname=$name " "$T/out/http/node/b8cef60300313300.ipxe"
	done
	for name in 1h1 a1 10g 2-d infinite1; do
		sed -i "s/^  [^ ]*: {guid: 0xb8cef60300313300/  $name: {guid: 0xb8cef60300313300/" \
			"$T/site.yaml"
		site render "$T/out"
		grep -q ",set:known,10.20.0.10,$name$" "$T/out/dhcp/boot1/dnsmasq.hosts"
	done
}

@test "render: nothing is written from a file with errors, and no strange folder is replaced" {
	example
	site render "$T/out"
	cp -a "$T/out" "$T/before"
	echo 'nonsense: 1' >>"$T/site.yaml"
	run -1 site render "$T/out"
	diff -r "$T/before" "$T/out"
	example
	mkdir "$T/mine"
	echo precious >"$T/mine/file"
	run -3 site render "$T/mine"
	[[ $output == *"is not a rendered tree"* && $(<"$T/mine/file") == precious ]]
	mkdir "$T/empty"
	site render "$T/empty"
	diff -r "$T/before" "$T/empty"
	run -3 site render "$T/absent/folder"
	[ ! -e "$T/absent" ]
}

@test "what cannot be written to standard output is an error with its reason" {
	example
	for i in {1..500}; do
		echo "n$i: {network devices: {d: {ipaddr: 10.0.$((i / 250)).$((i % 250 + 1))}}}"
	done >"$T/list"
	for words in "check" "explain io1" "import warewulf $T/list"; do
		read -ra words <<<"$words"
		run -3 sh -c '"$@" >/dev/full' sh "$SITE" -f "$T/site.yaml" "${words[@]}"
		[[ ${lines[-1]} == "initagent-site: standard output: No space left on device" ]]
	done
}

@test "render: a symbolic link stays one, and what it points to is replaced" {
	example
	mkdir "$T/disk"
	ln -s disk/tree "$T/link"
	# to nothing
	run -3 site render "$T/link"
	[[ $output == *"$T/link: the symbolic link points to nothing"* ]]
	mkdir "$T/disk/tree"
	for times in first second; do
		site render "$T/link"
		[[ -L $T/link ]] || { echo "$times"; false; }
		[[ $(ls "$T") == $'disk\nimages\nlink\nsite.yaml' && $(ls "$T/disk") == tree ]]
	done
	site render "$T/out"
	diff -r "$T/out" "$T/disk/tree"
	run -3 site render ""
	[[ $output == *"initagent-site: the folder's name is empty"* ]]
	cd "$T/out"
	run -3 site render .
	[[ $output == *"$T/out is the current folder, which will be replaced: go to another"* ]]
}

@test "render: a mount point is refused before anything is written" {
	[[ $EUID -eq 0 ]] || skip "mounting needs root"
	example
	mkdir "$T/mnt"
	run -3 unshare -m sh -c 'mount -t tmpfs none "$1" && "$2" -f "$3" render "$1"' sh "$T/mnt" \
		"$SITE" "$T/site.yaml"
	[[ $output == *"$T/mnt is a mount point, which cannot be replaced: name a folder in it"* ]]
	[ "$(ls "$T")" = $'images\nmnt\nsite.yaml' ]
}

@test "render: ended by a signal it removes what it has begun" {
	local sig

	example
	truncate -s 8G "$T/images/node.img"
	for sig in INT TERM HUP; do
		mkdir "$T/$sig"
		# Asynchronous commands of a shell ignore SIGINT.
		python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$SITE" -f "$T/site.yaml" render "$T/$sig/out" 3>&- &
		until compgen -G "$T/$sig/out.new-*/http/images/stable/initrd" >/dev/null; do
			kill -0 $!
		done
		kill -"$sig" $!
		status=0
		wait $! || status=$?
		[ "$status" -eq $((128 + $(kill -l "$sig"))) ]
		[ -z "$(ls "$T/$sig")" ]
	done
}

@test "render: a server that reads the tree meanwhile misses nothing" {
	example
	site render "$T/out"
	# looks as long as the tree is replaced: both files are always there, and whole
	(
		while [[ ! -e $T/stop ]]; do
			[[ $(tail -n 1 "$T/out/http/boot.ipxe") == "goto reboot" &&
				$(tail -n 1 "$T/out/nginx/site.conf") == "}" ]] ||
				echo torn >>"$T/torn"
		done
	) 3>&- &
	reader=$!
	for i in {1..30}; do
		sed -i "s/^site: .*/site: number$i/" "$T/site.yaml"
		site render "$T/out"
	done
	touch "$T/stop"
	wait $reader
	[ ! -e "$T/torn" ] || { cat "$T/torn"; false; }
}

@test "render: what did not change stays the same file, with its time" {
	example
	site render "$T/out"
	cp -a "$T/out" "$T/before"
	stat -c '%i %y' "$T/out/http/boot.ipxe" "$T/out/http/images/stable/kernel" >"$T/stat"
	sed -i 's/    options: rd.debug/    options: rd.info/' "$T/site.yaml"
	site render "$T/out"
	stat -c '%i %y' "$T/out/http/boot.ipxe" "$T/out/http/images/stable/kernel" |
		diff "$T/stat" -
	run -1 diff -rq "$T/before" "$T/out"
	# the two ports of the node with the option, each under two names
	[ "${#lines[@]}" -eq 4 ]
	grep -q rd.info "$T/out/http/node/b8cef60300313330.ipxe"
	site render "$T/fresh"
	diff -r "$T/fresh" "$T/out"
	# a file changed in its place is not taken over
	echo broken >>"$T/out/http/boot.ipxe"
	site render "$T/out"
	diff -r "$T/fresh" "$T/out"
}

@test "diff: nothing, and what changed, is missing, is too much" {
	example
	site render "$T/out"
	run -0 site diff "$T/out"
	[ -z "$output" ]
	sed -i 's/rd.retry=300/rd.retry=200/' "$T/site.yaml"
	rm "$T/out/http/node/b8cef6313318.ipxe"
	echo x >"$T/out/http/stray"
	echo other >"$T/images/node.img"
	run -1 site diff "$T/out"
	[[ $output == *"changed http/node/b8cef60300313318.ipxe"* ]]
	[[ $output == *"    - kernel "*rd.retry=300*"    + kernel "*rd.retry=200* ]]
	[[ $output == *"missing http/node/b8cef6313318.ipxe"* ]]
	[[ $output == *"extra http/stray"* ]]
	[[ $output == *"changed http/images/stable/initrd"* ]]
	[[ $output != *"changed nginx"* ]]
	run -3 site diff "$T/absent"
}

@test "a file that web servers cannot read is a difference, and is written again" {
	example
	site render "$T/out"
	chmod 600 "$T/out/http/boot.ipxe"
	ln -sf boot.ipxe "$T/out/http/default.ipxe"
	run -1 site diff "$T/out"
	[[ $output == *"changed http/boot.ipxe"$'\n    - mode 0600\n    + mode 0644'* ]]
	[[ $output == *"changed http/default.ipxe"$'\n    - not a file'* ]]
	[[ $output != *missing* ]]
	site render "$T/out"
	run -0 site diff "$T/out"
	[ "$(stat -c %a "$T/out/http/boot.ipxe")" = 644 ]
}

@test "explain: the exact command line and what the agent makes of it" {
	example
	run -0 site explain io1
	# which port, and what happens without it; one blank between words
	[[ ${lines[3]} == "What follows is for a boot through" ]]
	[[ ${lines[4]} == "  port GUID b8:ce:f6:03:00:31:33:30 in network ib "* ]]
	[[ ${lines[5]} == "Where that port has no link the ROM boots through another one: "* ]]
	[ "$(printf '%s\n' "${lines[@]:0:6}" | grep -c '[^ ]  ')" -eq 0 ]
	[[ $output == *"ff:00:00:00:00:00:02:00:00:02:c9:00:b8:ce:f6:03:00:31:33:30"* ]]
	[[ $output == *"[4] node/b8cef60300313330.ipxe from http://10.20.0.1, then \
http://10.20.0.2; 6 rounds"* ]]
	[[ $output == \
		*"mounts 10.20.0.5:/export/compute over RDMA (port 20049), NFS 4.2, read-only"* ]]
	# it is the line of the script, with the address that the server will have given to iPXE
	line=$(sed -n 's/^    \(initrd=initrd root=.*\)/\1/p' <<<"$output")
	site render "$T/out"
	[[ $line == *" rd.net.dhcp.request=10.20.0."* ]]
	grep -qF "/kernel ${line%=*}=\${netX/ip} || goto" \
		"$T/out/http/node/b8cef60300313330.ipxe"
	# and its verdict that of initagent lint
	diff <(sed '1,/^Agent and root/d' <<<"$output") \
		<("${BUILD:-build}/initagent" lint "${line#initrd=initrd }")
	run -1 site explain nobody
}

@test "explain: by the GUID, MAC or address on a console or in a log; an unknown port" {
	local who

	example
	site explain node002 >"$T/name"
	for who in 0xb8cef60300313318 b8:ce:f6:03:00:31:33:18 B8CE-F603-0031-3318 b8cef6313318 \
		10.20.0.12; do
		site explain "$who" | diff "$T/name" -
	done
	# the other port of two
	run -0 site explain b8cef60300313338
	[[ $output == \
		"io1: "*"[4] node/b8cef60300313338.ipxe"*" BOOTIF=20-b8-ce-f6-03-00-31-33-38"* ]]
	# what the script of unknown nodes will do
	run -0 site explain 52:54:00:12:34:56
	[[ $output == "52:54:00:12:34:56: no port of the site file"*"group rescue"* ]]
	line=$(sed -n 's/^    \(initrd=initrd root=.*\)/\1/p' <<<"$output")
	site render "$T/out"
	[[ $line == *" rd.net.dhcp.request=" ]]
	line=${line/BOOTIF=01-52-54-00-12-34-56/BOOTIF=\${bootif\}}
	grep -qF "/kernel $line\${netX/ip} || goto" "$T/out/http/default.ipxe"
	sed -i '/unknown:/d' "$T/site.yaml"
	run -0 site explain 525400123456
	[[ $output == *"reports that it is not in the site file"* ]]
	run -0 site explain 10.20.3.5
	[[ ${lines[0]} == "10.20.3.5: an address of the pool of network ib" ]]
	run -0 site explain 10.20.0.5
	[ "$output" = "10.20.0.5: server nfs1" ]
	run -1 site explain 10.20.0.99
	[[ $output == *"no such node: 10.20.0.99, nor a GUID, MAC or address of a port"* ]]
	run -1 site explain 52:54
}

@test "explain: what the adapter has to be set to is what initagent-flexboot says" {
	example
	sed -i 's/rd.retry=300/rd.retry=300, rd.ib.pkey=0x8001/' "$T/site.yaml"
	run -0 site explain io1
	compare=$(sed -n 's/^  compare: .* | //p' <<<"$output")
	[ "$compare" = "initagent-flexboot settings check --link ib --pkey 0x8001" ]
	read -ra want <<<"${compare#*check }"
	diff <(sed -n 's/^  \([A-Z0-9a-z_]*=[0-9]*\)  .*/\1/p' <<<"$output") \
		<("${BUILD:-build}/initagent-flexboot" settings want "${want[@]}" |
		sed -n 's/^mstconfig .* set //p')
}

# certificate NAME EXTENSIONS ISSUER...: NAME.crt and NAME.key; ISSUER says to openssl who signs.
certificate() {
	openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -subj "/CN=$1" -out "$1.csr" \
		2>/dev/null
	printf '%s\n' "$2" >"$1.ext"
	openssl x509 -req -in "$1.csr" -days 2 -extfile "$1.ext" -out "$1.crt" \
		"${@:3}" 2>/dev/null
}

@test "signatures made as the manual says are rendered beside their file, valid for it only" {
	local file sign

	example
	sed -i 's/^  stable:/&\n    signed: require/' "$T/site.yaml"
	cd "$T/images"
	certificate ca $'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign' -signkey ca.key
	certificate cs $'keyUsage=digitalSignature\nextendedKeyUsage=codeSigning' -CA ca.crt \
		-CAkey ca.key
	run -1 site check
	[[ $output == *vmlinuz.sig* ]]
	sign=$(sed -n 's/^    \(openssl cms -sign .*\)/\1/p' \
		"$BATS_TEST_DIRNAME/../docs/site-file.md")
	for file in vmlinuz node.img; do
		${sign//vmlinuz/$file} 2>/dev/null
	done
	site render "$T/out"
	cd "$T/out/http/images/stable"
	verify() { openssl cms -verify -binary -inform DER -in "$2.sig" -content "$1" -CAfile \
		"$T/images/ca.crt" -purpose any -out "$T/content" 2>/dev/null; }
	verify kernel kernel
	verify initrd initrd
	run -4 verify initrd kernel
	openssl cms -cmsout -print -inform DER -in kernel.sig 2>/dev/null | grep -q 'CN=cs'
}

# here COMMAND...: in a network of the case's own, whose ports no other program has. Who is not root
# has this machine's.
here() {
	[[ $EUID -ne 0 || -n ${NS:-} ]] || {
		NS=ias$$x$BATS_TEST_NUMBER
		ip netns add "$NS"
		ip -n "$NS" link set lo up
	}
	${NS:+ip netns exec "$NS"} "$@"
}

@test "nginx serves the tree: files, scripts of unknown ports, and no pages" {
	example
	mkdir "$T/nginx"
	sed -i "s|^tree: .*|tree: $T/out|; s|{address: 10.20.0.1}|{address: 10.20.0.1, port: 18931}|
		s|{address: 10.20.0.2}|{address: 10.20.0.2, port: 18932}|" "$T/site.yaml"
	site render "$T/out"
	nginx -t -q -p "$T/nginx" -c "$T/out/nginx/nginx.conf"
	here bash -c 'ulimit -Sn 1024; exec "$@"' - nginx -p "$T/nginx" \
		-c "$T/out/nginx/nginx.conf" -g "user root;" >"$T/log" 2>&1 3>&-
	here curl -sf http://127.0.0.1:18931/boot.ipxe | cmp - "$T/out/http/boot.ipxe"
	# for a connection and its file each, whatever started it; the newest worker sets its own a
	# moment after its start, while another one serves already
	worker=$(pgrep -n -P "$(<"$T/nginx/nginx.pid")")
	ready grep -q 'open files *16384 ' "/proc/$worker/limits"
	here curl -sf http://127.0.0.1:18932/node/525400000099.ipxe |
		cmp - "$T/out/http/default.ipxe"
	code() { here curl -s -o /dev/null -w '%{http_code}' "$@"; }
	[ "$(code http://127.0.0.1:18931/images/none)" = 404 ]
	[ "$(code http://127.0.0.1:18931/images/)" != 200 ]
	[ "$(code --path-as-is http://127.0.0.1:18931/../nginx/nginx.conf)" != 200 ]
}

# bats test_tags=slow
@test "10,000 nodes" {
	big 10000
	/usr/bin/env time -f '%e %U %S %M' -o "$T/time" "$SITE" -f "$T/site.yaml" render "$T/out"
	read -r seconds user kernel kib <"$T/time"
	echo "# rendered 10,000 nodes in $seconds s (user $user s, kernel $kernel s)" \
		"with $((kib / 1024)) MiB" >&3
	[ "$kib" -lt $((200 * 1024)) ]
	# 2 s are the aim; of the processor, as this machine may have other things to do
	awk -v user="$user" -v kernel="$kernel" 'BEGIN { exit user + kernel >= 20 }'
	[ "$(find "$T/out/http/node" -name '*.ipxe' | wc -l)" -eq 20000 ]
	site render "$T/again"
	diff -r "$T/out" "$T/again"
	/usr/bin/env time -f '%e' -o "$T/time" "$SITE" -f "$T/site.yaml" render "$T/out"
	echo "# and once more in $(<"$T/time") s" >&3
	diff -r "$T/out" "$T/again"
}
