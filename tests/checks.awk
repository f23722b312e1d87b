# SPDX-License-Identifier: GPL-2.0-or-later
#
# checks.awk: finds the forms of a check that cannot fail, in bats files and what they source. bats ends a case at the first
# command that fails (set -e), which these are not taken for:
#
#   ! cmd; also after ; { do &&  a negated command                        run -1 cmd
#   A && B, not the last command A false                                  two lines
#   check && true                the check is false                       a line of its own
#   cmd || true                  cmd crashed                              s=0; cmd || s=$?, and what $s may be
#   x=$(cmd) || true             cmd crashed: x is empty                  [[ $? -eq 1 ]], or let cmd print what it found
#   check || echo no             the check is false                       || { echo no; return 1; }
#   run cmd                      nobody looks at $status                  run -0 cmd
#   run ! cmd                    no file, a crash: any failure will do    run -1 cmd
#   cmd | while, done < <(cmd)   cmd prints nothing: no check at all      mapfile, then how many there are at least
#   for x in $(cmd), in GLOB with nullglob                                the same
#   for x in "${list[@]}"        an empty list                            [ "${#list[@]}" -gt N ] in the same function
#   helper in a condition, before | && ||, in $( )                        a line of its own
#
# A helper is a function that ends a case: assert_x, refute_x, and what contains one of them, run -N, a look at $status or
# $output, or words and then return 1. The files come twice, after pass=1 to collect the helpers, and after pass=2.
#
# Before || true stands what may fail, whatever it was: kill, wait, rm and what only shows something (ENDS), and in teardown
# all but checks.
# A line with "# unchecked: REASON" (or the line before it) is left alone.

BEGIN {
	ENDS = "^(kill|pkill|wait|read|rm|umount|cat|tail|ip netns del) "
	AT = "(^|[;{] *|(do|then|else) +)"
}

function tell(what) { printf "%s:%d: %s\n", name, from, what }

# The text of a line without what stands in quotes, $( ), [[ ]] and comments, where && is not this command's.
function bare(line) {
	gsub(/\\./, "", line)
	while (match(line, /\$\([^()]*\)/))
		line = substr(line, 1, RSTART - 1) "$C" substr(line, RSTART + RLENGTH)
	gsub(/"[^"]*"|'[^']*'/, "Q", line)
	while (match(line, /\[\[ ([^\]]|\][^\]])* \]\]/))
		line = substr(line, 1, RSTART - 1) "[CHECK" substr(line, RSTART + RLENGTH)
	sub(/(^|[ \t])#.*$/, "", line)
	return line
}

# A command that is there for its status.
function is_check(text) {
	return text ~ ("^([ \t]*|.*; *(do|then) )(\\[CHECK|\\[ |test |grep |cmp |diff |jq -e|(" helpers ")( |$))")
}

function end_run() {
	if (run_line && !looked)
		printf "%s:%d: run without a look at its status: run -0, -1 ... or $status\n", name, run_line
	run_line = 0
}

