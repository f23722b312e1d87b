#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2030,SC2031 # bats runs each case with its setup and teardown in one subshell
#
# The fetch room against nginx and against a server that does what a server must not do
# (tests/fetch/hostile.c says what), in a network namespace of its own. "Wrong" always means: no
# "done", whatever the bytes in the file are.
# first: real time-outs of servers
# shares: 4
bats_require_minimum_version 1.5.0

load lib/servers

setup_file() {
	[[ $EUID -eq 0 ]] || skip "network namespaces need root"
	export F=$BATS_FILE_TMPDIR
	# 3,000,000 bytes: not a multiple of anything.
	head -c 3000000 /dev/urandom >"$F/file"
	SUM=$(sum "$F/file")
	export SUM
	certificates
}

sum() {
	sha256sum "$1" | cut -d' ' -f1
}

# digests SIZE: of the parts of standard input, raw.
digests() {
	perl -MDigest::SHA=sha256 \
		-e 'binmode STDIN; $/ = \$ARGV[0]; print sha256($_) while <STDIN>' "$1"
}

# certificates: an authority, and certificates of it and of others: good, for another name, expired,
# from the future.
certificates() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$F/ca.key" \
		-out "$F/ca.pem" \
		-subj "/CN=lab authority" -days 3650 2>/dev/null
	certificate good images.example "$F/ca" -days 3650
	certificate rsa images.example "$F/ca" -days 3650
	certificate other elsewhere.example "$F/ca" -days 3650
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$F/self.key" \
		-out "$F/self.pem" \
		-subj "/CN=images.example" -addext "subjectAltName=DNS:images.example" -days 3650 \
		2>/dev/null
	certificate expired images.example "$F/ca" -not_before 20200101000000Z \
		-not_after 20210101000000Z
	certificate future images.example "$F/ca" -not_before 20900101000000Z \
		-not_after 20990101000000Z
}

# certificate NAME HOST CA OPTION...: by "openssl ca" where dates are given, which x509 of this
# release cannot set.
certificate() {
	local name=$1 host=$2 ca=$3 key=(ec -pkeyopt ec_paramgen_curve:P-256)
	shift 3

	[[ $name != rsa ]] || key=(rsa:2048)
	openssl req -newkey "${key[@]}" -nodes -keyout "$F/$name.key" -out "$F/$name.csr" \
		-subj "/CN=$host" 2>/dev/null
	: >"$F/$name.index"
	cat >"$F/$name.conf" <<-CONF
		[ca]
		default_ca = lab
		[lab]
		database = $F/$name.index
		new_certs_dir = $F
		rand_serial = yes
		default_md = sha256
		policy = any
		x509_extensions = ext
		[any]
		commonName = supplied
		[ext]
		subjectAltName = DNS:$host, IP:127.0.0.1
	CONF
	if [[ $1 == -not_before ]]; then
		set -- -startdate "$2" -enddate "$4"
	fi
	openssl ca -batch -config "$F/$name.conf" -cert "$ca.pem" -keyfile "$ca.key" \
		-in "$F/$name.csr" \
		-out "$F/$name.pem" "$@" 2>/dev/null
}

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	T=$BATS_TEST_TMPDIR
	B=$(realpath "${BUILD:-build}")
	FLAVOUR=host
	mkdir -p "$T/root/etc"
	namespace "iaf$$x$BATS_TEST_NUMBER"
}

# fetch OPTION... URL...: runs the room; its lines are $output.
fetch() {
	local drive=$B/$FLAVOUR/tests/fetch/fetchdrive

	# unchecked: right, wrong and the callers look at $status
	run --separate-stderr ip netns exec "$NS" timeout 60 "$drive" --prefix "$T/root" \
		--deadline 20000 \
		--stall 1000 "$@"
	# shellcheck disable=SC2154 # set by run
	printf '%s\n' "$output" "errors:" "$stderr"
}

to_file() {
	fetch --out "$T/out" "$@"
}

# right: it is done, and it is the file.
right() {
	[ "$status" -eq 0 ]
	[[ $output == *"done 3000000"* ]]
	cmp "$T/out" "$F/file"
}

# wrong CODE TEXT: it stopped with that cause, and never said "done".
wrong() {
	[ "$status" -eq 3 ]
	[[ $output == *"fatal IA-E$1 "*"$2"* ]]
	[[ $output != *"done "* ]]
}

# sent: how many bytes of bodies the server sent in all.
sent() {
	logged
	awk '{ n += $3 } END { printf "%d\n", n }' "$LOG"
}

# tried PREFIX N: so many requests, of paths that begin so, have come.
tried() {
	logged
	[ "$(grep -cF "$1" "$LOG")" -eq "$2" ]
}

# --- as it should be -----------------------------------------------------------------------------

@test "nginx: a whole file, with digest and size" {
	nginx_on 8080
	to_file --sha256 "$SUM" --size 3000000 http://127.0.0.1:8080/file
	right
	[[ $output == *"size 3000000 http://127.0.0.1:8080"* ]]
}

@test "nginx: an empty file, and one of a byte" {
	nginx_on 8080
	: >"$F/empty"
	printf x >"$F/byte"
	to_file --sha256 "$(sum "$F/empty")" http://127.0.0.1:8080/empty
	[[ $output == *"done 0 1"* && ! -s $T/out ]]
	to_file --sha256 "$(sum "$F/byte")" http://127.0.0.1:8080/byte
	[[ $output == *"done 1 1"* ]]
}

@test "the static flavour does the same" {
	FLAVOUR=musl
	nginx_on 8080
	to_file --sha256 "$SUM" http://127.0.0.1:8080/file
	right
}

@test "IPv6" {
	hostile ::1
	to_file --sha256 "$SUM" "$U/a"
	right
}

