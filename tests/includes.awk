# SPDX-License-Identifier: GPL-2.0-or-later
#
# includes.awk: what the include lines of product code mean, for layers.awk and headers.awk. The first
# file that awk reads lists every file of the tree, one a line. A folder of initagent/ is named without
# that prefix. An include without a slash is the own folder's or kernel-cmdline/'s; one with a slash is
# looked for where the compiler looks (roots below).

function tell(file, line, what) { printf "%s:%d: %s\n", file, line, what }

# The folder that a file belongs to.
function folder_of(path) {
	sub(/^initagent\//, "", path)
	if (path !~ /\//)
		return path
	sub(/\/[^\/]*$/, "", path)
	return path
}

# The name in an include line, "" for other lines and headers of the system; of our own folders <>
# would be looked for as well.
function included(line,   part) {
	if (line !~ /^[ \t]*#[ \t]*include[ \t]*["<]/)
		return ""
	split(line, part, /["<>]/)
	if (line ~ /</ && part[2] !~ /\// && !(("kernel-cmdline/" part[2]) in tree))
		return ""
	return part[2]
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

BEGIN {
	root_count = split("initagent/,,kernel-cmdline/,dracut/,ipxe-scripts/,flexboot/", roots, ",")
}

FILENAME == ARGV[1] {
	tree[$0] = 1
	next
}
