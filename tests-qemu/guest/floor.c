// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * floor: the least that a boot from a kind of root takes: the kernel's own work, asked for by the
 * fewest system calls. An /init that loads the modules, those of the card and those of the mount
 * side by side, sets an address that it knows, makes and awaits the RDMA port, mounts, and becomes
 * the real root's init. It has no DHCP and checks nothing, so it is no way to boot a node: it shows
 * how much of a boot's time no program can save. floor=KIND on the kernel command line.
 */
#include "guest.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <linux/nbd.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define SERVER	  "10.99.0.1"
#define SERVER_IB "10.9.0.1"
#define EXPORT	  "/export/root"
#define NQN	  "nqn.2024-01.org.example:root"

/* Says what the kernel refused; PID 1 that ends is a panic, which the bench sees. */
static void must(int result, const char *what)
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

	must(s, "netlink");
	must(bind(s, (struct sockaddr *)&to, sizeof(to)), "netlink");
	return s;
}

/* The next event: that there is one is all that counts. */
static void next_event(int events)
{
	char event[64];

	must((int)recv(events, event, sizeof(event), 0), "netlink");
}

/* --- modules --------------------------------------------------------------------------------- */

/* modules.dep of the kernel: "file: file file", each after those that it needs, from the right. */
static char depends[65536];
static char folder[128];

static void read_depends(void)
{
	struct utsname name;
	char path[160];

	must(uname(&name), "uname");
	snprintf(folder, sizeof(folder), "/lib/modules/%s", name.release);
	snprintf(path, sizeof(path), "%s/modules.dep", folder);
	must(guest_read(path, depends, sizeof(depends)), path);
}

/* One that is there already is as good; one that the other process loads is waited for. */
static void insert(const char *file, int len)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%.*s", folder, len, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	must(fd, path);
	if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
		must(-1, path);
	close(fd);
}

/* name: as its file has it. */
static void load(const char *name)
{
	char file[64];
	const char *from, *end;

	snprintf(file, sizeof(file), "/%s.ko:", name);
	from = strstr(depends, file);
	must(from ? 0 : -1, name);
	end = from + strcspn(from, "\n");
	while (from > depends && from[-1] != '\n')
		from--;
	while (end > from) {
		const char *last = end;

		while (last > from && last[-1] != ' ')
			last--;
		insert(last, (int)(end - last) - (end[-1] == ':'));
		end = last > from ? last - 1 : from;
	}
}

/* names: separated by blanks. */
static void load_all(const char *names)
{
	char list[128], *rest = list;

	snprintf(list, sizeof(list), "%s", names);
	for (char *name; (name = strsep(&rest, " "));)
		load(name);
}

/* --- network --------------------------------------------------------------------------------- */

/* set_up: an address in a network of 24 bits, none if NULL. */
static void set_up(const char *netdev, const char *address)
{
	struct ifreq ifr = {.ifr_flags = IFF_UP};
	struct sockaddr_in in = {.sin_family = AF_INET};
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	must(s, "socket");
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", netdev);
	must(ioctl(s, SIOCSIFFLAGS, &ifr), netdev);
	if (address) {
		inet_pton(AF_INET, address, &in.sin_addr);
		memcpy(&ifr.ifr_addr, &in, sizeof(in));
		must(ioctl(s, SIOCSIFADDR, &ifr), address);
		inet_pton(AF_INET, "255.255.255.0", &in.sin_addr);
		memcpy(&ifr.ifr_netmask, &in, sizeof(in));
		must(ioctl(s, SIOCSIFNETMASK, &ifr), address);
	}
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
	must((int)send(s, msg, len, 0), "RDMA netlink");
	must((int)recv(s, answer, sizeof(answer), 0), "RDMA netlink");
	memcpy(&err, answer + NLMSG_HDRLEN, sizeof(err));
	errno = -err.error;
	must(err.error, name);
	close(s);
}

static int connect_to(int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, SERVER, &to.sin_addr);
	must(connect(s, (struct sockaddr *)&to, sizeof(to)), SERVER);
	return s;
}

static void ethernet(void)
{
	set_up("eth0", "10.99.0.20");
}

/* Without an entry for the neighbour RDMA may lose its first packet, and misses it for seconds. */
static void soft_roce(void)
{
	ethernet();
	close(connect_to(2049));
	add_link("rxe0", "rxe");
}

/* IPoIB waits for the subnet manager's sweep itself, and has a carrier with the broadcast group. */
static void infiniband(void)
{
	int events = listen_to(NETLINK_ROUTE);
	char carrier[8];

	set_up("eth0", NULL);
	add_link("sib0", "softib");
	set_up("ib0", "10.9.0.20");
	while (guest_read("/sys/class/net/ib0/carrier", carrier, sizeof(carrier)) < 0 ||
		carrier[0] != '1')
		next_event(events);
	close(events);
}

/* --- roots ----------------------------------------------------------------------------------- */

static void nfs(const char *server, const char *transport)
{
	char source[64], options[128];

	snprintf(source, sizeof(source), "%s:" EXPORT, server);
	snprintf(options, sizeof(options), "vers=4.2,addr=%s,clientaddr=0.0.0.0,%s", server,
		transport);
	must(mount(source, "/mnt", "nfs4", 0, options), source);
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
	must(mount(device, "/mnt", "ext4", MS_RDONLY, NULL), device);
	close(events);
}

/* A target that still holds the queue pair of the boot before refuses the first connection. */
static void nvme(const char *transport, int port)
{
	char text[256];
	int events = listen_to(NETLINK_KOBJECT_UEVENT);
	int fd = open("/dev/nvme-fabrics", O_RDWR | O_CLOEXEC);

	must(fd, "/dev/nvme-fabrics");
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

		must(read(s, &c, 1) == 1 ? 0 : -1, "NBD's greeting");
		value = value << 8 | c;
	}
	return value;
}

