# SPDX-License-Identifier: GPL-2.0-or-later
# initagent: one non-recursive Makefile; every folder adds its part in rules.mk.
#
#   make            static agent at build/initagent, initagent-site, initagent-timeline
#   make demo       boot a server and a diskless node in QEMU, console shown live
#   make check      every test        make check-fast   no VM, about 5 minutes
#   make check-qemu FILTER=regex      make lint         style and static analysis
#   make check-hosts HOSTS='trixie'   builds and tests in roots of Debian releases
#   make FEATURES="http tls archive block"   what to build in
#   make image KVER= OUT= [DRIVERS=]  make bench        make install DESTDIR= PREFIX=
#   make deb, make rpm    packages for Debian and for distributions with RPM
#   make DEV=1         warnings are errors   make help          this list
#   make ARCH=arm64    for another machine, below build/aarch64 (needs its cross compiler)
#
# Two flavours are built from the same sources: "musl" is the product (static), "host" is a
# glibc build with sanitizers for the tests.

.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# All processors, unless the caller says otherwise.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

PREFIX ?= /usr
# Some distributions have merged it with bin.
SBINDIR ?= $(PREFIX)/sbin
HOST_ARCH := $(shell uname -m)
ARCH   ?= $(HOST_ARCH)
# The names Debian and the kernel use for the same machines.
override ARCH := $(patsubst amd64,x86_64,$(patsubst arm64,aarch64,$(ARCH)))
CROSS  := $(if $(filter-out $(HOST_ARCH),$(ARCH)),$(ARCH)-linux-gnu-)
BUILD  ?= build$(if $(CROSS),/$(ARCH))
VERSION := 0.1.0

all: $(BUILD)/initagent
.PHONY: all

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wundef \
	-Wwrite-strings -Wvla -Wformat=2 -Wimplicit-fallthrough -Wcast-qual -Wno-format-nonliteral
# A warning ends the build of the tests, and with DEV=1 any build; what a user or a distribution
# builds may meet a compiler that knows other ones.
WERROR := $(if $(DEV)$(filter check% lint,$(MAKECMDGOALS)),-Werror)
DEFS := -D_GNU_SOURCE -DINITAGENT_VERSION='"$(VERSION)"' -I. -Iinitagent -Ikernel-cmdline

# Filled by the rules.mk files.
CHECK_DEPS :=      # what the tests without VM need beside the agent and the test programs
CHECK_QEMU_DEPS := # what tests-qemu/*.bats need beside the agent
INSTALLS :=        # targets that install a part below $(DESTDIR)$(PREFIX)
CLEAN :=

include deps/rules.mk

# What the build has: code asks for FEATURE_HTTP and so on.
DEFS += $(foreach f,$(FEATURES),-DFEATURE_$(shell tr a-z A-Z <<<$(f)))

include kernel-cmdline/rules.mk
include initagent/rules.mk
include dracut/rules.mk
include ipxe-scripts/rules.mk
include flexboot/rules.mk
include initagent/timeline/rules.mk
include tests-qemu/rules.mk
include docs/rules.mk
include packaging/rules.mk
include tests/rules.mk

install: $(BUILD)/initagent $(INSTALLS)
	install -D -m 755 $(BUILD)/initagent '$(DESTDIR)$(SBINDIR)/initagent'

# Libraries and lab images stay, those for other machines too.
OTHERS = $(patsubst %/deps,%,$(wildcard $(BUILD)/*/deps))

clean:
	rm -rf $(filter-out %/deps %/lab $(OTHERS),$(wildcard $(BUILD)/* $(OTHERS:=/*))) $(CLEAN)

distclean:
	rm -rf $(BUILD)

# The head of this file.
help:
	@sed -n '2,/^$$/s/^#  *//p' Makefile | sed '1d;/^Two flavours/,$$d'

.PHONY: help install clean distclean
