# SPDX-License-Identifier: GPL-2.0-or-later
#
# initagent/: the agent in both flavours. Files are found by their place: a new .c file in a room is
# part of the agent, test_*.c and fuzz_*.c are not (see tests/rules.mk).
#
#   $(BUILD)/initagent       static musl product           objects $(BUILD)/musl/
#   $(BUILD)/host/agent      glibc, ASan and UBSan         objects $(BUILD)/host/
#   $(HOST_LIB)              all host objects but main.o, for unit tests and fuzz targets
#
# Every output is written beside its place and moved there whole, so that two makes in one tree do
# not see each other's half files. SKIP="initagent/root/% ..." leaves sources out of $(HOST_LIB):
# unit tests of one room build while another is being rewritten.

not_test = $(foreach f,$(1),$(if $(filter test_% fuzz_%,$(notdir $(f))),,$(f)))

CMDLINE_SRCS := $(call not_test,$(wildcard kernel-cmdline/*.c))
# What a feature is for is no part of a build without it, neither are its tests.
ABSENT       := $(if $(call has,http),initagent/report/tell/post_none.c,initagent/fetch/% \
	initagent/root/cache/% initagent/root/web/% initagent/root/wwinit/% \
		initagent/report/tell/post.c) \
		$(if $(call has,block),,initagent/root/block/%) \
		$(addprefix initagent/root/image/,$(if $(call has,archive),unpack_none.c,unpack.c \
		unpacked.c cpio.c tar.c pax.c depack.c test_depack.c test_unpack.c \
		test_unpacked.c test_formats.c fuzz_unpack.c))
AGENT_SRCS   := $(call not_test,$(filter-out initagent/main.c initagent/timeline/% \
	$(ABSENT),$(wildcard initagent/*.c initagent/*/*.c initagent/*/*/*.c)))

lib_srcs   := $(CMDLINE_SRCS) $(AGENT_SRCS)
MUSL_OBJS  := $(patsubst %.c,$(BUILD)/musl/%.o,$(lib_srcs) initagent/main.c)
HOST_OBJS  := $(patsubst %.c,$(BUILD)/host/%.o,$(lib_srcs))
# Not host/initagent: that is where the objects of initagent/ are.
HOST_AGENT := $(BUILD)/host/agent
HOST_LIB   := $(BUILD)/host/libhost$(if $(SKIP),-partial).a
host_lib_  := $(filter-out $(patsubst %.c,$(BUILD)/host/%.o,\
	$(filter $(SKIP),$(lib_srcs))),$(HOST_OBJS))

# The providers are named here and not in the source: the host flavour loads them as plugins.
MUSL_PROVIDERS := mlx4,mlx5,rxe,siw

CSTD         := -std=gnu11
# Objects of 32 bytes and more begin where they may, not at a multiple of 32.
MUSL_AGENT   := $(CSTD) $(WARN) $(DEFS) $(MUSL_CFLAGS) -fstack-protector-strong \
		$(if $(filter x86_64,$(ARCH)),-malign-data=abi) \
		-DRDMA_STATIC_PROVIDERS=$(MUSL_PROVIDERS) $(if $(call has,tls),-DTLS_MBEDTLS)
# libarchive: the tests write archives with it.
HOST_PC      := libcjson libkmod libnl-3.0 libnl-route-3.0 libibverbs libibumad libsodium \
		$(if $(call has,http),libcurl) \
		$(if $(call has,archive),liblzma libzstd zlib libarchive)
HOST_CC      ?= gcc
SANITIZE     := -fsanitize=address,undefined -fno-sanitize-recover=all
# clang compares the types of functions to the letter, where an enum and its integer are compatible,
# and does not define gcc's macro.
ifneq ($(findstring clang,$(HOST_CC)),)
SANITIZE     += -fno-sanitize=function -D__SANITIZE_ADDRESS__=1
endif
# Asked once, and only when something of the host flavour is built.
HOST_PCFLAGS  = $(eval HOST_PCFLAGS := $$(subst -I,-isystem ,$$(shell pkg-config \
	--cflags $(HOST_PC))))$(HOST_PCFLAGS)
HOST_LIBS     = $(eval HOST_LIBS := $$(shell pkg-config --libs $(HOST_PC)))$(HOST_LIBS)
HOST_CFLAGS   = $(CSTD) $(WARN) $(DEFS) -Itests -Itests/lib -g -O1 \
	-fno-omit-frame-pointer $(SANITIZE) $(HOST_PCFLAGS)

# An object by both names it may be asked for, as BUILD is absolute or not: one that the depfile
# does not name would not be made again when a header changes.
dep_names = -MT $(abspath $@) -MT $(patsubst $(CURDIR)/%,%,$(abspath $@))

