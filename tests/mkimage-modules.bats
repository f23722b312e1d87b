#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # lib/mkimage sets them
# Which file of a module goes into the image when a vendor's drivers lie over the kernel's own, and
# whether what was chosen belongs together: over a made-up root with made-up modules that carry
# symbol versions.
bats_require_minimum_version 1.5.0
load lib/mkimage

setup() {
	made_root
	mkdir "$root/etc" "$root/etc/depmod.d"
}

# module PATH [export=SYMBOL:CRC] [abs=SYMBOL:CRC] [use=SYMBOL:CRC] [ext=SYMBOL:CRC] [KEY=VALUE]...:
# an object with the sections of a module of a kernel with symbol versions. abs: as before Linux
# 5.19; ext: as since 6.14.
module() {
	local path=$modules/$1.ko name=${1##*/} row symbol crc
	mkdir -p "${path%/*}"
	{
		printf '.section .modinfo,"a"\n.asciz "name=%s"\n' "$name"
		for row in "${@:2}"; do
			IFS=: read -r symbol crc <<<"${row#*=}"
			case $row in
			export=* | abs=*)
				printf '.section __ksymtab_strings,"aMS",1\n.asciz "%s"\n' "$symbol"
				printf '.data\n.globl %s\n%s: .quad 0\n' "$symbol" "$symbol"
				;;&
			export=*) printf '.section __kcrctab,"a"\n__crc_%s: .long %s\n' "$symbol" \
				"$crc" ;;
			abs=*) printf '.globl __crc_%s\n__crc_%s = %s\n' "$symbol" "$symbol" \
				"$crc" ;;
			use=* | ext=*) printf '.data\n.quad %s\n' "$symbol" ;;&
			use=*)
				printf '.section __versions,"a"\n.quad %s\n' "$crc"
				printf '.asciz "%s"\n.balign 64\n' "$symbol"
				;;
			ext=*)
				printf '.section __version_ext_crcs,"a"\n.long %s\n' "$crc"
				printf '.section __version_ext_names,"a"\n.asciz "%s"\n' "$symbol"
				;;
			*) printf '.section .modinfo,"a"\n.asciz "%s"\n' "$row" ;;
			esac
		done
	} >"$BATS_TEST_TMPDIR/module.s"
	as -o "$path" "$BATS_TEST_TMPDIR/module.s"
}

holds() {
	zstd -dcq "$out" | cpio -t --quiet | grep -qx "lib/modules/$kver/$1"
}

@test "drivers that the command line beside the image names are in it, or it is not built" {
	local line="root=nvmf:tcp:10.0.0.1:nqn.2024-01.org.example:root ip=dhcp"
	line+=" rd.driver.pre=b rd.driver.post=a rd.rdma.link=rxe0,rxe,eth0"
	mkdir "$root/boot"
	cp /usr/lib/systemd/boot/efi/linuxx64.efi.stub "$root/boot/vmlinuz-$kver"
	module kernel/a
	module kernel/nvme_tcp
	module kernel/rdma_rxe
	echo kernel/b.ko >"$modules/modules.builtin"
	refused 1 "rd.driver.post= of --cmdline names the module a, which is not" \
		--format pair --cmdline "$line"
	[[ $output == *"root= of --cmdline names the module nvme_tcp,"* ]]
	[[ $output == *"rd.rdma.link= of --cmdline names the module rdma_rxe,"* ]]
	[[ $output != *"names the module b,"* ]]
	refused 1 "rd.driver.pre= of --cmdline names the module no_such," \
		--format pair --cmdline "$line rd.driver.pre=no_such" \
		--drivers "a nvme_tcp rdma_rxe"
	build --format pair --cmdline "$line" --drivers "a nvme_tcp rdma_rxe"
}

