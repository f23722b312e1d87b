/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp_option: the options of a DHCP reply: where they stand (options field, and the file and sname
 * fields when overloaded), and the decoders of those with a structure of their own. Pure.
 */
#pragma once

#include "address/dhcp_reply.h"
#include "base/host.h"

/* Option codes, RFC 2132 unless noted. */
enum {
	DHCP_OPT_PAD = 0,
	DHCP_OPT_MASK = 1,
	DHCP_OPT_ROUTERS = 3,
	DHCP_OPT_DNS = 6,
	DHCP_OPT_HOSTNAME = 12,
	DHCP_OPT_DOMAIN = 15,
	DHCP_OPT_ROOT_PATH = 17,
	DHCP_OPT_MTU = 26,
	DHCP_OPT_BROADCAST = 28,
	DHCP_OPT_STATIC_ROUTES = 33,
	DHCP_OPT_NTP = 42,
	DHCP_OPT_REQUESTED = 50,
	DHCP_OPT_LEASE = 51,
	DHCP_OPT_OVERLOAD = 52,
	DHCP_OPT_TYPE = 53,
	DHCP_OPT_SERVER_ID = 54,
	DHCP_OPT_REQUEST_LIST = 55,
	DHCP_OPT_MAX_SIZE = 57,
	DHCP_OPT_T1 = 58,
	DHCP_OPT_T2 = 59,
	DHCP_OPT_VENDOR_CLASS = 60,
	DHCP_OPT_CLIENT_ID = 61, /* also RFC 4361, 6842 */
	DHCP_OPT_TFTP_SERVER = 66,
	DHCP_OPT_BOOT_FILE = 67,
	DHCP_OPT_RAPID_COMMIT = 80,    /* RFC 4039 */
	DHCP_OPT_SEARCH = 119,	       /* RFC 3397 */
	DHCP_OPT_CLASSLESS_ROUTES = 121, /* RFC 3442 */
	DHCP_OPT_END = 255,
};

/* Budget of option instances: a reply of 1,500 bytes from a real server has about 30. */
#define OPTION_SPANS_MAX 200
/* Longest value after joining (RFC 3396): nothing we read needs more. */
#define OPTION_VALUE_MAX 1024

struct option_span {
	uint8_t code, len;
	const uint8_t *value;
};

struct option_index {
	struct option_span spans[OPTION_SPANS_MAX];
	size_t n;
	/* codes of options that ran past the end of their field: no instance of them counts */
	uint8_t cut[2];
	size_t n_cut;
	uint8_t overload; /* option 52: 1 file, 2 sname, 3 both hold options */
	uint8_t joined[OPTION_VALUE_MAX];
};

/*
 * option_index_add: indexes one field. DHCP_GOOD, DHCP_OPTION_CUT or DHCP_TOO_MANY. The caller may
 * go on after DHCP_OPTION_CUT: the option that was cut then has no value, the others of the field
 * have theirs.
 */
enum dhcp_defect option_index_add(struct option_index *x, struct cursor field);

/*
 * option_get: the value of an option; several instances are joined in order (RFC 3396). false when
 * it is absent; *ret failed when it is too long to be joined, or was cut. Valid until the next
 * call.
 */
bool option_get(struct option_index *x, uint8_t code, struct cursor *ret);

/* option_exact: the value of an option that has exactly size bytes; -ENOENT absent, -EINVAL other
 * size. */
int option_exact(struct option_index *x, uint8_t code, void *ret, size_t size);

/*
 * The decoders. Each writes only when the whole value is well-formed: the number of entries, or
 * -EINVAL. What is more than max, or no host's address, is left out: then *partly is set.
 */
int option_addresses(struct cursor c, struct in_addr *ret, size_t max, bool *partly);
int option_static_routes(struct cursor c, struct dhcp_route *ret, size_t max, bool *partly);
/* RFC 3442 */
int option_classless_routes(struct cursor c, struct dhcp_route *ret, size_t max, bool *partly);
/* option_search: RFC 3397 names, joined by spaces, to dst. 0 or -EINVAL. */
int option_search(struct cursor c, char dst[static ADDRESS_SEARCH_MAX + 1]);
