// SPDX-License-Identifier: GPL-2.0-or-later
/* heard: see heard.h. */
#include "address/heard.h"

uint64_t heard_packets(const struct env *env, const char *netdev)
{
	char text[32], *end;
	uint64_t n;

	if (env_read(env, text, sizeof(text), "/sys/class/net/%s/statistics/rx_packets", netdev) <= 0)
		return UINT64_MAX;
	n = strtoull(text, &end, 10);
	return *end ? UINT64_MAX : n;
}

const char *heard_since(const struct env *env, const char *netdev, uint64_t then, char buf[static HEARD_TEXT])
{
	uint64_t n = heard_packets(env, netdev);

	if (n == UINT64_MAX || n < then)
		return "";
	if (n == then)
		return ", nothing at all received";
	snprintf(buf, HEARD_TEXT, ", %llu packet%s of any kind received", (unsigned long long)(n - then),
		n - then == 1 ? "" : "s");
	return buf;
}
