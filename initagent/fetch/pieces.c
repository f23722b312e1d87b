// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/pieces.h"

/* The agent is told each time that so many bytes came. */
#define TELL_EVERY   (1u << 20)
/* An honest sender starts the file again when the request begins, and when the answer is of another
 * version. */
#define RESTARTS_MAX 4

void pieces_init(struct pieces *p, const struct fetch_setup *setup, struct hasher *hasher)
{
	*p = (struct pieces){.have = setup->have};
	intake_init(&p->intake, setup->file, &setup->want, hasher);
}

void pieces_done(struct pieces *p)
{
	intake_catch_up(&p->intake, p->intake.ticket);
}

static int tell(struct pieces *p, enum verified_kind kind, struct verified *ret)
{
	*ret = (struct verified){
		.kind = kind,
		.verdict = p->refused,
		.error = p->error,
		.at = p->intake.at,
		.known = p->known,
		.final = intake_final(&p->intake),
		.size = p->intake.want.size ? p->intake.want.size : p->size,
	};
	p->told = ret->at;
	return 1;
}

static int refuse(struct pieces *p, enum fetch_verdict v, struct verified *ret)
{
	p->error = v == VERDICT_WRITE ? errno : 0;
	p->refused = v;
	return tell(p, VERIFIED_REFUSED, ret);
}

void pieces_adopt(struct pieces *p, struct verified *ret)
{
	if (intake_adopt(&p->intake, p->have) == VERDICT_DONE)
		tell(p, VERIFIED_READY, ret);
	else
		refuse(p, VERDICT_WRITE, ret);
}

/* --- each kind ------------------------------------------------------------------------------- */

static int begin_bytes(struct pieces *p, struct verified *ret)
{
	(void)ret;
	if (!p->refused && p->piece.at != p->intake.at)
		return -EPROTO;
	p->left = p->piece.len;
	return 0;
}

static int restart_file(struct pieces *p, struct verified *ret)
{
	if (++p->restarts > RESTARTS_MAX)
		return -EPROTO;
	if (p->refused)
		return 0;
	p->size = 0;
	if (intake_restart(&p->intake) != VERDICT_DONE)
		return refuse(p, VERDICT_WRITE, ret);
	return tell(p, VERIFIED_RESTART, ret);
}

/* Once there are bytes of it, the size stays. */
static int take_size(struct pieces *p, struct verified *ret)
{
	uint64_t size = p->piece.at;

	if (p->refused || !size || size == p->size)
		return 0;
	if (p->intake.want.limit && size > p->intake.want.limit)
		return refuse(p, VERDICT_TOO_LARGE, ret);
	if ((p->intake.want.size && size != p->intake.want.size) || (p->size && p->intake.at) ||
		size < p->intake.at)
		return refuse(p, VERDICT_SIZE, ret);
	p->size = size;
	return tell(p, VERIFIED_SIZE, ret);
}

/* What came again is the sender's word, which is believed of each byte that is there once. */
static int tell_bytes(struct pieces *p, struct verified *ret)
{
	uint64_t at = p->intake.at, known = min_u64(p->piece.at, at);

	if (at == p->told && known <= p->known)
		return 0;
	p->known = known > p->known ? known : p->known;
	return tell(p, VERIFIED_BYTES, ret);
}

static int end_request(struct pieces *p, struct verified *ret)
{
	uint64_t at = p->intake.at;

	if (!p->refused && p->piece.at != at)
		return -EPROTO;
	if (!p->refused && p->piece.whole)
		p->refused = p->size && at != p->size ? VERDICT_SIZE : intake_end(&p->intake);
	tell(p, VERIFIED_END, ret);
	ret->serial = p->piece.serial;
	ret->whole = p->piece.whole != 0;
	memcpy(ret->digest, p->intake.digest, sizeof(ret->digest));
	p->refused = VERDICT_DONE;
	p->error = 0;
	p->restarts = 0;
	p->known = 0;
	return 1;
}

static int (*const kinds[PIECE_KIND_MAX])(struct pieces *p, struct verified *ret) = {
	[PIECE_BYTES] = begin_bytes,
	[PIECE_RESTART] = restart_file,
	[PIECE_SIZE] = take_size,
	[PIECE_TELL] = tell_bytes,
	[PIECE_END] = end_request,
};

/* --- reading --------------------------------------------------------------------------------- */

static int take_bytes(struct pieces *p, struct cursor *c, struct verified *ret)
{
	size_t n = (size_t)min_u64(p->left, c->left);
	const uint8_t *data = cursor_take(c, n);
	enum fetch_verdict v;

	p->left -= (uint32_t)n;
	if (p->refused)
		return 0;
	if (p->size && n > p->size - p->intake.at)
		return refuse(p, VERDICT_SIZE, ret);
	v = intake_take(&p->intake, data, n);
	if (v != VERDICT_DONE)
		return refuse(p, v, ret);
	return p->intake.at - p->told < TELL_EVERY ? 0 : tell(p, VERIFIED_BYTES, ret);
}

static int take_head(struct pieces *p, struct cursor *c, struct verified *ret)
{
	size_t n = (size_t)min_u64(sizeof(p->piece) - p->got, c->left);

	cursor_copy(c, (uint8_t *)&p->piece + p->got, n);
	p->got += n;
	if (p->got < sizeof(p->piece))
		return 0;
	p->got = 0;
	return p->piece.kind < PIECE_KIND_MAX ? kinds[p->piece.kind](p, ret) : -EPROTO;
}

int pieces_next(struct pieces *p, struct cursor *c, struct verified *ret)
{
	int r = 0;

	while (r == 0 && c->left)
		r = p->left ? take_bytes(p, c, ret) : take_head(p, c, ret);
	return r;
}
