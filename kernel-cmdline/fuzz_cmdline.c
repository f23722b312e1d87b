/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_cmdline: any bytes as a command line and as DHCP's root-path. Beyond "does not crash":
 *
 * - words, remarks and their marks lie inside the text;
 * - what the plan promises holds (names and prefixes in range, one family of addresses ...);
 * - the same text gives the same plan twice;
 * - the words, written out and quoted again, give the same plan.
 */
#include "compat.h"
#include "firmware.h"
#include "lint.h"
#include "plan.h"
#include "root_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                                                                         \
	do {                                                                               \
		if (!(cond)) {                                                             \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);         \
			abort();                                                           \
		}                                                                          \
	} while (0)

static void check_words(const struct boot_plan *p, size_t size)
{
	size_t end = 0;

	MUST(p->n_words <= PLAN_WORDS_MAX);
	for (size_t i = 0; i < p->n_words; i++) {
		const struct plan_word *w = &p->words[i];

		MUST(w->name && w->pos >= end && w->len > 0 && w->pos + w->len <= size);
		MUST(!w->value || (w->value_pos > w->pos && w->value_pos <= w->pos + w->len));
		MUST((w->kind == PLAN_WORD_OPTION) == (w->row != NULL));
		end = w->pos + w->len;
	}
}

static void check_names(const char *const *names, size_t n)
{
	MUST(n <= PLAN_LIST_MAX);
	for (size_t i = 0; i < n; i++)
		MUST(value_module(names[i], strlen(names[i])) && !strchr(names[i], '-'));
}

static void check_drivers(const struct plan_drivers *d)
{
	check_names(d->pre, d->n_pre);
	check_names(d->post, d->n_post);
	check_names(d->blacklist, d->n_blacklist);
	for (size_t i = 0; i < d->n_params; i++) {
		MUST(value_module(d->params[i].module, strlen(d->params[i].module)));
		MUST(value_module(d->params[i].param, strlen(d->params[i].param)));
	}
}

static void check_ip(const struct plan_ip *ip)
{
	bool fixed = ip->methods & PLAN_IP_STATIC;

	MUST(ip->methods && ip->prefix <= 128 && ip->n_dns <= 2);
	MUST(!fixed || (ip->addr.family && ip->prefix >= 0));
	MUST(fixed || !ip->addr.family);
	MUST(!ip->ifname || value_ifname(ip->ifname, strlen(ip->ifname)));
	MUST(!ip->hostname || value_hostname(ip->hostname, strlen(ip->hostname)));
	MUST(ip->mtu == 0 || (ip->mtu >= 68 && ip->mtu <= 65535));
	MUST(ip->match.len <= HW_ADDR_MAX && ip->hwaddr.len <= HW_ADDR_MAX);
}

static void check_link(const struct plan_link *l)
{
	MUST(l->kind < PLAN_LINK_KIND_MAX && l->n_lower &&
		value_ifname(l->name, strlen(l->name)));
	MUST((l->kind == PLAN_LINK_VLAN) == (l->vlan_id != 0) && l->vlan_id <= 4094 &&
		l->mode <= 6);
	MUST(l->mtu == 0 || (l->mtu >= 68 && l->mtu <= 65535));
	for (size_t i = 0; i < l->n_options; i++)
		MUST(l->options[i].option && !strpbrk(l->options[i].text, " \t\n"));
	for (size_t i = 0; i < l->n_lower; i++) {
		MUST(value_ifname(l->lower[i], strlen(l->lower[i])) &&
			!streq(l->lower[i], l->name));
		for (size_t k = 0; k < i; k++)
			MUST(!streq(l->lower[i], l->lower[k]));
	}
}

