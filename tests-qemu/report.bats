#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# rd.report=: living collectors are told, dead ones beside them cost the boot nothing.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/collector

# images_cpio FILE: the root as an image, with a signed manifest of its chunks, in /web.
images_cpio() {
    local dir=$BATS_FILE_TMPDIR/web key=$BATS_FILE_TMPDIR/site
    mkdir -p "$dir"
    mksquashfs "$LAB/export/root" "$dir/root.squashfs" \
        -quiet -no-progress -all-root -noappend >/dev/null
    "$vm_build/initagent" manifest "$dir/root.squashfs" --chunk-size 256K
    minisign -G -W -p "$key.pub" -s "$key.key" >/dev/null
    minisign -S -W -s "$key.key" -m "$dir/root.squashfs.manifest" -t lab >/dev/null
    (cd "$dir/.." && find web | cpio --quiet -o -H newc -R 0:0) >"$1"
}

setup_file() {
    vm_begin report
    collector_cpio "$BATS_FILE_TMPDIR/collector.cpio"
    images_cpio "$BATS_FILE_TMPDIR/images.cpio"
    SERVER_EXTRA="$BATS_FILE_TMPDIR/collector.cpio $BATS_FILE_TMPDIR/images.cpio" \
        server_start >/dev/null
    collector_start
    server shell 'httpd -p 8000 -h /web'
}

dead="rd.report=syslog://10.99.0.99 rd.report=syslog+tcp://10.99.0.99 \
rd.report=http://10.99.0.99/boots/ rd.report=syslog+tcp://$server_ip:9 \
rd.report=https://nobody.example/"

# took: milliseconds of the boot, by the agent's own clock.
took() {
    node_state '.phases[] | select(.name == "total") | (.end_s - .begin_s) * 1000 | floor'
}

@test "a boot is told to the collectors that live, and no later for those that do not" {
    local without
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe hostname=n17"
    node_booted 90
    without=$(took)
    NODE_NAME+=-told
    stopwatch
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe hostname=n17 $dead $told \
rd.driver.pre=no_such_module finalinit=settle"
    node_booted 90
    assert_root 4.2 rdma
    assert_state .outcome 'done'
    echo "total without: $without ms, with: $(took) ms" | tee -a "$vm_logs/total"
    # Emulated, boots differ by seconds anyway; tests/report.bats measures what is lost. One that
    # waits is seen here, too.
    within "$(($(took) - without))" 15000
    assert_state '[.causes[] | select(.code == "IA-E710")] | length > 0' true
    told n17 cause IA-E201 | jq -e '.where == "no_such_module"'
    told n17 'done' | jq -e '.text | startswith("the root is mounted after ")'
    grep -q ';initagent: IA-E201 no_such_module: ' "$node_dir/results/kmsg"
    # The senders go on in the real root, each to its last word.
    told_state n17 | jq -e '.outcome == "done" and .root.proto == "rdma"'
    grep -q 'report to http://10.99.0.99/boots/: not stored: ' "$node_dir/results/kmsg"
}

# Where chunks prove it, it is what the signed manifest says of the whole.
@test "the collector knows the SHA-256 of the image that a node runs" {
    local file=$BATS_FILE_TMPDIR/web/root.squashfs sum
    sum=$(sha256sum <"$file" | cut -d ' ' -f 1)
    node_start "$image" "$console root=http://$server_ip:8000/root.squashfs \
rd.root.digest=sha256:$sum ip=dhcp hostname=n20 $told finalinit=settle"
    node_booted 90
    assert_eq "$(told_state n20 | jq -r '.root.sha256')" "$sum" "digest at the collector"
    node_start "$image" "$console root=http://$server_ip:8000/root.squashfs.manifest \
rd.root.key=$(sed -n 2p "$BATS_FILE_TMPDIR/site.pub") ip=dhcp hostname=n21 $told finalinit=settle"
    node_booted 90
    assert_eq "$(told_state n21 | jq -r '.root | "\(.proof) \(.sha256)"')" "signature $sum" \
        "proof and digest at the collector"
}

@test "a boot that failed tells it before it reboots" {
    server nfs stop
    node_start "$image" \
        "$console $rdma_root ip=dhcp rd.neednet=1 $rxe hostname=n18 $dead $told rd.retry=30 $reboot"
    node_end 150
    node_ended_by restart
    told n18 failed IA-E60
    mkdir -p "$node_dir/results/run"
    told_state n18 >"$node_dir/results/run/state.json"
    node_state '.outcome == "failed" and any(.causes[]; .code | startswith("IA-E60"))'
    # and what it waited for at last
    node_state '.now_s - .critical[-1].end_s < 0.1 and
        (.critical[-1].name | test("^10.99.0.1 (probing|mounting|backing off)$"))'
    node_rested
}
