/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmdline: from text to plan in three passes: split every source into words, give each word to
 * whom it belongs, then settle what depends on several words.
 */
#include "parser.h"

struct boot_plan *plan_free(struct boot_plan *plan)
{
	if (plan)
		arena_free(plan->arena);
	return NULL;
}

/* --- pass 1: words ------------------------------------------------------------------------ */

/* Copies, since the caller's text need not live as long as the plan. */
static void add_word(struct parser *p, const char *text, const struct raw_word *raw,
	unsigned int source)
{
	struct plan_word *w = &p->words[p->n_words++];

	*w = (struct plan_word){
		.kind = PLAN_WORD_UNKNOWN,
		.name = keep(p, raw->name),
		.value = raw->value.s ? keep(p, raw->value) : NULL,
		.source = source,
		.pos = raw->pos,
		.len = raw->len,
		.value_pos = raw->value.s ? (size_t)(raw->value.s - text) : raw->pos,
	};
	if (raw->open_quote)
		warn_word(p, w, "close the quote",
			"a quote is left open: the rest of the line belongs to this word");
	if (raw->odd_space)
		warn_word(p, w,
			raw->odd_space == '\r' ? "save the file with Unix line ends"
					       : "write a space",
			"byte 0x%02x ends a word for the kernel, for other programs it does not",
			raw->odd_space);
}

/*
 * COMMAND_LINE_SIZE with its final NUL: x86, arm64 and powerpc have 2,048 bytes, no architecture
 * more than 4,096 (their asm/setup.h).
 */
#define KERNEL_LINE	 2048
#define KERNEL_LINE_MAX 4096

/* A kernel that UEFI has started drops all of the word that is too much: as long a one. */
#define DROPPED_WORD 256

/* A line that is cut loses its last options without a sign. */
static void check_length(struct parser *p, const struct plan_source *src)
{
	static const char remedy[] = "shorten it, or move options to the image's /etc/cmdline.d";
	size_t n = strnlen(src->text, src->len);

	n -= n && src->text[n - 1] == '\n';
	if (src->running && (n == KERNEL_LINE - 1 || n == KERNEL_LINE_MAX - 1))
		complain(p, NULL, WHOLE, DIAG_ERROR, remedy,
			"the line has %zu bytes, the most this kernel can take: it was probably "
			"cut", n);
	else if (src->running && n < KERNEL_LINE && n + DROPPED_WORD >= KERNEL_LINE)
		complain(p, NULL, WHOLE, DIAG_WARN, remedy,
			"the line has %zu bytes of %d: were its last words dropped?", n,
			KERNEL_LINE - 1);
	if (src->running || src->name || n < KERNEL_LINE)
		return;
	complain(p, NULL, WHOLE, n < KERNEL_LINE_MAX ? DIAG_WARN : DIAG_ERROR, remedy,
		"the line has %zu bytes: %s cut it off after %d", n,
		n < KERNEL_LINE_MAX ? "kernels for x86, arm64 and powerpc" : "all kernels",
		(n < KERNEL_LINE_MAX ? KERNEL_LINE : KERNEL_LINE_MAX) - 1);
}

/* One word, whatever is in it. */
static void add_credential(struct parser *p, const struct plan_source *src, unsigned int index)
{
	size_t len = strnlen(src->text, min_u64(src->len, PLAN_SOURCE_MAX));
	const struct raw_word raw = {.len = len,
		.name = slice_of(option_row(OPTION_SYSTEMD_SET_CREDENTIAL)->name),
		.value = {src->text, len}};

	add_word(p, src->text, &raw, index);
}

