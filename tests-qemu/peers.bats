#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The harness itself, on the peers: what a scenario relies on, seen to work without our agent.

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/scenario

@test "the server answers, and says what it does not know" {
    assert_eq "$(server ping)" alive
    run -1 server no-such-command
    assert_eq "$output" "unknown command: no-such-command"
}

@test "a node's results come out whole: the busybox script" {
    node_start "$LAB/script.img" "$console"
    node_booted 90
    assert_root 4.2 rdma
    assert_most 1 "$(node_result '.pid1_ns')" "PID 1's start, ns (at least)"
    assert_most 20 "$(node_result '.processes - .pid1_processes')" "processes (at least)"
}

@test "a node that never arrives is noticed, and how its boot ended" {
    server nfs stop
    node_start "$LAB/script.img" "$console"
    run -1 node_booted 60
    run -1 node_ended_by restart
    assert_console 'Kernel panic'
}

