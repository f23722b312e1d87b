// SPDX-License-Identifier: GPL-2.0-or-later
#include "format.h"

#include <sys/stat.h>

#include "iso.h"
#include "uki.h"

static void put_file(const char *path, const void *data, size_t size)
{
	file_put(path, data, size);
	printf("%s: %zu bytes\n", path, size);
}

/* Its size is in the tool's last line. A link in the tree of another machine is not followed. */
static void write_initrd(const struct format_input *in)
{
	if (in->opt->into)
		file_replace(in->opt->out, in->initrd.data, in->initrd.size);
	else
		file_put(in->opt->out, in->initrd.data, in->initrd.size);
}

/* Three files of one directory, for boot loaders that take kernel and initrd by themselves. */
static void write_pair(const struct format_input *in)
{
	_cleanup_(kernel_done) struct kernel k =
		kernel_load(in->source, in->opt->kernel, in->machine);
	const char *dir = in->opt->out, *cmdline = in->opt->cmdline;

	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		die(-errno, "%s", dir);
	put_file(path_text("%s/vmlinuz", dir), k.file.data, k.file.size);
	put_file(path_text("%s/initrd.img", dir), in->initrd.data, in->initrd.size);
	if (cmdline)
		put_file(path_text("%s/cmdline", dir), cmdline, strlen(cmdline));
}

static void write_uki(const struct format_input *in)
{
	_cleanup_(kernel_done) struct kernel k =
		kernel_load(in->source, in->opt->kernel, in->machine);
	_cleanup_bytes_ struct bytes uki = {0};
	struct needs needs = {0};

	uki_needs(&needs, in->opt, &k);
	needs_check(&needs);
	uki = uki_build(in, &k);
	put_file(in->opt->out, uki.data, uki.size);
}

static void write_iso(const struct format_input *in)
{
	_cleanup_(kernel_done) struct kernel k =
		kernel_load(in->source, in->opt->kernel, in->machine);
	_cleanup_bytes_ struct bytes uki = {0}, iso = {0};
	struct needs needs = {0};

	uki_needs(&needs, in->opt, &k);
	iso_needs(&needs, in->opt, &k);
	needs_check(&needs);
	uki = uki_build(in, &k);
	iso = iso_build(in, &k, &uki);
	put_file(in->opt->out, iso.data, iso.size);
}

static const struct format {
	const char *name;
	void (*write)(const struct format_input *in);
} formats[] = {
	{"initrd", write_initrd}, {"pair", write_pair}, {"uki", write_uki}, {"iso", write_iso}};

static const struct format *find_format(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (streq(formats[i].name, name))
			return &formats[i];
	return NULL;
}

bool format_known(const char *name)
{
	return find_format(name);
}

void format_write(const struct format_input *in)
{
	const struct format *f = find_format(in->opt->format);

	if (f)
		f->write(in);
}
