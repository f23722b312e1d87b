// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ping: the way to an NFS server over RDMA, one step after the other, as the mount would go it:
 * ICMP, RDMA-CM's address and path record, and its connection to the NFS port. Speaks the kernel's
 * own interface (include/uapi/rdma/rdma_user_cm.h): librdmacm would bring verbs with it, and no
 * queue pair is needed to be accepted, except on iWARP.
 */
#include "doctor/private.h"

#include "modules/modprobe.h"

#include <netdb.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <rdma/rdma_user_cm.h>
#include <sys/socket.h>

/* RFC 8267, 8.2: NFS over RDMA */
#define NFS_RDMA_PORT 20049
#define RDMA_CM	      "/dev/infiniband/rdma_cm"
/* An SA that is alive answers in milliseconds; a lost packet is sent again within this. */
#define STEP_LIMIT_MS 4000
#define ECHO_TRIES    3
#define ECHO_MS	      1000
/* enum rdma_cm_event_type (include/rdma/rdma_cm.h) */
enum { EV_ADDR = 0, EV_ROUTE = 2, EV_CONNECT_RESPONSE = 5, EV_REJECTED = 8 };
/* IBTA 12.6.7.2, RejectReason 8: invalid service ID */
#define REJECT_NO_LISTENER 8

struct ping {
	const struct env *env;
	struct sockaddr_storage to;
	socklen_t to_len;
	int fd; /* of rdma_cm */
	uint32_t id;
	bool iwarp;
	enum cause cause;
	char text[160]; /* of a failure why, else what was found */
};

static int fail(struct ping *p, enum cause cause, const char *text)
{
	p->cause = cause;
	(void)strscpy(p->text, text, sizeof(p->text));
	return -1;
}

/* --- ICMP ----------------------------------------------------------------------------------- */

static bool is_reply(const struct ping *p, const uint8_t *buf, ssize_t n, uint16_t number)
{
	/* IPv4's header comes with it. */
	size_t at = p->to.ss_family == AF_INET && n > 0 ? (size_t)(buf[0] & 15) * 4 : 0;
	struct icmphdr h;

	if (n < 0 || (size_t)n < at + sizeof(h))
		return false;
	memcpy(&h, buf + at, sizeof(h));
	return h.type == (at ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY) &&
		h.un.echo.id == htons((uint16_t)getpid()) && h.un.echo.sequence == htons(number);
}

static bool await_reply(const struct ping *p, int fd, uint16_t number)
{
	uint64_t end = now_ns() + ECHO_MS * NSEC_PER_MSEC;
	uint8_t buf[256];

	for (uint64_t now; (now = now_ns()) < end;) {
		struct pollfd pfd = {.fd = fd, .events = POLLIN};

		if (poll(&pfd, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) > 0 &&
			is_reply(p, buf, recv(fd, buf, sizeof(buf), 0), number))
			return true;
	}
	return false;
}

static int step_icmp(struct ping *p)
{
	bool four = p->to.ss_family == AF_INET;
	struct sockaddr_storage to = p->to;
	_cleanup_close_ int fd = socket(p->to.ss_family, SOCK_RAW | SOCK_CLOEXEC,
		four ? IPPROTO_ICMP : IPPROTO_ICMPV6);

	/* A raw socket of IPv6 takes no port. */
	if (!four)
		((struct sockaddr_in6 *)&to)->sin6_port = 0;
	/* Replies of other hosts are not heard. */
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, p->to_len) < 0)
		return fail(p, CAUSE_ROOT_UNREACHABLE, strerror(errno));
	for (uint16_t i = 1; i <= ECHO_TRIES; i++) {
		struct icmphdr h = {.type = four ? ICMP_ECHO : ICMP6_ECHO_REQUEST,
			.un.echo = {.id = htons((uint16_t)getpid()), .sequence = htons(i)}};
		uint32_t sum = (uint32_t)h.type + h.un.echo.id + h.un.echo.sequence;

		/* ICMPv6's is computed by the kernel. */
		h.checksum = (uint16_t)~((sum & 0xffff) + (sum >> 16));
		if (send(fd, &h, sizeof(h), 0) >= 0 && await_reply(p, fd, i))
			return 0;
	}
	return fail(p, CAUSE_ROOT_UNREACHABLE, "no reply");
}

