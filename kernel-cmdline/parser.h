/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parser: the plan while it is being built. Internal to kernel-cmdline/.
 *
 * Running out of memory is sticky (oom) and looked at once, at the end; until then the helpers
 * hand out something harmless. So the parse functions read as if memory never ended.
 */
#pragma once

#include "arena.h"
#include "plan.h"
#include "words.h"

struct parser {
	struct boot_plan *plan;
	struct arena *arena;
	struct diag_list *diags; /* may be NULL */
	struct plan_word *words;
	size_t n_words;
	bool oom;
	size_t taken[OPTION_N];	 /* last well-formed word of each option: index + 1; 0: none */
	struct arena_list pre, post, blacklist, params;
	struct arena_list ips, nameservers, routes, ifnames, links, rdma_links;
	struct arena_list roces, dhcp_servers, client_ids, dhcp_requests;
	struct arena_list ports, guids, pkeys;
	struct arena_list mirrors, keys, reports, pulls, extensions;
	bool credential;	 /* import.pull was read; systemd takes the first */
	struct arena_list init_args;
	struct arena_list hosts; /* hosts.c */
	struct arena_list discover; /* rd.nvmf.discover=: struct plan_portal */
	int nfs_rw;		 /* rw or ro among the options of root=: 1, 0; -1: neither */
	size_t short_ip;	 /* "ip=ADDR" alone: its index in ips + 1; 0: none */
	size_t firmware;	 /* the firmware's source, from 1: the last one; 0: none */
	size_t last_boot;	 /* the source with what the machine of a host-only image was
				    booted with, from 1; 0: none */
};

/* The word of an option that counts (the last well-formed one), or NULL. */
struct plan_word *parser_word(const struct parser *p, enum option_id id);

/* word_value: a word's value as a slice; empty without a word or a value. */
struct slice word_value(const struct plan_word *w);

/* say: sets in plain words what a word does; a later call replaces the earlier. Returns true. */
bool say(struct parser *p, struct plan_word *w, const char *fmt, ...) _printf_(3, 4);

/*
 * complain: a remark about a word. at is the part of its value the remark is about; at.s NULL:
 * the whole word. w NULL: about the line as a whole. remedy may be NULL; make one with textf().
 */
void complain(struct parser *p, const struct plan_word *w, struct slice at,
	enum diag_severity severity, const char *remedy, const char *fmt, ...) _printf_(6, 7);

/* warn_word, note_word: complain() about the whole of w. */
#define warn_word(p, w, remedy, ...) complain(p, w, WHOLE, DIAG_WARN, remedy, __VA_ARGS__)
#define note_word(p, w, remedy, ...) complain(p, w, WHOLE, DIAG_NOTE, remedy, __VA_ARGS__)

/* left_out: complain() of an error, with "; left out" behind why. Returns false. */
bool left_out(struct parser *p, const struct plan_word *w, struct slice at, const char *remedy,
	const char *why);

/*
 * differ: says what dracut's back ends (network-legacy's scripts, nm-initrd-generator) make of a
 * form that is taken here although dracut.cmdline(7) does not have it: a warning where one of them
 * stops or leaves the option out, a note where only details differ or the agent's own boot scripts
 * write the form. at and remedy as for complain().
 */
void differ(struct parser *p, const struct plan_word *w, struct slice at,
	enum diag_severity severity, const char *remedy, const char *text);

/*
 * check_host: can another host have this address? If not, says so about w with the severity given
 * and returns false; a loopback address is taken, with a warning. Family 0 is a name. What is taken
 * is looked at again by check_hosts().
 */
bool check_host(struct parser *p, const struct plan_word *w, struct slice at,
	enum diag_severity severity, const struct inet_addr *a);

/*
 * check_zone: a link-local address that names no interface. With an error's severity it is refused
 * (false); with less, that is for what asks any interface with a route, it is only remarked upon.
 */
bool check_zone(struct parser *p, const struct plan_word *w, struct slice at,
	enum diag_severity severity, const struct inet_addr *a, const char *zone);

/* server_remedy: what to write in place of s, which is no server; otherwise if it is no number. */
const char *server_remedy(struct slice s, const char *otherwise);

/* routed_on_link: does a rd.route= without gateway lead to this address? */
bool routed_on_link(const struct parser *p, const struct inet_addr *a);

/* check_empty: warns of an empty part of a list that is cut at commas. */
void check_empty(struct parser *p, const struct plan_word *w);

