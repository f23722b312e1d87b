// SPDX-License-Identifier: GPL-2.0-or-later
#include "format.h"

#include <sys/stat.h>

#include "fail.h"
#include "file.h"
#include "iso.h"
#include "kernel.h"
#include "uki.h"

static int put(const char *path, const void *data, size_t size)
{
	int r = file_replace(path, data, size);

	if (r < 0)
		return fail(r, "%s", path);
	printf("%s: %zu bytes\n", path, size);
	return 0;
}

static int write_initrd(const struct format_input *in)
{
	return put(in->opt->out, in->initrd, in->initrd_size);
}

static int put_in(const struct format_input *in, const char *name, const void *data, size_t size)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/%s", in->opt->out, name) < 0)
		return -ENOMEM;
	return put(path, data, size);
}

/* Three files of one directory, for boot loaders that take kernel and initrd by themselves. */
static int write_pair(const struct format_input *in)
{
	_cleanup_(kernel_done) struct kernel k = {.data = NULL};
	int r = kernel_load(&k, in->source, in->opt->kernel);

	if (r < 0)
		return r;
	if (mkdir(in->opt->out, 0700) < 0 && errno != EEXIST)
		return fail(-errno, "%s", in->opt->out);
	r = put_in(in, "vmlinuz", k.data, k.size);
	if (r == 0)
		r = put_in(in, "initrd.img", in->initrd, in->initrd_size);
	if (r == 0 && in->opt->cmdline)
		r = put_in(in, "cmdline", in->opt->cmdline, strlen(in->opt->cmdline));
	return r;
}

static int write_uki(const struct format_input *in)
{
	_cleanup_(kernel_done) struct kernel k = {.data = NULL};
	_cleanup_free_ void *uki = NULL;
	size_t size = 0;
	int r = kernel_load(&k, in->source, in->opt->kernel);

	if (r == 0)
		r = uki_build(in, &k, &uki, &size);
	return r < 0 ? r : put(in->opt->out, uki, size);
}

static int write_iso(const struct format_input *in)
{
	_cleanup_(kernel_done) struct kernel k = {.data = NULL};
	_cleanup_free_ void *uki = NULL;
	_cleanup_free_ void *iso = NULL;
	size_t uki_size = 0, size = 0;
	int r = kernel_load(&k, in->source, in->opt->kernel);

	if (r == 0)
		r = uki_build(in, &k, &uki, &uki_size);
	if (r == 0)
		r = iso_build(in, &k, uki, uki_size, &iso, &size);
	return r < 0 ? r : put(in->opt->out, iso, size);
}

static const struct {
	const char *name;
	int (*write)(const struct format_input *in);
} formats[] = {{"initrd", write_initrd}, {"pair", write_pair}, {"uki", write_uki}, {"iso", write_iso}};

bool format_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (streq(formats[i].name, name))
			return true;
	return false;
}

int format_write(const struct format_input *in)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (streq(formats[i].name, in->opt->format))
			return formats[i].write(in);
	return -EINVAL;
}