@test "a command line with vlan= or bond= brings their drivers, which images leave out otherwise" {
	local line="root=nfs:10.0.0.1:/srv vlan=bond0.5:bond0 bond=bond0:eth0,eth1"
	mkdir "$root/boot"
	cp /usr/lib/systemd/boot/efi/linuxx64.efi.stub "$root/boot/vmlinuz-$kver"
	module kernel/8021q
	refused 1 "bonding" --format pair --cmdline "$line"
	module kernel/bonding
	build --format pair
	out=$out/initrd.img run -1 holds kernel/bonding.ko
	build --format pair --cmdline "$line"
	out=$out/initrd.img holds kernel/bonding.ko
	out=$out/initrd.img holds kernel/8021q.ko
}

@test "ip=ibft, rd.report=efi or bootorigin in a command line brings the driver for it" {
	local row rows
	rows=("iscsi_ibft root=nfs:10.0.0.1:/srv ip=ibft"
		"efivarfs root=nfs:10.0.0.1:/srv rd.report=efi"
		"efivarfs rd.systemd.pull=raw,machine,verify=no,blockdev,bootorigin:rootdisk:a.raw")
	mkdir "$root/boot"
	cp /usr/lib/systemd/boot/efi/linuxx64.efi.stub "$root/boot/vmlinuz-$kver"
	for row in "${rows[@]}"; do
		refused 1 "${row%% *}" --format pair --cmdline "${row#* }"
	done
	module kernel/iscsi_ibft
	module kernel/efivarfs
	for row in "${rows[@]}"; do
		build --format pair
		out=$out/initrd.img run -1 holds "kernel/${row%% *}.ko"
		build --format pair --cmdline "${row#* }"
		out=$out/initrd.img holds "kernel/${row%% *}.ko"
	done
}

# A kernel may lack either: images for it are built, but not for a command line that asks for them.
@test "a command line that asks for NFS over RDMA, or for IPoIB, asks for their drivers" {
	local nfs="root=nfs:10.0.0.1:/srv" option
	mkdir "$root/boot"
	cp /usr/lib/systemd/boot/efi/linuxx64.efi.stub "$root/boot/vmlinuz-$kver"
	module kernel/a
	module kernel/ib_ipoib
	module kernel/rpcrdma ext=xprt_register_transport:1
	refused 1 "root= of --cmdline names the module rpcrdma," \
		--format pair --cmdline "$nfs:proto=rdma" --drivers a
	for option in ip=ib0:dhcp bootdev=ib1 rd.ib.pkey=0x8001 rd.ib.mode=connected \
		"ifname=rail0:00:02:c9:03:00:0e:0b:72 ip=eth0:dhcp bootdev=eth0 ip=rail0:dhcp" \
		BOOTIF=20-00-02-c9-03-00-0e-0b-72; do
		refused 1 "of --cmdline names the module ib_ipoib," \
			--format pair --cmdline "$nfs $option" --drivers a
	done
	module kernel/bonding
	refused 1 "bond= of --cmdline names the module ib_ipoib," --format pair --drivers bonding \
		--cmdline "$nfs bond=bond0:ib0,ib1:mode=1 ip=bond0:dhcp"
	module kernel/bridge
	build --format pair --cmdline "$nfs bridge=br0:ibft0 ip=br0:dhcp" --drivers "a bridge"
	rm -r "$out"
	build --format pair --cmdline "$nfs:proto=rdma ip=ib0:dhcp" --drivers "rpcrdma ib_ipoib"
	rm -r "$out"
	build --format pair --cmdline "$nfs:proto=rdma rd.nfs.fallback=tcp ip=eth0:dhcp" --drivers a
}

@test "a vendor's dummy in place of rpcrdma or nvme-rdma is none" {
	module kernel/a
	module extra/mlnx-ofa_kernel/rpcrdma
	refused 1 "rpcrdma.ko is a dummy" --drivers rpcrdma
	module kernel/b softdep="pre: rpcrdma"
	build --drivers b
	holds kernel/b.ko
	run -1 holds extra/mlnx-ofa_kernel/rpcrdma.ko
	rm "$out"
	module extra/mlnx-ofa_kernel/nvme-rdma
	refused 1 "nvme-rdma.ko is a dummy" --drivers nvme_rdma
}

