/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_tools: "initagent manifest" and "initagent verify", for the server that offers an image.
 * Owns nothing after the call.
 * In: argv; an image, a manifest, signature and keys as files. Out: a manifest; what a node would
 * say; an exit status.
 * Callers: main.c. Tests: tests/manifest.bats.
 */
#pragma once

#include "base/util.h"

/*
 * manifest_tool: "manifest IMAGE". Options: --chunk-size BYTES[K|M] (0: none; default 4M), --name
 * NAME (default IMAGE's own), --kernel RELEASE (repeated), --output FILE (default IMAGE.manifest;
 * "-": standard output). Returns an exit status.
 */
int manifest_tool(int argc, char **argv);

/*
 * verify_tool: "verify FILE": what a node would say of a manifest (.manifest, .json) or an image,
 * and its signature FILE.minisig. Options: --key KEY (text or /PATH, repeated; default: this
 * machine's /etc/initagent/keys), --kernel RELEASE. Returns an exit status: 0 a node would take it,
 * 1 it would not, 64 wrong call.
 */
int verify_tool(int argc, char **argv);
