// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The doctor's judgement on trees that look like nodes in trouble, and with a fabric that answers.
 */
#include <cjson/cJSON.h>
#include <limits.h>
#include <sys/utsname.h>

#include "check.h"
#include "doctor/doctor.h"
#include "fabric/ops.h"
#include "madlab.h"
#include "modtree.h"

#define TREE(name) "tests/fixtures/fabric/" name
#define PORT	   "/sys/class/infiniband/mlx5_0/ports/1/"
#define CARD	   "/sys/bus/pci/devices/0000:3b:00.0"
#define ALIAS	   "pci:v000015B3d0000101Bsv000015B3sd00000007bc02sc07i00"

static const struct fabric_ops quiet; /* no MADs: what sysfs shows alone */

/* Runs the doctor; the text is the caller's. */
static char *judge(const struct env *env, const struct fabric_ops *ops, enum doctor_form form,
	enum doctor_verdict want)
{
	const struct doctor_config cfg = {.ops = ops ? ops : &quiet, .form = form, .ask = true};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	enum doctor_verdict got = doctor_run(env, &cfg, f);

	fclose(f);
	if (got != want)
		fprintf(stderr, "%s", text);
	CHECK_INT(got, want);
	return text;
}

static void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		check_fail(__FILE__, __LINE__, "\"%s\" in:\n%s", part, text);
}

static char *judge_tree(const char *tree, enum doctor_verdict want)
{
	const struct env env = {.prefix = tree};

	CHECK_INT(access(tree, F_OK), 0);
	return judge(&env, NULL, DOCTOR_TEXT, want);
}

TEST(fixture_trees)
{
	static const struct {
		const char *tree;
		enum doctor_verdict verdict;
		const char *says;
	} rows[] = {
		{TREE("hfi1"), DOCTOR_READY, "hfi1_0/1: InfiniBand, LinkUp ACTIVE, LID 65537"},
		{TREE("mlx4-vpi"), DOCTOR_READY, "mlx4_0/2: Ethernet, LinkUp ACTIVE, 40 Gb/sec"},
		{TREE("roce"), DOCTOR_READY, "mlx5_0/1: Ethernet"},
		{TREE("rxe"), DOCTOR_READY, "rxe0/1: Ethernet"},
		{TREE("siw"), DOCTOR_READY, "siw0/1: Ethernet"},
		{TREE("mlx5-init"), DOCTOR_NOT_READY,
			"  trouble    IA-E306 mlx5_0/1 LinkUp INIT, no subnet manager yet\n"},
		{TREE("mlx5-active"), DOCTOR_PARTLY,
			"IA-E305 mlx5_2/1 Polling DOWN, no link partner"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *text = judge_tree(rows[i].tree, rows[i].verdict);

		CHECK_HAS(text, rows[i].says);
	}
}

static void port_file(const struct modtree *t, const char *attribute, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), PORT "%s", attribute);
	modtree_file(t, path, text);
}

/* An InfiniBand port as it is when all is well. */
static void port_make(struct modtree *t)
{
	modtree_bare(t);
	port_file(t, "link_layer", "InfiniBand\n");
	port_file(t, "state", "4: ACTIVE\n");
	port_file(t, "phys_state", "5: LinkUp\n");
	port_file(t, "lid", "0x4\n");
	port_file(t, "sm_lid", "0x1\n");
	port_file(t, "rate", "100 Gb/sec (4X EDR)\n");
	port_file(t, "gids/0", "fe80:0000:0000:0000:0c42:a103:0065:fe2b\n");
	port_file(t, "pkeys/0", "0xffff\n");
	port_file(t, "pkeys/1", "0x0001\n");
	port_file(t, "pkeys/2", "0x0000\n");
	modtree_file(t, "/sys/class/infiniband/mlx5_0/fw_ver", "20.31.1014\n");
}

