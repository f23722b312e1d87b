// SPDX-License-Identifier: GPL-2.0-or-later
/* madlab: see madlab.h. */
#include "madlab.h"

#include "check.h"

static int lab_open(
	void *data, const struct env *env, const char *device, unsigned port, void **ret_io)
{
	struct madlab *l = data;

	(void)env;
	CHECK(*device != 0 && port > 0);
	if (l->open_error < 0)
		return l->open_error;
	CHECK_INT(pipe2(l->pipe, O_NONBLOCK | O_CLOEXEC), 0);
	l->opened++;
	*ret_io = l;
	return 0;
}

static int lab_fd(void *io)
{
	return ((struct madlab *)io)->pipe[0];
}

static enum mad_query query_of(const uint8_t *mad)
{
	static const struct {
		uint8_t class, attribute;
		enum mad_query query;
	} rows[] = {
		{0x81, 0x11, MAD_NODE_INFO},
		{0x81, 0x10, MAD_NODE_DESC},
		{0x81, 0x15, MAD_PORT_INFO},
		{0x01, 0x20, MAD_SM_INFO},
		{0x03, 0x01, MAD_SA_ALIVE},
		{0x03, 0x38, MAD_SA_GROUP},
	};

	if (mad[1] == 0x81 && mad[17] == 0x15 && mad[7] == 1)
		return MAD_SWITCH_PORT;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].class == mad[1] && rows[i].attribute == mad[17])
			return rows[i].query;
	check_fail(__FILE__, __LINE__, "class %02x attribute %02x", mad[1], mad[17]);
}

static void put64(uint8_t *at, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(v >> (56 - 8 * i));
}

static void answer_node(const struct madlab *l, uint8_t *data)
{
	data[0] = data[1] = 1;
	data[2] = (uint8_t)l->neighbour_type;
	data[3] = 36;
	put64(data + 12, UINT64_C(0xb8599f0300fc6de4));
	data[36] = l->neighbour_port;
}

static void answer_port(const struct madlab *l, uint8_t *data)
{
	data[17] = 4;
	data[19] = 1;
	data[32] = 0x20 | PORT_ACTIVE;
	data[33] = PHYS_LINK_UP << 4 | 2;
	data[36] = (uint8_t)(l->port_mtu << 4);
}

static void answer_group(const struct madlab *l, uint8_t *data)
{
	data[34] = 0x0b; /* Q_Key 0x0b1b */
	data[35] = 0x1b;
	data[36] = 0xc0;
	data[38] = 0x80 | l->group_mtu; /* selector "exactly" */
	data[42] = 0x80 | l->group_rate;
	data[44] = 3 << 4; /* SL */
}

void madlab_answer(const struct madlab *l, const uint8_t request[static MAD_SIZE],
	uint8_t ret[static MAD_SIZE])
{
	enum mad_query query = query_of(request);

	memcpy(ret, request, MAD_SIZE);
	ret[3] = 0x81;
	ret[4] = (uint8_t)(l->status >> 8 | (request[1] == 0x81 ? 0x80 : 0));
	ret[5] = (uint8_t)l->status;
	/* The kernel's half of the transaction ID. */
	memcpy(ret + 8, "\x12\x34\x56\x78", 4);
	if (l->status)
		return;
	switch (query) {
	case MAD_NODE_INFO: answer_node(l, ret + 64); break;
	case MAD_NODE_DESC: memcpy(ret + 64, l->neighbour, strlen(l->neighbour)); break;
	case MAD_PORT_INFO: answer_port(l, ret + 64); break;
	case MAD_SWITCH_PORT: ret[64 + 19] = l->switch_sm_lid; break;
	case MAD_SM_INFO:
		put64(ret + 64, l->sm_guid);
		ret[84] = 5 << 4 | 3;
		break;
	case MAD_SA_GROUP: answer_group(l, ret + 56); break;
	case MAD_SA_ALIVE:
	case MAD_QUERY_MAX: break;
	}
}

void madlab_push(struct madlab *l, const void *bytes, size_t len, int error)
{
	size_t at = (l->first + l->n) % MADLAB_QUEUE;

	CHECK(l->n < MADLAB_QUEUE && len <= MAD_IO_SIZE);
	memcpy(l->queue[at].bytes, bytes, len);
	l->queue[at].len = (int)len;
	l->queue[at].error = error;
	l->n++;
	CHECK_INT(write(l->pipe[1], "x", 1), 1);
}

static int lab_send(void *io, const struct mad_to *to, const uint8_t mad[static MAD_SIZE],
	unsigned timeout_ms)
{
	struct madlab *l = io;
	enum mad_query query = query_of(mad);
	uint8_t answer[MAD_SIZE];

	if (l->send_error < 0)
		return l->send_error;
	l->sent[query]++;
	l->last_to = *to;
	l->last_timeout_ms = timeout_ms;
	memcpy(l->last, mad, MAD_SIZE);
	if (l->deaf[query])
		return 0;
	madlab_answer(l, mad, answer);
	madlab_push(l, answer, sizeof(answer), 0);
	return 0;
}

static int lab_recv(void *io, uint8_t buf[static MAD_IO_SIZE], int *ret_error)
{
	struct madlab *l = io;
	char c;
	int len;

	if (l->recv_error < 0)
		return l->recv_error;
	if (l->n == 0)
		return 0;
	CHECK_INT(read(l->pipe[0], &c, 1), 1);
	len = l->queue[l->first].len;
	memcpy(buf, l->queue[l->first].bytes, (size_t)len);
	*ret_error = l->queue[l->first].error;
	l->first = (l->first + 1) % MADLAB_QUEUE;
	l->n--;
	return len;
}

/* What nobody has received is lost with the port. */
static void lab_close(void *io)
{
	struct madlab *l = io;

	close(l->pipe[0]);
	close(l->pipe[1]);
	l->closed++;
	l->n = 0;
}

void madlab_new(struct madlab *l)
{
	memset(l, 0, sizeof(*l));
	l->ops = (struct mad_ops){lab_open, lab_fd, lab_send, lab_recv, lab_close, l};
	l->neighbour = "leaf12";
	l->neighbour_port = 17;
	l->neighbour_type = FABRIC_NODE_SWITCH;
	l->sm_guid = UINT64_C(0x0002c90300ef1231);
	l->group_mtu = l->port_mtu = 4; /* 2048 */
	l->group_rate = 3;		/* 10 Gb/s */
}

void madlab_free(struct madlab *l)
{
	CHECK_INT(l->opened, l->closed);
}
