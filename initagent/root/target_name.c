// SPDX-License-Identifier: GPL-2.0-or-later
/* target_name: what command line and leases name: the kind of the root, its server, its path. */
#include "root/private.h"

#include <strings.h>

/* The rail's lease, if it has an address. */
static const struct address_result *result_of(const struct target *t, const struct rail *rail)
{
	return rail->configured ? addresses_result(rails_addresses(t->cfg.rails), rail->ifindex)
		: NULL;
}

/*
 * The rails whose leases may name server and path: bootdev= or BOOTIF= if it has an address, then
 * the others, and after each one that failed another one first.
 */
static size_t list_rails(const struct target *t, const struct rail *ret[static RAILS_LIMIT])
{
	const struct rail *order[RAILS_LIMIT];
	size_t n_rails, n = 0;
	const struct rail *rails = rails_list(t->cfg.rails, &n_rails);

	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < n_rails; i++)
			if (rails[i].leads == (bool)first && result_of(t, &rails[i]))
				order[n++] = &rails[i];
	for (size_t i = 0; i < n; i++)
		ret[i] = order[(t->rail_turn + i) % n];
	return n;
}

/* A scheme, in whatever letters (RFC 3986 3.1): root_spec_parse() judges it. */
static bool begins(const char *text, const char *with)
{
	return strncasecmp(text, with, strlen(with)) == 0;
}

/*
 * The boot file may be used as a root-path, which DHCPv6 does not have: a URL of an NFS root
 * (nfs://SERVER/PATH) or of an image. A boot loader's own file (a script) is told by its content
 * later.
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

/* Does the command line name the root itself, down to its path? */
static bool is_named(const struct target *t)
{
	return t->choice.image || t->choice.block || (t->choice.nfs && t->choice.nfs->path);
}

/* What DHCP's root-path says, where the command line leaves it open. */
static int take_root_path(struct target *t, const struct address_result *a, uint64_t now)
{
	const struct plan_nfs *nfs = t->choice.nfs;
	const char *text = root_path(a);
	uint64_t shown;
	int r;

	if (is_named(t))
		return 0;
	if (!*text) {
		if (!t->cfg.plan->root.legacy_nfs)
			return -ENODATA;
		target_choose(t, PLAN_ROOT_NFS, nfs, NULL, NULL);
		return 0;
	}
	root_spec_freep(&t->spec);
	r = root_spec_parse(&t->spec, t->cfg.plan, text, strlen(text), NULL);
	if (r < 0)
		return r;
	target_choose(t, t->spec->kind, &t->spec->nfs, &t->spec->image, &t->spec->block);
	shown = fnv1a(FNV1A_BASIS, text, strlen(text));
	if (shown != t->path_shown)
		report_log(t->report, REPORT_INFO, "root", now, "root-path from DHCP: %s", text);
	t->path_shown = shown;
	return 0;
}

/* dracut's order: ip= peer, next-server, server-id. */
static const struct inet_addr *implied_server(const struct rail *rail,
	const struct address_result *a)
{
	if (rail->ip && rail->ip->peer.family)
		return &rail->ip->peer;
	if (a->next_server.family)
		return &a->next_server;
	return a->server_id.family ? &a->server_id : NULL;
}

/* What the command line and this lease make of the root: its kind, its server, its path. 0, or
 * -errno: they name none. */
static int name_root(struct target *t, const struct rail *rail, const struct address_result *a,
	uint64_t now)
{
	char addr[INET_ADDR_TEXT];
	struct source_hint hint = {
		.server = implied_server(rail, a),
		.host = t->cfg.plan->net.hostname ? t->cfg.plan->net.hostname : a->hostname,
	};
	int r = take_root_path(t, a, now);

	if (!target_may_be(t, r, rail->name, now))
		return -EPERM;
	if (r < 0)
		return r;
	if (!t->ops) {
		target_end(t, CAUSE_CMDLINE_ROOT_KIND, rail->name,
			"this build has no roots of that kind");
		return -EOPNOTSUPP;
	}
	if (!*hint.host)
		hint.host = inet_text(&a->addr, addr);
	r = t->ops->server(&t->choice, t->server_turn, &hint, &t->server);
	t->ways = t->server.servers;
	return r;
}

/* error: what name_root() returned; -EPERM was told there. */
static void unnamed(struct target *t, const struct rail *rail, const struct address_result *a,
	int error, uint64_t now)
{
	const char *text = root_path(a);
	char why[REPORT_TEXT_MAX];

	if (error == -EPERM)
		return;
	if (*text)
		snprintf(why, sizeof(why), "root-path of its lease: \"%s\"%s", text,
			error == -EPROTONOSUPPORT
				? ", which dracut takes from root= or netroot= alone" : "");
	else
		snprintf(why, sizeof(why), "%s",
			a->method == ADDRESS_STATIC ? "its address is static"
						    : "no root-path in its lease, or no server");
	target_note(t, CAUSE_ROOT_UNNAMED, rail->name, why);
	report_cause(t->report, CAUSE_ROOT_UNNAMED, rail->name, now, "%s", why);
}

/* Does the lease of one of the families name the root? The kinds of an earlier, bad name are
 * forgotten. */
static bool named_by(struct target *t, const struct rail *rail, uint64_t now)
{
	const struct address_result *first = result_of(t, rail), *six;
	int r;

	r = name_root(t, rail, first, now);
	if (r >= 0 || t->ended)
		return !t->ended;
	six = addresses_result_of(rails_addresses(t->cfg.rails), rail->ifindex, AF_INET6);
	target_forget(t);
	if (six && six != first) {
		int r6 = name_root(t, rail, six, now);

		if (r6 >= 0 || t->ended)
			return !t->ended;
		r = r6 == -EPERM ? r6 : r;
		target_forget(t);
	}
	unnamed(t, rail, first, r, now);
	return false;
}

bool target_name(struct target *t, uint64_t now)
{
	const struct rail *rails[RAILS_LIMIT];
	size_t n = list_rails(t, rails);

	for (size_t i = 0; i < n && !t->ended; i++)
		if (named_by(t, rails[i], now))
			return true;
	if (n && !t->ended)
		report_wait(t->report, CAUSE_ROOT_UNNAMED, "root", now,
			"no lease and no option names the root yet");
	return false;
}
