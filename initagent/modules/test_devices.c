// SPDX-License-Identifier: GPL-2.0-or-later
/* The modules room and hardware: companions, cold plug, uevents, the kernel's own aliases. */
#include <sys/socket.h>

#include "modroom.h"
#include "modules/coldplug.h"
#include "modules/uevent.h"

#define OPEN(r, acts) modroom_open(&(r), acts, ARRAY_SIZE(acts))

TEST(rxe_gets_its_crc32_first)
{
	/* crc32-pclmul on a CPU without the instruction. */
	static const struct modroom_act acts[] = {{.module = "crc32-pclmul", .result = -ENODEV}};
	_cleanup_(modroom_close) struct modroom r;
	const char *log;

	OPEN(r, acts);
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "rdma_rxe")->state, MODULE_LOADED);
	log = modroom_log(&r);
	CHECK(modroom_before(log, "crc32_generic", "rdma_rxe"));
	CHECK(modroom_before(log, "crc32-pclmul", "rdma_rxe"));
	CHECK_INT(modules_find(r.modules, "crc32_pclmul")->cause, CAUSE_NONE);
}

TEST(mlx5_core_brings_mlx5_ib)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_begin(&r);
	CHECK_INT(modroom_load(&r, "mlx5_core")->state, MODULE_LOADED);
	CHECK_INT(modules_find(r.modules, "mlx5_ib")->state, MODULE_LOADED);
}

/* Adapters whose RDMA half is a module that no alias names: iWARP, and RoCE on qede. */
TEST(an_ethernet_driver_brings_its_rdma_half)
{
	static const char *const rows[][2] = {{"cxgb4", "iw_cxgb4"}, {"ice", "irdma"},
		{"i40e", "irdma"}, {"i40e", "i40iw"}, {"qede", "qedr"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct module_entry *half;
		_cleanup_(modroom_close) struct modroom r;

		modroom_begin(&r);
		CHECK_INT(modroom_load(&r, rows[i][0])->state, MODULE_LOADED);
		half = modules_find(r.modules, rows[i][1]);
		if (!half || half->state != MODULE_LOADED)
			check_fail(__FILE__, __LINE__, "%s without %s", rows[i][0], rows[i][1]);
	}
}

/* As udev's, which applies it to what its rules name as well. mlx4's half the kernel asks for. */
TEST(a_blacklist_of_modprobe_d_binds_the_rdma_half)
{
	static const char *const halves[] = {"irdma", "mlx5_ib"}, *const cards[] = {"ice",
		"mlx5_core"};
	_cleanup_(modroom_close) struct modroom r;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, "/etc/modprobe.d/a.conf", "blacklist irdma\nblacklist mlx5_ib\n");
	modroom_start(&r);
	for (size_t i = 0; i < ARRAY_SIZE(halves); i++) {
		CHECK_INT(modroom_load(&r, cards[i])->state, MODULE_LOADED);
		CHECK(!modules_find(r.modules, halves[i]));
	}
	/* named, it is loaded */
	CHECK_INT(modroom_load(&r, "irdma")->state, MODULE_LOADED);
}

TEST(a_present_mlx5_core_brings_mlx5_ib_too)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, "/sys/module/mlx5_core/initstate", "live\n");
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "mlx5_core")->state, MODULE_PRESENT);
	CHECK_INT(modules_find(r.modules, "mlx5_ib")->state, MODULE_LOADED);
}

#define PCI "/sys/bus/pci/devices/"
#define HCA "pci:v000015B3d00001017sv000015B3sd00000007bc02sc07i00\n"