/* doc/proto.md of NBD: greeting, NBD_OPT_EXPORT_NAME without the padding, size and flags. */
static void nbd(void)
{
	static const char ask[] = "\0\0\0\3IHAVEOPT\0\0\0\1\0\0\0\4root";
	int s = connect_to(10809), fd = open("/dev/nbd0", O_RDWR | O_CLOEXEC);
	int events = listen_to(NETLINK_KOBJECT_UEVENT);
	uint64_t size, flags;

	take(s, 8 + 8 + 2);
	must((int)write(s, ask, sizeof(ask) - 1), "NBD_OPT_EXPORT_NAME");
	size = take(s, 8);
	flags = take(s, 2);
	must(ioctl(fd, NBD_SET_BLKSIZE, 512UL), "NBD_SET_BLKSIZE");
	must(ioctl(fd, NBD_SET_SIZE_BLOCKS, size / 512), "NBD_SET_SIZE_BLOCKS");
	must(ioctl(fd, NBD_SET_FLAGS, flags), "NBD_SET_FLAGS");
	must(ioctl(fd, NBD_SET_SOCK, s), "NBD_SET_SOCK");
	if (fork() == 0)
		_exit(ioctl(fd, NBD_DO_IT) < 0);
	disk(events, "/dev/nbd0", "/sys/block/nbd0/pid");
}

/* fetch: the body of the answer into a file of a tmpfs. */
static void fetch(const char *name, const char *file)
{
	static char buf[1 << 20];
	const char *body = NULL;
	size_t have = 0;
	ssize_t n;
	int s = connect_to(80), fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	must(fd, file);
	must(dprintf(s, "GET /%s HTTP/1.0\r\n\r\n", name), name);
	while (!body) {
		n = read(s, buf + have, sizeof(buf) - 1 - have);
		must(n > 0 ? 0 : -1, name);
		have += (size_t)n;
		buf[have] = 0;
		body = strstr(buf, "\r\n\r\n");
	}
	body += strlen("\r\n\r\n");
	must((int)write(fd, body, (size_t)(buf + have - body)), file);
	while ((n = read(s, buf, sizeof(buf))) > 0)
		must(write(fd, buf, (size_t)n) == n ? 0 : -1, file);
	close(s);
	close(fd);
}

static void loop_mount(const char *file, const char *where)
{
	struct loop_config config = {.info.lo_flags = LO_FLAGS_READ_ONLY};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), loop;

	must(control, "/dev/loop-control");
	must(ioctl(control, LOOP_CTL_GET_FREE), "LOOP_CTL_GET_FREE");
	loop = open("/dev/loop0", O_RDWR | O_CLOEXEC);
	config.fd = (unsigned)open(file, O_RDONLY | O_CLOEXEC);
	must(ioctl(loop, LOOP_CONFIGURE, &config), "LOOP_CONFIGURE");
	must(mount("/dev/loop0", where, "squashfs", MS_RDONLY, NULL), where);
}

static void http(void)
{
	mkdir("/run/lower", 0700);
	mkdir("/run/upper", 0700);
	must(mount("image", "/run/upper", "tmpfs", 0, "size=90%"), "tmpfs");
	fetch(getenv("image"), "/run/upper/image");
	loop_mount("/run/upper/image", "/run/lower");
	mkdir("/run/upper/data", 0755);
	mkdir("/run/upper/work", 0700);
	must(mount("root", "/mnt", "overlay", 0,
		     "lowerdir=/run/lower,upperdir=/run/upper/data,workdir=/run/upper/work"),
		"overlay");
}

/* --- kinds ----------------------------------------------------------------------------------- */

static const struct kind {
	const char *name;
	const char *card;  /* modules up to the interface or the port */
	const char *mount; /* modules beside them */
	void (*network)(void);
	void (*root)(void);
} kinds[] = {
	{"nfsrdma", "virtio_pci virtio_net crc32_generic rdma_rxe", "nfsv4 rpcrdma", soft_roce,
		nfs_rdma},
	{"nfsrdma_ib", "virtio_pci virtio_net softib ib_ipoib", "nfsv4 rpcrdma", infiniband,
		nfs_ib},
	{"nfs_tcp", "virtio_pci virtio_net", "nfsv4", ethernet, nfs_tcp},
	{"http", "virtio_pci virtio_net", "loop squashfs overlay", ethernet, http},
	{"nvme_tcp", "virtio_pci virtio_net", "nvme-tcp ext4", ethernet, nvme_tcp},
	{"nvme_rdma", "virtio_pci virtio_net crc32_generic rdma_rxe", "nvme-rdma ext4", soft_roce,
		nvme_rdma},
	{"nbd", "virtio_pci virtio_net", "nbd ext4", ethernet, nbd},
};

static const struct kind *kind_asked(void)
{
	const char *name = getenv("floor");

	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
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
		must(mount(own[i], to, NULL, MS_MOVE, NULL), to);
	}
	must(chdir("/mnt"), "/mnt");
	must(mount(".", "/", NULL, MS_MOVE, NULL), "/");
	must(chroot("."), "chroot");
	execl("/sbin/init", "/sbin/init", NULL);
	must(-1, "/sbin/init");
}

int main(void)
{
	const struct kind *kind;
	pid_t beside;

	mount_own();
	kind = kind_asked();
	read_depends();
	beside = fork();
	if (beside == 0) {
		load_all(kind->mount);
		_exit(0);
	}
	load_all(kind->card);
	kind->network();
	waitpid(beside, NULL, 0);
	kind->root();
	leave();
}
