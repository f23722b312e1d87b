#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2016 # the made-up files hold shell text
#
# Each lint gate on a tree made for it: it names the offender by file and line, and lets what is
# just inside its limit pass.
# Every gate runs over trees of its own, which takes long.
# bats file_tags=slow
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/.." || return
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE"/{initagent,tests,dracut/module}
}

# gate NAME: the gate's verdict on the made-up tree.
gate() {
	# unchecked: the caller looks at $status
	run tests/lint -C "$TREE" "$1"
	echo "$output"
}

finds() {
	gate "$1"
	[ "$status" -eq 1 ]
	[[ $output == *"$2"* ]]
}

passes() {
	gate "$1"
	[ "$status" -eq 0 ]
	[ "$output" = "" ]
}

# put FILE: standard input becomes FILE of the tree.
put() {
	cat >"$TREE/$1"
}

# function_of LINES: a C function that many lines long, from its name to its closing brace.
function_of() {
	printf 'int long_one(int a)\n{\n'
	for ((i = 0; i < $1 - 4; i++)); do
		printf '\ta++;\n'
	done
	printf '\treturn a;\n}\n'
}

# complexity_of N: a C function of that McCabe complexity.
complexity_of() {
	printf 'int deep(int a)\n{\n'
	for ((i = 0; i < $1 - 1; i++)); do
		printf '\tif (a == %d)\n\t\treturn %d;\n' "$i" "$i"
	done
	printf '\treturn a;\n}\n'
}

@test "functions: 61 lines are one too many" {
	{ echo "/* first line */"; function_of 61; } | put initagent/x.c
	finds functions "initagent/x.c:2: long_one() has 61 lines"
}

@test "functions: 60 lines pass" {
	function_of 60 | put initagent/x.c
	passes functions
}

@test "functions: tests are held to it too" {
	function_of 61 | put tests/test_x.c
	finds functions "tests/test_x.c:1: long_one()"
}

@test "complexity: 16 is one too many" {
	complexity_of 16 | put initagent/x.c
	finds complexity "initagent/x.c:1: deep has complexity 16"
}

@test "complexity: 15 passes" {
	complexity_of 15 | put initagent/x.c
	passes complexity
}

@test "complexity: a switch counts once" {
	{
		printf 'int pick(int a)\n{\n\tswitch (a) {\n'
		for ((i = 0; i < 40; i++)); do printf '\tcase %d: return %d;\n' "$i" "$i"; done
		printf '\t}\n\treturn 0;\n}\n'
	} | put initagent/x.c
	passes complexity
}

@test "files: 601 lines are one too many, 600 pass" {
	seq 600 | sed 's,.*,/* & */,' | put initagent/x.c
	passes files
	echo "int x;" >>"$TREE/initagent/x.c"
	finds files "initagent/x.c:601: more than 600 lines"
}

@test "columns: 101 are one too many, 100 pass, a tab reaches to the next eighth" {
	printf 'int x;\n//\t%092d\n' 0 | put initagent/x.c
	printf '#!/bin/sh\n# %098d\n' 0 | put tests/tool
	printf '%0200d\n' 0 | put tests/data
	passes columns
	printf 'int x;\n//\t%093d\n' 0 | put initagent/x.c
	finds columns "initagent/x.c:2: 101 columns, at most 100"
	printf '#!/bin/sh\n# %099d\n' 0 | put tests/tool
	finds columns "tests/tool:2: 101 columns"
}

# layered: a tree of three folders, with the table of them from standard input.
layered() {
	mkdir -p "$TREE"/initagent/{low,high} "$TREE/kernel-cmdline"
	put initagent/layers
	echo 'int x;' | tee "$TREE"/initagent/{low,high}/x.h "$TREE/kernel-cmdline/plan.h" \
		>"$TREE/initagent/main.c"
}

