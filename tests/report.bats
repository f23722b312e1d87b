#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats runs each case with its setup and teardown in one subshell; some are for servers.bash
# shellcheck disable=SC2030,SC2031,SC2034
#
# The tell room (rd.report=) against the collectors of docs/collector, that is rsyslog and nginx,
# and against such that do not behave, in a network namespace of its own. How long the boot is held
# up is measured in each case.
# first: real time-outs of servers
bats_require_minimum_version 1.5.0

load lib/servers

# A boot that reached its root shall lose at most 5 ms. What is seen is below 1 ms, most of it time
# on a processor, of which there may be more: on a machine whose processors are lent to others,
# which counts as well, and in a build with sanitizers, where a fork alone takes some. In
# microseconds.
HELD_UP=50000
PROCESSOR=1000000

setup_file() {
	[[ $EUID -eq 0 ]] || skip "network namespaces need root"
	export F=$BATS_FILE_TMPDIR
	printf '{"schema":1,"outcome":"done","cmdline":"%s"}' "$(head -c 60000 /dev/zero |
		tr '\0' x)" >"$F/state.json"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$F/key.pem" \
		-out "$F/cert.pem" \
		-subj "/CN=boots.example" -addext "subjectAltName=DNS:boots.example" -days 3650 \
		2>/dev/null
}

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	T=$BATS_TEST_TMPDIR
	B=$(realpath "${BUILD:-build}")
	FLAVOUR=musl
	mkdir -p "$T/root/etc/initagent"
	namespace "iar$$x$BATS_TEST_NUMBER"
}

# tell OPTION... RD.REPORT...: runs the room; fails when the boot was held up.
tell() {
	run --separate-stderr ip netns exec "$NS" timeout 60 "$B/$FLAVOUR/tests/tell/telldrive" \
		--prefix "$T/root" "$@"
	# shellcheck disable=SC2154 # set by run
	printf '%s\n' "$output" "errors:" "$stderr"
	[ "$status" -eq 0 ]
	held_up
}

# held_up: microseconds that all calls into the room slept and ran together.
held_up() {
	local us ran
	us=$(sed -n 's/^all //p' <<<"$output")
	ran=$(sed -n 's/^processor //p' <<<"$output")
	echo "held up for $us us, and $ran us on a processor" | tee -a "$F/held-up"
	((us < HELD_UP && ran < PROCESSOR))
}

# rsyslog: the recipe of the docs, with the ports and the folder of the case; lines come to $LINES.
rsyslog() {
	mkdir -p "$T/log"
	LINES=$T/log/$(date -u +%Y-%m-%d).json
	sed -e "s|/var/log/initagent|$T/log|" docs/collector/rsyslog.conf >"$T/rsyslog.conf"
	TZ=UTC ip netns exec "$NS" rsyslogd -n -iNONE -f "$T/rsyslog.conf" 3>&- &
	PIDS+=($!)
	ready ip netns exec "$NS" bash -c ': </dev/tcp/127.0.0.1/514'
	ready takes_datagrams
}

# takes_datagrams: rsyslog's other socket, which what is sent by UDP would be lost without.
takes_datagrams() {
	[[ -n $(ip netns exec "$NS" ss -H -lun "sport = :514") ]]
}

# connected: the node has a connection to rsyslog.
connected() {
	[[ -n $(ip netns exec "$NS" ss -H -tn state established "dport = :514") ]]
}

# later: in a process of its own, which takes it along when it ends.
later() {
	rsyslog
	trap 'kill "${PIDS[-1]}"; exit' TERM
	wait
}

# lines N: waits for so many lines.
lines() {
	ready eval "[[ -s '$LINES' && \$(wc -l <'$LINES') -ge $1 ]]"
	cat "$LINES"
	[ "$(wc -l <"$LINES")" -eq "$1" ]
}

# collector: nginx as in the docs, behind another server of its port, which the first is without
# default_server.
collector() {
	N=$T/nginx
	mkdir -p "$N/srv/boots"
	{
		printf 'daemon off; user root; pid %s/pid; error_log %s/error;\n' "$N" "$N"
		printf 'events { worker_connections 64; }\nhttp { access_log %s/access;\n' "$N"
		for path in proxy fastcgi uwsgi scgi; do printf '%s_temp_path %s/t;\n' "$path" \
			"$N"; done
		echo 'server { listen 80; server_name other; return 404; }'
		sed -e "s|/srv|$N/srv|" docs/collector/nginx.conf
		echo '}'
	} >"$N/conf"
	ip netns exec "$NS" nginx -e "$N/error" -c "$N/conf" 3>&- &
	PIDS+=($!)
	ready ip netns exec "$NS" bash -c ': </dev/tcp/127.0.0.1/80'
}

