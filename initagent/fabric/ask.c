// SPDX-License-Identifier: GPL-2.0-or-later
/* ask: the fabric room's questions on demand, and the name it gives its devices. */
#include "fabric/node_desc.h"
#include "fabric/room.h"
#include "report/report.h"

void fabric_set_smprobe(struct fabric *f, bool on, uint64_t now)
{
	inquiry_set_smprobe(f->inquiry, on);
	for (size_t i = 0; i < f->n && !f->closed; i++)
		inquiry_port(f->inquiry, &f->ports[i], now);
}

int fabric_ask_sm(struct fabric *f, const char *device, unsigned port, uint64_t now)
{
	const struct fabric_port *p = fabric_find(f, device, port);

	return p ? inquiry_sm(f->inquiry, p, now) : -ENOENT;
}

int fabric_ask_group(
	struct fabric *f, const char *device, unsigned port, uint16_t pkey, uint64_t now)
{
	const struct fabric_port *p = fabric_find(f, device, port);

	return p ? inquiry_group(f->inquiry, p, pkey, now) : -ENOENT;
}

bool fabric_asking(const struct fabric *f)
{
	return inquiry_busy(f->inquiry);
}

static void describe_port(struct fabric *f, const struct fabric_port *p, uint64_t now)
{
	char desc[NODE_DESC_SIZE];
	int r;

	node_desc_make(desc, f->text, f->host, p->device, p->node_guid);
	r = node_desc_set(&f->env, p->device, desc);
	if (r < 0)
		report_log(f->env.report, REPORT_DEBUG, p->device, now, "node description: %s",
			strerror(-r));
	else if (r > 0)
		report_log(f->env.report, REPORT_DEBUG, p->device, now, "node description is \"%s\"",
			desc);
}

void room_describe(struct fabric *f, uint64_t now)
{
	for (size_t i = 0; f->describe && i < f->n; i++) {
		const struct fabric_port *p = &f->ports[i];

		/* A device has one for all its ports; the second finds it right already. */
		if (p->link_layer == LINK_LAYER_INFINIBAND)
			describe_port(f, p, now);
	}
}

void fabric_describe(struct fabric *f, const char *text, const char *host, uint64_t now)
{
	f->describe = true;
	(void)strscpy(f->text, text ? text : NODE_DESC_DEFAULT, sizeof(f->text));
	(void)strscpy(f->host, host ? host : "", sizeof(f->host));
	room_describe(f, now);
}
