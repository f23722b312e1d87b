# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/: what is generated from the agent's own tables. "make docs" writes the files in the tree; the
# tests fail when they differ from what the agent prints.

docs: $(BUILD)/initagent
	{ echo '# Causes'; echo; echo 'Every failure has a code that never changes its meaning. "initagent causes" prints this table.'; \
	  echo; $(BUILD)/initagent causes; } >docs/causes.md
	$(BUILD)/initagent options --markdown >$(BUILD)/options.md
	sed -i -e '/^<!-- options:begin -->/,/^<!-- options:end -->/{//!d}' \
		-e '/^<!-- options:begin -->/r $(BUILD)/options.md' README.md

.PHONY: docs
