/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline: "initagent timeline": one boot's phases; initagent-timeline does the rest. */
#pragma once

#include "base/util.h"

/* timeline_command: argv[0] is "timeline". The exit status; or becomes initagent-timeline. */
int timeline_command(int argc, char **argv);
