#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Manifests and signatures as an admin makes them, with the real minisign, and as a node judges
# them.

bats_require_minimum_version 1.5.0

setup() {
    agent=$(realpath "${BUILD:-build}/initagent")
    cd "$BATS_TEST_TMPDIR" || return
    mkdir root
    head -c 300000 /dev/urandom >root/file
    mksquashfs root root.squashfs -quiet -no-progress >/dev/null
    minisign -G -W -p site.pub -s site.key >/dev/null
    minisign -G -W -p other.pub -s other.key >/dev/null
}

# sign [-l] FILE
sign() {
    minisign -S -s site.key "${@:1:$#-1}" -m "${!#}" -t "by the site" >/dev/null
}

@test "a manifest says what the image is" {
    run -0 "$agent" manifest root.squashfs --chunk-size 128K --kernel 6.1.0-13-amd64 \
        --kernel '6.12.*'
    [ "$output" = "root.squashfs.manifest: image of $(stat -c %s root.squashfs) bytes, \
$((($(stat -c %s root.squashfs) + 131071) / 131072)) chunks" ]
    jq -e '.format == "squashfs" and .name == "root.squashfs" and .chunk_size == 131072 and
        .kernels == ["6.1.0-13-amd64", "6.12.*"]' root.squashfs.manifest
    [ "$(jq -r .sha256 root.squashfs.manifest)" = "$(sha256sum <root.squashfs | cut -d' ' -f1)" ]
    [ "$(jq .size root.squashfs.manifest)" = "$(stat -c %s root.squashfs)" ]
    run -0 "$agent" manifest root.squashfs --chunk-size 1G
    [[ $output == *" bytes, 1 chunk" ]]
}

@test "its chunk digests are those of the chunks" {
    local i=0 digest
    "$agent" manifest root.squashfs --chunk-size 64K
    while read -r digest; do
        [ "$digest" = "$(dd if=root.squashfs bs=64K skip=$i count=1 status=none | sha256sum |
            cut -d' ' -f1)" ]
        i=$((i + 1))
    # unchecked: counted
    done < <(jq -r '.chunks[]' root.squashfs.manifest)
    [ "$i" -eq $((($(stat -c %s root.squashfs) + 65535) / 65536)) ]
}

@test "a manifest replaces what has its name, and follows no link" {
    "$agent" manifest root.squashfs
    cp root.squashfs.manifest victim
    ln -sf victim root.squashfs.manifest
    ln -s victim root.squashfs.manifest.new
    run -0 "$agent" manifest root.squashfs --chunk-size 64K
    [ ! -L root.squashfs.manifest ]
    [ ! -e root.squashfs.manifest.new ]
    run -1 cmp -s victim root.squashfs.manifest
    "$agent" manifest root.squashfs --output old.manifest
    cmp victim <("$agent" manifest root.squashfs --output -)
    cmp victim old.manifest
    "$agent" manifest root.squashfs --output >(cat >piped)
    wait $!
    cmp victim piped
}

@test "what is no root has no manifest, and wrong options are told" {
    echo '<html>' >page
    run -1 "$agent" manifest page
    [[ $output == *"unsupported image format"* ]]
    run -64 "$agent" manifest root.squashfs --chunk-size 100
    run -64 "$agent" manifest
    run -1 "$agent" manifest missing
    run -1 "$agent" manifest .
    [[ $output == *"manifest: .: Is a directory" ]]
    mkdir folder.manifest
    run -1 "$agent" verify folder.manifest
    [[ $output == *"verify: folder.manifest: Is a directory" ]]
    run -1 "$agent" manifest root.squashfs --name 'a b'
    run -1 "$agent" manifest root.squashfs --kernel '*'
    cp root.squashfs big
    truncate -s 1G big
    run -1 "$agent" manifest big --chunk-size 64K
    [[ $output == *"larger --chunk-size"* ]]
}

@test "both forms of minisign's signatures are taken" {
    "$agent" manifest root.squashfs
    for form in -H -l; do
        sign $form root.squashfs.manifest
        run -0 "$agent" verify root.squashfs.manifest --key "$PWD/site.pub"
        [[ $output == *'signed, "by the site"'* ]]
        run -0 "$agent" verify root.squashfs.manifest --key "$(sed -n 2p other.pub)" \
            --key "$(sed -n 2p site.pub)"
    done
}

