// SPDX-License-Identifier: GPL-2.0-or-later
/* render: everything that is rendered, and the files that are only copied. */
#include "site/dhcp.h"

static void copy_signed(struct site *s, struct tree *t, const struct site_image *m,
	const char *path, const char *source)
{
	tree_copy(t, path, site_path(s, source));
	if (image_is_signed(m))
		tree_copy(t, must(arena_printf(s->arena, "%s.sig", path)),
			site_path(s, must(arena_printf(s->arena, "%s.sig", source))));
}

static void copy_image(struct site *s, struct tree *t, const struct site_image *m)
{
	const char *dir = must(arena_printf(s->arena, "http/images/%s", m->name));
	char name[INITRD_NAME_SIZE];

	if (m->kernel.text)
		copy_signed(s, t, m, must(arena_printf(s->arena, "%s/kernel", dir)),
			m->kernel.text);
	for (size_t i = 0; i < m->initrds.n; i++)
		copy_signed(s, t, m,
			must(arena_printf(s->arena, "%s/%s", dir, initrd_name(name, m, i))),
			m->initrds.items[i].text);
	if (m->uki.text)
		tree_copy(t, must(arena_printf(s->arena, "%s/%s.efi", dir, m->name)),
			site_path(s, m->uki.text));
}

/* ROMs fetch a loader by TFTP or, UEFI HTTP Boot, by HTTP: it is in both places. */
static void copy_loader(struct site *s, struct tree *t, size_t i)
{
	const char *http = must(arena_printf(s->arena, "http/loaders/%s", site_loader_files[i]));

	if (!s->loaders[i].text)
		return;
	tree_copy(t, http, site_path(s, s->loaders[i].text));
	tree_link(t, must(arena_printf(s->arena, "tftp/%s", site_loader_files[i])), http);
}

static void copy_images(struct site *s, struct tree *t)
{
	for (size_t i = 0; i < s->n_images; i++)
		copy_image(s, t, &s->images[i]);
	for (size_t i = 0; i < LOADER_MAX; i++)
		copy_loader(s, t, i);
	for (size_t i = 0; i < s->n_files; i++)
		tree_copy(t, must(arena_printf(s->arena, "http/files/%s", s->files[i].name)),
			site_path(s, s->files[i].path.text));
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
