// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp_reply: names, and the check of what the parser process sends; see dhcp_reply.h. */
#include "address/dhcp_reply.h"

#include "inet_text.h"

static const char *const defect_words[DHCP_DEFECT_MAX] = {
	[DHCP_GOOD] = "good",
	[DHCP_SHORT] = "shorter than a DHCP message",
	[DHCP_NOT_REPLY] = "a request, not a reply",
	[DHCP_NO_COOKIE] = "no DHCP magic cookie",
	[DHCP_OPTION_CUT] = "an option runs past the end of its field",
	[DHCP_TOO_MANY] = "too many options",
	[DHCP_OPTION_SIZE] =
		"message type, server identifier, overload or lease time of a wrong size",
	[DHCP_NO_TYPE] = "no message type (plain BOOTP)",
};

static const char *const field_names[FIELD_MAX] = {
	[FIELD_MASK] = "subnet mask",
	[FIELD_ROUTERS] = "routers",
	[FIELD_DNS] = "DNS servers",
	[FIELD_NTP] = "NTP servers",
	[FIELD_HOSTNAME] = "host name",
	[FIELD_DOMAIN] = "domain",
	[FIELD_SEARCH] = "search domains",
	[FIELD_ROOT_PATH] = "root path",
	[FIELD_BOOT_FILE] = "boot file",
	[FIELD_TFTP_SERVER] = "TFTP server",
	[FIELD_MTU] = "MTU",
	[FIELD_BROADCAST] = "broadcast address",
	[FIELD_ROUTES] = "routes",
	[FIELD_TIMES] = "T1 and T2",
	[FIELD_CLIENT_ID] = "client identifier",
	[FIELD_NEXT_SERVER] = "next server",
	[FIELD_OVERLOADED] = "end of the overloaded file or sname field",
};

const char *dhcp_defect_words(enum dhcp_defect d)
{
	return (unsigned)d < DHCP_DEFECT_MAX ? defect_words[d] : "unknown defect";
}

const char *dhcp_field_name(enum dhcp_field f)
{
	return (unsigned)f < FIELD_MAX ? field_names[f] : "unknown field";
}

/* All strings of the reply; a new one belongs here too. */
static bool texts_sane(const struct dhcp_reply *r)
{
	return text_sane(TEXT_HOSTNAME, r->hostname, sizeof(r->hostname)) &&
		text_sane(TEXT_DOMAIN, r->domain, sizeof(r->domain)) &&
		text_sane(TEXT_SEARCH, r->search, sizeof(r->search)) &&
		text_sane(TEXT_BOOT, r->root_path, sizeof(r->root_path)) &&
		text_sane(TEXT_BOOT, r->boot_file, sizeof(r->boot_file)) &&
		text_sane(TEXT_PATH, r->tftp_server, sizeof(r->tftp_server));
}

/* Counts before contents: they bound the loops. */
bool dhcp_reply_sane(const struct dhcp_reply *r)
{
	if (r->wire_defect >= WIRE_DEFECT_MAX || r->defect >= DHCP_DEFECT_MAX ||
		r->type >= DHCP_TYPE_MAX || r->prefix > 32 || r->hlen > UINT8_MAX ||
		(r->dropped | r->partly) >> FIELD_MAX || r->rapid > 1)
		return false;
	if (r->n_routers > ADDRESS_LIST_MAX || r->n_dns > ADDRESS_LIST_MAX ||
		r->n_ntp > ADDRESS_LIST_MAX || r->n_routes > ADDRESS_ROUTES_MAX ||
		r->client_id_len > ADDRESS_CLIENT_ID_MAX)
		return false;
	for (uint32_t i = 0; i < r->n_routes; i++)
		if (r->routes[i].prefix > 32)
			return false;
	return texts_sane(r);
}
