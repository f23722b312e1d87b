/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interfaces: what the real root's /etc/network/interfaces (Debian) says of an interface. */
#pragma once

#include "base/util.h"

/*
 * interfaces_name: would ifup configure it at boot or when it appears: is it in an "auto",
 * "allow-*" or "iface" line of /etc/network/interfaces or of a file in interfaces.d? Patterns
 * count; files that "source" names elsewhere do not.
 */
bool interfaces_name(const char *sysroot, const char *ifname);

/* interfaces_text_names: does one such file's text? Pure; text is used up. */
bool interfaces_text_names(char *text, const char *ifname);
