// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp6_message: making messages, and the words of their codes; see dhcp6_message.h. */
#include "address/dhcp6_message.h"

static const char *const status_words[DHCP6_STATUS_MAX] = {
	[DHCP6_SUCCESS] = "success",
	[DHCP6_UNSPEC_FAIL] = "failed, reason unspecified",
	[DHCP6_NO_ADDRS_AVAIL] = "no addresses available",
	[DHCP6_NO_BINDING] = "no binding",
	[DHCP6_NOT_ON_LINK] = "not on link",
	[DHCP6_USE_MULTICAST] = "use multicast",
	[DHCP6_NO_PREFIX_AVAIL] = "no prefixes available",
};

static const char *const defect_words[DHCP6_DEFECT_MAX] = {
	[DHCP6_GOOD] = "good",
	[DHCP6_SHORT] = "shorter than its header",
	[DHCP6_NOT_ANSWER] = "neither ADVERTISE nor REPLY",
	[DHCP6_OPTION_CUT] = "an option is cut off",
	[DHCP6_OPTION_SIZE] = "an option has a wrong size",
};

static const char *const field_names[FIELD6_MAX] = {
	[FIELD6_DNS] = "DNS server list",
	[FIELD6_SEARCH] = "search list",
	[FIELD6_NTP] = "NTP server list",
	[FIELD6_BOOT_FILE] = "boot file URL",
};

const char *dhcp6_status_words(uint32_t status)
{
	return status < DHCP6_STATUS_MAX ? status_words[status] : "an unknown status code";
}

const char *dhcp6_defect_words(uint32_t defect)
{
	return defect < DHCP6_DEFECT_MAX ? defect_words[defect] : "an unknown defect";
}

const char *dhcp6_field_name(enum dhcp6_field f)
{
	return (unsigned)f < FIELD6_MAX ? field_names[f] : "unknown field";
}

/* What we ask for by option 6. */
static const uint16_t wanted[] = {
	OPTION6_DNS, OPTION6_SEARCH, OPTION6_SNTP, OPTION6_NTP, OPTION6_BOOT_FILE,
		OPTION6_SOL_MAX_RT,
};

/* A message under construction. The longest is 4 + 2 * 134 + 6 + 44 + 16 + 4 + 70 octets. */
struct builder {
	uint8_t *at;
};

static void put16(struct builder *b, unsigned value)
{
	b->at = put_be(b->at, value, 2);
}

static void put32(struct builder *b, uint32_t value)
{
	b->at = put_be(b->at, value, 4);
}

static void put_bytes(struct builder *b, const void *bytes, size_t len)
{
	memcpy(b->at, bytes, len);
	b->at += len;
}

static void put_option(struct builder *b, unsigned code, size_t len)
{
	put16(b, code);
	put16(b, (unsigned)len);
}

static void put_duid(struct builder *b, unsigned code, const struct duid *d)
{
	if (!d || !d->len)
		return;
	put_option(b, code, d->len);
	put_bytes(b, d->bytes, d->len);
}

/* Times of zero: the server is to choose (RFC 8415 section 21.4). */
static void put_ia(struct builder *b, const struct dhcp6_message *m)
{
	bool known = !IN6_IS_ADDR_UNSPECIFIED(&m->address);

	if (!m->ia)
		return;
	put_option(b, OPTION6_IA_NA, 12 + (known ? 28 : 0));
	put32(b, m->iaid);
	put32(b, 0);
	put32(b, 0);
	if (!known)
		return;
	put_option(b, OPTION6_IAADDR, 24);
	put_bytes(b, &m->address, 16);
	put32(b, 0);
	put32(b, 0);
}

/* Confirm and Decline ask for nothing more (RFC 8415 sections 18.2.3, 18.2.8). */
static void put_wishes(struct builder *b, const struct dhcp6_message *m)
{
	if (m->type == DHCP6_CONFIRM || m->type == DHCP6_DECLINE)
		return;
	put_option(b, OPTION6_ORO, sizeof(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		put16(b, wanted[i]);
}

/* RFC 4704: the first label only, as one that the server may complete: no root label behind it. */
static void put_name(struct builder *b, const struct dhcp6_message *m)
{
	size_t len = m->hostname ? strcspn(m->hostname, ".") : 0;

	if (len == 0 || len > 63 || m->type == DHCP6_CONFIRM || m->type == DHCP6_DECLINE ||
		m->type == DHCP6_INFORMATION_REQUEST)
		return;
	put_option(b, OPTION6_FQDN, len + 2);
	*b->at++ = 0; /* flags: we leave DNS to the server */
	*b->at++ = (uint8_t)len;
	put_bytes(b, m->hostname, len);
}

size_t dhcp6_encode(const struct dhcp6_message *m, uint8_t buf[static DHCP6_REQUEST_MAX])
{
	struct builder b = {buf};

	put32(&b, (uint32_t)m->type << 24 | (m->xid & 0xffffff));
	put_duid(&b, OPTION6_CLIENT_ID, m->client);
	put_duid(&b, OPTION6_SERVER_ID, m->server);
	put_option(&b, OPTION6_ELAPSED, 2);
	put16(&b, m->elapsed);
	put_ia(&b, m);
	put_wishes(&b, m);
	if (m->rapid)
		put_option(&b, OPTION6_RAPID, 0);
	put_name(&b, m);
	return (size_t)(b.at - buf);
}
