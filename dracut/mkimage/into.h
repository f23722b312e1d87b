/* SPDX-License-Identifier: GPL-2.0-or-later */
/* into: an image for the kernel of a node image, where that system's server looks for it. */
#pragma once

#include "options.h"

/*
 * into_tree: what --into DIR stands for, DIR being the tree of a node image: sets root, out
 * (DIR/boot/initramfs-KVER.img, which Warewulf serves before any other) and, where the tree has one
 * kernel, kver. Another image of that name stays as DIR/boot/before-initagent-KVER.img. What is
 * wrong ends the builder.
 */
void into_tree(struct options *opt);