/* What is cut off or left out is always said: a truncated line may have lost its root=. */
static void split_source(struct parser *p, const struct plan_source *src, unsigned int index)
{
	struct word_cursor c;
	struct raw_word raw;
	bool dashes = false;
	size_t len = src->len < PLAN_SOURCE_MAX ? src->len : PLAN_SOURCE_MAX;

	check_length(p, src);
	word_cursor_init(&c, src->text, len);
	if (c.len < src->len) {
		struct diag d = {.severity = DIAG_ERROR,
			.source = index,
			.word = c.len,
			.pos = c.len,
			.len = 1};

		d.text = c.len == PLAN_SOURCE_MAX
				 ? "the text is too long; the rest is left out"
				 : "a NUL byte ends the text; the rest is left out";
		diag_add(p->diags, &d);
	}
	while (p->n_words < PLAN_WORDS_MAX && word_next(&c, &raw)) {
		struct plan_word *w = &p->words[p->n_words];

		add_word(p, src->text, &raw, index);
		if (dashes) {
			w->kind = PLAN_WORD_INIT;
		} else if (!w->value && streq(w->name, "--")) {
			w->kind = PLAN_WORD_SYSTEM;
			dashes = true;
		}
	}
	if (word_next(&c, &raw))
		complain(p, &p->words[p->n_words - 1], WHOLE, DIAG_ERROR, NULL,
			"more than %d words; the rest is left out", PLAN_WORDS_MAX);
}

/* How many words there will be, at most: each has a byte and a space. */
static size_t most_words(const struct plan_source *src, size_t n_src)
{
	size_t n = 0;

	for (size_t i = 0; i < n_src && n < PLAN_WORDS_MAX; i++)
		n += min_u64(src[i].len, PLAN_SOURCE_MAX) / 2 + 1;
	return min_u64(n, PLAN_WORDS_MAX);
}

/* --- pass 2: options ---------------------------------------------------------------------- */

/* Every other empty value is left out; an empty switch is on. */
static void comment_empty(struct parser *p, const struct option_row *row, const struct plan_word *w)
{
	if (row->status == OPTION_ACTED && strncmp(row->grammar, "[0|1]", 5) == 0 && w->value &&
		!w->value[0])
		warn_word(p, w, textf(p, "write %s=1 or %s=0", row->name, row->name),
			"empty: read as on, like dracut");
}

/* dracut's iscsi module logs in to the target of each netroot=iscsi:, as multipath needs. */
static bool is_next_target(struct parser *p, const struct option_row *row,
	struct plan_word *before, const struct plan_word *w)
{
	if (row->id != OPTION_NETROOT || !slice_starts(word_value(before), "iscsi:") ||
		!slice_starts(word_value(w), "iscsi:"))
		return false;
	return say(p, before, "is used as the netroot= further on is");
}

/*
 * Overriding a file's value on the kernel's line is normal; two values on one line hardly are
 * meant.
 */
static void take_again(struct parser *p, const struct option_row *row, struct plan_word *before,
	const struct plan_word *w)
{
	const char *joined;

	if (is_next_target(p, row, before, w))
		return;
	before->kept = false;
	before->by = w;
	say(p, before, "has no effect: given again further on");
	if (before->source == w->source && !overlay_joined(before, w) &&
		!streq(before->value ? before->value : "1", w->value ? w->value : "1")) {
		joined = row->id == OPTION_ROOT ? nfs_joined(p, before, w) : NULL;
		warn_word(p, before, joined ? joined : "keep one of them",
			"given again with another value; the last one counts");
	}
}

/* "root = VALUE", "root =VALUE", "root= VALUE": the next word is the value, or has the '='. */
static bool is_spaced(const struct parser *p, const struct plan_word *w)
{
	const struct plan_word *next = w + 1;
	const size_t len = next == p->words + p->n_words ? 0 : strlen(next->name);

	return len && (next->name[0] == '=' ||
		(w->value && !option_find(next->name, len, NULL) &&
			word_owner(next->name, len) == OWNER_NOBODY));
}

