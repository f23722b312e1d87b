/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check: options that are fine one by one but not together. */
#include "parser.h"

/* The last word of a list option that holds a module's name, for the caret. */
static struct slice find_name(const struct parser *p, const char *name,
	const struct plan_word **ret)
{
	for (size_t i = p->n_words; i-- > 0;) {
		const struct plan_word *w = &p->words[i];
		struct slice rest, item;

		if (!word_is(w, OPTION_RD_DRIVER_BLACKLIST) &&
			!word_is(w, OPTION_MODPROBE_BLACKLIST))
			continue;
		rest = word_value(w);
		while (slice_next(&rest, ',', &item)) {
			*ret = w;
			if (slice_is(item, name))
				return item;
		}
	}
	return WHOLE;
}

/*
 * A module both held back and asked for by name. Not an error: as with modprobe, asking by name
 * outweighs the blacklist. Beside rd.driver.post= that has a use.
 */
static void check_blacklist(struct parser *p)
{
	const char *const *names = p->blacklist.items;

	for (size_t i = 0; i < p->blacklist.n; i++) {
		const struct plan_word *w = NULL;
		bool pre = find_named(&p->pre, names[i]), post = find_named(&p->post, names[i]);
		struct slice at;

		if (!pre && !post)
			continue;
		at = find_name(p, names[i], &w);
		complain(p, w, at, pre ? DIAG_WARN : DIAG_NOTE,
			pre ? "keep it in one of the two lists" : NULL, "%s is also in %s",
			names[i], pre ? "rd.driver.pre: it is loaded all the same"
			: "rd.driver.post: it is loaded in its turn, and for no device before");
	}
}

/* The kernel's own list: these are loaded in no way (kernel/module/main.c). */
static void check_refused(struct parser *p)
{
	for (size_t i = 0; i < p->n_words; i++) {
		const struct plan_word *w = &p->words[i];
		struct slice rest = word_value(w), item;

		while (streq(w->name, "module_blacklist") && slice_next(&rest, ',', &item))
			if (find_named(&p->pre, keep(p, item)) ||
				find_named(&p->post, keep(p, item)))
				complain(p, w, item, DIAG_WARN, "leave it out",
					"the kernel refuses to load %.*s, which is named as well",
					SLICE(item));
	}
}

/* "rd.driver.post=a, b": the space ends the list. */
static bool broken_list(struct parser *p, const struct plan_word *w)
{
	const struct plan_word *next = w + 1;
	struct slice v = word_value(w);

	if (next == p->words + p->n_words || v.s[v.len - 1] != ',' ||
		next->source != w->source || next->value || next->kind != PLAN_WORD_UNKNOWN)
		return false;
	complain(p, w, slice_from(v, v.len - 1), DIAG_WARN,
		textf(p, "write %s=%s%s", w->row->name, v.s, next->name),
		"a space after the comma ends the list: %s is not in it", next->name);
	return true;
}

static void check_lists(struct parser *p)
{
	for (size_t i = 0; i < p->n_words; i++) {
		const struct plan_word *w = &p->words[i];

		if (w->row && w->row->parse == parse_drivers && word_value(w).len &&
			!broken_list(p, w))
			check_empty(p, w);
	}
}

/*
 * An overall limit below the network's share means that what should happen when that share is
 * over never does (dracut's manual warns of it, openSUSE's health-checker had it).
 */
static void check_budget(struct parser *p)
{
	const struct boot_plan *plan = p->plan;
	const struct plan_word *w = parser_word(p, OPTION_RD_TIMEOUT);

	if (!w || plan->timeout_s == 0)
		return;
	if (plan->retry_s == 0 || plan->timeout_s <= plan->retry_s)
		complain(p, w, word_value(w), DIAG_WARN,
			"make rd.timeout longer than rd.retry, or 0",
			"the whole boot gets %u s, no more than the network's share "
			"(rd.retry=%u): rd.retry cannot run out first", plan->timeout_s,
			plan->retry_s);
}

/*
 * The kernel takes the last of the two, dracut takes rw wherever it stands. Boot loaders put "ro"
 * on every line, so "ro ... rw" is everyday and only "rw ... ro" is surprising.
 */