static void netdev_make(struct modtree *t, const char *name, const char *pkey, const char *flags,
		const char *carrier)
{
	static const char address[] =
		"80:00:02:08:fe:80:00:00:00:00:00:00:0c:42:a1:03:00:65:fe:2b\n";
	char path[160], text[100];
	const char *const rows[][2] = {{"type", "32\n"}, {"mtu", "2044\n"}, {"mode", "datagram\n"},
		{"flags", flags}, {"carrier", carrier}, {"address", address}, {"broadcast", text}};

	snprintf(text, sizeof(text), "00:ff:ff:ff:ff:12:40:1b:%s:00:00:00:00:00:00:ff:ff:ff:ff\n",
		pkey);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, rows[i][0]);
		modtree_file(t, path, rows[i][1]);
	}
}

TEST(port_states)
{
	static const struct {
		const char *attribute, *value, *says;
	} rows[] = {
		{"phys_state", "3: Disabled\n", "IA-E311 mlx5_0/1 Disabled DOWN, port is disabled"},
		{"phys_state", "2: Polling\n", "IA-E305 mlx5_0/1 Polling DOWN, no link partner"},
		{"phys_state", "4: PortConfigurationTraining\n",
			"IA-E305 mlx5_0/1 Training DOWN, no link"},
		{"sm_lid", "0x0\n", "IA-E306 mlx5_0/1 LinkUp ACTIVE, subnet manager's LID unknown"},
		{"lid", "0xffff\n", "IA-E306 mlx5_0/1 LinkUp ACTIVE, no LID yet"},
		{"state", "3: ARMED\n", "IA-E302 mlx5_0/1 LinkUp ARMED, set up, but"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *text = NULL;
		struct modtree t;

		port_make(&t);
		if (streq(rows[i].attribute, "phys_state"))
			port_file(&t, "state", "1: DOWN\n");
		port_file(&t, rows[i].attribute, rows[i].value);
		text = judge(&t.env, NULL, DOCTOR_TEXT, DOCTOR_NOT_READY);
		CHECK_HAS(text, rows[i].says);
	}
}

TEST(what_stands_between_a_port_and_carrier)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	port_make(&t);
	netdev_make(&t, "ib0", "ff:ff", "0x1003\n", "1\n");
	netdev_make(&t, "ib0.8001", "80:01", "0x1003\n", "0\n");
	netdev_make(&t, "ib0.8005", "80:05", "0x1003\n", "0\n");
	netdev_make(&t, "ib0.ffff", "ff:ff", "0x1002\n", "0\n");
	/* Another port's. */
	netdev_make(&t, "ib9", "ff:ff", "0x1003\n", "0\n");
	modtree_file(&t, "/sys/class/net/ib9/address",
		"80:00:02:08:fe:80:00:00:00:00:00:00:0c:42:a1:03:00:65:fe:2c\n");
	text = judge(&t.env, NULL, DOCTOR_TEXT, DOCTOR_NOT_READY);
	CHECK_HAS(text, "  ib0        carrier, MTU 2044, P_Key ffff, datagram\n");
	CHECK_HAS(text, "IA-E402 ib0.8001: the broadcast group is not joined\n");
	CHECK_HAS(text, "note       IA-E310 mlx5_0/1 is a limited member of partition 8001");
	CHECK_HAS(text, "trouble    IA-E307 mlx5_0/1: P_Key 8005 is not in its table\n");
	CHECK_HAS(text, "note       IA-E402 ib0.ffff is down, so it has no carrier\n");
	has_not(text, "ib9");
	CHECK_HAS(text,
		"note       subnet manager not queried over mlx5_0/1: ib_umad is not loaded\n");
}

static bool lacks(void *data, const char *device)
{
	(void)data;
	return streq(device, "mlx5_0");
}

