#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# systemd generator: when the root is the agent's, the agent's services become part of the boot, and the
# network managers of the initramfs are masked: they read ip= by themselves and would configure the
# interfaces the agent works with. When it is not, nothing at all is done.

/usr/sbin/initagent claims || exit 0

mkdir -p "$1/initrd-root-fs.target.requires"
ln -s /usr/lib/systemd/system/initagent-root.service "$1/initrd-root-fs.target.requires/"

for unit in systemd-network-generator.service systemd-networkd.service systemd-networkd.socket \
    systemd-networkd-resolve-hook.socket systemd-networkd-wait-online.service \
    nm-initrd.service nm-wait-online-initrd.service NetworkManager-config-initrd.service \
    NetworkManager-initrd.service NetworkManager-wait-online-initrd.service \
    cm-initrd.service cm-wait-online-initrd.service; do
    ln -s /dev/null "$2/$unit"
done
