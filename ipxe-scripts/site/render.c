// SPDX-License-Identifier: GPL-2.0-or-later
/* render: what the parts share, and the files that are only copied. See render.h. */
#include "site/render.h"

#include "site/checks.h"

void server_url(struct text *t, const struct site_server *v)
{
	text_printf(t, "http://%s", addr_text(v->address.addr));
	if (v->port.value != 80)
		text_printf(t, ":%u", v->port.value);
}

bool serves_tree(const struct site *s, const struct site_server *v)
{
	size_t i;

	for (i = 0; i < s->boot.servers.n; i++)
		if (&s->servers[s->boot.servers.items[i].index] == v)
			return true;
	return false;
}

void first_url(struct text *t, const struct site *s, const struct site_server *dhcp)
{
	server_url(t, serves_tree(s, dhcp) ? dhcp : &s->servers[s->boot.servers.items[0].index]);
}

void initrd_name(struct text *t, const struct site_image *m, size_t i)
{
	text_put(t, "initrd");
	if (m->initrds.n > 1)
		text_printf(t, "%zu", i);
}

void put_head(struct text *t, const struct site *s, const char *comment, const char *what)
{
	text_printf(t, "%s %s of site %s. Written by initagent-site: change the site file instead.\n", comment, what, s->name.text);
}

static void copy_signed(struct site *s, struct tree *t, const struct site_image *m, const char *path, const char *source)
{
	_cleanup_text_ struct text from = {0}, to = {0};

	tree_copy(t, path, site_path(s, source));
	if (!m->signing.text || streq(m->signing.text, "off"))
		return;
	text_printf(&from, "%s.sig", source);
	text_printf(&to, "%s.sig", path);
	tree_copy(t, to.data, site_path(s, from.data));
}

static void copy_image(struct site *s, struct tree *t, const struct site_image *m)
{
	_cleanup_text_ struct text path = {0};
	size_t i;

	if (m->kernel.text) {
		text_printf(&path, "http/images/%s/kernel", m->name);
		copy_signed(s, t, m, path.data, m->kernel.text);
	}
	for (i = 0; i < m->initrds.n; i++) {
		text_clear(&path);
		text_printf(&path, "http/images/%s/", m->name);
		initrd_name(&path, m, i);
		copy_signed(s, t, m, path.data, m->initrds.items[i].text);
	}
	if (!m->uki.text)
		return;
	text_clear(&path);
	text_printf(&path, "http/images/%s/%s.efi", m->name, m->name);
	tree_copy(t, path.data, site_path(s, m->uki.text));
}

/* ROMs fetch a loader by TFTP or, UEFI HTTP Boot, by HTTP: it is in both places. */
static void copy_loader(struct site *s, struct tree *t, size_t i)
{
	_cleanup_text_ struct text http = {0}, tftp = {0};

	if (!s->loaders[i].text)
		return;
	text_printf(&http, "http/loaders/%s", site_loader_files[i]);
	text_printf(&tftp, "tftp/%s", site_loader_files[i]);
	tree_copy(t, http.data, site_path(s, s->loaders[i].text));
	tree_link(t, tftp.data, http.data);
}

void render_images(struct site *s, struct tree *t)
{
	size_t i;

	for (i = 0; i < s->n_images; i++)
		copy_image(s, t, &s->images[i]);
	for (i = 0; i < LOADER_MAX; i++)
		copy_loader(s, t, i);
	for (i = 0; i < s->n_files; i++) {
		_cleanup_text_ struct text path = {0};

		text_printf(&path, "http/files/%s", s->files[i].name);
		tree_copy(t, path.data, site_path(s, s->files[i].path.text));
	}
}

void render(struct site *s, struct tree *t)
{
	render_scripts(s, t);
	render_images(s, t);
	render_nginx(s, t);
	render_dnsmasq(s, t);
	render_dhcpd(s, t);
	render_kea(s, t);
}
