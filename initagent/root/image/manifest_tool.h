/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manifest_tool: "initagent manifest IMAGE": the manifest of an image, for the server that offers it. */
#pragma once

#include "base/util.h"

/*
 * manifest_tool: argv[0] is "manifest". Options: --chunk-size BYTES[K|M] (0: none; default 4M), --name
 * NAME (default IMAGE's own), --kernel RELEASE (repeated), --output FILE (default IMAGE.manifest; "-":
 * standard output). Returns an exit status.
 */
int manifest_tool(int argc, char **argv);
