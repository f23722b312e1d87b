/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify_tool: "initagent verify FILE": what a node would say of a manifest or image and its signature. */
#pragma once

#include "base/util.h"

/*
 * verify_tool: argv[0] is "verify". FILE is a manifest (.manifest, .json) or an image; its signature is
 * FILE.minisig. Options: --key KEY (text or /PATH, repeated; default: this machine's
 * /etc/initagent/keys), --kernel RELEASE. Returns an exit status: 0 a node would take it, 1 it would
 * not, 64 wrong call.
 */
int verify_tool(int argc, char **argv);
