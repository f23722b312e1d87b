// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/syslog.h"

#include <stdarg.h>

#include "report/console.h"

#define FACILITY_DAEMON 3
/*
 * Of xCAT's own initramfs (xcatroot); a master files the names "xcat.*" in cluster.log, of which
 * it writes host, name, severity and text (/etc/rsyslog.d/xcat-cluster.conf).
 */
#define FACILITY_LOCAL4 20
#define XCAT_NAME	"xcat.deployment"
/* The number that RFC 5612 keeps for who has none of their own at IANA. */
#define SD_ID		"initagent@32473"

struct text {
	char *buf;
	size_t at;
};

/* Values are far shorter than the buffer; what would not fit is left out from there on. */
static void _printf_(2, 3) put(struct text *t, const char *fmt, ...)
{
	size_t left = SYSLOG_MAX - t->at;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->at, left, fmt, ap);
	va_end(ap);
	t->at = n < 0 ? t->at : (size_t)n < left ? t->at + (size_t)n : SYSLOG_MAX - 1;
}

/* Section 6.2.3: UTC, with microseconds at most. */
static void put_time(struct text *t, uint64_t wall)
{
	time_t seconds = (time_t)(wall / NSEC_PER_SEC);
	struct tm tm;

	if (!wall || !gmtime_r(&seconds, &tm))
		put(t, "-");
	else
		put(t, "%04d-%02d-%02dT%02d:%02d:%02d.%06uZ", tm.tm_year + 1900, tm.tm_mon + 1,
			tm.tm_mday, tm.tm_hour,
			tm.tm_min, tm.tm_sec, (unsigned)(wall % NSEC_PER_SEC / 1000));
}

/* Section 6: printable ASCII without spaces, or the sign for "not known". */
static void put_name(struct text *t, const char *name, size_t max)
{
	put(t, " ");
	if (!*name)
		put(t, "-");
	for (; *name && max; name++, max--)
		put(t, "%c", *name > ' ' && *name < 0x7f ? *name : '_');
}

/* Section 6.3.3: these three bytes are escaped; a quotation mark must not end a value. */
static void put_param(struct text *t, const char *name, const char *value)
{
	char clean[256];

	if (!*value)
		return;
	console_clean(clean, sizeof(clean), value);
	put(t, " %s=\"", name);
	for (const char *p = clean; *p; p++)
		put(t, "%s%c", strchr("\"\\]", *p) ? "\\" : "", *p);
	put(t, "\"");
}

size_t syslog_format(char buf[static SYSLOG_MAX], const struct syslog_message *m)
{
	struct text t = {.buf = buf};
	char clean[SYSLOG_MAX], guid[32] = "", uptime[32];

	if (m->guid)
		snprintf(guid, sizeof(guid), "%016llx", (unsigned long long)m->guid);
	snprintf(uptime, sizeof(uptime), "%llu.%03u",
		(unsigned long long)(m->uptime / NSEC_PER_SEC),
		(unsigned)(m->uptime % NSEC_PER_SEC / NSEC_PER_MSEC));
	put(&t, "<%d>1 ", (m->xcat ? FACILITY_LOCAL4 : FACILITY_DAEMON) * 8 + (int)m->severity);
	put_time(&t, m->wall);
	put_name(&t, m->host, 255);
	put(&t, " %s %u", m->xcat ? XCAT_NAME : "initagent", m->pid);
	put_name(&t, m->id, 32);
	put(&t, " [" SD_ID);
	put_param(&t, "code", m->code);
	put_param(&t, "where", m->where);
	put_param(&t, "device", m->device);
	put_param(&t, "guid", guid);
	put_param(&t, "uptime", uptime);
	put(&t, "] ");
	if (m->xcat) {
		console_clean(clean, sizeof(clean), m->where);
		put(&t, "initagent: %s%s%s%s", clean, *clean ? ": " : "", m->code,
			*m->code ? " " : "");
	}
	console_clean(clean, sizeof(clean), m->text);
	put(&t, "%s", clean);
	return t.at;
}
