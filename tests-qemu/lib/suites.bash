# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Part of tests-qemu/lab: roots of other Debian suites, and kernels of tests-qemu/kernels. Each has
# a folder of its own, $lab/suites/NAME, $lab/compilers/NAME or $lab/kernels/NAME, which is $lab for
# its stages. What the mirror does not have leaves the reason in the file "absent" there, and is
# left out.

# keep FILE: what comes in, at once: another lab may be reading the FILE of the same text.
keep() {
    cat >"$1.$$" && mv "$1.$$" "$1"
}

# private_apt PROGRAM ARGUMENT...: with the lists, settings and sources in $lab/apt.
private_apt() {
    local apt=$lab/apt
    "$@" -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" \
        -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Acquire::Languages=none
}

# private_lists: new ones; the sources are its input. A suite that is not there leaves none.
private_lists() {
    rm -rf "${lab:?}/apt"
    mkdir -p "$lab"/apt/{lists,archives}/partial
    : >"$lab/apt/status"
    cat >"$lab/apt/sources.list"
    # unchecked: what has no lists is left out, and that is said
    private_apt apt-get -q update >"$lab/apt.log" 2>&1 || true
}

# available NAME...: those packages that the private lists have, of "A|B" the first; what is missing
# is said.
available() {
    local name choice
    for name; do
        for choice in ${name//|/ }; do
            [ -z "$(private_apt apt-cache show "$choice" 2>/dev/null)" ] || {
                echo "$choice"
                continue 2
            }
        done
        say "left out, as this suite has no such package: $name"
    done
}

# debian_root DIR SUITE PACKAGE...: by mmdebstrap, without manual pages and translations.
debian_root() {
    local dir=$1 suite=$2 packages
    shift 2
    rm -rf "$dir" "$lab/absent"
    sources_of "$suite" | private_lists
    packages=$(available "$@" 2>"$lab/missing" | paste -sd,)
    rm -rf "$lab/apt"
    [ -n "$packages" ] || {
        echo "the mirror has no $suite" >"$lab/absent"
        return
    }
    cat "$lab/missing" >&2
    say "Debian root of $suite with mmdebstrap"
    apt_options >"$dir.apt"
    sources_of "$suite" | without_fds mmdebstrap --variant=minbase --include="$packages" \
        --skip=check/empty --aptopt="$dir.apt" --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/initramfs-tools/hooks/live' \
        "" "$dir" - >"$dir.log" 2>&1 || {
        tail -n 20 "$dir.log" >&2
        return 1
    }
}

stage_suite() {
    local packages
    mapfile -t packages < <(grep -v '^#' "$here/suite-packages")
    debian_root "$lab/root" "$(<"$lab/name")" "${packages[@]}"
}

# suite NAME
suite() {
    local lab=$lab/suites/$1
    mkdir -p "$lab"
    keep "$lab/name" <<<"$1"
    stage suite "$lab/name" "$here/suite-packages"
    left_out "$1" suite
}

# left_out NAME STAGE: says so of what is absent; another day it may be there.
left_out() {
    [ -e "$lab/absent" ] || return 0
    say "$1 left out: $(<"$lab/absent")"
    : >"$lab/$2.key"
}

# A kernel, unpacked: $lab and $root are its folder.
stage_variant() {
    local suite package packages file
    read -r _ suite package _ <"$lab/row"
    rm -rf "${lab:?}"/{boot,usr,lib,absent,kver}
    mkdir -p "$lab/usr/lib"
    ln -s usr/lib "$lab/lib"
    sources_of "$suite" | private_lists
    # newer Debian has image, modules and index files in packages of their own
    mapfile -t packages < <(private_apt apt-cache depends --recurse --important "$package" |
        grep -E '^linux-(image|modules|binary|base)-[0-9]' | sort -u)
    if [ "${#packages[@]}" -eq 0 ]; then
        echo "the mirror has no $package of $suite" >"$lab/absent"
        return
    fi
    (cd "$lab/apt" && private_apt apt-get -q download "${packages[@]}" >>"$lab/apt.log" 2>&1)
    for package in "$lab"/apt/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$lab"
    done
    rm -r "$lab/apt"
    (cd "$lab/lib/modules" && echo *) >"$lab/kver"
    depmod -b "$lab" "$(<"$lab/kver")"
    # where image and modules are packages, both are below /usr
    for file in "$lab/boot/vmlinuz-$(<"$lab/kver")" "$lab/lib/modules/$(<"$lab/kver")/vmlinuz"; do
        [ ! -e "$file" ] || cp "$file" "$lab/vmlinuz"
    done
}

# add_kernel ROOT FOLDER: what an image builder in ROOT needs of the kernel unpacked in FOLDER.
add_kernel() {
    local kver
    kver=$(<"$2/kver")
    mkdir -p "$1/usr/lib/modules" "$1/boot"
    linked "$2/usr/lib/modules/$kver" "$1/usr/lib/modules/$kver"
    [ ! -e "$2/boot/config-$kver" ] || cp "$2/boot/config-$kver" "$1/boot/"
}

# drivers: what images for cells have beside the usual ones, as far as this kernel has it.
drivers() {
    local driver
    for driver in nvme_tcp nvme_rdma nbd ext4 softib; do
        kernel_lacks "$driver" || echo "$driver"
    done | paste -sd ' '
}

# The stand-alone image for it, and one with the drivers of all cells.
stage_variant_agent() {
    local kver
    kver=$(<"$lab/kver")
    agent_image "$kver" "$lab" "$lab/agent.img"
    agent_image "$kver" "$lab" "$lab/agent-block.img" DRIVERS="$(drivers)" IMAGE_ARGS="--level 3"
}

