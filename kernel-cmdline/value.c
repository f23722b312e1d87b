/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value: typed values out of bounded text. The libc parsers (strtoul, inet_aton) are not used
 * on what came from outside: they take more than the grammars here allow (signs, white space,
 * octal, "10.1") and need a terminator.
 */
#include "value.h"

#include <arpa/inet.h>

#include "base/host.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Digits are read to the end, so that "9...9x" is no number rather than too large a one. */
int value_u64(const char *s, size_t len, uint64_t max, uint64_t *ret)
{
	bool large = false;
	uint64_t v = 0;

	if (len == 0)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		uint64_t digit = (uint64_t)(uint8_t)s[i] - '0';

		if (digit > 9)
			return -EINVAL;
		large |= digit > max || v > (max - digit) / 10;
		v = large ? 0 : v * 10 + digit;
	}
	if (large)
		return -ERANGE;
	*ret = v;
	return 0;
}

int value_u32(const char *s, size_t len, uint32_t max, uint32_t *ret)
{
	uint64_t v;
	int r = value_u64(s, len, max, &v);

	if (r == 0)
		*ret = (uint32_t)v;
	return r;
}

/* The same with a least value. */
static int value_range(const char *s, size_t len, uint32_t min, uint32_t max, uint32_t *ret)
{
	uint32_t v;
	int r = value_u32(s, len, max, &v);

	if (r < 0 || v < min)
		return r < 0 ? r : -ERANGE;
	*ret = v;
	return 0;
}

int value_port(const char *s, size_t len, uint16_t *ret)
{
	uint32_t v;
	int r = value_range(s, len, 1, UINT16_MAX, &v);

	if (r == 0)
		*ret = (uint16_t)v;
	return r;
}

int value_mtu(const char *s, size_t len, uint32_t *ret)
{
	return value_range(s, len, 68, 65535, ret);
}

enum switch_word value_switch(const char *s, size_t len)
{
	static const struct {
		const char *words; /* each between spaces */
		enum switch_word means;
	} rows[] = {
		{" 1 yes on true y ", SWITCH_ON},
		{" 0 no off ", SWITCH_OFF},
		{" false n never disable No Off OFF NO N False none ", SWITCH_OFF_LOOSE},
	};

	char word[16];

	if (!len)
		return SWITCH_ON;
	if (len + 3 > sizeof(word) || memchr(s, ' ', len))
		return SWITCH_ODD;
	snprintf(word, sizeof(word), " %.*s ", (int)len, s);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strstr(rows[i].words, word))
			return rows[i].means;
	return SWITCH_ODD;
}

int value_ipv4(const char *s, size_t len, struct inet_addr *ret)
{
	struct inet_addr a = {.family = AF_INET};
	size_t n, i = 0;
	uint32_t octet;

	for (n = 0; n < 4; n++) {
		size_t start = i;

		while (i < len && is_digit(s[i]))
			i++;
		/* "010" is octal for some tools and decimal for others: refused */
		if (i == start || i - start > 3 || (i - start > 1 && s[start] == '0'))
			return -EINVAL;
		if (value_u32(s + start, i - start, 255, &octet) < 0)
			return -EINVAL;
		a.bytes[n] = (uint8_t)octet;
		if (n < 3 && (i == len || s[i++] != '.'))
			return -EINVAL;
	}
	if (i != len)
		return -EINVAL;
	*ret = a;
	return 0;
}

/* inet_pton() is strict enough here: no zone, no brackets, no white space. */
int value_ipv6(const char *s, size_t len, struct inet_addr *ret)
{
	struct inet_addr a = {.family = AF_INET6};
	char buf[INET6_ADDRSTRLEN];

	if (len == 0 || len >= sizeof(buf) || memchr(s, 0, len))
		return -EINVAL;
	memcpy(buf, s, len);
	buf[len] = 0;
	if (inet_pton(AF_INET6, buf, &a.v6) != 1)
		return -EINVAL;
	*ret = a;
	return 0;
}

/* Takes the brackets off "[x]". */
static void unbracket(const char **s, size_t *len)
{
	if (*len >= 2 && (*s)[0] == '[' && (*s)[*len - 1] == ']') {
		*s += 1;
		*len -= 2;
	}
}

/* Brackets mark IPv6, so "[192.0.2.1]" is neither. */
int value_inet(const char *s, size_t len, struct inet_addr *ret)
{
	if (len && s[0] != '[' && value_ipv4(s, len, ret) == 0)
		return 0;
	unbracket(&s, &len);
	return value_ipv6(s, len, ret);
}

