# SPDX-License-Identifier: GPL-2.0-or-later
#
# ipxe-scripts/: initagent-site, a host program. It reads the site file (ipxe-scripts/site/), writes
# iPXE scripts and the DHCP servers' configurations, and asks the agent's command line library what
# it thinks.

SITE      := $(BUILD)/initagent-site
SITE_LIB_SRCS := $(call not_test,$(wildcard ipxe-scripts/site/*.c))
# What a node's adapter has to be set to is known there.
SITE_ADAPTER  := flexboot/setting.c
SITE_SRCS := ipxe-scripts/initagent-site.c $(SITE_LIB_SRCS) $(SITE_ADAPTER) $(CMDLINE_SRCS) \
	$(addprefix initagent/,base/io.c base/hex.c base/sha256.c address/client_id.c)
SITE_OBJS := $(SITE_SRCS:%.c=$(BUILD)/site/%.o)
SITE_INC  := -Iipxe-scripts

SITE_CC     ?= cc
SITE_CFLAGS ?= -O2 -g

$(BUILD)/site/%.o: %.c
	$(call compile,HOST,$(SITE_CC) -std=gnu11 $(SITE_CFLAGS) $(WARN) $(DEFS) $(SITE_INC))

$(SITE): $(SITE_OBJS)
	$(call output,HOST,$(SITE_CC) $(SITE_CFLAGS) -o $$t $(SITE_OBJS) -lyaml)

all: $(SITE)
CHECK_DEPS += $(SITE)

HOST_PC   += yaml-0.1

# Tests and the fuzz target get all of it but main(), with sanitizers.
SITE_TESTS := $(wildcard ipxe-scripts/site/test_*.c ipxe-scripts/site/fuzz_*.c)
SITE_HOST_OBJS := $(patsubst %.c,$(BUILD)/host/%.o,$(SITE_LIB_SRCS) $(SITE_ADAPTER))

$(SITE_HOST_OBJS) $(SITE_TESTS:%.c=$(BUILD)/host/%.o): private HOST_CFLAGS += $(SITE_INC)
$(SITE_TESTS:%.c=$(BUILD)/host/%): $(SITE_HOST_OBJS)
$(SITE_TESTS:%.c=$(BUILD)/fuzz/%.o) $(SITE_LIB_SRCS:%.c=$(BUILD)/fuzz/%.o): private DEFS += \
	$(SITE_INC)
$(patsubst %.c,$(BUILD)/fuzz/%,$(filter ipxe-scripts/site/fuzz_%,$(SITE_TESTS))): \
	$(patsubst %.c,$(BUILD)/fuzz/%.o,$(SITE_LIB_SRCS) $(SITE_ADAPTER))

-include $(SITE_OBJS:.o=.d) $(SITE_HOST_OBJS:.o=.d)

install-site: $(SITE)
	install -D -m 755 $(SITE) '$(DESTDIR)$(SBINDIR)/initagent-site'

INSTALLS += install-site
.PHONY: install-site

# Asks the DHCP servers as ROMs, iPXE and the agent do, for tests/site-dhcp.bats.
DHCPASK := $(BUILD)/host/tests/address/dhcpask

$(DHCPASK): %: %.o $(BUILD)/host/tests/lib/dhcpmsg.o
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $^)

CHECK_DEPS += $(DHCPASK)

# The "kernel" that tells what a boot loader gave it, for tests-qemu/ipxe.bats.
ECHO_KERNEL := $(BUILD)/ipxe/echo

$(ECHO_KERNEL): tests-qemu/ipxe/echo.S
	@mkdir -p $(@D)
	@echo "  AS      $<"
	@as --32 -o $@.o $<
	@ld -m elf_i386 --oformat binary -e 0 -Ttext 0 -o $@ $@.o

CHECK_QEMU_DEPS += $(ECHO_KERNEL) $(SITE)