@test "layers: an include from above or of the own folder passes, one from below is found" {
	layered <<-'EOF'
		kernel-cmdline:
		low:
		high: low
		main.c: above
	EOF
	printf '#include "x.h"\n#include "plan.h"\n#include "low/x.h"\n' | put initagent/high/y.c
	printf '#include "high/x.h"\n' | put initagent/low/test_y.c
	printf '#include "low/x.h"\n#include "high/x.h"\n' | put initagent/main.c
	passes layers
	printf 'int a;\n# include "high/x.h"\n' | put initagent/low/y.c
	finds layers \
		"initagent/low/y.c:2: low -> high: high/x.h is not above it in initagent/layers"
	rm "$TREE/initagent/low/y.c"
	printf '#include "../high/x.h"\n#include "low/x.h"\n' | put kernel-cmdline/y.c
	finds layers "kernel-cmdline/y.c:1: ../high/x.h: name the folder"
	finds layers "kernel-cmdline/y.c:2: kernel-cmdline -> low: low/x.h"
	rm "$TREE/kernel-cmdline/y.c"
	mkdir "$TREE/initagent/new"
	echo 'int y;' | put initagent/new/y.c
	finds layers "initagent/new/y.c:1: new has no row in initagent/layers"
	rm -r "$TREE/initagent/new"
	printf '#include %s\n' '<high/x.h>' X '<stdio.h>' | put initagent/low/z.c
	finds layers "initagent/low/z.c:1: low -> high: high/x.h is not above it"
	finds layers "initagent/low/z.c:2: an include by a macro"
	[[ $output != *stdio.h* ]]
}

@test "layers: the table has no circle, no empty row, no second row" {
	layered <<-'EOF'
		kernel-cmdline:
		low: high
		high: low
		main.c: above
	EOF
	finds layers "initagent/layers:2: low includes high, which is not above it"
	layered <<-'EOF'
		kernel-cmdline:
		low:
		high: low
		gone: low
		low:
		main.c: above
	EOF
	finds layers "initagent/layers:4: gone holds no C file"
	finds layers "initagent/layers:5: low has two rows"
	rm "$TREE/initagent/layers"
	finds layers "initagent/layers:1: no such table"
}

@test "layers: an exception that is no longer needed is one itself" {
	layered <<-'EOF'
		kernel-cmdline:
		low:
		high: low
		main.c: above

		initagent/low/y.c high/x.h
	EOF
	printf '#include "high/x.h"\n' | put initagent/low/y.c
	passes layers
	echo 'int y;' | put initagent/low/y.c
	finds layers \
		"initagent/layers:6: initagent/low/y.c does not need its exception for high/x.h"
}

# headed: standard input is the comment that initagent/low/x.h opens with; high/ includes it.
headed() {
	mkdir -p "$TREE"/initagent/{low,high} "$TREE/kernel-cmdline"
	{ echo '/* SPDX-License-Identifier: GPL-2.0-or-later */'; cat; echo 'int x;'; } |
		put initagent/low/x.h
	printf '#include "x.h"\n' | tee "$TREE/initagent/low/x.c" >"$TREE/initagent/low/test_x.c"
	printf '#include "low/x.h"\n' | put initagent/high/y.c
}

good_header='/*
 * x: one thing. It owns that.
 * In: a number, as a
 * caller has it. Out: another.
 * Callers: high/ asks. Tests: test_*.c, low/test_x.c.
 *
 * Not for low/ or gone/ to call.
 */'

@test "headers: what one owns, In, Out, Callers and Tests are there, or it is private" {
	headed <<<"$good_header"
	passes headers
	for field in In Out Callers Tests; do
		headed <<<"${good_header/$field: /}"
		finds headers "initagent/low/x.h:1: the opening comment has no \"$field:\""
	done
	headed <<<"${good_header/x: /}"
	finds headers "initagent/low/x.h:1: no opening comment \"x: WHAT IT OWNS\""
	headed <<<'/* x: one thing. */'
	finds headers "initagent/low/x.h:1: the opening comment has no \"In:\""
	rm "$TREE/initagent/high/y.c"
	passes headers
	put initagent/low/x.h <<<'int x; /* x: too late */'
	finds headers "initagent/low/x.h:1: no opening comment \"x: WHAT IT OWNS\""
}