# A server's redirect cannot know it: the name of an interface is this end's.
@test "IPv6, a link-local address of the interface that the URL names" {
	ip -n "$NS" link add near type veth peer name far
	ip -n "$NS" addr add fe80::77/64 dev near nodad
	ip -n "$NS" link set far up
	ip -n "$NS" link set near up
	hostile ::
	U="http://[fe80::77%25near]:${U##*:}"
	to_file --sha256 "$SUM" "$U/a"
	right
	to_file --sha256 "$SUM" "$U/a?status=302&loc=http://[fe80::77]:${U##*:}/b"
	right
	# it may come yet
	ip -n "$NS" link del near
	to_file --retries 1 "$U/a"
	[[ $output == *"retry IA-E621 http://[fe80::77%25near]"*"no such interface"* ]]
}

@test "chunked, with interim answers before and trailers behind" {
	hostile
	to_file --sha256 "$SUM" "$U/a?chunked&trailer&interim"
	right
}

@test "into memory, with a limit" {
	nginx_on 8080
	echo '{"name":"image"}' >"$F/manifest"
	fetch --memory --limit 100 http://127.0.0.1:8080/manifest
	[ "$status" -eq 0 ]
	[[ $output == *'memory {"name":"image"}'* ]]
	fetch --memory --limit 10 http://127.0.0.1:8080/manifest
	wrong 632 "17 bytes (0 MiB), room for 10 (0 MiB)"
}

@test "memory has a limit even if nobody sets one" {
	hostile
	fetch --memory "$U/a"
	wrong 632 "3000000 bytes (2 MiB), room for 1048576 (1 MiB)"
	fetch --memory "$U/b?chunked"
	wrong 632 "more than the 1048576 bytes (1 MiB) there is room for"
}

@test "redirects: relative, to another server, and a name in between" {
	hostile
	local first=$U
	hostile
	echo "127.0.0.1 second.example" >"$T/root/etc/hosts"
	to_file --sha256 "$SUM" "$first/a?status=302&loc=${U/127.0.0.1/second.example}/c"
	right
	[[ $output == *"lookup second.example"*"size 3000000 http://second.example"* ]]
	to_file --sha256 "$SUM" "$first/folder/a?status=307&loc=../b"
	right
}

@test "a proxy is given the whole URL and looks the name up itself" {
	nginx_on 8081
	nginx_on 8080 'location / { proxy_pass http://127.0.0.1:8081; }'
	to_file --sha256 "$SUM" --proxy 127.0.0.1:8080 http://nowhere.example/file
	right
	# nginx writes it down behind the last byte
	ready grep -q 'GET http://nowhere.example/file' "$N/access"
	[[ $output != *lookup* ]]
}

# The kernel makes init's environment of what it does not know on its command line.
@test "a proxy is the one given, whatever the environment says" {
	hostile
	no_proxy='*' http_proxy=http://10.9.9.9 to_file --proxy "$U" http://nowhere.example/file
	right
	http_proxy=http://10.9.9.9 to_file "$U/file"
	right
}

# --- broken off -----------------------------------------------------------------------------------

@test "cut short again and again: it goes on where it was, even without digest" {
	hostile
	to_file "$U/a?cut=700000"
	right
	[[ $output == *"retry IA-E624 "*"done 3000000 5"* ]]
	[ "$(sent)" -eq 3000000 ]
}

@test "broken at 20 random points, every other time with a reset: at most 5 % more bytes" {
	FLAVOUR=musl
	head -c 50000000 /dev/urandom >"$F/large"
	hostile 127.0.0.1 "$F/large"
	fetch --out "$T/out" --deadline 60000 --sha256 "$(sum "$F/large")" \
		"$U/a?rcut=4000000&times=10" \
		"$U/b?rcut=4000000&times=10&rst"
	[ "$status" -eq 0 ]
	cmp "$T/out" "$F/large"
	[ "$(grep -c ^retry <<<"$output")" -ge 10 ]
	echo "sent $(sent) bytes in $(wc -l <"$LOG") requests"
	[ "$(sent)" -le 52500000 ]
}

@test "silence in the middle: given up after a while, then it goes on" {
	hostile
	to_file --sha256 "$SUM" "$U/a?cut=1000000&stall&times=1"
	right
	[[ $output == *"retry IA-E625 "*"1000000 bytes there"* ]]
	[ "$(sent)" -eq 2000000 ] || [ "$(sent)" -eq 3000000 ]
}

@test "slow-loris: a byte now and then is no progress, in the body and in the head" {
	hostile
	to_file --sha256 "$SUM" "$U/a?drip=50&times=1"
	right
	[[ $output == *"retry IA-E625 "* ]]
	to_file --sha256 "$SUM" "$U/b?driphead=50&times=1"
	right
	[[ $output == *"retry IA-E625 "* ]]
}

@test "mirrors: refused, silent and 404 ones are left for the one that works" {
	hostile
	local node
	for node in 1 2 3; do
		to_file --sha256 "$SUM" --node $node http://127.0.0.1:1/a http://10.9.9.9/a \
			"$U/x?status=404" "$U/a"
		right
	done
}

@test "mirrors: half from one, half from another, when a digest is known" {
	hostile
	to_file --sha256 "$SUM" "$U/a?etag=x&cut=1500000&times=1&status=404&since=1" \
		"$U/b?etag=y&cut=1500000&times=1&status=404&since=1"
	right
	[ "$(sent)" -eq 3000000 ]
}

@test "mirrors: without a digest, another mirror's bytes are never joined" {
	hostile
	to_file "$U/a?etag=x&cut=1500000&times=1&status=404&since=1" \
		"$U/b?etag=y&other&cut=1500000&times=1"
	[ "$status" -eq 0 ]
	# All of one or all of the other.
	cmp "$T/out" "$F/file" || [ "$(sum "$T/out")" = \
		"$(perl -pe '$_ ^= "\x55" x length' "$F/file" | sha256sum | cut -d' ' -f1)" ]
	[ "$(sent)" -ge 4500000 ]
}

@test "the process that fetches dies: another one begins anew" {
	hostile
	to_file --sha256 "$SUM" --kill-child 1000000 "$U/a?cut=1500000&stall&times=1" --stall 1500
	right
	[[ $output == *"retry IA-E637 "* ]]
}

