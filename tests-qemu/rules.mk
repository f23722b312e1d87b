# SPDX-License-Identifier: GPL-2.0-or-later
# VM tests: static programs for inside the VMs, one host helper, and the lab images.

LAB := $(BUILD)/lab
LAB_BINS := $(addprefix $(LAB)/bin/,bootmark finalinit floor iowitness vmctl boottable)
LAB_ENV := BUILD=$(BUILD)
GUEST_CC := $(if $(CROSS),$(MUSL_CC),musl-gcc)
# musl's own headers first; the kernel's come from the host's, after everything else
GUEST_CFLAGS := -std=gnu11 -Os -s -static $(WARN) $(WERROR) -D_GNU_SOURCE -Itests-qemu/guest \
	$(if $(CROSS),-idirafter $(DEPS)/overlay,-idirafter /usr/include \
	-idirafter /usr/include/$(ARCH)-linux-gnu)

$(LAB)/bin/bootmark: tests-qemu/guest/bootmark.c tests-qemu/guest/guest.c
$(LAB)/bin/floor: $(addprefix tests-qemu/guest/,floor.c floorload.c floorlease.c floorpour.c \
	guest.c) initagent/base/sha256.c initagent/base/hex.c
# the digest as fast as the agent's
$(LAB)/bin/floor: private GUEST_CFLAGS += -O2 -Iinitagent -isystem $(SYSROOT)/include
$(LAB)/bin/finalinit: $(addprefix tests-qemu/guest/,finalinit.c guest.c netwatch.c sums.c tar.c)

$(LAB)/bin/iowitness: $(addprefix tests-qemu/guest/,iowitness.c iothread.c echothread.c \
	netwatch.c guest.c)