# A negation is the status of the last command of a function, of a condition, of a pipeline, and of A in "! A || B".
function judge_negation(text,   rest) {
	gsub(/(^|[;{] *|(do|then|else) +)(if|elif|while|until) [^;]*(;|$)/, ";", text)
	gsub(/\| *\{ *! /, "", text)
	while (match(text, /(^|[;{] *|(do|then|else|&&|\|\|) +)! /)) {
		rest = text = substr(text, RSTART + RLENGTH)
		sub(/;.*/, "", rest)
		if (rest !~ /\|\|/)
			return tell("a negated command does not end the case: run -1, or if ...; then return 1; fi")
	}
}

# The command before the last || is the one whose status is dropped.
function judge_or(text,   before) {
	if (text !~ /\|\| *((true|:)( *[;})].*)?|(echo|printf) [^;&|>]*|\{ *(echo|printf) [^;]*; *\})$/ || text ~ /\(\) *\{/)
		return
	before = text
	sub(/ *\|\| *(true|:|echo|printf|\{)([ ;})].*)?$/, "", before)
	sub(/^.*(;|\|\||[^|]\||(^| )do|(^| )then) +/, "", before)
	if (text ~ /\|\| *(true|:)/ && before !~ ENDS && (!in_teardown || is_check(before)))
		tell("|| true hides what the check found, and a crash: s=0; ... || s=$?")
	else if (text !~ /\|\| *(true|:)/ && is_check(before) && (in_case || before !~ /^\[/))
		tell("|| echo goes on when the check is false: || { echo ...; return 1; }")
}

# Before || stands a helper of one status only, such as assert_eq; set -e does not hold in it.
function judge_helper(line, text) {
	sub(/(["']|\$\().*/, "", text)
	if (text ~ /^[a-z_0-9]+\(\)/)
		return
	if (text ~ ("(^|[ \t(])(if|elif|while|until|!) +(" helpers ")( |;|$)") || line ~ ("\\$\\( *(" helpers ")[ )]") ||
	    text ~ (AT "(" helpers ")( [^;|&]*)?(\\|([^|]|$)|&&( *$| *[^ ]))") && text !~ /&& (break|continue|return)/)
		tell("the status of an assertion is dropped: a line of its own")
}

function judge_loop(text,   list) {
	if (text ~ /done *<( *<\(|<<|[^<&0-9])/ || text ~ /\| *while / || text ~ /(^|[;{] *)for [a-zA-Z_]+ in \$(\(|C *(;|$))/ ||
	    (nullglob && text ~ /(^|[;{] *)for [a-zA-Z_]+ in [^;]*\*/))
		tell("a loop over what may be empty: mapfile, and how many there are at least")
}

# The lists of a function that are gone through, and those that are counted.
function note_list(line,   list) {
	if (line ~ /nullglob/)
		nullglob = line !~ /-u nullglob/
	if (match(line, /(^|[ \t;])for [a-zA-Z_]+ in "\$\{!?[a-zA-Z_]+\[@\][^ ]*"; *do/)) {
		list = substr(line, RSTART, RLENGTH)
		gsub(/^.*\{!?|\[.*$/, "", list)
		if (!((name, list) in literal) && !(list in shared) && !(list in looped))
			looped[list] = from
	}
	# of a here-string there is one at least
	if (match(line, /mapfile -t [a-zA-Z_]+ <<</))
		counted[substr(line, RSTART + 11, RLENGTH - 15)] = 1
	while (match(line, /\$\{#[a-zA-Z_]+\[/)) {
		counted[substr(line, RSTART + 3, RLENGTH - 4)] = 1
		line = substr(line, RSTART + RLENGTH)
	}
}

function end_lists(   list) {
	for (list in looped)
		if (!(list in counted))
			printf "%s:%d: a loop over what may be empty: [ \"${#%s[@]}\" -gt ... ] first\n", name, looped[list], list
	split("", looped)
	split("", counted)
	nullglob = 0
}

# judge: one whole command line; the one after it tells whether it was the last.
function judge(line, follows,   text, parts, n, last, look) {
	text = bare(line)
	sub(/^[ \t]+/, "", text)
	last = follows ~ /^[ \t]*(\}|\)|;;)/
	if (!last)
		judge_negation(text)
	n = split(text, parts, / && /)
	if (n > 1 && text !~ /\|\||^(if|elif|while|until|return) |[|]$/ && is_check(parts[n - 1]) &&
	    (is_check(parts[n]) || parts[n] ~ /^(true|:)( *;|$)|; *done/) && (text ~ /; *done/ || !last))
		tell("A && B: only B ends the case: two lines")
	judge_or(text)
	if (text ~ /(^|[;{] *)run (--[a-z-]+ )*! /)
		tell("run ! is content with any failure, such as a file that is not there: run -1")
	judge_loop(text)
	judge_helper(line, text)
	look = line
	gsub(/(echo|printf) [^;|&]*/, "", look)
	if (text ~ /(^|[;{&|] *|[ \t])run (--(separate-stderr|keep-empty-lines) )*[^-! ]/ && text !~ /^(run|local|printf|echo)\(\)/ && text ~ /^([A-Z_a-z]+=[^ ]* )*run /) {
		end_run()
		run_line = from
		looked = text ~ /status/ || look ~ /\$\{?status/
	} else if (look ~ /\$\{?status|\(\(.*status/ || line ~ /[^a-z]judged? /)
		looked = 1
}

function flush_line(follows) {
	if (have && !spared)
		judge(held, follows)
	if (have)
		note_list(spared ? "" : held)
	have = 0
}

function new_file() {
	flush_line("}")
	end_run()
	end_lists()
	heredoc = ""
	part = ""
	spared = spare_next = in_case = in_teardown = 0
	name = FILENAME
}

# The first time: helpers, and arrays with words in them.
function collect(   list) {
	if (/^[a-z_0-9]+\(\)/) {
		own = $1
		sub(/\(.*/, "", own)
		words = 0
		defined[FILENAME, own] = 1
	}
	if (own != "" && (/^[ \t]*((assert|refute)_[a-z_]+ |run -[0-9"]|\[\[? [^|]*\$\{?(status|output|stderr)[^|]*\]( \|\| (return|\{).*)?$)/ || (words && /^[ \t]*return 1$/) || /echo [^;]*; return 1;/))
		found[own, FILENAME] = 1
	words = /^[ \t]*(echo|printf) / || (words && /\\$/)
	if (/^}/)
		own = ""
	if (match($0, /[a-zA-Z_]+=\(([^)$]|$)/)) {
		list = substr($0, RSTART, index(substr($0, RSTART), "=") - 1)
		literal[FILENAME, list] = 1
		if (FILENAME ~ /\.bash$/ && /^[a-z]/)
			shared[list] = 1
	}
}

pass == 1 { collect(); next }

# A file's own function of the same name is another one than a library's.
function know_helpers(   key, at) {
	helpers = "assert_[a-z_0-9]+|refute_[a-z_0-9]+"
	for (key in found) {
		split(key, at, SUBSEP)
		if (at[2] == FILENAME || (at[2] ~ /\.bash$/ && !((FILENAME, at[1]) in defined)))
			helpers = helpers "|" at[1]
	}
}

FNR == 1 {
	new_file()
	know_helpers()
}

heredoc != "" {
	t = $0
	sub(/^\t+/, "", t)
	if (t == heredoc)
		heredoc = ""
	next
}

/^[ \t]*(#|$)/ {
	if (/# unchecked: [^ ]/)
		spare_next = 1
	next
}

/^@test / { in_case = 1 }
/^teardown/ { in_teardown = 1 }

{
	if (part == "") {
		flush_line($0)
		from = FNR
		spared = spare_next || /# unchecked: [^ ]/
		spare_next = 0
	}
	part = part $0
	if (match($0, /<<-?['"]?[A-Z_]+['"]?/)) {
		heredoc = substr($0, RSTART, RLENGTH)
		gsub(/[<'"-]/, "", heredoc)
	}
	if (part ~ /\\$/) {
		sub(/\\$/, " ", part)
		next
	}
	held = part
	have = 1
	part = ""
}

# The end of a case or function.
/^}/ {
	flush_line("")
	end_run()
	end_lists()
	in_case = in_teardown = 0
}

END { new_file() }