@test "a command line that names a file system asks for its driver" {
	local row rows
	rows=("xfs root=/dev/vda1 rootfstype=xfs rd.neednet=1"
		"btrfs root=nbd:1.2.3.4:x:btrfs"
		"ext4 root=nbd:1.2.3.4:x:ext3"
		"squashfs root=live:http://1.2.3.4/root.squashfs"
		"overlay root=live:http://1.2.3.4/root.sqfs?a=b"
		"loop root=live:http://1.2.3.4/LiveOS/squashfs.img"
		"erofs root=live:http://1.2.3.4/root.erofs")
	mkdir "$root/boot"
	cp /usr/lib/systemd/boot/efi/linuxx64.efi.stub "$root/boot/vmlinuz-$kver"
	module kernel/a
	for row in "${rows[@]}"; do
		refused 1 "of --cmdline names the module ${row%% *}," --format pair --drivers a \
			--cmdline "${row#* }"
	done
	refused 1 "rootfstype= of --cmdline names the module xfs," --format pair --drivers a \
		--cmdline "root=/dev/vda1 rootfstype=xfs rd.neednet=1"
	# what the content tells, what is built in, and what is not mounted
	printf 'kernel/%s.ko\n' squashfs loop >"$modules/modules.builtin"
	for row in http://1.2.3.4/root.img "http://1.2.3.4/root.squashfs rd.overlay=none" \
		http://1.2.3.4/squashfs.img.tar; do
		build --format pair --drivers a --cmdline "root=live:$row"
		rm -r "$out"
	done
}

# judge IMAGE STATUS WORD...: lint of a command line against an image; the part about the image.
judge() {
	run -"$2" "${BUILD:-build}/host/agent" lint --image "$1" "${@:3}"
	output=$(sed -n '/^(image /,$p' <<<"$output")
}

@test "lint --image: the drivers that a command line needs, in images of any maker" {
	local nvme="root=nvmf:tcp:10.0.0.1:nqn.2024-01.org.example:root ip=dhcp"
	local missing="the module nvme_tcp is not in the image: root="
	module kernel/a
	module kernel/nvme_tcp
	echo kernel/b.ko >"$modules/modules.builtin"
	build --drivers a
	judge "$out" 2 "$nvme" rd.driver.pre=b rd.driver.post=a
	[[ $output == *"1 modules of kernel $kver"*"error: $missing"* ]]
	[ "$(grep -c error: <<<"$output")" -eq 1 ]
	rm "$out"
	build --drivers "a nvme_tcp"
	judge "$out" 0 "$nvme" rd.driver.pre=b rd.driver.post=a
	[[ $output != *error* ]]
	# as dracut has them: below usr/, packed with gzip, behind an archive of microcode
	mkdir "$BATS_TEST_TMPDIR/tree" "$BATS_TEST_TMPDIR/tree/usr"
	(cd "$BATS_TEST_TMPDIR/tree" && zstd -dcq "$out" | cpio -idm --quiet && mv lib usr/)
	cpio -o -H newc --quiet <<<tests >"$BATS_TEST_TMPDIR/both"
	(cd "$BATS_TEST_TMPDIR/tree" && find . | cpio -o -H newc --quiet | gzip) \
		>>"$BATS_TEST_TMPDIR/both"
	judge "$BATS_TEST_TMPDIR/both" 0 "$nvme" rd.driver.post=a
	[[ $output == *"2 modules of kernel $kver"* && $output != *error* ]]
	judge "$BATS_TEST_TMPDIR/both" 2 "$nvme" rd.driver.post=zz
	[[ $output == *"error: the module zz is not in the image: rd.driver.post="* ]]
}

