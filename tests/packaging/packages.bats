#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The packages for Debian and for distributions with RPM: built, looked at by those who judge
# packages, installed into roots of their own, used there, and removed. "make check-packages", and a
# part of "make check".
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
	# a caller's time must not get in
	unset SOURCE_DATE_EPOCH
	export BUILD=${BUILD:-build} PACKAGES
	PACKAGES=$(realpath -m "$BUILD/packages")
	make --no-print-directory BUILD="$BUILD" deb dsc >"$BATS_FILE_TMPDIR/deb.log" 2>&1 || {
		tail -n 40 "$BATS_FILE_TMPDIR/deb.log"
		return 1
	}
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	T=$BATS_TEST_TMPDIR
	VERSION=$(sed -n 's/^VERSION := //p' Makefile)
	LAB=$(realpath "$BUILD")/lab
	DEBS=("$PACKAGES"/initagent{,-tools,-initramfs}_"$VERSION"_*.deb)
}

# installed: what "make install" puts below a DESTDIR; man pages may be packed.
installed() {
	make --no-print-directory BUILD="$BUILD" install DESTDIR="$T/dest" PREFIX=/usr >/dev/null
	(cd "$T/dest" && find . ! -type d) | sort
}

# plain: a list of files without documents, man pages by their unpacked names.
plain() {
	sed 's/^\.*/./; s/\.gz$//' | grep -vE '/usr/share/(doc|licenses|lintian)/|\.build-id|/$' |
		sort
}

@test "program, changelog and spec are of one version" {
	"$BUILD/initagent" version | grep -qF "$VERSION"
	dpkg-parsechangelog -l packaging/debian/changelog -S Version | grep -qxF "$VERSION"
	grep -qxE "Version: +$VERSION" packaging/initagent.spec
	grep -q -- " - $VERSION-1\$" packaging/initagent.spec
}

# Spelling in a binary is of the libraries' words and of machine code that looks like one, which
# differs from compiler to compiler: codespell reads the sources.
@test "lintian has nothing to say about the Debian packages, and about their source" {
	[ "${#DEBS[@]}" -eq 3 ]
	run -0 lintian --allow-root --fail-on error,warning,info -I \
		--suppress-tags spelling-error-in-binary \
		"$PACKAGES/initagent_$VERSION"_*.changes
	[ -z "$output" ] || { echo "$output"; return 1; }
	run -0 lintian --allow-root --fail-on error,warning "$PACKAGES/initagent_$VERSION.dsc"
	[ -z "$output" ] || { echo "$output"; return 1; }
}

@test "they hold what make install installs, each file in one of them" {
	local deb program

	for deb in "${DEBS[@]}"; do
		dpkg-deb --fsys-tarfile "$deb" | tar -t
	done | plain >"$T/files"
	diff <(installed | plain) "$T/files"
	# the same agent: one program, nothing to be found at run time
	run -0 dpkg-deb -f "${DEBS[0]}" Depends
	[ "$output" = "" ]
	dpkg-deb -f "${DEBS[0]}" Built-Using | grep -q '^musl (= '
	dpkg-deb -f "${DEBS[1]}" Depends | grep -q libkmod2
	# what the builder of images runs
	for program in kmod xz-utils zstd; do
		dpkg-deb -f "${DEBS[1]}" Depends | tr -d ' ' | tr , '\n' | grep -qx "$program"
	done
	# initramfs-tools makes a new image when its hook comes or goes
	dpkg-deb --ctrl-tarfile "${DEBS[2]}" | tar -xO ./triggers | grep -q update-initramfs
}

@test "copyright names the license of every library that is linked in" {
	local name names

	mapfile -t names < <(awk '!/^[#+]/ && NF && $1 != "musl" { print $1 }' deps/sources)
	[ "${#names[@]}" -ge 8 ]
	for name in "${names[@]}"; do
		grep -q "^Files: distfiles/${name}_\*$" packaging/debian/copyright ||
			{ echo "not there: $name"; return 1; }
	done
	# each license that is named has its text
	sed -n '/^Files:/,/^$/s/^License: //p' packaging/debian/copyright | sed 's/ or /\n/g' |
		sort -u |
		while read -r name; do
			grep -A 1 "^License: $name\$" packaging/debian/copyright | grep -q '^ ' ||
				{ echo "no text: $name"; return 1; }
		done
}