static void check_rorw(struct parser *p)
{
	struct plan_word *ro = parser_word(p, OPTION_RO), *rw = parser_word(p, OPTION_RW);

	if (!ro || !rw)
		return;
	if (p->plan->root.rw) {
		say(p, ro, "has no effect: rw further on counts");
		note_word(p, rw, "keep one of them", "ro is there as well; the last one counts");
	} else {
		say(p, rw, "has no effect: ro further on counts");
		warn_word(p, ro, "keep one of them",
			"rw is there as well; the last one counts, dracut would take rw");
	}
}

/* Is no interface going to hear a server? Without any ip=, all of them are. */
static bool nobody_asks(const struct parser *p)
{
	if (bootif_asks(p))
		return false;
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->methods & ~(unsigned int)(PLAN_IP_STATIC | PLAN_IP_LINK6))
			return false;
	return p->ips.n > 0;
}

/* Nothing on the line and no DHCP to tell where the root is. */
static void check_source(struct parser *p)
{
	const struct plan_root *root = &p->plan->root;
	bool open;

	if (!nobody_asks(p))
		return;
	open = root->kind == PLAN_ROOT_DHCP ||
		(root->kind == PLAN_ROOT_NFS && (!root->nfs.n_servers || !root->nfs.path));
	if (!open || (root->legacy_nfs && root->nfs.n_servers))
		return;
	complain(p, root_word(p), WHOLE, DIAG_FATAL,
		"name server and path in root=, or give an interface ip=IFNAME:dhcp",
		"server or path must come from DHCP, but no ip= asks for a lease");
}

/* Options that say nothing wrong by themselves but do nothing for this root. */
static void check_nfs(struct parser *p)
{
	struct plan_word *fallback = parser_word(p, OPTION_RD_NFS_FALLBACK);
	const struct plan_root *root = &p->plan->root;

	if (fallback && (root->kind == PLAN_ROOT_REMOTE || plan_is_fetched(root->kind)))
		say(p, fallback, "has no effect: the root is no NFS export");
	if (root->kind != PLAN_ROOT_NFS)
		return;
	if (fallback && root->nfs.fallback_tcp && root->nfs.proto != PLAN_NFS_PROTO_RDMA)
		note_word(p, fallback, "add proto=rdma to the root's options",
			"the root is asked for over TCP anyway");
}

/* What only a root on a block device has. The kernel looks at rootfstype= as well, for the
 * initramfs. */
static void check_mount_options(struct parser *p)
{
	struct plan_word *flags = parser_word(p, OPTION_ROOTFLAGS),
			 *type = parser_word(p, OPTION_ROOTFSTYPE);
	enum plan_root_kind kind = p->plan->root.kind;

	if (kind != PLAN_ROOT_NFS && !plan_is_fetched(kind))
		return;
	if (type)
		say(p, type, "has no effect: the root is no block device");
	if (flags)
		say(p, flags, "has no effect: the root is no block device");
	if (flags && kind == PLAN_ROOT_NFS)
		warn_word(p, flags, "write them after the path: root=nfs:SERVER:/PATH:OPTIONS",
			"not used for an NFS root, nor by dracut");
	else if (flags && !parser_word(p, OPTION_IMGURL))
		note_word(p, flags, "leave it out", "only for a root on a block device");
}

/* root=dhcp6 beside ip= that do not ask for it. */
static void check_dhcp6(struct parser *p)
{
	const struct plan_root *root = &p->plan->root;

	if (root->kind != PLAN_ROOT_DHCP || !streq(root->text, "dhcp6"))
		return;
	FOR_EACH(struct plan_ip, ip, &p->ips)
		if (ip->methods & (PLAN_IP_DHCP6 | PLAN_IP_EITHER6))
			return;
	warn_word(p, root_word(p), add_method(p, "dhcp6", ""),
		"the root is named by DHCPv6, but no ip= asks it");
}

/* Every ip= was left out: that must not pass for a choice of DHCP. */
static void check_ip_left(struct parser *p)
{
	const struct plan_word *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->n_words; i++)
		if (word_is(&p->words[i], OPTION_IP)) {
			last = &p->words[i];
			n++;
		}
	if (last && p->ips.n == 0)
		warn_word(p, last, "correct the ip= option",
			"%s ip= option is %s, so every interface asks by DHCP",
			n == 1 ? "the only" : "no", n == 1 ? "invalid" : "valid");
}