/* A malformed repetition does not undo a well-formed one. */
static void take_option(struct parser *p, const struct option_row *row, struct plan_word *w)
{
	struct plan_word *before = parser_word(p, row->id);

	w->kind = PLAN_WORD_OPTION;
	w->row = row;
	p->plan->given[row->id] = true;
	if (row->flags & OPTION_VALUE && (!w->value || !w->value[0])) {
		complain(p, w, WHOLE, w->value ? DIAG_WARN : DIAG_ERROR, is_spaced(p, w)
				? textf(p, "write %s=VALUE without spaces", row->name)
				: textf(p, "write %s=%s", row->name, row->grammar),
			"no value; as if it were not given");
		return;
	}
	comment_empty(p, row, w);
	if (!row->parse(p, row, w))
		return;
	p->taken[row->id] = (size_t)(w - p->words) + 1;
	w->kept = !(row->flags & OPTION_ONCE) && w->source + 1 != p->firmware;
	if (!before || row->flags & OPTION_LIST)
		return;
	take_again(p, row, before, w);
}

/* "name=value" without the quotes, as the kernel hands it to init. */
static void take_init_arg(struct parser *p, struct plan_word *w)
{
	const char *arg = w->value ? textf(p, "%s=%s", w->name, w->value) : w->name;

	if (!APPEND(p, &p->init_args, arg, w))
		return;
	say(p, w, "an argument of the real init");
	if (w->kind == PLAN_WORD_INIT && option_find(w->name, strlen(w->name), NULL))
		warn_word(p, w, "move it in front of --",
			"after -- this belongs to init alone; dracut would still act on it");
}

/* Words that an old-style init takes from the kernel: the run level, as in dracut. */
static bool run_level(const struct plan_word *w)
{
	static const char *const names[] = {"single", "emergency", "auto", "rescue", "s", "S"};

	if (w->value)
		return false;
	return (w->name[0] >= '0' && w->name[0] <= '9' && !w->name[1]) ||
		str_among(w->name, names, ARRAY_SIZE(names));
}

/* What names the root to live-boot(7), which starts such nodes in Debian's live systems. */
static bool take_live_boot(struct parser *p, struct plan_word *w)
{
	struct slice v = word_value(w);
	bool image = streq(w->name, "fetch") || streq(w->name, "httpfs");
	bool web = slice_starts_scheme(v, "http:") || slice_starts_scheme(v, "https:");

	if (!w->value || !(image || streq(w->name, "netboot")))
		return false;
	w->kind = PLAN_WORD_UNKNOWN;
	note_word(p, w, !image ? "leave it out"
		: web ? textf(p, "write root=%s", w->value) : "root=http://... or https://",
		"live-boot's, unknown to this agent");
	return true;
}

/* The option that people mean by another name; NULL: none. */
static const char *other_name(struct parser *p, const char *name)
{
	static const char *const others[][2] = {{"blacklist", "rd.driver.blacklist"},
		{"dns", "nameserver"}, {"rd.dns", "nameserver"},
		{"rd.driver.load", "rd.driver.pre"},
		{"rd.ib.mtu", "ip=IFNAME:METHOD:MTU"}, {"rd.ib.partition", "rd.ib.pkey"},
		{"rd.net.dhcp.timeout", "rd.net.timeout.dhcp"}, {"rd.retries", "rd.retry"},
		{"rd.root.sha256", "rd.root.digest"}, {"rootnfs", "root"}};
	const char *twin = strncmp(name, "rd.", 3) == 0 ? name + 3 : textf(p, "rd.%s", name);
	const struct option_row *row = option_find(twin, strlen(twin), NULL);

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (streq(name, others[i][0]))
			return others[i][1];
	return row && row->status == OPTION_ACTED ? row->name : NULL;
}

