// SPDX-License-Identifier: GPL-2.0-or-later
#include "site/line.h"

#include "site/private.h"
#include "must.h"

void line_done(struct line *l)
{
	text_done(&l->text);
	free(l->words);
	*l = (struct line){0};
}

void line_clear(struct line *l)
{
	text_clear(&l->text);
	l->n = 0;
}

/* Begins a word; its text follows. */
static void begin(struct line *l, struct place at, const void *owner)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 32;
		l->words = must(realloc(l->words, l->cap * sizeof(*l->words)));
	}
	if (l->text.len)
		text_put(&l->text, " ");
	l->words[l->n++] = (struct line_word){l->text.len, at, owner};
}

static struct line_word word_at(const struct line *l, size_t pos)
{
	size_t i = l->n;

	while (i > 0 && l->words[i - 1].pos > pos)
		i--;
	return i ? l->words[i - 1] : (struct line_word){0};
}

struct place line_place(const struct line *l, size_t pos)
{
	return word_at(l, pos).at;
}

bool line_same_owner(const struct line *l, size_t a, size_t b)
{
	return word_at(l, a).owner == word_at(l, b).owner;
}

bool line_has(const struct line *l, const char *name)
{
	size_t i, len = strlen(name);

	for (i = 0; i < l->n; i++) {
		const char *word = l->text.data + l->words[i].pos;

		if (strncmp(word, name, len) == 0 && strchr("= ", word[len]))
			return true;
	}
	return false;
}

static void put_options(struct line *l, const struct said_list *options, const void *owner)
{
	for (size_t i = 0; i < options->n; i++) {
		if (!options->items[i].text)
			continue;
		begin(l, options->items[i].at, owner);
		text_put(&l->text, options->items[i].text);
	}
}

/*
 * The i-th of the profiles that hold for a node or a group (the other NULL), of which the later one
 * wins: the site's defaults, groups, the node's own. NULL at the end.
 */
static const struct site_profile *profile_at(const struct site *s, const struct site_node *n,
	const struct site_group *g, size_t i)
{
	static const struct site_profile none = {.image.index = SITE_NONE};
	size_t groups = n ? n->groups.n : g ? 1 : 0;

	if (i == 0)
		return &s->defaults;
	if (i > groups)
		return n && i == groups + 1 ? &n->profile : NULL;
	if (!n)
		return &g->profile;
	i = n->groups.items[i - 1].index;
	return i == SITE_NONE ? &none : &s->groups[i].profile;
}

const struct site_image *profile_image(
	const struct site *s, const struct site_node *n, const struct site_group *g)
{
	const struct site_profile *p;
	size_t index = SITE_NONE;

	for (size_t i = 0; (p = profile_at(s, n, g, i)); i++)
		if (p->image.index != SITE_NONE)
			index = p->image.index;
	return index == SITE_NONE ? NULL : &s->images[index];
}

/* The profile whose root counts, which may be none. */
static const struct site_profile *root_profile(
	const struct site *s, const struct site_node *n, const struct site_group *g)
{
	const struct site_profile *counts = &s->defaults, *p;

	for (size_t i = 1; (p = profile_at(s, n, g, i)); i++)
		if (p->root.text)
			counts = p;
	return counts;
}

bool group_boots(const struct site *s, const struct site_group *g)
{
	const struct site_image *image = profile_image(s, NULL, g);

	return image && image->kernel.at.line && root_profile(s, NULL, g)->root.text;
}

void line_add_profile(
	struct line *l, const struct site *s, const struct site_node *n, const struct site_group *g)
{
	const struct site_image *image = profile_image(s, n, g);
	const struct site_profile *p = root_profile(s, n, g);

	if (p->root.text) {
		begin(l, p->root.at, p);
		text_printf(&l->text, "root=%s", p->root.text);
	}
	for (size_t i = 0; (p = profile_at(s, n, g, i)); i++) {
		put_options(l, &p->options, p);
		if (i == 0 && image)
			put_options(l, &image->options, image);
	}
}

/* The words of rd.ib.client-id=; iPXE's own form has no word. */
static void put_clientid(struct line *l, const struct site_network *net, const struct site_node *n,
	const struct site_port *p)
{
	uint8_t bytes[IDENTITY_BYTES];

	begin(l, n->at, NULL);
	text_put(&l->text, "rd.ib.client-id=");
	if (net->identity != IDENTITY_IPXE) {
		text_put(&l->text, site_identity_names[net->identity]);
		return;
	}
	text_put(&l->text, "hex:");
	text_hex(&l->text, bytes, identity_bytes(IDENTITY_IPXE, n, p, bytes), ':');
}

static void put_bootif(struct line *l, const struct site_port *p, bool ethernet)
{
	if (p->has_guid && !(p->has_mac && ethernet)) {
		text_put(&l->text, "BOOTIF=20-");
		text_hex(&l->text, p->guid, 8, '-');
	} else {
		text_put(&l->text, "BOOTIF=01-");
		text_hex(&l->text, p->mac, 6, '-');
	}
}

/* An ip= may mean another interface than BOOTIF=, or no DHCP at all. */
void line_put_request(struct text *t, const struct line *l, const char *address)
{
	static const char *const own[] = {"ip", "nfsaddrs", "rd.bootif", "rd.net.dhcp.request"};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (line_has(l, own[i]))
			return;
	text_printf(t, " rd.net.dhcp.request=%s", address);
}

void line_add_port(
	struct line *l, const struct site *s, const struct site_node *n, const struct site_port *p)
{
	const struct site_network *net = p->network == SITE_NONE ? NULL : &s->networks[p->network];

	if (!line_has(l, "hostname") && !line_has(l, "systemd.hostname")) {
		begin(l, n->at, NULL);
		text_printf(&l->text, "hostname=%s", n->name);
	}
	if (net && net->fabric == FABRIC_INFINIBAND && p->has_guid &&
		!line_has(l, "rd.ib.client-id") && !line_has(l, "rd.ib.clientid"))
		put_clientid(l, net, n, p);
	if (line_has(l, "BOOTIF") || (!p->has_guid && !p->has_mac))
		return;
	begin(l, n->at, NULL);
	put_bootif(l, p, net && net->fabric != FABRIC_INFINIBAND);
}
