// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor --ping on nodes whose RDMA-CM is played here: write(2) to its device answers as the
 * kernel's does, into the memory that the command names (drivers/infiniband/core/ucma.c). Path
 * records and a server that refuses: tests-qemu/doctor.bats.
 */
#include "check.h"
#include "doctor/doctor.h"
#include "modtree.h"

#include <arpa/inet.h>
#include <limits.h>
#include <rdma/rdma_user_cm.h>

#define DEVICE "/dev/infiniband/rdma_cm"

/* The node's RDMA-CM. */
static struct {
	bool iwarp;
	uint32_t event; /* the next one */
	unsigned connects;
	bool loads; /* the image has rdma_ucm */
	unsigned loaded;
	const struct modtree *tree;
} cm;

int __wrap_modules_load_now(const struct env *env, const char *name);
ssize_t __wrap_write(int fd, const void *buf, size_t size);
ssize_t __real_write(int fd, const void *buf, size_t size);

int __wrap_modules_load_now(const struct env *env, const char *name)
{
	(void)env;
	CHECK_STR(name, "rdma_ucm");
	cm.loaded++;
	if (!cm.loads)
		return -ENOENT;
	modtree_file(cm.tree, DEVICE, "");
	return 0;
}

static void *response_of(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void give_event(const void *body)
{
	struct rdma_ucm_event_resp ev = {.event = cm.event};
	struct rdma_ucm_get_event get;

	memcpy(&get, body, sizeof(get));
	memcpy(response_of(get.response), &ev, sizeof(ev));
}

/* Of iWARP there is no path record, and both ends have a GID. */
static void give_route(const void *body)
{
	struct rdma_ucm_query_route_resp r = {.node_guid = 1, .port_num = 1};
	struct rdma_ucm_query q;

	memcpy(&q, body, sizeof(q));
	r.num_paths = !cm.iwarp;
	r.ib_route[0].dgid[0] = r.ib_route[0].sgid[0] = 0x52;
	r.ib_route[0].pkey = cm.iwarp ? 0 : htons(0xffff);
	memcpy(response_of(q.response), &r, sizeof(r));
}

static bool is_cm(int fd)
{
	char link[64], target[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, target, sizeof(target) - 1);
	if (len <= 0)
		return false;
	target[len] = 0;
	return strstr(target, DEVICE) != NULL;
}

ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
	const void *body = (const char *)buf + sizeof(struct rdma_ucm_cmd_hdr);
	struct rdma_ucm_cmd_hdr h;

	if (!is_cm(fd))
		return __real_write(fd, buf, size);
	memcpy(&h, buf, sizeof(h));
	CHECK_INT(sizeof(h) + h.in, size);
	switch (h.cmd) {
	case RDMA_USER_CM_CMD_CREATE_ID: break;
	case RDMA_USER_CM_CMD_RESOLVE_IP: cm.event = 0; break;
	case RDMA_USER_CM_CMD_RESOLVE_ROUTE: cm.event = 2; break;
	case RDMA_USER_CM_CMD_QUERY_ROUTE: give_route(body); break;
	case RDMA_USER_CM_CMD_GET_EVENT: give_event(body); break;
	case RDMA_USER_CM_CMD_CONNECT:
		cm.connects++;
		cm.event = 5;
		/* iw_cm_connect(): no queue pair has that number */
		if (cm.iwarp) {
			errno = EINVAL;
			return -1;
		}
		break;
	default: check_fail(__FILE__, __LINE__, "command %u", h.cmd);
	}
	return (ssize_t)size;
}

/* Its text is the caller's. */
static char *ping(struct modtree *t, enum doctor_verdict want)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	enum doctor_verdict got;

	cm.tree = t;
	got = doctor_ping(&t->env, "127.0.0.1", f);
	fclose(f);
	if (got != want)
		fprintf(stderr, "%s", text);
	CHECK_INT(got, want);
	return text;
}

TEST(a_roce_port_connects_without_a_queue_pair)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	modtree_bare(&t);
	modtree_file(&t, DEVICE, "");
	text = ping(&t, DOCTOR_READY);
	CHECK_INT(cm.connects, 1);
	CHECK_INT(cm.loaded, 0);
	CHECK_HAS(text, "\nreached\n");
}

TEST(an_iwarp_port_does_not_and_no_server_is_blamed)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	cm.iwarp = true;
	modtree_bare(&t);
	modtree_file(&t, DEVICE, "");
	text = ping(&t, DOCTOR_READY);
	CHECK_INT(cm.connects, 0);
	CHECK_HAS(text, "\n  RDMA-CM connect 20049  not tried: on iWARP it needs a queue pair\n"
		  "reached, but port 20049 was not tried\n");
	CHECK(!strstr(text, "IA-E605"));
}

/* As in the rescue shell of a boot whose NFS server is down: rpcrdma needs rdma_cm alone. */
TEST(rdma_ucm_is_loaded_where_it_is_missing)
{
	_cleanup_free_ char *text = NULL, *missing = NULL;
	struct modtree t;

	modtree_bare(&t);
	missing = ping(&t, DOCTOR_NOT_READY);
	CHECK_INT(cm.loaded, 1);
	CHECK_HAS(missing, " ms  IA-E201 rdma_ucm is not loaded\n");
	cm.loads = true;
	text = ping(&t, DOCTOR_READY);
	CHECK_INT(cm.loaded, 2);
	CHECK_HAS(text, "\nreached\n");
}
