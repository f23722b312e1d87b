// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * floor: the least that a boot from a kind of root takes: the kernel's own work, asked for by the
 * fewest system calls. An /init that loads the modules up to 8 at a time, those of the card first,
 * gets a lease in four messages, makes and awaits the RDMA port, mounts, and becomes the real
 * root's init. It checks nothing but the digest of an image, if one is given, so it is no way to
 * boot a node: it shows how much of a boot's time no program can save.
 *
 *   floor=KIND      on the kernel command line; the rows of kinds[]
 *   image=FILE      of http, http_cache        digest=HEX   of it, SHA-256, by the agent's code
 */
#include "floor.h"
#include "guest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <linux/nbd.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <pthread.h>
#include <rdma/rdma_netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERVER	  "10.99.0.1"
#define SERVER_IB "10.9.0.1"
#define EXPORT	  "/export/root"
#define NQN	  "nqn.2024-01.org.example:root"

/* PID 1 that ends is a panic, which the bench sees. */
void floor_must(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
	exit(1);
}

/*
 * listen_to: a socket of the kernel's events: NETLINK_ROUTE's of links, or NETLINK_KOBJECT_UEVENT's
 * of devices; group 1 in both. To be opened before what is waited for is asked for.
 */
static int listen_to(int protocol)
{
	struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	floor_must(s, "netlink");
	floor_must(bind(s, (struct sockaddr *)&to, sizeof(to)), "netlink");
	return s;
}

/* The next event: that there is one is all that counts. */
static void next_event(int events)
{
	char event[64];

	floor_must((int)recv(events, event, sizeof(event), 0), "netlink");
}

/* --- network --------------------------------------------------------------------------------- */

/*
 * set_up: the interface, and its carrier awaited: a packet sent before is lost. IPoIB has none
 * before the subnet manager's sweep and the broadcast group, which the kernel waits for by itself.
 */
static void set_up(const char *netdev)
{
	struct ifreq ifr = {.ifr_flags = IFF_UP};
	int events = listen_to(NETLINK_ROUTE), s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char path[64], carrier[8];

	floor_must(s, "socket");
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", netdev);
	snprintf(path, sizeof(path), "/sys/class/net/%s/carrier", netdev);
	floor_must(ioctl(s, SIOCSIFFLAGS, &ifr), netdev);
	while (guest_read(path, carrier, sizeof(carrier)) < 0 || carrier[0] != '1')
		next_event(events);
	close(events);
	close(s);
}

static size_t put_text(char *at, unsigned short type, const char *text)
{
	struct nlattr a = {.nla_len = (unsigned short)(NLA_HDRLEN + strlen(text) + 1),
		.nla_type = type};

	memcpy(at, &a, sizeof(a));
	memcpy(at + NLA_HDRLEN, text, strlen(text) + 1);
	return NLA_ALIGN(a.nla_len);
}

/* add_link: what "rdma link add NAME type TYPE netdev eth0" asks of the kernel. */
static void add_link(const char *name, const char *type)
{
	_Alignas(struct nlmsghdr) char msg[256] = {0}, answer[256];
	size_t len = NLMSG_HDRLEN;
	struct nlmsghdr h = {.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK)};
	struct nlmsgerr err;
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);

	len += put_text(msg + len, RDMA_NLDEV_ATTR_DEV_NAME, name);
	len += put_text(msg + len, RDMA_NLDEV_ATTR_LINK_TYPE, type);
	len += put_text(msg + len, RDMA_NLDEV_ATTR_NDEV_NAME, "eth0");
	h.nlmsg_len = (unsigned)len;
	memcpy(msg, &h, sizeof(h));
	floor_must((int)send(s, msg, len, 0), "RDMA netlink");
	floor_must((int)recv(s, answer, sizeof(answer), 0), "RDMA netlink");
	memcpy(&err, answer + NLMSG_HDRLEN, sizeof(err));
	errno = -err.error;
	floor_must(err.error, name);
	close(s);
}

static int connect_to(int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, SERVER, &to.sin_addr);
	floor_must(connect(s, (struct sockaddr *)&to, sizeof(to)), SERVER);
	return s;
}

static void card(void)
{
	floor_loaded("virtio_pci");
	floor_loaded("virtio_net");
	set_up("eth0");
}

static void ethernet(void)
{
	card();
	floor_lease("eth0");
}

/* Without an entry for the neighbour RDMA may lose its first packet, and misses it for seconds. */
static void soft_roce(void)
{
	ethernet();
	close(connect_to(2049));
	floor_loaded("crc32_generic");
	floor_loaded("rdma_rxe");
	add_link("rxe0", "rxe");
}

static void infiniband(void)
{
	card();
	floor_loaded("softib");
	floor_loaded("ib_ipoib");
	add_link("sib0", "softib");
	set_up("ib0");
	floor_lease("ib0");
}

