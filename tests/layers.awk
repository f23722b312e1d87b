# SPDX-License-Identifier: GPL-2.0-or-later
#
# layers.awk: checks the include lines of product code against the table of layers.
#
#   awk -v table=initagent/layers -f includes.awk -f layers.awk LIST FILE...
#
# LIST names every file of the tree, one a line; FILE are the ones whose includes are checked.

function read_row(line, text,   name, i, n, names) {
	name = text
	sub(/:.*/, "", name)
	sub(/^[^:]*:/, "", text)
	if (name in place)
		tell(table, line, name " has two rows")
	n = split(text, names, " ")
	for (i = 1; i <= n; i++) {
		if (names[i] == "above") {
			from_above[name] = 1
		} else if (!(names[i] in place)) {
			tell(table, line, name " includes " names[i] ", which is not above it")
		} else {
			allowed[name, names[i]] = 1
		}
	}
	place[name] = line
}

function read_table(   line, number, words) {
	while ((getline line <table) > 0) {
		number++
		if (line ~ /^(#|$)/)
			continue
		if (line ~ /^[^ ]+:/) {
			read_row(number, line)
		} else {
			split(line, words, " ")
			exception[words[1], words[2]] = number
		}
	}
	if (!number)
		tell(table, 1, "no such table")
}

function may(from, to) {
	return from == to || (from, to) in allowed ||
		(to == "kernel-cmdline" || from in from_above) && to in place && place[to] < place[from]
}

BEGIN {
	read_table()
}

FNR == 1 {
	from = folder_of(FILENAME)
	seen[from] = 1
	if (!(from in place))
		tell(FILENAME, 1, from " has no row in " table)
}

# Of a macro nobody can tell where it leads.
/^[ \t]*#[ \t]*include[ \t]*[^ \t"<]/ {
	tell(FILENAME, FNR, "an include by a macro")
}

(name = included($0)) != "" {
	if (name ~ /\.\.\//)
		tell(FILENAME, FNR, name ": name the folder")
	target = target_of(FILENAME, name)
	if (target == "")
		next
	to = folder_of(target)
	if (may(from, to))
		next
	if ((FILENAME, name) in exception)
		needed[FILENAME, name] = 1
	else
		tell(FILENAME, FNR, from " -> " to ": " name " is not above it in " table)
}

END {
	for (name in place)
		if (!(name in seen))
			tell(table, place[name], name " holds no C file")
	for (key in exception)
		if (!(key in needed)) {
			split(key, part, SUBSEP)
			tell(table, exception[key], part[1] " does not need its exception for " part[2] ": remove the line")
		}
}