/* warn_family: what is named there is out of reach, since no ip= sets up its address family. */
void warn_family(struct parser *p, const struct plan_word *w, struct slice at, const char *what,
	int family);

/* The whole word, for complain(). */
#define WHOLE ((struct slice){NULL, 0})

/* textf: formatted text that lives as long as the plan; "" when out of memory. */
const char *textf(struct parser *p, const char *fmt, ...) _printf_(2, 3);

/* keep: a terminated copy of a slice; "" when out of memory. */
const char *keep(struct parser *p, struct slice s);

/*
 * append: appends a copy of an item to one of the plan's lists. False when the list has max items
 * (said once, as an error of w) or memory is out. APPEND: the same, of a variable.
 */
bool append(struct parser *p, struct arena_list *l, const void *item, size_t size,
	const struct plan_word *w, size_t max);
#define APPEND(p, list, item, w) append(p, list, &(item), sizeof(item), w, PLAN_LIST_MAX)
#define APPEND_MAX(p, list, item, w, max) append(p, list, &(item), sizeof(item), w, max)

/* has_control: does the slice hold a control byte (which no value here may)? */
bool has_control(struct slice s);

/*
 * fields_split: cuts s at every ':' that is not inside [brackets]; the brackets stay.
 * Returns the number of fields, at most max; the last holds the rest.
 */
size_t fields_split(struct slice s, struct slice *fields, size_t max);

/* names_device: is it the path of a device, or LABEL=... and the like? */
bool names_device(struct slice s);

/* In printf: "%.*s" with SLICE(s). Command lines are far below INT_MAX. */
#define SLICE(x) (int)(x).len, (x).s

/* A word of a value, what it stands for, and a text about it. The last has no word. */
struct choice {
	const char *word;
	unsigned int value;
	const char *text;
};

/*
 * choice_find: the choice whose word s is, or NULL. choice_word: the first word for a value, or
 * NULL.
 */
const struct choice *choice_find(const struct choice *c, struct slice s);

/* choice_near: "did you mean OPTION=WORD?" of the word that s has at most one slip of, or else. */
const char *choice_near(struct parser *p, const struct plan_word *w, const struct choice *c,
	const char *otherwise);
const char *choice_word(const struct choice *c, unsigned int value);

/* What the parse functions take and plan_dump() shows. */
extern const struct choice ip_methods[];	/* enum plan_method; 0: unsupported */
extern const struct choice ib_modes[];		/* enum plan_ib_mode */
extern const struct choice client_id_kinds[];	/* enum plan_clientid_kind */
extern const struct choice nfs_versions[];	/* enum plan_nfs_version, the highest first */
extern const struct choice failure_actions[];	/* enum plan_action */
extern const struct choice break_stages[];	/* enum plan_break */
extern const struct choice handover_managers[]; /* enum plan_handover */

static inline struct slice slice_of(const char *s)
{
	return (struct slice){s, strlen(s)};
}

#define FOR_EACH(type, item, list)                                             \
	for (const type *item = (list)->items;                                 \
		item && item < (const type *)(list)->items + (list)->n; item++)

/* find_named: the item of that name in a list whose items begin with it, or NULL. */
const void *find_named(const struct arena_list *l, const char *name);

/* parser_is_ipoib: plan_is_ipoib() by the ifname= read so far: all, when options of links are. */
bool parser_is_ipoib(const struct parser *p, const char *name);

/*
 * take_list: gives each part of w's value, cut at commas, to take(), which returns what to call it,
 * or NULL if it was left out. Then says "EFFECT name, name". False when nothing was taken.
 */
bool take_list(struct parser *p, struct plan_word *w, const char *effect,
	const char *(*take)(struct parser *p, struct plan_word *w, struct slice item));

/* The parse functions named in options.def. */
#define PARSE(name)                                                            \
	bool parse_##name(struct parser *p,                                    \
		const struct option_row *row __attribute__((unused)), struct plan_word *w)

#define OPTION(id, name, grammar, def, status, flags, parse, ...) PARSE(parse);
#include "options.def"

/* read_switch: is a switch on? Comments on the spellings that dracut takes the other way. */
bool read_switch(struct parser *p, const struct option_row *row, const struct plan_word *w);

/*
 * check_host_part: can a host have this static address with this prefix? Not the subnet's number,
 * nor its broadcast address, nor (IPv6) the routers' anycast address; then says so about w.
 */
bool check_host_part(struct parser *p, const struct plan_word *w, const struct plan_ip *ip);

/* Said of a hardware address for IPoIB, by its length or by the interface's name. */
#define FIXED_ADDRESS                                                                              \
	"the address of an IPoIB interface follows from its port and cannot be set; left out"

