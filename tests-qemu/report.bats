#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# rd.report=: living collectors are told, dead ones beside them cost the boot nothing.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load web

# The collector is the one of the docs, beside what serves the root.
setup_file() {
    local tree=$BATS_FILE_TMPDIR/tree
    vm_begin report
    web_server "$tree"
    mkdir -p "$tree/srv/boots" "$tree/var/lib/nginx" "$tree/var/log/nginx"
    {
        echo 'user root; pid /run/collector.pid; error_log /run/collector.err;'
        echo 'events { worker_connections 64; } http { access_log /run/collector.log;'
        for path in proxy fastcgi uwsgi scgi; do echo "${path}_temp_path /run/$path;"; done
        cat "$BATS_TEST_DIRNAME/../docs/collector/nginx.conf"
        echo '}'
    } >"$tree/etc/collector.conf"
    (cd "$tree" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$BATS_FILE_TMPDIR/collector.cpio"
    SERVER_EXTRA=$BATS_FILE_TMPDIR/collector.cpio server_start >/dev/null
}

setup() {
    node_defaults
    NODE_NAME=$(printf '%02d' "$BATS_TEST_NUMBER")
    image=$LAB/agent.img
    server reset
    server shell '[ -e /run/collector.pid ] || /usr/sbin/nginx -e /run/collector.err -c /etc/collector.conf'
}

dead="rd.report=syslog://10.99.0.99 rd.report=syslog+tcp://10.99.0.99 rd.report=http://10.99.0.99/boots/ \
rd.report=syslog+tcp://$server_ip:9 rd.report=https://nobody.example/"

# took: milliseconds of the boot, by the agent's own clock.
took() {
    node_state '.phases[] | select(.name == "total") | (.end_s - .begin_s) * 1000 | floor'
}

# syslog_start: a process of busybox that takes one connection, and says nothing.
syslog_start() {
    server shell 'sleep 300 | nc -l -p 514 >/run/syslog 2>&1 &'
    server shell 'sleep 1; netstat -ltn | grep :514 || { cat /run/syslog; ps; false; }'
}

@test "a boot is told to the collectors that live, and no later for those that do not" {
    local without
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe hostname=n17"
    node_booted 90
    without=$(took)
    syslog_start
    NODE_NAME+=-told
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe hostname=n17 $dead \
rd.driver.pre=no_such_module rd.report=syslog+tcp://$server_ip rd.report=http://$server_ip/boots/"
    node_booted 90
    assert_root 4.2 rdma
    assert_state .outcome 'done'
    echo "total without: $without ms, with: $(took) ms" | tee -a "$vm_logs/total"
    # Emulated, boots differ by seconds anyway; tests/report.bats measures what is lost. One that waits is seen here, too.
    assert_most "$(($(took) - without))" 15000 "milliseconds that the boot took longer"
    assert_state '[.causes[] | select(.code == "IA-E710")] | length > 0' true
    server shell cat /run/syslog >"$node_dir/syslog"
    grep -q ' n17 initagent .* cause \[initagent@32473 code="IA-E201" where="no_such_module"' "$node_dir/syslog"
    grep -q ' n17 initagent .* done \[initagent@32473 .*\] the root is mounted after ' "$node_dir/syslog"
    # The sender goes on in the real root.
    server shell 'for i in 1 2 3 4 5 6 7 8 9 10; do [ ! -e /srv/boots/n17.json ] || break; sleep 1; done; cat /srv/boots/n17.json' \
        >"$node_dir/told.json"
    jq -e '.outcome == "done" and .root.proto == "rdma"' "$node_dir/told.json"
}

@test "a boot that failed tells it before it reboots" {
    server nfs stop
    syslog_start
    node_start "$image" "$console $rdma_root ip=dhcp rd.neednet=1 $rxe hostname=n18 $dead rd.retry=40 $reboot \
rd.report=syslog+tcp://$server_ip rd.report=http://$server_ip/boots/"
    node_end 150
    node_ended_by restart
    server shell cat /run/syslog | grep ' n18 initagent .* failed \[initagent@32473 code="IA-E60'
    server shell cat /srv/boots/n18.json >"$node_dir/told.json"
    jq -e '.outcome == "failed" and any(.causes[]; .code | startswith("IA-E60"))' "$node_dir/told.json"
}
