/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcpmsg: builds DHCP replies byte by byte, valid or not, and takes requests apart. */
#pragma once

#include <netinet/in.h>

#include "base/util.h"

#define MSG_HEADERS 28  /* IPv4, UDP */
#define MSG_CHADDR  (MSG_HEADERS + 28)
#define MSG_SNAME   (MSG_HEADERS + 44)
#define MSG_FILE    (MSG_HEADERS + 108)
#define MSG_OPTIONS (MSG_HEADERS + 240)

struct msg {
	uint8_t bytes[2048]; /* from the IP header */
	size_t len;
};

/* msg_begin: a reply (op 2) with cookie and message type; addresses in host order. */
void msg_begin(struct msg *m, uint8_t type, uint32_t xid, uint32_t yiaddr);
void msg_option(struct msg *m, uint8_t code, const void *value, size_t len);
void msg_text(struct msg *m, uint8_t code, const char *text);
void msg_u32(struct msg *m, uint8_t code, uint32_t value);
/* msg_end: end option, IP and UDP headers with right lengths and checksums. */
void msg_end(struct msg *m);
/* msg_wrap: the headers alone: after bytes were changed on purpose. */
void msg_wrap(struct msg *m);

/* msg_offer: OFFER or ACK as a plain server sends it: mask /24, router, lease 3600 s, server id. */
void msg_offer(struct msg *m, uint8_t type, uint32_t xid, uint32_t yiaddr, uint32_t server);

/* msg_find: the value of an option in a request (from the IP header on); NULL when absent. */
const uint8_t *msg_find(const uint8_t *packet, size_t len, uint8_t code, size_t *ret_len);
uint32_t msg_find_u32(const uint8_t *packet, size_t len, uint8_t code);
uint32_t msg_be32(const uint8_t *at);
