/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ports: the RDMA ports as sysfs shows them (Documentation/ABI/stable/sysfs-class-infiniband). */
#pragma once

#include "fabric/fabric.h"

#define PORTS_MAX 512 /* four adapters with 127 virtual functions each; the rest is not looked at */

/*
 * ports_scan: all ports, ordered by device name and number. The list is the caller's (free()).
 * Returns their number (0 without RDMA modules), -ENOMEM or another negative errno.
 */
int ports_scan(const struct env *env, struct fabric_port **ret);

/*
 * ports_read: one port again; device, port and name in port must be set, the rest is replaced
 * (verbs_events stays). 0, or -errno when it is gone.
 */
int ports_read(const struct env *env, struct fabric_port *port);

/* port_name_of: reads "4: ACTIVE" as 4, within [0, max); -EINVAL else. Pure. */
int ports_parse_state(const char *text, int max);

/* ports_parse_gid: "fe80:0000:...": 16 bytes in network order; -EINVAL when malformed. Pure. */
int ports_parse_gid(const char *text, uint8_t ret[static 16]);

/* ports_pkeys: the valid entries of the port's P_Key table in its order; how many were written. */
size_t ports_pkeys(
	const struct env *env, const struct fabric_port *port, uint16_t *ret, size_t max);

/* ports_firmware: the device's firmware version; "" when it tells none. */
void ports_firmware(const struct env *env, const char *device, char *buf, size_t size);
