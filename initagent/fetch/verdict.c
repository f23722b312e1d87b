// SPDX-License-Identifier: GPL-2.0-or-later
/* verdict: see verdict.h. */
#include "fetch/verdict.h"

static const struct verdict_row rows[VERDICT_MAX] = {
	[VERDICT_DONE] = {"done", REMEDY_DONE, CAUSE_NONE, ""},
	[VERDICT_REDIRECT] = {"redirect", REMEDY_FOLLOW, CAUSE_FETCH_REDIRECT, "redirected"},
	[VERDICT_CONNECT] = {"no connection", REMEDY_LATER, CAUSE_FETCH_CONNECT, "no connection"},
	[VERDICT_CUT] = {"cut short", REMEDY_LATER, CAUSE_FETCH_CUT, "the connection broke off"},
	[VERDICT_STALLED] = {"stalled", REMEDY_LATER, CAUSE_FETCH_STALLED, "hardly any bytes came"},
	[VERDICT_BUSY] = {"busy", REMEDY_LATER, CAUSE_FETCH_BUSY, "the server asks to come again later"},
	[VERDICT_ABSENT] = {"absent", REMEDY_LATER, CAUSE_FETCH_STATUS, "the server does not give the file"},
	[VERDICT_STATUS] = {"refused", REMEDY_OTHER, CAUSE_FETCH_STATUS, "the server does not give the file"},
	[VERDICT_PROTOCOL] = {"not HTTP", REMEDY_DAMAGE, CAUSE_FETCH_PROTOCOL, "the answer is not HTTP"},
	[VERDICT_LENGTHS] = {"lengths", REMEDY_OTHER, CAUSE_FETCH_LENGTH, "the server states lengths that contradict"},
	[VERDICT_NO_LENGTH] = {"no length", REMEDY_OTHER, CAUSE_FETCH_LENGTH, "the server states no length"},
	[VERDICT_SIZE] = {"wrong size", REMEDY_OTHER, CAUSE_FETCH_LENGTH, "not the size it should have"},
	[VERDICT_RANGE] = {"wrong range", REMEDY_OTHER, CAUSE_FETCH_RANGE, "another range than asked for"},
	[VERDICT_NO_RANGES] = {"no ranges", REMEDY_DAMAGE, CAUSE_FETCH_RANGE, "another range than asked for"},
	[VERDICT_ENCODED] = {"encoded", REMEDY_OTHER, CAUSE_FETCH_ENCODED, "packed though nobody asked for it"},
	[VERDICT_CHANGED] = {"changed", REMEDY_DAMAGE, CAUSE_FETCH_CHANGED, "another version than before"},
	[VERDICT_CHUNK] = {"bad chunk", REMEDY_DAMAGE, CAUSE_FETCH_CHUNK, "a chunk's digest is wrong"},
	[VERDICT_DIGEST] = {"wrong digest", REMEDY_OTHER, CAUSE_FETCH_DIGEST, "the digest is wrong"},
	[VERDICT_TOO_LARGE] = {"too large", REMEDY_OTHER, CAUSE_FETCH_TOO_LARGE, "more than there is room for"},
	[VERDICT_CERT] = {"certificate", REMEDY_OTHER, CAUSE_FETCH_CERT, "the certificate is refused"},
	[VERDICT_TLS] = {"TLS", REMEDY_DAMAGE, CAUSE_FETCH_TLS, "no TLS connection"},
	[VERDICT_LOCATION] = {"bad redirect", REMEDY_OTHER, CAUSE_FETCH_REDIRECT, "a redirect that is not followed"},
	[VERDICT_LOOKUP] = {"no address", REMEDY_LATER, CAUSE_FETCH_LOOKUP, "no address found in time"},
	[VERDICT_WRITE] = {"not written", REMEDY_STOP, CAUSE_FETCH_WRITE, "cannot write what came"},
	[VERDICT_DIED] = {"died", REMEDY_LATER, CAUSE_FETCH_DIED, "the process that fetches ended"},
	[VERDICT_NO_TLS] = {"no TLS", REMEDY_OTHER, CAUSE_FETCH_URL, "this build has no TLS: https is not possible"},
	[VERDICT_INTERNAL] = {"internal", REMEDY_LATER, CAUSE_INTERNAL, "the HTTP library does not do as it should"},
};

const struct verdict_row *verdict_row(uint32_t verdict)
{
	return &rows[verdict < VERDICT_MAX ? verdict : VERDICT_INTERNAL];
}
