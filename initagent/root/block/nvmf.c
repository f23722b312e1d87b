// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvmf: NVMe over fabrics by the kernel's own interface: options written to /dev/nvme-fabrics make
 * a controller, whose namespaces become block devices (drivers/nvme/host/fabrics.c). The controller
 * lives in the kernel: it stays when this process is gone, and finds its server again by itself.
 */

#include "base/tcp.h"
#include "root/block/discovery.h"
#include "root/block/hostid.h"
#include "root/block/job.h"
#include "root/block/words.h"

#define NVMF_PORT      4420 /* IANA nvme */
#define DISCOVERY_PORT 8009 /* IANA nvme-disc, of NVMe/TCP */
/* The address that was asked, then the first ones that discovery names, and again. */
#define TURNS	       8
/* A SYN is repeated after 1 and 3 s. */
#define REACH_SECONDS  4
/*
 * A root waits for its server as NFS does, for ever: an error would end the system. What the
 * command line says comes later in the kernel's list and counts.
 */
#define DEFAULTS "ctrl_loss_tmo=-1,reconnect_delay=2"

/* Which controller of which subsystem is meant. */
struct way {
	const char *nqn, *transport, *address, *source;
	uint16_t port;
};

/* Where discovery led elsewhere, the result says whither. */
static struct way way_of(const struct block_job *j)
{
	const struct block_result *res = &j->message.result;

	return (struct way){
		.nqn = res->name,
		.transport = j->portal->rdma ? "rdma" : "tcp",
		.address = res->address,
		.source = j->portal->source,
		.port = (uint16_t)res->port,
	};
}

/* How often all servers have been tried. */
static unsigned round_of(const struct block_job *j)
{
	return j->cfg->rounds / j->cfg->ways;
}

/* Where no port is named: Linux has a discovery service on each port of its own, storage arrays
 * have that of NVMe/TCP on one alone. */
static bool on_either_port(const struct block_job *j)
{
	return !j->portal->port && !j->portal->rdma;
}

static struct way way_to_discovery(const struct block_job *j)
{
	struct way way = way_of(j);

	way.nqn = NQN_DISCOVERY;
	way.address = j->cfg->address;
	way.port = on_either_port(j) && round_of(j) % 2 ? DISCOVERY_PORT : job_port(j);
	return way;
}

/* Does the kernel's "traddr=10.0.0.1,trsvcid=4420,..." hold this pair? */
static bool address_has(const char *address, const char *key, const char *value)
{
	const char *at = pair_value(address, key);
	size_t len = strlen(value);

	return at && strncmp(at, value, len) == 0 && (!at[len] || at[len] == ',');
}

static bool attribute_is(const struct block_job *j, const char *controller, const char *name,
	const char *want)
{
	return env_is(j->env, want, "/sys/class/nvme/%s/%s", controller, name);
}

/* The kernel writes a link-local address with its interface only where it was given so. */
static bool is_ours(const struct block_job *j, const char *controller, const struct way *way)
{
	char address[256], port[8];

	snprintf(port, sizeof(port), "%u", way->port);
	return attribute_is(j, controller, "subsysnqn", way->nqn) &&
		attribute_is(j, controller, "transport", way->transport) &&
		env_read(j->env, address, sizeof(address), "/sys/class/nvme/%s/address",
		controller) > 0 &&
		address_has(address, "traddr", way->address) &&
		address_has(address, "trsvcid", port);
}

/* The next controller of ours in an open /sys/class/nvme; NULL at the end. */
static const char *next_of_ours(const struct block_job *j, DIR *dir, const struct way *way)
{
	const struct dirent *e;

	while ((e = dir_next(dir)))
		if (strncmp(e->d_name, "nvme", 4) == 0 && is_ours(j, e->d_name, way))
			return e->d_name;
	return NULL;
}

/* One that is up is taken; one that still is not, or no more, would be in the way of a new one. */
static bool adopt(struct block_job *j, const struct way *way)
{
	_cleanup_closedir_ DIR *dir = env_opendir(j->env, "/sys/class/nvme");
	const char *name;
	bool live = false;

	while (!live && (name = next_of_ours(j, dir, way))) {
		live = attribute_is(j, name, "state", "live");
		if (live)
			strscpy(j->handle, name, sizeof(j->handle));
		else
			env_write(j->env, "1", "/sys/class/nvme/%s/delete_controller", name);
	}
	return live;
}