@test "lint --image: what is no image, damaged, or hostile" {
	local tree=$BATS_TEST_TMPDIR/tree
	# longer than most, as those of batch systems
	export TMPDIR=$BATS_TEST_TMPDIR/"job 1234567 of a batch system"/tmp
	mkdir "${TMPDIR%/*}"
	mkdir "$TMPDIR"
	module kernel/a
	build --drivers a
	head -c 1000000 "$out" >"$out.cut"
	judge "$out.cut" 3 root=dhcp
	[[ $output == *"error: damaged: "* ]]
	judge /etc/passwd 3 root=dhcp
	[[ $output == *"error: not an initramfs image"* ]]
	judge "$tree/none" 3 root=dhcp
	[[ $output == *"error: No such file or directory"* ]]
	# names that lead out of the temporary folder are no kernel's
	mkdir -p "$tree/lib/modules" "$tree/lib/modules/..evil"
	echo x >"$tree/lib/modules/..evil/modules.dep.bin"
	(cd "$tree" && find lib | cpio -o -H newc --quiet) >"$BATS_TEST_TMPDIR/evil"
	judge "$BATS_TEST_TMPDIR/evil" 3 root=dhcp
	[[ $output == *"error: it holds no kernel modules"* ]]
	run -0 find "$TMPDIR" -name 'initagent.*'
	[ -z "$output" ]
}

@test "updates/ before the kernel's own, without any configuration" {
	module kernel/a
	module updates/dkms/a
	build --drivers a
	holds updates/dkms/a.ko
	run -1 holds kernel/a.ko
}

@test "the search line of depmod.d decides, for extra/ and weak-updates/ too" {
	module kernel/a
	module extra/a
	module weak-updates/a
	echo "search weak-updates extra built-in" >"$root/etc/depmod.d/order.conf"
	build --drivers a
	holds weak-updates/a.ko
	echo "search extra built-in weak-updates" >"$root/etc/depmod.d/order.conf"
	build --drivers a
	holds extra/a.ko
	# a file of that name in /etc hides the one of the distribution
	mkdir -p "$root/lib/depmod.d"
	echo "search kernel built-in extra weak-updates" >"$root/lib/depmod.d/order.conf"
	build --drivers a
	holds extra/a.ko
	rm "$root/etc/depmod.d/order.conf"
	build --drivers a
	holds kernel/a.ko
}

@test "an override line of a vendor's package names one file" {
	module kernel/a
	module updates/a
	module extra/vendor/a
	printf 'search updates built-in\noverride a * extra/vendor\n' \
		>"$root/etc/depmod.d/vendor.conf"
	build --drivers a
	holds extra/vendor/a.ko
}

@test "depmod.d of the building machine does not count" {
	module kernel/a
	module weak-updates/a
	echo "search weak-updates built-in" >"$root/etc/depmod.d/x.conf"
	build --drivers a
	holds weak-updates/a.ko
}

@test "an index from before the vendor's drivers is not believed" {
	module kernel/a
	depmod -b "$root" "$kver"
	touch -d '1 hour ago' "$modules/modules.dep.bin"
	find "$modules" -type d -exec touch -d '2 hours ago' {} +
	run -0 build --drivers a
	[[ $output != *"is older than"* ]]
	module updates/a
	run -0 build --drivers a
	[[ $output == *"modules.dep.bin is older than the modules or depmod.d"* ]]
	holds updates/a.ko
	# depmod has run: its index is taken as it is
	depmod -b "$root" "$kver"
	touch -d '+1 minute' "$modules/modules.dep.bin"
	run -0 build --drivers a
	[[ $output != *"is older than"* ]]
	holds updates/a.ko
}

@test "weak-updates: links to another kernel's modules are followed inside the root" {
	mkdir -p "$root/lib/modules/5.5.4/extra" "$modules/weak-updates"
	module kernel/a
	mv "$modules/kernel/a.ko" "$root/lib/modules/5.5.4/extra/a.ko"
	ln -s /lib/modules/5.5.4/extra/a.ko "$modules/weak-updates/a.ko"
	ln -s . "$modules/kernel/loop"
	rm "$modules/kernel/loop"
	build --drivers a
	holds weak-updates/a.ko
	zstd -dcq "$out" | (cd "$BATS_TEST_TMPDIR" &&
		cpio -id --quiet --no-preserve-owner "lib/modules/*")
	cmp "$BATS_TEST_TMPDIR/lib/modules/$kver/weak-updates/a.ko" \
		"$root/lib/modules/5.5.4/extra/a.ko"
}

@test "a folder that leads back into itself ends the build" {
	module kernel/a
	ln -s . "$modules/kernel/loop"
	run -1 build --drivers a
	[[ $output == *"symbolic links"* ]]
}