TEST(a_provider_that_is_not_built_in)
{
	_cleanup_free_ char *text = NULL, *early = NULL;
	const struct fabric_ops ops = {.verbs_lacks = lacks};
	char path[PATH_MAX];
	struct modtree t;

	port_make(&t);
	netdev_make(&t, "ib0", "ff:ff", "0x1003\n", "1\n");
	modtree_file(&t, "/sys/class/infiniband/mlx5_0/device/vendor", "0x1\n");
	snprintf(path, sizeof(path), "%s/sys/class/infiniband/mlx5_0/device/driver", t.root);
	CHECK_INT(symlink("../../bus/pci/drivers/hfi1", path), 0);
	early = judge(&t.env, &ops, DOCTOR_TEXT, DOCTOR_READY);
	has_not(early, "provider");
	modtree_file(&t, "/sys/class/infiniband/mlx5_0/device/infiniband_verbs/uverbs0/dev",
		"231:192\n");
	text = judge(&t.env, &ops, DOCTOR_TEXT, DOCTOR_READY);
	CHECK_HAS(text, "  note       mlx5_0: no libibverbs provider for hfi1 in this program");
}

TEST(partitions_of_the_command_line)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	port_make(&t);
	modtree_file(&t, "/proc/cmdline", "root=nfs:10.0.0.1:/x rd.ib.pkey=0x8005\n");
	text = judge(&t.env, NULL, DOCTOR_TEXT, DOCTOR_NOT_READY);
	CHECK_HAS(text, "IA-E307 mlx5_0/1: P_Key 8005 is not in its table\n");
	CHECK_HAS(text, "note       IA-E401 mlx5_0/1 has no netdev: ib_ipoib is not loaded\n");
}

TEST(the_fabric_is_asked)
{
	_cleanup_free_ char *text = NULL, *joining = NULL, *refused = NULL, *missing = NULL,
		*dead = NULL;
	struct fabric_ops ops = {0};
	struct madlab lab;
	struct modtree t;

	madlab_new(&lab);
	ops.mad = &lab.ops;
	port_make(&t);
	netdev_make(&t, "ib0", "ff:ff", "0x1003\n", "1\n");
	text = judge(&t.env, &ops, DOCTOR_TEXT, DOCTOR_READY);
	CHECK_HAS(text, "  cable      leaf12 port 17\n");
	CHECK_HAS(text, "  SM         alive, GUID 0002c90300ef1231, priority 5, master\n");
	CHECK_HAS(text, "  verdict    ready\nready\n");
	netdev_make(&t, "ib0", "ff:ff", "0x1003\n", "0\n");
	joining = judge(&t.env, &ops, DOCTOR_TEXT, DOCTOR_NOT_READY);
	CHECK_HAS(joining, "IA-E402 mlx5_0/1 P_Key ffff: joining the broadcast group\n");
	/* The kernel's log knows better. */
	modtree_file(&t, "/dev/kmsg",
		"4,9,100,-;ib0: multicast join failed for "
		"ff12:401b:ffff:0000:0000:0000:ffff:ffff, status -22\n");
	refused = judge(&t.env, &ops, DOCTOR_TEXT, DOCTOR_NOT_READY);
	CHECK_HAS(refused,
		"IA-E310 mlx5_0/1 P_Key ffff: the subnet manager refused the join of the broadcast "
		     "group (Invalid argument)\n");
	lab.status = 0x0300;
	missing = judge(&t.env, &ops, DOCTOR_TEXT, DOCTOR_NOT_READY);
	CHECK_HAS(missing, "IA-E309 mlx5_0/1 P_Key ffff: no IPoIB broadcast group\n");
	lab.status = 0x000c;
	dead = judge(&t.env, &ops, DOCTOR_TEXT, DOCTOR_NOT_READY);
	CHECK_HAS(dead, "IA-E308 mlx5_0/1 LinkUp ACTIVE, subnet manager does not answer\n");
	madlab_free(&lab);
}

static const char *json_text(const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	return s ? s : "(none)";
}

