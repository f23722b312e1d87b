// SPDX-License-Identifier: GPL-2.0-or-later
/* target_name: what command line and leases name: the kind of the root, its server, its path. */
#include "boot/boot_private.h"
#include "report/report.h"

/* Where dracut and the kernel look when the path is left to a root=/dev/nfs default. */
#define LEGACY_PATH "/tftpboot/%s"

/* The rail's lease, if it has an address. */
static const struct address_result *result_of(const struct boot *b, const struct rail *rail)
{
	return rail->configured ? addresses_result(b->addresses, rail->ifindex) : NULL;
}

/* Is rail the one that is asked first? */
static bool preferred(const struct boot *b, const struct rail *rail)
{
	return b->plan->net.bootdev && streq(rail->name, b->plan->net.bootdev);
}

/*
 * The rails whose leases may name server and path: bootdev= if it has an address, then the others, and of these each time one
 * has led nowhere another one first.
 */
static size_t list_rails(const struct boot *b, const struct rail *ret[static RAILS_MAX])
{
	const struct rail *order[RAILS_MAX];
	size_t n = 0;

	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < b->n_rails; i++)
			if (preferred(b, &b->rails[i]) == first && result_of(b, &b->rails[i]))
				order[n++] = &b->rails[i];
	for (size_t i = 0; i < n; i++)
		ret[i] = order[(b->target.turn + i) % n];
	return n;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/*
 * The boot file may stand for a root-path, which DHCPv6 does not have: a URL of an NFS root (nfs://SERVER/PATH) or of
 * an image. A boot loader's own file (a script) is told by its content later.
 */
static const char *root_path(const struct address_result *a)
{
	const char *file = a->boot_file;

	if (*a->root_path)
		return a->root_path;
	if (begins(file, "http://") || begins(file, "https://") || begins(file, "live:"))
		return file;
	return a->method == ADDRESS_DHCP6 && begins(file, "nfs:") ? file : "";
}

/* What DHCP's root-path says, where the command line leaves it open. */
static int take_root_path(struct boot *b, const struct address_result *a, uint64_t now)
{
	const char *text = root_path(a);
	struct target *t = &b->target;
	uint64_t told;
	int r;

	if (t->image || t->block || (t->nfs && t->nfs->path))
		return 0;
	if (!*text)
		return b->plan->root.legacy_nfs ? 0 : -ENODATA;
	root_spec_freep(&t->spec);
	r = root_spec_parse(&t->spec, b->plan, text, strlen(text), NULL);
	if (r < 0)
		return r;
	t->nfs = t->spec->kind == PLAN_ROOT_NFS ? &t->spec->nfs : NULL;
	t->image = t->spec->kind == PLAN_ROOT_LIVE ? &t->spec->image : NULL;
	t->block = t->spec->kind == PLAN_ROOT_REMOTE ? &t->spec->block : NULL;
	told = fnv1a(FNV1A_BASIS, text, strlen(text));
	if (told != t->path_told)
		report_log(b->report, REPORT_INFO, "root", now, "root-path from DHCP: %s", text);
	t->path_told = told;
	return 0;
}

static bool given(const struct inet_addr *a)
{
	return a->family != AF_UNSPEC;
}

/* dracut's order: ip= peer, next-server, server-id. */
static const struct inet_addr *implied_server(const struct rail *rail, const struct address_result *a)
{
	if (rail->ip && given(&rail->ip->peer))
		return &rail->ip->peer;
	if (given(&a->next_server))
		return &a->next_server;
	return given(&a->server_id) ? &a->server_id : NULL;
}

