// SPDX-License-Identifier: GPL-2.0-or-later
/* turns: see turns.h. Only modules that a boot waits for are worth a row. */
#include "modules/turns.h"

static const struct {
	const char *module;
	enum turn turn;
} turns[] = {
	{"crc32_generic", TURN_QUIET},	{"crc32_pclmul", TURN_QUIET}, {"dns_resolver", TURN_QUIET},
	{"ib_uverbs", TURN_QUIET},	{"ip6_udp_tunnel", TURN_QUIET}, {"nfsv4", TURN_LATE},
	{"rdma_rxe", TURN_QUIET},	{"siw", TURN_QUIET},	      {"udp_tunnel", TURN_QUIET},
};

enum turn turn_of(const char *module)
{
	for (size_t i = 0; i < ARRAY_SIZE(turns); i++)
		if (streq(turns[i].module, module))
			return turns[i].turn;
	return TURN_NORMAL;
}
