// SPDX-License-Identifier: GPL-2.0-or-later
/* intent: its words on the command line. */
#include "flexboot/setting.h"

static int number(const char *text, unsigned long min, unsigned long max, unsigned long *ret)
{
	char *end;
	unsigned long value;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || *end || value < min || value > max)
		return -EINVAL;
	*ret = value;
	return 0;
}

static int word(const char *text, const char *const words[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (streq(text, words[i]))
			return (int)i;
	return -EINVAL;
}

static int set_link(struct intent *in, const char *value)
{
	int i = word(value, (const char *const[]){"ib", "eth"}, 2);

	if (i >= 0)
		in->link = (enum intent_link)i;
	return i;
}

static int set_arch(struct intent *in, const char *value)
{
	int i = word(value, (const char *const[]){"x86", "arm"}, 2);

	if (i >= 0)
		in->arch = (enum intent_arch)i;
	return i;
}

static int set_ip(struct intent *in, const char *value)
{
	int i = word(value, (const char *const[]){"4", "6", "46", "64"}, 4);

	if (i >= 0)
		in->ip = (enum intent_ip)i;
	return i;
}

static int set_firmware(struct intent *in, const char *value)
{
	int i = word(value, (const char *const[]){"bios", "uefi", "both"}, 3);

	if (i >= 0) {
		in->bios = i != 1;
		in->uefi = i != 0;
	}
	return i;
}

static int set_port(struct intent *in, const char *value)
{
	int i = word(value, (const char *const[]){"1", "2", "both"}, 3);

	if (i >= 0) {
		in->port[0] = i != 1;
		in->port[1] = i != 0;
	}
	return i;
}

/* The membership bit is part of what the ROM is given: 0x0001 and 0x8001 are one partition. */
static int set_pkey(struct intent *in, const char *value)
{
	unsigned long n;
	int r = number(value, 1, 0xffff, &n);

	if (r == 0 && (n & 0x7fff) == 0)
		r = -EINVAL;
	if (r == 0)
		in->pkey = (uint16_t)n;
	return r;
}

static int set_vlan(struct intent *in, const char *value)
{
	unsigned long n;
	int r = number(value, 1, 4094, &n);

	if (r == 0)
		in->vlan = (uint16_t)n;
	return r;
}

static int set_wait(struct intent *in, const char *value)
{
	unsigned long n;
	int r = number(value, 0, 255, &n);

	if (r == 0)
		in->wait = (uint8_t)n;
	return r;
}

int intent_set(struct intent *in, const char *name, const char *value)
{
	static const struct {
		const char *name;
		int (*set)(struct intent *in, const char *value);
	} words[] = {{"link", set_link}, {"firmware", set_firmware}, {"arch", set_arch},
		{"ip", set_ip}, {"port", set_port}, {"pkey", set_pkey}, {"vlan", set_vlan},
		{"wait", set_wait}};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (streq(words[i].name, name))
			return words[i].set(in, value) < 0 ? -EINVAL : 0;
	return -ENOENT;
}
