#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The documents say what the program says.

bats_require_minimum_version 1.5.0
agent=${BUILD:-build}/initagent

@test "docs/options.md is the parser's table" {
    diff <(tail -n +5 docs/options.md) \
        <("$agent" options --markdown && echo && cat docs/options.limits)
}

@test "docs/causes.md is the agent's table" {
    diff <(tail -n +5 docs/causes.md) <("$agent" causes --markdown)
}

@test "the README is short, and every link of the pages leads to a file" {
    local page link links n=0
    [ "$(wc -l <README.md)" -le 150 ]
    for page in README.md docs/*.md; do
        mapfile -t links < <(grep -oE '\]\([^)#: ]+' "$page" | cut -c3-)
        n=$((n + ${#links[@]}))
        for link in "${links[@]}"; do
            [ -e "$(dirname "$page")/$link" ] || {
                echo "$page: no $link"
                return 1
            }
        done
    done
    [ "$n" -gt 60 ]
}

@test "what the architecture page names exists, and its layers are in the order of the table" {
    local word words
    mapfile -t words < <(grep -oE '\b[a-z0-9]+(_[a-z0-9]+)+\b' docs/architecture.md |
        grep -v '_y$' | sort -u)
    [ "${#words[@]}" -gt 40 ]
    for word in "${words[@]}"; do
        grep -rqw --include='*.[ch]' "$word" initagent kernel-cmdline || {
            echo "docs/architecture.md names $word"
            return 1
        }
    done
    diff <(grep -oE '^\| `[a-z/-]+/`' docs/architecture.md | tr -d '|` ' |
        sed 's,/$,,; /^root.source$/q') \
        <(sed -n 's/:.*//p' initagent/layers | sed '/^#/d; /^root.source$/q')
}

# tabled PAGE FIELD: a row of the page's tables has the field in backticks, by itself or in a path
# (`rails[].lease`), of a list with its brackets.
tabled() {
    grep '^| ' "$1" | grep -qE "\`([a-z_]+(\[\])?\.)*$2(\[\])?[.\`]" || {
        echo "no table of $1 names $2"
        return 1
    }
}

# The schema in turn is held against the code by tests/state.bats.
@test "every field of state.json is documented" {
    local field fields
    mapfile -t fields < \
        <(jq -r '[.. | .properties? | select(type == "object") | keys[]] | unique[]' \
        docs/state.schema.json)
    [ "${#fields[@]}" -gt 100 ]
    for field in "${fields[@]}"; do
        tabled docs/state.md "$field"
    done
    # words of the text, and a part of a name
    for field in boot node last_ file; do
        run -1 tabled docs/state.md "$field"
    done
}

@test "every command of the agent is in its help" {
    local command
    for command in boot status timeline ports doctor lint plan manifest verify options causes \
        claims wait version; do
        "$agent" help | grep -qE "initagent $command( |\$)"
    done
}

@test "the agent's help: no line over 80 columns, descriptions line up" {
    run -0 "$agent" help
    [ "${#lines[@]}" -gt 20 ]
    local line
    for line in "${lines[@]:1}"; do
        [ "${#line}" -le 80 ] || { echo "too long: $line"; false; }
        [[ $line =~ ^(\ \ initagent\ |\ {6}[^\ ]) ]] || { echo "out of line: $line"; false; }
    done
}

@test "every program takes --help, -h, --version and -V; the agent's commands --help and -h" {
    local program flag command
    for program in initagent initagent-site initagent-mkimage initagent-flexboot; do
        for flag in --help -h; do
            run -0 "${BUILD:-build}/$program" "$flag"
            [[ $output == *"$program"* ]]
        done
        for flag in --version -V; do
            run -0 "${BUILD:-build}/$program" "$flag"
            [[ $output =~ ^$program\ [0-9.]+$ ]]
        done
    done
    for command in boot status timeline ports doctor lint plan manifest verify options causes \
        claims wait version help; do
        for flag in --help -h; do
            run -0 "$agent" "$command" "$flag"
            [[ $output == "  initagent $command"* ]]
        done
    done
    run -64 "$agent" frobnicate
    [[ $output == *"frobnicate: no such command"* ]]
}