/* --- RDMA-CM -------------------------------------------------------------------------------- */

/* One command: its answer, if it has one, is written where its body says. 0 or -1. */
static int command(const struct ping *p, uint32_t number, const void *body, size_t len, size_t out)
{
	uint8_t buf[sizeof(struct rdma_ucm_cmd_hdr) + sizeof(struct rdma_ucm_connect)];
	struct rdma_ucm_cmd_hdr h = {number, (uint16_t)len, (uint16_t)out};

	memcpy(buf, &h, sizeof(h));
	memcpy(buf + sizeof(h), body, len);
	return write(p->fd, buf, sizeof(h) + len) == (ssize_t)(sizeof(h) + len) ? 0 : -1;
}

/* The next event; its status in ret_status. -1: none within the limit. */
static int await_event(const struct ping *p, int *ret_status)
{
	struct pollfd pfd = {.fd = p->fd, .events = POLLIN};
	struct rdma_ucm_event_resp ev = {0};
	struct rdma_ucm_get_event get = {.response = (uintptr_t)&ev};

	*ret_status = -ETIMEDOUT;
	if (poll(&pfd, 1, STEP_LIMIT_MS + 500) <= 0 ||
		command(p, RDMA_USER_CM_CMD_GET_EVENT, &get, sizeof(get), sizeof(ev)) < 0)
		return -1;
	*ret_status = (int)ev.status;
	return (int)ev.event;
}

/* rpcrdma needs rdma_cm alone: after a boot over RDMA rdma_ucm may not be loaded. */
static void open_cm(struct ping *p)
{
	p->fd = env_open(p->env, O_RDWR, RDMA_CM);
	if (p->fd != -ENOENT)
		return;
	(void)modules_load_now(p->env, "rdma_ucm");
	p->fd = env_open(p->env, O_RDWR, RDMA_CM);
}

static int step_address(struct ping *p)
{
	struct rdma_ucm_create_id_resp made = {0};
	/* The kernel drops the events of an id whose uid is 0. */
	struct rdma_ucm_create_id create = {.uid = 1, .response = (uintptr_t)&made,
		.ps = RDMA_PS_TCP, .qp_type = 2 /* IB_QPT_RC */};
	struct rdma_ucm_resolve_ip to = {.timeout_ms = STEP_LIMIT_MS};
	int status = 0;

	open_cm(p);
	if (p->fd < 0)
		return fail(p, CAUSE_MODULE_MISSING, p->fd == -ENOENT
			? "rdma_ucm is not loaded" : strerror(-p->fd));
	memcpy(&to.dst_addr, &p->to, p->to_len);
	if (command(p, RDMA_USER_CM_CMD_CREATE_ID, &create, sizeof(create), sizeof(made)) < 0)
		return fail(p, CAUSE_INTERNAL, strerror(errno));
	p->id = to.id = made.id;
	if (command(p, RDMA_USER_CM_CMD_RESOLVE_IP, &to, sizeof(to), 0) < 0)
		status = -errno;
	else if (await_event(p, &status) == EV_ADDR)
		return 0;
	if (status == -ENODEV)
		return fail(p, CAUSE_PORT_NO_HCA, "the interface to it has no RDMA device");
	return fail(p, CAUSE_ROOT_UNREACHABLE, status == -ETIMEDOUT || status == -EHOSTUNREACH
		? "neither it nor its gateway answers to ARP or neighbour discovery"
		: strerror(-status));
}

static void describe_path(struct ping *p)
{
	struct rdma_ucm_query_route_resp r = {0};
	struct rdma_ucm_query q = {.response = (uintptr_t)&r, .id = p->id};

	if (command(p, RDMA_USER_CM_CMD_QUERY_ROUTE, &q, sizeof(q), sizeof(r)) < 0)
		return;
	/* A resolved route of InfiniBand or RoCE has one. */
	p->iwarp = !r.num_paths;
	if (r.num_paths && r.ib_route[0].dlid)
		snprintf(p->text, sizeof(p->text), "LID %u to LID %u, P_Key %04x",
			ntohs(r.ib_route[0].slid), ntohs(r.ib_route[0].dlid),
			ntohs(r.ib_route[0].pkey));
}