# depmod_without WORDS: a depmod that does not see the modules find(1) finds by them, like one that
# was built without a library.
depmod_without() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\nfind "$2" %s -delete\nexec %s "$@"\n' "$1" "$(type -P depmod)" \
		>"$BATS_TEST_TMPDIR/bin/depmod"
	chmod +x "$BATS_TEST_TMPDIR/bin/depmod"
}

# unpacked FILE: of the image, below its modules.
unpacked() {
	zstd -dcq "$out" | cpio -i --quiet --to-stdout "lib/modules/$kver/$1"
}

# packed SUFFIX: the module kernel/a, packed by the program for it.
packed() {
	module kernel/a alias=some-alias
	cp "$modules/kernel/a.ko" "$BATS_TEST_TMPDIR/a.ko"
	case $1 in
	xz) xz "$modules/kernel/a.ko" ;;
	zst) zstd -q --rm "$modules/kernel/a.ko" ;;
	gz) gzip "$modules/kernel/a.ko" ;;
	esac
}

@test "modules packed with xz, zstd and gzip, whether depmod reads such ones or not" {
	local suffix says="does not read modules packed as"
	for suffix in xz zst gz; do
		packed "$suffix"
		depmod_without "-name '*.ko.$suffix'"
		PATH=$BATS_TEST_TMPDIR/bin:$PATH run -0 build --drivers some-alias
		[[ $output == *"$says .$suffix: unpacking them for it"* ]]
		unpacked kernel/a.ko | cmp - "$BATS_TEST_TMPDIR/a.ko"
		run -0 build --drivers a
		[[ $suffix == gz || $output != *"$says"* ]]
		unpacked kernel/a.ko | cmp - "$BATS_TEST_TMPDIR/a.ko"
		rm -r "$modules/kernel"
	done
}

@test "an index of the source that lists no module of the kind that is there is not believed" {
	mkdir "$modules/updates"
	depmod -b "$root" "$kver"
	packed gz
	find "$modules" -type d -exec touch -d '2 hours ago' {} +
	run -0 build --drivers a
	[[ $output == *"modules.dep.bin lists none of the modules packed as .gz"* ]]
	holds kernel/a.ko
}

@test "drivers of adapters are in the image's index, packed or, where depmod cannot, unpacked" {
	local driver=kernel/drivers/net/ethernet/vendor/nic
	module "$driver"
	module kernel/a
	run -0 build --drivers "a nic"
	[ "$(grep -c depmod <<<"$output")" -eq 0 ]
	unpacked "$driver.ko.zst" | zstd -dcq | cmp - "$modules/$driver.ko"
	unpacked modules.dep.bin | grep -aqF "$driver.ko.zst:"
	depmod_without "-name '*.ko.zst'"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH run -0 build --drivers "a nic"
	[[ $output == *"does not read modules packed as .zst: adapters' drivers stay unpacked"* ]]
	unpacked "$driver.ko" | cmp - "$modules/$driver.ko"
	unpacked modules.dep.bin | grep -aqF "$driver.ko:"
	run -1 holds "$driver.ko.zst"
}

@test "a module that depmod leaves out of the image's index: no image" {
	module kernel/a
	module kernel/drivers/net/ethernet/nic
	depmod_without "-path '*/image*' -name a.ko"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH refused 1 "depmod leaves lib/modules/$kver/kernel/a.ko" \
		--drivers "a nic"
	depmod_without "-path '*/image*' -name 'nic.ko*'"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH refused 1 "/nic.ko out of the module index of the image" \
		--drivers "a nic"
}

@test "a program that is not installed is named, not the file it is for" {
	local program
	depmod -b "$root" "$kver"
	packed xz
	for program in "xz xz-utils" "depmod kmod"; do
		# shellcheck disable=SC2016 # expanded by the inner shell
		run -1 unshare --mount bash -euc '
			mount -t tmpfs none /mnt
			mkdir /mnt/none
			for dir in /usr/bin /usr/sbin; do
				mkdir -p "/mnt/$dir/up" "/mnt/$dir/work"
				mknod "/mnt/$dir/up/$1" c 0 0
				mount -t overlay none "$dir" \
					-o "lowerdir=$dir,upperdir=/mnt/$dir/up" \
					-o "workdir=/mnt/$dir/work"
			done
			"${@:2}"' - "${program% *}" "$mkimage" --agent /bin/busybox \
			--busybox /bin/busybox --root "$root" --kver "$kver" --out "$out" \
			--no-base --drivers a
		[[ $output == *"cannot run ${program% *} (package ${program#* }"* ]]
		[[ $output == *"): No such file or directory"* ]]
	done
}

