/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: rd.report=, who is told how the boot goes. A word that cannot be understood is left out: a boot does not
 * fail because nobody hears of it.
 */
#include "parser.h"

static const struct {
	const char *start;
	enum plan_report_kind kind;
	uint16_t port;
} schemes[] = {
	/* 514: RFC 5426, and by custom for TCP, too */
	{"syslog://", PLAN_REPORT_SYSLOG_UDP, 514},
	{"syslog+udp://", PLAN_REPORT_SYSLOG_UDP, 514},
	{"syslog+tcp://", PLAN_REPORT_SYSLOG_TCP, 514},
	{"http://", PLAN_REPORT_HTTP, 80},
	{"https://", PLAN_REPORT_HTTP, 443},
};

static const char *const effects[PLAN_REPORT_KIND_MAX] = {
	[PLAN_REPORT_SYSLOG_UDP] = "sends waits, causes and the outcome to %s:%u by syslog over UDP",
	[PLAN_REPORT_SYSLOG_TCP] = "sends waits, causes and the outcome to %s:%u by syslog over TCP",
	[PLAN_REPORT_HTTP] = "sends the state at the boot's end to the web server %s:%u",
	[PLAN_REPORT_EFI] = "keeps the last failure in an EFI variable until a boot succeeds",
	[PLAN_REPORT_PSTORE] = "keeps the last failure in the memory of pstore (pmsg) over a warm reboot",
};

/* HOST[:PORT], an IPv6 address in brackets. */
static bool site(struct parser *p, struct slice text, struct plan_report *out)
{
	struct slice f[3];
	size_t n = fields_split(text, f, 3);
	uint32_t port = 0;

	if (n > 2 || (n == 2 && (value_u32(f[1].s, f[1].len, UINT16_MAX, &port) < 0 || !port)))
		return false;
	if (value_inet(f[0].s, f[0].len, &out->addr) < 0 && !server_name(f[0]))
		return false;
	if (f[0].s[0] == '[')
		f[0] = (struct slice){f[0].s + 1, f[0].len - 2};
	out->host = keep(p, f[0]);
	out->port = port ? (uint16_t)port : out->port;
	return true;
}

static bool collector(struct parser *p, const struct plan_word *w, struct plan_report *out)
{
	const char *remedy = "syslog://HOST[:PORT], syslog+tcp://HOST[:PORT] or http[s]://HOST[:PORT]/PATH";
	struct slice v = word_value(w), rest = {0};

	for (size_t i = 0; i < ARRAY_SIZE(schemes) && !rest.s; i++) {
		if (!slice_starts(v, schemes[i].start))
			continue;
		out->kind = schemes[i].kind;
		out->port = schemes[i].port;
		rest = slice_from(v, strlen(schemes[i].start));
	}
	if (!rest.s) {
		complain(p, w, v, DIAG_ERROR, remedy, "nobody who could be told; left out");
		return false;
	}
	if (out->kind == PLAN_REPORT_HTTP) {
		if (!image_url(p, w, v, DIAG_ERROR))
			return false;
		rest.len = slice_find(rest, "/") < slice_find(rest, "?") ? slice_find(rest, "/") : slice_find(rest, "?");
	}
	if (site(p, rest, out))
		return true;
	complain(p, w, rest, DIAG_ERROR, remedy, "not HOST[:PORT]; left out");
	return false;
}

PARSE(report)
{
	struct slice v = word_value(w);
	struct plan_report out = {.text = v.s, .host = ""}, *slot;

	(void)row;
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
	slot = push(p, &p->reports, sizeof(*slot), w);
	if (!slot)
		return false;
	*slot = out;
	say(p, w, effects[out.kind], out.host, out.port);
	return true;
}
