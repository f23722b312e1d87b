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
    for command in boot status ports doctor lint plan manifest verify options causes claims wait version; do
        "$agent" help | grep -q "initagent $command "
    done
}

@test "every field of the doctor's JSON is documented" {
    local field
    while read -r field; do
        grep -qw "$field" docs/doctor.md || {
            echo "docs/doctor.md does not name $field"
            return 1
        }
    done < <(grep -ohE '(add_(text|guid)|ToObject)\([a-z]+, "[a-z_]+"' initagent/doctor/json.c |
        grep -oE '"[a-z_]+"' | tr -d '"' | sort -u)
}

@test "every form of client identifier is documented" {
    local form n=0
    while read -r form; do
        n=$((n + 1))
        grep -q "^| \`$form" docs/dhcp-infiniband.md || {
            echo "$form is missing in docs/dhcp-infiniband.md"
            return 1
        }
    done < <(sed -n '/^static const char \*const form_names/,/^};/s/.*"\(.*\)",/\1/p' initagent/address/client_id.c)
    [ "$n" -eq 6 ]
}
