# SPDX-License-Identifier: GPL-2.0-or-later
#
# packaging/: packages for Debian and for distributions with RPM, below $(BUILD)/packages.
#
#   make deb     initagent{,-initramfs,-tools}_*.deb         make dsc     the source package
#   make rpm     the same as RPMs, without initramfs-tools   make srpm    likewise
#
# Libraries are not built again for them: those of this build folder are taken. The source packages
# build their own.

PACKAGES     := $(abspath $(BUILD))/packages
PACKAGE_NAME := initagent-$(VERSION)
PACKAGE_TREE := $(PACKAGES)/$(PACKAGE_NAME)
PACKAGE_ENV  := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL
RPMBUILD      = $(PACKAGE_ENV) rpmbuild --quiet --define '_topdir $(PACKAGES)/rpm' \
	--define '_sourcedir $(PACKAGES)' \
	--define '_smp_mflags -j$(shell nproc)' $(RPM_ARGS)

package-tree:
	@DEPS_FETCH='$(DEPS_FETCH)' packaging/tree '$(PACKAGE_TREE)'

# What is missing on the machine is said before anything is built.
deb-needs:
	@lacks=$$(dpkg-checkbuilddeps packaging/debian/control 2>&1) || { \
		sed -e 's/.*dependencies: /make deb: first apt-get install /' \
			-e 's/-compat (= [0-9]*)//; s/ ([^)]*)//g; s/:native//g' <<<"$$lacks" >&2; \
			exit 1; }

rpm-needs:
	@command -v rpmbuild >/dev/null || \
		{ echo 'make rpm: rpmbuild is in the package rpm (Debian) or rpm-build' >&2; exit \
		1; }

# It builds inside of the tree, so the others come first.
deb: deb-needs package-tree $(DEPS_STAMP) | $(filter dsc package-tarball rpm srpm,$(MAKECMDGOALS))
	cd '$(PACKAGE_TREE)' && \
		$(PACKAGE_ENV) DEPS='$(DEPS)' dpkg-buildpackage -us -uc -b $(DEB_ARGS)

dsc: package-tree
	cd '$(PACKAGES)' && dpkg-source -b '$(PACKAGE_NAME)'

package-tarball: package-tree
	cd '$(PACKAGES)' && \
		tar --sort=name --owner=0 --group=0 --numeric-owner -cf - '$(PACKAGE_NAME)' | \
		gzip -1n >'$(PACKAGE_NAME).tar.gz'

# Debian's rpm does not know what is installed here, has no find-debuginfo, and a script for bash
# that it gives to dash.
RPM_HERE := $(if $(wildcard /var/lib/dpkg/status),--nodeps --define 'debug_package %{nil}' \
	--define '__brp_compress /bin/bash %{_rpmconfigdir}/brp-compress %{?_prefix}')

rpm: rpm-needs package-tarball $(DEPS_STAMP)
	$(RPMBUILD) --define 'deps $(DEPS)' $(RPM_HERE) -bb packaging/initagent.spec

srpm: rpm-needs package-tarball
	$(RPMBUILD) --nodeps -bs packaging/initagent.spec

# The hook and scripts of initramfs-tools, which looks for them in /usr/share only.
IRT_FILES := hooks/initagent $(addprefix scripts/,initagent initagent-network init-top/initagent \
	init-bottom/initagent)

install-initramfs-tools:
	@for file in $(IRT_FILES); do \
		install -D -m 755 "packaging/initramfs-tools/$$file" \
			"$(DESTDIR)$(PREFIX)/share/initramfs-tools/$$file"; \
	done

INSTALLS += install-initramfs-tools
.PHONY: install-initramfs-tools

.PHONY: package-tree deb-needs rpm-needs deb dsc package-tarball rpm srpm
