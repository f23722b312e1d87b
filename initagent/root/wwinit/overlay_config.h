/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * overlay_config: what this node needs of two files in Warewulf's system overlay: /warewulf/config,
 * shell assignments that are read as text, and /warewulf/mounts, "DEVICE [TYPE] PATH" a line. Pure.
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

#define OVERLAY_MOUNTS_MAX 64

struct overlay_mount {
	char device[160];
	char fstype[16]; /* "": not said */
	char path[160];	 /* "/var", without ".." */
};

/*
 * overlay_mounts_parse: in the order of their paths, so that "/var" comes before "/var/log".
 * Returns how many; *ret_odd: a line was none, or one too many.
 */
size_t overlay_mounts_parse(const char *text, size_t len,
	struct overlay_mount ret[static OVERLAY_MOUNTS_MAX], bool *ret_odd);
