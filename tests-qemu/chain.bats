#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# From power-on to the real root, with real firmware, from a tree that initagent-site wrote: ROM,
# iPXE, kernel, agent, root.
# first: whole boots from power-on

# shellcheck disable=SC2154,SC2034 # variables are shared with it
load lib/chain

setup_file() {
    vm_begin "$(basename "$BATS_TEST_FILENAME" .bats)"
    chain_sites "$BATS_FILE_TMPDIR/images"
    SERVER_EXTRA=$images/chain.cpio server_start >/dev/null
}

setup() {
    node_of_case agent.img
    server reset
}

# assert_identity ADDRESS NAME TIMES: firmware, iPXE and agent were one client for the DHCP server.
assert_identity() {
    assert_state '.rails[0].address' "$1/24"
    assert_state '.rails[0].hostname' "$2"
    assert_eq "$(server shell grep -c "DHCPACK.*$1" /run/dnsmasq.log)" "$3" "leases given"
    assert_eq "$(server shell grep DHCPACK /run/dnsmasq.log |
        grep -vc "$1 ")" 0 "other addresses given"
}

@test "SeaBIOS, iPXE's ROM, script over HTTP, kernel, agent, NFSoRDMA root" {
    chain_serve good
    chain_power bios 1
    node_booted 120
    chain_stages 1 3 4 5 7
    assert_root 4.2 rdma
    assert_clean_handover
    assert_identity 10.99.0.51 n1 2
    grep -q 'BOOTIF=01-52-54-00-99-00-41' "$node_dir/results/run/state.json"
}

@test "OVMF, UEFI HTTP Boot, iPXE, kernel, agent, HTTP root" {
    chain_serve good
    chain_power uefi 2
    node_end_firmware 150
    chain_stages 1 3 4 5 7
    assert_state .root.type image
    assert_state .root.proof digest
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    assert_clean_handover
    # OVMF's, iPXE's and the agent's
    assert_identity 10.99.0.52 n2 3
}

@test "OVMF, UEFI PXE, iPXE over TFTP, kernel, agent, NFSoRDMA root" {
    chain_serve good
    chain_power pxe 1
    node_end_firmware 150
    server shell grep -q "'sent .*/tftp/ipxe-x64.efi to 10.99.0.51'" /run/dnsmasq.log
    chain_stages 1 3 4 5 7
    assert_root 4.2 rdma
    assert_clean_handover
    # OVMF's, iPXE's and the agent's
    assert_identity 10.99.0.51 n1 3
}

@test "the first web server is dead: the second one has everything" {
    chain_serve dead
    chain_power bios 1
    node_booted 120
    assert_root 4.2 rdma
    grep -aq '\[4 script\] http://10.99.0.9 does not answer' "$node_dir/console.log"
    grep -aq '\[5 image\] n1: stable from http://10.99.0.1' "$node_dir/console.log"
}

@test "a node that is not in the site file is told so, and starts over" {
    chain_serve good
    chain_power bios 7
    node_end 90
    grep -aq '\[4 script\] 525400990047 IS NOT IN THE SITE FILE' "$node_dir/console.log"
    grep -aq '\[9 give up\] 525400990047 is not in the site file' "$node_dir/console.log"
    grep -aq '\[9 give up\] reboot' "$node_dir/console.log"
}

@test "OVMF with Secure Boot, UEFI HTTP Boot of a signed unified kernel image, NFSoRDMA root" {
    chain_serve whole
    chain_power sealed 1
    node_end_firmware 120
    assert_root 4.2 rdma
    assert_clean_handover
    # OVMF's and the agent's
    assert_identity 10.99.0.51 n1 2
}

@test "OVMF, UEFI HTTP Boot of a unified kernel image of systemd 258: its root lies beside it" {
    local url=http://$server_ip/images/stable
    [ -e "$images/beside.efi" ] || skip "the mirror has no systemd-stub of Debian sid"
    chain_serve beside
    chain_power uefi 1
    node_end_firmware 120
    assert_console "below the command line: rd.root.origin=$url/stable.efi"
    assert_state .root.url "$url/root.raw"
    assert_state .root.type image
    assert_state .root.proof none
    assert_state .root.sha256 "$(sha256sum "$images/tree/web/root.squashfs" | cut -d " " -f 1)"
    assert_eq "$(node_result .files_bad)" 0 "files damaged"
    assert_clean_handover
}

@test "Secure Boot refuses a unified kernel image that was changed after it was signed" {
    chain_serve forged
    chain_power sealed 1
    node_wait 60 'Access Denied'
    # the firmware has tried all it has
    node_wait 60 'No bootable option'
    node_kill
    run -1 grep -aq 'initagent: version' "$node_dir/console.log"
}

@test "signatures asked for, and an iPXE that cannot verify them: nothing is booted" {
    chain_serve strict
    chain_power bios 1
    node_end 90
    grep -aq '\[6 verify\] REFUSED: this iPXE cannot verify signatures' "$node_dir/console.log"
    grep -aq '\[9 give up\] reboot' "$node_dir/console.log"
    run -1 grep -aq 'initagent: version' "$node_dir/console.log"
}
