/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_check: "initagent lint --image": are the kernel modules that a command line needs in the
 * initramfs image that boots with it? For images of any maker: names and depmod's index are all
 * that is looked at. Owns nothing.
 * In: a plan, an initrd file (cpio archives behind each other, plain or packed). Out: text.
 * Callers: main.c. Tests: tests/mkimage-modules.bats, root/image/fuzz_unpack.c (the archive).
 */
#pragma once

#include "plan.h"

/*
 * image_check: prints what the image holds, and a line for each module that is missing. Returns how
 * many are, or -errno: it cannot be judged, and the text says why.
 */
int image_check(const struct boot_plan *plan, const char *file, FILE *out);
