// SPDX-License-Identifier: GPL-2.0-or-later
/* name_list: see name_list.h. */
#include "resolver/name_list.h"

#include "base/inet_text.h"

/* Names that are too long or malformed with this domain are left out. */
static void add_name(struct name_list *l, const char *name, const char *domain)
{
	char text[ADDRESS_DOMAIN_MAX + 1];
	int n = snprintf(text, sizeof(text), "%s%s%s", name, *domain ? "." : "", domain);

	if (l->n == NAME_LIST_MAX || n < 0 || (size_t)n >= sizeof(text) || !text_valid(TEXT_DOMAIN, text))
		return;
	memcpy(l->names[l->n++], text, sizeof(text));
}

/* strsep() on a copy: the domains are separated by one space each. */
static void add_domains(struct name_list *l, const char *name, const char *search)
{
	char text[ADDRESS_SEARCH_MAX + 1], *rest = text, *domain;

	strscpy(text, search, sizeof(text));
	while ((domain = strsep(&rest, " ")))
		if (*domain)
			add_name(l, name, domain);
}

void name_list_make(struct name_list *ret, const char *name, const char *search)
{
	bool dotted = strchr(name, '.');

	ret->n = 0;
	if (dotted)
		add_name(ret, name, "");
	add_domains(ret, name, search);
	if (dotted)
		return;
	/* The name itself has its place even when there are many domains. */
	if (ret->n == NAME_LIST_MAX)
		ret->n--;
	add_name(ret, name, "");
}
