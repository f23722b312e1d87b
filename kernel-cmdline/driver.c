/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver: module lists, module parameters, software RDMA links. Module names are checked here,
 * once: what reaches the plan is safe to hand to libkmod (no '/', no leading '-', no ".ko").
 */
#include "parser.h"

/* The name as the kernel knows it: '_' for '-'. */
static const char *module_name(struct parser *p, struct slice s)
{
	char *name = arena_text(p->arena, s.s, s.len);

	p->oom |= !name;
	if (!name)
		return "";
	for (size_t i = 0; i < s.len; i++)
		if (name[i] == '-')
			name[i] = '_';
	return name;
}

/* A path or "x.ko.xz" is the usual slip: then the name is in it, and can be shown. */
static void complain_module(struct parser *p, const struct plan_word *w, struct slice s)
{
	size_t dot = slice_find(s, ".ko");
	size_t base = dot;

	while (base > 0 && s.s[base - 1] != '/')
		base--;
	if (dot < s.len && value_module(s.s + base, dot - base))
		left_out(p, w, s, textf(p, "write %.*s", (int)(dot - base), s.s + base),
			"a module's name, not its file");
	else
		left_out(p, w, s, slice_find(s, ":") < s.len || slice_find(s, ";") < s.len
				? "join names by ','"
				: "module names hold letters, digits, '_' and '-', at most 63",
			"not a module name");
}

/* Adds one name; true if it is (now) in the list. */
static bool add_module(struct parser *p, struct arena_list *l, struct plan_word *w, struct slice s)
{
	const char *name;

	if (!value_module(s.s, s.len)) {
		complain_module(p, w, s);
		return false;
	}
	name = module_name(p, s);
	return find_named(l, name) || APPEND(p, l, name, w);
}

/* One good name is enough for the word to count; bad ones are left out one by one. */
PARSE(drivers)
{
	static const struct {
		size_t list;
		const char *effect;
	} lists[] = {
		[OPTION_RD_DRIVER_PRE] = {offsetof(struct parser, pre),
			"loads, in this order, before the hardware is probed"},
		[OPTION_RD_DRIVER_POST] = {offsetof(struct parser, post),
			"loads, in this order, after the adapters' own drivers"},
		[OPTION_RD_DRIVER_BLACKLIST] = {offsetof(struct parser, blacklist),
			"does not load by alias"},
		[OPTION_MODPROBE_BLACKLIST] = {offsetof(struct parser, blacklist),
			"does not load by alias, nor does the real root"},
	};
	struct arena_list *l = (struct arena_list *)((char *)p + lists[row->id].list);
	struct slice rest = word_value(w), item;
	const char *names = "";
	size_t n = 0;

	while (slice_next(&rest, ',', &item)) {
		size_t before = l->n;

		if (item.len == 0 || !add_module(p, l, w, item))
			continue;
		n++;
		/* names met again are not repeated: keeps the text within the list's limit */
		if (l->n > before)
			names = textf(p, "%s%s %.*s", names, names[0] ? "," : "", SLICE(item));
	}
	if (names[0])
		say(p, w, "%s:%s", lists[row->id].effect, names);
	else
		say(p, w, n ? "has no further effect" : "has no effect");
	if (row->id == OPTION_RD_DRIVER_POST && n > 1)
		complain(p, w, word_value(w), DIAG_NOTE, NULL,
			"one that the hardware asks for may load earlier; dracut means to hold "
			"them back, but blacklists the list as if it were one name");
	return n > 0;
}

/*
 * As modprobe reads the kernel's line: the first '.' divides module and parameter, '-' and '_' are
 * the same in the module's name. Also true of built-in modules, whom the kernel itself serves.
 */
bool param_parse(struct parser *p, struct plan_word *w)
{
	struct slice name = slice_of(w->name);
	size_t dot = slice_find(name, ".");
	struct slice param = slice_from(name, dot + (dot < name.len));
	struct plan_param item = {.value = w->value};

	/* "rd." is dracut's and ours: no module has that name */
	if (!value_module(name.s, dot) || !value_module(param.s, param.len) ||
		(dot == 2 && slice_starts(name, "rd.")))
		return false;
	if (has_control(word_value(w)))
		return !left_out(p, w, word_value(w), NULL, "control bytes in a value");
	item.module = module_name(p, (struct slice){name.s, dot});
	item.param = keep(p, param);
	if (!APPEND(p, &p->params, item, w))
		return true;
	return say(p, w, "parameter %s of kernel module %s%s%s", item.param, item.module,
		w->value ? ": " : "", w->value ? w->value : "");
}

/*
 * Ours alone: dracut has no way to make a software RDMA device. A type unknown here is passed on,
 * for the kernel may know it.
 */
PARSE(rdma_link)
{
	static const char remedy[] = "write rd.rdma.link=NAME,TYPE,NETDEV, for example "
				     "rd.rdma.link=rxe0,rxe,eth0";
	struct slice rest = word_value(w), f[3];
	struct plan_rdma_link item;
	size_t n = 0;

	while (n < 3 && slice_next(&rest, ',', &f[n]))
		n++;
	if (n < 3 || rest.s)
		return left_out(p, w, word_value(w), "for example rd.rdma.link=rxe0,rxe,eth0",
			"needs three fields NAME,TYPE,NETDEV");
	if (!value_module(f[0].s, f[0].len))
		return left_out(p, w, f[0], remedy, "not a name for an RDMA device");
	if (!value_module(f[1].s, f[1].len) || f[1].len > 15)
		return left_out(p, w, f[1], remedy, "not a type of RDMA link");
	if (!value_ifname(f[2].s, f[2].len))
		return left_out(p, w, f[2], remedy, "not an interface name");
	item = (struct plan_rdma_link){keep(p, f[0]), keep(p, f[1]), keep(p, f[2])};
	/* the kernel would refuse the second of one name with EEXIST; an image that is made for one
	 * machine alone has the options it is then given once more */
	FOR_EACH(struct plan_rdma_link, l, &p->rdma_links) {
		if (!streq(l->name, item.name))
			continue;
		if (streq(l->type, item.type) && streq(l->netdev, item.netdev))
			return say(p, w, "has no effect: given before");
		return left_out(p, w, f[0], "give each link a name of its own",
			"this link is already named");
	}
	if (!slice_is(f[1], "rxe") && !slice_is(f[1], "siw"))
		complain(p, w, f[1], DIAG_WARN, "rxe (Soft-RoCE) or siw (Soft-iWARP)",
			"not a type of the mainline kernel: its driver is loaded by the alias "
			"rdma-link-%.*s", SLICE(f[1]));
	return APPEND_MAX(p, &p->rdma_links, item, w, PLAN_LINKS_MAX) &&
		say(p, w, "creates the software RDMA device %s of type %s on %s", item.name,
			item.type, item.netdev);
}