/* "root=nfs 192.0.2.1:/x", "root=nfs:192.0.2.1:/x vers=3": what belongs to root=. */
static bool take_root_part(struct parser *p, struct plan_word *w)
{
	const struct plan_word *before = w;
	enum plan_root_kind kind = root_kind_of(slice_of(w->name));
	const char *text = w->value ? textf(p, "%s=%s", w->name, w->value) : w->name;

	if (w->name[0] != '/' && strchr(w->name, ':') &&
		(kind == PLAN_ROOT_NFS || kind == PLAN_ROOT_LIVE)) {
		warn_word(p, w, textf(p, "did you mean root=%s?", text), "a root without root=");
		return true;
	}
	while (before > p->words && nfs_is_option(slice_of(before->name)))
		before--;
	if (before == w || before->source != w->source || !word_is(before, OPTION_ROOT) ||
		root_kind_of(word_value(before)) != PLAN_ROOT_NFS)
		return false;
	warn_word(p, w, textf(p, "write root=%s,%s", before->value, text),
		"an NFS option by itself has no effect");
	return true;
}

/*
 * In our family (rd.) or one slip away from an option it is a mistake; anything else may be for
 * some program of the real root that reads /proc/cmdline.
 */
static void take_unknown(struct parser *p, struct plan_word *w)
{
	const char *other = other_name(p, w->name);
	const char *near = other ? NULL : option_suggest(w->name, strlen(w->name));
	bool ours = strncmp(w->name, "rd.", 3) == 0;

	if (take_live_boot(p, w))
		return;
	w->kind = PLAN_WORD_UNKNOWN;
	if (take_root_part(p, w))
		return;
	if (near)
		warn_word(p, w, textf(p, "did you mean %s?", near),
			"unknown; it has no effect");
	else
		complain(p, w, WHOLE, ours ? DIAG_WARN : DIAG_NOTE,
			other ? textf(p, "did you mean %s?", other) : NULL,
			"unknown to this agent; the kernel, init or another program may know it");
	if (!near)
		say(p, w, "has no effect here");
}

/*
 * An option but for the case of its letters, for what stands in front of it, or for a ':' in place
 * of the '=': its default acts instead. '#' in front is how people take an option out.
 */
static bool take_almost(struct parser *p, struct plan_word *w)
{
	const struct option_row *row = option_find_case(w->name, strlen(w->name));
	const size_t junk = strcspn(w->name, ALNUM);
	const bool quote = w->name[0] == '\'';
	const char *name = w->name + junk;
	const size_t len = strcspn(name, "':");

	if (row) {
		warn_word(p, w, textf(p, "write %s", row->name),
			"unknown; names are case-sensitive, it has no effect");
		return true;
	}
	row = w->name[0] == '#' ? NULL : option_find(name, len, NULL);
	if (!row || !(junk || name[len]))
		return false;
	if (junk)
		warn_word(p, w, quote ? "leave the quotes out, or write \""
				: textf(p, "write %s without what is in front", row->name),
			quote ? "the kernel knows double quotes only: %s is not set"
			: "what is in front of the name is a part of it: %s is not set", row->name);
	else
		warn_word(p, w, textf(p, "write %s=%s", row->name, name + len + 1),
			"no '=' behind the name: %s is not set", row->name);
	return true;
}

/* Words that are not ours; a '.' makes a module parameter of the others. */
static void take_foreign(struct parser *p, struct plan_word *w)
{
	static const struct {
		enum plan_word_kind kind;
		const char *effect;
	} owners[] = {
		[OWNER_KERNEL] = {PLAN_WORD_KERNEL, "for the kernel"},
		[OWNER_SYSTEM] = {PLAN_WORD_SYSTEM, "for the real system"},
		[OWNER_DRACUT] = {PLAN_WORD_DRACUT, "for dracut's modules; this agent ignores it"},
	};
	enum word_owner owner = word_owner(w->name, strlen(w->name));

	if (owner == OWNER_NOBODY) {
		if (take_almost(p, w))
			return;
		if (param_parse(p, w))
			w->kind = PLAN_WORD_PARAM;
		else
			take_unknown(p, w);
		return;
	}
	w->kind = owners[owner].kind;
	say(p, w, "%s", owners[owner].effect);
	/* "modulename.param" of a family listed above is still a module's parameter */
	if (owner == OWNER_KERNEL && strchr(w->name, '.'))
		param_parse(p, w);
}

