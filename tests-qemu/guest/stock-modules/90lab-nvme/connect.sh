#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by dracut once an interface is up, and has its RDMA link: connects the root of
# "root=/dev/nvme0n1" by lab.nvme=TRANSPORT,PORT. A target that still holds the queue pair of the
# boot before refuses the first connection; what is connected by then, "nvme" says is an error.
nvme=$(getarg lab.nvme=)
[ -z "$nvme" ] || {
    modprobe "nvme_${nvme%,*}"
    until [ -e /sys/class/nvme/nvme0 ] || nvme connect --transport="${nvme%,*}" \
        --traddr=10.99.0.1 --trsvcid="${nvme#*,}" --nqn=nqn.2024-01.org.example:root; do
        sleep 0.1
    done
}
