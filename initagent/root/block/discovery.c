// SPDX-License-Identifier: GPL-2.0-or-later
/* discovery: see discovery.h. Layout of the page: NVMe over fabrics 5.3, figure 34; numbers are
 * little endian. */
#include "root/block/discovery.h"

#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include "base/cursor.h"
#include "base/worker.h"
#include "plan.h"

#define GET_LOG_PAGE   0x02
#define LOG_DISCOVERY  0x70
#define RECORD	       1024
#define RECORDS_AT     8 /* behind the generation */
#define PART	       (4 * RECORD) /* of one request: what any controller's MDTS allows */

enum { TRANSPORT_RDMA = 1, TRANSPORT_TCP = 3 };
enum { SUBTYPE_NVME = 2 };
enum { SECURE_MASK = 3, SECURE_REQUIRED = 1 };

#define MEMORY_MAX  (64u << 20)
#define CPU_SECONDS 5

struct record {
	uint8_t transport, subtype, secure;
	char port[33], nqn[257], address[257];
};

/* Text that is padded with spaces or zeroes, cut off at what no console can show. */
static void take_text(struct cursor *c, char *dst, size_t len)
{
	size_t n = 0;

	cursor_copy(c, dst, len);
	while (n < len && dst[n] > ' ' && dst[n] < 0x7f)
		n++;
	dst[n] = 0;
}

static bool take_record(struct cursor *page, struct record *r)
{
	struct cursor c = cursor_sub(page, RECORD);

	r->transport = cursor_u8(&c);
	cursor_skip(&c, 1);
	r->subtype = cursor_u8(&c);
	r->secure = cursor_u8(&c) & SECURE_MASK;
	cursor_skip(&c, 28);
	take_text(&c, r->port, 32);
	cursor_skip(&c, 192);
	take_text(&c, r->nqn, 256);
	take_text(&c, r->address, 256);
	return !c.failed;
}

/* Of what the kernel could be told: a comma would begin another option there. */
static bool usable(const struct record *r, struct discovery *d)
{
	struct inet_addr addr;
	uint32_t port;

	if (strncmp(r->nqn, "nqn.", 4) != 0 || strchr(r->nqn, ',') ||
		strlen(r->nqn) >= sizeof(d->nqn) ||
		value_inet(r->address, strlen(r->address), &addr) < 0 || !inet_is_host(&addr) ||
		value_u32(r->port, strlen(r->port), 65535, &port) < 0 || !port)
		return false;
	d->port = port;
	strscpy(d->nqn, r->nqn, sizeof(d->nqn));
	strscpy(d->address, r->address, sizeof(d->address));
	return true;
}

static void list(struct discovery *d, const char *nqn)
{
	const char *at = d->text;
	size_t n = strlen(nqn);

	while ((at = strstr(at, nqn)) && at[n] && at[n] != ',')
		at += n;
	if (!at)
		str_add(d->text, sizeof(d->text), "%s%s", *d->text ? ", " : "", nqn);
}

/* Of two records that fit: is it the one whose turn it is, or the preferred one before that? */
static bool is_better(const struct discovery *d, const struct discovery_want *want)
{
	if (d->fits == want->turn)
		return true;
	return (!want->turn || d->fits < want->turn) && streq(d->address, want->address);
}

/* One record against the best so far. */
static void look_at(const struct record *r, const struct discovery_want *want,
	struct discovery *best)
{
	struct discovery d = {
		.how = r->secure == SECURE_REQUIRED ? DISCOVERY_SECURE : DISCOVERY_FOUND};
	bool first = best->how != DISCOVERY_FOUND && best->how != DISCOVERY_SEVERAL;

	if (r->subtype != SUBTYPE_NVME ||
		r->transport != (want->rdma ? TRANSPORT_RDMA : TRANSPORT_TCP) || !usable(r, &d))
		return;
	list(best, d.nqn);
	if (want->nqn && !streq(want->nqn, d.nqn))
		return;
	strscpy(d.text, best->text, sizeof(d.text));
	d.fits = ++best->fits;
	if (!first && !streq(best->nqn, d.nqn))
		best->how = DISCOVERY_SEVERAL;
	else if (first || (best->how == d.how && is_better(&d, want)))
		*best = d;
}

