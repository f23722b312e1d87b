// SPDX-License-Identifier: GPL-2.0-or-later
/* finding: see finding.h. */
#include "doctor/finding.h"

#include <stdarg.h>

static bool known(const struct findings *f, enum cause cause, const char *where)
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

	if (f->n == FINDINGS_MAX || known(f, cause, where))
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