static bool is_off(const struct plan_word *w)
{
	struct slice v = word_value(w);

	return value_switch(v.s, v.len) == SWITCH_OFF;
}

/*
 * Disks over the network that dracut connects in hooks of its own network scripts, which do not run
 * when the agent brings the network up: parse-iscsiroot.sh, parse-fcoe.sh,
 * parse-nvmf-boot-connections.sh. Options beside these only say how.
 */
static bool dracut_connects(const struct parser *p)
{
	static const char *const switches[] = {"rd.iscsi.firmware", "iscsi_firmware"};
	static const char *const values[] = {"netroot", "iscsiroot", "rd.nvmf.discover"};
	bool fcoe = false, no_fcoe = false;

	for (const struct plan_word *w = p->words; w < p->words + p->n_words; w++) {
		if (str_among(w->name, switches, ARRAY_SIZE(switches)) && !is_off(w))
			return true;
		if (str_among(w->name, values, ARRAY_SIZE(values)) && word_value(w).len)
			return true;
		fcoe |= streq(w->name, "fcoe") && word_value(w).len;
		no_fcoe |= streq(w->name, "rd.fcoe") && is_off(w);
	}
	return fcoe && !no_fcoe;
}

/* Roots of dracut's and systemd's that no server has. */
static bool is_local(const struct plan_root *root)
{
	static const char starts[][12] = {"ZFS=", "zfs:", "tmpfs", "overlay:", "mount:",
		"gpt-auto", "dissect", "virtiofs:"};

	for (size_t i = 0; root->kind == PLAN_ROOT_OTHER && i < ARRAY_SIZE(starts); i++)
		if (strncmp(root->text, starts[i], strlen(starts[i])) == 0)
			return true;
	return root->kind == PLAN_ROOT_BLOCK;
}

static bool needs_network(enum plan_root_kind kind)
{
	return kind == PLAN_ROOT_NFS || kind == PLAN_ROOT_DHCP || plan_is_fetched(kind) ||
		kind == PLAN_ROOT_REMOTE;
}

/* The root is a folder below what is mounted, where dracut's module ostree puts it together. */
static void check_ostree(struct parser *p)
{
	for (struct plan_word *w = p->words; w < p->words + p->n_words; w++)
		if (streq(w->name, "ostree") && needs_network(p->plan->root.kind))
			warn_word(p, w, "name a root with an init in root=",
				"no deployment of OSTree is entered: the root is what is mounted");
}

/* What ip= asks for beside a root that needs no network, which nothing brings up then. */
static void check_idle_ip(struct parser *p)
{
	struct plan_word *w = parser_word(p, OPTION_IP);

	if (w && !p->plan->net.neednet && is_local(&p->plan->root) && !dracut_connects(p))
		note_word(p, w, "add rd.neednet=1 for the network, or leave ip= out",
			"the root is local, and without rd.neednet=1 no network is brought up");
}

/*
 * Whether there will be a network is known only here, when root, ip= and BOOTIF= all are; saying
 * rd.neednet=0 cannot take it away from a root that needs it (nor does it in dracut).
 */
static void check_wanted(struct parser *p)
{
	struct boot_plan *plan = p->plan;
	struct plan_word *w = parser_word(p, OPTION_RD_NEEDNET);
	bool root = needs_network(plan->root.kind);

	plan->net.wanted = plan->net.neednet || root || p->ips.n || plan->net.bootif.len;
	plan->net.alone = plan->net.neednet && is_local(&plan->root) && !dracut_connects(p);
	if (!w || plan->root.kind == PLAN_ROOT_NONE)
		return;
	if (plan->net.neednet && !plan->net.alone && !root)
		say(p, w, "left to dracut");
	if (!plan->net.neednet && root)
		note_word(p, w, "leave it out",
			"the root is on the network, which is brought up all the same");
}

/* In the order of a boot, so that remarks of equal position read like one. */
void check_plan(struct parser *p)
{
	check_blacklist(p);
	check_refused(p);
	check_lists(p);
	check_budget(p);
	check_rorw(p);
	check_source(p);
	check_nfs(p);
	check_mount_options(p);
	check_ostree(p);
	check_dhcp6(p);
	check_wanted(p);
	check_idle_ip(p);
	check_image(p);
	check_pull(p);
	check_block(p);
	check_net(p);
	check_hosts(p);
	check_links(p);
	check_ip_left(p);
}
