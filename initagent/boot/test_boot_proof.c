// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a proof of the root is asked for, a root that cannot have it is refused before its server
 * is asked for anything. */
#include "check.h"

#include "boot/node.h"
#include "dhcpserver.h"
#include "root/image/keys.h"
#include "netns.h"

#define DIGEST "rd.root.digest=sha256:" \
	"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
/* Of minisign's own documentation. */
#define KEY "untrusted comment: minisign public key\n" \
	"RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n"

static const char *root_path;

static int names_a_root(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)len;
	(void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_text(m, 17, root_path);
	msg_end(m);
	return 1;
}

/* A boot with a file in its initramfs (NULL: none) and a root-path of DHCP (NULL: no DHCP); code
 * "": it is not refused so. */
static void check(const char *line, const char *file, const char *text, const char *path,
	const char *code)
{
	struct node n;
	pid_t peer = wire_up();

	root_path = path;
	netns_run_in(peer, "ip addr add 10.0.0.1/24 dev veth1");
	if (path)
		dhcpserver_start(peer, "veth1", names_a_root);
	node_open(&n, line);
	if (file)
		modtree_file(&n.tree, file, text);
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK_INT(met(&n, "IA-E610") > 0, *code != 0);
	/* Neither looked for on the link nor asked for an image. */
	if (*code)
		CHECK_INT(met(&n, "IA-E601") + met(&n, "IA-E621") + met(&n, "IA-E602"), 0);
	node_close(&n);
}

#define DHCP   "root=dhcp ip=veth0:dhcp rd.retry=4"
#define STATIC " ip=" NODE " rd.retry=4"
#define PUB    KEYS_DIR "/site.pub"

TEST(what_dhcp_names_where_keys_are_in_the_initramfs)
{
	check(DHCP, PUB, KEY, "192.0.2.9:/x", "IA-E610");
	check(DHCP, PUB, KEY, "nfs:192.0.2.9:/x", "IA-E610");
	check(DHCP, PUB, KEY, "nbd:192.0.2.9:root", "IA-E610");
	check(DHCP, PUB, "not a key", "192.0.2.9:/x", "IA-E610");
	check("root=nfs ip=veth0:dhcp rd.retry=4", PUB, KEY, "192.0.2.9:/x", "IA-E610");
	/* An image can be proved, so it is asked for. */
	check(DHCP, PUB, KEY, "http://10.0.0.9/root.img", "");
	check(DHCP, NULL, NULL, "10.0.0.9:/x", "");
}

TEST(what_dhcp_names_where_the_line_asks_for_a_proof)
{
	check(DHCP " " DIGEST, NULL, NULL, "192.0.2.9:/x", "IA-E610");
	check("root=nfs ip=veth0:dhcp rd.retry=4 " DIGEST, NULL, NULL, "192.0.2.9:/x", "IA-E610");
	check("root=nfs ip=veth0:dhcp rd.retry=4 rd.root.key=none", NULL, NULL, "192.0.2.9:/x",
		"IA-E610");
}

static const char *second_path;

/* Later than the first one: it does not hear the first DISCOVER. */
static int names_another(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	root_path = second_path;
	return n == 1 ? 0 : names_a_root(m, request, len, type, n);
}

/* Whoever answers on one segment does not keep the node from what another one's server names. */
TEST(what_cannot_be_proved_is_passed_over_for_another_lease)
{
	pid_t peer = wire_up(), other = netns_peer();
	struct node n;

	root_path = "192.0.2.9:/x";
	second_path = "http://10.0.0.1/root.img";
	netns_run_in(peer, "ip addr add 10.0.0.1/24 dev veth1");
	dhcpserver_start(peer, "veth1", names_a_root);
	netns_veth("veth2", "veth3", other);
	netns_run_in(other, "ip addr add 10.0.0.1/24 dev veth3; ip link set veth3 up");
	dhcpserver_start(other, "veth3", names_another);
	node_open(&n, "root=dhcp bootdev=veth0 ip=veth0:dhcp ip=veth2:dhcp rd.retry=8");
	modtree_file(&n.tree, PUB, KEY);
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK(met(&n, "IA-E610") > 0);
	CHECK(met(&n, "IA-E621") > 0); /* the image was asked for */
	node_close(&n);
}

TEST(what_the_line_names)
{
	check("root=nfs:192.0.2.9:/x" STATIC, PUB, KEY, NULL, "IA-E610");
	check("root=nbd:192.0.2.9:root" STATIC, PUB, KEY, NULL, "IA-E610");
	check("root=nfs:192.0.2.9:/x " DIGEST STATIC, NULL, NULL, NULL, "IA-E610");
	check("root=nfs:192.0.2.9:/x rd.root.key=none" STATIC, NULL, NULL, NULL, "IA-E610");
	check("root=nfs:192.0.2.9:/x rd.root.digest=none" STATIC, NULL, NULL, NULL, "IA-E610");
	check("root=wwinit wwinit.server=http://192.0.2.9:9873 wwid=a" STATIC, PUB, KEY, NULL,
		"IA-E610");
	check("root=http://192.0.2.9/x" STATIC, PUB, KEY, NULL, "");
}

/* No lease can name another kind: nothing is waited for. */
TEST(where_the_line_names_the_kind_alone)
{
	uint64_t began = now_ns();

	check("root=nfs ip=veth0:dhcp rd.retry=30 " DIGEST, NULL, NULL, "192.0.2.9:/x", "IA-E610");
	CHECK(now_ns() - began < 15 * NSEC_PER_SEC);
}

/* Which the stand-alone image mounts itself; beside dracut, which mounts it, the agent has the
 * network alone. */
TEST(a_disk_of_the_stand_alone_image)
{
	struct node n;

	wire_up();
	node_open(&n, "root=/dev/sda2 rd.neednet=1 rd.root.key=/k" STATIC);
	n.args.standalone = true;
	CHECK_INT(boot(&n), BOOT_FAILED);
	CHECK_INT(met(&n, "IA-E610"), 1);
	node_close(&n);
}

/* Certificates bind what DHCP names, not what the command line names itself. */
TEST(certificates_in_the_initramfs)
{
	check(DHCP, KEYS_CA, "x", "http://10.0.0.9/root.img", "IA-E610");
	check(DHCP, KEYS_CA, "x", "live:http://10.0.0.9/root.img", "IA-E610");
	check(DHCP, KEYS_CA, "x", "https://10.0.0.9/root.img", "");
	check(DHCP " " DIGEST, KEYS_CA, "x", "http://10.0.0.9/root.img", "");
	check("root=http://192.0.2.9/x" STATIC, KEYS_CA, "x", NULL, "");
}
