# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# What tests/fetch.bats, tests/web.bats and tests/report.bats share: the network namespace $NS of a
# case, in it nginx and the hostile server; logs and files below $T, content from $F, programs from
# $B.

# shellcheck source=tests/lib/ready.bash
source "${BASH_SOURCE[0]%/*}/ready.bash"

# The processes and loop devices of a case; this file is read for each.
PIDS=()
DISKS=()

teardown() {
	local pid
	for pid in ${PIDS[@]+"${PIDS[@]}"}; do
		kill "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
	for pid in ${DISKS[@]+"${DISKS[@]}"}; do
		losetup -d "$pid"
	done
	[[ -z ${NS:-} ]] || ip netns del "$NS" 2>/dev/null || :
}

# namespace NAME: makes it; it is $NS then. Whatever is sent to 10.9.9.0/24 in there vanishes.
namespace() {
	NS=$1
	ip netns add "$NS"
	ip -n "$NS" link set lo up
	ip -n "$NS" link add void type veth peer name hole
	ip -n "$NS" addr add 10.9.9.1/24 dev void
	ip -n "$NS" link set hole up
	ip -n "$NS" link set void up arp off
}

# hostile [ADDRESS [FILE]]: starts the server; $U is its URL, $LOG its log, SERVER its process.
hostile() {
	local address=${1:-127.0.0.1} number=${#PIDS[@]} host
	LOG=$T/log$number
	ip netns exec "$NS" "$B/host/tests/fetch/hostile" "$address" "${2:-$F/file}" "$LOG" \
		>"$T/port$number" 3>&- &
	SERVER=$!
	PIDS+=("$SERVER")
	ready [ -s "$T/port$number" ]
	host=$address
	[[ $address != *:* ]] || host="[$address]"
	U=http://$host:$(<"$T/port$number")
}

# logged: waits until each request that the hostile server took is in $LOG. The process that
# answered one writes its line behind the last byte, and the client may have that before.
logged() {
	ready answered
}

answered() {
	[[ -z $(pgrep -P "$SERVER") ]]
}

# nginx_on PORT[ ssl] LINE...: serves the folder $F on 127.0.0.1:PORT with more lines in its
# configuration; its files are in $N.
nginx_on() {
	local listen=$1 port=${1%% *}
	shift
	N=$T/nginx$port
	mkdir -p "$N"
	cat >"$N/conf" <<-CONF
		daemon off;
		user root;
		pid $N/pid;
		error_log $N/error;
		events { worker_connections 64; }
		http {
			access_log $N/access;
			client_body_temp_path $N/a; proxy_temp_path $N/b; fastcgi_temp_path $N/c;
			uwsgi_temp_path $N/d; scgi_temp_path $N/e;
			server { listen 127.0.0.1:$listen; root $F; $* }
		}
	CONF
	ip netns exec "$NS" nginx -e "$N/error" -c "$N/conf" 3>&- &
	PIDS+=($!)
	ready ip netns exec "$NS" bash -c ": </dev/tcp/127.0.0.1/$port"
}