void discovery_judge(const void *page, size_t len, const struct discovery_want *want,
	struct discovery *ret)
{
	struct cursor c = cursor_make(page, len), head = cursor_sub(&c, RECORD);
	struct record r;
	uint64_t records;

	*ret = (struct discovery){.how = head.failed ? DISCOVERY_BAD : DISCOVERY_NONE};
	cursor_skip(&head, RECORDS_AT);
	records = cursor_le16(&head);
	for (uint64_t i = 0; i < records && take_record(&c, &r); i++)
		look_at(&r, want, ret);
}

/* --- in a process of its own ---------------------------------------------------------------- */

struct judge_job {
	const void *page;
	size_t len;
	const struct discovery_want *want;
};

static int judge_page(const void *arg)
{
	static struct discovery d;
	const struct judge_job *j = arg;

	discovery_judge(j->page, j->len, j->want, &d);
	return worker_reply(&d, sizeof(d)) < 0;
}

/* The process may have been taken over: what it found is looked at as closely again. */
static bool discovery_valid(void *reply, const void *context)
{
	const struct discovery *d = reply;
	struct record r = {.port = "1"};
	struct discovery again;

	(void)context;
	if (d->how < 0 || d->how >= DISCOVERY_MAX || !memchr(d->text, 0, sizeof(d->text)) ||
		d->port > 65535 ||
		!memchr(d->nqn, 0, sizeof(d->nqn)) || !memchr(d->address, 0, sizeof(d->address)))
		return false;
	if (d->how != DISCOVERY_FOUND)
		return true;
	strscpy(r.nqn, d->nqn, sizeof(r.nqn));
	strscpy(r.address, d->address, sizeof(r.address));
	return d->port && usable(&r, &again);
}

void discovery_judge_apart(const void *page, size_t len, const struct discovery_want *want,
	struct discovery *ret)
{
	const struct judge_job job = {page, len, want};
	const struct worker_spec spec = {
		.run = judge_page,
		.arg = &job,
		.sandbox = {SANDBOX_COMPUTE, .memory = MEMORY_MAX, .cpu_s = CPU_SECONDS},
		.reply_size = sizeof(*ret),
		.valid = discovery_valid,
	};
	const char *how;

	if (worker_ask(&spec, ret, &how) == 0)
		return;
	*ret = (struct discovery){.how = DISCOVERY_BAD};
	snprintf(ret->text, sizeof(ret->text), "the process that reads it %s", how);
}

static int get_log(int controller, uint8_t *ret, size_t len, size_t from)
{
	const uint32_t dwords = (uint32_t)(len / 4 - 1);
	struct nvme_admin_cmd cmd = {
		.opcode = GET_LOG_PAGE,
		.addr = (uintptr_t)ret,
		.data_len = (uint32_t)len,
		.cdw10 = (dwords & 0xffff) << 16 | LOG_DISCOVERY,
		.cdw11 = dwords >> 16,
		.cdw12 = (uint32_t)from,
	};
	int r = ioctl(controller, NVME_IOCTL_ADMIN_CMD, &cmd);

	if (r < 0)
		return -errno;
	/* Above 0: the controller's own status. */
	return r > 0 ? -EREMOTEIO : 0;
}

/* A head, then as many records as it says; the service may have changed them in between. */
int discovery_read(int controller, uint8_t page[static DISCOVERY_PAGE_MAX])
{
	uint8_t head[RECORD];
	size_t size = RECORD;
	struct cursor c = cursor_make(page + RECORDS_AT, 2);
	int r = get_log(controller, page, RECORD, 0);

	if (r == 0)
		size += RECORD * min_u64(cursor_le16(&c), DISCOVERY_RECORDS_MAX);
	for (size_t at = RECORD; at < size && r == 0; at += PART)
		r = get_log(controller, page + at, min_u64(PART, size - at), at);
	if (r == 0)
		r = get_log(controller, head, RECORD, 0);
	if (r < 0)
		return r;
	return memcmp(head, page, RECORDS_AT) ? -EAGAIN : (int)size;
}
