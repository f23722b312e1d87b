# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/: unit test programs and fuzz targets, found by their place:
#
#   X/test_Y.c -> $(BUILD)/host/X/test_Y   with tests/lib/*.c
#   X/fuzz_Y.c -> $(BUILD)/host/X/fuzz_Y   with tests/fuzz_main.c; corpus in tests/corpus/Y/
#
# Both link against $(HOST_LIB). One that needs more says so in its folder's rules.mk:
#   $(BUILD)/host/X/test_Y: $(BUILD)/host/X/extra.o

TEST_SRCS  := $(filter-out $(ABSENT),$(wildcard */test_*.c */*/test_*.c */*/*/test_*.c))
FUZZ_SRCS  := $(filter-out tests/fuzz_main.c $(ABSENT),$(wildcard */fuzz_*.c */*/fuzz_*.c \
	*/*/*/fuzz_*.c))
TEST_PROGS := $(TEST_SRCS:%.c=$(BUILD)/host/%)
FUZZ_PROGS := $(FUZZ_SRCS:%.c=$(BUILD)/host/%)
TEST_LIB   := $(patsubst %.c,$(BUILD)/host/%.o,$(call not_test,$(wildcard tests/lib/*.c)))

$(TEST_PROGS): $(BUILD)/host/%: $(BUILD)/host/%.o $(TEST_LIB) $(HOST_LIB)
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $(filter %.o,$^) $(filter %.a,$^) \
		$(HOST_LIBS))

$(FUZZ_PROGS): $(BUILD)/host/%: $(BUILD)/host/%.o $(BUILD)/host/tests/fuzz_main.o $(HOST_LIB)
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $(filter %.o,$^) $(filter %.a,$^) \
		$(HOST_LIBS))

# The same tests in the product's flavour, where what a sandbox allows meets another C library.
MUSL_TESTS := $(addprefix $(BUILD)/musl/initagent/,base/test_sandbox base/test_worker \
	root/image/test_image)
MUSL_TEST_LIB  := $(addprefix $(BUILD)/musl/tests/lib/,check.o files.o)
MUSL_TEST_OBJS := $(MUSL_TESTS:=.o) $(MUSL_TEST_LIB)

$(MUSL_TEST_OBJS): private MUSL_AGENT += -Itests -Itests/lib
$(MUSL_TESTS): %: %.o $(MUSL_TEST_LIB) $(filter-out %/initagent/main.o,$(MUSL_OBJS))
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) -o $$t $(filter %.o,$^) $(MUSL_LIBS))

# The plan runner as a whole.
$(addprefix $(BUILD)/host/initagent/boot/test_,boot boot_again boot_extensions boot_named \
	boot_proof causes target): \
	$(BUILD)/host/tests/boot/node.o

# What tests/*.bats need: programs to try the harness and the static libraries with.
HARNESS := $(addprefix $(BUILD)/host/tests/harness/,sample rows target) \
	$(BUILD)/host/tests/oldkernel/oldkernel
STATIC  := $(addprefix $(BUILD)/musl/tests/static/,static no-providers)

$(addprefix $(BUILD)/host/tests/harness/,sample rows): $(BUILD)/host/tests/lib/check.o
$(BUILD)/host/tests/harness/target: $(BUILD)/host/tests/fuzz_main.o
$(HARNESS): %: %.o
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $(filter %.o,$^))

# Runs link/ and address/ alone, for tests/address*.bats, and an interface shaped like IPoIB.
NETDRIVE := $(BUILD)/host/tests/address/netdrive
IBTAP	 := $(BUILD)/host/tests/address/ibtap

$(NETDRIVE): %: %.o $(HOST_LIB)
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -Wl$(comma)--wrap=links_by_index -o $$t $< \
		$(HOST_LIB) \
		$(HOST_LIBS))

$(IBTAP): %: %.o
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $<)

# Runs the fabric room alone, for tests/fabric.bats.
IBSIM_ASK := $(BUILD)/host/tests/fabric/ask

$(IBSIM_ASK): %: %.o $(HOST_LIB)
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $< $(HOST_LIB) $(HOST_LIBS))

# Runs the fetch room alone, in both flavours, against a server that does everything wrong, for
# tests/fetch.bats.
FETCHDRIVE   := $(addsuffix /tests/fetch/fetchdrive,$(BUILD)/host $(BUILD)/musl)
HOSTILE_HTTP := $(BUILD)/host/tests/fetch/hostile

$(BUILD)/host/tests/fetch/fetchdrive: %: %.o $(HOST_LIB)
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $< $(HOST_LIB) $(HOST_LIBS))

$(BUILD)/musl/tests/fetch/fetchdrive: %: %.o $(MUSL_OBJS)
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) -o $$t $< $(filter-out \
		%/main.o,$(MUSL_OBJS)) $(MUSL_LIBS))

$(HOSTILE_HTTP): %: %.o
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $<)

# Runs the web room or root/wwinit alone, likewise, for tests/web.bats and tests/wwinit.bats.
WEBDRIVE_WRAPS := $(addprefix -Wl$(comma)--wrap=,rails_list rails_node_number)
WEBDRIVE := $(addsuffix /tests/web/webdrive,$(BUILD)/host $(BUILD)/musl)

$(BUILD)/host/tests/web/webdrive: %: %.o $(HOST_LIB)
	$(call output,LINK,$(HOST_CC) $(SANITIZE) $(WEBDRIVE_WRAPS) -o $$t $< \
		$(HOST_LIB) $(HOST_LIBS))

$(BUILD)/musl/tests/web/webdrive: %: %.o $(MUSL_OBJS)
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) $(WEBDRIVE_WRAPS) -o $$t $< \
		$(filter-out %/main.o,$(MUSL_OBJS)) $(MUSL_LIBS))

# Runs the tell room alone, likewise, for tests/report.bats.
TELLDRIVE := $(addsuffix /tests/tell/telldrive,$(BUILD)/host $(BUILD)/musl)

$(BUILD)/host/tests/tell/telldrive: %: %.o $(HOST_LIB)
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $< $(HOST_LIB) $(HOST_LIBS))

$(BUILD)/musl/tests/tell/telldrive: %: %.o $(MUSL_OBJS)
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) -o $$t $< $(filter-out \
		%/main.o,$(MUSL_OBJS)) $(MUSL_LIBS))

RUDE := $(BUILD)/host/tests/tell/rude

$(RUDE): %: %.o
	$(call output,LINK,$(HOST_CC) $(SANITIZE) -o $$t $<)

# The same program without the define that drags the providers in: links as well, and finds no
# device.
$(BUILD)/musl/tests/static/no-providers.o: tests/static/static.c $(DEPS_STAMP)
	$(call compile,MUSL,$(filter-out -DRDMA_STATIC_PROVIDERS=%,$(MUSL_CC) $(MUSL_AGENT)))

$(STATIC): %: %.o
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) -Wl$(comma)-Map=$$t.map -o $$t $< \
		$(MUSL_LIBS); \
		mv $$t.map $@.map)

# Process 1 with a boot that ends as it is told, for tests/pid1.bats.
PID1DRIVE := $(BUILD)/musl/tests/pid1/pid1drive

$(PID1DRIVE): %: %.o $(MUSL_OBJS)
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) -o $$t $< $(filter-out %/main.o \
		%/boot/start.o,$(MUSL_OBJS)) $(MUSL_LIBS))

CHECK_DEPS += $(PID1DRIVE)
CHECK_DEPS += $(if $(call has,http),$(FETCHDRIVE) $(WEBDRIVE) $(HOSTILE_HTTP))
CHECK_DEPS += $(TELLDRIVE) $(RUDE) $(HARNESS) $(NETDRIVE) $(IBSIM_ASK) $(IBTAP) $(STATIC) \
	$(BUILD)/musl/tests/static/module.o

# The test commands; in the first, only what tests/skips expects may be skipped. Each installs what
# it needs (tests/setup says what), builds, and runs its levels. The build is a second make, because
# what was missing may decide what there is to build.
TEST_ENV = BUILD='$(BUILD)' BEGAN=$(shell date +%s) \
	TEST_PROGS='$(TEST_PROGS) $(MUSL_TESTS)' FUZZ_PROGS='$(FUZZ_PROGS)'
REMAKE   = $(MAKE) --no-print-directory

check:
	@tests/setup build tests qemu packages $(CROSS_LEVEL)
	+@$(REMAKE) lab-ground check-build
	@$(TEST_ENV) tests/run --full images $(CROSS_LEVEL) packages lint bats unit corpus qemu

check-fast:
	@tests/setup build tests
	+@$(REMAKE) check-build
	@$(TEST_ENV) tests/run --quick lint bats unit corpus

# make check-unit: unit tests and fuzz corpora alone, as for another compiler (HOST_CC=clang)
check-unit: $(TEST_PROGS) $(FUZZ_PROGS)
	@$(TEST_ENV) TEST_PROGS='$(TEST_PROGS)' tests/run --quick unit corpus

# make check-hosts [HOSTS='trixie sid'] [STEPS='make image']: the release this is, and newer ones,
# in roots of their own; half an hour a host, therefore no part of "make check"
check-hosts:
	@tests/setup qemu
	@BUILD='$(BUILD)' DISTFILES='$(or $(DISTFILES),$(wildcard $(DEPS_FETCH)/distfiles))' \
		STEPS='$(STEPS)' tests/hosts/check $(HOSTS)

# make check-qemu [FILTER=regex]
check-qemu:
	@tests/setup build tests qemu $(CROSS_LEVEL)
	+@$(REMAKE) check-qemu-build
	@$(TEST_ENV) tests/run $(if $(FILTER),--filter '$(FILTER)') qemu

# make check-cross: the agent and the image builder for arm64, tried with qemu-user. Where arm64 is
# the machine itself, all other tests are that.
CROSS_LEVEL := $(if $(filter aarch64,$(HOST_ARCH)),,cross)

check-cross:
	@tests/setup build tests $(CROSS_LEVEL)
	+@$(REMAKE) $(BUILD)/initagent
	$(if $(CROSS_LEVEL),@BUILD=$(BUILD) tests/cross/check,@echo \
		'this machine is arm64: "make check" is its check')

# make check-packages: Debian packages and RPMs
check-packages:
	@tests/setup build tests qemu packages
	+@$(REMAKE) check-build lab
	@BUILD=$(BUILD) bats tests/packaging/packages.bats

.PHONY: check-cross check-packages

check-build: $(BUILD)/initagent $(HOST_AGENT) $(TEST_PROGS) $(MUSL_TESTS) $(FUZZ_PROGS) \
	$(CHECK_DEPS)
check-qemu-build: $(BUILD)/initagent $(CHECK_QEMU_DEPS)

lint:
	@tests/setup tests
	@tests/lint

.PHONY: check-unit check-hosts check check-fast check-qemu check-build check-qemu-build lint

# make fuzz TARGET=kernel-cmdline/fuzz_Y SECONDS=60, or make fuzz HOURS=1 for all targets in turn:
# libFuzzer, needs clang. What it finds is added to the corpus by hand, so that the corpus stays
# small: clang's -merge=1 tells which inputs are worth it.
FUZZ_CC  ?= clang
SECONDS  ?= 60
FUZZ_OBJS = $(patsubst $(BUILD)/host/%,$(BUILD)/fuzz/%,$(host_lib_))
FUZZERS  := $(FUZZ_SRCS:%.c=$(BUILD)/fuzz/%)

$(BUILD)/fuzz/%.o: %.c $(BUILD)/host/.flags
	$(call compile,CLANG,$(FUZZ_CC) $(CSTD) $(WARN) $(DEFS) -Itests -Itests/lib -g -O1 \
		-fno-omit-frame-pointer -fsanitize=fuzzer-no-link$(comma)address$(comma)undefined \
		-fno-sanitize-recover=all $(HOST_PCFLAGS))

# One archive, so that each target holds what it needs only.
$(BUILD)/fuzz/libfuzz.a: $(FUZZ_OBJS)
	$(call output,AR  ,ar rcs $$t $^)

$(FUZZERS): %: %.o $(BUILD)/fuzz/libfuzz.a
	$(call output,LINK,$(FUZZ_CC) -fsanitize=fuzzer$(comma)address$(comma)undefined -o $$t \
		$(filter %.o,$^) $(filter %.a,$^) \
		$(HOST_LIBS))

ifneq ($(HOURS),)
fuzz: $(FUZZERS)
	@BUILD='$(BUILD)' tests/fuzz $$(($(HOURS) * 3600)) $(FUZZERS)
else ifneq ($(TARGET),)
fuzz: $(BUILD)/fuzz/$(TARGET)
	@BUILD='$(BUILD)' tests/fuzz $(SECONDS) $<
else
fuzz:
	@echo 'usage: make fuzz HOURS=1, or TARGET=... [SECONDS=60]'; \
	echo 'targets: $(FUZZ_SRCS:.c=)'; exit 2
endif
.PHONY: fuzz

-include $(patsubst %,%.d,$(TEST_PROGS) $(FUZZ_PROGS) $(HARNESS) $(NETDRIVE) $(IBTAP) $(IBSIM_ASK) \
	$(FETCHDRIVE) $(WEBDRIVE) $(TELLDRIVE) $(RUDE) $(HOSTILE_HTTP) $(PID1DRIVE)) \
	$(TEST_LIB:.o=.d) $(MUSL_TEST_OBJS:.o=.d) $(wildcard $(BUILD)/fuzz/*/*.d \
	$(BUILD)/fuzz/*/*/*.d $(BUILD)/fuzz/*/*/*/*.d)