@test "headers: callers are the folders that include it, tests apart" {
	headed <<<"$good_header"
	printf '#include "low/x.h"\n' | tee "$TREE/initagent/main.c" \
		>"$TREE/initagent/high/test_y.c"
	finds headers "initagent/low/x.h:1: Callers: main.c includes it"
	headed <<<"${good_header/high\//main.c, high\/}"
	passes headers
	rm "$TREE/initagent/high/y.c"
	finds headers "initagent/low/x.h:1: Callers: high does not include it"
	headed <<<"${good_header/high\/ asks/every folder}"
	finds headers "initagent/low/x.h:1: Callers: name the folders, which are 2"
	mkdir "$TREE/initagent/base"
	mv "$TREE"/initagent/low/*x.* "$TREE/initagent/base/"
	sed -i 's,low/test_x,base/test_x,' "$TREE/initagent/base/x.h"
	for folder in 1 2 3 4 5 6 7; do
		finds headers "initagent/base/x.h:1: Callers: name the folders"
		mkdir "$TREE/initagent/in$folder"
		printf '#include "base/x.h"\n' | put "initagent/in$folder/y.c"
	done
	finds headers "initagent/base/x.h:1: Callers: name the folders, which are 7"
	printf '#include "base/x.h"\n' | put initagent/high/y.c
	passes headers
}

@test "headers: a test that is named is there, in the header's folder or where tests are" {
	for name in test_z.c test_x fuzz_*.c low/test_z.c tests/x.bats x.bats; do
		headed <<<"${good_header/low\/test_x.c/$name}"
		finds headers "initagent/low/x.h:1: Tests: no $name"
	done
	echo '@test "x" { true; }' | put tests/x.bats
	passes headers
	headed <<<"${good_header/test_\*.c, low\/test_x.c/with its callers}"
	finds headers "initagent/low/x.h:1: Tests: names none"
	mkdir "$TREE/flexboot"
	echo '/* r: a ROM. Tests: test_r.c. */' | put flexboot/r.h
	finds headers "flexboot/r.h:1: Tests: no test_r.c"
}

@test "banned: each unsafe function is found, wherever the file is" {
	for name in strcpy strcat strncpy sprintf vsprintf gets strtok atoi atol alloca mktemp; do
		printf 'void f(void)\n{\n\t%s(a, b);\n}\n' "$name" | put tests/x.c
		finds banned "tests/x.c:3:	$name(a, b);"
	done
}

@test "banned: no shell, no waiting, no assertion in product code" {
	for name in system popen execvp sleep usleep nanosleep assert abort; do
		printf 'void f(void)\n{\n\t%s(a);\n}\n' "$name" | put initagent/x.c
		finds banned "initagent/x.c:3:	$name(a);"
		rm "$TREE/initagent/x.c"
		printf 'void f(void)\n{\n\t%s(a);\n}\n' "$name" | put initagent/test_x.c
		passes banned
		rm "$TREE/initagent/test_x.c"
	done
}

@test "banned: comments, strings, members and longer names are not calls" {
	put initagent/x.c <<-'EOF'
		/* strcpy(a, b) is not used, nor
		 * system(x) here */
		// popen(x)
		const char *s = "atoi(1) \" sprintf(2)"; char c = '"'; int n = my_strcpy(a);
		int y = x->system(1) + x.sleep(2); strtok_r(a, b, c); fgets(a, b, c);
		static_assert(1, "");
	EOF
	passes banned
}

@test "banned: a call after a comment on the same line is found" {
	echo '/* first */ int x = atoi(y); /* last */' | put initagent/x.c
	finds banned "initagent/x.c:1:"
}

@test "shell-text: eval and sourced run-time files in the dracut module" {
	printf '#!/bin/sh\n. /lib/dracut-lib.sh\necho evaluate\n' | put dracut/module/x.sh
	passes shell-text
	printf '#!/bin/sh\n\neval "$x"\n' | put dracut/module/x.sh
	finds shell-text "dracut/module/x.sh:3:eval"
	printf '#!/bin/sh\n. /run/state.env\n' | put dracut/module/x.sh
	finds shell-text "dracut/module/x.sh:2:"
}

