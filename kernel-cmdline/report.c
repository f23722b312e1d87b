/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: rd.report=, where reports of the boot go. A word that cannot be understood is left out: a
 * boot does not fail because it is not reported.
 */
#include "parser.h"
#include "url.h"

#define XCAT_PORT   3002 /* xcatiport of xCAT's site table */
#define SYSLOG_PORT 514	 /* RFC 5426, and by custom for TCP, too */

static const struct {
	const char *start;
	enum plan_report_kind kind;
	uint16_t port; /* http: the URL's */
} schemes[] = {
	{"syslog://", PLAN_REPORT_SYSLOG_UDP, SYSLOG_PORT},
	{"syslog+udp://", PLAN_REPORT_SYSLOG_UDP, SYSLOG_PORT},
	{"syslog+tcp://", PLAN_REPORT_SYSLOG_TCP, SYSLOG_PORT},
	{"http://", PLAN_REPORT_HTTP, 0},
	{"https://", PLAN_REPORT_HTTP, 0},
	{"xcat://", PLAN_REPORT_XCAT, XCAT_PORT},
};

static const char *const effects[PLAN_REPORT_KIND_MAX] = {
	[PLAN_REPORT_SYSLOG_UDP] =
		"sends waits, causes and the outcome to %s:%u by syslog over UDP",
	[PLAN_REPORT_SYSLOG_TCP] =
		"sends waits, causes and the outcome to %s:%u by syslog over TCP",
	[PLAN_REPORT_HTTP] = "sends the state at the boot's end to the web server %s:%u",
	[PLAN_REPORT_XCAT] = ("tells the xCAT master %s:%u that the node boots, or that it failed; "
			      "waits, causes and the outcome go to its log"),
	[PLAN_REPORT_XCAT_LOG] =
		"sends waits, causes and the outcome to the xCAT master's log, %s:%u",
	[PLAN_REPORT_EFI] = "keeps the last failure in an EFI variable until a boot succeeds",
	[PLAN_REPORT_PSTORE] =
		"keeps the last failure in the memory of pstore (pmsg) over a warm reboot",
};

static bool no_zones(struct parser *p, const struct plan_word *w, struct slice at)
{
	return left_out(p, w, at, "name the collector by another address",
		"a link-local address has no meaning to other links of the node");
}

static bool report_url(
	struct parser *p, const struct plan_word *w, struct slice v, struct plan_report *out)
{
	struct url u;

	if (url_parse(&u, v.s, v.len) == 0 && inet_is_link_local(&u.address))
		return no_zones(p, w, v);
	if (!image_url(p, w, v, DIAG_ERROR, &u))
		return false;
	if (streq(u.path, "/") && v.s[v.len - 1] != '/')
		warn_word(p, w, "write http://HOST/PATH", "no path: / is asked for");
	out->host = keep(p, slice_of(u.host));
	out->addr = u.address;
	out->port = u.port;
	return true;
}

static bool collector(struct parser *p, const struct plan_word *w, struct plan_report *out)
{
	const char *remedy =
		"syslog://HOST[:PORT], syslog+tcp://HOST[:PORT], http[s]://HOST[:PORT]/PATH or "
		"xcat://HOST[:PORT]";
	struct slice v = word_value(w), rest = {0};
	const char *zone;

	for (size_t i = 0; i < ARRAY_SIZE(schemes) && !rest.s; i++) {
		if (!slice_starts_scheme(v, schemes[i].start))
			continue;
		out->kind = schemes[i].kind;
		out->port = schemes[i].port;
		rest = slice_from(v, strlen(schemes[i].start));
	}
	if (!rest.s)
		return left_out(p, w, v, remedy, "not a report sink");
	if (out->kind == PLAN_REPORT_HTTP)
		return report_url(p, w, v, out);
	out->host = take_site(p, rest, &out->addr, &zone, &out->port);
	if (!out->host)
		return left_out(p, w, rest, server_remedy(rest, remedy), "not HOST[:PORT]");
	if (inet_is_link_local(&out->addr))
		return no_zones(p, w, rest);
	return check_host(p, w, rest, DIAG_ERROR, &out->addr);
}

/* Do both end at one program? */
static bool same_sink(const struct plan_report *a, const struct plan_report *b)
{
	return a->kind == b->kind && a->port == b->port && strcasecmp(a->host, b->host) == 0 &&
	       (a->kind != PLAN_REPORT_HTTP || url_same(a->text, b->text));
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
		if (same_sink((struct plan_report *)p->reports.items + i, &out)) {
			note_word(p, w, "keep one of them", "given twice; used once");
			return say(p, w, "has no further effect");
		}
	if (!APPEND(p, &p->reports, out, w))
		return false;
	return say(p, w, effects[out.kind], out.host, out.port);
}

/* The port for the node's state; with nonodestatus, which is said to have an effect, none. */
static uint16_t xcat_port(struct parser *p, struct plan_word *no_status)
{
	struct plan_word *port = parser_word(p, OPTION_XCATIPORT);
	uint32_t n = XCAT_PORT;

	if (no_status)
		say(p, no_status, "does not tell the xCAT master the node's state; its log is "
			"written");
	if (port && no_status)
		say(p, port, "has no effect: nonodestatus");
	else if (port && (value_u32(port->value, strlen(port->value), UINT16_MAX, &n) < 0 || !n))
		complain(p, port, word_value(port), DIAG_WARN, "write XCATIPORT=3002",
			"not a port");
	else if (port)
		say(p, port, "tells the xCAT master the node's state on port %u", n);
	return no_status ? SYSLOG_PORT : (uint16_t)(n ? n : XCAT_PORT);
}

/* As xCAT's initramfs does: XCAT= names the master, its log is written with nonodestatus, too. */
void report_xcat(struct parser *p)
{
	struct plan_word *w = parser_word(p, OPTION_XCAT),
			 *no_status = parser_word(p, OPTION_NONODESTATUS);
	struct plan_report out = {.kind = no_status ? PLAN_REPORT_XCAT_LOG : PLAN_REPORT_XCAT};
	uint16_t ignored;

	if (!w || p->reports.n == PLAN_REPORTS_MAX)
		return;
	FOR_EACH(struct plan_report, r, &p->reports)
		if (r->kind == PLAN_REPORT_XCAT)
			return;
	out.text = w->value;
	out.host = take_site(p, word_value(w), &out.addr, NULL, &ignored);
	if (out.host && !check_host(p, w, word_value(w), DIAG_WARN, &out.addr))
		return;
	if (!out.host) {
		complain(p, w, word_value(w), DIAG_WARN, "write XCAT=HOST:3001",
			"not HOST[:PORT]; the boot is not reported to it");
		return;
	}
	out.port = xcat_port(p, no_status);
	if (APPEND(p, &p->reports, out, w))
		say(p, w, effects[out.kind], out.host, out.port);
}

void resolve_reports(struct parser *p)
{
	for (size_t i = 0, n = p->reports.n; i < n && p->reports.n < PLAN_REPORTS_MAX; i++) {
		struct plan_report out = ((struct plan_report *)p->reports.items)[i];

		if (out.kind != PLAN_REPORT_XCAT)
			continue;
		out.kind = PLAN_REPORT_XCAT_LOG;
		out.port = SYSLOG_PORT;
		APPEND(p, &p->reports, out, &p->words[0]);
	}
}
