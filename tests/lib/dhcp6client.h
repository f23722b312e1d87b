/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp6client: a DHCPv6 client under test, with answers as bytes. Each fails the case when it is
 * not so. */
#pragma once

#include "dhcp6msg.h"

#include "address/dhcp6.h"

#define SEC    NSEC_PER_SEC
#define START  (100 * SEC)
#define IAID   7
#define US     "2001:db8::77"
#define OTHER  "2001:db8::78"

#define CLIENT6_ID_LEN 10
extern const uint8_t client6_id[CLIENT6_ID_LEN];

struct dhcp6 *client6_make(bool information);

/* client6_sent: the packet waiting, the only one, of this type. */
struct dhcp6_packet client6_sent(struct dhcp6 *d, enum dhcp6_type type);

/* client6_event: the next event, of this type. client6_no_event: there is none. */
struct dhcp_event client6_event(struct dhcp6 *d, enum dhcp_event_type type);
void client6_no_event(struct dhcp6 *d);

/* client6_begin: an answer to the last message, from server n, so far without an address.
 * client6_give: it comes. */
void client6_begin(struct dhcp6 *d, struct msg6 *m, uint8_t type, uint8_t server);
void client6_give(struct dhcp6 *d, const struct msg6 *m, uint64_t now);
void client6_answer(struct dhcp6 *d, uint8_t type, uint8_t server, const char *addr,
	uint32_t preferred, uint32_t valid, uint64_t now);
void client6_answer_status(
	struct dhcp6 *d, uint8_t type, uint8_t server, uint16_t status, uint64_t now);

/* client6_run: to the next deadline, which must be within the given span after now. */
uint64_t client6_run(struct dhcp6 *d, uint64_t now, uint64_t least, uint64_t most);

/* client6_bound: bound to US, valid 7200 s, preferred 3600 s. */
struct dhcp6 *client6_bound(uint64_t *now);