@test "a folder of modules without the kernel's list of what is built in: the file is named" {
	module kernel/a
	rm "$modules/modules.builtin"
	refused 1 "$modules/modules.builtin: No such file or directory" --drivers a
	touch "$modules/modules.builtin"
	depmod -b "$root" "$kver"
	rm "$modules/modules.alias.bin"
	refused 1 "$modules/modules.alias.bin: No such file or directory" --drivers a
}

@test "modules that were built for each other pass, in every layout of the versions" {
	module kernel/core export=core_do:0x11111111 abs=core_old:0x22222222
	module kernel/one use=core_do:0x11111111 use=core_old:0x22222222
	module kernel/two ext=core_do:0x11111111 ext=core_old:0x22222222
	run -0 build --drivers "one two" --explain
	[[ $output == *"Symbol versions: 4 compared with who exports them, all agree"* ]]
}

@test "half a vendor's stack is refused, both sides named" {
	module kernel/core export=core_do:0x11111111
	module updates/core export=core_do:0x99999999
	module kernel/ulp use=core_do:0x11111111
	refused 1 "module kernel/ulp.ko needs core_do of version 11111111, but updates/core.ko \
exports version 99999999" \
		--drivers ulp
	module updates/ulp use=core_do:0x99999999
	build --drivers ulp
	holds updates/ulp.ko
	holds updates/core.ko
}

# A vendor's InfiniBand stack has no rdma_rxe, siw and mlx4_ib: the kernel's own do not fit it.
@test "what does not fit and was not asked for by name: which --without leaves it out" {
	module kernel/core export=core_do:0x11111111
	module updates/core export=core_do:0x99999999
	module kernel/soft use=core_do:0x11111111
	module kernel/asked use=core_do:0x11111111
	module kernel/a softdep="pre: core soft"
	refused 1 "module kernel/soft.ko needs core_do" --drivers a
	[[ $output == *": not asked for by name: --without 'soft' "* ]]
	refused 1 "module kernel/asked.ko needs core_do" --drivers "a asked"
	[[ $output == *": not asked for by name: --without 'soft' "* ]]
	build --drivers a --without soft
	holds updates/core.ko
	run -1 holds kernel/soft.ko
	rm "$out"
	refused 1 "module kernel/asked.ko needs core_do" --drivers "a asked" --without soft
	[[ $output != *"--without '"* ]]
	module kernel/b
	depmod -b "$root" "$kver"
	LC_ALL=C sed -i 's|kernel/b.ko:|/etc/host.k:|' "$modules/modules.dep.bin"
	refused 1 "which is not a safe relative path" --drivers "b a"
	[[ $output == *": not asked for by name: --without 'soft' "* ]]
}

@test "the same in the layouts of older and newer kernels" {
	module kernel/core abs=core_do:0x11111111
	module kernel/ulp ext=core_do:0x11111112
	refused 1 "needs core_do of version 11111112, but kernel/core.ko exports version 11111111" \
		--drivers ulp
}

@test "against the kernel itself, where its list of symbols is" {
	module kernel/a use=printk:0x12345678
	build --drivers a
	rm "$out"
	mkdir -p "$root/usr/src/headers"
	printf '0x12345679\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n' \
		>"$root/usr/src/headers/Module.symvers"
	ln -s /usr/src/headers "$modules/build"
	refused 1 "needs printk of version 12345678, but build/Module.symvers exports version\
 12345679" --drivers a
	printf '0x12345678\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n' \
		>"$root/usr/src/headers/Module.symvers"
	build --drivers a
	rm "$modules/build" "$out"
	printf '0x12345670\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n' | gzip >"$modules/symvers.gz"
	refused 1 "symvers.gz exports version 12345670" --drivers a
	echo nonsense | gzip >"$modules/symvers.gz"
	refused 1 "symvers.gz cannot be read as the list of the kernel's symbols" --drivers a
}

