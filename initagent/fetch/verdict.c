// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/verdict.h"

static const struct verdict_row rows[VERDICT_MAX] = {
	[VERDICT_DONE] = {"done", REMEDY_DONE, CAUSE_NONE, ""},
	[VERDICT_REDIRECT] = {"redirect", REMEDY_FOLLOW, CAUSE_FETCH_REDIRECT, "redirected"},
	[VERDICT_CONNECT] = {"no connection", REMEDY_LATER, CAUSE_FETCH_CONNECT, "no connection"},
	[VERDICT_CUT] = {"cut short", REMEDY_LATER, CAUSE_FETCH_CUT,
		"the connection was closed early"},
	[VERDICT_STALLED] = {"stalled", REMEDY_LATER, CAUSE_FETCH_STALLED,
		"stalled: hardly any data"},
	[VERDICT_BUSY] = {"busy", REMEDY_LATER, CAUSE_FETCH_BUSY, "web server busy"},
	[VERDICT_ABSENT] = {"absent", REMEDY_LATER, CAUSE_FETCH_STATUS,
		"the server does not deliver the file"},
	[VERDICT_STATUS] = {"refused", REMEDY_OTHER, CAUSE_FETCH_STATUS,
		"the server does not deliver the file"},
	[VERDICT_PROTOCOL] = {"not HTTP", REMEDY_DAMAGE, CAUSE_FETCH_PROTOCOL,
		"the answer is not HTTP"},
	[VERDICT_LENGTHS] = {"lengths", REMEDY_OTHER, CAUSE_FETCH_LENGTH,
		"contradictory lengths from the server"},
	[VERDICT_NO_LENGTH] = {"no length", REMEDY_OTHER, CAUSE_FETCH_LENGTH,
		"no Content-Length from the server"},
	[VERDICT_SIZE] = {"wrong size", REMEDY_OTHER, CAUSE_FETCH_LENGTH,
		"unexpected size"},
	[VERDICT_RANGE] = {"wrong range", REMEDY_OTHER, CAUSE_FETCH_RANGE,
		"not the requested range"},
	[VERDICT_NO_RANGES] = {"no ranges", REMEDY_DAMAGE, CAUSE_FETCH_RANGE,
		"not the requested range"},
	[VERDICT_ENCODED] = {"encoded", REMEDY_OTHER, CAUSE_FETCH_ENCODED,
		"unexpected Content-Encoding"},
	[VERDICT_CHANGED] = {"changed", REMEDY_DAMAGE, CAUSE_FETCH_CHANGED,
		"the file changed during the transfer"},
	[VERDICT_CHUNK] = {"bad chunk", REMEDY_DAMAGE, CAUSE_FETCH_CHUNK,
		"a chunk's digest is wrong"},
	[VERDICT_DIGEST] = {"wrong digest", REMEDY_OTHER, CAUSE_FETCH_DIGEST,
		"the digest is wrong"},
	[VERDICT_TOO_LARGE] = {"too large", REMEDY_OTHER, CAUSE_FETCH_TOO_LARGE,
		"more than there is room for"},
	[VERDICT_CERT] = {"certificate", REMEDY_OTHER, CAUSE_FETCH_CERT,
		"the certificate is refused"},
	[VERDICT_TLS] = {"TLS", REMEDY_DAMAGE, CAUSE_FETCH_TLS, "no TLS connection"},
	[VERDICT_LOCATION] = {"bad redirect", REMEDY_OTHER, CAUSE_FETCH_REDIRECT,
		"redirect not allowed"},
	[VERDICT_LOOKUP] = {"no address", REMEDY_LATER, CAUSE_FETCH_LOOKUP,
		"no address found in time"},
	[VERDICT_WRITE] = {"not written", REMEDY_STOP, CAUSE_FETCH_WRITE, "cannot write the data"},
	[VERDICT_DIED] = {"died", REMEDY_LATER, CAUSE_FETCH_DIED, "the HTTP process ended"},
	[VERDICT_NO_TLS] = {"no TLS", REMEDY_OTHER, CAUSE_FETCH_URL,
		"this build has no TLS: https is not possible"},
	[VERDICT_INTERNAL] = {"internal", REMEDY_LATER, CAUSE_INTERNAL,
		"internal error of the HTTP library"},
};

const struct verdict_row *verdict_row(uint32_t verdict)
{
	return &rows[verdict < VERDICT_MAX ? verdict : VERDICT_INTERNAL];
}