@test "the source package is complete: built again without network, the same to the byte" {
	local deb

	mkdir "$T/again"
	cd "$T/again"
	dpkg-source --no-check -x "$PACKAGES/initagent_$VERSION.dsc" source >/dev/null
	# every library's tarball is here, and is the right one
	awk '!/^[#+]/ && NF && $1 != "musl" { print $1 }' source/deps/sources |
		DISTFILES=$PWD/source/distfiles DEPS_DIR=$T/deps xargs unshare \
		--net source/deps/fetch
	# these would take minutes: those of this tree are taken
	umask 077
	export DEPS=${LAB%/lab}/deps
	(cd source && TZ=Asia/Tokyo unshare --net dpkg-buildpackage -us -uc -b) >"$T/log" 2>&1 ||
		{ tail -n 40 "$T/log"; return 1; }
	for deb in "${DEBS[@]}"; do
		cmp "$deb" "${deb##*/}"
	done
}

@test "installed in a Debian root: dracut and the builder find it; removed, nothing is left" {
	local root=$T/root kver

	kver=$(<"$LAB/kver")
	cp -al "$LAB/root" "$root"
	find "$root" ! -path '*/var/*' | sort >"$T/before"
	# two libraries of the tools are not in that root
	dpkg --root="$root" --log="$T/dpkg.log" --force-depends -i "${DEBS[@]}" >"$T/log" 2>&1
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private bash -euc '
		mount -t proc proc "$1/proc"
		mount -t tmpfs tmp "$1/tmp"
		mount --bind /dev "$1/dev"
		chroot "$1" dracut --force --no-hostonly --no-hostonly-cmdline --kver "$2" \
			--add initagent --no-compress --nostrip \
			--omit "systemd dbus network ifcfg nfs" /tmp/dracut.img
		chroot "$1" lsinitrd /tmp/dracut.img
		chroot "$1" lsinitrd -f usr/sbin/initagent /tmp/dracut.img |
			cmp - "$1/usr/sbin/initagent"
		chroot "$1" initagent-mkimage --kver "$2" --level 1 --out /tmp/node.img
		zstd -dcq "$1/tmp/node.img" | cpio -i --quiet --to-stdout init |
			cmp - "$1/usr/sbin/initagent"
		zstd -dcq "$1/tmp/node.img" | cpio -i --quiet --to-stdout bin/busybox |
			cmp - "$1/usr/lib/initagent/busybox"
		"$1/usr/sbin/initagent-site" -n \
			-f "$1/usr/share/doc/initagent-tools/examples/site.example.yaml" check
	' - "$root" "$kver" >"$T/used" 2>&1 || { tail -n 30 "$T/used"; return 1; }
	grep -q 'initqueue/finished/.*initagent' "$T/used"
	grep -q 'ib_ipoib.ko' "$T/used"
	dpkg --root="$root" --log="$T/dpkg.log" -P initagent initagent-tools \
		initagent-initramfs >>"$T/log"
	find "$root" ! -path '*/var/*' | sort | diff "$T/before" -
}

