// SPDX-License-Identifier: GPL-2.0-or-later
/* check_files: images can be booted, and the files are there. */
#include <fcntl.h>
#include <sys/stat.h>

#include "site/private.h"

struct check {
	struct site *s;
	struct faults *report;
	bool look;
};

static void check_file(
	const struct check *c, const struct said *path, const char *suffix, const char *remedy)
{
	const char *full;
	struct stat st;
	int r = 0;

	if (!path->text || !c->look)
		return;
	full = must(arena_printf(c->s->arena, "%s%s", site_path(c->s, path->text), suffix));
	if (stat(full, &st) < 0)
		r = errno;
	else if (!S_ISREG(st.st_mode))
		r = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	else if (access(full, R_OK) < 0)
		r = errno;
	if (r)
		error_at(c->report, path->at,
			must(arena_printf(c->s->arena,
				"%s; with -n, check and explain skip this check", remedy)),
			"%s: %s", full, strerror(r));
	else if (st.st_size == 0)
		error_at(c->report, path->at, remedy, "%s is empty", full);
}

static void check_image(const struct check *c, const struct site_image *m)
{
	const char *how = "make the image (make image), or correct the path; paths are relative to "
			  "the site file";
	const char *sign = "sign it (docs/site-file.md, signed images), or leave signed: out";

	if (!m->kernel.at.line && !m->uki.at.line)
		error_at(c->report, m->at, "kernel: and initrd:, or uki: for UEFI HTTP Boot",
			"image %s has nothing to boot", m->name);
	if (m->kernel.text && !m->initrds.n)
		error_at(c->report, m->at, "initrd: the image that 'make image' writes",
			"image %s has a kernel but no initrd", m->name);
	if (!m->kernel.at.line && m->initrds.n)
		error_at(c->report, m->at, "kernel:", "image %s has an initrd but no kernel",
			m->name);
	check_file(c, &m->kernel, "", how);
	check_file(c, &m->uki, "", how);
	for (size_t i = 0; i < m->initrds.n; i++)
		check_file(c, &m->initrds.items[i], "", how);
	if (!image_is_signed(m))
		return;
	check_file(c, &m->kernel, ".sig", sign);
	for (size_t i = 0; i < m->initrds.n; i++)
		check_file(c, &m->initrds.items[i], ".sig", sign);
}

/* Images, loaders, files. */
static void check_files(struct site *s, struct faults *report, bool look)
{
	struct check c = {.s = s, .report = report, .look = look};

	for (size_t i = 0; i < s->n_images; i++)
		check_image(&c, &s->images[i]);
	for (size_t i = 0; i < LOADER_MAX; i++)
		check_file(&c, &s->loaders[i], "",
			"Debian's package ipxe has undionly.kpxe and snponly.efi in /usr/lib/ipxe");
	for (size_t i = 0; i < s->n_files; i++)
		check_file(&c, &s->files[i].path, "", "paths are relative to the site file");
}

void site_check(struct site *s, struct faults *report, bool files)
{
	/* Without these sections every reference would be a fault; that was reported. */
	if (!s->n_servers || !s->n_networks) {
		if (!faults_total(report, SEVERITY_ERROR))
			error_at(report, (struct place){0},
				"begin with the example of docs/site-file.md",
				"the file names no %s", s->n_servers ? "network" : "server");
		return;
	}
	check_references(s, report, files);
	check_networks(s, report);
	check_nodes(s, report);
	check_lines(s, report);
	check_files(s, report, files);
}
