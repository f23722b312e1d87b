// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/parse.h"

/* Length and kind are checked again: a request is data like any other. */
void parse_packet(const void *request, void *reply)
{
	const struct parse_request *r = request;
	struct parse_reply *ret = reply;
	size_t len = r->len < sizeof(r->packet) ? r->len : sizeof(r->packet);

	memset(ret, 0, sizeof(*ret));
	ret->kind = r->kind;
	ret->tag = r->tag;
	if (r->kind == PARSE_DHCP4) {
		dhcp_parse(&ret->dhcp, r->packet, len, r->verify);
	} else if (r->kind == PARSE_DHCP6) {
		dhcp6_parse(&ret->dhcp6, r->packet, len, r->iaid);
		ret->dhcp6.source = r->source;
	} else if (r->kind == PARSE_ND) {
		nd_options_parse(&ret->options, r->packet, len);
	}
}

/* A process that was taken over could send anything of the right size. */
static bool reply_valid(void *reply, const void *context)
{
	const struct parse_reply *a = reply;

	(void)context;
	switch (a->kind) {
	case PARSE_DHCP4: return dhcp_reply_sane(&a->dhcp);
	case PARSE_DHCP6: return dhcp6_reply_sane(&a->dhcp6);
	case PARSE_ND: return nd_options_sane(&a->options);
	default: return false;
	}
}

const struct parser_job parse_job = {
	.room = "address",
	.request = sizeof(struct parse_request),
	.reply = sizeof(struct parse_reply),
	.parse = parse_packet,
	.valid = reply_valid,
};