static int step_path(struct ping *p)
{
	struct rdma_ucm_resolve_route ask = {.id = p->id, .timeout_ms = STEP_LIMIT_MS};
	int status = 0;

	if (command(p, RDMA_USER_CM_CMD_RESOLVE_ROUTE, &ask, sizeof(ask), 0) < 0)
		status = -errno;
	else if (await_event(p, &status) == EV_ROUTE) {
		describe_path(p);
		return 0;
	}
	/* The host of one that has ended refuses; the status is that of its own refusal. */
	return fail(p, CAUSE_PORT_SM_SILENT, status == -ETIMEDOUT
		? "no reply from the subnet manager"
		: "no path record: the subnet manager has stopped, or knows no path to it");
}

/* The server's part is done with its reply; to close the descriptor rejects it, and it forgets. */
static int step_connect(struct ping *p)
{
	struct rdma_ucm_connect to = {.id = p->id, .conn_param = {.qp_num = 0x123, .valid = 1,
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
		.rnr_retry_count = 7}};
	int status = 0, event;

	/* iw_cm_connect() looks the queue pair's number up, and there is none. */
	if (p->iwarp) {
		(void)strscpy(p->text, "on iWARP it needs a queue pair", sizeof(p->text));
		return 1;
	}
	if (command(p, RDMA_USER_CM_CMD_CONNECT, &to, sizeof(to), 0) < 0)
		return fail(p, CAUSE_ROOT_NO_RDMA, strerror(errno));
	event = await_event(p, &status);
	if (event == EV_CONNECT_RESPONSE)
		return 0;
	if (event == EV_REJECTED && status == REJECT_NO_LISTENER)
		return fail(p, CAUSE_ROOT_NO_RDMA, "refused, nothing listens at port 20049");
	return fail(p, CAUSE_ROOT_NO_RDMA, event == EV_REJECTED ? "rejected"
		: "no reply to the connection request");
}

/* --- the steps ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	int (*take)(struct ping *p); /* 0, -1, or 1: it cannot be tried */
	bool needed; /* the next ones rest on it */
} steps[] = {
	{"ICMP", step_icmp, false}, /* many servers do not answer to it */
	{"RDMA-CM address", step_address, true},
	{"SA path record", step_path, true},
	{"RDMA-CM connect 20049", step_connect, true},
};

static bool take_steps(struct ping *p, FILE *out)
{
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		uint64_t begin = now_ns();
		const struct cause_info *c;
		int r;

		if (!good) {
			fprintf(out, "  %-22s not tried\n", steps[i].name);
			continue;
		}
		p->text[0] = '\0';
		r = steps[i].take(p);
		if (r > 0) {
			fprintf(out, "  %-22s not tried: %s\n", steps[i].name, p->text);
			continue;
		}
		fprintf(out, "  %-22s %8.2f ms", steps[i].name,
			(double)(now_ns() - begin) / NSEC_PER_MSEC);
		c = cause_info(p->cause);
		if (r < 0)
			fprintf(out, "  %s %s\n  %-22s %s\n", c->code, p->text, "check", c->check);
		else
			fprintf(out, "  %s\n", *p->text ? p->text : "ok");
		good = r == 0 || !steps[i].needed;
	}
	return good;
}

enum doctor_verdict doctor_ping(const struct env *env, const char *server, FILE *out)
{
	struct ping p = {.env = env, .fd = -1};
	struct addrinfo *list = NULL, hints = {.ai_socktype = SOCK_STREAM};
	char port[8];
	bool good;

	snprintf(port, sizeof(port), "%d", NFS_RDMA_PORT);
	if (getaddrinfo(server, port, &hints, &list) != 0) {
		fprintf(stderr, "initagent: %s: not the address of a server\n", server);
		return DOCTOR_FAILED;
	}
	memcpy(&p.to, list->ai_addr, list->ai_addrlen);
	p.to_len = list->ai_addrlen;
	freeaddrinfo(list);
	fprintf(out, "%s:\n", server);
	good = take_steps(&p, out);
	fprintf(out, "%s%s\n", good ? "reached" : "not reached",
		good && p.iwarp ? ", but port 20049 was not tried" : "");
	closep(&p.fd);
	return good ? DOCTOR_READY : DOCTOR_NOT_READY;
}
