// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * node_desc: the name by which the fabric's tools know this node (IBTA NodeDescription, 64 bytes,
 * sysfs node_desc).
 */
#include "fabric/private.h"

#include <inttypes.h>

#include "report/report.h"

#define FILE_FORMAT "/sys/class/infiniband/%s/node_desc"

struct out {
	char *at, *end;
};

static void put(struct out *o, const char *text, size_t len)
{
	for (size_t i = 0; i < len && o->at < o->end; i++)
		if (text[i] >= ' ' && text[i] < 0x7f)
			*o->at++ = text[i];
}

void node_desc_make(char ret[static NODE_DESC_SIZE], const char *text, const char *host,
	const char *device, uint64_t node_guid)
{
	struct out o = {ret, ret + NODE_DESC_SIZE - 1};
	char guid[24];

	snprintf(guid, sizeof(guid), "%016" PRIx64, node_guid);
	if (!*host)
		host = guid;
	for (; *text; text++) {
		if (text[0] == '%' && text[1] == 'h')
			put(&o, host, strcspn(host, "."));
		else if (text[0] == '%' && text[1] == 'd')
			put(&o, device, strlen(device));
		else
			put(&o, text, 1);
		text += text[0] == '%' && (text[1] == 'h' || text[1] == 'd');
	}
	*o.at = 0;
}

/* 1 when it was written, 0 when it was so already, -errno (-EACCES, -ENOENT). */
static int set_desc(const struct env *env, const char *device, const char *desc)
{
	_cleanup_close_ int fd = -1;
	char now[NODE_DESC_SIZE + 1];
	size_t len = strlen(desc);

	if (env_read(env, now, sizeof(now), FILE_FORMAT, device) >= 0 && streq(now, desc))
		return 0;
	fd = env_open(env, O_WRONLY | O_TRUNC, FILE_FORMAT, device);
	if (fd < 0)
		return fd;
	/* One write: the kernel takes each as a whole description, and has the SM told of it. */
	return write(fd, desc, len) == (ssize_t)len ? 1 : -errno;
}

static void describe_port(struct fabric *f, const struct fabric_port *p, uint64_t now)
{
	char desc[NODE_DESC_SIZE];
	int r;

	node_desc_make(desc, f->text, f->host, p->device, p->node_guid);
	r = set_desc(&f->env, p->device, desc);
	if (r < 0)
		report_log(f->env.report, REPORT_DEBUG, p->device, now, "node description: %s",
			strerror(-r));
	else if (r > 0)
		report_log(f->env.report, REPORT_DEBUG, p->device, now,
			"node description is \"%s\"", desc);
}

void fabric_describe_ports(struct fabric *f, uint64_t now)
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
	fabric_describe_ports(f, now);
}