TEST(coldplug_loads_what_the_network_needs)
{
	struct modroom r;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, PCI "0000:03:00.0/modalias", HCA);
	/* A disk controller, and a virtio disk of the same vendor id. */
	modtree_file(&r.tree, PCI "0000:04:00.0/modalias",
		"pci:v00001AF4d00001042sv00001AF4sd00001100bc01sc00i00\n");
	modroom_start(&r);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	modroom_run(&r);
	CHECK(modules_find(r.modules, "mlx5_core") && modules_find(r.modules, "mlx5_ib"));
	CHECK(!modules_find(r.modules, "virtio_pci"));
	CHECK(!modules_find(r.modules, "mlx5_core")->asked);
	CHECK(!modules_find(r.modules, "ib_core")->asked);
	CHECK(modroom_load(&r, "mlx5_ib")->asked);
	CHECK(modules_find(r.modules, "ib_core")->asked);
	modroom_close(&r);
}

static void check_platform(const char *modalias, const char *text)
{
	struct modroom r;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, modalias, text);
	modroom_start(&r);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	modroom_run(&r);
	CHECK(modules_find(r.modules, "virtio_mmio"));
	modroom_close(&r);
}

TEST(coldplug_finds_virtio_without_pci)
{
	check_platform(
		"/sys/bus/platform/devices/virtio-mmio.0/modalias", "platform:virtio-mmio\n");
	check_platform("/sys/bus/platform/devices/LNRO0005:00/modalias", "acpi:LNRO0005:\n");
	check_platform("/sys/bus/platform/devices/a003e00.device/modalias",
		"of:Nvirtio_mmioT(null)Cvirtio,mmio\n");
}

/* Boards, mainframes and USB adapters: what modinfo of their drivers has, as the bus tells it. */
TEST(coldplug_wants_what_is_not_on_pci)
{
	static const char *const wanted[] = {"of:Nvirtio_mmioT(null)Cvirtio,mmio",
		"of:NethernetT(null)Cfsl,imx8mp-fecCfsl,imx8mq-fec",
		"of:NethernetTnetworkCsnps,dwmac", "platform:dwmac-generic-eth",
		"of:NmdioT(null)Cmarvell,orion-mdio", "of:NphyT(null)Cmarvell,comphy-cp110",
		"of:Npcie-phyT(null)Crockchip,rk3399-pcie-phy",
		"fsl-mc:v00001957ddpni", "ccw:t3832m01dt0000dm00", "ccw:t1731m01dt1732dm01",
		"usb:v0BDAp8153d3000dc00dsc00dp00icFFiscFFip00in00",
		"usb:v0525pA4A2d0001dc02dsc00dp00ic02isc06ip00in00", "acpi:HISI00B2:",
		"acpi:HISI00C2:", "acpi:HISI0141:", "acpi:MRVL0110:", "acpi:MRVL0100:",
		"acpi:MLNXBF17:", "acpi:MLNXBF22:", "acpi:MLNXBF33:",
		"acpi:VMBUS:", "acpi:VMBus:"};
	static const char *const others[] = {"of:NgpioT(null)Carm,pl061",
		"of:NmmcT(null)Cfsl,imx8mp-usdhc", "of:Nusb2-phyT(null)Crockchip,rk3399-usb2phy",
		"platform:rtc-efi", "platform:serial8250",
		"usb:v046DpC31Cd6402dc00dsc00dp00ic03isc01ip01in00", "ccw:t3990m5Edt3390dm0C",
		"acpi:PNP0C0C:", "acpi:MLNXBF08:"};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!coldplug_wants(wanted[i]))
			check_fail(__FILE__, __LINE__, "not wanted: %s", wanted[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (coldplug_wants(others[i]))
			check_fail(__FILE__, __LINE__, "wanted: %s", others[i]);
}

TEST(devices_leave_one_worker_for_the_longest_chain)
{
	static const struct modroom_act acts[] = {{.module = "mlx5_core", .wait_for = "sunrpc"},
		{.module = "virtio_ring", .wait_for = "sunrpc"}};
	_cleanup_(modroom_close) struct modroom r;
	const char *log;

	OPEN(r, acts);
	modtree_file(&r.tree, PCI "0000:03:00.0/modalias", HCA);
	modtree_file(&r.tree, PCI "0000:04:00.0/modalias",
		"pci:v00001AF4d00001000sv00001AF4sd00000001bc02sc00i00\n");
	r.still = true;
	modroom_start(&r);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	CHECK_INT(modroom_load(&r, "nfsv4")->state, MODULE_LOADED);
	CHECK_INT(modules_find(r.modules, "mlx5_core")->state, MODULE_LOADED);
	CHECK_INT(modules_find(r.modules, "virtio_pci")->state, MODULE_LOADED);
	log = modroom_log(&r);
	CHECK(modroom_before(log, "sunrpc", "mlx5_core") ||
		modroom_before(log, "sunrpc", "virtio_ring"));
}

TEST(coldplug_leaves_bound_devices_alone)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, PCI "0000:03:00.0/modalias", HCA);
	modtree_file(&r.tree, PCI "0000:03:00.0/driver/bind", "");
	modroom_start(&r);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	CHECK(modules_settled(r.modules));
	CHECK(!modules_find(r.modules, "mlx5_core"));
}

