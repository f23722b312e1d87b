# SPDX-License-Identifier: GPL-2.0-or-later
#
# docs/: what is generated from the agent's own tables. "make docs" writes the files in the tree;
# the tests fail when they differ from what the agent prints.

docs: $(BUILD)/initagent
	{ echo '# Causes'; echo; \
	  printf '%s %s\n' 'Every failure has a code that never changes its meaning.' \
	  '"initagent causes CODE" explains one.'; \
	  echo; $(BUILD)/initagent causes --markdown; } >docs/causes.md
	{ echo '# Options of the kernel command line'; echo; \
	  echo '"initagent options" prints this list, "initagent options NAME" one of them.'; \
	  echo; $(BUILD)/initagent options --markdown; echo; cat docs/options.limits; \
	  } >docs/options.md
	tests/tested >docs/.tested && mv docs/.tested docs/tested.md

.PHONY: docs

# Man pages: those of the commands are written by hand, those of options and causes made of the
# agent's tables.
MAN_PAGES := $(addprefix $(BUILD)/man/,initagent.8 initagent-site.8 initagent-mkimage.8 \
	initagent-flexboot.8 \
	initagent.cmdline.7 initagent.causes.7)
SCDOC	  := $(shell command -v scdoc)

$(BUILD)/man/%.8: docs/man/%.8.scd
	@mkdir -p $(@D)
	scdoc <$< >$@

$(BUILD)/man/initagent.cmdline.7: TABLE = $(BUILD)/initagent options --man
$(BUILD)/man/initagent.causes.7: TABLE = $(BUILD)/initagent causes --markdown | \
	awk -f docs/man/causes.awk
$(BUILD)/man/%.7: docs/man/%.7.head docs/man/tail docs/man/causes.awk $(BUILD)/initagent
	@mkdir -p $(@D)
	{ cat $<; $(TABLE); cat docs/man/tail; } >$(BUILD)/man/$*.7.scd
	scdoc <$(BUILD)/man/$*.7.scd >$@

man: $(MAN_PAGES)

install-man: $(if $(SCDOC),$(MAN_PAGES))
	$(if $(SCDOC),,@echo 'no man pages: they are made with scdoc, which is not here')
	for page in $(if $(SCDOC),$(MAN_PAGES)); do \
		install -D -m 644 $$page \
		"$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/}" || exit; done

install-completion:
	for name in initagent initagent-site initagent-mkimage initagent-flexboot; do \
		install -D -m 644 docs/completion/initagent.bash \
		"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/$$name" || exit; done

# All pages, what they link to, and the schema of the state for other programs.
DOC_DIR = $(DESTDIR)$(PREFIX)/share/doc/initagent

install-docs:
	install -d '$(DOC_DIR)/collector'
	install -m 644 README.md docs/*.md docs/*.json '$(DOC_DIR)'
	install -m 644 docs/collector/* '$(DOC_DIR)/collector'

INSTALLS += install-man install-completion install-docs
.PHONY: man install-man install-completion install-docs