@test "a server that has no ranges: the bytes there already are not written twice" {
	hostile
	to_file --sha256 "$SUM" "$U/a?norange&cut=1000000&times=1"
	right
	to_file "$U/b?norange&cut=1000000&times=1"
	right
	to_file "$U/c?norange&noetag&nolm&cut=1000000&times=1"
	right
}

@test "a server that has no ranges: bytes that come again are no silence" {
	hostile
	to_file --sha256 "$SUM" "$U/a?norange&rate=900000&cut=2500000&times=1"
	right
	tried /a 2
}

@test "503 with Retry-After, in seconds and as a date" {
	hostile
	local began=$SECONDS
	to_file --sha256 "$SUM" "$U/a?status=503&after=2&until=1"
	right
	[[ $output == *"retry IA-E623 "*"HTTP status 503"* ]]
	[ $((SECONDS - began)) -ge 2 ]
	to_file --sha256 "$SUM" "$U/b?status=429&after=Sun,%2006%20Nov&until=1"
	right
}

@test "Retry-After as a date: what counts is how far off it is from the server's own clock" {
	hostile
	local began=$SECONDS date
	# A node without a clock, and one whose server has none: of the last century, and of the
	# next.
	local at=08:49
	for date in "Sun,+06+Nov+1994" "Sat,+06+Nov+2094"; do
		to_file --sha256 "$SUM" "$U/${date: -4}?status=503&until=1&date=$date+$at:37+GMT\
&after=$date+$at:39+GMT"
		right
		[[ $output == *"retry IA-E623 "*"done 3000000 2"* ]]
	done
	[ $((SECONDS - began)) -ge 4 ]
	# A date without one to measure it by, one of the past, and the forms of old: the own waits.
	for date in "after=Sun,+06+Nov+2094+08:49:37+GMT" \
		"after=Sun,+06+Nov+1994+08:49:37+GMT&date=Sun,+06+Nov+1994+08:50:37+GMT" \
		"after=Sunday,+06-Nov-94+08:49:37+GMT&date=Sun,+06+Nov+1994+08:49:37+GMT"; do
		to_file --sha256 "$SUM" "$U/${#date}?status=503&until=1&$date"
		right
	done
}

# --- lies -----------------------------------------------------------------------------------------

@test "more announced than there is: never complete" {
	hostile
	to_file --sha256 "$SUM" "$U/a?len=6000000"
	wrong 627 ""
	to_file "$U/b?len=6000000&noetag&nolm" --deadline 3000
	[[ $output != *"done "* ]]
}

@test "less announced than there is: not the file asked for" {
	hostile
	to_file --sha256 "$SUM" "$U/a?len=1000000"
	wrong 630 "not $SUM"
	to_file --size 3000000 "$U/a?len=1000000"
	wrong 626 "1000000 bytes, but it should have 3000000"
}

@test "lengths that contradict each other, or none at all" {
	# by the curl that is linked in: newer ones refuse other things in other words
	FLAVOUR=musl
	hostile
	to_file "$U/a?len2=5"
	wrong 626 "contradict"
	to_file "$U/b?coding=chunked"
	wrong 626 "contradict"
	to_file "$U/c?nolen"
	wrong 626 "no Content-Length"
	to_file --sha256 "$SUM" "$U/d?nolen"
	wrong 626 "no Content-Length"
	# With the size known from elsewhere, the end of the connection decides nothing.
	to_file --size 3000000 "$U/e?nolen"
	right
	to_file --size 3000000 "$U/f?nolen&cut=1000000&noetag&nolm&times=1"
	right
}

@test "ranges: unasked, shifted, of another size" {
	hostile
	to_file --sha256 "$SUM" "$U/a?force206"
	wrong 627 "206 although the whole file was requested"
	# A part that cannot be used: the whole file is asked for instead, once.
	to_file --sha256 "$SUM" "$U/b?cut=1000000&times=1&first=5&since=1"
	right
	[[ $output == \
		*"IA-E627"*"asked for the bytes from 1000000 on, got 1000005-2999999 of 3000000"* ]]
	to_file --sha256 "$SUM" "$U/c?cut=1000000&times=1&total=5&since=1"
	right
	[[ $output == *"IA-E629"*"another version: 3000005 bytes"* ]]
	to_file --sha256 "$SUM" "$U/d?cut=1000000&times=1&len=5&since=1&until=2"
	right
	[[ $output == *"IA-E627"*"Content-Length 5, but a range of 2000000"* ]]
}

@test "ranges: without Content-Range, with two of them, of a size that is not said; many in one" {
	hostile
	to_file "$U/a?cut=1000000&times=1&nocr&since=1"
	right
	[[ $output == *"206 that does not say for which bytes"* ]]
	to_file "$U/b?cut=1000000&times=1&since=1&line=Content-Range:+bytes+0-5/3000000"
	wrong 626 ""
	to_file "$U/c?cut=1000000&times=1&since=1&star"
	right
	[[ $output != *"IA-E627"* ]]
	to_file "$U/d?cut=1000000&times=1&since=1&multipart"
	right
	[[ $output == *"IA-E627"* ]]
	# A range that was not requested is ignored beside the whole file.
	to_file "$U/e?line=Content-Range:+bytes+0-5/6"
	right
}

@test "ranges: fewer bytes than were asked for are taken, and the rest is asked for" {
	hostile
	to_file "$U/a?cut=1000000&times=1&short=300000"
	right
	[ "$(sent)" -eq 3000000 ]
	[[ $output != *"IA-E627"* ]]
	# No size is announced: the end of the transfer is the end of the file.
	hostile
	to_file "$U/b?chunked&cut=1000000&times=1&short=300000&star&gone"
	right
	[ "$(sent)" -eq 3000000 ]
}

@test "a chunked answer cut behind its last byte: complete if the server closed it" {
	hostile
	to_file "$U/a?chunked&noend&times=1&gone"
	right
	[ "$(sent)" -eq 3000000 ]
	[[ $output == *"IA-E624"* && $output != *"IA-E629"* ]]
	to_file --sha256 "$SUM" "$U/b?chunked&noend&times=1&gone&flip=17"
	wrong 630 "not $SUM"
}

