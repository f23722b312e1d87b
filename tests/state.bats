#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# state.json is what docs/state.schema.json says: every state that the unit tests and their boots
# make, and nothing else.
bats_require_minimum_version 1.5.0

setup_file() {
	export STATES=$BATS_FILE_TMPDIR/states
	mkdir "$STATES"
	cd "$BATS_TEST_DIRNAME/.." || return
	export STATE_RENDER=$STATES
	"${BUILD:-build}/host/initagent/state/test_state" >"$BATS_FILE_TMPDIR/made"
	# whole boots; they need network namespaces
	[[ $EUID -ne 0 ]] || "${BUILD:-build}/host/initagent/boot/test_boot" \
		static_address_to_mounted_root \
		a_root_mounted_before_the_kill_is_adopted a_driver_that_fails_does_not_stop_a_boot \
		malformed_options_do_not_stop_a_boot >"$BATS_FILE_TMPDIR/booted"
}

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
}

@test "every state of the unit tests fits the schema" {
	local files=("$STATES"/*.json)

	[ "${#files[@]}" -ge 8 ]
	tests/schema "${files[@]}"
}

@test "between them the states hold every field of the schema" {
	[[ $EUID -eq 0 ]] || skip "the boots of the unit tests need root"
	local field fields

	# properties of all objects, at any depth, against the keys that occur
	mapfile -t fields < \
		<(jq -r '[.. | .properties? | select(type == "object") | keys[]] | unique[]' \
		docs/state.schema.json)
	[ "${#fields[@]}" -gt 100 ]
	for field in "${fields[@]}"; do
		grep -qhF "\"$field\":" "$STATES"/*.json || {
			echo "no state holds $field"
			return 1
		}
	done
}

@test "what is not as the schema says is refused" {
	local full change bad=$BATS_TEST_TMPDIR/bad.json

	full=$(grep -lF ib0.8001 "$STATES"/*.json | head -n 1)
	tests/schema "$full"
	for change in '.schema = 2' 'del(.outcome)' '.outcome = "maybe"' '.start_s = "1"' \
		'.new_field = 1' \
		'.rails[0].new_field = 1' '.rails[0].lease.expires_at = "tomorrow"' \
		'.rails[0].pkey = 32769' \
		'.rails[0].rdma.guid = "x"' '.rails[0].routes[0].dst = "10.8.0.0"' \
		'.rails[0].state = "fine"' \
		'.rails[0].address = "10.0.0.5 24"' '.rails[0].hostname = ""' \
		'.root.proto = "udp"' 'del(.root.type)' \
		'.root.url = "http://a/"' '.causes = {}' '.causes = [{"code": "E1"}]' \
		'.now_s = -1' '.dropped_rows = 1.5'; do
		jq "$change" "$full" >"$bad"
		run -1 tests/schema "$bad"
		[ -n "$output" ]
	done
}
