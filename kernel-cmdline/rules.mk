# SPDX-License-Identifier: GPL-2.0-or-later

# test_oom replaces calloc() to make each call fail in turn.
$(BUILD)/host/kernel-cmdline/test_oom: private SANITIZE += -Wl,--wrap=calloc
