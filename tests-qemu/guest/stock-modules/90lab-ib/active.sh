#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by dracut before udev looks for devices. With lab.ib: the driver, IPoIB, and a port that
# is ACTIVE: for a script there is no event of that.
! getargbool 0 lab.ib || {
    modprobe virtio_pci
    modprobe virtio_net
    modprobe -a softib ib_ipoib rpcrdma
    ip link set eth0 up
    rdma link add sib0 type softib netdev eth0
    until grep -q ACTIVE /sys/class/infiniband/sib0/ports/1/state; do
        sleep 0.1
    done
}
