# SPDX-License-Identifier: GPL-2.0-or-later
#
# checks.awk: finds the forms of a check that cannot fail, in bats files and what they source. bats ends a case at the first
# command that fails (set -e), which these are not taken for:
#
#   ! cmd                        a negated command                        run -1 cmd
#   A && B, not the last command A false                                  two lines
#   check || true                                                         if, or a status that is compared
#   x=$(cmd) || true             cmd crashed: x is empty                  [[ $? -eq 1 ]], or let cmd print what it found
#   run cmd                      nobody looks at $status                  run -0 cmd
#   run ! grep x FILE            no FILE (status 2) will do               run -1 grep x FILE
#   while ...; done < <(cmd)     cmd prints nothing: no check at all      mapfile, then how many there are at least
#   assert_x in a condition, a pipeline or $( )                           a line of its own
#
# A line with "# unchecked: REASON" (or the line before it) is left alone.

function tell(what) { printf "%s:%d: %s\n", name, from, what }

# The text of a line without what stands in quotes, [[ ]] and comments, where && is not the shell's.
function bare(line,   out) {
	gsub(/\\./, "", line)
	gsub(/"[^"]*"|'[^']*'/, "Q", line)
	while (match(line, /\[\[ ([^\]]|\][^\]])* \]\]/))
		line = substr(line, 1, RSTART - 1) "[CHECK" substr(line, RSTART + RLENGTH)
	sub(/(^|[ \t])#.*$/, "", line)
	return line
}

# A command that is there for its status.
function is_check(text) {
	return text ~ /^([ \t]*|.*; *(do|then) )(\[CHECK|\[ |test |grep |cmp |diff |assert_|refute_|jq -e)/
}

function end_run() {
	if (run_line && !looked)
		printf "%s:%d: run without a look at its status: run -0, -1 ... or $status\n", name, run_line
	run_line = 0
}

# judge: one whole command line; the one after it tells whether it was the last.
function judge(line, follows,   text, parts, n, last) {
	text = bare(line)
	sub(/^[ \t]+/, "", text)
	last = follows ~ /^[ \t]*(\}|\)|;;)/
	if (text ~ /^! / && text !~ /\|\|/ && !last)
		tell("a negated command does not end the case: run -1, or if ...; then return 1; fi")
	n = split(text, parts, / && /)
	if (n > 1 && text !~ /\|\||^(if|elif|while|until|return) |[|]$/ && is_check(parts[n - 1]) && (is_check(parts[n]) ||
	    parts[n] ~ /; *done/) && (text ~ /; *done/ || !last))
		tell("A && B: only B ends the case: two lines")
	if (text ~ /^[^|]*(\|[^|]+)*\|\| *(true|:)( *[;})].*)?$/ && (is_check(text) || text ~ /^(local )?[A-Za-z_]+=(Q|["]?\$\()/))
		tell("|| true hides what the check found")
	if (text ~ /(^|[;{] *)run ! *(grep|rg)/)
		tell("run ! is content with a file that is not there: run -1")
	if (text ~ /done *< *<\(/)
		tell("a loop over what may be empty: mapfile, and how many there are at least")
	if (text ~ /(^|[ \t(])(if|while|until|!|&&|\|\|) *assert_/ || text ~ /\$\( *assert_/ || text ~ /(^|[ ;])assert_[a-z_]+ .*\|\| *(:|true)$/)
		tell("the status of an assertion is dropped: a line of its own")
	if (text ~ /(^|[;{&|] *|[ \t])run (--(separate-stderr|keep-empty-lines) )*[^-! ]/ && text !~ /^(run|local|printf|echo)\(\)/ && text ~ /^([A-Z_a-z]+=[^ ]* )*run /) {
		end_run()
		run_line = from
		looked = text ~ /status/ || line ~ /\$\{?status/
	} else if (line ~ /\$\{?status|\(\(.*status/ || line ~ /[^a-z]judged? /)
		looked = 1
}

function flush_line(follows) {
	if (have && !spared)
		judge(held, follows)
	have = 0
}

function new_file() {
	flush_line("}")
	end_run()
	heredoc = ""
	part = ""
	spared = spare_next = 0
	name = FILENAME
}

FNR == 1 { new_file() }

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
}

END { new_file() }
