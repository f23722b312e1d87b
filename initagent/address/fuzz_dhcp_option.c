// SPDX-License-Identifier: GPL-2.0-or-later
/* The decoders of options 121, 33, 119 and address lists. The first byte chooses one. */
#include "address/dhcp_option.h"
#include "inet_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dhcp_route routes[ADDRESS_ROUTES_MAX];
	struct in_addr list[ADDRESS_LIST_MAX];
	char search[ADDRESS_SEARCH_MAX + 1];
	bool partly = false;
	struct cursor c;
	int n;

	if (size == 0)
		return 0;
	c = cursor_make(data + 1, size - 1);
	switch (data[0] & 3) {
	case 0:
		n = option_search(c, search);
		check(n < 0 ? !*search : text_valid(TEXT_SEARCH, search));
		break;
	case 1:
		n = option_classless_routes(c, routes, ADDRESS_ROUTES_MAX, &partly);
		for (int i = 0; i < n; i++)
			check(routes[i].prefix <= 32);
		check(n <= ADDRESS_ROUTES_MAX && n != 0);
		break;
	case 2:
		n = option_static_routes(c, routes, ADDRESS_ROUTES_MAX, &partly);
		for (int i = 0; i < n; i++)
			check(inet4_is_host(routes[i].gateway));
		break;
	default:
		n = option_addresses(c, list, ADDRESS_LIST_MAX, &partly);
		for (int i = 0; i < n; i++)
			check(inet4_is_host(list[i]));
		break;
	}
	return 0;
}
