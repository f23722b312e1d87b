#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dracut module for the peer: what stock dracut lacks to boot by RDMA on Soft-RoCE.

check() {
    return 255
}

depends() {
    echo network
}

install() {
    inst_multiple rdma ping
    # shellcheck disable=SC2154 # moddir comes from dracut
    inst_hook initqueue/online 10 "$moddir/rxe.sh"
}