TEST(json_says_the_same)
{
	_cleanup_free_ char *text = NULL;
	struct fabric_ops ops = {0};
	const cJSON *port, *finding;
	struct madlab lab;
	struct modtree t;
	cJSON *top;

	madlab_new(&lab);
	lab.neighbour = "leaf\"12\\";
	lab.group_mtu = 5;
	ops.mad = &lab.ops;
	port_make(&t);
	netdev_make(&t, "ib0", "ff:ff", "0x1003\n", "0\n");
	text = judge(&t.env, &ops, DOCTOR_JSON, DOCTOR_NOT_READY);
	top = cJSON_Parse(text);
	CHECK(top);
	CHECK_STR(json_text(top, "verdict"), "not ready");
	port = cJSON_GetArrayItem(cJSON_GetObjectItem(top, "ports"), 0);
	CHECK_STR(json_text(port, "name"), "mlx5_0/1");
	CHECK_STR(json_text(port, "guid"), "0c42a1030065fe2b");
	CHECK_STR(json_text(port, "firmware"), "20.31.1014");
	CHECK_STR(json_text(cJSON_GetObjectItem(port, "neighbour"), "name"), "leaf\"12\\");
	CHECK_STR(json_text(cJSON_GetObjectItem(port, "sm"), "state"), "alive");
	CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(port, "pkeys")), 2);
	finding = cJSON_GetArrayItem(cJSON_GetObjectItem(top, "findings"), 0);
	CHECK_STR(json_text(finding, "code"), "IA-E310");
	CHECK_STR(json_text(finding, "where"), "ib0");
	CHECK_STR(json_text(finding, "port"), "mlx5_0/1");
	CHECK_STR(json_text(finding, "text"),
		"mlx5_0/1 P_Key ffff: broadcast group's MTU above the port's (4096, port 2048)");
	cJSON_Delete(top);
	madlab_free(&lab);
}

static void card_make(const struct modtree *t)
{
	modtree_file(t, CARD "/modalias", ALIAS "\n");
	modtree_file(t, CARD "/class", "0x020700\n");
	modtree_file(t, CARD "/vendor", "0x15b3\n");
}

static void card_driver(const struct modtree *t, const char *driver)
{
	char path[200], target[100];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s/uevent", driver);
	modtree_file(t, path, "");
	snprintf(path, sizeof(path), "%s" CARD "/driver", t->root);
	snprintf(target, sizeof(target), "../../../../bus/pci/drivers/%s", driver);
	CHECK_INT(symlink(target, path), 0);
}

static void ethernet_make(const struct modtree *t, const char *driver)
{
	modtree_file(t, CARD "/modalias",
		"pci:v00008086d00001592sv00008086sd00000002bc02sc00i00\n");
	modtree_file(t, CARD "/class", "0x020000\n");
	modtree_file(t, CARD "/vendor", "0x8086\n");
	card_driver(t, driver);
}

static const struct modtree_module mlx5[] = {
	{.name = "mlx5_core", .alias = {"pci:v000015B3d0000101Bsv*sd*bc*sc*i*"}},
};

static char *judge_card(const struct modtree *t)
{
	return judge(&t->env, NULL, DOCTOR_TEXT, DOCTOR_NO_DEVICE);
}

TEST(no_adapter_at_all)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	modtree_bare(&t);
	text = judge_card(&t);
	CHECK_HAS(text, "IA-E301 no RDMA adapter on the PCI bus\n");
	CHECK_HAS(text, "\nno device\n");
}

TEST(a_plain_ethernet_card_is_none)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	modtree_bare(&t);
	ethernet_make(&t, "igb");
	text = judge_card(&t);
	CHECK_HAS(text, "IA-E301 no RDMA adapter on the PCI bus");
	has_not(text, "0000:3b:00.0");
}

TEST(an_image_for_another_kernel)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	modtree_bare(&t);
	card_make(&t);
	modtree_file(&t, "/proc/modules", "");
	text = judge_card(&t);
	CHECK_HAS(text, "IA-E205 no module index to find a driver for 0000:3b:00.0");
	CHECK_HAS(text, "IA-E301 the reason is above\n");
}

/* The modules of a tree as those of the running kernel. */
static void kernel_make(struct modtree *t, const struct modtree_module *modules, size_t n)
{
	struct utsname kernel;
	char path[200];

	modtree_make(t, modules, n);
	CHECK_INT(uname(&kernel), 0);
	snprintf(path, sizeof(path), "%s/lib/modules/%s", t->root, kernel.release);
	CHECK_INT(symlink(MODTREE_KVER, path), 0);
}

