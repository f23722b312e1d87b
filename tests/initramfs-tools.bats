#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The hook and the scripts of initramfs-tools, in dash as in the initramfs, with an agent that
# answers as told.
# shellcheck disable=SC2016,SC2154 # scripts for other shells; stderr is bats'

bats_require_minimum_version 1.5.0

setup() {
	irt=$BATS_TEST_DIRNAME/../packaging/initramfs-tools
	cd "$BATS_TEST_TMPDIR" || return
	mkdir answer bin conf run
	echo 'root=nfs:10.0.0.1:/x ip=dhcp' >cmdline
	# answer/SUBCOMMAND holds exit statuses, one a call, the last one for all that follow; each
	# call is written down.
	cat >bin/initagent <<-SCRIPT
		#!/bin/sh
		echo "\$*" >>$PWD/calls
		[ "\$1" != plan ] || cat $PWD/plan
		read -r status <$PWD/answer/\$1
		rest=\$(tail -n +2 $PWD/answer/\$1)
		[ -z "\$rest" ] || echo "\$rest" >$PWD/answer/\$1
		[ "\$status" -lt 128 ] || kill -KILL \$\$
		exit "\$status"
	SCRIPT
	chmod 755 bin/initagent
	echo wanted=yes >plan
	answers plan 0
	for file in hooks/initagent scripts/{,init-top/,init-bottom/}initagent \
		scripts/initagent-network; do
		install -D /dev/stdin "irt/$file" < <(sed "
			s|/usr/sbin/initagent|$PWD/bin/initagent|g; s|/run/|$PWD/run/|g
			s|/conf/|$PWD/conf/|g; s|/proc/cmdline|$PWD/cmdline|g
			s|/\(scripts/functions\)|$PWD/\1|
			s|\. /scripts/initagent|. $PWD/irt/scripts/initagent|
			s|/usr/share/initramfs-tools/hook-functions|$PWD/hook-functions|
			s|/usr/lib/dracut/modules.d/70initagent|$PWD|
			s|/etc/initagent|$PWD/etc|g; s|/etc/dropbear|$PWD/dropbear|g" "$irt/$file")
	done
	# initramfs-tools' own, as far as it is used
	mkdir scripts
	cat >scripts/functions <<-SCRIPT
		configure_networking() { echo "ipconfig"; }
		panic() { echo "panic: \$*"; }
		reboot() { echo "reboot \$*"; }
		poweroff() { echo "poweroff \$*"; }
		halt() { echo "halt \$*"; }
		local_mount_root() { echo "local root"; }
		nfs_top() { echo "scripts/nfs-top"; }
		nfs_premount() { echo "scripts/nfs-premount"; }
	SCRIPT
}

answers() {
	printf '%s\n' "${@:2}" >"answer/$1"
}

# in_init SCRIPT: a new boot; as initramfs-tools' init does, after it has sourced the boot script.
in_init() {
	rm -rf conf/initagent-begun
	rootmnt=/root dash -c ". $PWD/scripts/functions; . $PWD/irt/scripts/initagent; $1"
}

# count WORDS: how often the agent was called so.
count() {
	grep -cxF -e "$1" calls
}

@test "a root of ours chooses the script, unless boot= names another; other roots do not" {
	answers claims 0
	rootmnt=/root dash irt/scripts/init-top/initagent
	[ "$(cat conf/param.conf)" = "BOOT=initagent
. $PWD/irt/scripts/initagent-network" ]
	[ -e conf/initagent-network ]
	rm conf/*
	echo 'root=nfs:10.0.0.1:/x boot=initagent' >cmdline
	rootmnt=/root dash irt/scripts/init-top/initagent
	[ "$(cat conf/param.conf)" = ". $PWD/irt/scripts/initagent-network" ]
	rm conf/*
	echo 'root=/dev/nfs nfsroot=10.0.0.1:/x boot=nfs' >cmdline
	rootmnt=/root dash irt/scripts/init-top/initagent
	echo 'root=LABEL=x' >cmdline
	answers claims 1
	rootmnt=/root dash irt/scripts/init-top/initagent
	[ -z "$(ls conf)" ]
	[ "$(sort -u calls)" = claims ]
}

@test "rd.neednet=1 beside another root: started at once, waited for before the real root" {
	answers claims 2
	answers boot 0
	rootmnt=/root dash -c '. irt/scripts/init-top/initagent; wait'
	[ "$(cat conf/param.conf)" = ". $PWD/irt/scripts/initagent-network" ]
	answers wait 0
	rootmnt=/root dash irt/scripts/init-bottom/initagent
	[ "$(tail -n +2 calls)" = "boot --net-conf --sysroot /root
wait" ]
	# killed: started again; failed: what rd.shell asks for, and again
	rm calls
	answers wait 3
	rootmnt=/root run -0 dash irt/scripts/init-bottom/initagent
	[ -z "$output" ]
	[ "$(count 'boot --net-conf --sysroot /root')" = 1 ]
	answers wait 2
	rootmnt=/root run -0 dash irt/scripts/init-bottom/initagent
	[ "$output" = "panic: initagent could not bring the network up." ]
	[ "$(count 'boot --net-conf --sysroot /root')" = 2 ]
}

@test "dropbear leaves the agent's interfaces up at its end" {
	local claim
	mkdir dropbear
	answers boot 0
	for claim in 1 0 2; do
		answers claims "$claim"
		rm -rf conf/*
		rootmnt=/root dash -c '. irt/scripts/init-top/initagent; wait'
		[[ $claim == 1 && ! -e dropbear/dropbear.conf ||
			$claim != 1 && $(tail -n 1 dropbear/dropbear.conf) == IFDOWN=none ]]
	done
}

@test "an NFS root: the scripts of nfs-top and nfs-premount run, by which nfs-bottom's do" {
	local root
	for root in /dev/nfs nfs:10.0.0.1:/x; do
		ROOT=$root run -0 in_init "mount_top; mount_premount"
		[ "$output" = $'scripts/nfs-top\nscripts/nfs-premount' ]
	done
	ROOT=http://10.0.0.1/x run -0 in_init "mount_top; mount_premount"
	[ -z "$output" ]
}

@test "without it, nothing is waited for" {
	rootmnt=/root dash irt/scripts/init-bottom/initagent
	[ ! -e calls ]
}

@test "mounted" {
	answers claims 0
	answers boot 0
	run -0 in_init mountroot
	[ -z "$output" ]
	[ "$(cat calls)" = "claims
boot --net-conf --sysroot /root" ]
}

@test "a root that is not ours is left to scripts/local" {
	answers claims 1
	run -0 in_init mountroot
	[ "${lines[1]}" = "local root" ]
	[ "$(cat calls)" = claims ]
}

@test "killed: started again; killed again and again, it has failed" {
	answers claims 0
	answers boot 137 137 0
	run -0 in_init mountroot
	[ "$(count 'boot --net-conf --sysroot /root')" = 3 ]
	[[ $output != *panic* ]]
	answers boot 137 137 137 137 137 137 0
	run -0 in_init mountroot
	[[ $output == *"panic: initagent could not mount the root."* ]]
}

@test "failed: a shell by initramfs-tools' panic(), and again when it was left" {
	answers claims 0
	answers boot 1 1 0
	run -0 in_init mountroot
	[ "$output" = "panic: initagent could not mount the root.
panic: initagent could not mount the root." ]
	[ "$(count 'boot --net-conf --sysroot /root')" = 3 ]
}

@test "failed: rd.shell and rd.emergency mean what they mean elsewhere" {
	local said="initagent could not mount the root." row
	answers claims 0
	answers boot 1
	for row in "reboot|$said|reboot -f" "halt|$said|halt -f" "poweroff|$said|poweroff -f" \
		"shell,poweroff|panic: $said|poweroff -f"; do
		echo "failure=${row%%|*}" >plan
		run -1 in_init mountroot
		[ "$output" = "$(cut -d '|' -f 2 <<<"$row")
${row##*|}" ]
	done
	# a command line that cannot be read: it is not known whether a shell may be opened
	answers plan 1
	run -1 in_init mountroot
	[ "${lines[1]}" = "reboot -f" ]
}

@test "nothing of the command line is shell text" {
	printf '%s\n' 'root.text=$(touch pwned)`touch pwned`";touch pwned;' PLAN 'touch pwned' \
		failure=halt >plan
	echo 'root=$(touch pwned) `touch pwned` boot=";touch pwned' >cmdline
	answers claims 0
	answers boot 1
	run -1 in_init mountroot
	[ "${lines[1]}" = "halt -f" ]
	rootmnt=/root dash irt/scripts/init-top/initagent
	[ ! -e pwned ]
}

@test "the script brings all functions that init calls, and none of nfs' is left" {
	in_init 'nfs_top() { echo nfs; }; for f in mount_top mount_premount mount_bottom; do
		command -v $f && [ -z "$($f)" ] || exit 1; done'
}

# network SCRIPT [DEVICE]: another package's script, which needs the network, and what it finds.
network() {
	rootmnt=/root DEVICE=${2-} dash -c ". $PWD/scripts/functions; $1
		configure_networking
		echo \"\$? \$DEVICE \${DEVICE6-} \${IPV4ADDR-} \${IPV6ADDR-} \${DNSDOMAIN-}\"
		wait"
}

# net_conf FIXTURE: the files of an agent that was told --net-conf.
net_conf() {
	awk -v run="$PWD" '/^=== / { file = run $2; next } { print >file }' \
		"$BATS_TEST_DIRNAME/fixtures/handover/klibc-$1.txt"
}

@test "configure_networking() of other packages: as ever without the agent" {
	local line
	touch drivers.list companions.list unknown
	answers claims 1
	run -0 hook most
	for line in root=/dev/sda1 'root=/dev/nfs nfsroot=10.0.0.1:/x boot=nfs'; do
		echo "$line" >cmdline
		answers claims $((${#line} < 20))
		rootmnt=/root dash irt/scripts/init-top/initagent
		run -0 network ""
		[ "${lines[0]}" = ipconfig ]
	done
	# with boot=initagent, too, it mounts a root that is not ours
	run -0 network ". irt/scripts/initagent"
	[ "${lines[0]}" = ipconfig ]
	[ "$(sort -u calls)" = $'claims\nclaims --options' ]
}

@test "configure_networking() of other packages: the agent's network beside another root" {
	local said="0 eth0 eth0 10.0.0.5 2001:db8::5 cluster.example"
	touch drivers.list companions.list unknown
	answers claims 2
	run -0 hook most
	answers boot 0
	answers wait 0
	net_conf ipv6
	rootmnt=/root dash -c '. irt/scripts/init-top/initagent; wait'
	run -0 network ""
	[ "$output" = "$said" ]
	# init sourced the functions before there was an agent
	run -0 network ". $PWD/conf/param.conf"
	[ "$output" = "$said" ]
	[ "$(count 'boot --net-conf --sysroot /root')" = 1 ]
	[ "$(count 'wait --online --timeout 445')" = 2 ]
	# it has failed, and is not started again here
	answers wait 2
	rm run/*
	run -0 network ""
	[ "$output" = "2     " ]
	[ "$(count 'boot --net-conf --sysroot /root')" = 1 ]
}

@test "configure_networking() of other packages: which interface" {
	: >conf/initagent-network
	mkdir conf/initagent-begun
	answers wait 0
	net_conf static
	run -0 network ". irt/scripts/initagent-network"
	[ "$output" = "0 ib0  10.1.2.3  " ]
	net_conf dhcp
	run -0 network ". irt/scripts/initagent-network"
	[ "$output" = "0 eth0  10.0.0.5  cluster.example" ]
	run -0 network ". irt/scripts/initagent-network" ib0
	[ "$output" = "0 ib0  10.1.2.3  " ]
	run -0 network ". irt/scripts/initagent-network" eth7
	[ "$output" = "0 eth0  10.0.0.5  cluster.example" ]
}

@test "configure_networking() before our root is mounted: the agent starts for it, and once" {
	answers claims 0
	answers boot 0
	answers wait 0
	net_conf dhcp
	rootmnt=/root dash irt/scripts/init-top/initagent
	run -0 network ". irt/scripts/initagent-network"
	[ "$output" = "0 eth0  10.0.0.5  cluster.example" ]
	rootmnt=/root run -0 dash -c ". scripts/functions; . irt/scripts/initagent; mountroot"
	[ "$(count 'boot --net-conf --sysroot /root')" = 1 ]
	[ "$(tail -n 2 calls)" = $'claims\nwait' ]
	# it was killed meanwhile
	answers wait 3
	rootmnt=/root run -0 dash -c ". scripts/functions; . irt/scripts/initagent; mountroot"
	[ "$(count 'boot --net-conf --sysroot /root')" = 2 ]
	answers wait 2
	rootmnt=/root run -0 dash -c ". scripts/functions; . irt/scripts/initagent; mountroot"
	[ "$output" = "panic: initagent could not mount the root." ]
}

@test "nothing of the network is shell text in the files of ipconfig" {
	local shell
	local said="http://h/';touch\$IFS-pwned;'
http://h/\$(touch\$IFS-pwned);'!touch!pwned;'&*?\$HOME(a)'"
	net_conf quotes
	for shell in dash "bash --posix" "busybox sh"; do
		# shellcheck disable=SC2086 # words
		run -0 $shell -c '. run/net-eth0.conf; printf "%s\n" "$ROOTPATH" "$filename"'
		[ "$output" = "$said" ]
	done
	[ "$(find . -name '*pwned*')" = "" ]
}

# hook MODULES: what the hook does; modprobe knows all modules but those in ./unknown.
hook() {
	cat >hook-functions <<-'SCRIPT'
		copy_exec() { echo "exec $*"; return "${COPIED:-0}"; }
		copy_file() { echo "file $*"; return "${COPIED:-0}"; }
		auto_add_modules() { echo "auto $*"; }
		manual_add_modules() { echo "modules $*"; }
	SCRIPT
	# an install command of the building machine's modprobe.d knows them all
	cat >bin/modprobe <<-SCRIPT
		#!/bin/sh
		[ "\$1" = --config=/dev/null ] || exit 0
		! grep -qxF -e "\$5" $PWD/unknown
	SCRIPT
	cat >bin/modinfo <<-SCRIPT
		#!/bin/sh
		[ "\$*" != "-k 6.1 -F description \$DUMMY" ] || echo "\$DUMMY dummy kernel module"
	SCRIPT
	chmod 755 bin/modprobe bin/modinfo
	[ -e answer/claims ] || answers claims 1
	MODULES=$1 version=6.1 PATH=$PWD/bin:$PATH dash irt/hooks/initagent
}

@test "hook: the agent, trusted keys, and the drivers of the one list" {
	cp "$BATS_TEST_DIRNAME/../dracut/70initagent/drivers.list" .
	mkdir -p etc/keys
	touch etc/ca.pem etc/keys/site.pub etc/keys/site.key
	printf '%s\n' 'ice irdma' 'i40e irdma' 'mlx4_core mlx4_ib' 'qede qedr' >companions.list
	echo qedr >unknown
	run -0 hook most
	[ "$output" = "exec $PWD/bin/initagent
file trust $PWD/etc/ca.pem
file trust $PWD/etc/keys/site.pub
modules $(awk '/^(need|tell|may|more) / { printf "%s ", $2 }' drivers.list)irdma" ]
	# adapters of the nodes, not of this machine
	run -0 hook dep
	[[ $output == *"auto net"* ]]
}

@test "hook: what the kernel has not is said, but for what may be missing" {
	printf '%s\n' 'need nfs a' 'tell mlx5_ib b' 'may siw c' 'more bonding c' 'need sunrpc d' \
		>drivers.list
	: >companions.list
	printf '%s\n' mlx5_ib siw bonding nfs >unknown
	run -0 --separate-stderr hook most
	[ "${lines[-1]}" = "modules sunrpc" ]
	[ "$stderr" = "W: initagent: kernel 6.1 has no module nfs (a)
W: initagent: kernel 6.1 has no module mlx5_ib (b)" ]
}

# ours [OPTIONS]: the agent itself as one that has booted this machine with them
ours() {
	cat >bin/initagent <<-SCRIPT
		#!/bin/sh
		[ "\$1" != claims ] || { echo "$1"; exit $((${#1} == 0)); }
		cd $BATS_TEST_DIRNAME/.. && exec ${BUILD:-build}/initagent "\$@"
	SCRIPT
}

@test "hook: no image without what the root of this machine needs" {
	local line="root=nfs:10.0.0.1:/x:proto=rdma ip=ib0:dhcp rd.driver.post=mlx5_ib"
	printf '%s\n' 'need nfs NFS root' 'tell rpcrdma b' >drivers.list
	: >companions.list
	: >unknown
	ours "$line"
	run -0 hook most
	[ "${lines[-1]}" = "modules mlx5_ib ib_ipoib rpcrdma nfs rpcrdma" ]
	printf '%s\n' rpcrdma nfs >unknown
	run -1 hook most
	[[ $output == *"E: initagent: this machine's root needs modules that kernel 6.1 does not \
have: rpcrdma (root=), nfs (NFS root)" ]]
	: >unknown
	DUMMY=rpcrdma run -1 hook most
	[[ $output == *"W: initagent: rpcrdma is a dummy of its vendor's: it does nothing"*\
"does not have: rpcrdma (root=)" ]]
	# one that the agent has not booted
	printf '%s\n' rpcrdma nfs >unknown
	ours ""
	run -0 hook most
	[[ $output == *"W: initagent: kernel 6.1 has no module nfs"* ]]
}

@test "hook: a file that cannot be copied fails the image; one that is there does not" {
	touch drivers.list companions.list unknown
	mkdir etc
	touch etc/ca.pem
	ours ""
	COPIED=2 run -1 hook most
	[ "${lines[-1]}" = "exec $PWD/bin/initagent" ]
	sed -i 's/exec \$\*"; return.*/exec $*"; }/' hook-functions
	COPIED=1 MODULES=most version=6.1 PATH=$PWD/bin:$PATH run -0 dash irt/hooks/initagent
	COPIED=2 MODULES=most version=6.1 PATH=$PWD/bin:$PATH run -1 dash irt/hooks/initagent
}

@test "hook: without the agent or its list of drivers the image fails with a message" {
	: >unknown
	run -1 hook most
	[ "$output" = "E: initagent: $PWD/drivers.list is missing" ]
	touch drivers.list
	run -1 hook most
	[ "$output" = "E: initagent: $PWD/companions.list is missing" ]
	touch companions.list
	rm bin/initagent
	run -1 hook most
	[ "$output" = "E: initagent: $PWD/bin/initagent is missing" ]
}

@test "prerequisites: none, and nothing is done when they are asked for" {
	for file in hooks/initagent scripts/init-{top,bottom}/initagent; do
		run -0 dash "irt/$file" prereqs
		[ -z "$output" ]
	done
	[ ! -e calls ]
}

@test "no bash in them; installed where update-initramfs looks, and able to run" {
	local dir=$PWD/dest/usr/share/initramfs-tools
	make -s -C "$BATS_TEST_DIRNAME/.." install-initramfs-tools DESTDIR="$PWD/dest" PREFIX=/usr
	for file in hooks/initagent scripts/{,init-top/,init-bottom/}initagent \
		scripts/initagent-network; do
		cmp "$irt/$file" "$dir/$file"
		[ -x "$dir/$file" ]
		dash -n "$irt/$file"
		bash --posix -n "$irt/$file"
	done
	[ "$(find "$irt" -type f | wc -l)" = "$(find "$dir" -type f | wc -l)" ]
}
