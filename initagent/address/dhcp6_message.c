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

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t len)
{
	memcpy(at, bytes, len);
	return at + len;
}

static uint8_t *put_option(uint8_t *at, unsigned code, size_t len)
{
	return put_be(put_be(at, code, 2), (uint32_t)len, 2);
}

static uint8_t *put_duid(uint8_t *at, unsigned code, const struct duid *d)
{
	return d && d->len ? put_bytes(put_option(at, code, d->len), d->bytes, d->len) : at;
}

/* Times of zero: the server is to choose (RFC 8415 section 21.4). */
static uint8_t *put_ia(uint8_t *at, const struct dhcp6_message *m)
{
	static const uint8_t no_times[8];
	bool known = !IN6_IS_ADDR_UNSPECIFIED(&m->address);

	if (!m->ia)
		return at;
	at = put_be(put_option(at, OPTION6_IA_NA, 12 + (known ? 28 : 0)), m->iaid, 4);
	at = put_bytes(at, no_times, sizeof(no_times));
	if (!known)
		return at;
	at = put_bytes(put_option(at, OPTION6_IAADDR, 24), &m->address, 16);
	return put_bytes(at, no_times, sizeof(no_times));
}

/* Confirm and Decline ask for nothing more (RFC 8415 sections 18.2.3, 18.2.8). */
static uint8_t *put_wishes(uint8_t *at, const struct dhcp6_message *m)
{
	if (m->type == DHCP6_CONFIRM || m->type == DHCP6_DECLINE)
		return at;
	at = put_option(at, OPTION6_ORO, sizeof(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		at = put_be(at, wanted[i], 2);
	return at;
}

/* RFC 4704: the first label only, as one that the server may complete: no root label behind it. */
static uint8_t *put_name(uint8_t *at, const struct dhcp6_message *m)
{
	size_t len = m->hostname ? strcspn(m->hostname, ".") : 0;

	if (len == 0 || len > 63 || m->type == DHCP6_CONFIRM || m->type == DHCP6_DECLINE ||
		m->type == DHCP6_INFORMATION_REQUEST)
		return at;
	at = put_option(at, OPTION6_FQDN, len + 2);
	*at++ = 0; /* flags: we leave DNS to the server */
	*at++ = (uint8_t)len;
	return put_bytes(at, m->hostname, len);
}

/* The longest is 4 + 2 * 134 + 6 + 44 + 16 + 4 + 70 octets. */
size_t dhcp6_encode(const struct dhcp6_message *m, uint8_t buf[static DHCP6_REQUEST_MAX])
{
	uint8_t *at = put_be(buf, (uint32_t)m->type << 24 | (m->xid & 0xffffff), 4);

	at = put_duid(at, OPTION6_CLIENT_ID, m->client);
	at = put_duid(at, OPTION6_SERVER_ID, m->server);
	at = put_be(put_option(at, OPTION6_ELAPSED, 2), m->elapsed, 2);
	at = put_ia(at, m);
	at = put_wishes(at, m);
	if (m->rapid)
		at = put_option(at, OPTION6_RAPID, 0);
	return (size_t)(put_name(at, m) - buf);
}
