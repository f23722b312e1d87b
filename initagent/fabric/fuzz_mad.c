// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MADs from the fabric: the first byte is the question, the rest any bytes as its answer. What is
 * taken out of them must be harmless on a console and within its range.
 */
#include "fabric/mad.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_desc(const char *desc)
{
	check(strlen(desc) <= 64);
	for (; *desc; desc++)
		check(*desc >= ' ' && *desc < 0x7f);
}

static bool is_mtu(unsigned mtu)
{
	return mtu == 0 || (mtu >= 256 && mtu <= 4096 && (mtu & (mtu - 1)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mad_request rq = {.tid = 0xa1b2c3d4, .port = 1, .pkey = 0x8001};
	struct mad_answer a, again;
	uint8_t *copy;

	if (size < 1 || size > 4096)
		return 0;
	rq.query = (enum mad_query)(data[0] % MAD_QUERY_MAX);
	/* An exact copy, so that a read past it is seen. */
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	if (mad_parse(&rq, copy, size - 1, &a) == 0) {
		check(size > 56 || a.status);
		check_desc(a.desc);
		check(a.node.type <= FABRIC_NODE_ROUTER && a.node.port <= 255);
		check(a.port_sm_lid <= 0xffff);
		check(is_mtu(a.port_mtu) && is_mtu(a.group.mtu) && a.group.rate <= 1200000);
		check(a.sm.priority < 16 && a.sm.role < 16);
		check(mad_parse(&rq, copy, size - 1, &again) == 0 && again.status == a.status);
	}
	free(copy);
	return 0;
}