# in_tree TREE COMMAND...: inside that Debian, with this checkout and its build folder at their
# places.
in_tree() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --propagation private bash -euc '
        tree=$1
        mount -t proc proc "$tree/proc"
        for dir in "$2" "$3"; do
            mkdir -p "$tree$dir"
            mount --bind "$dir" "$tree$dir"
        done
        shift 3
        exec chroot "$tree" "$@"
    ' - "$1" "$top" "$build" "${@:2}"
}

# The suite's compiler and what its kernel's build tools are linked with.
stage_compiler() {
    debian_root "$lab/root" "$(<"$lab/name")" gcc make 'libelf1t64|libelf1' \
        'libssl3t64|libssl3' zlib1g
}

# softib.ko for a kernel, by the compiler that the kernel was built with, among its modules.
stage_variant_softib() {
    local kver suite headers
    kver=$(<"$lab/kver")
    suite=$(cut -d ' ' -f 2 "$lab/row")
    headers=$("$here/softib/headers" "$lab/headers" "$kver" "$suite")
    ${compiler:+in_tree "$compiler"} "$here/softib/build" "$headers" "$lab/softib-module"
    add_softib "$lab"
}

# kernel_lacks DRIVER: as its row says.
kernel_lacks() {
    [[ ,$(cut -d ' ' -f 6- "$lab/row"), == *,$1,* ]]
}

# kernel_row NAME: of tests-qemu/kernels.
kernel_row() {
    awk -v name="$1" '$1 == name { $1 = $1; print; found = 1 } END { exit !found }' \
        "$here/kernels" || {
        say "no such kernel: $1"
        return 1
    }
}

# compiler SUITE: sets $compiler, a root with it; empty: this machine's own.
compiler() {
    local lab=$lab/compilers/$1
    compiler=
    ! grep -qx "VERSION_CODENAME=$1" /etc/os-release || return 0
    mkdir -p "$lab"
    keep "$lab/name" <<<"$1"
    stage compiler "$lab/name"
    compiler=$lab/root
}

# variant_kernel NAME: the kernel alone, with softib among its modules; variant NAME: with its
# stand-alone images.
variant_kernel() {
    local compiler suite
    local folder=$lab/kernels/$1
    mkdir -p "$folder"
    kernel_row "$1" | keep "$folder/row"
    suite=$(cut -d ' ' -f 2 "$folder/row")
    lab=$folder kernel_lacks softib || compiler "${suite%-backports}"
    local lab=$folder
    local root=$lab
    # what an image may take does not change the kernel
    cut -d ' ' -f 1-3 "$lab/row" | keep "$lab/source"
    stage variant "$lab/source"
    left_out "$1" variant
    [ ! -e "$lab/absent" ] || return 0
    stage kernel "$lab/variant.key"
    kernel_lacks softib ||
        stage variant_softib "$lab/variant.key" "$here/softib"/{*.[ch],Kbuild,build,headers}
}

variant() {
    local folder=$lab/kernels/$1 keys
    variant_kernel "$1"
    local lab=$folder
    local root=$lab
    keys=("$lab"/variant{,_softib}.key)
    ! kernel_lacks softib || keys=("$lab/variant.key")
    [ -e "$lab/absent" ] ||
        stage variant_agent "${keys[@]}" "$build/initagent" "${product[@]}"
}

# The VM of the softib tests, $vm, with another kernel: $lab and $root are that one's folder.
stage_softib_vm() {
    local dir=$lab/softib-vm
    rm -rf "$dir"
    linked "$vm" "$dir"
    rm -rf "$dir/lib/modules"
    copy_modules "$dir" "${softib_modules[@]}" softib
    pack "$dir" >"$lab/softib-vm.img"
    rm -rf "$dir"
}

# softib_vm KERNEL
softib_vm() {
    local vm=$lab/softib-vm key=$lab/softib.key folder=$lab/kernels/$1
    variant_kernel "$1"
    local lab=$folder
    local root=$lab
    [ -e "$lab/absent" ] || stage softib_vm "$lab/variant_softib.key" "$key"
}

# The images of one dracut for one kernel, with and without systemd: $lab is their folder, $tree the
# root that has that dracut, $kernel the kernel's folder.
stage_images() {
    local root=$lab/root add
    add=$(lab=$kernel drivers)
    dracut_root "$root" "$tree"
    add_kernel "$root" "$kernel"
    run_dracut "$root" "$lab/shell.img" --add initagent --add-drivers "$add" \
        "${lean[@]}" --omit "$(systemd_modules) network ifcfg nfs"
    run_dracut "$root" "$lab/systemd.img" --add initagent --add-drivers "$add" \
        "${lean[@]}"
    # exit status 1 of 059, which has said it nevertheless
    chroot "$root" dracut --version 2>/dev/null >"$lab/version" || [ -s "$lab/version" ]
    rm -rf "$root"
}

# images SUITE KERNEL: $lab/kernels/KERNEL/dracut-SUITE. The lab's own root is one of its suite.
images() {
    local kernel=$lab/kernels/$2 tree=$root key=$lab/root.key
    variant "$2"
    if ! grep -qx "VERSION_CODENAME=$1" "$root/etc/os-release"; then
        suite "$1"
        tree=$lab/suites/$1/root key=$lab/suites/$1/suite.key
    fi
    [ -e "$tree" ] && [ ! -e "$kernel/absent" ] || return 0
    local lab=$kernel/dracut-$1
    mkdir -p "$lab"
    keep "$lab/kver" <"$kernel/kver"
    stage images "$key" "$kernel/variant_agent.key" "$build/initagent" "${product[@]}"
}