static void comment_alias(struct parser *p, const struct option_row *row,
	const struct option_alias *alias, const struct plan_word *w)
{
	static const struct {
		enum diag_severity severity;
		const char *text;
	} origins[] = {
		[ALIAS_OURS] = {DIAG_NOTE, ""},
		[ALIAS_DROPPED] = {DIAG_WARN, "; dracut dropped it in version 104"},
		[ALIAS_RENAMED] = {DIAG_NOTE, "; renamed in dracut-ng 110"},
		[ALIAS_WARNED] = {DIAG_NOTE, "; dracut takes it with a warning"},
		[ALIAS_KERNEL] = {DIAG_WARN, "; the kernel's, which dracut does not read"},
	};

	complain(p, w, WHOLE, origins[alias->origin].severity,
		textf(p, "write %s%s%s", row->name, w->value ? "=" : "", w->value ? w->value : ""),
		"an old name of %s%s", row->name, origins[alias->origin].text);
}

/*
 * An image may hold what its machine was booted with, and the boot loader gives it again: not twice
 * the same bond, mirror or port.
 */
static bool is_repeated(const struct parser *p, const struct plan_word *w)
{
	for (const struct plan_word *next = w + 1; next < p->words + p->n_words; next++)
		if (next->source != w->source && next->source + 1 != p->firmware &&
			next->kind == PLAN_WORD_UNKNOWN &&
			streq(next->name, w->name) && !next->value == !w->value &&
			streq(next->value ? next->value : "", w->value ? w->value : ""))
			return true;
	return false;
}

/* Old names are taken with their new meaning: notes of years ago still boot. */
static void take_word(struct parser *p, struct plan_word *w)
{
	const struct option_alias *alias;
	const struct option_row *row;

	if (w->kind == PLAN_WORD_INIT || run_level(w)) {
		take_init_arg(p, w);
		if (w->kind != PLAN_WORD_INIT)
			w->kind = PLAN_WORD_SYSTEM;
		return;
	}
	if (w->kind == PLAN_WORD_SYSTEM) { /* the "--" itself */
		say(p, w, "what follows are arguments of the real init");
		return;
	}
	row = option_find(w->name, strlen(w->name), &alias);
	if (!row) {
		take_foreign(p, w);
		check_text(p, w);
		return;
	}
	if (is_repeated(p, w)) {
		w->kind = PLAN_WORD_OPTION;
		w->row = row;
		say(p, w, "has no effect: given again further on");
		return;
	}
	if (alias)
		comment_alias(p, row, alias, w);
	take_option(p, row, w);
	check_text(p, w);
}

/* --- the whole ---------------------------------------------------------------------------- */

static void set_defaults(struct boot_plan *plan)
{
	for (size_t i = 0; i < OPTION_N; i++) {
		const struct option_row *row = option_row((enum option_id)i);
		char *field = (char *)plan + row->field;

		if (!row->field)
			continue;
		if (row->parse == parse_boolean)
			*(bool *)field = streq(row->def, "on");
		else
			value_u32(row->def, strlen(row->def), UINT32_MAX, (uint32_t *)field);
	}
	plan->init = option_row(OPTION_INIT)->def;
}