$(addprefix $(LAB)/bin/,bootmark finalinit floor iowitness): $(wildcard tests-qemu/guest/*.h) \
	$(if $(CROSS),$(DEPS_STAMP))
	@mkdir -p $(@D)
	@echo "  GUEST   $@"
	@$(GUEST_CC) $(GUEST_CFLAGS) -o $@ $(filter %.c,$^)

$(LAB)/bin/sibfuzz: tests-qemu/softib/guest/sibfuzz.c
	@mkdir -p $(@D)
	@echo "  GUEST   $@"
	@$(GUEST_CC) $(GUEST_CFLAGS) -o $@ $<

# The ROM reader as a static program, to meet a real kernel's sysfs.
$(LAB)/bin/flexboot: $(FLEXBOOT_SRCS) $(wildcard flexboot/*.h) $(DEPS_STAMP)
	@mkdir -p $(@D)
	@echo "  GUEST   $@"
	@$(GUEST_CC) -std=gnu11 -Os -s -static $(WARN) $(WERROR) $(DEFS) \
		-isystem $(SYSROOT)/include -o $@ $(FLEXBOOT_SRCS) $(SYSROOT)/lib/libcjson.a -lm

$(LAB)/bin/vmctl: tests-qemu/host/vmctl.c
	@mkdir -p $(@D)
	@echo "  HOST    $@"
	@$(CC) -std=gnu11 -O2 $(WARN) $(WERROR) -D_GNU_SOURCE -o $@ $<

$(LAB)/bin/boottable: tests-qemu/host/boottable.c tests/lib/boottable.c tests/lib/boottable.h
	@mkdir -p $(@D)
	@echo "  HOST    $@"
	@$(CC) -std=gnu11 -O2 $(WARN) $(WERROR) -D_GNU_SOURCE -Itests/lib -o $@ $(filter %.c,$^)

# The modules, fabric and image rooms as PID 1 of a VM; of the same objects as the agent.
$(LAB)/bin/rooms: $(addprefix $(BUILD)/musl/tests-qemu/rooms/,rooms.o images.o) \
	$(filter-out %/initagent/main.o,$(MUSL_OBJS))
	$(call output,LINK,$(MUSL_CC) $(MUSL_LDFLAGS) -o $$t $(filter %.o,$^) $(MUSL_LIBS))

# The images: what they are and when they are built again is the lab's own business.
lab: $(LAB_BINS)
	+@$(LAB_ENV) tests-qemu/lab

# What needs nothing of the product: beside the compilers, it uses what they leave of the
# processors.
lab-ground: $(LAB_BINS)
	+@$(LAB_ENV) tests-qemu/lab script handover_root suite:trixie

lab-scenarios: $(LAB_BINS) $(BUILD)/initagent $(MKIMAGE)
	+@$(LAB_ENV) tests-qemu/lab script suite:trixie agent dracut hostonly networks \
		block lnet

lab-softib: $(LAB_BINS) $(LAB)/bin/sibfuzz $(BUILD)/initagent $(MKIMAGE)
	+@$(LAB_ENV) tests-qemu/lab softib softib_debian softib_dracut irt handover

lab-bench: $(LAB_BINS) $(LAB)/bin/sibfuzz $(BUILD)/initagent $(MKIMAGE) $(SITE) \
		$(BUILD)/musl/tests/fetch/fetchdrive
	+@$(LAB_ENV) tests-qemu/lab script agent block softib bench

lab-demo: $(LAB_BINS) $(LAB)/bin/sibfuzz $(BUILD)/initagent $(MKIMAGE)
	+@$(LAB_ENV) tests-qemu/lab agent softib

# the kernels and images of tests-qemu/matrix.bats, and the RDMA driver that they lack
lab-matrix: $(LAB_BINS) $(LAB)/bin/sibfuzz $(BUILD)/initagent $(MKIMAGE)
	+@$(LAB_ENV) tests-qemu/lab siw softib $(addprefix kernel:,bullseye trixie-cloud \
		trixie-backports) $(addprefix dracut:,trixie:trixie sid:sid)

# what boots on arm64 is built here, as "make ARCH=arm64" does; tests/cross/check does the same
lab-arm64: $(LAB_BINS) $(BUILD)/initagent
	@mkdir -p $(BUILD)/aarch64
	+@flock $(BUILD)/aarch64/.lock $(REMAKE) ARCH=arm64 BUILD=$(BUILD)/aarch64 \
		$(addprefix $(BUILD)/aarch64/,initagent initagent-mkimage lab/bin/finalinit)
	+@$(LAB_ENV) tests-qemu/lab arm64

# the longest first
CHECK_QEMU_DEPS += lab-matrix lab-softib lab-scenarios
CHECK_QEMU_DEPS += $(if $(filter aarch64,$(HOST_ARCH)),,lab-arm64)

# The programs compile with the agent's headers: "make check-fast" finds what no longer does.
CHECK_DEPS += $(LAB_BINS) $(addprefix $(LAB)/bin/,sibfuzz flexboot $(if $(call has,http),rooms))
CHECK_QEMU_DEPS += $(addprefix $(LAB)/bin/,flexboot $(if $(call has,http),rooms))

# make bench [N=5]: boot times of ours and the peers, and of the chain before the kernel;
# build/bench.json. What it can be told: tests-qemu/bench
bench:
	@tests/setup build qemu
	@$(REMAKE) lab-bench
	@$(LAB_ENV) tests-qemu/bench

# make bench-page: build/bench.json becomes docs/performance.json and the tables of its page
bench-page:
	@tests-qemu/bench-page publish $(BUILD)/bench.json

# make bench-guard [BENCH=nbd]: whether a root got slower than in docs/performance.json
bench-guard:
	@tests/setup build qemu
	@$(REMAKE) lab-bench
	@$(LAB_ENV) tests-qemu/bench-guard

# make demo: a server and a diskless node, the node's console live
demo:
	@tests/setup build qemu
	@$(REMAKE) lab-demo
	@$(LAB_ENV) tests-qemu/demo

# make check-matrix [MATRIX='trixie nfs-rdma']: every kernel, image and root, or the cells with
# these words; build/matrix.md
check-matrix: $(LAB_BINS) $(LAB)/bin/sibfuzz $(BUILD)/initagent $(MKIMAGE)
	@tests/setup build qemu
	+@$(LAB_ENV) tests-qemu/matrix $(MATRIX)

# make check-handover: the hand-over to every manager of both releases of Debian
check-handover:
	@tests/setup build tests qemu
	+@$(REMAKE) lab-handover
	@$(TEST_ENV) tests/run handover

lab-handover: $(LAB_BINS) $(LAB)/bin/sibfuzz $(BUILD)/initagent $(MKIMAGE)
	+@$(LAB_ENV) tests-qemu/lab agent block softib irt handover handover_selinux \
		dracut:sid:sid

.PHONY: lab lab-arm64 lab-ground lab-scenarios lab-softib lab-matrix check-matrix \
	check-handover lab-handover lab-bench lab-demo bench bench-page bench-guard demo

# make check-softib: the scenarios of the software InfiniBand HCA alone; with KERNEL=trixie, or
# another of tests-qemu/kernels, softib.bats on that
check-softib:
	@tests/setup build tests qemu
	+@$(REMAKE) $(if $(KERNEL),lab-softib-kernel,lab-softib)
	@$(LAB_ENV) SIB_KERNEL=$(KERNEL) bats tests-qemu/softib.bats \
		$(if $(KERNEL),,tests-qemu/softib-readme.bats)

lab-softib-kernel: $(LAB_BINS) $(LAB)/bin/sibfuzz $(BUILD)/initagent $(MKIMAGE)
	+@$(LAB_ENV) tests-qemu/lab softib:$(KERNEL)

# make lint-softib: the module for the lab's kernel and for the newest there are headers of
lint-softib:
	@tests-qemu/softib/lint $(LAB) $$(cat $(LAB)/kver 2>/dev/null) newest

.PHONY: check-softib lab-softib-kernel lint-softib
