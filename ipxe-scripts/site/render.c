// SPDX-License-Identifier: GPL-2.0-or-later
/* render: everything that is rendered, and the files that are only copied. */
#include "site/dhcp.h"

static void copy_signed(struct site *s, struct tree *t, const struct site_image *m,
	const char *path, const char *source)
{
	_cleanup_text_ struct text from = {0}, to = {0};

	tree_copy(t, path, site_path(s, source));
	if (!image_is_signed(m))
		return;
	text_printf(&from, "%s.sig", source);
	text_printf(&to, "%s.sig", path);
	tree_copy(t, to.data, site_path(s, from.data));
}

static void copy_image(struct site *s, struct tree *t, const struct site_image *m)
{
	_cleanup_text_ struct text path = {0};
	char name[INITRD_NAME_SIZE];

	if (m->kernel.text) {
		text_printf(&path, "http/images/%s/kernel", m->name);
		copy_signed(s, t, m, path.data, m->kernel.text);
	}
	for (size_t i = 0; i < m->initrds.n; i++) {
		text_clear(&path);
		text_printf(&path, "http/images/%s/%s", m->name, initrd_name(name, m, i));
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

static void copy_images(struct site *s, struct tree *t)
{
	for (size_t i = 0; i < s->n_images; i++)
		copy_image(s, t, &s->images[i]);
	for (size_t i = 0; i < LOADER_MAX; i++)
		copy_loader(s, t, i);
	for (size_t i = 0; i < s->n_files; i++) {
		_cleanup_text_ struct text path = {0};

		text_printf(&path, "http/files/%s", s->files[i].name);
		tree_copy(t, path.data, site_path(s, s->files[i].path.text));
	}
}

void render(struct site *s, struct tree *t)
{
	static void (*const dhcp[])(const struct site *, const struct site_server *,
		struct tree *) = {render_dnsmasq, render_dhcpd, render_kea};

	render_scripts(s, t);
	copy_images(s, t);
	render_nginx(s, t);
	for (size_t format = 0; format < ARRAY_SIZE(dhcp); format++)
		for (size_t i = 0; i < s->n_servers; i++)
			if (is_dhcp_server(s, &s->servers[i]))
				dhcp[format](s, &s->servers[i], t);
}
