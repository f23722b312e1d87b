// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/dhcp_request.h"

#include <net/if_arp.h>

#include "address/dhcp_option.h"

#define BOOTREQUEST	   1
#define FLAG_BROADCAST	   0x80 /* high byte of the flags field */

/* 121 stands before 3: RFC 3442 asks for it, some servers fill a short reply in this order. */
static const uint8_t wanted[] = {
	DHCP_OPT_MASK, DHCP_OPT_CLASSLESS_ROUTES, DHCP_OPT_ROUTERS, DHCP_OPT_DNS, DHCP_OPT_HOSTNAME,
	DHCP_OPT_DOMAIN, DHCP_OPT_ROOT_PATH, DHCP_OPT_MTU, DHCP_OPT_BROADCAST,
	DHCP_OPT_STATIC_ROUTES, DHCP_OPT_NTP, DHCP_OPT_LEASE, DHCP_OPT_SERVER_ID, DHCP_OPT_T1,
	DHCP_OPT_T2, DHCP_OPT_TFTP_SERVER, DHCP_OPT_BOOT_FILE, DHCP_OPT_SEARCH,
};

/* A link addressed by chaddr: Ethernet and its like. */
static int identity_plain(struct dhcp_identity *id, uint16_t hwtype, const struct link_hw *hw)
{
	id->htype = (uint8_t)hwtype;
	id->hlen = hw->len < DHCP_CHADDR_SIZE ? hw->len : DHCP_CHADDR_SIZE;
	memcpy(id->chaddr, hw->bytes, id->hlen);
	return client_id_plain(&id->client_id, hwtype, hw);
}

/*
 * RFC 4390 section 2.1: the address does not fit into chaddr, so that no server can answer to it.
 */
static int identity_infiniband(struct dhcp_identity *id, const struct link_hw *hw)
{
	id->htype = ARPHRD_INFINIBAND;
	id->broadcast = true;
	return client_id_infiniband(&id->client_id, CLIENT_ID_FLEXBOOT, hw, NULL);
}

int dhcp_identity_make(struct dhcp_identity *ret, uint16_t hwtype, const struct link_hw *hw,
	const uint8_t *client_id, size_t client_id_len)
{
	struct dhcp_identity id = {0};
	int e;

	if (hw->len == 0 || hw->len > LINK_HW_MAX)
		return -EINVAL;
	if (hwtype == ARPHRD_INFINIBAND)
		e = identity_infiniband(&id, hw);
	else
		e = identity_plain(&id, hwtype, hw);
	if (e == 0 && client_id_len)
		e = client_id_given(&id.client_id, client_id, client_id_len);
	if (e == 0)
		*ret = id;
	return e;
}

bool dhcp_identity_meant(const struct dhcp_identity *id, const struct dhcp_reply *r)
{
	const struct client_id *own = &id->client_id;

	if (id->hlen && (r->hlen != id->hlen || memcmp(r->chaddr, id->chaddr, id->hlen)))
		return false;
	return !r->client_id_len ||
		(r->client_id_len == own->len && !memcmp(r->client_id, own->bytes, own->len));
}

static uint8_t *put_option(uint8_t *at, uint8_t code, const void *value, size_t len)
{
	at[0] = code;
	at[1] = (uint8_t)len;
	memcpy(at + 2, value, len);
	return at + 2 + len;
}

static uint8_t *put_address(uint8_t *at, uint8_t code, struct in_addr a)
{
	return a.s_addr ? put_option(at, code, &a, sizeof(a)) : at;
}

/* A string of ours; what is longer than max is left out rather than cut. */
static uint8_t *put_text(uint8_t *at, uint8_t code, const char *s, size_t max)
{
	size_t len = s ? strlen(s) : 0;

	return len && len <= max ? put_option(at, code, s, len) : at;
}

static uint8_t *put_fixed(uint8_t *at, const struct dhcp_request *r)
{
	const struct dhcp_identity *id = r->id;

	*at++ = BOOTREQUEST;
	*at++ = id->htype;
	*at++ = id->hlen;
	*at++ = 0; /* hops */
	at = put_be(at, r->xid, 4);
	at = put_be(at, r->secs, 2);
	*at++ = id->broadcast || r->broadcast ? FLAG_BROADCAST : 0;
	*at++ = 0;
	memcpy(at, &r->ciaddr, 4);
	at += 16; /* yiaddr, siaddr, giaddr stay zero */
	memcpy(at, id->chaddr, DHCP_CHADDR_SIZE);
	at += DHCP_CHADDR_SIZE + DHCP_SNAME_SIZE + DHCP_FILE_SIZE;
	return put_be(at, DHCP_COOKIE, 4);
}

/* Sizes: fixed part 240, then at most 3 + 66 + 6 + 6 + 2 + 4 + 20 + 66 + 66 + 1: below
 * DHCP_REQUEST_MAX. */
static uint8_t *put_options(uint8_t *at, const struct dhcp_request *r)
{
	const uint8_t type = (uint8_t)r->type;
	const uint8_t size[2] = {WIRE_PACKET_MAX >> 8, WIRE_PACKET_MAX & 0xff};
	bool asks = r->type == DHCP_DISCOVER || r->type == DHCP_REQUEST;

	at = put_option(at, DHCP_OPT_TYPE, &type, 1);
	at = put_option(at, DHCP_OPT_CLIENT_ID, r->id->client_id.bytes, r->id->client_id.len);
	at = put_address(at, DHCP_OPT_REQUESTED, r->requested);
	at = put_address(at, DHCP_OPT_SERVER_ID, r->server_id);
	if (r->rapid)
		at = put_option(at, DHCP_OPT_RAPID_COMMIT, &type, 0);
	if (asks) {
		at = put_option(at, DHCP_OPT_MAX_SIZE, size, sizeof(size));
		at = put_option(at, DHCP_OPT_REQUEST_LIST, wanted, sizeof(wanted));
		at = put_text(at, DHCP_OPT_HOSTNAME, r->hostname, ADDRESS_HOSTNAME_MAX);
		at = put_text(at, DHCP_OPT_VENDOR_CLASS, r->vendor_class, 64);
	}
	*at++ = DHCP_OPT_END;
	return at;
}

size_t dhcp_request_encode(const struct dhcp_request *r, uint8_t *packet)
{
	size_t len;
	uint8_t *at;

	memset(packet, 0, DHCP_REQUEST_MAX);
	at = put_fixed(packet + WIRE_HEADERS, r);
	at = put_options(at, r);
	len = (size_t)(at - packet);
	return len < DHCP_PACKET_MIN ? DHCP_PACKET_MIN : len;
}
