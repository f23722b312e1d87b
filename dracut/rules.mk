# SPDX-License-Identifier: GPL-2.0-or-later
#
# dracut/: the image builder (a host program) and the dracut module.

MKIMAGE      := $(BUILD)/initagent-mkimage
MKIMAGE_SRCS := dracut/mkimage.c \
	$(filter-out dracut/mkimage/test_% dracut/mkimage/fuzz_%,$(wildcard \
	dracut/mkimage/*.c)) \
	$(addprefix initagent/,base/io.c base/sysmount.c modules/companions.c) $(CMDLINE_SRCS)
MKIMAGE_OBJS := $(MKIMAGE_SRCS:%.c=$(BUILD)/mkimage/%.o)
MKIMAGE_INC  := $(BUILD)/mkimage/drivers.inc

MKIMAGE_CC     ?= cc
MKIMAGE_CFLAGS ?= -O2 -g

# One row of drivers.list becomes one row of the builder's table.
$(MKIMAGE_INC): dracut/70initagent/drivers.list dracut/rules.mk
	@mkdir -p $(@D)
	@sed -En 's/^(need|tell|may|more) *([^ ]*) *(.*)/{CLOSURE_\U\1\E, "\2", "\3"},/p' $< >$@

$(BUILD)/mkimage/%.o: %.c | $(MKIMAGE_INC)
	@mkdir -p $(@D)
	@echo "  HOST    $<"
	@$(MKIMAGE_CC) -std=gnu11 $(MKIMAGE_CFLAGS) $(WARN) $(WERROR) $(DEFS) -Idracut \
		-I$(BUILD)/mkimage \
		-MMD -MP -c -o $@ $<

$(MKIMAGE): $(MKIMAGE_OBJS)
	@echo "  HOST    $@"
	@$(MKIMAGE_CC) $(MKIMAGE_CFLAGS) -o $@ $^ -lkmod -lzstd

mkimage: $(MKIMAGE)
.PHONY: mkimage

CHECK_DEPS += $(MKIMAGE)

# The builder's parts that are tested and fuzzed by themselves, in the flavour with sanitizers.
MKIMAGE_PARTS := tree cpio elf pe symbols
MKIMAGE_TESTS := test_tree test_pe fuzz_image fuzz_pe fuzz_symbols
$(MKIMAGE_TESTS:%=$(BUILD)/host/dracut/mkimage/%): \
	$(MKIMAGE_PARTS:%=$(BUILD)/host/dracut/mkimage/%.o)
$(filter %/fuzz_image %/fuzz_pe %/fuzz_symbols,$(MKIMAGE_TESTS:%=$(BUILD)/fuzz/dracut/mkimage/%)): \
	$(MKIMAGE_PARTS:%=$(BUILD)/fuzz/dracut/mkimage/%.o)

-include $(MKIMAGE_OBJS:.o=.d)

# The rescue shell of its images; who has the builder has it, too.
RESCUE_SHELL := $(BUILD)/busybox

$(RESCUE_SHELL): $(call deps_stamp,$(filter busybox:%,$(DEPS_PLAN)))
	@mkdir -p $(@D)
	@install -m 755 $(SYSROOT)/lib/initagent/busybox $@

$(MKIMAGE): | $(RESCUE_SHELL)

# make image KVER=6.1.0-56-amd64 OUT=node.img [DRIVERS="bnxt_en ice"] [ROOT=/srv/root]
#   [MODULES_DIR=DIR] [FIRMWARE_DIR=DIR] [MODPROBE_D=DIR] [BUSYBOX=FILE] [WITHOUT="a b"]
#   [NO_FIRMWARE="a b"] [EXPLAIN=1] [IMAGE_ARGS="--extra FILE:PATH"]
#   [FORMAT=initrd|pair|uki|iso] [KERNEL=FILE] [CMDLINE="root=..."] [STUB=FILE]
#   [SBKEY=FILE SBCERT=FILE]
image: $(MKIMAGE) $(BUILD)/initagent
	@$(MKIMAGE) --agent $(BUILD)/initagent --out '$(or $(OUT),$(BUILD)/initagent.img)' \
		--kver '$(KVER)' --root '$(ROOT)' --modules-dir '$(MODULES_DIR)' \
		--firmware-dir '$(FIRMWARE_DIR)' --modprobe-d '$(MODPROBE_D)' \
		--busybox '$(or $(BUSYBOX),$(RESCUE_SHELL))' --drivers '$(DRIVERS)' \
		--without '$(WITHOUT)' --no-firmware '$(NO_FIRMWARE)' --format '$(FORMAT)' \
		--kernel '$(KERNEL)' --cmdline '$(CMDLINE)' --stub '$(STUB)' \
		--sb-key '$(SBKEY)' --sb-cert '$(SBCERT)' \
		$(if $(EXPLAIN),--explain) $(IMAGE_ARGS)

.PHONY: image

# The drivers that belong to another, for the builders that are shell: of the agent's own table.
COMPANIONS = sed -n 's/^\t{"\(.*\)", "\(.*\)", COMPANION_AFTER,.*/\1 \2/p' \
	initagent/modules/companions.c

# The dracut module. dracut looks for modules in /usr/lib/dracut only, so PREFIX should be /usr.
DRACUT_MODULE := $(wildcard dracut/70initagent/*)
DRACUT_DIR     = $(DESTDIR)$(PREFIX)/lib/dracut/modules.d/70initagent

install-dracut:
	install -d '$(DRACUT_DIR)'
	install -m 755 $(filter %.sh %-generator,$(DRACUT_MODULE)) '$(DRACUT_DIR)'
	install -m 644 $(filter-out %.sh %-generator,$(DRACUT_MODULE)) '$(DRACUT_DIR)'
	$(COMPANIONS) >'$(DRACUT_DIR)/companions.list'

install-mkimage: $(MKIMAGE)
	install -D -m 755 $(MKIMAGE) '$(DESTDIR)$(SBINDIR)/initagent-mkimage'
	install -D -m 755 $(RESCUE_SHELL) '$(DESTDIR)$(PREFIX)/lib/initagent/busybox'

INSTALLS += install-dracut install-mkimage
.PHONY: install-dracut install-mkimage