/* --- roots ----------------------------------------------------------------------------------- */

static void nfs(const char *server, const char *transport)
{
	char source[64], options[128];

	floor_loaded(NULL);
	snprintf(source, sizeof(source), "%s:" EXPORT, server);
	snprintf(options, sizeof(options), "vers=4.2,addr=%s,clientaddr=0.0.0.0,%s", server,
		transport);
	floor_must(mount(source, "/mnt", "nfs4", 0, options), source);
}

static void nfs_rdma(void)
{
	nfs(SERVER, "proto=rdma,port=20049");
}

static void nfs_ib(void)
{
	nfs(SERVER_IB, "proto=rdma,port=20049");
}

static void nfs_tcp(void)
{
	nfs(SERVER, "proto=tcp");
}

/* device: that events, of devices, tell of; ready: the file that is there when it can be read. */
static void disk(int events, const char *device, const char *ready)
{
	while (access(ready, F_OK) < 0)
		next_event(events);
	floor_must(mount(device, "/mnt", "ext4", MS_RDONLY, NULL), device);
	close(events);
}

/* A target that still holds the queue pair of the boot before refuses the first connection. */
static void nvme(const char *transport, int port)
{
	char text[256];
	int events = listen_to(NETLINK_KOBJECT_UEVENT), fd;

	floor_loaded(NULL);
	fd = open("/dev/nvme-fabrics", O_RDWR | O_CLOEXEC);
	floor_must(fd, "/dev/nvme-fabrics");
	snprintf(text, sizeof(text), "transport=%s,traddr=" SERVER ",trsvcid=%d,nqn=" NQN,
		transport, port);
	while (write(fd, text, strlen(text)) < 0)
		;
	disk(events, "/dev/nvme0n1", "/dev/nvme0n1");
}

static void nvme_rdma(void)
{
	nvme("rdma", 4420);
}

static void nvme_tcp(void)
{
	nvme("tcp", 4421);
}

static uint64_t take(int s, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = 0;

		floor_must(read(s, &c, 1) == 1 ? 0 : -1, "NBD's greeting");
		value = value << 8 | c;
	}
	return value;
}

/* doc/proto.md of NBD: greeting, NBD_OPT_EXPORT_NAME without the padding, size and flags. */
static void nbd(void)
{
	static const char ask[] = "\0\0\0\3IHAVEOPT\0\0\0\1\0\0\0\4root";
	int s = connect_to(10809), events = listen_to(NETLINK_KOBJECT_UEVENT), fd;
	uint64_t size, flags;

	floor_loaded(NULL);
	fd = open("/dev/nbd0", O_RDWR | O_CLOEXEC);
	take(s, 8 + 8 + 2);
	floor_must((int)write(s, ask, sizeof(ask) - 1), "NBD_OPT_EXPORT_NAME");
	size = take(s, 8);
	flags = take(s, 2);
	floor_must(ioctl(fd, NBD_SET_BLKSIZE, 512UL), "NBD_SET_BLKSIZE");
	floor_must(ioctl(fd, NBD_SET_SIZE_BLOCKS, size / 512), "NBD_SET_SIZE_BLOCKS");
	floor_must(ioctl(fd, NBD_SET_FLAGS, flags), "NBD_SET_FLAGS");
	floor_must(ioctl(fd, NBD_SET_SOCK, s), "NBD_SET_SOCK");
	if (fork() == 0)
		_exit(ioctl(fd, NBD_DO_IT) < 0);
	disk(events, "/dev/nbd0", "/sys/block/nbd0/pid");
}

/* fetch: the body of the answer into a file. */
static void fetch(const char *name, int to)
{
	static char head[65536];
	const char *body = NULL;
	size_t have = 0;
	ssize_t n;
	int s = connect_to(80);

	floor_must(dprintf(s, "GET /%s HTTP/1.0\r\n\r\n", name), name);
	while (!body) {
		n = read(s, head + have, sizeof(head) - 1 - have);
		floor_must(n > 0 ? 0 : -1, name);
		have += (size_t)n;
		head[have] = 0;
		body = strstr(head, "\r\n\r\n");
	}
	body += strlen("\r\n\r\n");
	floor_pour(s, to, body, (size_t)(head + have - body), getenv("digest"));
	close(s);
}

