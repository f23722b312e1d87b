// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/private.h"

#include <stdarg.h>

static bool is_known(const struct findings *f, enum cause cause, const char *where)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->rows[i].cause == cause && streq(f->rows[i].where, where))
			return true;
	return false;
}

void findings_add(struct findings *f, enum cause cause, bool trouble, const char *where,
	const struct fabric_port *port, const char *fmt, ...)
{
	struct finding *row;
	va_list ap;

	if (f->n == FINDINGS_MAX || is_known(f, cause, where))
		return;
	row = &f->rows[f->n++];
	*row = (struct finding){.cause = cause, .trouble = trouble};
	(void)strscpy(row->where, where, sizeof(row->where));
	if (port)
		(void)strscpy(row->port, port->name, sizeof(row->port));
	va_start(ap, fmt);
	vsnprintf(row->text, sizeof(row->text), fmt, ap);
	va_end(ap);
}

bool findings_ready(const struct findings *f, const struct fabric_port *port)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->rows[i].trouble && streq(f->rows[i].port, port->name))
			return false;
	return true;
}

static const char *const verdict_names[] = {
	[DOCTOR_READY] = "ready",	  [DOCTOR_PARTLY] = "partly ready",
	[DOCTOR_NOT_READY] = "not ready", [DOCTOR_NO_DEVICE] = "no device",
	[DOCTOR_FAILED] = "failed",
};

const char *doctor_verdict_name(enum doctor_verdict v)
{
	return (unsigned)v < ARRAY_SIZE(verdict_names) ? verdict_names[v] : "?";
}
