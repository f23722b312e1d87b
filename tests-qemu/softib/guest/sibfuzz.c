// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sibfuzz: throws frames of the softib wire at whoever listens on the other end of a netdev: noise,
 * broken shims, broken link frames, and InfiniBand packets that are right in all but a few fields,
 * with a good check sum, so that they get past the parser.
 *
 *   sibfuzz NETDEV FRAMES SEED DLID [set]
 *
 * DLID is the other end's LID. With "set", subnet management Set() requests are among them: these
 * may well do what they say, so the port may need its SM again afterwards. Prints how many frames
 * of each kind were sent.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* The numbers of proto.h, which needs a kernel around it. */
#define ETHERTYPE 0x88b5
#define SHIM_LEN  4
#define FRAME_MAX 4200
#define MAD_LEN	  256

enum kind { NOISE, SHIM, LINK, HEADERS, RC, MAD, KINDS };

static const char *const kind_names[KINDS] = {"noise", "shim", "link", "headers", "rc", "mad"};

struct fuzz {
	int fd;
	struct sockaddr_ll to;
	uint64_t rnd;
	uint16_t dlid;
	bool set;
	uint8_t frame[FRAME_MAX];
};

/* xorshift64*: the same frames for the same seed. */
static uint32_t rnd(struct fuzz *f)
{
	f->rnd ^= f->rnd >> 12;
	f->rnd ^= f->rnd << 25;
	f->rnd ^= f->rnd >> 27;
	return (uint32_t)((f->rnd * 0x2545f4914f6cdd1dULL) >> 32);
}

static bool chance(struct fuzz *f, uint32_t one_in)
{
	return rnd(f) % one_in == 0;
}

static void fill(struct fuzz *f, uint8_t *p, size_t len)
{
	while (len--)
		*p++ = (uint8_t)rnd(f);
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, (uint16_t)(v >> 16));
	put16(p + 2, (uint16_t)v);
}

static void shim(struct fuzz *f, uint8_t type, size_t len)
{
	f->frame[0] = 1;
	f->frame[1] = type;
	put16(f->frame + 2, (uint16_t)len);
}

