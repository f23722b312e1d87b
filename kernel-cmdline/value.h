/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value: the typed values an option's text is made of (numbers, switches, addresses, hardware
 * addresses, names). Pure; allocates nothing.
 * In: (text, length), never read past the length. Out: the value; -EINVAL (not of that form) or
 * -ERANGE (of that form, but out of range).
 * Callers: every folder that reads an address, a name or a number. Tests: test_rows.c with rows/,
 * fuzz_cmdline.c, address/test_result.c.
 */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/util.h"

/* An IPv4 or IPv6 address; family AF_UNSPEC (0) means "not given". Network byte order. */
struct inet_addr {
	sa_family_t family;
	union {
		struct in_addr v4;
		struct in6_addr v6;
		uint8_t bytes[16];
	};
};

/* Long enough for "[ipv6]/128". */
#define INET_ADDR_TEXT 52

/* A hardware address: 6 (Ethernet), 8 (EUI-64, port GUID) or 20 bytes (IPoIB); len 0: none. */
#define HW_ADDR_MAX 20
struct hw_addr {
	uint8_t len;
	uint8_t bytes[HW_ADDR_MAX];
};

/* Long enough for 20 octets "xx:" and the terminator. */
#define HW_ADDR_TEXT (3 * HW_ADDR_MAX + 1)

/* A switch's text: what dracut calls on and off, and what people write meaning it. */
enum switch_word {
	SWITCH_ON,	  /* 1 yes on true y, or empty */
	SWITCH_OFF,	  /* 0 no off: off for dracut too */
	SWITCH_OFF_LOOSE, /* false n never disable: meant as off; on for dracut */
	SWITCH_ODD,	  /* anything else: on for dracut */
};

/*
 * value_u32, value_u64: decimal digits only, at most max. Leading zeros count as decimal.
 * Returns 0, -EINVAL, or -ERANGE (too large); *ret is written only on 0.
 */
int value_u32(const char *s, size_t len, uint32_t max, uint32_t *ret);
int value_u64(const char *s, size_t len, uint64_t max, uint64_t *ret);

/* value_port: 1 to 65535. value_mtu: 68 (RFC 791's least datagram) to 65535. As value_u32(). */
int value_port(const char *s, size_t len, uint16_t *ret);
int value_mtu(const char *s, size_t len, uint32_t *ret);

enum switch_word value_switch(const char *s, size_t len);

/*
 * value_ipv4, value_ipv6: strict presentation forms (four decimal octets without leading zeros,
 * RFC 4291 text without zone). value_inet takes either; IPv6 may stand in brackets.
 */
int value_ipv4(const char *s, size_t len, struct inet_addr *ret);
int value_ipv6(const char *s, size_t len, struct inet_addr *ret);
int value_inet(const char *s, size_t len, struct inet_addr *ret);

/*
 * value_numbers: are all labels numbers, decimal or 0x and hex digits? Such a text is no name (RFC
 * 1123 2.1) but an address of one to four numbers to inet_aton(3), and so to curl and others.
 */
bool value_numbers(const char *s, size_t len);

/*
 * value_server: how a server is named: an address (as value_inet()), or a name: labels of 1 to 63
 * letters, digits, '-' and '_', the first of them no '-'; at most 253 bytes (RFC 1035), a last dot
 * aside; no value_numbers(). ret->family is 0 for a name.
 */
bool value_server(const char *s, size_t len, struct inet_addr *ret);

/*
 * value_zone: can s be the zone of this address (RFC 4007 section 11)? Only a link-local address
 * has one, the name of an interface.
 */
bool value_zone(const struct inet_addr *a, const char *s, size_t len);

/*
 * value_inet_prefix: ADDRESS or ADDRESS/PREFIX, IPv6 with or without brackets, the prefix inside
 * or outside of them ("[2001:db8::1/64]" is what dracut writes itself); IPv4 in brackets is
 * refused. *prefix is -1 when none is given.
 */
int value_inet_prefix(const char *s, size_t len, struct inet_addr *ret, int *prefix);

/*
 * value_netmask: a plain number (24, up to max_prefix) or, for IPv4 (max_prefix 32), the prefix
 * length of a mask (255.255.255.0). -EINVAL for a mask with holes.
 */
int value_netmask(const char *s, size_t len, int max_prefix, int *ret);

/*
 * value_octets: one to max octets of one or two hex digits, joined by ':' or '-' (one kind
 * throughout). Returns their number or -EINVAL; bytes are written as far as they went.
 */
int value_octets(const char *s, size_t len, uint8_t *bytes, size_t max);

/* value_hw: exactly 6, 8 or 20 octets, written as for value_octets(). */
int value_hw(const char *s, size_t len, struct hw_addr *ret);