@test "framing that is none: not HTTP, three times, then the next mirror" {
	local lie
	hostile
	for lie in "chunked&chunksize=zz" "chunked&chunksize=fffffffffffffffff" \
		"chunked&chunksize=-5" status=101; do
		to_file "$U/${lie/[=&]/-}?$lie"
		wrong 638 ""
		tried "/${lie/[=&]/-}?" 3
	done
	to_file --sha256 "$SUM" "$U/a?chunked&chunksize=zz" "$U/b"
	right
	# A reset is the connection's, however often.
	to_file "$U/c?chunked&cut=600000&times=4&rst"
	right
	[[ $output == *"IA-E624"* && $output != *"IA-E638"* ]]
}

@test "the file changed in the middle, and changes back: a wrong digest is not the last word" {
	hostile
	to_file --sha256 "$SUM" "$U/a?cut=1000000&times=1&since=1&until=2&etag=two&other"
	right
	[[ $output == *"IA-E630"* ]]
	# The same validator, other bytes: what was joined is of two versions.
	to_file --sha256 "$SUM" "$U/b?cut=1000000&times=1&since=1&until=2&other"
	right
	[[ $output == *"IA-E630"* ]]
	to_file --sha256 "$SUM" "$U/c?other&until=1"
	wrong 630 "not $SUM"
}

@test "numbers larger than any: more than there is room for, at once" {
	hostile
	to_file --limit 4000000 "$U/a?lentext=99999999999999999999"
	wrong 632 "room for 4000000"
	logged
	[ "$(wc -l <"$LOG")" -eq 1 ]
}

# bats test_tags=slow
@test "no connection: a server that does not answer, and one that there is no route to" {
	to_file --retries 1 http://10.9.9.2/file
	[[ $output == *"IA-E621"* && $output != *"IA-E625"* ]]
	# It is given up before the transfer would be.
	to_file --stall 60000 --retries 1 http://10.9.9.2/file
	[[ $output == *"IA-E621"*"no answer within 8 s"* ]]
	to_file --retries 1 http://198.51.100.1/file
	[[ $output == *"IA-E621"*"no route: "* ]]
	# the same text each time, or the console shows it with each attempt
	for FLAVOUR in host musl; do
		to_file --retries 1 http://127.0.0.1:9/file
		[[ $output == *"IA-E621"*"Connection refused"* && ! $output =~ after\ [0-9]+\ ms ]]
	done
}

@test "weak validators join nothing; with a digest they need not" {
	hostile
	to_file "$U/a?weak&nolm&cut=1000000&times=1"
	right
	[ "$(sent)" -eq 4000000 ]
	hostile
	to_file --sha256 "$SUM" "$U/a?weak&nolm&cut=1000000&times=1"
	right
	[ "$(sent)" -eq 3000000 ]
}

@test "the file changed between two ranges: started over" {
	hostile
	to_file "$U/a?cut=1000000&times=1&etag=two&since=1"
	right
	[ "$(sent)" -eq 4000000 ]
	# A server that does not heed If-Range.
	to_file --sha256 "$SUM" "$U/b?cut=1000000&times=1&noetag&etag=two&since=1"
	right
	to_file "$U/c?cut=1000000&times=1&since=1&status=416&until=2\
&line=Content-Range:+bytes+*/500000"
	right
	[[ $output == *"retry IA-E629 "* ]]
}

@test "other bytes under the same validator: the digest finds it" {
	hostile
	to_file --sha256 "$SUM" "$U/a?cut=1000000&times=1&other&since=1"
	wrong 630 "not $SUM"
}

@test "one wrong bit; another mirror has the right one" {
	hostile
	to_file --sha256 "$SUM" "$U/a?flip=2999999"
	wrong 630 "not $SUM"
	to_file --sha256 "$SUM" "$U/b?flip=17" "$U/c?flip=17&until=1"
	[ "$status" -eq 3 ]
	to_file --sha256 "$SUM" "$U/d?flip=17" "$U/e"
	right
}

@test "packed: unexpected Content-Encoding and Transfer-Encoding are refused at once" {
	hostile
	to_file "$U/a?enc=gzip"
	wrong 628 ""
	to_file "$U/b?coding=gzip,chunked&nolen"
	wrong 628 ""
	[ ! -s "$T/out" ]
}

@test "packed: a server that says of a packed file's name how the file is packed" {
	hostile
	to_file --sha256 "$SUM" "$U/root.cpio.gz?enc=x-gzip"
	right
	to_file "$U/a?status=302&loc=/root.tgz?enc=gzip"
	right
	to_file "$U/root.img?enc=aws-chunked"
	right
	to_file "$U/root.squashfs?enc=gzip"
	wrong 628 ""
	to_file "$U/root.gz?enc=br"
	wrong 628 ""
}

@test "redirects: loops, and targets that are none" {
	hostile
	to_file "$U/a?status=302&loc=/a?status=302"
	wrong 622 "HTTP status 302"
	to_file "$U/loop?status=302&loc=/loop"
	to_file "$U/b?status=302&loc=ftp://127.0.0.1/x"
	wrong 635 ""
	to_file "$U/c?status=302&loc=//user@127.0.0.1/x"
	wrong 635 ""
	nginx_on 8080 'location /loop { return 302 /loop; }'
	to_file http://127.0.0.1:8080/loop
	wrong 635 "too many in a row"
}

# With the token of a session that Amazon gives out for a while.
@test "redirects: to an object store's signed URL of 3 KB" {
	nginx_on 8080 "location /signed { return 302 /file?X-Amz-Security-Token=$(printf \
		'%03000d' 1); }"
	to_file --sha256 "$SUM" http://127.0.0.1:8080/signed
	right
}

@test "redirects: to itself, longer each time; with a body; with a fragment; from the midst of it" {
	hostile
	to_file "$U/a?status=302&grow"
	wrong 635 "too many in a row"
	to_file "$U/b?status=302&loc=/b2#part&line=Content-Length:+0"
	right
	to_file "$U/c?cut=1000000&times=1&status=302&loc=/c2&since=1" --sha256 "$SUM"
	right
}