@test "what does not fit its signature is refused with the cause" {
    "$agent" manifest root.squashfs
    run -1 "$agent" verify root.squashfs.manifest --key "$PWD/site.pub"
    [[ $output == *IA-E663* ]]
    sign root.squashfs.manifest
    run -1 "$agent" verify root.squashfs.manifest --key "$PWD/other.pub"
    [[ $output == *IA-E665* ]]
    sed -i 's/"size": 3/"size": 4/' root.squashfs.manifest
    run -1 "$agent" verify root.squashfs.manifest --key "$PWD/site.pub"
    [[ $output == *IA-E664* ]]
    run -1 "$agent" verify root.squashfs.manifest --key /missing.pub
    [[ $output == *"missing.pub"* ]]
}

@test "a changed trusted comment is refused" {
    "$agent" manifest root.squashfs
    sign root.squashfs.manifest
    sed -i 's/by the site/by my site/' root.squashfs.manifest.minisig
    run -1 "$agent" verify root.squashfs.manifest --key "$PWD/site.pub"
    [[ $output == *IA-E664* ]]
}

@test "a trusted comment is shown without control bytes" {
    "$agent" manifest root.squashfs
    minisign -S -W -s site.key -t $'a\x7f\xc2\x9bb \xe2\x80\xae' -m root.squashfs.manifest \
        >/dev/null
    run -0 "$agent" verify root.squashfs.manifest --key "$PWD/site.pub"
    [[ $output == *'signed, "a\x7f\xc2\x9bb \xe2\x80\xae"'* ]]
    # its own comment: fields with tabs between them
    minisign -S -W -s site.key -m root.squashfs.manifest >/dev/null
    run -0 "$agent" verify root.squashfs.manifest --key "$PWD/site.pub"
    [[ $output =~ 'signed, "timestamp:'[0-9]+' file:root.squashfs.manifest hashed"' ]]
}

@test "a key that a node refuses is refused here, as text and as file" {
    local key
    "$agent" manifest root.squashfs
    sign root.squashfs.manifest
    key=$(sed -n 2p site.pub)
    run -64 "$agent" verify root.squashfs.manifest --key "SW${key:2}"
    [[ $output == *"not a minisign public key"* ]]
    echo "SW${key:2}" >changed.pub
    run -1 "$agent" verify root.squashfs.manifest --key "$PWD/changed.pub"
    [[ $output == *"not a minisign public key"* ]]
}

@test "a list of no kernels is no list" {
    "$agent" manifest root.squashfs --kernel '6.1.*'
    sed -i 's/"kernels": \[.*\]/"kernels": [ ]/' root.squashfs.manifest
    run -1 "$agent" verify root.squashfs.manifest
    [[ $output == *IA-E660*"its kernels are not releases"* ]]
}

@test "an image is signed without a manifest, prehashed only" {
    sign root.squashfs
    run -0 "$agent" verify root.squashfs --key "$PWD/site.pub"
    echo x >>root.squashfs
    run -1 "$agent" verify root.squashfs --key "$PWD/site.pub"
    [[ $output == *IA-E664* ]]
    sign -l root.squashfs
    run -1 "$agent" verify root.squashfs --key "$PWD/site.pub"
    [[ $output == *"minisign -H"* ]]
}

@test "a manifest for other kernels is refused" {
    "$agent" manifest root.squashfs --kernel '6.1.*'
    run -0 "$agent" verify root.squashfs.manifest --kernel 6.1.0-13-amd64
    run -1 "$agent" verify root.squashfs.manifest --kernel 6.12.0
    [[ $output == *IA-E662* ]]
}

@test "a build without archives says so and holds none of the parsers" {
    cd "$BATS_TEST_DIRNAME/.." || return
    run -0 make -n BUILD="$BATS_TEST_TMPDIR/none" DEPS="$(realpath "${BUILD:-build}")/deps" \
        FEATURES="http tls" "$BATS_TEST_TMPDIR/none/initagent"
    [[ $output == *image/unpack_none.c* && $output != *image/unpack.c* ]]
    [[ $output != *image/cpio.c* && $output != *image/tar.c* && $output != *image/depack.c* ]]
}
