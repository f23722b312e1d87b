#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The tools of make bench without a VM: which rows are asked for, what is made of recorded figures,
# the guard's verdicts over published and new ones, the page.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154,SC2317 # every case has its own shell

bats_require_minimum_version 1.5.0

setup() {
    top=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
    export BUILD=$BATS_TEST_TMPDIR/build
    cd "$BATS_TEST_TMPDIR" || return
    mkdir -p build/lab/bench
}

# bench_functions: of tests-qemu/bench, with every image there, each of them empty.
bench_functions() {
    local image images
    # shellcheck source=tests-qemu/bench
    source "$top/tests-qemu/bench"
    # the scenarios' own
    teardown() { :; }
    big=feed
    mapfile -t images < <(configurations | cut -d '|' -f 3 | sort -u)
    [ "${#images[@]}" -gt 10 ]
    for image in "${images[@]}"; do
        : >"$LAB/$image"
    done
}

# figures [FACTOR OF-WHAT]...: a bench.json with every row that the guard looks at; the times of
# those rows that OF-WHAT, a regular expression, matches whole are FACTOR of what they were.
figures() {
    local changes=()
    while [ $# -gt 0 ]; do
        changes+=("$(jq -nc --arg re "^($2)_s\$" --argjson by "$1" '{re: $re, by: $by}')")
        shift 2
    done
    printf '%s\n' "${changes[@]}" | jq -n '[inputs] as $changes |
        def row($key; $s): (reduce ($changes[] | .re as $re | select($key | test($re))) as $c ($s;
            . * $c.by)) | select(. > 0) | {($key): {min: ., median: ., max: ., unit: "s", n: 3}};
        {about: {commit: "c0ffee", rounds: 5}} + ([("nfsrdma", "nfsrdma_ib", "nfs_tcp", "http",
            "http_cache", "nvme_tcp", "nvme_rdma", "nbd") as $root | ("", "_smp2") as $smp |
            (row("\($root).standalone\($smp)_s"; 2), row("\($root).dracut\($smp)_s"; 8),
            row("\($root).dracut_systemd\($smp)_s"; 12), row("\($root).floor\($smp)_s"; 1.8),
            row("\($root).busybox_script\($smp)_s"; 2.2),
            row("\($root).stock_dracut\($smp)_s"; 22),
            row("\($root).stock_dracut_systemd\($smp)_s"; 30),
            (select($root | startswith("http")) |
                row("\($root).floor_digest\($smp)_s"; 1.9),
                row("\($root).busybox_script_digest\($smp)_s"; 2.5)))] | add)'
}

# guard: a copy of bench-guard beside a bench that has figures/N as its Nth result.
guard() {
    mkdir -p tree/{tests-qemu,docs} tmp
    cp "$top"/tests-qemu/bench-guard{,.jq} tree/tests-qemu/
    cp was.json tree/docs/performance.json
    cat >tree/tests-qemu/bench <<'END'
#!/bin/bash
echo "$BENCH" >>asked
cp "figures.$(wc -l <asked)" "$OUT"
: >"${OUT%.json}.md"
: >"${OUT%.json}.html"
END
    chmod 755 tree/tests-qemu/bench
    rm -f asked
    # unchecked: the caller has $status
    TMPDIR=$PWD/tmp run tree/tests-qemu/bench-guard
    # it leaves nothing there
    [ -z "$(ls tmp)" ]
}

# --- which rows ----------------------------------------------------------------------------------

@test "BENCH, ONLY and numbers that mean nothing are refused before anything boots" {
    local request
    for request in BENCH=nfsrdma-ib BENCH= 'BENCH=,' BENCH=nfs_tcp,nbdd 'ONLY=(' ONLY=nfs_udp \
        N=0 N=x BOOTS=-1 MB=0; do
        run -2 env "$request" "$top/tests-qemu/bench"
        [[ ${lines[0]} == bench:* ]]
    done
    run -2 env BENCH=nfsrdma-ib "$top/tests-qemu/bench"
    [[ $output == *'no such part: nfsrdma-ib (there are nfsrdma nfsrdma_ib nfs_tcp'* ]]
    [ ! -e build/vm ]
}

@test "BENCH takes blanks; fetch, chain and icount are parts like roots" {
    bench_functions
    BENCH='nfs_tcp, nbd' bench_options
    run -0 chosen
    grep -q '^nfs_tcp|' <<<"$output"
    grep -q '^nbd|' <<<"$output"
    run -1 grep -v '^nfs_tcp|\|^nbd|' <<<"$output"
    run -1 wanted fetch
    run -1 wanted icount
    BENCH=fetch bench_options
    wanted fetch
    run -0 chosen
    [ -z "$output" ]
    bench_options
    wanted fetch && wanted chain && wanted icount
    ONLY='\.standalone$' bench_options
    run -1 wanted fetch
}

@test "one row alone has what it needs: the disk of the cache, the server of InfiniBand" {
    bench_functions
    BENCH='' ONLY='^http_cache\.dracut$'
    unset BENCH
    bench_options
    [ "$(chosen | wc -l)" -eq 1 ]
    vm_logs=$PWD/logs
    mkdir -p "$vm_logs/files"
    boot() { echo "$*" >booted; }
    node_state() { echo false; }
    mkfs.ext4() { :; }
    fill_cache
    [ "$cache" = "$vm_logs/files/cache.ext4" ]
    [ "$(stat -c %s "$cache")" -eq 1073741824 ]
    grep -q '^http_cache.fill http_cache fill bench/agent-block.img 1 ' booted
    run -1 has_rows nfsrdma_ib
}

@test "every root has ours, a script and a floor, with 1 and 2 processors; http has a digest's" {
    local root row smp digest
    bench_functions
    bench_options
    chosen | cut -d '|' -f 1,2 >names
    for root in nfsrdma nfsrdma_ib nfs_tcp http http_cache nvme_tcp nvme_rdma nbd; do
        for smp in '' _smp2; do
            for row in standalone dracut dracut_systemd busybox_script floor; do
                grep -qxF "$root|$row$smp" names
            done
            for row in stock_dracut stock_dracut_systemd; do
                [ "$root" = http_cache ] || grep -qxF "$root|$row$smp" names
            done
            for digest in busybox_script_digest floor_digest; do
                [[ $root != http* ]] || grep -qxF "$root|$digest$smp" names
            done
        done
    done
    # none twice
    [ -z "$(sort names | uniq -d)" ]
    # two processors where the name says so, and nowhere else
    [ -z "$(chosen | awk -F '|' '($4 == 2) != ($2 ~ /_smp2$/)')" ]
}

@test "what cannot be booted is a reason in place of a row" {
    bench_functions
    rm "$LAB"/bench/*newest*
    mkdir -p "$LAB/suites/sid"
    echo "the mirror has no sid" >"$LAB/suites/sid/absent"
    bench_options
    run -0 chosen
    [[ $output != *newest* ]]
    absent | jq -s add >absent.json
    [ "$(jq -r '.["nfs_tcp.stock_dracut_newest"]' absent.json)" = "the mirror has no sid" ]
    jq -e '.["http_cache.stock_dracut"] and .["nfs_tcp.dracut_networkd"]' absent.json
}

@test "an image that is packed in another way is refused" {
    bench_functions
    BENCH=nfsrdma ONLY='\.(standalone|busybox_script)$' bench_options
    echo x | zstd -q >"$LAB/script.img"
    echo x | gzip >"$LAB/bench/agent.img"
    run -2 packed_alike
    [ "$output" = "bench: bench/agent.img is not packed by zstd, as all others are" ]
    echo x | zstd -q -f -o "$LAB/bench/agent.img"
    packed_alike
}

@test "a round's minutes are told by published figures, of another root if need be" {
    bench_functions
    BENCH=nfs_tcp ONLY='\.(standalone|initramfs_tools)$' bench_options
    figures >was.json
    # 2 s and no time before that: half a minute each
    [ "$(estimate was.json)" = 60 ]
    jq '. + {"nfs_tcp.standalone.before_pid1_s": {median: 3}}' was.json >more.json
    [ "$(estimate more.json)" = 40 ]
    jq '. + {"nfs_tcp.standalone.wall_s": {median: 7.5}}' was.json >more.json
    [ "$(estimate more.json)" = 38 ]
    BENCH=nbd ONLY='\.standalone_smp2$' bench_options
    [ "$(estimate more.json)" = 8 ]
}

# --- results -------------------------------------------------------------------------------------

@test "a summary has least, middle and greatest values, and says what it is of" {
    printf '{"name": "nbd.floor_s", "value": %s, "unit": "s"}\n' 3 1 2 2.5 >runs.jsonl
    echo '{"commit": "c0ffee"}' >about.json
    jq -s --slurpfile about about.json --argjson critical '{"nbd.standalone": "a -> b"}' \
        -f "$top/tests-qemu/bench-summary.jq" runs.jsonl >bench.json
    jq -e '.["nbd.floor_s"] == {min: 1, median: 2.25, max: 3, unit: "s", n: 4}' bench.json
    jq -e '.about == {commit: "c0ffee", critical: {"nbd.standalone": "a -> b"}}' bench.json
}

@test "what bench.json is of: commit, machine, versions, and the program of each figure" {
    bench_functions
    bench_options
    echo 6.1.0 >"$LAB/kver"
    VM_ACCEL=tcg about >about.json
    jq -e '.commit and .date and .rounds == 5 and .packed and .image_mb == 300' about.json
    jq -e '.machine | .cpu and .cpus > 0 and .accel == "tcg"' about.json
    jq -e '.versions | .kernel == "6.1.0" and has("qemu") and has("opensm") and has("nginx") and
        has("busybox-static") and has("dracut-core") and has("dracut_newest")' about.json
    jq -e '.programs | [.floor, .busybox_script, .stock_dracut, .standalone, .dracut] |
        all(.about and .commit)' about.json
    jq -e '.images | has("stock-systemd") and has("ours-shell") and has("script")' about.json
}

@test "the page with bars: of the floor that verifies where ours does; not one of icount's boots" {
    figures | jq '. + {"nfsrdma.standalone.wall_s": {min: 90}, "nfsrdma.floor_s_icount": {min: 77},
        "nbd.initramfs_tools.failures": {n: 2}} |
        .about.critical = {"nfsrdma.standalone": "card 1 s -> <mount>"} |
        .about.absent = {"nbd.live_boot": "boots squashfs images only"} |
        .about.machine = {cpus: 2, cpu: "X"}' >bench.json
    jq -r --arg roots nfsrdma,http,nbd -f "$top/tests-qemu/bench.jq" bench.json >bench.html
    grep -A 3 '^<tr><td>standalone$' bench.html | grep -q '^<td>1.11 of the floor$'
    sed -n '/<h2>http</,/<h2>nbd</p' bench.html | grep -A 3 '^<tr><td>standalone$' |
        grep -q '^<td>1.05 of the floor$'
    grep -q '^<p>nfsrdma.standalone: critical: card 1 s -&gt; &lt;mount&gt;$' bench.html
    grep -q '^<p>no live_boot: boots squashfs images only$' bench.html
    run -1 grep -E 'wall|icount|failures| 77 | 90 ' bench.html
}

@test "the critical path is of the fastest boot, and -icount has a folder of its own" {
    bench_functions
    run=$PWD/run
    node_dir=$PWD/node
    mkdir -p run/states node/results/run
    echo slow >node/results/run/state.json
    keep_fastest nfsrdma.standalone 2.5
    echo fast >node/results/run/state.json
    keep_fastest nfsrdma.standalone 1.5
    echo slower >node/results/run/state.json
    keep_fastest nfsrdma.standalone 1.75
    [ "$(<run/states/nfsrdma.standalone.json)" = fast ]
    boot() { echo "$1" >>booted; }
    measure() { :; }
    measure_agent() { :; }
    : >run/done
    BENCH=nfsrdma,icount ONLY='standalone|icount' bench_options
    all 0
    under_icount
    [ "$(tr '\n' ' ' <booted)" = \
        "nfsrdma.standalone nfsrdma.standalone_smp2 nfsrdma.standalone_icount " ]
}

@test "RESUME goes on behind what was done, but with no other rows, and not on another day" {
    bench_functions
    run=$PWD/run product=product
    mkdir -p build/lab/bin
    touch product build/lab/bin/{floor,bootmark,finalinit}
    about() { echo '{}'; }
    BENCH=nbd ONLY='\.standalone' bench_options
    run_begin
    boot() { echo "$1" >>booted; }
    measure() { :; }
    once "round 0 nbd|standalone" true
    RESUME=1 run_begin
    all 0
    [ "$(<booted)" = nbd.standalone_smp2 ]
    touch -d '2 days ago' run/identity
    RESUME=1 run -2 run_begin
    [[ $output == *'more than a day ago'* ]]
    touch run/identity
    BENCH=nbd ONLY='\.floor' bench_options
    RESUME=1 run -2 run_begin
    [[ $output == *'no run of these rows'* ]]
}

@test "a boot that fails is counted and the run goes on; three in a row end it" {
    bench_functions
    run=$PWD/run node_dir=$PWD/node
    mkdir run node
    boot() { return 1; }
    one 'nbd|floor|script-roots.img|1|x'
    one 'nbd|floor|script-roots.img|1|x'
    run -1 one 'nbd|floor|script-roots.img|1|x'
    [ "$(jq -r .name run/runs.jsonl | uniq -c)" = '      3 nbd.floor.failures' ]
    [ -d node.failed ]
}

# --- the guard -----------------------------------------------------------------------------------

@test "guard: the same figures pass, and so do those where everything takes twice as long" {
    figures >was.json
    figures >figures.1
    guard
    [ "$status" -eq 0 ]
    [ "$(grep -c '% published' <<<"$output")" -eq 48 ]
    figures 2 '.*' >figures.1
    guard
    [ "$status" -eq 0 ]
}

@test "guard: each kind of row that is slower in both runs fails" {
    local row
    figures >was.json
    for row in nfsrdma.standalone nfsrdma_ib.standalone_smp2 http_cache.standalone \
        nbd.dracut nvme_rdma.dracut_systemd_smp2; do
        figures 1.31 "$row" | tee figures.1 >figures.2
        guard
        [ "$status" -eq 1 ]
        [ "${lines[-1]}" = "slower: $row" ]
        [ "$(sed -n 2p asked)" = "${row%%.*}" ]
    done
}

@test "guard: what one run alone has, or one of the two others, is noise" {
    figures >was.json
    figures 1.31 nfsrdma.standalone >figures.1
    figures >figures.2
    guard
    [ "$status" -eq 0 ]
    # the script had a lucky run, the floor says so
    figures 0.75 nbd.busybox_script >figures.1
    guard
    [ "$status" -eq 0 ]
    [ "$(wc -l <asked)" -eq 1 ]
    figures 1.14 '.*\.(standalone|dracut).*' >figures.1
    guard
    [ "$status" -eq 0 ]
}

@test "guard: rows without what they are held against, and no rows at all, fail" {
    figures >was.json
    figures 0 nbd.busybox_script >figures.1
    guard
    [ "$status" -eq 1 ]
    [[ $output == *'nbd.standalone: no boot in this run of nbd.busybox_script'* ]]
    figures 0 http.dracut >figures.1
    guard
    [ "$status" -eq 1 ]
    [[ $output == *'http.dracut: no boot in this run'* ]]
    echo '{}' >figures.1
    guard
    [ "$status" -eq 1 ]
    figures >figures.1
    figures 0 'nvme_tcp\..*' >was.json
    guard
    [ "$status" -eq 1 ]
    [[ $output == *'nvme_tcp.standalone: not in the published run'* ]]
}

@test "guard: no root of that name" {
    figures >was.json
    mkdir tree
    mkdir -p tree/docs tree/tests
    cp -r "$top/tests-qemu" tree/
    cp -r "$top/tests/lib" tree/tests/
    cp was.json tree/docs/performance.json
    BENCH=nfsrdma-ib run -2 tree/tests-qemu/bench-guard
    [[ $output == *'no such part: nfsrdma-ib'* ]]
}

# --- the page ------------------------------------------------------------------------------------

@test "docs/performance.md has the tables of docs/performance.json" {
    run -0 "$top/tests-qemu/bench-page" check
}

@test "a run is published in one command, page and figures; no other file is" {
    mkdir docs
    cp "$top"/docs/performance.{md,json} docs/
    figures | jq '. + {"chain.power_on_s": {min: 10.4}, "chain.minimal_s": {min: 10},
        "fetch.initagent_s": {min: 1.1}, "fetch.wire_s": {min: 0.2}, "fetch.hash_s": {min: 3},
        "fetch.openssl_s": {min: 1}, "fetch.copy_s": {min: 0.9}, "nbd.floor.failures": {n: 2}}' \
        >bench.json
    DOCS=docs run -0 "$top/tests-qemu/bench-page" publish bench.json
    DOCS=docs run -0 "$top/tests-qemu/bench-page" check
    cmp <(jq -S . bench.json) docs/performance.json
    page=docs/performance.md
    target() {
        grep -qxF "| $1 | $2 |" "$page"
    }
    target 'NFSoRDMA rxe: stock dracut / stand-alone' \
        '12 times | 11 times | 12.22 times | 10 % | no'
    target 'NFSoRDMA rxe: stand-alone / floor, 2 processors' 'at most 1.1 | 1.11 | 1 | 10 % | no'
    target 'NBD: stock dracut / stand-alone' '8 times | 11 times | 12.22 times | 10 % | yes'
    target 'chain from power-on / minimal script' 'at most 1.05 | 1.04 | 1 | 4 % | yes'
    target 'fetch of an image / slowest of {wire, digest, copy}' 'at most 1.05 | 1.1 | 1 | 9 % | no'
    # of the floor that verifies
    grep -qxF '| http | 1.9, 1.9 | 2, 2 | 1.05, 1.05 | 1.32, 1.32 |' "$page"
    grep -qxF -e '- `nbd.floor`: 2 boots failed' "$page"
    grep -q 'commit c0ffee' "$page"
    # around the marks it is as it was
    diff <(sed '/^<!-- tables/,/^<!-- end/d' "$top/docs/performance.md") \
        <(sed '/^<!-- tables/,/^<!-- end/d' "$page")
    echo '{}' >bench.json
    DOCS=docs run -1 "$top/tests-qemu/bench-page" publish bench.json
    [[ $output == *'no result of make bench'* ]]
}