static uint32_t crc32(uint32_t crc, const uint8_t *p, size_t len)
{
	while (len--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return crc;
}

/* The ICRC over a packet of len bytes, the last four of which are for the ICRC itself. */
static void seal(uint8_t *pkt, size_t len)
{
	size_t bth = (pkt[1] & 3) == 3 && len >= 64 ? 48 : 8;
	uint8_t head[60];
	uint32_t crc;

	memcpy(head, pkt, bth + 12);
	head[0] |= 0xf0;
	if (bth > 8) {
		head[8] |= 0x0f;
		memset(head + 9, 0xff, 3);
		head[15] = 0xff;
	}
	head[bth + 4] = 0xff;
	crc = crc32(0xffffffff, head, bth + 12);
	crc = ~crc32(crc, pkt + bth + 12, len - 4 - bth - 12);
	for (int i = 0; i < 4; i++)
		pkt[len - 4 + (size_t)i] = (uint8_t)(crc >> (8 * i));
}

/* LRH, sometimes GRH, and BTH around extra bytes; returns where these begin. */
static uint8_t *headers(struct fuzz *f, uint8_t opcode, uint32_t qpn, size_t extra, size_t *len)
{
	bool grh = chance(f, 4);
	uint8_t *p = f->frame + SHIM_LEN, *bth = p + (grh ? 48 : 8);

	*len = (size_t)(bth - p) + 12 + extra + 4;
	fill(f, p, *len);
	p[0] = 0;
	p[1] = grh ? 3 : 2;
	put16(p + 2, chance(f, 8) ? (uint16_t)rnd(f) : f->dlid);
	put16(p + 4, (uint16_t)(*len / 4));
	if (grh) {
		p[8] = 0x60;
		put16(p + 12, (uint16_t)(*len - 48));
		p[14] = 0x1b;
	}
	bth[0] = opcode;
	bth[1] = 0x40;
	put16(bth + 2, chance(f, 8) ? (uint16_t)rnd(f) : 0xffff);
	put32(bth + 4, qpn);
	shim(f, 2, *len);
	return bth + 12;
}

/* Then one or two of the header fields are spoilt, before or after the check sum. */
static void spoil(struct fuzz *f, size_t len)
{
	uint8_t *p = f->frame + SHIM_LEN;

	if (chance(f, 2))
		p[rnd(f) % 28] = (uint8_t)rnd(f);
	seal(p, len);
	if (chance(f, 8))
		p[rnd(f) % len] ^= (uint8_t)(1 << rnd(f) % 8);
}

static size_t make_noise(struct fuzz *f)
{
	size_t len = 1 + rnd(f) % 1500;

	fill(f, f->frame, len);
	return len;
}

static size_t make_shim(struct fuzz *f)
{
	size_t len = SHIM_LEN + rnd(f) % 300;

	fill(f, f->frame, len);
	shim(f, (uint8_t)(rnd(f) % 4), rnd(f) % 600);
	if (chance(f, 4))
		f->frame[0] = (uint8_t)rnd(f);
	return len;
}

/* No sound ones: these would take the link down, as they should. */
static size_t make_link(struct fuzz *f)
{
	size_t len = rnd(f) % 40;

	fill(f, f->frame + SHIM_LEN, 40);
	f->frame[SHIM_LEN] = (uint8_t)(3 + rnd(f) % 250);
	shim(f, 1, len);
	return SHIM_LEN + len;
}

static size_t make_headers(struct fuzz *f)
{
	size_t len;

	headers(f, (uint8_t)rnd(f), rnd(f) % 0x200, rnd(f) % 64 * 4, &len);
	spoil(f, len);
	return SHIM_LEN + len;
}

/* Connections have low numbers; any of their operations, any PSN. */
static size_t make_rc(struct fuzz *f)
{
	size_t len;

	headers(f, (uint8_t)(rnd(f) % 0x18), 0x100 + rnd(f) % 16, rnd(f) % 512 * 4, &len);
	spoil(f, len);
	return SHIM_LEN + len;
}

static void make_mad_header(struct fuzz *f, uint8_t *mad, bool smi)
{
	static const uint8_t smi_class[] = {0x01, 0x81},
			     gsi_class[] = {0x03, 0x04, 0x07, 0x09, 0x32};
	static const uint8_t methods[] = {0x01, 0x01, 0x03, 0x05, 0x06, 0x07, 0x12, 0x81, 0x92};

	mad[0] = 1;
	mad[1] = smi ? smi_class[rnd(f) % 2] : gsi_class[rnd(f) % 5];
	mad[2] = 1 + (mad[1] == 0x03);
	mad[3] = methods[rnd(f) % sizeof(methods)];
	if (f->set && chance(f, 3))
		mad[3] = 0x02;
	put16(mad + 16, (uint16_t)(chance(f, 4) ? rnd(f) % 64 : 0x10 + rnd(f) % 12));
	if (smi && chance(f, 2)) {
		/* a directed route of one hop that has arrived */
		mad[6] = 1;
		mad[7] = 1;
		put16(mad + 32, 0xffff);
		put16(mad + 34, 0xffff);
		memset(mad + 24, 0, 8);
		put32(mad + 20, rnd(f) % 4);
	}
}

static size_t make_mad(struct fuzz *f)
{
	bool smi = chance(f, 2);
	size_t extra = chance(f, 8) ? 8 + rnd(f) % 80 * 4 : 8 + MAD_LEN, len;
	uint8_t *deth = headers(f, 0x64, smi ? 0 : 1, extra, &len);
	uint8_t *lrh = f->frame + SHIM_LEN;

	if (smi)
		lrh[0] = 0xf0;
	if (smi && chance(f, 2))
		put16(lrh + 2, 0xffff);
	put32(deth, smi ? 0 : 0x80010000);
	put32(deth + 4, smi ? 0 : 1);
	if (extra >= 8 + MAD_LEN)
		make_mad_header(f, deth + 8, smi);
	seal(lrh, len);
	return SHIM_LEN + len;
}

static size_t (*const makers[KINDS])(struct fuzz *) = {
	make_noise, make_shim, make_link, make_headers, make_rc, make_mad,
};

static int open_netdev(struct fuzz *f, const char *name)
{
	/* protocol 0: nothing is received */
	f->fd = socket(AF_PACKET, SOCK_DGRAM, 0);
	f->to = (struct sockaddr_ll){
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE),
		.sll_ifindex = (int)if_nametoindex(name),
		.sll_halen = 6,
	};
	memset(f->to.sll_addr, 0xff, 6);
	return f->fd < 0 || f->to.sll_ifindex == 0 ? -1 : 0;
}

/* A full queue is waited for; anything else the kernel does not like is not counted. */
static bool throw_frame(struct fuzz *f, size_t len)
{
	while (sendto(f->fd, f->frame, len, 0, (struct sockaddr *)&f->to, sizeof(f->to)) < 0) {
		if (errno != ENOBUFS)
			return false;
		usleep(1000);
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct fuzz f;
	unsigned long sent[KINDS] = {0}, frames, total = 0;

	if (argc < 5) {
		fprintf(stderr, "usage: sibfuzz NETDEV FRAMES SEED DLID [set]\n");
		return 2;
	}
	frames = strtoul(argv[2], NULL, 0);
	f.rnd = strtoull(argv[3], NULL, 0) * 2 + 1;
	f.dlid = (uint16_t)strtoul(argv[4], NULL, 0);
	f.set = argc > 5 && strcmp(argv[5], "set") == 0;
	if (open_netdev(&f, argv[1]) < 0) {
		fprintf(stderr, "sibfuzz: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (unsigned long i = 0; i < frames; i++) {
		enum kind kind = (enum kind)(rnd(&f) % KINDS);

		sent[kind] += throw_frame(&f, makers[kind](&f));
	}
	for (int i = 0; i < KINDS; i++) {
		printf("%s %lu\n", kind_names[i], sent[i]);
		total += sent[i];
	}
	printf("total %lu\n", total);
	return total == frames ? 0 : 1;
}
