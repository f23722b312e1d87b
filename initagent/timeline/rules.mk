# SPDX-License-Identifier: GPL-2.0-or-later
#
# initagent/timeline/: what "initagent timeline" calls for pictures and pages. Static like the
# agent, so that it can be copied to any node, but no part of it nor of boot images.

TIMELINE      := $(BUILD)/initagent-timeline
TIMELINE_SRCS := $(filter-out %/initagent-timeline.c,$(call not_test,$(wildcard \
	initagent/timeline/*.c)))
# Of the agent: reading state files back, the table of causes, what of a text is UTF-8.
TIMELINE_AGENT := $(addprefix initagent/,state/record.c state/phase_table.c report/causes.c \
	report/console.c base/hex.c base/io.c base/sha256.c base/utf8.c) \
	$(addprefix kernel-cmdline/,arena.c nfs-source.c)
TIMELINE_OBJS := $(patsubst %,$(BUILD)/musl/%.o,$(basename $(TIMELINE_SRCS) $(TIMELINE_AGENT) \
	initagent/timeline/initagent-timeline.c initagent/timeline/assets.S))
TIMELINE_HOST := \
	$(patsubst %,$(BUILD)/host/%.o,$(basename $(TIMELINE_SRCS) \
	$(addprefix initagent/,base/hex.c base/sha256.c timeline/assets.S)))

$(BUILD)/musl/initagent/timeline/%.o: private DEFS += -Iinitagent/timeline
# A thousand files are read while someone waits.
$(BUILD)/musl/initagent/timeline/%.o: private MUSL_AGENT += -O2

$(foreach flavour,musl host fuzz,$(BUILD)/$(flavour)/initagent/timeline/assets.o): \
	$(addprefix initagent/timeline/, \
	assets.S chart.css page.css page.js)
	@mkdir -p $(@D)
	@echo "  ASSETS  $@"
	@$(if $(findstring /musl/,$@),$(MUSL_CC),$(HOST_CC)) -c -o $@ $<

$(TIMELINE): $(TIMELINE_OBJS) $(DEPS_STAMP)
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) -o $$t $(TIMELINE_OBJS) \
		$(SYSROOT)/lib/libcjson.a)

all: $(TIMELINE)
CHECK_DEPS += $(TIMELINE)

TIMELINE_TESTS := $(wildcard initagent/timeline/test_*.c initagent/timeline/fuzz_*.c)

$(TIMELINE_HOST) $(TIMELINE_TESTS:%.c=$(BUILD)/host/%.o): private HOST_CFLAGS += \
	-Iinitagent/timeline
$(TIMELINE_TESTS:%.c=$(BUILD)/host/%): $(TIMELINE_HOST)
$(TIMELINE_TESTS:%.c=$(BUILD)/fuzz/%.o) $(TIMELINE_SRCS:%.c=$(BUILD)/fuzz/%.o): private DEFS += \
	-Iinitagent/timeline
$(BUILD)/fuzz/initagent/timeline/fuzz_report: \
	$(patsubst $(BUILD)/host/%,$(BUILD)/fuzz/%,$(TIMELINE_HOST))

-include $(TIMELINE_OBJS:.o=.d) $(TIMELINE_HOST:.o=.d)

install-timeline: $(TIMELINE)
	install -D -m 755 $(TIMELINE) '$(DESTDIR)$(PREFIX)/libexec/initagent/initagent-timeline'

INSTALLS += install-timeline
.PHONY: install-timeline

# Makes the state files of a site, for tests/timeline.bats.
MANYBOOTS := $(BUILD)/host/tests/timeline/manyboots

$(MANYBOOTS): %: %.o
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $^ -lcjson)

CHECK_DEPS += $(MANYBOOTS)