static void check_net(const struct plan_net *n)
{
	for (size_t i = 0; i < n->n_ips; i++)
		check_ip(&n->ips[i]);
	for (size_t i = 0; i < n->n_links; i++)
		check_link(&n->links[i]);
	for (size_t i = 0; i < n->n_routes; i++) {
		MUST(n->routes[i].prefix >= 0 && n->routes[i].prefix <= 128);
		MUST(n->routes[i].gateway.family || n->routes[i].ifname);
	}
	for (size_t i = 0; i < n->n_ifnames; i++)
		MUST(value_ifname(n->ifnames[i].name, strlen(n->ifnames[i].name)));
	for (size_t i = 0; i < n->n_rdma_links; i++)
		MUST(value_ifname(n->rdma_links[i].netdev, strlen(n->rdma_links[i].netdev)));
	for (size_t i = 0; i < n->n_client_ids; i++) {
		MUST(value_ifname(n->client_ids[i].ifname, strlen(n->client_ids[i].ifname)));
		MUST(n->client_ids[i].len >= 2 && n->client_ids[i].len <= 64);
	}
	for (size_t i = 0; i < n->n_dhcp_requests; i++)
		MUST(n->dhcp_requests[i].addr.family == AF_INET &&
			inet_is_host(&n->dhcp_requests[i].addr));
	MUST(!n->hostname || value_hostname(n->hostname, strlen(n->hostname)));
	MUST(!n->bootdev || value_ifname(n->bootdev, strlen(n->bootdev)));
}

static void check_nfs(const struct plan_nfs *nfs)
{
	const char *s;

	MUST(nfs->versions && nfs->options);
	MUST(!nfs->path || nfs->path[0] == '/');
	for (size_t i = 0; i < nfs->n_servers; i++) {
		const char *name = nfs->servers[i].name;

		MUST(name[0] && !strpbrk(name, "/[],\"'$`;&|<> \t\n"));
	}
	for (s = nfs->options; *s; s++)
		MUST((unsigned char)*s > ' ' && *s != 0x7f);
}

static void check_url(const char *s)
{
	MUST(strncasecmp(s, "http://", 7) == 0 || strncasecmp(s, "https://", 8) == 0);
	MUST(strlen(s) <= PLAN_URL_MAX);
	for (; *s; s++)
		MUST((unsigned char)*s > ' ' && (unsigned char)*s < 0x7f &&
			!strchr("\"<>\\`|", *s));
}

static void check_image_plan(const struct plan_image *m)
{
	if (m->url)
		check_url(m->url);
	for (size_t i = 0; i < m->n_mirrors; i++)
		check_url(m->mirrors[i]);
	for (size_t i = 0; i < m->n_keys; i++)
		MUST(m->keys[i].path ? m->keys[i].path[0] == '/'
				     : memcmp(m->keys[i].bytes, "Ed", 2) == 0);
	MUST(!m->insecure || m->has_digest || m->n_keys);
	MUST(!m->ca || m->ca[0] == '/');
	MUST(!m->live_dir || !strstr(m->live_dir, ".."));
	MUST(m->overlay.percent <= 100);
}

static void check_reports(const struct boot_plan *p)
{
	MUST(p->n_reports <= PLAN_REPORTS_MAX);
	for (size_t i = 0; i < p->n_reports; i++) {
		const struct plan_report *r = &p->reports[i];

		MUST(r->kind < PLAN_REPORT_KIND_MAX && r->host && r->text);
		MUST((*r->host == 0) == (r->kind >= PLAN_REPORT_EFI));
		MUST(!strpbrk(r->host, "/[]\"'$`;&|<> \t\n") && (r->port || !*r->host));
		if (r->kind == PLAN_REPORT_HTTP)
			check_url(r->text);
	}
}

static void check_diags(const struct diag_list *l, size_t size)
{
	MUST(diag_list_count(l) <= DIAG_MAX);
	for (size_t i = 0; i < diag_list_count(l); i++) {
		const struct diag *d = diag_list_at(l, i);

		MUST(d->text && d->text[0] && d->pos <= size && d->len <= size + 1);
	}
}

static char *dump(const struct boot_plan *p)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	MUST(f && plan_dump(p, f, true) == 0);
	fclose(f);
	return text;
}

/* Writes the words out again; false if one cannot be quoted. */
static bool write_words(const struct boot_plan *p, FILE *f)
{
	for (size_t i = 0; i < p->n_words; i++) {
		const struct plan_word *w = &p->words[i];

		/* a quote cannot be written inside of quotes; a name with '=' in front stays odd */
		if (!w->name[0] || strpbrk(w->name, "\"=") || (w->value && strchr(w->value, '"')))
			return false;
		fprintf(f, "%s\"%s%s%s\"", i ? " " : "", w->name, w->value ? "=" : "",
			w->value ? w->value : "");
	}
	return true;
}

