# SPDX-License-Identifier: GPL-2.0-or-later
#
# layers.awk: checks the include lines of product code against the table of layers.
#
#   awk -v table=initagent/layers -f layers.awk LIST FILE...
#
# LIST names every C file of the tree, one a line; FILE are the ones whose includes are checked. A folder
# of initagent/ is named without that prefix. An include without a slash is the own folder's or
# kernel-cmdline/'s; one with a slash is looked for where the compiler looks (roots below).

function tell(file, line, what) { printf "%s:%d: %s\n", file, line, what }

# The row of the table that a file belongs to.
function folder_of(path) {
	sub(/^initagent\//, "", path)
	if (path !~ /\//)
		return path
	sub(/\/[^\/]*$/, "", path)
	return path
}

# The file of the tree that an include line of FILE means, "" for one that is generated.
function target_of(file, name,   own, i) {
	own = file
	sub(/[^\/]*$/, "", own)
	if (own name in tree)
		return own name
	if (name !~ /\//)
		return ("kernel-cmdline/" name) in tree ? "kernel-cmdline/" name : ""
	for (i = 1; i <= root_count; i++)
		if (roots[i] name in tree)
			return roots[i] name
	return ""
}

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
	root_count = split("initagent/,,kernel-cmdline/,dracut/,ipxe-scripts/,flexboot/", roots, ",")
	read_table()
}

FILENAME == ARGV[1] {
	tree[$0] = 1
	next
}

FNR == 1 {
	from = folder_of(FILENAME)
	seen[from] = 1
	if (!(from in place))
		tell(FILENAME, 1, from " has no row in " table)
}

# Of a macro nobody can tell where it leads; of our own folders <> would be looked for as well.
/^[ \t]*#[ \t]*include[ \t]*[^ \t"<]/ {
	tell(FILENAME, FNR, "an include by a macro")
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
	split($0, part, /["<>]/)
	if ($0 ~ /</ && part[2] !~ /\// && !(("kernel-cmdline/" part[2]) in tree))
		next
	if (part[2] ~ /\.\.\//)
		tell(FILENAME, FNR, part[2] ": name the folder")
	target = target_of(FILENAME, part[2])
	if (target == "")
		next
	to = folder_of(target)
	if (may(from, to))
		next
	if ((FILENAME, part[2]) in exception)
		needed[FILENAME, part[2]] = 1
	else
		tell(FILENAME, FNR, from " -> " to ": " part[2] " is not above it in " table)
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