@test "without that list: two modules that want different kernels" {
	module kernel/a use=module_layout:0x1
	module updates/b use=module_layout:0x2
	refused 1 "module updates/b.ko needs module_layout of version 00000002, but kernel/a.ko \
needs version 00000001: they were built for different kernels" \
		--drivers "a b"
}

@test "without symbol versions the kernel's version counts; with them the flags do" {
	module kernel/a "vermagic=5.5.4-other SMP mod_unload "
	refused 1 "module kernel/a.ko is built for kernel 5.5.4-other" --drivers a
	module kernel/a "vermagic=5.5.4-other SMP mod_unload modversions " use=printk:1
	build --drivers a
	rm "$out"
	module kernel/b "vermagic=6.5.5-test SMP preempt mod_unload modversions " use=printk:1
	refused 1 "built with different options" --drivers "a b"
}

@test "a module whose versions cannot be read is refused" {
	module kernel/a use=printk:1
	depmod -b "$root" "$kver"
	# the name of the needed symbol runs to the end of its row
	LC_ALL=C perl -0777 -pi -e 's/printk\0{50}/"printk" . "x" x 50/e' "$modules/kernel/a.ko"
	refused 1 "the symbol versions in kernel/a.ko cannot be read" --drivers a
}

@test "agent and modules are for one machine" {
	local drivers
	module kernel/a
	# e_machine: arm64
	printf '\267\0' | dd of="$modules/kernel/a.ko" bs=1 seek=18 conv=notrunc status=none
	refused 1 "/bin/busybox is for machine 62, the modules for machine 183" --drivers a
	# of several, the one that is not for the agent's machine is named, whatever comes first
	module kernel/b
	for drivers in "a b" "b a"; do
		refused 1 "module kernel/a.ko is for machine 183, the agent for machine 62" \
			--drivers "$drivers"
		[[ $output != *kernel/b.ko* ]]
	done
}

@test "every module option in the image is told to reach a module that knows it, or not" {
	module kernel/my-mod parmtype=speed:int parmtype=deep_end:bool
	mkdir "$BATS_TEST_TMPDIR/modprobe.d"
	printf '%s\n' 'options my_mod speed=3 deep-end' '# options my_mod nosuch' \
		'blacklist other' 'options other x=1' \
		>"$BATS_TEST_TMPDIR/modprobe.d/a.conf"
	run -0 build --drivers my-mod --modprobe-d "$BATS_TEST_TMPDIR/modprobe.d" --explain
	[[ $output == \
		*"/etc/modprobe.d/a.conf: my_mod speed=3: the module is inside and knows it"* ]]
	[[ $output == \
		*"/etc/modprobe.d/a.conf: my_mod deep-end: the module is inside and knows it"* ]]
	[[ $output == *"/etc/modprobe.d/a.conf: other x=1: no such module in the image"* ]]
	[[ $output != *"no such option"* ]]
	# a mistake is said without being asked for
	echo 'options my_mod sped=3' >"$BATS_TEST_TMPDIR/modprobe.d/b.conf"
	run -0 --separate-stderr build --drivers my-mod --modprobe-d "$BATS_TEST_TMPDIR/modprobe.d"
	# shellcheck disable=SC2154 # of --separate-stderr
	[ "$stderr" = "/etc/modprobe.d/b.conf: my_mod sped=3: the module is inside and has no such\
 option" ]
}

@test "firmware that is done without is said" {
	module kernel/a firmware=vendor/a.bin firmware=b.bin
	echo b >"$root/lib/firmware/b.bin"
	run -0 build --drivers a --no-firmware 'vendor/*' --explain
	[[ $output == *"Missing firmware, allowed:"$'\n'"vendor/a.bin, named by a"$'\n'* ]]
	[[ $output == *"/lib/firmware/b.bin (firmware named by a)"* ]]
}