/* "%s" in the path is the host name, or the address where there is no name. */
static int expand_path(struct boot *b, const struct address_result *a)
{
	struct target *t = &b->target;
	const char *path = t->nfs && t->nfs->path ? t->nfs->path : LEGACY_PATH;
	const char *name = b->plan->net.hostname ? b->plan->net.hostname : a->hostname;
	bool host = !t->nfs || !t->nfs->path || t->nfs->path_host;
	const char *at = host ? strstr(path, "%s") : NULL;
	char addr[INET_ADDR_TEXT];
	int n;

	if (!*name)
		name = inet_text(&a->addr, addr);
	if (at)
		n = snprintf(t->path, sizeof(t->path), "%.*s%s%s", (int)(at - path), path, name, at + 2);
	else
		n = snprintf(t->path, sizeof(t->path), "%s", path);
	return n < 0 || (size_t)n >= sizeof(t->path) ? -ENAMETOOLONG : 0;
}

const struct plan_portal *target_portal(const struct boot *b)
{
	const struct plan_block *block = b->target.block;

	return block && block->n_portals ? &block->portals[b->target.portal % block->n_portals] : NULL;
}

static int take_server(struct boot *b, const struct rail *rail, const struct address_result *a)
{
	const struct plan_portal *portal = target_portal(b);
	struct target *t = &b->target;
	const struct inet_addr *implied;

	t->addr = (struct inet_addr){0};
	if (portal) {
		t->addr = portal->addr;
		return strscpy(t->server, portal->server, sizeof(t->server)) < 0 ? -ENAMETOOLONG : 0;
	}
	if (t->nfs && t->nfs->server) {
		t->addr = t->nfs->server_addr;
		return strscpy(t->server, t->nfs->server, sizeof(t->server)) < 0 ? -ENAMETOOLONG : 0;
	}
	implied = implied_server(rail, a);
	if (!implied)
		return -ENODATA;
	t->addr = *implied;
	inet_text(implied, t->server);
	return 0;
}

/* What the command line and this lease make of the root: its kind, its server, its path. 0, or -errno: they name none. */
static int name_root(struct boot *b, const struct rail *rail, const struct address_result *a, uint64_t now)
{
	struct target *t = &b->target;
	int r = take_root_path(b, a, now);

	if (!target_may_be(b, r, rail->name, now))
		return -EPERM;
	if (r < 0)
		return r;
	t->ways = 1;
	if (t->image) {
		target_web_named(b);
		return 0;
	}
	if (t->block) {
		target_block_named(b);
		t->ways = t->block->n_portals;
		return target_portal(b) ? take_server(b, rail, a) : 0;
	}
	r = take_server(b, rail, a);
	return r < 0 ? r : expand_path(b, a);
}

static void unnamed(struct boot *b, const struct rail *rail, const struct address_result *a, uint64_t now)
{
	const char *text = root_path(a);
	char why[REPORT_TEXT_MAX];

	if (*text)
		snprintf(why, sizeof(why), "root-path of its lease: \"%s\"", text);
	else
		snprintf(why, sizeof(why), "%s", a->method == ADDRESS_STATIC ? "its address is static" :
			"no root-path in its lease, or no server");
	target_note(b, CAUSE_ROOT_UNNAMED, rail->name, why);
	report_cause(b->report, CAUSE_ROOT_UNNAMED, rail->name, now, "%s", why);
}

/* Does the lease of one of the families name the root? The kinds of an earlier, bad word are forgotten. */
static bool named_by(struct boot *b, const struct rail *rail, uint64_t now)
{
	const struct address_result *first = result_of(b, rail), *six;

	if (name_root(b, rail, first, now) >= 0 || b->finished)
		return !b->finished;
	six = addresses_result_of(b->addresses, rail->ifindex, AF_INET6);
	target_forget(b);
	if (six && six != first && name_root(b, rail, six, now) >= 0)
		return true;
	if (b->finished)
		return false;
	target_forget(b);
	unnamed(b, rail, first, now);
	return false;
}

bool target_name(struct boot *b, uint64_t now)
{
	const struct rail *rails[RAILS_MAX];
	size_t n = list_rails(b, rails);

	for (size_t i = 0; i < n && !b->finished; i++)
		if (named_by(b, rails[i], now))
			return true;
	if (n && !b->finished)
		report_wait(b->report, CAUSE_ROOT_UNNAMED, "root", now, "no lease and no option names the root yet");
	return false;
}
