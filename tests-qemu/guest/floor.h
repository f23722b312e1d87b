/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor.h: the parts of the floor program (floor.c). Each ends PID 1, and with it the boot, when
 * the kernel refuses what it asks for: a floor that did less would be none.
 */
#pragma once

#include <stddef.h>

/* floor_must: says what the kernel refused, if result is below 0, and ends the program. */
void floor_must(int result, const char *what);

/*
 * floor_load: begins to load the modules with these names (as their files have them, blanks
 * between) and all that they need, up to 8 at a time, those named first first. floor_loaded: waits
 * for one of them; NULL: for all.
 */
void floor_load(const char *names);
void floor_loaded(const char *name);

/*
 * floor_lease: a DHCP exchange (RFC 2131) of four messages on netdev, which is up and has a
 * carrier, and the address with its mask set there. No ARP probe, no route, no renewal.
 */
void floor_lease(const char *netdev);

/*
 * floor_pour: all bytes of from into to; the first len, of a buffer, were read before. digest:
 * their SHA-256 in hex, by the agent's own code, in a thread of its own; NULL: none is computed.
 */
void floor_pour(int from, int to, const void *first, size_t len, const char *digest);