@test "spdx: a file without licence line" {
	echo 'int x;' | put initagent/x.c
	finds spdx "initagent/x.c:1:"
	printf '/* SPDX-License-Identifier: GPL-2.0-or-later */\nint x;\n' | put initagent/x.c
	passes spdx
	printf '#!/bin/sh\necho\n' | put dracut/module/hook
	finds spdx "dracut/module/hook:1:"
}

@test "words: marks of unfinished work" {
	for word in TO'DO' FIX'ME' XX'X'; do
		printf 'int x;\n/* %s: later */\n' "$word" | put initagent/x.c
		finds words "initagent/x.c:2:"
	done
	echo 'mktemp /run/x.XXXXXX' | put tests/x.sh
	rm "$TREE/initagent/x.c"
	passes words
}

@test "phrases: found in code and pages, not in tests; an exception that is not needed" {
	printf '# words\n\\bcage\\b\tsandbox, or "cell"\n' | put tests/phrases
	printf 'int x;\n/* the Cage */\n' | put initagent/x.c
	echo 'int cages; /* cage */' | put initagent/test_x.c
	finds phrases 'initagent/x.c:2:/* the Cage */   <- sandbox, or "cell"'
	[ "${#lines[@]}" -eq 1 ]
	echo "initagent/x.c" >>"$TREE/tests/phrases"
	passes phrases
	mkdir "$TREE/docs"
	echo "no cage" | put docs/x.md
	echo "int x;" | put initagent/x.c
	finds phrases "docs/x.md:1:no cage"
	finds phrases "tests/phrases:3: initagent/x.c has none any more: remove the line"
}

@test "whitespace: trailing blanks, carriage returns, no last newline" {
	printf 'int x;\nint y; \n' | put initagent/x.c
	finds whitespace "initagent/x.c:2:"
	printf 'int x;\r\n' | put initagent/x.c
	finds whitespace "initagent/x.c:1:"
	printf 'int x;' | put initagent/x.c
	finds whitespace "initagent/x.c:1: no newline"
	printf 'int x;\n' | put initagent/x.c
	passes whitespace
}

@test "binaries: a package left in the tree" {
	printf '\x7fELF\0\0' | put tests/left.deb
	finds binaries "tests/left.deb:1: not a text file"
	printf '\n' | put tests/left.deb
	passes binaries
}

@test "lab: a name of tests-qemu in the product" {
	mkdir -p "$TREE"/tests-qemu/{softhca,guest} "$TREE/kernel-cmdline"
	put tests-qemu/softhca/Kbuild <<<"obj-m += softhca.o"
	put tests-qemu/guest/bootclock.c <<<"int main(void);"
	put kernel-cmdline/driver.c <<<'static const char *const types[] = {"rxe", "softhca"};'
	finds lab "kernel-cmdline/driver.c:1:"
	put kernel-cmdline/driver.c <<<'static const char *const types[] = {"rxe", "softhcas"};'
	passes lab
	mkdir -p "$TREE/initagent/boot"
	put initagent/boot/pid1.c <<<'/* not under bootclock */'
	finds lab "initagent/boot/pid1.c:1:"
}

@test "machine: the checkout's own path" {
	echo "see $TREE/initagent/x.c" | put tests/notes.txt
	finds machine "tests/notes.txt:1:"
	echo "see initagent/x.c" | put tests/notes.txt
	passes machine
}

@test "machine: hosts of this machine's package archives and of mirrors" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho packages.here.example\n' >"$BATS_TEST_TMPDIR/bin/apt-get"
	chmod +x "$BATS_TEST_TMPDIR/bin/apt-get"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH
	echo "deb http://packages.here.example/debian" | put tests/notes.txt
	finds machine "tests/notes.txt:1:"
	printf 'http://%s.%s/debian\n' deb debian.org | put tests/notes.txt
	finds machine "tests/notes.txt:1:"
	echo "http://server.example/image" | put tests/notes.txt
	passes machine
}

