/* SPDX-License-Identifier: GPL-2.0-or-later */
/* images: the image room on every file below /images, for rooms.c. */
#pragma once

#include "modules/modules.h"

/* Each check is told to ok(), rooms.c's. settle() waits for the modules. */
void images_try(struct modules *m, bool (*ok)(bool good, const char *fmt, ...),
	void (*settle)(struct modules *m));