/* By an agent that was killed, by modules-load.d, or built in: then nothing asked for the half. */
TEST(a_bound_devices_driver_brings_its_rdma_half)
{
	_cleanup_(modroom_close) struct modroom r;
	char link[256];

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, PCI "0000:03:00.0/modalias", HCA);
	snprintf(link, sizeof(link), "%s" PCI "0000:03:00.0/driver", r.tree.root);
	CHECK_INT(symlink("../../../../bus/pci/drivers/mlx5_core", link), 0);
	modtree_file(&r.tree, "/sys/bus/pci/drivers/mlx5_core/bind", "");
	modtree_file(&r.tree, "/sys/module/mlx5_core/initstate", "live\n");
	modroom_start(&r);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	modroom_run(&r);
	CHECK_STR(modroom_log(&r), "ib_core ib_uverbs mlx5_ib");
}

TEST(devices_that_appear_get_their_driver)
{
	/* As the kernel does it: the device is announced before its bus driver's load returns. */
	static const struct modroom_act acts[] = {{.module = "virtio_pci",
		.uevent =
			"add@/devices/pci0000:00/0000:00:03.0/virtio0|ACTION=add|DEVPATH=/devices/"
			"pci0000:00/0000:00:03.0/virtio0|SUBSYSTEM=virtio|MODALIAS=virtio:"
			"d00000001v00001AF4"}};
	_cleanup_(modroom_close) struct modroom r;

	OPEN(r, acts);
	modtree_file(&r.tree, PCI "0000:00:03.0/modalias",
		"pci:v00001AF4d00001000sv00001AF4sd00000001bc02sc00i00\n");
	modroom_start(&r);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	modroom_run(&r);
	CHECK_STR(modroom_log(&r), "virtio_ring virtio_pci virtio_net");
}

TEST(other_announcements_are_ignored)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_begin(&r);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	/* A virtio disk, a removal, udevd's format, rubbish. */
	modroom_send(&r, "add@/devices/v|ACTION=add|DEVPATH=/devices/v|SUBSYSTEM=virtio|MODALIAS="
			 "virtio:d00000002v00001AF4");
	modroom_send(&r, "remove@/devices/v|ACTION=remove|DEVPATH=/devices/v|SUBSYSTEM=virtio|"
			 "MODALIAS=virtio:d00000001v00001AF4");
	modroom_send(&r, "libudev|ACTION=add|DEVPATH=/d|SUBSYSTEM=virtio|MODALIAS=virtio:"
			 "d00000001v00001AF4");
	modroom_send(&r, "@|||=");
	CHECK_INT(modules_dispatch(r.modules, 1), 0);
	CHECK(modules_settled(r.modules));
	CHECK_STR(modroom_log(&r), "");
}

