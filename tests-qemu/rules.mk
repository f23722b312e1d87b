# SPDX-License-Identifier: GPL-2.0-or-later
# VM tests: static programs for inside the VMs, one host helper, and the lab images.

LAB := $(BUILD)/lab
GUEST_CC := musl-gcc
# musl's own headers first; the kernel's come from the host's, after everything else
GUEST_CFLAGS := -std=gnu11 -Os -s -static $(WARN) -D_GNU_SOURCE -Itests-qemu/guest \
	-idirafter /usr/include -idirafter /usr/include/$(ARCH)-linux-gnu

$(LAB)/bin/bootmark: tests-qemu/guest/bootmark.c tests-qemu/guest/guest.c
$(LAB)/bin/finalinit: tests-qemu/guest/finalinit.c tests-qemu/guest/guest.c tests-qemu/guest/tar.c

$(LAB)/bin/bootmark $(LAB)/bin/finalinit: tests-qemu/guest/guest.h tests-qemu/guest/tar.h
	@mkdir -p $(@D)
	$(GUEST_CC) $(GUEST_CFLAGS) -o $@ $(filter %.c,$^)

$(LAB)/bin/vmctl: tests-qemu/host/vmctl.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 $(WARN) -D_GNU_SOURCE -o $@ $<

lab: $(LAB)/bin/bootmark $(LAB)/bin/finalinit $(LAB)/bin/vmctl
	tests-qemu/lab

.PHONY: lab

# The images of the nodes under test, too: from the agent and the dracut module as they are now.
lab-agent: lab $(BUILD)/initagent $(MKIMAGE)
	tests-qemu/lab agent

# make check-qemu FILTER=regex: the scenarios whose name matches
check-qemu: lab-agent
	bats --print-output-on-failure --filter '$(FILTER)' tests-qemu/*.bats

# make bench [N=5]: boot times of ours and the peers; build/bench.json
bench: lab-agent
	tests-qemu/bench

.PHONY: lab-agent check-qemu bench