@test "one cause, one option; text for a terminal unless a table is asked for" {
    run -0 "$agent" causes IA-E306
    [ "${#lines[@]}" -eq 2 ]
    [[ ${lines[0]} == "IA-E306  no subnet manager"* && ${lines[1]} == *"check: "* ]]
    run -0 "$agent" causes 306 IA-E607
    [ "${#lines[@]}" -eq 4 ]
    for code in E306 e306 ia-e306 -e306; do
        run -0 "$agent" causes "$code"
        [[ ${lines[0]} == "IA-E306  no subnet manager"* ]]
    done
    for code in IA-E306x x306 IA-E 'IA-E 306' A-E306x; do
        run -1 "$agent" causes "$code"
        [[ $output == *"$code: no such cause"* ]]
    done
    run -1 "$agent" causes IA-E000
    [[ $output == *"IA-E000: no such cause"* ]]
    run -0 "$agent" causes
    [ "$(grep -c '^IA-E' <<<"$output")" -eq "$("$agent" causes --markdown | grep -c '^| IA-E')" ]
    run -0 "$agent" options rd.retry= init
    [[ $output == "rd.retry=SECONDS"*"default: 180"*"init=PATH"* ]]
    run -1 "$agent" options rd.nothing
    [[ $output == *"rd.nothing: no option"* ]]
    run -0 "$agent" options
    run -1 grep '^|' <<<"$output"
}

@test "every field of the doctor's JSON is documented" {
    local field fields
    mapfile -t fields < <(grep -ohE '(JSON_FIELD[A-Z_]*\(|\([a-z]+, )"[a-z_]+"' \
        initagent/doctor/findings_json.c |
        grep -oE '"[a-z_]+"' | tr -d '"' | sort -u)
    [ "${#fields[@]}" -gt 20 ]
    for field in "${fields[@]}"; do
        tabled docs/doctor.md "$field"
    done
    for field in partitions adapter netdev; do
        run -1 tabled docs/doctor.md "$field"
    done
}

@test "every form of client identifier is documented" {
    local form forms
    mapfile -t forms < <(sed -n '/^static const char \*const form_names/,/^};/s/.*"\(.*\)",/\1/p' \
        initagent/address/client_id.c)
    [ "${#forms[@]}" -eq 6 ]
    for form in "${forms[@]}"; do
        grep -q "^| \`$form" docs/dhcp-infiniband.md || {
            echo "$form is missing in docs/dhcp-infiniband.md"
            return 1
        }
    done
}

@test "every key of the site file is documented" {
    local key keys
    mapfile -t keys < <(grep -ohE '(FIELD|REQUIRED)\("[a-z-]+"|^\s*\{"[a-z0-9-]+", take_' \
        ipxe-scripts/site/{load,nodes}.c ipxe-scripts/site/fields.h |
        grep -oE '"[a-z0-9-]+"' | tr -d '"' | sort -u)
    [ "${#keys[@]}" -gt 40 ]
    for key in "${keys[@]}"; do
        grep -qE "\`[^\`]*\b$key:" docs/site-file.md || {
            echo "docs/site-file.md does not name $key:"
            return 1
        }
    done
}

@test "the walk-through's site file is good" {
    local t=$BATS_TEST_TMPDIR i
    # the file it shows, with the rest of the 40 GUIDs
    sed -n "/^    site: cluster/,/^Then check/s/^    //p" docs/walk-through.md |
        sed "s/, and so on.*//" >"$t/site.yaml"
    for ((i = 3; i <= 40; i++)); do printf '      - 0xb8cef6030031%04x\n' $((0x4000 + 8 * i)); \
        done >>"$t/site.yaml"
    mkdir "$t/images"
    echo x | tee "$t/images/vmlinuz" >"$t/images/node.img"
    "${BUILD:-build}/initagent-site" -f "$t/site.yaml" --strict check
    "${BUILD:-build}/initagent-site" -f "$t/site.yaml" explain node040 | grep "address 10.20.0.50"
}

