# SPDX-License-Identifier: GPL-2.0-or-later
#
# headers.awk: checks the comment that a header opens with, and "Callers:" against the include lines.
#
#   awk -f includes.awk -f headers.awk LIST FILE...
#
# LIST names every file of the tree; FILE are those whose includes count. The comment begins with
# "NAME: " and what the header owns. If a folder other than its own includes it, "In:", "Out:",
# "Callers:" and "Tests:" follow; each ends where the next one or a new paragraph begins. Callers are
# the folders that include it, each with a slash at its end, and main.c; other words may stand between
# them. "every folder" is said of what at least EVERY folders include of the layers below all others.
# Tests are named as for tests/of.

BEGIN {
	EVERY = 8
	fields = "(In|Out|Callers|Tests): "
}

function field_of(text, name) {
	if (!match(text, "[ \n]" name ": "))
		return ""
	text = substr(text, RSTART + RLENGTH)
	return match(text, "[ \n]" fields "|\n") ? substr(text, 1, RSTART - 1) : text
}

function check_callers(file, said,   own, words, n, i, key, listed, count) {
	own = folder_of(file)
	for (key in callers) {
		split(key, words, SUBSEP)
		count += words[1] == file && words[2] != own
	}
	if (said ~ /every folder/) {
		if (own !~ /^(base|report|kernel-cmdline)$/ || count < EVERY)
			tell(file, 1, "Callers: name the folders, which are " count)
		return
	}
	n = split(said, words, /[^A-Za-z0-9_.\/-]+/)
	for (i = 1; i <= n; i++) {
		sub(/[.]+$/, "", words[i])
		if (words[i] != "main.c" && !sub(/\/$/, "", words[i]))
			continue
		listed[words[i]] = 1
		if (!((file, words[i]) in callers))
			tell(file, 1, "Callers: " words[i] " does not include it")
	}
	for (key in callers) {
		split(key, words, SUBSEP)
		if (words[1] == file && words[2] != own && !(words[2] in listed))
			tell(file, 1, "Callers: " words[2] " includes it")
	}
}

# A name is of the folder, of initagent/, tests/ or tests-qemu/, and may be a pattern.
function is_there(dir, name,   path, i, n, places, pattern) {
	n = split(dir ",initagent/,,tests/,tests-qemu/", places, ",")
	for (i = 1; i <= n; i++) {
		if (places[i] name in tree)
			return 1
		pattern = places[i] name
		gsub(/\./, "[.]", pattern)
		gsub(/\*/, "[^/]*", pattern)
		if (name ~ /\*/)
			for (path in tree)
				if (path ~ "^" pattern "$")
					return 1
	}
	return 0
}

function check_tests(file, said,   dir, name, found) {
	dir = file
	sub(/[^\/]*$/, "", dir)
	while (match(said, /([a-z-]+\/)*((test|fuzz)_[a-z0-9_*]+(\.c)?|[a-z0-9*-]+\.bats)/)) {
		name = substr(said, RSTART, RLENGTH)
		said = substr(said, RSTART + RLENGTH)
		found = 1
		if (!is_there(dir, name))
			tell(file, 1, "Tests: no " name)
	}
	if (!found)
		tell(file, 1, "Tests: names none")
}

function check(file,   text, name, n, i, names, said) {
	text = opening[file]
	name = file
	gsub(/.*\/|\.h$/, "", name)
	if (file ~ /^(initagent|kernel-cmdline)\//) {
		if (index(text, " " name ": ") != 1)
			tell(file, 1, "no opening comment \"" name ": WHAT IT OWNS\"")
		n = file in public ? split("In Out Callers Tests", names, " ") : 0
		for (i = 1; i <= n; i++)
			if (field_of(text, names[i]) == "")
				tell(file, 1, "the opening comment has no \"" names[i] ":\"")
	}
	if ((said = field_of(text, "Callers")) != "")
		check_callers(file, said)
	if ((said = field_of(text, "Tests")) != "")
		check_tests(file, said)
}

FNR == 1 {
	from = folder_of(FILENAME)
	state = FILENAME ~ /\.h$/ ? "before" : "behind"
	if (state == "before")
		opening[FILENAME] = ""
}

# Licence and empty lines may stand before the comment.
state == "before" && !/SPDX/ && !/^$/ {
	state = /^\/\*/ ? "inside" : "behind"
}

state == "inside" {
	if (/\*\//)
		state = "behind"
	line = $0
	gsub(/^[ \t]*\/?\*+[ \t]?|[ \t]*\*\/.*$/, "", line)
	sub(/^[ \t]+/, "", line)
	if (line != "")
		opening[FILENAME] = opening[FILENAME] " " line
	else if (opening[FILENAME] != "" && state == "inside")
		opening[FILENAME] = opening[FILENAME] "\n"
}

(name = included($0)) != "" && (target = target_of(FILENAME, name)) != "" {
	callers[target, from] = 1
	if (from != folder_of(target))
		public[target] = 1
}

END {
	for (file in opening)
		check(file)
}
