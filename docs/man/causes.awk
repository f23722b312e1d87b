# SPDX-License-Identifier: GPL-2.0-or-later
# The rows of "initagent causes --markdown" (Markdown) as scdoc.
BEGIN { FS = " \\| " }
/^\| IA-E/ {
	gsub(/[\\*_<>#~]/, "\\\\&")
	gsub(/`/, "")
	sub(/^\\?\| /, "")
	sub(/ \|$/, "")
	printf "*%s* %s\n\t%s\n\n", $1, $2, $3
}