TEST(a_driver_that_is_missing_or_not_loaded)
{
	_cleanup_free_ char *missing = NULL, *unloaded = NULL, *words = NULL, *barred = NULL,
			    *foreign = NULL;
	struct modtree t;

	kernel_make(&t, NULL, 0);
	card_make(&t);
	missing = judge_card(&t);
	CHECK_HAS(missing, "IA-E210 no module here serves 0000:3b:00.0 (pci:v000015B3");
	modtree_file(&t, "/etc/initagent/hostonly", "build7 (Maker Model)\n");
	foreign = judge_card(&t);
	CHECK_HAS(foreign, "IA-E212 no module here serves 0000:3b:00.0 (pci:v000015B3");
	CHECK_HAS(foreign, "), made on build7 (Maker Model)\n");
	kernel_make(&t, mlx5, ARRAY_SIZE(mlx5));
	card_make(&t);
	unloaded = judge_card(&t);
	CHECK_HAS(unloaded, "IA-E204 mlx5_core for 0000:3b:00.0 is not loaded\n");
	modtree_file(&t, "/dev/kmsg",
		"3,7,100,-;mlx5_core: version magic '6.1.0-1' should be '6.1.0-2'\n");
	words = judge_card(&t);
	CHECK_HAS(words,
		"IA-E202 0000:3b:00.0: mlx5_core: version magic '6.1.0-1' should be '6.1.0-2'\n");
	modtree_file(&t, "/etc/modprobe.d/no.conf", "blacklist mlx5_core\n");
	barred = judge_card(&t);
	CHECK_HAS(barred, "IA-E206 modprobe.d forbids every driver of 0000:3b:00.0");
}

TEST(a_driver_that_did_not_take_the_card)
{
	_cleanup_free_ char *text = NULL, *words = NULL;
	struct modtree t;

	kernel_make(&t, mlx5, ARRAY_SIZE(mlx5));
	card_make(&t);
	modtree_file(&t, "/sys/module/mlx5_core/initstate", "live\n");
	text = judge_card(&t);
	CHECK_HAS(text, "IA-E209 mlx5_core is loaded but not bound to 0000:3b:00.0\n");
	modtree_file(&t, "/dev/kmsg",
		"3,7,100,-;mlx5_core 0000:3b:00.0: Direct firmware load for mlx5.bin failed with "
			"error -2\n");
	words = judge_card(&t);
	CHECK_HAS(words,
		"IA-E203 0000:3b:00.0: mlx5_core 0000:3b:00.0: Direct firmware load for mlx5.bin");
}

TEST(a_driver_whose_rdma_half_is_missing)
{
	_cleanup_free_ char *text = NULL, *words = NULL;
	struct modtree t;

	modtree_bare(&t);
	card_make(&t);
	card_driver(&t, "mlx5_core");
	text = judge_card(&t);
	CHECK_HAS(text,
		"IA-E301 mlx5_core runs on 0000:3b:00.0, but its RDMA driver mlx5_ib is not "
		"loaded\n");
	modtree_file(&t, "/dev/kmsg",
		"6,1,100,-;something else\n"
		"4,2,200,-;mlx5_ib: disagrees about version of symbol ib_register_device\n"
		"4,3,200,-;mlx5_ib: Unknown symbol ib_register_device (err -22)\n");
	words = judge_card(&t);
	CHECK_HAS(words,
		"IA-E202 0000:3b:00.0: mlx5_ib: disagrees about version of symbol "
		"ib_register_device\n");
}