static int options(const struct block_job *j, const struct way *way, char *buf, size_t size)
{
	const struct plan_block *plan = j->plan;
	struct hostid host;
	int n;

	hostid_find(j->env, plan->hostnqn, plan->hostid, rails_node_number(j->cfg->rails), &host);
	n = snprintf(buf, size,
		"nqn=%s,transport=%s,traddr=%s,trsvcid=%u,hostnqn=%s,hostid=%s%s%s," DEFAULTS
		"%s%s",
		way->nqn, way->transport, way->address, way->port, host.nqn, host.id,
		way->source ? ",host_traddr=" : "", way->source ? way->source : "",
		*plan->options ? "," : "", plan->options);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : n;
}

/* "instance=0,cntlid=1" */
static int take_instance(struct block_job *j, int fd)
{
	char text[128];
	ssize_t n = read(fd, text, sizeof(text) - 1);
	int instance;

	if (n <= 0)
		return n < 0 ? -errno : -EIO;
	text[n] = 0;
	if (sscanf(text, "instance=%d", &instance) != 1)
		return -EBADMSG;
	snprintf(j->handle, sizeof(j->handle), "nvme%d", instance);
	return 0;
}

/* The kernel has no limit of its own for a TCP connection: among the ways of discovery, one that is
 * filtered is left to the next one. Where another route is named for it, the kernel alone knows. */
static int reach(struct block_job *j, const struct way *way)
{
	_cleanup_close_ int fd = -1;

	if (!j->portal->discovery || j->portal->rdma || way->source ||
		strstr(j->plan->options, "host_iface="))
		return 0;
	fd = tcp_connect(way->address, way->port, REACH_SECONDS);
	return fd != -ETIMEDOUT ? 0 : job_fail(j, CAUSE_BLOCK_UNREACHABLE, fd,
		"%s port %u: no answer in %d s", way->address, way->port, REACH_SECONDS);
}

static int create(struct block_job *j, const struct way *way)
{
	char text[2048];
	_cleanup_close_ int fd = -1;
	int n = options(j, way, text, sizeof(text)), words;

	if (n < 0)
		return job_fatal(j, CAUSE_INTERNAL, -ENAMETOOLONG, "the options are too long");
	if (reach(j, way) < 0)
		return -ETIMEDOUT;
	fd = env_open(j->env, O_RDWR, "/dev/nvme-fabrics");
	if (fd < 0)
		return job_fatal(j, CAUSE_MODULE_MISSING, fd,
			"nvme_fabrics: /dev/nvme-fabrics: %s", strerror(-fd));
	words = words_open(j->env);
	n = write(fd, text, (size_t)n) < 0 ? -errno : 0;
	if (n == 0)
		n = take_instance(j, fd);
	if (n < 0)
		n = words_judge(j, words, n);
	closep(&words);
	return n;
}

/* --- discovery ------------------------------------------------------------------------------ */

static void delete_all(struct block_job *j, const struct way *way)
{
	_cleanup_closedir_ DIR *dir = env_opendir(j->env, "/sys/class/nvme");
	const char *name;

	while ((name = next_of_ours(j, dir, way)))
		env_write(j->env, "1", "/sys/class/nvme/%s/delete_controller", name);
}

static int read_page(struct block_job *j, uint8_t page[static DISCOVERY_PAGE_MAX])
{
	_cleanup_close_ int fd = env_open(j->env, O_RDWR, "/dev/%s", j->handle);
	int r = fd < 0 ? fd : discovery_read(fd, page);

	return r < 0
		? job_fail(j, CAUSE_BLOCK_PROTOCOL, r, "discovery log page: %s", strerror(-r)) : r;
}

static int discovery_failed(struct block_job *j, const struct discovery *d)
{
	static const struct {
		enum cause cause;
		bool fatal;
		const char *words;
	} rows[DISCOVERY_MAX] = {
		[DISCOVERY_NONE] =
			{CAUSE_BLOCK_NO_TARGET, false,
				"the discovery service knows no such subsystem; it knows"},
		[DISCOVERY_SEVERAL] =
		{CAUSE_BLOCK_NO_TARGET, true, "name one in root=; the discovery service knows"},
		[DISCOVERY_SECURE] =
		{CAUSE_BLOCK_AUTH, true, "the discovery service requires TLS for"},
		[DISCOVERY_BAD] =
		{CAUSE_BLOCK_PROTOCOL, false, "the discovery service's log page cannot be read"},
	};

	job_fail(j, rows[d->how].cause, -ENOENT, "%s %s", rows[d->how].words, *d->text ? d->text
		: "none over this transport");
	j->message.fatal = rows[d->how].fatal;
	return -ENOENT;
}