/* Lists move while they grow: once nothing is added any more. */
static void publish_lists(struct parser *p)
{
	struct boot_plan *plan = p->plan;

#define PUBLISH(list, field, count) (plan->field = p->list.items, plan->count = p->list.n)
	PUBLISH(pre, drivers.pre, drivers.n_pre);
	PUBLISH(post, drivers.post, drivers.n_post);
	PUBLISH(blacklist, drivers.blacklist, drivers.n_blacklist);
	PUBLISH(params, drivers.params, drivers.n_params);
	PUBLISH(ips, net.ips, net.n_ips);
	PUBLISH(nameservers, net.nameservers, net.n_nameservers);
	PUBLISH(routes, net.routes, net.n_routes);
	PUBLISH(ifnames, net.ifnames, net.n_ifnames);
	PUBLISH(links, net.links, net.n_links);
	PUBLISH(rdma_links, net.rdma_links, net.n_rdma_links);
	PUBLISH(roces, net.roces, net.n_roces);
	PUBLISH(dhcp_servers, net.dhcp_servers, net.n_dhcp_servers);
	PUBLISH(client_ids, net.client_ids, net.n_client_ids);
	PUBLISH(dhcp_requests, net.dhcp_requests, net.n_dhcp_requests);
	PUBLISH(ports, ib.ports, ib.n_ports);
	PUBLISH(guids, ib.guids, ib.n_guids);
	PUBLISH(pkeys, ib.pkeys, ib.n_pkeys);
	PUBLISH(mirrors, root.image.mirrors, root.image.n_mirrors);
	PUBLISH(keys, root.image.keys, root.image.n_keys);
	PUBLISH(extensions, extensions, n_extensions);
	PUBLISH(reports, reports, n_reports);
	PUBLISH(init_args, init_args, n_init_args);
#undef PUBLISH
	plan->words = p->words;
	plan->n_words = p->n_words;
}

/* The order of the resolve steps matters: root needs the peer of ip=, the checks need both. */
static int build(struct parser *p, const struct plan_source *src, size_t n_src)
{
	size_t n = most_words(src, n_src);

	set_defaults(p->plan);
	p->words = arena_alloc(p->arena, (n + 1) * sizeof(*p->words));
	if (!p->words)
		return -ENOMEM;
	for (size_t i = 0; i < n_src; i++)
		if (src[i].credential)
			add_credential(p, &src[i], (unsigned int)i);
		else
			split_source(p, &src[i], (unsigned int)i);
	/* ifname= first: it says which interfaces are IPoIB's, whatever their names. */
	for (int named = 1; named >= 0; named--)
		for (size_t i = 0; i < p->n_words && !p->oom; i++)
			if (streq(p->words[i].name, option_row(OPTION_IFNAME)->name) == named)
				take_word(p, &p->words[i]);
	if (p->oom)
		return -ENOMEM;
	resolve_net(p);
	resolve_image(p);
	resolve_root(p);
	resolve_statelite(p);
	resolve_reports(p);
	resolve_policy(p);
	publish_lists(p);
	check_plan(p);
	if (p->diags)
		diag_list_sort(p->diags);
	return p->oom ? -ENOMEM : 0;
}

int plan_parse_sources(struct boot_plan **ret, const struct plan_source *src, size_t n_src,
	struct diag_list *diags)
{
	struct parser p = {.diags = diags,
		.firmware = n_src && src[n_src - 1].firmware ? n_src : 0};
	int r = arena_new(&p.arena);

	if (r < 0)
		return r;
	/* dracut's install_hostonly() */
	for (size_t i = 0; i < n_src; i++)
		if (src[i].name && streq(src[i].name, "/etc/cmdline.d/00initagent.conf"))
			p.last_boot = i + 1;
	p.plan = arena_alloc(p.arena, sizeof(*p.plan));
	r = p.plan ? build(&p, src, n_src) : -ENOMEM;
	if (r < 0) {
		arena_free(p.arena);
		return r;
	}
	p.plan->arena = p.arena;
	*ret = p.plan;
	return 0;
}

int plan_parse(struct boot_plan **ret, const char *cmdline, size_t len, struct diag_list *diags)
{
	struct plan_source src = {.text = cmdline, .len = len};

	return plan_parse_sources(ret, &src, 1, diags);
}
