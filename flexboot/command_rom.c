// SPDX-License-Identifier: GPL-2.0-or-later
/* command_rom: "initagent-flexboot rom list|verify|extract". */
#include "base/io.h"
#include "flexboot/command.h"
#include "flexboot/romfile.h"
#include "flexboot/romtext.h"

struct request {
	const char *verb;
	const char *device; /* PCI address instead of a file */
	const char *file;
	const char *name; /* file or device, for messages */
	const char *prefix;
	const char *into;
	const char *fits; /* "15b3:1017" */
	bool json;
};

static int parse(struct request *q, int argc, char **argv)
{
	const struct {
		const char *name;
		const char **value;
	} options[] = {{"--device", &q->device}, {"--sysroot", &q->prefix}, {"--into", &q->into},
		{"--fits", &q->fits}};

	q->verb = argv[0];
	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		while (k < ARRAY_SIZE(options) && !streq(options[k].name, argv[i]))
			k++;
		if (k < ARRAY_SIZE(options) && i + 1 < argc)
			*options[k].value = argv[++i];
		else if (streq(argv[i], "--json"))
			q->json = true;
		else if (argv[i][0] != '-' && !q->file)
			q->file = argv[i];
		else
			return complain(EXIT_USAGE, "rom %s: unexpected argument %s", q->verb,
				argv[i]);
	}
	if (!q->device == !q->file)
		return complain(EXIT_USAGE, "rom %s: a FILE or --device, one of them", q->verb);
	q->name = q->file ? q->file : q->device;
	return 0;
}

static int not_read(const struct request *q, int error)
{
	if (error == -ENODATA)
		return complain(EXIT_NOT_READ,
			"%s: the adapter shows no ROM: is one burnt in, is EXP_ROM_PXE_ENABLE or "
			"EXP_ROM_UEFI_x86_ENABLE set, did the BIOS assign its BAR?", q->name);
	if (error == -EFBIG)
		return complain(EXIT_NOT_READ, "%s: larger than any expansion ROM (16 MiB)",
			q->name);
	if (error == -EINVAL && q->device)
		return complain(EXIT_USAGE, "%s: no PCI address (as in 0000:3b:00.0)", q->name);
	if (error == -ENODEV)
		return complain(EXIT_NOT_READ, "%s: no PCI device of that address (lspci -D)",
			q->name);
	return complain(EXIT_NOT_READ, "%s: %s", q->name, strerror(-error));
}

/* check_fits: against what --fits says, or what sysfs says of the device itself. */
static int check_fits(const struct request *q, const struct romfile_device *device, struct rom *r)
{
	unsigned int vendor, id;
	char end;

	if (q->device)
		rom_fits(r, device->vendor, device->device);
	if (!q->fits)
		return 0;
	if (sscanf(q->fits, "%4x:%4x%c", &vendor, &id, &end) != 2)
		return complain(EXIT_USAGE, "--fits %s: VENDOR:DEVICE, as in 15b3:1017", q->fits);
	rom_fits(r, (uint16_t)vendor, (uint16_t)id);
	return 0;
}

static int run_list(const struct request *q, const struct rom *r)
{
	if (!q->json)
		romtext_list(r, q->name, stdout);
	else if (romtext_json(r, q->name, stdout) < 0)
		return complain(EXIT_NOT_READ, "out of memory");
	return r->n_faults ? EXIT_FOUND : 0;
}

static int run_verify(const struct request *q, const struct rom *r)
{
	if (q->json)
		return run_list(q, r);
	romtext_faults(r, q->name, stdout);
	if (!r->n_faults)
		printf("%s: %zu image%s, no errors\n", q->name, r->n_images,
			r->n_images == 1 ? "" : "s");
	return r->n_faults ? EXIT_FOUND : 0;
}

static int run_extract(const struct request *q, const struct rom *r)
{
	char name[128];
	int error;

	romtext_faults(r, q->name, stderr);
	error = romfile_extract(r, q->into ? q->into : ".", stdout, name, sizeof(name));
	if (error < 0)
		return complain(EXIT_NOT_READ, "%s: %s", name, strerror(-error));
	return r->n_faults ? EXIT_FOUND : 0;
}

int command_rom(int argc, char **argv)
{
	static const struct {
		const char *verb;
		int (*run)(const struct request *q, const struct rom *r);
	} verbs[] = {{"list", run_list}, {"verify", run_verify}, {"extract", run_extract}};
	struct request q = {.prefix = ""};
	struct romfile_device device = {0};
	_cleanup_free_ struct rom *r = calloc(1, sizeof(*r));
	_cleanup_free_ void *data = NULL;
	size_t size = 0, verb = 0;
	int error;

	while (argc && verb < ARRAY_SIZE(verbs) && !streq(verbs[verb].verb, argv[0]))
		verb++;
	if (!argc || verb == ARRAY_SIZE(verbs) || !r)
		return complain(EXIT_USAGE, "rom: list, verify or extract");
	error = parse(&q, argc, argv);
	if (error)
		return error;
	error = q.device ? romfile_read_device(q.prefix, q.device, &data, &size, &device)
			 : io_read_file(q.file, ROM_SIZE_MAX, &data, &size);
	if (error < 0)
		return not_read(&q, error);
	rom_read(r, data, size);
	error = check_fits(&q, &device, r);
	return error ? error : verbs[verb].run(&q, r);
}