/*
 * value_guid: the same, or a port GUID as tools print it: 0x0002c903000e0b72 (ibstat),
 * 0002:c903:000e:0b72 (sysfs, ibstat -p), or digits alone.
 */
int value_guid(const char *s, size_t len, struct hw_addr *ret);

/*
 * value_hw_group: is it a group address of Ethernet (an odd first octet)? value_hw_zero: is all of
 * it zero, of 20 octets the last 8, the port GUID? No interface has either as its own.
 */
bool value_hw_group(const struct hw_addr *a);
bool value_hw_zero(const struct hw_addr *a);

/* value_hw_fault: why no interface can have this address as its own, and what to write; or NULL. */
const char *value_hw_fault(const struct hw_addr *a, const char **ret_remedy);

/*
 * value_hw_plain: is it written as dracut's grammar has it, 6 or 20 octets of two digits joined by
 * ':'?
 */
bool value_hw_plain(const char *s, size_t len);

/* value_hex: exactly 2 * n hex digits. Returns 0 or -EINVAL; bytes may be half written. */
int value_hex(const char *s, size_t len, uint8_t *bytes, size_t n);

/* value_uuid: 8-4-4-4-12 hex digits, in lower case into ret, which may be s. */
#define VALUE_UUID 37
bool value_uuid(const char *s, size_t len, char ret[static VALUE_UUID]);

/*
 * value_base64: the exact encoding (RFC 4648, padded) of n bytes, unused bits zero. Returns 0 or
 * -EINVAL; bytes may be half written.
 */
int value_base64(const char *s, size_t len, uint8_t *bytes, size_t n);

/* What a file system or partition is named by: its own superblock, or its table's entry. */
enum volume_key { VOLUME_LABEL, VOLUME_UUID, VOLUME_PARTLABEL, VOLUME_PARTUUID, VOLUME_NO_KEY };

/*
 * value_volume: "LABEL=NAME" and the like, also as udev links it ("/dev/disk/by-label/NAME").
 * *ret_at: where NAME begins, which is not empty.
 */
enum volume_key value_volume(const char *s, size_t len, size_t *ret_at);

/*
 * value_size: a number of bytes with the kernel's suffixes (K, M, G, T, also small: powers of
 * 1024), decimal. Returns 0, -EINVAL or -ERANGE (above 2^62).
 */
int value_size(const char *s, size_t len, uint64_t *ret);

/* value_module: a kernel module's name (R2): [A-Za-z0-9_-]{1,63}, no leading '-'. */
bool value_module(const char *s, size_t len);

/*
 * value_ifname: a netdev's name: 1 to 15 bytes (IFNAMSIZ - 1) of [A-Za-z0-9_.-], not "." or "..".
 * The kernel takes more, but no name in use has it, and names end up in files others read.
 */
bool value_ifname(const char *s, size_t len);

/* value_hostname: RFC 1123 letters, digits, '-' and '.', at most 64 bytes (the kernel's limit). */
bool value_hostname(const char *s, size_t len);

#define NQN_SIZE      224 /* with the NUL behind it */
#define NQN_DISCOVERY "nqn.2014-08.org.nvmexpress.discovery" /* NVMe over fabrics 5.1 */

/*
 * value_nqn: an NVMe qualified name: "nqn." and printable ASCII, at most 223 bytes (NVMe base
 * specification 4.7), without quotes, ',' and '\\', which end or change an option of the kernel's.
 */
bool value_nqn(const char *s, size_t len);

/* inet_text, hw_text: presentation form into buf; "" when not given. Return buf. */
const char *inet_text(const struct inet_addr *a, char buf[static INET_ADDR_TEXT]);
const char *hw_text(const struct hw_addr *a, char buf[static HW_ADDR_TEXT]);

/*
 * inet_is_host: can a host have this address (base/host.h)? inet_is_loopback, inet_is_any (all
 * zeroes), inet_is_link_local (IPv6's) tell which kind it is. All are false for no address.
 */
bool inet_is_host(const struct inet_addr *a);
bool inet_is_loopback(const struct inet_addr *a);
bool inet_is_any(const struct inet_addr *a);
bool inet_is_link_local(const struct inet_addr *a);

bool inet_in_subnet(const struct inet_addr *a, const struct inet_addr *net, unsigned prefix);

/* inet_equal: same family and address. hw_addr_equal: same length and octets. */
bool inet_equal(const struct inet_addr *a, const struct inet_addr *b);
bool hw_addr_equal(const struct hw_addr *a, const struct hw_addr *b);

/* hw_addr_same_port: equal, or a port GUID and an IPoIB address (20 octets) that ends in it. */
bool hw_addr_same_port(const struct hw_addr *a, const struct hw_addr *b);
