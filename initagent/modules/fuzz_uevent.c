// SPDX-License-Identifier: GPL-2.0-or-later
/* Uevent datagrams: any bytes. What is taken out of them must lie inside them and be harmless. */
#include "modules/catalog.h"
#include "modules/coldplug.h"
#include "modules/uevent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void inside(const char *field, const char *buf, size_t size)
{
	bool empty = !*field;

	if (!empty && (field < buf || field + strlen(field) > buf + size))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct coldplug_device dev;
	struct uevent ev;
	char *buf;

	if (size >= UEVENT_SIZE)
		return 0;
	buf = malloc(size + 1);
	if (!buf)
		return 0;
	memcpy(buf, data, size);
	if (uevent_parse(buf, size, &ev) == 0) {
		inside(ev.action, buf, size);
		inside(ev.devpath, buf, size);
		inside(ev.subsystem, buf, size);
		inside(ev.modalias, buf, size);
		if (coldplug_from_uevent(&ev, true, &dev) && !catalog_valid_alias(dev.modalias))
			abort();
	}
	free(buf);
	return 0;
}