/* Asks the service, and lets it go again: where and what to connect goes to the result. */
static int discover(struct block_job *j)
{
	struct way way = way_to_discovery(j);
	const struct discovery_want want = {j->plan->name, j->cfg->address, j->portal->rdma,
		round_of(j) / (1 + on_either_port(j)) % TURNS};
	_cleanup_free_ uint8_t *page = malloc(DISCOVERY_PAGE_MAX);
	struct block_result *res = &j->message.result;
	struct discovery d;
	const char *zone;
	int r;

	if (!page)
		return job_fail(j, CAUSE_NO_MEMORY, -ENOMEM, "%s", strerror(ENOMEM));
	r = adopt(j, &way) ? 0 : create(j, &way);
	if (r == 0)
		r = read_page(j, page);
	delete_all(j, &way);
	if (r < 0)
		return r;
	discovery_judge_apart(page, (size_t)r, &want, &d);
	if (d.how != DISCOVERY_FOUND)
		return discovery_failed(j, &d);
	strscpy(res->name, d.nqn, sizeof(res->name));
	/* a link-local address has no interface in there: it is reached as the one asked is */
	zone = strncmp(d.address, "fe80:", 5) == 0 ? strchr(j->cfg->address, '%') : NULL;
	snprintf(res->address, sizeof(res->address), "%s%s", d.address, zone ? zone : "");
	res->port = d.port;
	return 0;
}

static int connect_to(struct block_job *j)
{
	struct block_result *res = &j->message.result;
	struct way way;
	int r = 0;

	if (j->portal->discovery)
		r = discover(j);
	if (r < 0)
		return r;
	way = way_of(j);
	res->adopted = adopt(j, &way);
	return res->adopted ? 0 : create(j, &way);
}

/* --- the namespace -------------------------------------------------------------------------- */

static bool disk_is(const struct block_job *j, const char *device, const char *name,
	const char *want)
{
	return env_is(j->env, want, "/sys/block/%s/%s", device, name);
}

/* The one that was asked for? */
static bool fits(const struct block_job *j, const char *device, uint32_t *ret_nsid)
{
	const struct plan_block *plan = j->plan;

	*ret_nsid = (uint32_t)env_number(j->env, "/sys/block/%s/nsid", device);
	return (!plan->unit || plan->unit == *ret_nsid) &&
		(!plan->uuid || disk_is(j, device, "uuid", plan->uuid));
}

/*
 * Where none is named the one with the lowest number: the kernel finds them in that order. Paths
 * below a multipath device are hidden, and are all there is while none of them can be used.
 */
static int find(struct block_job *j, char device[static BLOCK_DEVICE_MAX])
{
	_cleanup_closedir_ DIR *dir = env_opendir(j->env, "/sys/block");
	char ana[32] = "";
	uint32_t best = UINT32_MAX, nsid;
	const struct dirent *e;

	while ((e = dir_next(dir))) {
		if (strncmp(e->d_name, "nvme", 4) != 0 ||
			!disk_is(j, e->d_name, "device/subsysnqn", j->message.result.name) ||
			!fits(j, e->d_name, &nsid))
			continue;
		if (disk_is(j, e->d_name, "hidden", "1")) {
			(void)env_read(j->env, ana, sizeof(ana), "/sys/block/%s/ana_state",
				e->d_name);
		} else if (nsid < best) {
			best = nsid;
			strscpy(device, e->d_name, BLOCK_DEVICE_MAX);
		}
	}
	if (best != UINT32_MAX)
		return 1;
	if (*ana)
		return job_fail(j, CAUSE_BLOCK_NO_DEVICE, 0,
			"no path to its namespace can be used (ANA state %s)", ana);
	return job_fail(j, CAUSE_BLOCK_NO_DEVICE, 0, "the subsystem %.200s shows no %s",
		j->message.result.name, j->plan->unit || j->plan->uuid
			? "namespace like the one asked for" : "namespace");
}

static void disconnect(struct block_job *j)
{
	struct way way = way_of(j), service = way_to_discovery(j);

	delete_all(j, &way);
	if (j->portal->discovery)
		delete_all(j, &service);
}

const struct block_ops nvmf_ops = {
	.name = "nvmf",
	.port = NVMF_PORT,
	.connect = connect_to,
	.find = find,
	.disconnect = disconnect,
};
