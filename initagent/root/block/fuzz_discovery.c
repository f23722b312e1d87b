// SPDX-License-Identifier: GPL-2.0-or-later
/* discovery: a log page. What is found is nothing but what the kernel may be told. */
#include "root/block/discovery.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool fact)
{
	if (!fact)
		__builtin_trap();
}

static bool plain(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s >= 0x7f || *s == ',')
			return false;
	return true;
}

static void look(const uint8_t *data, size_t size, const char *nqn, bool rdma, unsigned turn)
{
	const struct discovery_want want = {nqn, "192.0.2.1", rdma, turn};
	struct discovery d;

	discovery_judge(data, size, &want, &d);
	must(d.how >= 0 && d.how < DISCOVERY_MAX && memchr(d.text, 0, sizeof(d.text)));
	if (d.how != DISCOVERY_FOUND)
		return;
	must(d.port && d.port <= 65535 && *d.address && plain(d.address) && plain(d.nqn));
	must(strncmp(d.nqn, "nqn.", 4) == 0 && (!nqn || strcmp(nqn, d.nqn) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	look(data, size, NULL, false, 0);
	look(data, size, NULL, true, 2);
	look(data, size, "nqn.a", false, 1);
	return 0;
}