static void check_again(const struct boot_plan *p, const char *want)
{
	_cleanup_(plan_freep) struct boot_plan *again = NULL;
	_cleanup_free_ char *text = NULL, *got = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	bool same;

	MUST(f);
	same = write_words(p, f);
	fclose(f);
	if (!same || len > PLAN_SOURCE_MAX)
		return;
	MUST(plan_parse(&again, text, len, NULL) == 0);
	got = dump(again);
	MUST(streq(got, want));
}

/*
 * What the kernel's interfaces are told: a comma or a control byte would begin something else
 * there.
 */
static void check_word(const char *s, const char *not)
{
	for (; s && *s; s++)
		MUST((unsigned char)*s >= ' ' && *s != 0x7f && !strchr(not, *s));
}

static void check_block(const struct plan_block *b)
{
	MUST(b->kind < PLAN_BLOCK_KIND_MAX && b->options && b->flags);
	MUST(b->n_portals || b->kind == PLAN_BLOCK_SRP || b->nbft);
	for (size_t i = 0; i < b->n_portals; i++) {
		MUST(b->portals[i].server && *b->portals[i].server);
		check_word(b->portals[i].server, "/[]\"'$`;&|<>, ");
		check_word(b->portals[i].source, "/[]\"'$`;&|<>, ");
	}
	if (b->kind == PLAN_BLOCK_NVMF)
		check_word(b->name, ", ");
	MUST(b->kind == PLAN_BLOCK_NVMF || b->name);
	check_word(b->options, " ");
	check_word(b->uuid, ", ");
	check_word(b->fstype, ",/. ");
	check_word(b->flags, "");
	MUST(b->part <= 128);
}

static void check_spec(const struct boot_plan *p, const char *text, size_t size)
{
	_cleanup_(root_spec_freep) struct root_spec *spec = NULL;

	if (root_spec_parse(&spec, p, text, size, NULL) < 0)
		return;
	MUST(!spec->block.nbft);
	MUST(spec->kind == PLAN_ROOT_NFS || spec->kind == PLAN_ROOT_REMOTE ||
		(spec->kind == PLAN_ROOT_LIVE && spec->image.url));
	if (spec->kind == PLAN_ROOT_NFS)
		check_nfs(&spec->nfs);
	else if (spec->kind == PLAN_ROOT_REMOTE)
		check_block(&spec->block);
	else
		check_image_plan(&spec->image);
}

/* What an image gets is read as the same options again. */
static void check_image_options(const struct boot_plan *p)
{
	_cleanup_(plan_freep) struct boot_plan *again = NULL;
	_cleanup_free_ char *text = plan_image_options(p, true), *twin = NULL;

	if (!text)
		return;
	MUST(plan_parse(&again, text, strlen(text), NULL) == 0);
	twin = plan_image_options(again, true);
	MUST(twin && streq(text, twin));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(plan_freep) struct boot_plan *p = NULL, *twin = NULL;
	_cleanup_(diag_list_freep) struct diag_list *diags = NULL;
	_cleanup_free_ char *one = NULL, *two = NULL;
	static FILE *null;
	const char *text = (const char *)data;

	if (!null)
		null = fopen("/dev/null", "we");
	MUST(null && diag_list_new(&diags) == 0);
	MUST(plan_parse(&p, text, size, diags) == 0);
	MUST(plan_parse(&twin, text, size, NULL) == 0);
	check_words(p, size);
	check_diags(diags, size);
	check_drivers(&p->drivers);
	check_net(&p->net);
	MUST((p->root.kind == PLAN_ROOT_NONE) <= p->fatal);
	if (p->root.kind == PLAN_ROOT_NFS)
		check_nfs(&p->root.nfs);
	if (p->root.kind == PLAN_ROOT_REMOTE)
		check_block(&p->root.block);
	MUST(plan_is_fetched(p->root.kind) ==
		(p->root.image.url || firmware_wants_origin(p)));
	MUST(!firmware_wants_origin(p) || p->given[OPTION_RD_SYSTEMD_PULL]);
	check_image_plan(&p->root.image);
	check_reports(p);
	one = dump(p);
	two = dump(twin);
	MUST(streq(one, two));
	check_again(p, one);
	check_spec(p, text, size);
	check_image_options(p);
	MUST(plan_print_modules(p, null) == 0);
	MUST(cmdline_lint(text, size, null, LINT_PLAN |
		LINT_COMPAT(size % COMPAT_BACKEND_MAX)) >= 0);
	return 0;
}