@test "shellcheck: scripts, bats files and recipes are looked at" {
	mkdir -p "$TREE/deps/recipes"
	printf '#!/bin/sh\necho $1\n' | put dracut/module/hook
	finds shellcheck "dracut/module/hook:2:6:"
	rm "$TREE/dracut/module/hook"
	printf '@test "x" {\n\t! false\n\t[ $x ]\n}\n' | put tests/x.bats
	finds shellcheck "tests/x.bats:3:"
	rm "$TREE/tests/x.bats"
	printf 'cat `ls`\n' | put deps/recipes/lib
	finds shellcheck "deps/recipes/lib:1:"
	printf '$CC $CFLAGS -c x.c\n' | put deps/recipes/lib
	passes shellcheck
}

@test "cppcheck: a real bug is found" {
	put initagent/x.c <<-'EOF'
		int f(void)
		{
			int a[4];

			a[4] = 1;
			return a[0];
		}
	EOF
	finds cppcheck "initagent/x.c:5:"
}

@test "cppcheck: a cleanup attribute is not a leak" {
	put initagent/x.c <<-'EOF'
		#include <stdlib.h>
		static inline void freep(void *p)
		{
			free(*(void **)p);
		}
		int f(void)
		{
			__attribute__((cleanup(freep))) char *p = malloc(4);

			return p ? 0 : -1;
		}
	EOF
	passes cppcheck
}

@test "analyzer: a leak on an error path is found" {
	[[ $(gcc -dumpversion) == 12* ]] || skip "the analyzer's findings are kept for gcc 12"
	put initagent/x.c <<-'EOF'
		#include <string.h>
		int use(const char *);
		int f(const char *s)
		{
			char *p = strdup(s);
			int r = use(p);

			if (r < 0)
				return r;
			__builtin_free(p);
			return 0;
		}
	EOF
	finds analyzer "initagent/x.c:"
}

@test "analyzer: code that does not compile is an offender" {
	[[ $(gcc -dumpversion) == 12* ]] || skip "the analyzer's findings are kept for gcc 12"
	echo 'int f(' | put initagent/x.c
	finds analyzer "initagent/x.c:1:"
}

# checked: standard input is the body of a case, among helpers; the gate's verdict on it.
checked() {
	{
		printf '%s\n' 'assert_eq() {' '[ "$1" = "$2" ]' '}' 'refute_within() {' \
			'run -1 "$@"' '}' 'boots() {' 'assert_eq "$1" good' '}' \
			'refused() {' '[ "$status" -eq 3 ]' '}' 'gives_up() {' \
			'cmp "$1" x || { echo no; return 1; }' '}' '@test "x" {'
		cat
		printf '%s\n' 'true' '}'
	} | put tests/x.bats
	gate checks
}

# tells WHAT LINE...: each of the lines is an offender, and told as WHAT.
tells() {
	local line

	for line in "${@:2}"; do
		checked <<<"$line"
		[ "$status" -eq 1 ] || { echo "passes: $line"; return 1; }
		[[ $output == *"tests/x.bats:1"[7-9]": $1"* ]]
	done
}

# spares LINE...: none of them is.
spares() {
	local line

	for line; do
		checked <<<"$line"
		[ "$status" -eq 0 ] || { echo "is told: $line"; return 1; }
	done
}

@test "checks: an assertion in a pipeline, a condition, an and-list" {
	tells "the status of an assertion is dropped" \
		'assert_eq a b | cat' \
		'cd x; assert_eq "$(cat f | wc -l)" b | cat' \
		'if refute_within 3 cat; then :; fi' \
		'if boots a; then echo yes; fi' \
		'if refused a; then echo yes; fi' \
		'gives_up a | cat' \
		'! boots a' \
		'x=$(boots a)' \
		'boots a && echo yes'
	tells "A && B" 'assert_eq a b && true' '[ a = b ] && true' 'grep x f && :'
	tells "|| true hides" 'assert_eq a b || true'
	spares 'assert_eq "$(cat f | wc -l)" b' 'assert_eq a b' 'true && boots a' \
		'assert_eq a b || { cat f; return 1; }' 'assert_eq "$(a "$b" | c "d | e")" f' \
		'assert_eq a b | cat # unchecked: for its words'
}