/* Whether an announcement that begins so wakes us. */
static bool comes_through(const char *first)
{
	_cleanup_close_ int in = -1, out = -1;
	int pair[2];
	char buf[128];

	CHECK_INT(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	in = pair[0];
	out = pair[1];
	CHECK_INT(uevent_filter(out), 0);
	(void)!send(in, first, strlen(first) + 1, 0);
	return recv(out, buf, sizeof(buf), 0) == (ssize_t)strlen(first) + 1;
}

TEST(only_announcements_of_devices_wake_us)
{
	static const char *const devices[] = {
		"add", "bind", "move", "change", "online", "remove", "unbind", "offline"};
	static const char *const others[] = {"add@/module/ib_core",
		"add@/bus/pci/drivers/mlx5_core", "add@/kernel/slab/x", "change@/kernel",
		"remove@/class/net", "add@/d", "", "add@/fs/cgroup/devices/x"};
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		snprintf(text, sizeof(text), "%s@/devices/virtual/net/ib0", devices[i]);
		CHECK(comes_through(text));
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		CHECK(!comes_through(others[i]));
}

/* One worker, and a card that needs its drivers. */
static void start_with_card(struct modroom *r)
{
	modtree_file(&r->tree, PCI "0000:03:00.0/modalias", HCA);
	r->cfg.workers = 1;
	r->still = true;
	modroom_start(r);
}

TEST(drivers_of_devices_jump_the_queue)
{
	_cleanup_(modroom_close) struct modroom r;
	const char *log;

	modroom_open(&r, NULL, 0);
	start_with_card(&r);
	CHECK_INT(modules_request(r.modules, "alone", 1), 0);
	CHECK_INT(modules_request(r.modules, "other", 1), 0);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	CHECK(modules_device_driver(r.modules));
	modroom_run(&r);
	CHECK(!modules_device_driver(r.modules));
	log = modroom_log(&r);
	CHECK(modroom_before(log, "mlx5_core", "alone"));
	CHECK(modroom_before(log, "mlx5_ib", "alone"));
}

/* The card first, then what makes or names an interface, then the mount's own. */
TEST(what_an_interface_needs_goes_before_what_the_mount_needs)
{
	_cleanup_(modroom_close) struct modroom r;
	const char *log;

	modroom_open(&r, NULL, 0);
	start_with_card(&r);
	CHECK_INT(modules_request(r.modules, "nfsv4", 1), 0);
	CHECK_INT(modules_request_early(r.modules, "rdma_rxe", 1), 0);
	CHECK_INT(modules_coldplug(r.modules, 1), 0);
	modroom_run(&r);
	log = modroom_log(&r);
	CHECK(modroom_before(log, "mlx5_core", "rdma_rxe"));
	CHECK(modroom_before(log, "mlx5_ib", "rdma_rxe"));
	CHECK(modroom_before(log, "rdma_rxe", "sunrpc"));
	CHECK(modroom_before(log, "sunrpc", "nfsv4"));
}

TEST(aliases_of_the_kernel)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_begin(&r);
	CHECK_INT(modules_request_alias(r.modules, "virtio:d00000001v00001AF4", 1), 0);
	modroom_run(&r);
	CHECK_STR(modroom_log(&r), "virtio_ring virtio_net");
	CHECK_INT(modules_request_alias(r.modules, "crypto-xts(aes)", 1), -ENOENT);
	CHECK_INT(modules_request_alias(r.modules, "../../evil", 1), -EINVAL);
}

TEST(cold_plug_has_no_limit)
{
	struct coldplug_device *list = NULL;
	struct modtree tree;
	char path[64];

	modtree_make(&tree, NULL, 0);
	for (int i = 0; i < 700; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:%02x:%02x.0/modalias",
			i / 32, i % 32);
		modtree_file(
			&tree, path, "pci:v000015B3d00001019sv000015B3sd00000008bc02sc07i00\n");
	}
	CHECK_INT(coldplug_scan(&tree.env, false, &list), 700);
	CHECK_STR(list[699].where, "0000:15:1b.0");
	free(list);
}