/* Ethernet of other makers has an RDMA driver, too, and no alias need load it. */
TEST(an_ethernet_card_whose_rdma_driver_is_missing)
{
	static const char *const drivers[][2] = {
		{"ice", "irdma"}, {"cxgb4", "iw_cxgb4"}, {"bnxt_en", "bnxt_re"}, {"qede", "qedr"}};

	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		_cleanup_free_ char *text = NULL, *beside = NULL;
		char want[160];
		struct modtree t;

		modtree_bare(&t);
		ethernet_make(&t, drivers[i][0]);
		text = judge_card(&t);
		snprintf(want, sizeof(want), "IA-E301 %s runs on 0000:3b:00.0, but its RDMA driver "
			"%s is not loaded\n", drivers[i][0], drivers[i][1]);
		CHECK_HAS(text, want);
		has_not(text, "no RDMA adapter");
		/* Beside a port it may be there for Ethernet alone. */
		port_make(&t);
		ethernet_make(&t, drivers[i][0]);
		beside = judge(&t.env, NULL, DOCTOR_TEXT, DOCTOR_READY);
		has_not(beside, "0000:3b:00.0");
	}
}

TEST(a_driver_that_made_no_device)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	modtree_bare(&t);
	card_make(&t);
	card_driver(&t, "mlx5_core");
	modtree_file(&t, "/sys/module/mlx5_ib/initstate", "live\n");
	text = judge_card(&t);
	CHECK_HAS(text, "IA-E301 mlx5_core runs on 0000:3b:00.0, but made no RDMA device\n");
}

TEST(modules_the_boot_could_not_load)
{
	_cleanup_free_ char *text = NULL;
	struct modtree t;

	port_make(&t);
	modtree_file(&t, "/run/initagent/state.json",
		"{\"modules\":[{\"name\":\"ib_core\",\"state\":\"loaded\"},"
		"{\"name\":\"rdma_rxe\",\"state\":\"failed\",\"cause\":\"IA-E201\",\"text\":\"not "
			"in the image\"},"
		"{\"cause\":\"IA-E999\"},7,null]}");
	text = judge(&t.env, NULL, DOCTOR_TEXT, DOCTOR_READY);
	CHECK_HAS(text, "node:\n  note       IA-E201 in this boot: not in the image\n");
	port_make(&t);
	modtree_file(&t, "/run/initagent/state.json", "{\"modules\":");
	free(text);
	text = judge(&t.env, NULL, DOCTOR_TEXT, DOCTOR_READY);
	has_not(text, "node:");
}

static const cJSON *file_of(const cJSON *report, const char *path)
{
	const cJSON *row;

	cJSON_ArrayForEach(row, cJSON_GetObjectItem(report, "files"))
		if (streq(cJSON_GetObjectItem(row, "path")->valuestring, path))
			return cJSON_GetObjectItem(row, "text");
	return NULL;
}

/* The doctor's judgement, and what it rests on: nothing but files that are there. */
TEST(one_file_to_send)
{
	_cleanup_free_ char *text = NULL;
	const cJSON *doctor, *log;
	struct modtree t;
	cJSON *report;

	port_make(&t);
	port_file(&t, "sm_lid", "0x0\n");
	modtree_file(&t, "/proc/cmdline", "root=nfs rd.neednet=1\n");
	modtree_file(&t, "/dev/kmsg", "6,1,5,-;mlx5_core 0000:3b:00.0: firmware version 20\n"
		" SUBSYSTEM=pci\n");
	modtree_file(&t, STATE_DIR "/state.json", "{\"schema\":1,\"result\":\"failed\"}\n");
	text = judge(&t.env, NULL, DOCTOR_REPORT, DOCTOR_NOT_READY);
	report = cJSON_Parse(text);
	CHECK(report);
	doctor = cJSON_GetObjectItem(report, "doctor");
	CHECK_STR(cJSON_GetObjectItem(doctor, "verdict")->valuestring, "not ready");
	CHECK_STR(file_of(report, PORT "sm_lid")->valuestring, "0x0");
	CHECK_STR(file_of(report, "/proc/cmdline")->valuestring, "root=nfs rd.neednet=1");
	CHECK(!file_of(report, "/proc/modules"));
	log = cJSON_GetArrayItem(cJSON_GetObjectItem(report, "kernel_log"), 0);
	CHECK_STR(log->valuestring, "6,1,5,-;mlx5_core 0000:3b:00.0: firmware version 20");
	CHECK_STR(cJSON_GetObjectItem(cJSON_GetObjectItem(report, "state"), "result")->valuestring,
		"failed");
	cJSON_Delete(report);
}