# rpms plain|merged: the RPMs, built once for all cases; merged is for a distribution where sbin is
# the same as bin, and a later release. $RPMS are the agent's and the tools'.
rpms() {
	local built=$BATS_FILE_TMPDIR/rpms/$1 args="--define '_rpmdir $BATS_FILE_TMPDIR/rpms/$1'"

	if [[ ! -d $built ]]; then
		[[ $1 == plain ]] || args+=" --define '_sbindir %{_bindir}' --define 'dist .merged'"
		make --no-print-directory BUILD="$BUILD" rpm RPM_ARGS="$args" >"$T/log" 2>&1 ||
			{ tail -n 40 "$T/log"; return 1; }
	fi
	RPMS=("$built"/*/initagent{,-tools}-"$VERSION"-1*.rpm)
	[ "${#RPMS[@]}" -eq 2 ]
}

@test "RPMs: built, the spec and they are clean to rpmlint, and hold what make install installs" {
	local root=$T/root

	rpms plain
	run -0 rpmlint -c packaging/rpmlint.toml packaging/initagent.spec "${RPMS[@]}"
	[[ $output == *" 0 errors, 0 warnings"* ]]
	diff <(installed | grep -v /usr/share/initramfs-tools/ | plain) <(rpm -qpl "${RPMS[@]}" |
		grep -vxE '/usr/(lib/dracut/modules.d/70|lib/|libexec/)initagent' | plain)
	mkdir "$root"
	rpm --root "$root" --nodeps --noscripts -i "${RPMS[@]}"
	rpm --root "$root" -V --nodeps initagent initagent-tools
	"$root/usr/sbin/initagent" version | grep -qF "$VERSION"
	rpm --root "$root" --nodeps --noscripts -e initagent initagent-tools
	[ ! -e "$root/usr/sbin/initagent" ]
	# which package of the distribution has the module's rest is not for this one to say, and
	# nothing else is needed
	run -0 rpm -qp --requires "${RPMS[0]}"
	run -1 grep -vE '^(rpmlib\(|/bin/(ba)?sh$)' <<<"$output"
	# the tools: libraries, and what the builder of images runs
	run -0 rpm -qp --requires "${RPMS[1]}"
	[ "$(grep -xE 'gzip|kmod|xz|zstd' <<<"$output" | xargs)" = "gzip kmod xz zstd" ]
}

@test "RPMs of a distribution where sbin is merged with bin" {
	rpms merged
	run -0 rpm -qpl "${RPMS[@]}"
	[ "$(grep -E '/s?bin/' <<<"$output" | sort | xargs)" = "/usr/bin/initagent \
/usr/bin/initagent-flexboot /usr/bin/initagent-mkimage /usr/bin/initagent-site" ]
}

# base_rpm: what the packages need of a distribution, a shell and libraries, as one RPM in $T/repo.
# Of this machine's files: no RPM distribution is within reach.
base_rpm() {
	local tree=$T/base lib libs

	mkdir -p "$tree"/usr/bin "$T/repo"
	ln -s usr/bin "$tree/bin"
	cp -L /bin/bash "$tree/usr/bin/"
	ln -s bash "$tree/usr/bin/sh"
	mapfile -t libs < <(ldd /bin/bash "$BUILD"/initagent-{site,mkimage,flexboot} |
		grep -o '/[^ ]*\.so[^ ]*' | sort -u)
	[ "${#libs[@]}" -gt 2 ]
	for lib in "${libs[@]}"; do
		install -D -m 755 "$lib" "$tree$lib"
	done
	cat >"$T/base.spec" <<-EOF
		Name: base
		Version: 1
		Release: 1
		Summary: Shell and libraries
		License: none
		AutoReq: no
		Provides: /bin/sh /bin/bash rtld(GNU_HASH) gzip kmod xz zstd
		%description
		Shell and libraries.
		%install
		cp -a $tree/. %{buildroot}/
		%files
		/*
	EOF
	rpmbuild --quiet --nodeps --define "_topdir $T/rpm" --define "_rpmdir $T/repo" \
		--define 'debug_package %{nil}' --define '__os_install_post %{nil}' \
		-bb "$T/base.spec" >"$T/base.log" 2>&1 || { cat "$T/base.log"; return 1; }
}

# release plain|merged: those RPMs among the packages of $T/repo.
release() {
	rpms "$1"
	cp "${RPMS[@]}" "$T/repo/"
	createrepo_c -q "$T/repo"
}

# in_root COMMAND...: dnf, in a root that knows this one folder of packages.
in_root() {
	dnf -q -y --installroot="$root" --releasever=1 --setopt=reposdir=/nonexistent \
		--setopt=cachedir="$T/cache" --setopt=logdir="$T" --setopt=persistdir="$T/persist" \
		--repofrompath="lab,file://$T/repo" --setopt=lab.gpgcheck=0 --refresh "$@"
}

# holds RELEASE: both packages, whole, and nothing of another release.
holds() {
	[ "$(rpm --root "$root" -q --qf '%{name} %{release}\n' initagent initagent-tools)" = \
		$'initagent '"$1"$'\ninitagent-tools '"$1" ]
	rpm --root "$root" -V initagent initagent-tools
}

@test "RPMs in a root of RPMs: installed by dnf with what they need, upgraded, removed" {
	local root=$T/root

	base_rpm
	release plain
	in_root install base
	find "$root" ! -type d ! -path '*/var/*' | sort >"$T/before"
	# the tools recommend the agent; nothing has to be forced
	in_root install initagent-tools
	holds 1
	chroot "$root" initagent version | grep -qF "$VERSION"
	chroot "$root" initagent-mkimage --version | grep -qF "$VERSION"
	chroot "$root" initagent-site -n check \
		-f "$(rpm --root "$root" -ql initagent-tools | grep 'site\.example\.yaml$')"
	# to where sbin is merged: each program moves
	release merged
	in_root upgrade
	holds 1.merged
	chroot "$root" initagent version | grep -qF "$VERSION"
	in_root remove initagent initagent-tools
	# of folders, those that the distribution shares out among its packages stay
	find "$root" \( ! -type d -o -name '*initagent*' \) ! -path '*/var/*' | sort |
		diff "$T/before" -
	# the packages have no scripts, whose effect on a distribution would be still to see
	run -0 rpm -qp --scripts "$T"/repo/initagent*.rpm
	[ -z "$output" ] || { echo "$output"; return 1; }
}