static bool is_number(const char *s, size_t len)
{
	bool hex = len > 1 && s[0] == '0' && (s[1] | 0x20) == 'x';

	for (size_t i = hex ? 2 : 0; i < len; i++)
		if (hex ? hex_digit(s[i]) < 0 : !is_digit(s[i]))
			return false;
	return len > 0;
}

static size_t label_length(const char *s, size_t len)
{
	const char *dot = memchr(s, '.', len);

	return dot ? (size_t)(dot - s) : len;
}

bool value_numbers(const char *s, size_t len)
{
	size_t i = 0, n;

	len -= len && s[len - 1] == '.';
	do {
		n = label_length(s + i, len - i);
		if (!is_number(s + i, n))
			return false;
		i += n + 1;
	} while (i <= len);
	return true;
}

static bool is_label(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_alnum(s[i]) && s[i] != '_' && (s[i] != '-' || !i))
			return false;
	return len > 0 && len <= 63;
}

bool value_server(const char *s, size_t len, struct inet_addr *ret)
{
	static const char local[] = "localhost"; /* RFC 6761 6.3: never asked of a DNS server */
	size_t i = 0, n;

	*ret = (struct inet_addr){0};
	if (value_inet(s, len, ret) == 0)
		return true;
	len -= len && s[len - 1] == '.';
	if (len > 253)
		return false;
	if (len == strlen(local) && strncasecmp(s, local, len) == 0)
		return value_inet("127.0.0.1", 9, ret) == 0;
	do {
		n = label_length(s + i, len - i);
		if (!is_label(s + i, n))
			return false;
		i += n + 1;
	} while (i <= len);
	return !value_numbers(s, len);
}

bool value_zone(const struct inet_addr *a, const char *s, size_t len)
{
	return inet_is_link_local(a) && value_ifname(s, len);
}

int value_inet_prefix(const char *s, size_t len, struct inet_addr *ret, int *prefix)
{
	const char *whole = s, *slash;
	struct inet_addr a;
	uint32_t bits;

	unbracket(&s, &len);
	slash = len ? memchr(s, '/', len) : NULL;
	if (value_inet(s, slash ? (size_t)(slash - s) : len, &a) < 0 ||
		(a.family == AF_INET && s != whole))
		return -EINVAL;
	if (!slash) {
		*ret = a;
		*prefix = -1;
		return 0;
	}
	if (value_u32(slash + 1, len - (size_t)(slash + 1 - s), a.family == AF_INET ? 32 : 128,
		    &bits) < 0)
		return -EINVAL;
	*ret = a;
	*prefix = (int)bits;
	return 0;
}

/* A number of up to three digits cannot be mistaken for an address. */
int value_netmask(const char *s, size_t len, int max_prefix, int *ret)
{
	struct inet_addr a;
	uint32_t bits;

	if (value_u32(s, len, (uint32_t)max_prefix, &bits) == 0) {
		*ret = (int)bits;
		return 0;
	}
	if (max_prefix > 32 || value_ipv4(s, len, &a) < 0)
		return -EINVAL;
	bits = ntohl(a.v4.s_addr);
	/* a mask is ones, then zeros: its complement plus one is a power of two */
	if (~bits & (~bits + 1))
		return -EINVAL;
	*ret = bits ? 32 - __builtin_ctz(bits) : 0;
	return 0;
}

int value_octets(const char *s, size_t len, uint8_t *bytes, size_t max)
{
	size_t i = 0, n = 0;
	char sep = 0;

	while (i < len) {
		int hi = hex_digit(s[i]);
		int lo = i + 1 < len ? hex_digit(s[i + 1]) : -1;

		if (hi < 0 || n == max)
			return -EINVAL;
		bytes[n++] = (uint8_t)(lo < 0 ? hi : hi * 16 + lo);
		i += lo < 0 ? 1 : 2;
		if (i == len)
			return (int)n;
		if (!sep)
			sep = s[i];
		/* a trailing separator is refused as well */
		if ((sep != ':' && sep != '-') || s[i] != sep || i + 1 == len)
			return -EINVAL;
		i++;
	}
	return -EINVAL;
}

