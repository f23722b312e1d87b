// SPDX-License-Identifier: GPL-2.0-or-later
/* nbd_hello: see nbd_hello.h. Numbers: proto.md of the NBD project; everything on the wire is big
 * endian. */
#include "root/block/nbd_hello.h"

#include <sys/socket.h>

#include "base/cursor.h"
#include "base/io.h"
#include "base/worker.h"

#define MAGIC_GREETING UINT64_C(0x4e42444d41474943) /* "NBDMAGIC" */
#define MAGIC_OPTION   UINT64_C(0x49484156454f5054) /* "IHAVEOPT" */
#define MAGIC_OLD      UINT64_C(0x00420281861253)
#define MAGIC_REPLY    UINT64_C(0x3e889045565a9)

#define GREETING_FIXED	   (1 << 0)
#define GREETING_NO_ZEROES (1 << 1)

enum { OPT_EXPORT_NAME = 1, OPT_GO = 7 };
enum { REP_ACK = 1, REP_INFO = 3 };
#define REP_ERROR UINT32_C(0x80000000)
enum {
	ERR_UNSUP = 1, ERR_POLICY, ERR_INVALID, ERR_PLATFORM, ERR_TLS_REQD, ERR_UNKNOWN,
		ERR_SHUTDOWN,
	ERR_BLOCK_SIZE_REQD, ERR_TOO_BIG, ERR_EXT_HEADER_REQD,
};
enum { INFO_EXPORT = 0, INFO_BLOCK_SIZE = 3 };

/* The largest reply that has a meaning here is an error's text, which may be 4096 bytes long. */
#define REPLY_MAX   4096
/* A server that answers and answers, and never to the point. */
#define REPLIES_MAX 64
/* Linux counts disks in sectors. */
#define SECTOR	    512

#define MEMORY_MAX  (64u << 20)
#define CPU_SECONDS 5

struct talk {
	int socket;
	struct nbd_export *ret;
	bool greeted, have_export, have_block;
};

struct reply {
	uint32_t type, len;
	uint8_t data[REPLY_MAX];
};

static int end(struct talk *t, enum nbd_hello how, const char *text)
{
	t->ret->how = how;
	strscpy(t->ret->text, text, sizeof(t->ret->text));
	return -EPROTO;
}

static int closed(struct talk *t, const char *text)
{
	return end(t, t->greeted ? NBD_HELLO_CUT : NBD_HELLO_CLOSED, text);
}

