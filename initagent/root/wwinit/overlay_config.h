/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overlay_config: what this node needs of the file /warewulf/config in Warewulf's system overlay,
 * shell assignments that are read as text. Pure.
 */
#pragma once

#include "base/util.h"

struct overlay_config {
	char tls[8];	  /* WWTLS, "true": the runtime overlay comes by https alone */
	char address[64]; /* WWIPADDR, the server's */
	char port[8];	  /* WWTLSPORT */
};

/* overlay_config_parse: later assignments count; a value that is too long or not printable ASCII
 * without blanks is left out. */
void overlay_config_parse(const char *text, size_t len, struct overlay_config *ret);
