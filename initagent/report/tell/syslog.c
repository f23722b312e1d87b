// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/syslog.h"

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

/* Section 6.2.3: UTC, with microseconds at most. */
static void put_time(char *buf, uint64_t wall)
{
	time_t seconds = (time_t)(wall / NSEC_PER_SEC);
	struct tm tm;

	if (!wall || !gmtime_r(&seconds, &tm))
		str_add(buf, SYSLOG_MAX, "-");
	else
		str_add(buf, SYSLOG_MAX, "%04d-%02d-%02dT%02d:%02d:%02d.%06uZ", tm.tm_year + 1900,
			tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
			(unsigned)(wall % NSEC_PER_SEC / 1000));
}

/* Section 6: printable ASCII without spaces, or the sign for "not known". */
static void put_name(char *buf, const char *name, size_t max)
{
	str_add(buf, SYSLOG_MAX, " ");
	if (!*name)
		str_add(buf, SYSLOG_MAX, "-");
	for (; *name && max; name++, max--)
		str_add(buf, SYSLOG_MAX, "%c", *name > ' ' && *name < 0x7f ? *name : '_');
}

/* Section 6.3.3: these three bytes are escaped; a quotation mark must not end a value. */
static void put_param(char *buf, const char *name, const char *value)
{
	char clean[256];

	if (!*value)
		return;
	console_clean(clean, sizeof(clean), value);
	str_add(buf, SYSLOG_MAX, " %s=\"", name);
	for (const char *p = clean; *p; p++)
		str_add(buf, SYSLOG_MAX, "%s%c", strchr("\"\\]", *p) ? "\\" : "", *p);
	str_add(buf, SYSLOG_MAX, "\"");
}

size_t syslog_format(char buf[static SYSLOG_MAX], const struct syslog_message *m)
{
	char clean[SYSLOG_MAX], guid[32] = "", uptime[32];

	if (m->guid)
		snprintf(guid, sizeof(guid), "%016llx", (unsigned long long)m->guid);
	snprintf(uptime, sizeof(uptime), "%llu.%03u",
		(unsigned long long)(m->uptime / NSEC_PER_SEC),
		(unsigned)(m->uptime % NSEC_PER_SEC / NSEC_PER_MSEC));
	/* Values are far shorter than the buffer; what would not fit is left out from there on. */
	snprintf(buf, SYSLOG_MAX, "<%d>1 ", (m->xcat ? FACILITY_LOCAL4 : FACILITY_DAEMON) * 8 +
		(int)m->severity);
	put_time(buf, m->wall);
	put_name(buf, m->host, 255);
	str_add(buf, SYSLOG_MAX, " %s %u", m->xcat ? XCAT_NAME : "initagent", m->pid);
	put_name(buf, m->id, 32);
	str_add(buf, SYSLOG_MAX, " [" SD_ID);
	put_param(buf, "code", m->code);
	put_param(buf, "where", m->where);
	put_param(buf, "device", m->device);
	put_param(buf, "guid", guid);
	put_param(buf, "uptime", uptime);
	str_add(buf, SYSLOG_MAX, "] ");
	if (m->xcat) {
		console_clean(clean, sizeof(clean), m->where);
		str_add(buf, SYSLOG_MAX, "initagent: %s%s%s%s", clean, *clean ? ": " : "", m->code,
			*m->code ? " " : "");
	}
	console_clean(clean, sizeof(clean), m->text);
	str_add(buf, SYSLOG_MAX, "%s", clean);
	return strlen(buf);
}
