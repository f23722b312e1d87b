# SPDX-License-Identifier: GPL-2.0-or-later
#
# deps/: the libraries of the static agent, built from pinned tarballs into one sysroot.
# Gives the other rules.mk: MUSL_CC, MUSL_CFLAGS, MUSL_LDFLAGS, MUSL_LIBS, and the stamp DEPS_STAMP,
# which every object compiled with MUSL_CC depends on. DEPS=DIR shares one set of libraries between
# build folders. To add a library: a row in deps/sources, a file in deps/recipes, its archive in
# MUSL_LIBS.

ifneq ($(and $(filter environment command,$(firstword $(origin DEPS))),$(CROSS)),)
# A folder that is given has this machine's libraries; those for another one lie below it.
override DEPS := $(DEPS:/$(ARCH)/deps=)/$(ARCH)/deps
DEPS_FETCH ?= $(DEPS:/$(ARCH)/deps=)
endif
DEPS       ?= $(abspath $(BUILD))/deps
# Tarballs are the same for every machine that is built for.
DEPS_FETCH ?= $(patsubst %/$(ARCH)/deps,%/deps,$(DEPS))
SYSROOT    := $(DEPS)/sysroot
DEPS_STAMP := $(DEPS)/.stamp

# make ARCH=arm64: a cross build, in a build folder of its own, with a musl built here. Host
# programs stay the host's.
MUSL_CC      ?= $(if $(CROSS),$(SYSROOT)/bin/musl-gcc,musl-gcc)
MUSL_OPT     := -Os -g0 -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables \
		-fno-unwind-tables -fno-pie
MUSL_CFLAGS  := $(MUSL_OPT) -isystem $(SYSROOT)/include -isystem $(SYSROOT)/include/libnl3 \
		-isystem $(DEPS)/overlay
# The build id, a hash of the program: rpmbuild of Fedora and RHEL packs none without.
MUSL_LDFLAGS := -static -no-pie -Wl,--gc-sections -Wl,--sort-section=alignment \
		-Wl,--build-id -s

# The parts a build may leave out; each library says in its recipe which one it is for.
FEATURES_ALL := http tls archive block
FEATURES     ?= $(FEATURES_ALL)
$(if $(filter-out $(FEATURES_ALL),$(FEATURES)),$(error FEATURES: no such feature: $(filter-out \
	$(FEATURES_ALL),$(FEATURES)); there are: $(FEATURES_ALL)))
$(if $(filter tls,$(FEATURES)),$(if $(filter http,$(FEATURES)),,$(error FEATURES: tls needs http)))
has = $(filter $(1),$(FEATURES))

# Providers, libibverbs and libnl refer to each other. The providers without a public API carry the
# number of rdma-core's private ABI in their name, hence the glob; the shell expands it at link
# time.
MUSL_LIBS := -Wl,--start-group $(SYSROOT)/lib/libmlx4.a $(SYSROOT)/lib/libmlx5.a \
	$(SYSROOT)/lib/librxe-rdmav*.a $(SYSROOT)/lib/libsiw-rdmav*.a $(SYSROOT)/lib/libibverbs.a \
	$(SYSROOT)/lib/libibumad.a $(SYSROOT)/lib/libnl-route-3.a $(SYSROOT)/lib/libnl-3.a \
	-Wl,--end-group $(SYSROOT)/lib/libkmod.a \
	$(SYSROOT)/lib/libzstd.a $(SYSROOT)/lib/liblzma.a \
	$(SYSROOT)/lib/libz.a $(SYSROOT)/lib/libcjson.a $(SYSROOT)/lib/libsodium.a -lm

MUSL_LIBS += $(if $(call has,http),$(SYSROOT)/lib/libcurl.a) \
	$(if $(call has,tls),$(addprefix $(SYSROOT)/lib/,libmbedtls.a libmbedx509.a \
	libmbedcrypto.a))

DEPS_ENV := DEPS_DIR='$(DEPS)' DEPS_FETCH='$(DEPS_FETCH)' DEPS_CC='$(MUSL_CC)' \
	DEPS_CFLAGS='$(MUSL_OPT)' DEPS_LDFLAGS='-static -no-pie -Wl,--build-id' \
	DEPS_FEATURES='$(sort $(FEATURES) $(if $(CROSS),cross))' DEPS_ARCH='$(ARCH)' \
	DEPS_CROSS='$(CROSS)'

# NAME:HASH:NEED,NEED of every library. The stamp's name holds the hash, so that a changed recipe is
# simply a stamp that does not exist yet.
DEPS_PLAN := $(shell $(DEPS_ENV) deps/build --plan | tr ' ' ':')
comma     := ,
deps_name  = $(word 1,$(subst :, ,$(1)))
deps_stamp = $(DEPS)/stamps/$(call deps_name,$(1)).$(word 2,$(subst :, ,$(1)))
deps_needs = $(foreach n,$(subst $(comma), ,$(word 3,$(subst :, ,$(1)))),$(call \
	deps_stamp,$(filter $(n):%,$(DEPS_PLAN))))

DEPS_STAMPS := $(foreach p,$(DEPS_PLAN),$(call deps_stamp,$(p)))

define deps_rule
$(call deps_stamp,$(1)): $(call deps_needs,$(1))
	@$$(DEPS_ENV) deps/build $(call deps_name,$(1)) $$@
endef
$(foreach p,$(DEPS_PLAN),$(eval $(call deps_rule,$(p))))

$(DEPS_STAMP): $(DEPS_STAMPS)
	@mkdir -p $(@D)
	@touch $@

deps: $(DEPS_STAMP)
.PHONY: deps