@test "every line of the boot scripts is documented" {
    local line lines
    mapfile -t lines < <(grep -ohE 'initagent \[[0-9] [a-z ]+\]' ipxe-scripts/site/scripts.c |
        sed 's/.*\[//; s/\]//' | sort -u)
    [ "${#lines[@]}" -eq 8 ]
    for line in "${lines[@]}"; do
        grep -qF "[$line]" docs/boot-stages.md || {
            echo "docs/boot-stages.md does not name [$line]"
            return 1
        }
    done
}

@test "every claim of the threat model points to a test that is there" {
    local file name n=0
    while IFS=: read -r file name; do
        n=$((n + 1))
        name=${name# }
        grep -qxF -e "@test \"$name\" {" -e "TEST($name)" "$file" || {
            echo "docs/threat-model.md names $file: $name"
            return 1
        }
    # unchecked: counted
    done < <(grep -oE '`(tests|tests-qemu|initagent|kernel-cmdline)/[A-Za-z0-9_./-]+: [^`]+`' \
        docs/threat-model.md | tr -d '`')
    [ "$n" -ge 30 ]
}

# The lists tell by which test; exceptions with their reasons are in tests/provoked.exceptions.
@test "every cause is brought about by a test" {
	run -0 tests/provoked causes
	[[ $output == *IA-E102:* ]]
}

@test "a comment, a check that it is absent, an event of its name: none brings a row about" {
	local tree=$BATS_TEST_TMPDIR/tree text form
	mkdir -p "$tree"/{tests,tests-qemu,initagent/{report,x},kernel-cmdline}
	cp tests/provoked tests/provoked.exceptions "$tree/tests"
	cp initagent/report/causes.def "$tree/initagent/report"
	cp kernel-cmdline/options.def "$tree/kernel-cmdline"
	for text in '# IA-E506' 'true # IA-E506' 'run -1 grep -q "IA-E506" log' \
		'[[ $output != *IA-E506* ]]' '! grep IA-E506 log' '# rd.retry=5' \
		'run -1 grep " rd.retry=5" log'; do
		printf '@test "x" {\n%s\n}\n' "$text" >"$tree/tests/x.bats"
		for form in causes options; do
			run -1 "$tree/tests/provoked" $form
			[[ $output == *"IA-E506: NO TEST"* || $output == *"rd.retry: NO TEST"* ]]
		done
	done
	for text in 'CHECK_INT(ev.type, ADDRESS_FAILED);' 'x = CAUSE_ADDRESS_FAILED;' \
		'room_until(&f, ADDRESS_FAILED, 3);' '/* CHECK_INT(x, CAUSE_ADDRESS_FAILED); */' \
		'report_cause(r, CAUSE_ADDRESS_FAILED);' 'job_fail(j, CAUSE_ADDRESS_FAILED);'; do
		printf 'TEST(x)\n{\n\t%s\n}\n' "$text" >"$tree/initagent/x/test_x.c"
		run -1 "$tree/tests/provoked" causes
		[[ $output == *"IA-E506: NO TEST"* ]]
	done
	# what does
	for text in 'CHECK_INT(ev.cause, /* so */\n\t\tCAUSE_ADDRESS_FAILED);' \
		'run("/sys/*/x */ /*");\n\tCHECK_INT(ev.cause, CAUSE_ADDRESS_FAILED);' \
		'expect("ip=dhcp", BOOT_FAILED, "IA-E506");' '{"text", CAUSE_ADDRESS_FAILED},'; do
		printf 'TEST(x)\n{\n\t%b\n}\n' "$text" >"$tree/initagent/x/test_x.c"
		run -1 "$tree/tests/provoked" causes
		[[ $output == *"IA-E506: initagent/x/test_x.c: x"* ]]
	done
	# a macro is no option, what stands in a string is; the examples above bring nothing about
	text='boot("root=nfs4:x ip=" NODE " rd.retry=5 \" NODE=1", NODE);'
	printf 'TEST(x)\n{\n\t%s\n}\n' "$text" >"$tree/initagent/x/test_x.c"
	run -1 "$tree/tests/provoked" options
	[[ $output == *"rd.retry: initagent/x/test_x.c: x"* ]]
	[[ $output == *"NODE: initagent/x/test_x.c: x"* ]]
	sed -i 's/ NODE=1//' "$tree/initagent/x/test_x.c"
	run -1 "$tree/tests/provoked" options
	[[ $output == *"NODE: NO TEST"* ]]
	rm "$tree/initagent/x/test_x.c" "$tree/tests/x.bats"
	cp tests/docs.bats "$tree/tests"
	run -1 "$tree/tests/provoked" causes
	[[ $output == *"IA-E506: NO TEST"* ]]
	printf '@test "x" {\nboots rd.retry=5 # so\ngrep IA-E506 log\n}\n' >"$tree/tests/x.bats"
	run -1 "$tree/tests/provoked" causes
	[[ $output == *"IA-E506: tests/x.bats: x"* ]]
	run -1 "$tree/tests/provoked" options
	[[ $output == *"rd.retry: tests/x.bats: x"* ]]
}

@test "every option is used by a test" {
	run -0 tests/provoked options
	[[ $output == *rd.neednet:* ]]
}

# All of it but the days: they come from the last runs' results, and each run has newer ones.
@test "the page of what is tested is made of its table, and every case it names is there" {
	tests/tested --undated >"$BATS_TEST_TMPDIR/page"
	diff <(sed -E 's/ [0-9]{4}-[0-9]{2}-[0-9]{2} \|$/  |/' docs/tested.md) \
		"$BATS_TEST_TMPDIR/page"
	[ "$(grep -c '^| ' "$BATS_TEST_TMPDIR/page")" -gt 10 ]
}

@test "a row of that table which names a function or table that is not there is refused" {
	local tree=$BATS_TEST_TMPDIR/tree without
	mkdir -p "$tree"/{initagent,kernel-cmdline,dracut,flexboot,ipxe-scripts,packaging}
	mkdir "$tree"/tests{,-qemu}
	cp tests/tested "$tree/tests/"
	printf 'TEST(it_is)\nother_name();\n' >"$tree/initagent/test_a.c"
	printf 'int there(void)\nint rows[] = {};\n' >"$tree/initagent/a.c"
	for without in "there() of a.c, rows[]" "other_name(): IA-E1" "here(): IA-E1" "row[]"; do
		echo "a | b | initagent/test_a.c: it_is | $without" >"$tree/tests/systems"
		[ "$without" = "there() of a.c, rows[]" ] && run -0 "$tree/tests/tested" && continue
		run -1 "$tree/tests/tested"
		[[ $output == *"tests/systems: nothing is called ${without%%[:]*}:"* ]]
	done
}

@test "the page of what is tested has the day of a C file's last run, and of a bats file's" {
	local dir=$BATS_TEST_TMPDIR/build/check

	mkdir -p "$dir"
	echo "ok 1 - an_ethernet_driver_brings_its_rdma_half" \
		>"$dir/initagent_modules_test_devices.tap"
	echo "ok 1 Soft-iWARP: NFSoRDMA 4.2 with DHCP in 3ms" >"$dir/tests-qemu_siw.bats.tap"
	touch -d 2001-02-03 "$dir"/*.tap
	BUILD=${dir%/*} run -0 tests/tested
	[ "$(grep -c ' 2001-02-03 |$' <<<"$output")" -eq 2 ]
}

@test "the sysfs trees of the ports are called hand-made, each of them and in the README" {
    local fabric=tests/fixtures/fabric tree n=0
    grep -q '^All of them are hand-made: ' $fabric/README
    for tree in "$fabric"/*/; do
        tree=$(basename "$tree")
        n=$((n + 1))
        grep -qE "^([a-z0-9-]+, )*$tree(, [a-z0-9-]+)*  +[A-Za-z]" $fabric/README || {
            echo "$fabric/README does not name $tree"
            return 1
        }
    done
    [ "$n" -ge 7 ]
    grep -q '^| mlx4, mlx5, .*hand-made sysfs trees' README.md
    # no page says otherwise
    run -1 grep -rn 'recorded sysfs' README.md docs
}

@test "every metric is documented, and no other" {
    names=$(grep -oE '(single|head)\(out, "[a-z_]+' initagent/state/prometheus.c |
        sed 's/.*"/initagent_/' | sort)
    diff <(echo "$names") <(sed -n '/^| metric/,/^$/p' docs/reporting.md | cut -d'|' -f2 |
        grep -oE 'initagent_[a-z_]+' | sort)
}