# Recipe parts: compile $< into $@ with a depfile beside it; make $@ by the command $(2).
compile = @mkdir -p $(@D); echo "  $(1)    $<"; t=$@.$$$$; trap 'rm -f $$t $$t.d' EXIT; \
	$(2) $(WERROR) -MMD -MP $(dep_names) -MF $$t.d -c $< -o $$t; mv $$t.d $(@:.o=.d); mv $$t $@
output  = @mkdir -p $(@D); echo "  $(1)    $@"; t=$@.$$$$; trap 'rm -f $$t' EXIT; $(2); mv $$t $@

# remember FILE TEXT: a rule for FILE, which is newer than what depends on it only when TEXT
# changed.
define remember
$(1): FORCE
	@mkdir -p $$(@D); [[ $$$$(cat $$@ 2>/dev/null || :) == '$(2)' ]] || echo '$(2)' >$$@
endef

$(eval $(call remember,$(BUILD)/musl/.flags,$(subst ',",$(MUSL_CC) $(MUSL_AGENT) $(MUSL_LDFLAGS))))
$(eval $(call remember,$(BUILD)/musl/.list,$(MUSL_OBJS)))
$(eval $(call remember,$(BUILD)/host/.flags,$(subst ',",$(HOST_CC) $(CSTD) $(WARN) $(DEFS) \
	$(SANITIZE))))
$(eval $(call remember,$(HOST_LIB).list,$(host_lib_)))

$(BUILD)/musl/%.o: %.c $(DEPS_STAMP) $(BUILD)/musl/.flags
	$(call compile,MUSL,$(MUSL_CC) $(MUSL_AGENT))

$(BUILD)/host/%.o: %.c $(BUILD)/host/.flags
	$(call compile,HOST,$(HOST_CC) $(HOST_CFLAGS))

# A node without battery-backed clock wakes up in the past: no earlier than this it can be.
BUILD_TIME ?= $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || echo 0))
$(BUILD)/musl/initagent/root/web/transfer.o $(BUILD)/musl/initagent/report/tell/post.o: \
	MUSL_AGENT += -DBUILD_TIME=$(BUILD_TIME)

# A digest is worth its size: unrolled it is twice as fast.
$(BUILD)/musl/initagent/base/sha256.o: MUSL_AGENT += -O2

$(BUILD)/initagent: $(MUSL_OBJS) $(DEPS_STAMP) $(BUILD)/musl/.list $(BUILD)/musl/.flags
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) -Wl$(comma)-Map=$$t.map -o $$t $(MUSL_OBJS) \
		$(MUSL_LIBS); mv $$t.map $@.map)

$(HOST_AGENT): $(HOST_OBJS) $(BUILD)/host/initagent/main.o
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $^ $(HOST_LIBS))

$(HOST_LIB): $(host_lib_) $(HOST_LIB).list
	$(call output,AR  ,ar rcs $$t $(host_lib_))

install-units:
	install -D -m 644 initagent/handover/initagent-textfile.service \
		'$(DESTDIR)$(PREFIX)/lib/systemd/system/initagent-textfile.service'

INSTALLS += install-units
.PHONY: install-units

FORCE:
.PHONY: FORCE
# Kept although only pattern rules mention them (".SECONDARY:" alone would skip stamps that are
# missing).
.PRECIOUS: $(BUILD)/host/%.o $(BUILD)/musl/%.o

-include $(MUSL_OBJS:.o=.d) $(HOST_OBJS:.o=.d) $(BUILD)/host/initagent/main.d

# Its kernel refuses what rtnetlink asks, and has the test's interfaces.
$(BUILD)/host/initagent/rails/test_ipoib_child: private SANITIZE += \
	-Wl,--wrap=links_set_ipoib_mode,--wrap=links_by_index,--wrap=links_next
# Its driver resets the device.
$(BUILD)/host/initagent/rails/test_stack: private SANITIZE += -Wl,--wrap=links_set_up
# What the kernel's ib_umad says to a virtual function.
$(BUILD)/host/initagent/fabric/test_mad_io: private SANITIZE += -Wl,--wrap=env_read \
	-Wl,--wrap=umad_open_port,--wrap=umad_close_port,--wrap=umad_register,--wrap=umad_send
# Its kernel says that a list changed while it was read.
$(BUILD)/host/initagent/link/test_torn_lists: private SANITIZE += -Wl,--wrap=recv
$(BUILD)/host/initagent/address/test_static_room: private SANITIZE += \
	-Wl,--wrap=links_addresses,--wrap=links_set_up
# The process that fetches does what the cases want.
$(BUILD)/host/initagent/fetch/test_liar: private SANITIZE += -Wl,--wrap=exchange_run
# Its shell is a user that takes his time.
$(BUILD)/host/initagent/boot/test_boot_again: private SANITIZE += -Wl,--wrap=shell_run
# Its RDMA-CM and its modules are the test's.
$(BUILD)/host/initagent/doctor/test_ping: private SANITIZE += \
	-Wl,--wrap=write,--wrap=modules_load_now