rude() {
	ip netns exec "$NS" "$B/host/tests/tell/rude" "$@" 3>&- &
	PIDS+=($!)
	ready ip netns exec "$NS" bash -c ": </dev/tcp/127.0.0.1/$1"
}

# --- syslog --------------------------------------------------------------------------------------

@test "the recipe for rsyslog is right in rsyslog's own eyes" {
	rsyslogd -N1 -f docs/collector/rsyslog.conf
}

@test "rsyslog over UDP: wait, cause and outcome, each with its data" {
	rsyslog
	tell syslog://127.0.0.1
	lines 3
	jq -es '[.[].kind] == ["wait", "cause", "done"]' "$LINES"
	jq -es 'all(.node == "n17" and .from == "127.0.0.1")' "$LINES"
	jq -es '[.[].severity] == ["warning", "err", "info"]' "$LINES"
	jq -es '.[1] | .text == "a cause \"in quotes\"" and .code == "IA-E402" and
		.where == "ib0"' "$LINES"
	jq -es '.[1] | .device == "mlx5_0/1" and .guid == "0002c90300a1b2c3"' "$LINES"
	[[ $output != *missed* ]]
}

@test "rsyslog over TCP: the same, and sixty messages at once" {
	rsyslog
	tell --items 60 syslog+tcp://127.0.0.1
	lines 62
	jq -es '.[61].kind == "done"' "$LINES"
	[[ $output != *missed* ]]
}

@test "messages from before there was a network are sent with the time they are of" {
	rsyslog
	tell --late 300 --for 50 syslog://127.0.0.1
	lines 3
	jq -es 'def time: sub("\\..*"; "Z") | fromdate;
		.[1] | (.sent | time) <= (.received | time)' "$LINES"
	jq -es '((.[2].uptime | tonumber) - (.[1].uptime | tonumber)) >= 0.3' "$LINES"
}

@test "a server by name, once the name is known; and never, when nobody knows it" {
	rsyslog
	tell --resolve 127.0.0.1 syslog://logs.example
	lines 3
	tell syslog://logs.example
	[[ $output == *"missed syslog://logs.example: 3 of 3 messages were not sent:\
 the server's address is not known"* ]]
}

@test "a server that comes up while the node boots gets what was kept for it" {
	# Connections are refused until then; the next attempt is after half a second to a second.
	local before
	# AttemptFails
	attempts() { ip netns exec "$NS" awk '/^Tcp: [0-9]/ { print $8 }' /proc/net/snmp; }
	one_more() { [ "$(attempts)" -gt "$before" ]; }
	before=$(attempts)
	(
		ready one_more
		later
	) 3>&- &
	PIDS+=($!)
	LINES=$T/log/$(date -u +%Y-%m-%d).json
	tell --until "$LINES" syslog+tcp://127.0.0.1
	lines 3
}

@test "a server that restarts while the node boots gets all of it, once it is back" {
	rsyslog
	(
		ready [ -s "$LINES" ]
		kill "${PIDS[0]}"
		tail --pid="${PIDS[0]}" -f /dev/null
		later
	) 3>&- &
	PIDS+=($!)
	(
		ready [ -s "$LINES" ]
		tail --pid="${PIDS[0]}" -f /dev/null
		ready connected
		echo back >"$T/back"
	) 3>&- &
	PIDS+=($!)
	tell --until "$T/back" syslog+tcp://127.0.0.1
	ready grep -q '"done"' "$LINES"
	cat "$LINES"
	[ "$(jq -r .kind "$LINES" | sort -u | xargs)" = "cause done wait" ]
	[[ $output != *missed* ]]
}

@test "no server: refused, unreachable, silent: the boot continues and reports the loss" {
	rude 515 silent
	HELD_UP=300000 # 200 causes, five servers
	tell --items 200 syslog://127.0.0.1:9 syslog+tcp://127.0.0.1:9 syslog+tcp://10.9.9.9 \
		syslog://192.0.2.1 \
		syslog+tcp://127.0.0.1:515
	[[ $output == *"missed syslog+tcp://127.0.0.1:9: 202 of 202 messages were not sent:\
 Connection refused"* ]]
	[[ $output == *"missed syslog+tcp://10.9.9.9: 202 of 202 messages were not sent:\
 no answer in time"* ]]
	[[ $output == *"missed syslog://192.0.2.1: 202 of 202 messages were not sent: Network "* ]]
}

@test "rude syslog servers: hang up, flood, dribble" {
	rude 601 close
	rude 602 flood
	rude 603 dribble
	HELD_UP=300000
	tell --items 200 --for 1500 syslog+tcp://127.0.0.1:601 syslog+tcp://127.0.0.1:602 \
		syslog+tcp://127.0.0.1:603
}

# --- xCAT ----------------------------------------------------------------------------------------