#define IPV6_METHODS (PLAN_IP_DHCP6 | PLAN_IP_AUTO6 | PLAN_IP_EITHER6 | PLAN_IP_LINK6)

/* same_device: do both mean the same interface? None named on either side is the same "any". */
bool same_device(const struct plan_ip *a, const struct plan_ip *b);

/*
 * check_text: says what in a word looks like unexpanded shell text or like quotes that are none for
 * the kernel.
 */
void check_text(struct parser *p, const struct plan_word *w);

/* word_is: is it this option, well-formed or not? */
static inline bool word_is(const struct plan_word *w, enum option_id id)
{
	return w->row && w->row->id == id;
}

/* root_kind_of: which kind of root a value of root= is, by what it begins with. */
enum plan_root_kind root_kind_of(struct slice s);

/* root_word: the word whose text the root was made from, or NULL. */
struct plan_word *root_word(const struct parser *p);

/* bootdev_word: the word that names the interface to boot over, bootdev= or netdev=, or NULL. */
struct plan_word *bootdev_word(const struct parser *p);

/* bootif_asks: BOOTIF= brings up an interface that no ip= is for; that one asks by DHCP. */
bool bootif_asks(const struct parser *p);

/* param_parse: module.param=value (driver.c). */
bool param_parse(struct parser *p, struct plan_word *w);

/*
 * nfs_parse: an NFS root from text, a part of w's value: "[nfs[4]:][server:]/path[:options]" and
 * its other spellings. Fills out, sets p->nfs_rw. False if nothing sane can be made of it (said,
 * with the severity given).
 */
bool nfs_parse(struct parser *p, const struct plan_word *w, struct slice text,
	enum diag_severity severity, struct plan_nfs *out);
/* nfs_server_from_peer: the server an ip= names in its second field serves for the root, too
 * (dracut, kernel). */
void nfs_server_from_peer(struct parser *p);

/* What the NFS options leave to be settled when all of them are read. */
struct nfs_version {
	int major, minor;	/* -1: not given */
	bool mountd;		/* mountport= and the like: only version 3 knows them */
	bool lock;		/* lock, which version 3 cannot have */
	uint64_t asked[2];	/* which options were given, by their place in the table */
};

/* nfs_is_option: is it the name of a mount option of NFS? */
bool nfs_is_option(struct slice name);

/* nfs_as_root: what to write instead of nfsroot=v, which may begin with its type. It lives as long
 * as the plan. */
const char *nfs_as_root(struct parser *p, struct slice v);

/*
 * mount_word: is it a mount option of an /etc/fstab only, which no file system knows? It is to be
 * left out, said where it was to have an effect. mount_flags: those of text that are left for the
 * file system; the last of ro and rw sets *rw to -1 or 1.
 */
bool mount_word(struct parser *p, const struct plan_word *w, struct slice option);
const char *mount_flags(struct parser *p, const struct plan_word *w, struct slice text, int *rw);

/* nfs_options: a comma-separated list into out, v and p->nfs_rw. May be called several times. */
void nfs_options(struct parser *p, const struct plan_word *w, struct slice text,
	struct plan_nfs *out, struct nfs_version *v);

/* nfs_mount_options: how another export than the root is mounted; NULL: out of memory. */
const struct plan_nfs *nfs_mount_options(struct parser *p, const struct plan_word *w);

/* nfs_joined: "write root=nfs:A,B:/PATH" for two roots of one path on two servers; else NULL. */
const char *nfs_joined(struct parser *p, const struct plan_word *a, const struct plan_word *b);

/* nfs_text: "192.0.2.1:/srv/root over RDMA (port 20049), NFS 4.2, then 4.1, then 4.0". */
const char *nfs_text(struct parser *p, const struct plan_nfs *nfs);

/*
 * image_url: is text a URL this agent fetches from, "http://HOST..." or "https://HOST..."? If not,
 * says so about w with the severity given. file_url: the same, and says if the URL names no file.
 */
struct url;
bool image_url(struct parser *p, const struct plan_word *w, struct slice text,
	enum diag_severity severity, struct url *ret);
bool file_url(struct parser *p, const struct plan_word *w, struct slice text,
	enum diag_severity severity);

/* foreign_url: warns of what is wrong with server and port of a URL that is left to dracut. */
void foreign_url(struct parser *p, const struct plan_word *w, struct slice text);

/*
 * take_server: a server's name or address from s; IPv6 may stand in brackets, which are left out.
 * Sets *addr for an address. NULL if it is neither.
 */