/* Exactly so many bytes and not one more: what follows is the kernel's. */
static int receive(struct talk *t, void *buf, size_t len)
{
	uint8_t *at = buf;

	while (len) {
		ssize_t n = read(t->socket, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return closed(t, n < 0 ? strerror(errno)
				: "the server closed the connection");
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static int transmit(struct talk *t, const void *buf, size_t len)
{
	if (io_write_all(t->socket, buf, len) < 0)
		return closed(t, "the server closed the connection");
	return 0;
}

/* Both flags are answered with the same bits, as far as they are known. */
static int greet(struct talk *t, bool *ret_zeroes)
{
	uint8_t in[18], out[4];
	struct cursor c = cursor_make(in, sizeof(in));
	uint64_t magic;
	uint16_t flags;

	if (receive(t, in, 16) < 0)
		return -EPROTO;
	if (cursor_be64(&c) != MAGIC_GREETING)
		return end(t, NBD_HELLO_PROTOCOL, "it is not an NBD server");
	magic = cursor_be64(&c);
	if (magic == MAGIC_OLD)
		return end(t, NBD_HELLO_PROTOCOL, "it speaks oldstyle NBD, which has no exports");
	if (magic != MAGIC_OPTION)
		return end(t, NBD_HELLO_PROTOCOL, "it is not an NBD server");
	if (receive(t, in + 16, 2) < 0)
		return -EPROTO;
	t->greeted = true;
	flags = cursor_be16(&c);
	if (!(flags & GREETING_FIXED))
		return end(t, NBD_HELLO_PROTOCOL,
			"it speaks NBD's newstyle, not fixed newstyle (2013)");
	*ret_zeroes = !(flags & GREETING_NO_ZEROES);
	put_be(out, flags & (GREETING_FIXED | GREETING_NO_ZEROES), sizeof(out));
	return transmit(t, out, sizeof(out));
}

static int send_option(struct talk *t, uint32_t option, const uint8_t *data, size_t len)
{
	uint8_t head[16], *at = put_be(head, (uint32_t)(MAGIC_OPTION >> 32), 4);

	put_be(put_be(put_be(at, (uint32_t)MAGIC_OPTION, 4), option, 4), (uint32_t)len, 4);
	return transmit(t, head, sizeof(head)) < 0 || transmit(t, data, len) < 0 ? -EPROTO : 0;
}

/* NBD_OPT_GO: length and text of the name, then what is to be told. */
static int send_go(struct talk *t, const char *name)
{
	uint8_t data[4 + NBD_NAME_MAX + 4], *at = data;
	size_t len = strnlen(name, NBD_NAME_MAX - 1);

	at = put_be(at, (uint32_t)len, 4);
	memcpy(at, name, len);
	at = put_be(put_be(at + len, 1, 2), INFO_BLOCK_SIZE, 2);
	return send_option(t, OPT_GO, data, (size_t)(at - data));
}

static int read_reply(struct talk *t, struct reply *r)
{
	uint8_t head[20];
	struct cursor c = cursor_make(head, sizeof(head));

	if (receive(t, head, sizeof(head)) < 0)
		return -EPROTO;
	if (cursor_be64(&c) != MAGIC_REPLY || cursor_be32(&c) != OPT_GO)
		return end(t, NBD_HELLO_PROTOCOL, "its reply is to another request");
	r->type = cursor_be32(&c);
	r->len = cursor_be32(&c);
	if (r->len > sizeof(r->data))
		return end(t, NBD_HELLO_PROTOCOL, "its reply is too long");
	return receive(t, r->data, r->len);
}

static int take_export(struct talk *t, uint64_t size, uint32_t flags)
{
	if (t->have_export && (size != t->ret->size || flags != t->ret->flags))
		return end(t, NBD_HELLO_PROTOCOL,
			"it reports two sizes, or two sets of flags, for one export");
	t->have_export = true;
	t->ret->size = size;
	t->ret->flags = flags;
	return 0;
}

/* The smallest request, the preferred one, the largest. */
static int take_block_size(struct talk *t, struct cursor *c)
{
	uint32_t min = cursor_be32(c), max;

	cursor_skip(c, 4);
	max = cursor_be32(c);
	if (c->failed)
		return 0;
	if (t->have_block && (min != t->ret->block_min || max != t->ret->block_max))
		return end(t, NBD_HELLO_PROTOCOL, "it reports two block sizes for one export");
	t->have_block = true;
	t->ret->block_min = min;
	t->ret->block_max = max;
	return 0;
}

static int take_info(struct talk *t, const struct reply *r)
{
	struct cursor c = cursor_make(r->data, r->len);
	uint16_t type = cursor_be16(&c), flags;
	uint64_t size;

	if (type == INFO_EXPORT) {
		size = cursor_be64(&c);
		flags = cursor_be16(&c);
		return c.failed ? 0 : take_export(t, size, flags);
	}
	return type == INFO_BLOCK_SIZE ? take_block_size(t, &c) : 0;
}

/* The server's words for people, as far as a console can show them. */
static void take_text(struct talk *t, const struct reply *r)
{
	size_t i;

	for (i = 0; i < r->len && i + 1 < sizeof(t->ret->text); i++)
		t->ret->text[i] = r->data[i] >= ' ' && r->data[i] < 0x7f ? (char)r->data[i] : '?';
	t->ret->text[i] = 0;
}

static int refused(struct talk *t, const struct reply *r)
{
	static const struct {
		uint32_t error;
		enum nbd_hello how;
		const char *words;
	} rows[] = {
		{ERR_POLICY, NBD_HELLO_DENIED, "its policy forbids it"},
		{ERR_TLS_REQD, NBD_HELLO_TLS, "it requires TLS"},
		{ERR_UNKNOWN, NBD_HELLO_NO_EXPORT, "no such export"},
		{ERR_SHUTDOWN, NBD_HELLO_SHUTDOWN, "it is shutting down"},
		{ERR_PLATFORM, NBD_HELLO_DENIED, "its platform does not support it"},
		{ERR_BLOCK_SIZE_REQD, NBD_HELLO_PROTOCOL, "it requires clients to use its block "
			"size"},
		{ERR_INVALID, NBD_HELLO_PROTOCOL, "it reports the request for the export as "
			"malformed"},
		{ERR_TOO_BIG, NBD_HELLO_PROTOCOL, "it reports the request for the export as too "
			"long"},
		{ERR_EXT_HEADER_REQD, NBD_HELLO_PROTOCOL,
			"it serves clients with extended headers only, which the kernel does not "
			"have"},
	};

	end(t, NBD_HELLO_PROTOCOL, "it refuses for an unknown reason");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if ((r->type & ~REP_ERROR) == rows[i].error)
			end(t, rows[i].how, rows[i].words);
	if (r->len)
		take_text(t, r);
	return -EPROTO;
}

/* Servers of before 2017 know only this: they send size and flags, or just hang up. */
static int old_way(struct talk *t, const char *name, bool zeroes)
{
	uint8_t in[10 + 124];
	struct cursor c = cursor_make(in, sizeof(in));

	if (send_option(t, OPT_EXPORT_NAME, (const uint8_t *)name,
		strnlen(name, NBD_NAME_MAX - 1)) < 0)
		return -EPROTO;
	if (receive(t, in, zeroes ? sizeof(in) : 10) < 0)
		return end(t, NBD_HELLO_NO_EXPORT,
			"the server closed the connection after the export's name");
	t->ret->size = cursor_be64(&c);
	t->ret->flags = cursor_be16(&c);
	if (t->ret->size == MAGIC_REPLY)
		return end(t, NBD_HELLO_PROTOCOL,
			"it answers the export's name with an option reply");
	return 0;
}

/* What it tells comes in any number and order, then the acknowledgement. */
static int go(struct talk *t, const char *name, bool zeroes)
{
	static struct reply r;

	if (send_go(t, name) < 0)
		return -EPROTO;
	for (int i = 0; i < REPLIES_MAX; i++) {
		if (read_reply(t, &r) < 0)
			return -EPROTO;
		if (r.type == REP_ACK)
			return t->have_export ? 0
				: end(t, NBD_HELLO_PROTOCOL, "it does not report the export's "
					"size");
		if (r.type == (REP_ERROR | ERR_UNSUP))
			return old_way(t, name, zeroes);
		if (r.type & REP_ERROR)
			return refused(t, &r);
		if (r.type == REP_INFO && take_info(t, &r) < 0)
			return -EPROTO;
	}
	return end(t, NBD_HELLO_PROTOCOL, "too many replies");
}

void nbd_hello_talk(int socket, const char *name, struct nbd_export *ret)
{
	struct talk t = {.socket = socket, .ret = ret};
	bool zeroes = true;
	char text[NBD_TEXT_MAX];

	*ret = (struct nbd_export){.how = NBD_HELLO_DONE};
	if (greet(&t, &zeroes) < 0 || go(&t, name, zeroes) < 0)
		return;
	if (ret->size >= SECTOR && ret->size <= INT64_MAX)
		return;
	snprintf(text, sizeof(text), "invalid export size: %llu bytes",
		(unsigned long long)ret->size);
	end(&t, NBD_HELLO_PROTOCOL, text);
}

uint32_t nbd_block_size(const struct nbd_export *e, uint32_t asked, uint32_t page,
	char text[static NBD_TEXT_MAX])
{
	uint32_t min = e->block_min, max = e->block_max,
		n = asked ? asked : min > SECTOR ? min : SECTOR;

	if (min & (min - 1))
		snprintf(text, NBD_TEXT_MAX,
			"the server's smallest request is %u bytes, which is not a power of "
			"two", min);
	else if (min > page)
		snprintf(text, NBD_TEXT_MAX,
			"the server requires requests of at least %u bytes, this kernel's blocks "
			"are at most %u", min, page);
	else if (max && max < page)
		snprintf(text, NBD_TEXT_MAX,
			"the server takes requests of at most %u bytes, this kernel's are at least "
			"%u", max, page);
	else if (n < min)
		snprintf(text, NBD_TEXT_MAX,
			"the server requires requests of at least %u bytes, bs= says %u", min, n);
	else if (e->size < n)
		snprintf(text, NBD_TEXT_MAX,
			"the export has %llu bytes, less than one block of %u",
			(unsigned long long)e->size, n);
	else
		return n;
	return 0;
}

static int talk_to_server(const void *arg)
{
	static struct nbd_export e;

	nbd_hello_talk(WORKER_FILE(0), arg, &e);
	return worker_reply(&e, sizeof(e)) < 0;
}

/* The process may have been taken over. */
static bool export_valid(void *reply, const void *context)
{
	const struct nbd_export *e = reply;

	(void)context;
	return e->how >= 0 && e->how < NBD_HELLO_MAX && memchr(e->text, 0, sizeof(e->text)) &&
		(e->how != NBD_HELLO_DONE || (e->size >= SECTOR && e->size <= INT64_MAX));
}

void nbd_hello_ask(int socket, const char *name, struct nbd_export *ret)
{
	const struct worker_spec spec = {
		.run = talk_to_server,
		.arg = name,
		.files = {socket},
		.n_files = 1,
		.sandbox = {SANDBOX_COMPUTE, .memory = MEMORY_MAX, .cpu_s = CPU_SECONDS},
		.reply_size = sizeof(*ret),
		.valid = export_valid,
	};
	const char *how;

	if (worker_ask(&spec, ret, &how) == 0)
		return;
	*ret = (struct nbd_export){.how = NBD_HELLO_DIED};
	strscpy(ret->text, how, sizeof(ret->text));
}