int value_hw(const char *s, size_t len, struct hw_addr *ret)
{
	struct hw_addr a = {0};
	int n = value_octets(s, len, a.bytes, sizeof(a.bytes));

	if (n != 6 && n != 8 && n != HW_ADDR_MAX)
		return -EINVAL;
	a.len = (uint8_t)n;
	*ret = a;
	return 0;
}

int value_guid(const char *s, size_t len, struct hw_addr *ret)
{
	size_t skip = len > 2 && s[0] == '0' && (s[1] | 0x20) == 'x' ? 2 : 0, n = 0;
	char digits[2 * HW_ADDR_MAX];
	struct hw_addr a = {0};

	if (value_hw(s, len, ret) == 0)
		return 0;
	for (size_t i = 0; i < len - skip; i++) {
		if (s[skip + i] == ':' && i % 5 == 4)
			continue;
		if (n == sizeof(digits))
			return -EINVAL;
		digits[n++] = s[skip + i];
	}
	if ((n != 12 && n != 16 && n != sizeof(digits)) || value_hex(digits, n, a.bytes, n / 2) < 0)
		return -EINVAL;
	a.len = (uint8_t)(n / 2);
	*ret = a;
	return 0;
}

bool value_hw_group(const struct hw_addr *a)
{
	return a->len == 6 && a->bytes[0] & 1;
}

bool value_hw_zero(const struct hw_addr *a)
{
	size_t i = a->len > 8 ? a->len - 8u : 0;

	while (i < a->len && !a->bytes[i])
		i++;
	return a->len && i == a->len;
}

const char *value_hw_fault(const struct hw_addr *a, const char **ret_remedy)
{
	bool zero = value_hw_zero(a);

	if (!zero && !value_hw_group(a))
		return NULL;
	*ret_remedy = zero ? "write the address that \"ip link\" shows"
			   : "the first octet must be even";
	return zero ? "an address of zeros is no interface's own"
		    : "a group address cannot be an interface's own";
}

bool value_hw_plain(const char *s, size_t len)
{
	struct hw_addr a;

	/* every octet has both digits when the text is as long as can be */
	return value_hw(s, len, &a) == 0 && a.len != 8 && len == 3 * (size_t)a.len - 1 &&
	       s[2] == ':';
}

/* At most max letters, digits and other bytes of more. */
static bool plain_name(const char *s, size_t len, size_t max, const char *more)
{
	for (size_t i = 0; i < len; i++)
		if (!is_alnum(s[i]) && (!s[i] || !strchr(more, s[i])))
			return false;
	return len > 0 && len <= max;
}

/* No '/' and no '.': neither a path nor a file. The kernel's own limit is a little shorter. */
bool value_module(const char *s, size_t len)
{
	return plain_name(s, len, 63, "_-") && s[0] != '-';
}

/* IFNAMSIZ - 1, dev_valid_name() in the kernel's net/core/dev.c */
bool value_ifname(const char *s, size_t len)
{
	return plain_name(s, len, 15, "_-.") &&
	       !(s[0] == '.' && (len == 1 || (len == 2 && s[1] == '.')));
}

/* __NEW_UTS_LEN is 64 */
bool value_hostname(const char *s, size_t len)
{
	return plain_name(s, len, 64, "-.") && is_alnum(s[0]) && is_alnum(s[len - 1]);
}

bool value_nqn(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] <= ' ' || (unsigned char)s[i] >= 0x7f ||
			strchr("\"',\\", s[i]))
			return false;
	return len > 4 && len < NQN_SIZE && memcmp(s, "nqn.", 4) == 0;
}

const char *inet_text(const struct inet_addr *a, char buf[static INET_ADDR_TEXT])
{
	buf[0] = 0;
	if (a->family == AF_INET || a->family == AF_INET6)
		inet_ntop(a->family, a->bytes, buf, INET_ADDR_TEXT);
	return buf;
}

const char *hw_text(const struct hw_addr *a, char buf[static HW_ADDR_TEXT])
{
	buf[0] = 0;
	for (size_t i = 0; i < a->len && i < HW_ADDR_MAX; i++)
		snprintf(buf + 3 * i, 4, "%02x%s", a->bytes[i], i + 1 < a->len ? ":" : "");
	return buf;
}

bool inet_is_host(const struct inet_addr *a)
{
	return a->family == AF_INET6 ? inet6_is_host(&a->v6)
				     : a->family && inet4_is_host(a->v4);
}

bool inet_is_loopback(const struct inet_addr *a)
{
	return a->family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&a->v6)
				     : a->family && a->bytes[0] == 127;
}