@test "no HTTP at all, endless heads, folded lines" {
	# by the curl that is linked in: newer ones refuse other things in other words
	FLAVOUR=musl
	hostile
	to_file "$U/a?raw=SSH-2.0-OpenSSH"
	wrong 638 ""
	to_file "$U/b?heads=5000"
	wrong 638 ""
	to_file "$U/c?fold"
	wrong 638 ""
}

@test "403, 404: a file that is put there later, with and without Retry-After" {
	hostile
	local status_
	for status_ in 403 404; do
		to_file --sha256 "$SUM" "$U/$status_?status=$status_&until=1"
		right
		[[ $output == *"retry IA-E622 "*"HTTP status $status_"*"done 3000000 2"* ]]
	done
	local began=$SECONDS
	to_file --sha256 "$SUM" "$U/c?status=404&after=2&until=1"
	right
	[ $((SECONDS - began)) -ge 2 ]
	# It never comes: nothing but the owner's time ends it.
	to_file "$U/d?status=404" --retries 2
	[ "$status" -eq 4 ]
	[[ $output == *"retry IA-E622 "* && ! -s $T/out ]]
}

@test "statuses that end it: 401, 410, 204, 501" {
	hostile
	local status_
	for status_ in 401 410 204 501; do
		to_file "$U/a?status=$status_"
		wrong 622 "HTTP status $status_"
	done
}

@test "too large: refused with both numbers before the first byte" {
	hostile
	to_file --limit 2000000 "$U/a"
	wrong 632 "3000000 bytes (2 MiB), room for 2000000 (1 MiB)"
	[ ! -s "$T/out" ]
	to_file --limit 2000000 "$U/b?chunked"
	wrong 632 "more than the 2000000 bytes"
	[ "$(stat -c %s "$T/out")" -le 2000000 ]
}

@test "no room: the kernel's words" {
	hostile
	mkdir "$T/small"
	mount -t tmpfs -o size=1m none "$T/small"
	fetch --out "$T/small/out" "$U/a"
	umount "$T/small"
	wrong 636 "No space left on device after 1048576 bytes"
}

# --- chunks ---------------------------------------------------------------------------------------

# chunk_sums SIZE: the digests of the file's chunks, raw.
chunk_sums() {
	digests "$1" <"$F/file" >"$T/chunks"
}

@test "chunks: only the bad one is fetched again" {
	local size
	for size in 100000 1048576; do
		hostile
		chunk_sums $size
		to_file --size 3000000 --chunks "$T/chunks" $size \
			"$U/a?flip=1234567&until=1&rate=1500000"
		right
		[[ $output == *"retry IA-E631 "*"the chunk at byte $((1234567 / size * size))"* ]]
		# What was under way when it was found counts as well; from the large one's end it
		# is all there is. Begun anew it would be 4,300,000 at least.
		[ $size -gt 100000 ] || [ "$(sent)" -le 4200000 ]
	done
}

@test "chunks: a mirror that is always wrong is left" {
	hostile
	chunk_sums 100000
	to_file --size 3000000 --chunks "$T/chunks" 100000 "$U/a?flip=1234567"
	wrong 631 "the chunk at byte 1200000"
	to_file --size 3000000 --chunks "$T/chunks" 100000 "$U/b?flip=1234567" "$U/c"
	right
}

@test "chunks that do not fit the size are refused at once" {
	hostile
	chunk_sums 100000
	to_file --size 3100000 --chunks "$T/chunks" 100000 "$U/a"
	[[ $output == *"refused "*chunks* ]]
}

# --- what is there already ------------------------------------------------------------------------

@test "an agent that starts again: what is there is built upon" {
	hostile
	head -c 2000000 "$F/file" >"$T/out"
	fetch --have "$T/out" 2000000 --sha256 "$SUM" "$U/a"
	right
	[ "$(sent)" -eq 1000000 ]
	# All of it is there: a byte more is asked for, and is not.
	cp "$F/file" "$T/out"
	fetch --have "$T/out" 3000000 --size 3000000 --sha256 "$SUM" "$U/b"
	right
}

@test "an agent that starts again: wrong bytes are found, and cost the mirror nothing" {
	hostile
	head -c 2000000 /dev/zero >"$T/out"
	fetch --have "$T/out" 2000000 --sha256 "$SUM" "$U/a"
	right
	[[ $output == *"retry IA-E630 "* ]]
	# A file that is longer than it should be.
	head -c 4000000 /dev/zero >"$T/out"
	fetch --have "$T/out" 4000000 --size 3000000 --sha256 "$SUM" "$U/b"
	right
	# Nothing proves them: started again.
	head -c 2000000 "$F/file" >"$T/out"
	fetch --have "$T/out" 2000000 "$U/c"
	right
	logged
	[ "$(tail -n 1 "$LOG" | cut -d' ' -f2-3)" = "0 3000000" ]
}

@test "an agent that starts again: whole chunks that are right stay" {
	local size
	for size in 100000 1048576; do
		hostile
		chunk_sums $size
		head -c 2600000 "$F/file" >"$T/out"
		printf wrong | dd of="$T/out" bs=1 seek=1550000 conv=notrunc status=none
		fetch --have "$T/out" 2600000 --size 3000000 --chunks "$T/chunks" $size "$U/a"
		right
		[ "$(sent)" -eq $((3000000 - 1550000 / size * size)) ]
	done
}

# --- all of it ------------------------------------------------------------------------------------

