#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Where "initagent lint" and "initagent plan" take the command line from. What they say of it:
# kernel-cmdline/rows/.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/.." || return
	export AGENT=${BUILD:-build}/initagent
}

@test "lint: the arguments, standard input, a file; which one is said" {
	local line="root=nfs:192.0.2.1:/srv rd.retry=10s"

	run -1 "$AGENT" lint "$line"
	[[ ${lines[0]} == root=nfs:192.0.2.1:/srv ]]
	[[ $output == *"warning: read as 10"* ]]
	run -1 "$AGENT" lint - <<<"$line"
	[[ ${lines[0]} == "(command line of standard input)" ]]
	[[ $output == *"warning: read as 10"* ]]
	# as in /etc/cmdline.d
	printf '%s\n' root=nfs:192.0.2.1:/srv rd.retry=10s >"$BATS_TEST_TMPDIR/line"
	run -1 "$AGENT" lint -f "$BATS_TEST_TMPDIR/line"
	[[ ${lines[0]} == "(command line of $BATS_TEST_TMPDIR/line)" ]]
	[[ $output == *"warning: read as 10"* ]]
	[[ $output == *"| root=nfs:192.0.2.1:/srv rd.retry=10s"$'\n'* ]]
}

@test "lint: without an argument this system's, whatever standard input holds" {
	run "$AGENT" lint <<<"root=nfs:192.0.2.1:/srv rd.retry=10s"
	[[ $status -le 2 ]]
	[[ ${lines[0]} == "(command line of this system)" ]]
	[[ $output != *192.0.2.1* ]]
}

@test "lint: no line to judge" {
	run -64 "$AGENT" lint -f
	run -64 "$AGENT" plan -f
	run -64 "$AGENT" lint -f "$BATS_TEST_TMPDIR/line" root=nfs:192.0.2.1:/srv
	run -3 "$AGENT" lint -f "$BATS_TEST_TMPDIR/absent"
	[[ $output == *"absent: No such file or directory"* ]]
	head -c 20000 /dev/zero | tr '\0' x >"$BATS_TEST_TMPDIR/long"
	run -3 "$AGENT" lint -f "$BATS_TEST_TMPDIR/long"
}

@test "plan: the same places" {
	run -0 "$AGENT" plan rd.retry=10
	[[ $output == *retry_s=10* ]]
	run -0 "$AGENT" plan - <<<rd.retry=10
	[[ $output == *retry_s=10* ]]
}

@test "plan --modules: what the line needs, for the image builders" {
	run -0 "$AGENT" plan --modules "root=nfs:192.0.2.1:/x:proto=rdma ip=ib0:dhcp ip=ib1:dhcp"
	[ "$output" = "asked ib_ipoib ip= or bootdev=
asked rpcrdma root=" ]
	run -0 "$AGENT" plan --modules "root=LABEL=x netroot=iscsi:192.0.2.1::::iqn.x"
	[ "$output" = "dracut iscsi" ]
	run -0 "$AGENT" plan --modules ""
	[ -z "$output" ]
}

# options STATUS OUTPUT LINE [STATE]: what an image of a machine with that command line has, whose
# agent left this.
options() {
	echo "$3" >"$BATS_TEST_TMPDIR/cmdline"
	echo "${4:-}" >"$BATS_TEST_TMPDIR/state"
	# shellcheck disable=SC2016 # expanded by the inner shell
	run -"$1" unshare --mount bash -euc '
		mount --bind "$1/cmdline" /proc/cmdline
		mount -t tmpfs none /run
		[ -z "$3" ] || install -D "$1/state" /run/initagent/state.json
		exec "$2" claims --options' - "$BATS_TEST_TMPDIR" "$AGENT" "${4:-}"
	[ "$output" = "$2" ]
}

@test "claims --options: what the agent was booted with, else what the kernel was" {
	local line="root=nfs:192.0.2.1:/x ip=eth0:dhcp" state='{"schema":1,"outcome":"done"'
	options 0 "$line" "BOOT_IMAGE=v $line BOOTIF=01-52-54-00-00-00-01 rd.break quiet"
	options 2 "rd.neednet=1 ip=dhcp" "root=LABEL=x rd.neednet=1 ip=dhcp"
	options 1 "" "root=LABEL=x ip=dhcp"
	# the image had it
	options 0 "$line" quiet "$state,\"options\":\"$line\"}"
	options 0 "$line" root=nfs:192.0.2.9:/y "$state,\"options\":\"$line\"}"
	# of an agent that did not say, or could not boot it
	options 1 "" quiet "$state}"
	options 1 "" quiet "${state/done/failed},\"options\":\"$line\"}"
	options 0 "$line" "$line" "$state}"
	run -64 "$AGENT" claims --what
}

# claims STATUS OUTPUT LINE [URL]: of a node with that command line, whose UEFI loaded its kernel
# image from there.
claims() {
	echo "$3" >"$BATS_TEST_TMPDIR/cmdline"
	printf '\6\0\0\0' >"$BATS_TEST_TMPDIR/origin"
	iconv -t UTF-16LE <<<"${4:-}" | head -c -2 >>"$BATS_TEST_TMPDIR/origin"
	# shellcheck disable=SC2016 # expanded by the inner shell
	run -"$1" unshare --mount bash -euc '
		mount --bind "$1/cmdline" /proc/cmdline
		mount -t tmpfs none /sys/firmware
		mkdir -p /sys/firmware/efi/efivars
		[ -z "$3" ] || cp "$1/origin" "/sys/firmware/efi/efivars/$4"
		exec "$2" claims' - "$BATS_TEST_TMPDIR" "$AGENT" "${4:-}" \
		StubDeviceURL-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f
	[ "$output" = "$2" ]
}

@test "claims: the roots that are the agent's; an image beside the kernel of a UEFI HTTP Boot" {
	local pull=rd.systemd.pull=raw,machine,verify=no,blockdev,bootorigin:rootdisk:a.raw
	local disk=/dev/disk/by-loop-ref/rootdisk.raw
	claims 0 "" root=nfs:192.0.2.1:/srv
	claims 1 "" root=LABEL=x
	claims 2 "" "root=LABEL=x rd.neednet=1"
	claims 2 "" "root=ZFS=tank rd.neednet=1 rd.iscsi.firmware=0 rd.iscsi.initiator=iqn.x"
	claims 1 "" "root=LABEL=x rd.neednet=1 rd.iscsi.firmware"
	claims 0 "$disk" "$pull root=$disk" http://192.0.2.1/node.efi
	claims 0 "" "$pull root=gpt-auto" http://192.0.2.1/node.efi
	claims 0 "" "$pull" http://192.0.2.1/node.efi
	claims 0 /dev/disk/by-label/x "$pull root=LABEL=x" http://192.0.2.1/node.efi
	# one that was booted from its disk; without root=, or root=gpt-auto, its root is there
	claims 1 "" "$pull root=LABEL=x"
	claims 0 "$disk" "$pull root=$disk"
	claims 1 "" "$pull root=gpt-auto"
	claims 1 "" "$pull"
	claims 1 "" "$pull root=gpt-auto" file:///node.efi
}
