// SPDX-License-Identifier: GPL-2.0-or-later
#include "boottable.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

/* A table in the making; what is referred to is put behind it. */
struct maker {
	uint8_t *out;
	size_t end;
};

static void put_le(uint8_t *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* 16 bytes; IPv4 mapped, as the specifications have it. */
static void put_addr(uint8_t *at, const char *text)
{
	memset(at, 0, 16);
	if (!text || inet_pton(AF_INET6, text, at) == 1)
		return;
	at[10] = at[11] = 0xff;
	inet_pton(AF_INET, text, at + 12);
}

static void put_hex(uint8_t *at, const char *text, size_t bytes)
{
	for (size_t i = 0; text && i < bytes; i++)
		sscanf(text + 2 * i, "%2hhx", &at[i]);
}

static void put_mac(uint8_t *at, const char *mac)
{
	for (size_t i = 0; i < 6; i++)
		sscanf(mac + 3 * i, "%2hhx", &at[i]);
}

/* Bytes behind the table, and the reference to them: offset (4 bytes) and length. */
static void put_object(struct maker *m, uint8_t *reference, const void *bytes, size_t len)
{
	put_le(reference, m->end, 4);
	put_le(reference + 4, len, 2);
	memcpy(m->out + m->end, bytes, len);
	m->end += len;
}

/* A text with a zero behind it that its length does not count. */
static void put_text(struct maker *m, uint8_t *reference, const char *text)
{
	if (!text)
		return;
	put_object(m, reference, text, strlen(text));
	m->out[m->end++] = 0;
}

void boottable_seal(uint8_t *table, size_t len)
{
	uint8_t sum = 0;

	table[9] = 0;
	for (size_t i = 0; i < len; i++)
		sum = (uint8_t)(sum + table[i]);
	table[9] = (uint8_t)-sum;
}

/* ACPI's header: signature, length, revision, checksum, who made it. */
static void put_header(uint8_t *out, const char *signature, size_t len)
{
	memcpy(out, signature, 4);
	put_le(out + 4, len, 4);
	out[8] = 1;
	memcpy(out + 10, "LAB   BOOTTEST", 14);
	boottable_seal(out, len);
}

/* --- NBFT ----------------------------------------------------------------------------------- */

enum { CONTROL = 64, HOST = 128, LISTS = 160, IFACE_SIZE = 32, NAMESPACE_SIZE = 128 };

static void put_info(struct maker *m, uint8_t *iface, const struct boottable_iface *i,
	unsigned int index)
{
	uint8_t d[128] = {7, 1, 3, 1};
	uint8_t *at = m->out + m->end;

	put_le(d + 4, index, 2);
	d[6] = (uint8_t)(1 | 2 | (i->dhcp ? 4 : 0));
	put_mac(d + 11, i->mac);
	put_le(d + 17, i->vlan, 2);
	d[19] = i->dhcp ? 3 : 1;
	put_addr(d + 20, i->addr);
	d[36] = (uint8_t)i->prefix;
	put_addr(d + 37, i->gateway);
	put_addr(d + 56, i->dns);
	put_addr(d + 72, i->dns2);
	put_addr(d + 88, i->dhcp);
	put_object(m, iface + 16, d, sizeof(d));
	put_text(m, at + 104, i->hostname);
}

static void put_iface(struct maker *m, uint8_t *d, const struct boottable_iface *i,
	unsigned int index)
{
	d[0] = 3;
	d[1] = (uint8_t)index;
	d[2] = !i->invalid;
	d[3] = 3;
	put_info(m, d, i, index);
}

static void put_namespace(struct maker *m, uint8_t *d, const struct boottable_namespace *n,
	unsigned int index)
{
	uint8_t addr[16];

	d[0] = 4;
	put_le(d + 1, index, 2);
	put_le(d + 3, n->flags | 1, 2);
	d[5] = 3;
	put_le(d + 6, n->digests ? n->digests | 1 : 0, 2);
	put_addr(addr, n->addr);
	put_object(m, d + 10, addr, sizeof(addr));
	put_text(m, d + 16, n->port);
	put_le(d + 24, n->nsid, 4);
	d[28] = n->uuid ? 3 : 0;
	put_hex(d + 29, n->uuid, 16);
	d[46] = (uint8_t)n->iface;
	put_text(m, d + 54, n->nqn);
}

/* Where a list is, how long one of it, version, how many. */
static void put_list(uint8_t *at, size_t where, size_t size, size_t n)
{
	put_le(at, n ? where : 0, 4);
	put_le(at + 4, n ? size : 0, 2);
	at[6] = 1;
	at[7] = (uint8_t)n;
}

size_t boottable_nbft(uint8_t out[static BOOTTABLE_MAX], const struct boottable *t)
{
	struct maker m = {.out = out};
	uint8_t *control = out + CONTROL, *host = out + HOST;
	size_t ifaces = 0, namespaces = 0, second;

	memset(out, 0, BOOTTABLE_MAX);
	while (ifaces < BOOTTABLE_PARTS && t->ifaces[ifaces].mac)
		ifaces++;
	while (namespaces < BOOTTABLE_PARTS && t->namespaces[namespaces].addr)
		namespaces++;
	second = LISTS + ifaces * IFACE_SIZE;
	m.end = second + namespaces * NAMESPACE_SIZE;
	put_le(out + 36, m.end, 4);
	control[0] = control[1] = 1;
	put_le(control + 4, 64, 2);
	control[6] = 1;
	put_le(control + 8, HOST, 4);
	put_le(control + 12, 32, 2);
	control[14] = 1;
	put_list(control + 16, LISTS, IFACE_SIZE, ifaces);
	put_list(control + 24, second, NAMESPACE_SIZE, namespaces);
	host[0] = 2;
	host[1] = (uint8_t)(1 | t->primary << 3);
	put_hex(host + 2, t->hostid, 16);
	put_text(&m, host + 18, t->hostnqn);
	for (size_t i = 0; i < ifaces; i++)
		put_iface(&m, out + LISTS + i * IFACE_SIZE, &t->ifaces[i], (unsigned int)i + 1);
	for (size_t i = 0; i < namespaces; i++)
		put_namespace(&m, out + second + i * NAMESPACE_SIZE, &t->namespaces[i],
			(unsigned int)i + 1);
	put_le(out + 40, m.end - (second + namespaces * NAMESPACE_SIZE), 4);
	put_header(out, "NBFT", m.end);
	return m.end;
}

/* --- iBFT ----------------------------------------------------------------------------------- */

enum { IBFT_CONTROL = 48, IBFT_NIC = 72, IBFT_NIC_SIZE = 102 };

/* What each structure begins with: kind, version, length, index, flags. */
static void put_structure(uint8_t *at, uint8_t kind, size_t len, size_t index, uint8_t flags)
{
	at[0] = kind;
	at[1] = 1;
	put_le(at + 2, len, 2);
	at[4] = (uint8_t)index;
	at[5] = flags;
}

static void put_nic(struct maker *m, uint8_t *d, const struct boottable_iface *i, size_t index)
{
	put_structure(d, 3, IBFT_NIC_SIZE, index, i->invalid ? 0 : 3);
	put_addr(d + 6, i->addr);
	d[22] = (uint8_t)i->prefix;
	d[23] = i->dhcp ? 3 : 1;
	put_addr(d + 24, i->gateway);
	put_addr(d + 40, i->dns);
	put_addr(d + 56, i->dns2);
	put_addr(d + 72, i->dhcp);
	put_le(d + 88, i->vlan, 2);
	put_mac(d + 90, i->mac);
	if (!i->hostname)
		return;
	put_le(d + 98, strlen(i->hostname), 2);
	put_le(d + 100, m->end, 2);
	memcpy(m->out + m->end, i->hostname, strlen(i->hostname));
	m->end += strlen(i->hostname) + 1;
}

size_t boottable_ibft(uint8_t out[static BOOTTABLE_MAX], const struct boottable *t)
{
	struct maker m = {.out = out, .end = IBFT_NIC + 2 * IBFT_NIC_SIZE};
	uint8_t *control = out + IBFT_CONTROL;

	memset(out, 0, BOOTTABLE_MAX);
	put_structure(control, 1, 18, 0, 0);
	for (size_t i = 0; i < 2 && t->ifaces[i].mac; i++) {
		size_t at = IBFT_NIC + i * IBFT_NIC_SIZE;

		/* interfaces and targets take turns */
		put_le(control + 10 + 4 * i, at, 2);
		put_nic(&m, out + at, &t->ifaces[i], i);
	}
	put_header(out, "iBFT", m.end);
	return m.end;
}
