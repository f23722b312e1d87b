/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline: "initagent timeline": the agent prints one boot's phases itself, initagent-timeline
 * does the rest.
 */
#pragma once

#include "base/util.h"

/*
 * timeline_command: argv[0] is "timeline". Does not return where initagent-timeline takes over;
 * else the exit status.
 */
int timeline_command(int argc, char **argv);