bool inet_is_any(const struct inet_addr *a)
{
	return a->family == AF_INET6 ? IN6_IS_ADDR_UNSPECIFIED(&a->v6)
				     : a->family && !a->v4.s_addr;
}

bool inet_is_link_local(const struct inet_addr *a)
{
	return a->family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&a->v6);
}

bool inet_in_subnet(const struct inet_addr *a, const struct inet_addr *net, unsigned prefix)
{
	unsigned whole = prefix / 8, rest = prefix % 8;
	uint8_t mask = (uint8_t)(0xff00 >> rest);

	if (a->family != net->family || prefix > (a->family == AF_INET ? 32 : 128))
		return false;
	if (memcmp(a->bytes, net->bytes, whole))
		return false;
	return rest == 0 || ((a->bytes[whole] ^ net->bytes[whole]) & mask) == 0;
}

bool inet_equal(const struct inet_addr *a, const struct inet_addr *b)
{
	if (a->family != b->family)
		return false;
	return memcmp(a->bytes, b->bytes, a->family == AF_INET ? 4 : 16) == 0;
}

bool hw_addr_equal(const struct hw_addr *a, const struct hw_addr *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

bool hw_addr_same_port(const struct hw_addr *a, const struct hw_addr *b)
{
	if (a->len < 8 || b->len < 8)
		return hw_addr_equal(a, b);
	return memcmp(a->bytes + a->len - 8, b->bytes + b->len - 8, 8) == 0;
}

int value_hex(const char *s, size_t len, uint8_t *bytes, size_t n)
{
	if (len != 2 * n)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		int high = hex_digit(s[2 * i]), low = hex_digit(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

bool value_uuid(const char *s, size_t len, char ret[static VALUE_UUID])
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	if (len != strlen(form))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (form[i] == '-' ? s[i] != '-' : hex_digit(s[i]) < 0)
			return false;
		ret[i] = form[i] == '-' ? '-' : "0123456789abcdef"[hex_digit(s[i])];
	}
	ret[len] = 0;
	return true;
}

static int base64_digit(char c)
{
	static const char digits[] = ALNUM "+/"; /* in that order */
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

int value_base64(const char *s, size_t len, uint8_t *bytes, size_t n)
{
	size_t have = 0, i, pad = (3 - n % 3) % 3;
	uint32_t bits = 0;
	unsigned int held = 0;

	if (len != (n + 2) / 3 * 4)
		return -EINVAL;
	for (i = 0; i < len - pad; i++) {
		int digit = base64_digit(s[i]);

		if (digit < 0)
			return -EINVAL;
		bits = (bits << 6 | (uint32_t)digit) & 0xffff;
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		bytes[have++] = (uint8_t)(bits >> held);
	}
	for (; i < len; i++)
		if (s[i] != '=')
			return -EINVAL;
	return bits & ((1U << held) - 1) ? -EINVAL : 0;
}

enum volume_key value_volume(const char *s, size_t len, size_t *ret_at)
{
	static const char *const starts[][VOLUME_NO_KEY] = {
		{"LABEL=", "UUID=", "PARTLABEL=", "PARTUUID="},
		{"/dev/disk/by-label/", "/dev/disk/by-uuid/", "/dev/disk/by-partlabel/",
			"/dev/disk/by-partuuid/"},
	};

	for (size_t i = 0; i < 2 * VOLUME_NO_KEY; i++) {
		const char *start = starts[i / VOLUME_NO_KEY][i % VOLUME_NO_KEY];

		*ret_at = strlen(start);
		if (len > *ret_at && memcmp(s, start, *ret_at) == 0)
			return (enum volume_key)(i % VOLUME_NO_KEY);
	}
	return VOLUME_NO_KEY;
}

int value_size(const char *s, size_t len, uint64_t *ret)
{
	static const char suffixes[] = "kmgt";
	const char *at = len ? strchr(suffixes, s[len - 1] | 0x20) : NULL;
	unsigned int shift = 0;
	uint32_t n;
	int r;

	if (at && *at) {
		shift = 10 * (unsigned int)(at - suffixes + 1);
		len--;
	}
	r = value_u32(s, len, UINT32_MAX, &n);
	if (r < 0)
		return r;
	if (n > (UINT64_C(1) << 62) >> shift)
		return -ERANGE;
	*ret = (uint64_t)n << shift;
	return 0;
}