const char *take_server(struct parser *p, struct slice s, struct inet_addr *addr);

/*
 * take_zoned: as take_server(), but a link-local address may name its interface: "[fe80::1%eth0]"
 * (RFC 4007 section 11), brackets or not. *ret_zone: that name, or NULL.
 */
const char *take_zoned(
	struct parser *p, struct slice s, struct inet_addr *addr, const char **ret_zone);

/*
 * take_site: SERVER[:PORT], IPv6 in brackets. *port stays where none is given. NULL as
 * take_server(), or with ret_zone as take_zoned().
 */
const char *take_site(struct parser *p, struct slice s, struct inet_addr *addr,
	const char **ret_zone, uint16_t *port);

/*
 * block_parse: a block root from text, a part of w's value, into out, where other options may have
 * set file system, mount options and host name before. Sets p->nfs_rw. False if nothing sane can be
 * made of it (said, with the severity given).
 */
bool block_parse(struct parser *p, const struct plan_word *w, struct slice text,
	enum diag_severity severity, struct plan_block *out);

/* A block root on its way from text to plan. */
struct block_spec {
	struct parser *p;
	const struct plan_word *w;
	enum diag_severity severity; /* of what makes the whole thing useless */
	const char *remedy;
	struct plan_block *out;
	struct arena_list portals;
	uint32_t seen; /* options, by their place in the kind's tables */
	struct slice digest; /* of NVMe/TCP, as it was written; empty: none */
};

/* block_fail: says why the whole is useless; false. */
bool block_fail(struct block_spec *x, struct slice at, const char *why);
/* block_again: remarks on an option that was there before, by its place in the kind's tables. */
void block_again(struct block_spec *x, struct slice at, size_t place);
/* block_portal: SERVER[:PORT], added to the list. */
bool block_portal(struct block_spec *x, struct slice text, bool rdma);
bool block_part(struct block_spec *x, struct slice value);
/* Each kind's text behind its "nvmf:", "nbd:", "srp:". */
bool block_nvmf(struct block_spec *x, struct slice text); /* block-nvmf.c */
bool nvmf_is_fc(struct slice discover); /* rd.nvmf.discover= by Fibre Channel */
bool block_srp(struct block_spec *x, struct slice text);  /* block-srp.c */

/* report_xcat: the sink that XCAT= names, for an image of xCAT's. */
void report_xcat(struct parser *p);

/* resolve_reports: once all sinks are known: the log of an xCAT master that is one of them. */
void resolve_reports(struct parser *p);

/*
 * xcat_image: what XCAT= changes of a root in memory, and what goes with imgurl= alone: the sink,
 * and a word about rootflags=.
 */
void xcat_image(struct parser *p, bool imgurl);
/*
 * pull_word: the rd.systemd.pull= whose image is the root without root=, or NULL. pull_take: is the
 * root that w names one of theirs? Then it is in the plan. pull_left: takes those that go beside
 * the root, and says what becomes of the others.
 */
struct plan_word *pull_word(struct parser *p);
bool pull_take(struct parser *p, struct plan_word *w);
/* pull_finds_disk: a root= by which systemd looks for the disk itself? */
bool pull_finds_disk(const char *root);
void pull_left(struct parser *p);
/* wwinit_take: root=wwinit[:...] into the plan, with what the options around it say. */
void wwinit_take(struct parser *p, struct plan_word *w);

/* block_text: "nbd export root of 192.0.2.1". */
const char *block_text(struct parser *p, const struct plan_block *block);

/* Once every word is read: defaults that depend on others, contradictions. */
void resolve_net(struct parser *p);    /* resolve-net.c */
void resolve_root(struct parser *p);   /* root.c */
void resolve_statelite(struct parser *p); /* statelite.c; after resolve_root */
void resolve_image(struct parser *p);  /* image.c; before resolve_root */
void resolve_policy(struct parser *p); /* policy.c */
void check_net(struct parser *p);      /* check-net.c */
void check_hosts(struct parser *p);    /* hosts.c */
const char *add_method(struct parser *p, const char *method, const char *address);
void check_links(struct parser *p);    /* links.c */
void check_image(struct parser *p);    /* check-image.c */
void check_overlay(struct parser *p);  /* overlay.c */
bool overlay_joined(const struct plan_word *a, const struct plan_word *b);
void check_block(struct parser *p);    /* block.c */
void check_pull(struct parser *p);     /* pull.c */
void check_plan(struct parser *p);     /* check.c */