# xcatd PORT MODE: its lines come to $T/told.
xcatd() {
	ip netns exec "$NS" "$B/host/tests/tell/rude" "$@" 3>&- >>"$T/told" &
	PIDS+=($!)
	ready ip netns exec "$NS" bash -c ": </dev/tcp/127.0.0.1/$1"
}

@test "an xCAT master is told that the node boots, and that it failed" {
	for FLAVOUR in musl host; do
		rm -f "$T/told"
		xcatd 3002 xcatd
		tell --until "$T/told" xcat://127.0.0.1
		ready grep -q netbooting "$T/told"
		[[ $output != *missed* ]]
		tell --failed xcat://127.0.0.1
		[[ $output != *missed* ]]
		run -0 cat "$T/told"
		[ "$output" = "installstatus netbooting
installstatus netbooting
installstatus failed" ]
		# the next one has the same port
		kill "${PIDS[-1]}"
		tail --pid="${PIDS[-1]}" -f /dev/null
	done
}

# The rule is that of xCAT's /etc/rsyslog.d/xcat-cluster.conf.
@test "an xCAT master's cluster.log has the cause, in lines like those of xCAT's own initramfs" {
	cat >"$T/rsyslog.conf" <<-EOF
	module(load="imudp")
	input(type="imudp" port="514")
	\$template xCAT,"%HOSTNAME% %syslogtag% %syslogseverity-text:::uppercase% %msg%\n"
	:programname, startswith, "xcat." $T/cluster.log;xCAT
	EOF
	ip netns exec "$NS" rsyslogd -n -iNONE -f "$T/rsyslog.conf" 3>&- &
	PIDS+=($!)
	ready takes_datagrams
	xcatd 3002 xcatd
	tell --failed xcat://127.0.0.1
	[[ $output != *missed* ]]
	ready grep -q "this is the end" "$T/cluster.log"
	cat "$T/cluster.log"
	for line in 'ERR initagent: ib0: IA-E402 a cause "in quotes"' \
		'CRIT initagent: IA-E703 this is the end'; do
		grep -qE "^n17 xcat\.deployment\[[0-9]+\] $line\$" "$T/cluster.log"
	done
	[ "$(wc -l <"$T/cluster.log")" -eq 3 ]
}

@test "xCAT masters that do not behave: a boot does not wait, and says what was not taken" {
	xcatd 3001 drowsy
	xcatd 3003 stranger
	rude 601 flood
	rude 602 dribble
	rude 603 garbage
	tell --failed --limit 2000 --for 1500 xcat://127.0.0.1:3001 xcat://127.0.0.1:3003 \
		xcat://127.0.0.1:9 xcat://127.0.0.1:601 xcat://127.0.0.1:602 xcat://127.0.0.1:603
	for port in 3001 3003 9 601 602 603; do
		[[ $output == *"missed xcat://127.0.0.1:$port: state failed not accepted: "* ]]
	done
	[[ $output == *":9: state failed not accepted: Connection refused"* ]]
	# 2 s; what the room itself takes of them is limited above
	(($(sed -n 's/^waited //p' <<<"$output") < 4000))
}

# --- the state -----------------------------------------------------------------------------------

@test "nginx as in the docs keeps the state as NODE.json; the boot does not wait for it" {
	collector
	tell --state "$F/state.json" http://127.0.0.1/boots/
	ready cmp "$F/state.json" "$N/srv/boots/n17.json"
	[ "$(stat -c %a "$N/srv/boots/n17.json")" = 644 ]
}

@test "a failed boot waits until its state is there" {
	collector
	tell --failed --state "$F/state.json" http://127.0.0.1/boots/
	cmp "$F/state.json" "$N/srv/boots/n17.json"
	[[ $output != *missed* ]]
	# it ended with the answer, not with its limit
	(($(sed -n 's/^waited //p' <<<"$output") < 60000))
}

@test "the sanitized flavour does the same" {
	FLAVOUR=host
	collector
	rsyslog
	tell --failed --state "$F/state.json" http://127.0.0.1/boots/ syslog+tcp://127.0.0.1
	cmp "$F/state.json" "$N/srv/boots/n17.json"
	lines 3
}

@test "a node's name cannot lead out of the folder" {
	collector
	tell --failed --node '../../etc/.pass wd"' --state "$F/state.json" http://127.0.0.1/boots/
	cmp "$F/state.json" "$N/srv/boots/_._.._etc_.pass_wd_.json"
}

@test "others may not read, list or delete what is there" {
	collector
	tell --failed --state "$F/state.json" http://127.0.0.1/boots/
	for request in "-X GET n17.json" "-X GET " "-X DELETE n17.json" "-T $F/cert.pem ../x.json" \
		"-T $F/cert.pem .x.json"; do
		# shellcheck disable=SC2086 # words
		set -- $request
		run -0 ip netns exec "$NS" curl -s -o /dev/null -w '%{http_code}' "$1" "$2" \
			--path-as-is \
			"http://127.0.0.1/boots/${3:-}"
		echo "$request: $output"
		[[ $output == 40[345] ]]
	done
	cmp "$F/state.json" "$N/srv/boots/n17.json"
}

@test "POST to a URL that is no folder" {
	mkdir -p "$T/in"
	nginx_on 8080 "location /in {
			client_body_in_file_only on; client_body_temp_path $T/in;
			client_max_body_size 1m;
		proxy_pass http://127.0.0.1:8081; proxy_set_body off; }"
	nginx_on 8081 "location / { return 204; }"
	tell --failed --state "$F/state.json" http://127.0.0.1:8080/in
	[[ $output != *missed* ]]
	cmp "$F/state.json" "$(find "$T/in" -type f)"
	# nginx writes it down behind its answer
	ready grep -q '"POST /in HTTP/1.1" 204' "$T/nginx8080/access"
}

@test "a server that answers with a failure is asked again, and believed when it says no" {
	nginx_on 8080 "location / { return 503; }"
	tell --failed --state "$F/state.json" http://127.0.0.1:8080/in
	[[ $output == *"missed http://127.0.0.1:8080/in: "* ]]
	(($(grep -c POST "$T/nginx8080/access") > 1))
	nginx_on 8082 "location / { return 403; }"
	tell --failed --state "$F/state.json" http://127.0.0.1:8082/in
	[[ $output == *"missed http://127.0.0.1:8082/in: the state could not be sent:\
 the server answered 403"* ]]
	ready grep -q POST "$T/nginx8082/access"
	(($(grep -c POST "$T/nginx8082/access") == 1))
}

@test "https: a certificate that is trusted, one that is not, and none that could be" {
	nginx_on "8443 ssl" "ssl_certificate $F/cert.pem; ssl_certificate_key $F/key.pem;
		client_max_body_size 1m;
		location / { dav_methods PUT; root $T; }"
	tell --failed --resolve 127.0.0.1 --state "$F/state.json" https://boots.example:8443/
	[[ $output == *"missed https://boots.example:8443/: the state could not be sent: "* ]]
	[ ! -e "$T/n17.json" ]
	cp "$F/cert.pem" "$T/root/etc/initagent/ca.pem"
	tell --failed --resolve 127.0.0.1 --state "$F/state.json" https://boots.example:8443/
	cmp "$F/state.json" "$T/n17.json"
	tell --failed --resolve 127.0.0.1 --state "$F/state.json" https://other.example:8443/
	[[ $output == *"missed https://other.example:8443/: the state could not be sent: "* ]]
}

@test "absent or hostile web servers do not delay a boot; a failed one waits 2 s at most" {
	local port=700 mode
	for mode in silent close garbage flood dribble; do
		rude $((++port)) "$mode"
	done
	local urls=(http://127.0.0.1:9/ http://10.9.9.9/ http://nobody.example/ \
		http://127.0.0.1:70{1,2,3,4,5}/)
	tell --state "$F/state.json" "${urls[@]}"
	tell --failed --limit 2000 --state "$F/state.json" "${urls[@]}"
	# 2 s; what the room itself takes of them is limited above
	(($(sed -n 's/^waited //p' <<<"$output") < 4000))
	(($(grep -c ^missed <<<"$output") == 8))
	[[ $output == *"missed http://10.9.9.9/: the state was not accepted in time"* ]]
	[[ $output == *"missed http://nobody.example/: the state could not be sent:\
 the server's address is not known"* ]]
}

# senders: the processes that send, in this namespace
senders() {
	local pid
	# unchecked: none is an answer as well
	for pid in $(ip netns pids "$NS"); do
		[[ $(cat "/proc/$pid/comm") == initagent-post ]] && echo "$pid"
	done
	true
}

@test "the process that sends outlives the agent, has no rights, and is ended by the kernel" {
	local pid began=$SECONDS
	tell --state "$F/state.json" http://10.9.9.9/
	pid=$(senders)
	[ "$(wc -w <<<"$pid")" -eq 1 ]
	ready grep -q '^Seccomp:	2' "/proc/$pid/status"
	grep -q '^Uid:	65534	65534	65534	65534' "/proc/$pid/status"
	grep -q '^CapEff:	0000000000000000' "/proc/$pid/status"
	grep -q '^NoNewPrivs:	1' "/proc/$pid/status"
	[ "$(find "/proc/$pid/fd" -lname '/*' ! -lname /dev/null ! -lname /dev/kmsg |
		wc -l)" -eq 0 ]
	# systemd asks all that runs to end, before it switches to the real root.
	kill -TERM "$pid"
	kill -HUP "$pid"
	# Stopped, it cannot end by itself.
	kill -STOP "$pid"
	timeout 60 tail --pid="$pid" -s 0.2 -f /dev/null
	((SECONDS - began >= 8))
}
