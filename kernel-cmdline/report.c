/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: rd.report=, where reports of the boot go. A word that cannot be understood is left out: a
 * boot does not fail because it is not reported.
 */
#include "parser.h"
#include "url.h"

static const struct {
	const char *start;
	enum plan_report_kind kind;
	uint16_t port; /* http: the URL's */
} schemes[] = {
	/* 514: RFC 5426, and by custom for TCP, too */
	{"syslog://", PLAN_REPORT_SYSLOG_UDP, 514},
	{"syslog+udp://", PLAN_REPORT_SYSLOG_UDP, 514},
	{"syslog+tcp://", PLAN_REPORT_SYSLOG_TCP, 514},
	{"http://", PLAN_REPORT_HTTP, 0},
	{"https://", PLAN_REPORT_HTTP, 0},
};

static const char *const effects[PLAN_REPORT_KIND_MAX] = {
	[PLAN_REPORT_SYSLOG_UDP] =
		"sends waits, causes and the outcome to %s:%u by syslog over UDP",
	[PLAN_REPORT_SYSLOG_TCP] =
		"sends waits, causes and the outcome to %s:%u by syslog over TCP",
	[PLAN_REPORT_HTTP] = "sends the state at the boot's end to the web server %s:%u",
	[PLAN_REPORT_EFI] = "keeps the last failure in an EFI variable until a boot succeeds",
	[PLAN_REPORT_PSTORE] =
		"keeps the last failure in the memory of pstore (pmsg) over a warm reboot",
};

static bool report_url(
	struct parser *p, const struct plan_word *w, struct slice v, struct plan_report *out)
{
	struct url u;

	if (!image_url(p, w, v, DIAG_ERROR, &u))
		return false;
	if (*u.zone)
		return left_out(p, w, v, "name the collector by another address",
			"a link-local address has no meaning to other links of the node");
	if (streq(u.path, "/") && v.s[v.len - 1] != '/')
		warn_word(p, w, "write http://HOST/PATH", "no path: / is asked for");
	out->host = keep(p, (struct slice){u.host, strlen(u.host)});
	out->addr = u.address;
	out->port = u.port;
	return true;
}

static bool collector(struct parser *p, const struct plan_word *w, struct plan_report *out)
{
	const char *remedy =
		"syslog://HOST[:PORT], syslog+tcp://HOST[:PORT] or http[s]://HOST[:PORT]/PATH";
	struct slice v = word_value(w), rest = {0};

	for (size_t i = 0; i < ARRAY_SIZE(schemes) && !rest.s; i++) {
		if (!slice_starts(v, schemes[i].start))
			continue;
		out->kind = schemes[i].kind;
		out->port = schemes[i].port;
		rest = slice_from(v, strlen(schemes[i].start));
	}
	if (!rest.s)
		return left_out(p, w, v, remedy, "not a report sink");
	if (out->kind == PLAN_REPORT_HTTP)
		return report_url(p, w, v, out);
	out->host = take_site(p, rest, &out->addr, NULL, &out->port);
	if (out->host)
		return true;
	return left_out(p, w, rest, remedy, "not HOST[:PORT]");
}

PARSE(report)
{
	struct slice v = word_value(w);
	struct plan_report out = {.text = v.s, .host = ""};

	if (slice_is(v, "efi"))
		out.kind = PLAN_REPORT_EFI;
	else if (slice_is(v, "pstore"))
		out.kind = PLAN_REPORT_PSTORE;
	else if (!collector(p, w, &out))
		return false;
	if (p->reports.n == PLAN_REPORTS_MAX) {
		complain(p, w, WHOLE, DIAG_ERROR, NULL, "more than %d; left out", PLAN_REPORTS_MAX);
		return false;
	}
	for (size_t i = 0; i < p->reports.n; i++)
		if (streq(((struct plan_report *)p->reports.items)[i].text, v.s)) {
			note_word(p, w, "keep one of them", "given twice; used once");
			return say(p, w, "has no further effect");
		}
	if (!APPEND(p, &p->reports, out, w))
		return false;
	return say(p, w, effects[out.kind], out.host, out.port);
}
