/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rate: link rates as numbers. */
#pragma once

/* rate_parse: "2.5 Gb/sec (1X SDR)", as sysfs has it, in Mb/s; 0 when it is no rate. Pure. */
unsigned rate_parse(const char *text);
