#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# dracut module for the peer: what stock dracut lacks to boot over InfiniBand.

check() {
    return 255
}

depends() {
    echo network
}

install() {
    inst_multiple rdma ip grep
    # shellcheck disable=SC2154 # moddir comes from dracut
    inst_hook pre-trigger 10 "$moddir/active.sh"
}