@test "checks: a negation, wherever it is in the line" {
	tells "a negated command" '! grep x f' 'cd /tmp; ! grep x f' \
		'if true; then ! grep x f; fi' '{ ! grep x f; }' 'true && ! grep x f' \
		'for i in a b; do ! grep "$i" f; done' '! grep x f || y; ! grep z f'
	spares 'if ! grep x f; then y; fi' 'while ! grep x f; do y; done' '! grep x f || return 1' \
		'grep x f | { ! grep y; }' '[[ ! -e f && ! -e g ]]' "echo '; ! x'"
}

@test "checks: || true behind a command that may crash, || echo behind a check" {
	tells "|| true hides" 'drive x || true' 'drive x >f 2>&1 || :' 'x=$(drive "$y") || true' \
		'a || drive x || true' 'drive x | grep y || true' '{ drive x || true; }'
	tells "|| echo goes on" 'cmp a b || echo no' '[ a = b ] || echo "no: $x"' \
		'cmp a b || { echo no; }' 'cd x; grep y z || printf "%s\n" no'
	spares 'kill 1 2>/dev/null || true' 'wait 1 || :' 'cat log || true' 's=0; drive x || s=$?' \
		'cmp a b || { echo no; return 1; }' 'cmp a b || echo differ >>f' \
		'drive x || true # unchecked: its end is not looked at'
}

@test "checks: loops over what may be empty" {
	tells "a loop over what may be empty" \
		'for f in "${list[@]}"; do cmp "$f" x; done' \
		'find . | while read -r f; do cmp "$f" x; done' \
		$'while read -r f; do\ncmp "$f" x\ndone <file' \
		$'while read -r f; do\ncmp "$f" x\ndone < <(find .)' \
		$'while read -r f; do\ncmp "$f" x\ndone <<<"$(find .)"' \
		'for f in $(find .); do cmp "$f" x; done' \
		$'shopt -s nullglob\nfor f in x/*; do cmp "$f" x; done'
	spares $'[ "${#list[@]}" -gt 3 ]\nfor f in "${list[@]}"; do cmp "$f" x; done' \
		$'list=(a b)\nfor f in "${list[@]}"; do cmp "$f" x; done' \
		'for f in "$@"; do cmp "$f" x; done' 'for f in a $(find .); do cmp "$f" x; done' \
		'for f in x/*; do cmp "$f" x; done' \
		'done <file # unchecked: counted'
}

@test "checks: run without a status of its own" {
	tells "run ! is content" 'run ! grep x f' 'run ! cmp -s a b' 'cd x; run ! objdump f' \
		'run --separate-stderr ! drive x'
	tells "run without a look" 'run drive x' $'run drive x\necho "$status"' \
		$'run drive x\nprintf "%s" "$output $status"'
	spares 'run -1 cmp -s a b' $'run drive x\n[ "$status" -eq 3 ]' \
		$'run drive x\necho "$output"\n[ "$status" -ne 0 ] || echo "$status" >f'
}

@test "codespell: a common misspelling" {
	printf '/* we rec%sve it */\n' ie | put initagent/x.c
	finds codespell "initagent/x.c:1:"
}

@test "a gate without its tool fails" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	for tool in bash sh dirname find grep sort cat awk sed nproc; do
		ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"
	done
	PATH=$BATS_TEST_TMPDIR/bin run tests/lint -C "$TREE" complexity
	[ "$status" -eq 1 ]
	[[ $output == *"pmccabe is not installed"* ]]
}

@test "an unknown gate is refused" {
	run tests/lint nosuch
	[ "$status" -eq 2 ]
}

@test "--tap counts a case a gate and comments its offenders" {
	function_of 61 | put initagent/x.c
	run tests/lint -C "$TREE" --tap functions files
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "1..2" ]
	[ "${lines[1]}" = "not ok 1 - functions" ]
	[[ ${lines[2]} == "# initagent/x.c:1:"* ]]
	[ "${lines[3]}" = "ok 2 - files" ]
}

@test "this tree has files for every gate to look at" {
	run -0 tests/lint --list
	[ "${#lines[@]}" -ge 12 ]
}
