#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The documents say what the program says.

agent=${BUILD:-build}/initagent

@test "the README's option table is the parser's" {
    diff <(sed -n '/^<!-- options:begin -->/,/^<!-- options:end -->/p' README.md | sed '1d;$d') \
        <("$agent" options --markdown)
}

@test "docs/causes.md is the agent's table" {
    diff <(tail -n +5 docs/causes.md) <("$agent" causes)
}

@test "every field of state.json is documented" {
    local field
    for field in $(grep -ohE 'add_(text|time)\([a-z]+, "[a-z_]+"|ToObject\([a-z]+, "[a-z_]+"' \
        initagent/handover/state.c | grep -oE '"[a-z_]+"' | tr -d '"' | sort -u); do
        grep -qw "$field" docs/state.md || {
            echo "docs/state.md does not name $field"
            return 1
        }
    done
}

@test "every command of the agent is in its help" {
    local command
    for command in boot status ports lint plan options causes claims wait version; do
        "$agent" help | grep -q "initagent $command "
    done
}
