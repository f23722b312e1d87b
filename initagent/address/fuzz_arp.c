// SPDX-License-Identifier: GPL-2.0-or-later
/* ARP packets and /etc/hosts: two small parsers, chosen by the first byte. */
#include "address/arp_probe.h"
#include "resolver/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct netdev dev = {.hwtype = 1, .hw = {.len = 6, .bytes = {2, 0, 0, 0, 0, 5}}};
	const struct in_addr own = {htonl(0x0a000005)};
	struct inet_addr a[ADDRESS_RESOLVED_MAX];
	struct link_hw other;

	if (size < 2)
		return 0;
	if (data[0] & 2) {
		dev.hwtype = 32;
		dev.hw.len = 20;
	}
	if (data[0] & 1)
		hosts_find((const char *)data + 1, size - 1, "nfs.example", a);
	else if (arp_conflicts(data + 1, size - 1, &dev, own, data[0] & 4, &other) &&
		other.len != dev.hw.len)
		__builtin_trap();
	return 0;
}