# try_lie NUMBER QUERY OPTION...: whatever is wrong with what came is a line in $T/bad, and each
# file that came through one in $T/came.
try_lie() {
	local drive=$B/musl/tests/fetch/fetchdrive at=$T/$1 s=0

	ip netns exec "$NS" timeout 120 "$drive" --out "$at.file" --deadline 700 --stall 200 \
		"${@:3}" "$U/$1?$2" \
		>"$at.lines" 2>&1 || s=$?
	case $s in
	0)
		echo "$2" >>"$T/came"
		cmp "$at.file" "$F/file" >>"$T/bad" 2>&1 || echo "$2: the file" >>"$T/bad"
		;;
	3 | 4) if grep -q ^done "$at.lines"; then echo "$2: done, but not" >>"$T/bad"; fi ;;
	*) echo "$2: the file: status $s" >>"$T/bad" ;;
	esac
	rm -f "$at".*
}

# bats test_tags=slow
@test "whatever a server does: done means the right bytes, with a digest and with chunks" {
	local lie more n=0 jobs=()
	hostile
	chunk_sums 100000
	: >"$T/bad"
	for lie in cut=1000000 "cut=1000000&rst" "cut=999999&stall" drip=1 len=6000000 len=1000000 \
		len2=5 nolen chunked \
		"nolen&cut=1000000" "chunked&cut=1000000" "chunked&trailer&len2=7" norange \
		"norange&cut=1000000" force206 \
		"force206&cut=1000000" first=5 "first=-5" total=5 etag=y noetag other flip=0 \
		flip=1500000 flip=2999999 \
		status=206 enc=gzip coding=gzip coding=chunked interim fold heads=300 raw=x \
		status=404 status=503; do
		# Alone, after an honest beginning, and before an honest end.
		for more in "" "&cut=1500000&times=1&since=1" "&until=1&cut=2500000&times=1"; do
			n=$((n + 1))
			try_lie $n "$lie$more" --sha256 "$SUM" 3>&- &
			jobs+=($!)
			try_lie c$n "$lie$more" --size 3000000 --chunks "$T/chunks" 100000 3>&- &
			jobs+=($!)
			# Most of the time they wait.
			[ ${#jobs[@]} -lt 6 ] || { wait "${jobs[@]}"; jobs=(); }
		done
	done
	[ ${#jobs[@]} -eq 0 ] || wait "${jobs[@]}"
	echo "$(wc -l <"$T/came") of $((2 * n)) came through"
	cat "$T/bad"
	[ ! -s "$T/bad" ]
	[ "$(wc -l <"$T/came")" -ge 10 ]
}

# --- several connections --------------------------------------------------------------------------

# sixteen_from: the hostile server with 16,000,000 bytes, of which it gives 2,000,000 a second to
# each connection: 8 s. What it has sent and nobody read is counted as sent twice when a connection
# is closed, megabytes where the reader waits for a processor: sockets hold less.
sixteen_from() {
	ip netns exec "$NS" sysctl -qw net.ipv4.tcp_rmem="4096 65536 131072" \
		net.ipv4.tcp_wmem="4096 65536 131072"
	head -c 16000000 /dev/urandom >"$F/sixteen"
	hostile 127.0.0.1 "$F/sixteen"
}

# slow NAME QUERY OPTION...: what a fetch says is in $T/NAME, what it got in $T/NAME.out; many may
# run at once.
slow() {
	ip netns exec "$NS" timeout 60 "$B/$FLAVOUR/tests/fetch/fetchdrive" --out "$T/$1.out" \
		--deadline 40000 --stall 8000 \
		"${@:3}" "$U/$1?rate=${RATE:-2000000}&$2" >"$T/$1" 2>&1 3>&- || \
		[[ $? == [34] ]]
}

# came NAME ATTEMPTS EXTRA: all of it came, in so many attempts, with at most so many bytes more
# than there are.
came() {
	local sent

	logged
	sent=$(awk -v p="/$1?" 'index($1, p) == 1 { n += $3 } END { print n + 0 }' "$LOG")
	if ! grep -q "^done 16000000 $2" "$T/$1" || ! cmp "$T/$1.out" "$F/sixteen" ||
		[ "$sent" -gt $((16000000 + $3)) ]; then
		echo "$1: $sent bytes sent"
		cat "$T/$1"
		grep "^/$1?" "$LOG"
		return 1
	fi
	rm "$T/$1.out"
}

# ranges NAME: how many requests asked for a part.
ranges() {
	logged
	awk -v p="/$1?" 'index($1, p) == 1 && $2 { n++ } END { print n + 0 }' "$LOG"
}

# quick NAME: faster than one connection could, which gets no byte before it is due.
quick() {
	[ "$(sed -n 's/^ns //p' "$T/$1")" -lt 8000000000 ]
	[ "$(ranges "$1")" -ge 6 ]
}

@test "parts: a server slow for each connection is asked on several; nothing is sent twice" {
	sixteen_from
	slow host "" &
	FLAVOUR=musl
	slow musl "" --sha256 "$(sum "$F/sixteen")"
	wait $!
	came host ".*" 500000
	came musl 1 500000
	quick musl
	[[ $(<"$T/musl") =~ rss\ ([0-9]+)\ ([0-9]+) ]]
	[ $((BASH_REMATCH[1] + BASH_REMATCH[2])) -le 16384 ]
}

@test "parts: chunks, one of which is bad" {
	sixteen_from
	digests 100000 <"$F/sixteen" >"$T/chunks"
	slow good "" --size 16000000 --chunks "$T/chunks" 100000 &
	slow bad "flip=9000000&until=7" --size 16000000 --chunks "$T/chunks" 100000
	wait $!
	came good 1 500000
	[ "$(ranges good)" -ge 6 ]
	came bad "[23]" 9000000
	grep "^retry IA-E631 .*the chunk at byte 9000000" "$T/bad"
}

@test "parts: what is wrong with the second connection is no loss" {
	local query n=0 jobs=()
	sixteen_from
	# A server for one connection only, with a 503 or 429 for others; one without ranges, of
	# another version, without validator, of other ranges than asked for; one that breaks, falls
	# silent, or is something else.
	for query in "most=1" "status=429&after=60&since=1&until=2" norange \
		"etag=two&since=1&until=2" \
		"noetag&since=1&until=2" "first=4096&since=1&until=2" "last=-5&since=1&until=2" \
		"total=7&since=1&until=2" \
		"cut=100000&bfrom=1&times=2" "cut=100000&stall&bfrom=1&times=2" \
		"enc=gzip&since=1&until=2" \
		"status=302&loc=/x&since=1&until=2" "raw=SSH-2.0&since=1&until=2" \
		"drip=20&bfrom=1&times=2"; do
		slow bad$n "$query" --sha256 "$(sum "$F/sixteen")" &
		jobs+=($!)
		n=$((n + 1))
	done
	[ ${#jobs[@]} -eq 0 ] || wait "${jobs[@]}"
	for ((n--; n >= 0; n--)); do
		came bad$n "[12]" 1500000
	done
}

@test "parts: none where there is no strong validator, and none beyond what the link can carry" {
	sixteen_from
	slow noetag noetag &
	# 2,000,000 bytes a second are more than what 10 Mbit/s can carry.
	slow link "" --link 10000000
	wait $!
	came noetag 1 0
	came link 1 0
	[ "$(ranges noetag)" -eq 0 ]
	[ "$(ranges link)" -eq 0 ]
}

# bats test_tags=slow
@test "parts: broken again and again, at most 5 % more bytes; the file changes in between" {
	sixteen_from
	slow broken "rcut=900000&bfrom=1&times=21" --sha256 "$(sum "$F/sixteen")" &
	# From the sixth request on it is another file.
	slow changed "other&etag=two&since=5"
	wait $!
	came broken ".*" 800000
	grep '^done 16000000' "$T/changed"
	[ "$(sum "$T/changed.out")" = "$(perl -pe '$_ ^= "\x55" x length' "$F/sixteen" | sha256sum |
		cut -d' ' -f1)" ]
}

@test "parts: the process that fetches dies amid them; two mirrors that take turns" {
	sixteen_from
	slow died "" --kill-child 9000000 &
	# Each breaks for good after some requests; what is there is built upon.
	slow one "status=404&since=6" --sha256 "$(sum "$F/sixteen")" \
		"$U/two?rate=2000000&etag=x&status=404&since=9"
	wait $!
	grep '^retry IA-E637' "$T/died"
	came died ".*" 16000000
	came one ".*" 500000
}

@test "parts: a second connection that only shares what the first one had is taken back" {
	sixteen_from
	RATE=100000000 slow shared "share=2000000"
	came shared 1 1000000
	# Two for the trial, and one for the rest.
	[ "$(ranges shared)" -le 6 ]
	# 8 s, and no part of it waits for a connection that is no more: not before 8 s of stall
	# would it be asked for again.
	[ "$(sed -n 's/^ns //p' "$T/shared")" -lt 15500000000 ]
}

# --- names ----------------------------------------------------------------------------------------

@test "DNS: an answer, none at all, and a name that is not there" {
	hostile 10.9.9.1
	ip netns exec "$NS" dnsmasq --conf-file=/dev/null \
		--no-hosts --no-resolv --no-daemon --listen-address=127.0.0.2 \
		--bind-interfaces --address=/images.example/10.9.9.1 --local=/example/ --pid-file= \
		2>"$T/dns" 3>&- &
	PIDS+=($!)
	ready grep -q started "$T/dns"
	to_file --sha256 "$SUM" --dns 127.0.0.2 "${U/10.9.9.1/images.example}/a"
	right
	to_file --dns 127.0.0.2 --retries 1 "${U/10.9.9.1/nothing.example}/a"
	[[ $output == *"retry IA-E620 "*"do not know it"* ]]
	local began=$SECONDS
	to_file --dns 10.9.9.9 --deadline 30000 "${U/10.9.9.1/images.example}/a" "$U/b"
	right
	# 10 s for the name, and not once more
	[ $((SECONDS - began)) -lt 20 ]
}

# --- TLS ------------------------------------------------------------------------------------------

# tls NAME PORT LINE...: nginx with that certificate.
tls() {
	echo "127.0.0.1 images.example" >"$T/root/etc/hosts"
	cp "$F/ca.pem" "$T/root/etc/ca.pem"
	nginx_on "$2 ssl" "ssl_certificate $F/$1.pem; ssl_certificate_key $F/$1.key; ${*:3}"
}

@test "TLS: the right certificate, by name and by address, 1.2 and 1.3, in both flavours" {
	tls good 8443
	for FLAVOUR in host musl; do
		to_file --ca /etc/ca.pem --sha256 "$SUM" https://images.example:8443/file
		right
		to_file --ca /etc/ca.pem --sha256 "$SUM" https://127.0.0.1:8443/file
		right
	done
	tls good 8444 "ssl_protocols TLSv1.2;"
	to_file --ca /etc/ca.pem --sha256 "$SUM" https://images.example:8444/file
	right
}

# nginx before 1.23.4 offers TLS 1.2 at most, unless it is told otherwise.
@test "TLS: an RSA certificate with TLS 1.2 and 1.3, in both flavours" {
	local version port=8443
	for version in TLSv1.2 TLSv1.3 "TLSv1.2 TLSv1.3"; do
		tls rsa "$port" "ssl_protocols $version;"
		for FLAVOUR in host musl; do
			to_file --ca /etc/ca.pem --sha256 "$SUM" "https://images.example:$port/file"
			right
		done
		port=$((port + 1))
	done
}

@test "TLS: no authority, or a strange one" {
	local f
	tls self 8443
	for f in host musl; do
		FLAVOUR=$f
		to_file --ca /etc/ca.pem --sha256 "$SUM" https://images.example:8443/file
		wrong 633 "the certificate is refused"
		to_file --sha256 "$SUM" https://images.example:8443/file
		wrong 633 ""
	done
	[[ $output == *"it is not signed by a trusted authority"* ]]
}

@test "TLS: no file of certificates is a reason to refuse, and is named; plain http does without" {
	tls good 8443
	nginx_on 8080
	to_file --ca /etc/nothing.pem --sha256 "$SUM" https://images.example:8443/file
	wrong 633 "/etc/nothing.pem: No such file or directory"
	to_file --ca /etc/nothing.pem --sha256 "$SUM" http://127.0.0.1:8080/file
	right
}

@test "TLS: any certificate, when asked for" {
	local f
	tls self 8443
	for f in host musl; do
		FLAVOUR=$f
		to_file --any-certificate --sha256 "$SUM" https://images.example:8443/file
		right
	done
}

@test "TLS: through a proxy's tunnel, and a proxy that opens none" {
	local f
	tls good 8443
	hostile
	rm "$T/root/etc/hosts"
	for f in host musl; do
		FLAVOUR=$f
		to_file --ca /etc/ca.pem --proxy "$U" --sha256 "$SUM" \
			https://images.example:8443/file
		right
	done
	logged
	grep -q "^CONNECT images.example:8443 " "$LOG"
	to_file --ca /etc/ca.pem --proxy "$U" --retries 1 https://images.example:1/file
	[ "$status" -eq 4 ]
	[[ $output == *"retry IA-E6"*502* ]]
}

@test "TLS: another name" {
	tls other 8443
	FLAVOUR=musl
	to_file --ca /etc/ca.pem --sha256 "$SUM" https://images.example:8443/file
	wrong 633 "it is for another name"
}

@test "TLS: expired, also for a node whose clock was lost" {
	tls expired 8443
	FLAVOUR=musl
	to_file --ca /etc/ca.pem --sha256 "$SUM" https://images.example:8443/file
	wrong 633 "it has expired"
	# The image was built a day after this clock's "now".
	to_file --ca /etc/ca.pem --clock "$(($(date +%s) + 86400))" --sha256 "$SUM" \
		https://images.example:8443/file
	wrong 633 "it has expired"
}

@test "TLS: not valid yet, except for a node whose clock was lost" {
	tls future 8443
	FLAVOUR=musl
	to_file --ca /etc/ca.pem --sha256 "$SUM" https://images.example:8443/file
	wrong 633 "not valid yet"
	to_file --ca /etc/ca.pem --clock "$(($(date +%s) + 86400))" --sha256 "$SUM" \
		https://images.example:8443/file
	right
}

@test "TLS: never from https to http" {
	tls good 8443 'location /away { return 302 http://127.0.0.1:8080/file; }'
	to_file --ca /etc/ca.pem https://images.example:8443/away
	wrong 635 "from https to http"
}

@test "TLS: no server of TLS at that port" {
	nginx_on 8080
	FLAVOUR=musl
	cp "$F/ca.pem" "$T/root/etc/ca.pem"
	to_file --ca /etc/ca.pem https://127.0.0.1:8080/file
	wrong 634 "the answer is not TLS"
}

# As one that balances load does while what is behind it starts.
@test "TLS: a server that closes the connection is asked again, in both flavours" {
	local f
	ip netns exec "$NS" perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1:8443", Listen => 8) or die;
		while (my $c = $s->accept) {
			sysread $c, my $hello, ++$n % 2 ? 100 : 10000;
			close $c;
		}' 3>&- &
	PIDS+=($!)
	ready ip netns exec "$NS" bash -c ": </dev/tcp/127.0.0.1/8443"
	for f in host musl; do
		FLAVOUR=$f
		to_file --ca /etc/ca.pem --retries 4 https://127.0.0.1:8443/file
		[ "$status" -eq 4 ]
		[ "$(grep -c "^retry IA-E624 " <<<"$output")" -eq 4 ]
	done
}

# --- what it takes --------------------------------------------------------------------------------

@test "memory: at most 16 MiB for a large image, in agent, fetch and verify processes" {
	FLAVOUR=musl
	truncate -s 600M "$F/sparse"
	nginx_on 8080
	mkdir "$T/tmpfs"
	mount -t tmpfs none "$T/tmpfs"
	fetch --out "$T/tmpfs/out" --sha256 "$(sum "$F/sparse")" http://127.0.0.1:8080/sparse
	umount "$T/tmpfs"
	[ "$status" -eq 0 ]
	[[ $output =~ rss\ ([0-9]+)\ ([0-9]+) ]]
	[ $((BASH_REMATCH[1] + BASH_REMATCH[2])) -le 16384 ]
}

@test "the processes that fetch and verify have no rights, and each only what the other lacks" {
	hostile
	local pid pids sockets task tasks inode
	ip netns exec "$NS" timeout 120 "$B/musl/tests/fetch/fetchdrive" --out "$T/out" --sha256 \
		"$SUM" "$U/a?cut=1000&stall" 3>&- \
		>"$T/lines" &
	PIDS+=($!)
	ready grep -q ^size "$T/lines"
	# The resolver's parser, which began first, runs as the same user.
	mapfile -t pids < <(pgrep -u 65534 -f "$T/out" | sort -n | tail -n 2)
	[ "${#pids[@]}" -eq 2 ]
	for pid in "${pids[@]}"; do
		for task in "/proc/$pid/task"/*; do
			grep -q '^Seccomp:.2$' "$task/status"
			grep -q '^NoNewPrivs:.1$' "$task/status"
			grep -q '^CapEff:.0000000000000000$' "$task/status"
			grep -Eq '^Uid:.65534.65534.65534.65534' "$task/status"
		done
		[ "$(find "/proc/$pid/fd" -type l | wc -l)" -le 8 ]
		sockets=$(find "/proc/$pid/fd" -lname 'socket:*' | wc -l)
		tasks=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)
		# One has the file and a thread for its digest, and of sockets only that of a pair
		# with the agent.
		if [ "$(find "/proc/$pid/fd" -lname "$T/out")" ]; then
			[ "$sockets" -eq 1 ]
			inode=$(find "/proc/$pid/fd" -lname 'socket:*' -printf %l)
			grep -q " ${inode//[^0-9]/}\$" "/proc/$pid/net/unix"
			[ "$tasks" -eq 2 ]
			touch "$T/file"
		else
			[ "$sockets" -gt 1 ]
			[ "$tasks" -eq 1 ]
			touch "$T/sockets"
		fi
	done
	[ -e "$T/file" ]
	[ -e "$T/sockets" ]
}
