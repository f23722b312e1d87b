# SPDX-License-Identifier: GPL-2.0-or-later
#
# flexboot/: a host program that reads expansion ROMs and adapter settings.

FLEXBOOT      := $(BUILD)/initagent-flexboot
FLEXBOOT_SRCS := $(call not_test,$(wildcard flexboot/*.c)) initagent/base/io.c
FLEXBOOT_OBJS := $(FLEXBOOT_SRCS:%.c=$(BUILD)/mkimage/%.o)

$(FLEXBOOT): $(FLEXBOOT_OBJS)
	@echo "  HOST    $@"
	@$(MKIMAGE_CC) $(MKIMAGE_CFLAGS) -o $@ $^ -lcjson

flexboot: $(FLEXBOOT)
.PHONY: flexboot

CHECK_DEPS += $(FLEXBOOT)

install-flexboot: $(FLEXBOOT)
	install -D -m 755 $(FLEXBOOT) '$(DESTDIR)$(SBINDIR)/initagent-flexboot'

INSTALLS += install-flexboot
.PHONY: install-flexboot

# Its parts, tested and fuzzed by themselves in the flavour with sanitizers.
FLEXBOOT_PARTS := $(filter-out flexboot/flexboot flexboot/command_%,$(patsubst %.c,%,$(filter \
	flexboot/%,$(FLEXBOOT_SRCS))))
FLEXBOOT_HOST  := $(FLEXBOOT_PARTS:%=$(BUILD)/host/%.o)

$(addprefix $(BUILD)/host/flexboot/,test_rom test_settings fuzz_rom fuzz_query): $(FLEXBOOT_HOST)
$(addprefix $(BUILD)/fuzz/flexboot/,fuzz_rom fuzz_query): $(FLEXBOOT_PARTS:%=$(BUILD)/fuzz/%.o)

# The test looks at what is written to a device's "rom" file, which a fixture cannot show.
$(BUILD)/host/flexboot/test_rom: private SANITIZE += -Wl,--wrap=pwrite

-include $(FLEXBOOT_OBJS:.o=.d)