/* from_disk: that file of the node's own disk, which is free again afterwards. */
static void from_disk(const char *name, int to)
{
	char path[128];
	int fd;

	floor_loaded("virtio_pci");
	floor_loaded("virtio_blk");
	floor_loaded("ext4");
	mkdir("/run/disk", 0700);
	floor_must(mount("/dev/vda", "/run/disk", "ext4", MS_RDONLY, NULL), "/dev/vda");
	snprintf(path, sizeof(path), "/run/disk/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	floor_must(fd, path);
	floor_pour(fd, to, NULL, 0, getenv("digest"));
	close(fd);
	floor_must(umount("/run/disk"), "/run/disk");
}

static void loop_mount(const char *file, const char *where)
{
	struct loop_config config = {.info.lo_flags = LO_FLAGS_READ_ONLY};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), loop;

	floor_must(control, "/dev/loop-control");
	floor_must(ioctl(control, LOOP_CTL_GET_FREE), "LOOP_CTL_GET_FREE");
	loop = open("/dev/loop0", O_RDWR | O_CLOEXEC);
	config.fd = (unsigned)open(file, O_RDONLY | O_CLOEXEC);
	floor_must(ioctl(loop, LOOP_CONFIGURE, &config), "LOOP_CONFIGURE");
	floor_must(mount("/dev/loop0", where, "squashfs", MS_RDONLY, NULL), where);
}

/* image: in memory, of where get has it from, below a writable layer. */
static void image(void (*get)(const char *name, int to))
{
	const char *name = getenv("image");
	int fd;

	floor_must(name ? 0 : -1, "no image=");
	mkdir("/run/lower", 0700);
	mkdir("/run/upper", 0700);
	floor_must(mount("image", "/run/upper", "tmpfs", 0, "size=90%"), "tmpfs");
	fd = open("/run/upper/image", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	floor_must(fd, "/run/upper/image");
	get(name, fd);
	close(fd);
	floor_loaded(NULL);
	loop_mount("/run/upper/image", "/run/lower");
	mkdir("/run/upper/data", 0755);
	mkdir("/run/upper/work", 0700);
	floor_must(mount("root", "/mnt", "overlay", 0,
			   "lowerdir=/run/lower,upperdir=/run/upper/data,workdir=/run/upper/work"),
		"overlay");
}

static void http(void)
{
	image(fetch);
}

/* The lease is got meanwhile. */
static void http_cache(void)
{
	image(from_disk);
}

/* --- kinds ----------------------------------------------------------------------------------- */

static const struct kind {
	const char *name;
	const char *modules; /* the card's first, then what has to be waited for longest */
	void (*network)(void);
	void (*root)(void);
	bool beside; /* the root does not wait for the network */
} kinds[] = {
	{"nfsrdma", "virtio_pci virtio_net crc32_generic rdma_rxe nfsv4 rpcrdma", soft_roce,
		nfs_rdma, false},
	{"nfsrdma_ib", "virtio_pci virtio_net softib ib_ipoib nfsv4 rpcrdma", infiniband, nfs_ib,
		false},
	{"nfs_tcp", "virtio_pci virtio_net nfsv4", ethernet, nfs_tcp, false},
	{"http", "virtio_pci virtio_net loop squashfs overlay", ethernet, http, false},
	{"http_cache", "virtio_pci virtio_blk ext4 virtio_net loop squashfs overlay", ethernet,
		http_cache, true},
	{"nvme_tcp", "virtio_pci virtio_net nvme-tcp ext4", ethernet, nvme_tcp, false},
	{"nvme_rdma", "virtio_pci virtio_net crc32_generic rdma_rxe nvme-rdma ext4", soft_roce,
		nvme_rdma, false},
	{"nbd", "virtio_pci virtio_net nbd ext4", ethernet, nbd, false},
};

static const struct kind *asked;

static void find_asked(void)
{
	const char *name = getenv("floor");

	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			asked = &kinds[i];
	if (asked)
		return;
	fprintf(stderr, "floor: no such kind: %s\n", name ? name : "none");
	exit(1);
}

static void mount_own(void)
{
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	mount("run", "/run", "tmpfs", 0, NULL);
}

static void leave(void)
{
	static const char *const own[] = {"/dev", "/proc", "/sys", "/run"};
	char to[16];

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		snprintf(to, sizeof(to), "/mnt%s", own[i]);
		floor_must(mount(own[i], to, NULL, MS_MOVE, NULL), to);
	}
	floor_must(chdir("/mnt"), "/mnt");
	floor_must(mount(".", "/", NULL, MS_MOVE, NULL), "/");
	floor_must(chroot("."), "chroot");
	execl("/sbin/init", "/sbin/init", NULL);
	floor_must(-1, "/sbin/init");
}

static void *network(void *arg)
{
	asked->network();
	return arg;
}

int main(void)
{
	pthread_t thread;

	mount_own();
	find_asked();
	floor_load(asked->modules);
	floor_must(-pthread_create(&thread, NULL, network, NULL), "thread");
	if (!asked->beside)
		pthread_join(thread, NULL);
	asked->root();
	if (asked->beside)
		pthread_join(thread, NULL);
	leave();
}
