// SPDX-License-Identifier: GPL-2.0-or-later
/* What is recommended for which node, and what is read out of mstconfig's output. */
#include "check.h"

#include "flexboot/advice.h"

static const struct setting *wanted(const struct setting *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(list[i].name, name))
			return &list[i];
	return NULL;
}

static struct intent intent(const char *words)
{
	struct intent in = INTENT_DEFAULT;
	char copy[128], *save = NULL;

	strscpy(copy, words, sizeof(copy));
	for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save))
		CHECK_INT(intent_set(&in, name, strtok_r(NULL, " ", &save)), 0);
	return in;
}

TEST(what_is_wanted_follows_from_the_intent)
{
	static const struct {
		const char *words;
		const char *name;
		int value; /* -1: not asked for */
	} rows[] = {
		{"", "LINK_TYPE_P1", 1},
		{"", "LINK_TYPE_P2", -1},
		{"", "EXP_ROM_PXE_ENABLE", 1},
		{"", "EXP_ROM_UEFI_x86_ENABLE", 1},
		{"", "LEGACY_BOOT_PROTOCOL", 1},
		{"", "BOOT_PKEY", -1},
		{"", "IP_VER", 0},
		{"", "KEEP_IB_LINK_UP_P1", 1},
		{"", "KEEP_ETH_LINK_UP_P1", -1},
		{"", "BOOT_RETRY_CNT", 7},
		{"", "UEFI_HII_EN", 1},
		{"link eth", "LINK_TYPE_P1", 2},
		{"link eth", "KEEP_ETH_LINK_UP_P1", 1},
		{"link eth vlan 5", "BOOT_VLAN", 5},
		{"link eth vlan 5", "BOOT_VLAN_EN", 1},
		{"firmware uefi", "EXP_ROM_PXE_ENABLE", 0},
		{"firmware uefi", "IP_VER", -1},
		{"firmware uefi arch arm", "EXP_ROM_UEFI_ARM_ENABLE", 1},
		{"firmware uefi arch arm", "EXP_ROM_UEFI_x86_ENABLE", -1},
		{"firmware bios", "EXP_ROM_UEFI_x86_ENABLE", -1},
		{"pkey 0x8001", "BOOT_PKEY", 0x8001},
		{"ip 64", "IP_VER", 3},
		{"port both", "LINK_TYPE_P2", 1},
		{"port 2", "LINK_TYPE_P1", -1},
		{"port 2", "LINK_TYPE_P2", 1},
		{"port 2", "LEGACY_BOOT_PROTOCOL", 1},
		{"wait 20", "BOOT_UNDI_NETWORK_WAIT", 20},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct setting list[SETTINGS_MAX];
		struct intent in = intent(rows[i].words);
		size_t n = settings_want(&in, list);
		const struct setting *s = wanted(list, n, rows[i].name);

		CHECK(!intent_fault(&in));
		if ((s ? (int)s->value : -1) != rows[i].value)
			check_fail(__FILE__, __LINE__, "'%s': %s is %d", rows[i].words,
				rows[i].name, s ? (int)s->value : -1);
		for (size_t k = 0; k < n; k++)
			CHECK(wanted(list, k, list[k].name) == NULL);
	}
}

TEST(wishes_that_exclude_each_other)
{
	static const char *const rows[] = {
		"firmware both arch arm", "link eth pkey 0x8001", "vlan 5", "firmware uefi wait 5"};
	static const char *const values[][2] = {{"link", "roce"}, {"pkey", "0x8000"},
		{"pkey", "-1"}, {"pkey", "65536"}, {"vlan", "0"}, {"vlan", "4095"}, {"wait", "256"},
		{"ip", "5"}, {"port", "3"}, {"firmware", ""}, {"vlan", "5x"}};
	struct intent in = INTENT_DEFAULT;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		in = intent(rows[i]);
		CHECK(intent_fault(&in));
	}
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		CHECK_INT(intent_set(&in, values[i][0], values[i][1]), -EINVAL);
	CHECK_INT(intent_set(&in, "nosuch", "1"), -ENOENT);
}

/* judge: the verdict on one setting after reading text. */
static enum verdict judge(const char *text, const char *words, const char *name)
{
	static struct query q;
	static struct setting list[SETTINGS_MAX];
	struct advice rows[SETTINGS_MAX];
	struct intent in = intent(words);
	size_t n = settings_want(&in, list);

	if (query_read(&q, text, strlen(text)) < 0)
		check_fail(__FILE__, __LINE__, "line %zu: %s", q.line, q.fault);
	advise(&q, 0, list, n, rows);
	for (size_t i = 0; i < n; i++)
		if (streq(rows[i].want->name, name))
			return rows[i].verdict;
	check_fail(__FILE__, __LINE__, "%s is not wanted", name);
}

#define HEAD                                                                                       \
	"\nDevice #1:\n----------\n\nDevice type:        ConnectX6\nDevice:             "          \
	"3b:00.0\n\n"

TEST(layouts_of_mstconfig)
{
	static const struct {
		const char *text;
		const char *name;
		enum verdict verdict;
	} rows[] = {
		{HEAD "Configurations:                     Next Boot\n"
		      "         LINK_TYPE_P1               IB(1)\n",
			"LINK_TYPE_P1", VERDICT_RIGHT},
		{HEAD "Configurations:                     Next Boot\n"
		      "         LINK_TYPE_P1               ETH(2)\n",
			"LINK_TYPE_P1", VERDICT_DIFFERS},
		{HEAD "Configurations:  Default   Current    Next Boot\n"
		      "*        LINK_TYPE_P1   ETH(2)   ETH(2)   IB(1)\n",
			"LINK_TYPE_P1", VERDICT_WAITS},
		{HEAD "Configurations:  Default   Current    Next Boot\n"
		      "*RO     LINK_TYPE_P1   IB(1)   ETH(2)   ETH(2)\n",
			"LINK_TYPE_P1", VERDICT_READ_ONLY},
		{HEAD "Configurations:  Current    Next Boot\n"
		      " RO     LINK_TYPE_P1   IB(1)   IB(1)\n",
			"LINK_TYPE_P1", VERDICT_RIGHT},
		{HEAD "Configurations:          Current\n"
		      "   LINK_TYPE_P1          2\n",
			"LINK_TYPE_P1", VERDICT_DIFFERS},
		{HEAD "Configurations:          Next Boot\n"
		      "   BOOT_RETRY_CNT1       UNLIMITED(7)\n",
			"BOOT_RETRY_CNT", VERDICT_RIGHT},
		/* ConnectX-3's name for it */
		{HEAD "Configurations:          Next Boot\n"
		      "   BOOT_OPTION_ROM_EN_P1       False(0)\n",
			"EXP_ROM_PXE_ENABLE", VERDICT_DIFFERS},
		{HEAD "Configurations:          Next Boot\n"
		      "   LEGACY_BOOT_PROTOCOL_P1       ISCSI(2)\n",
			"LEGACY_BOOT_PROTOCOL", VERDICT_DIFFERS},
		{HEAD "Configurations:          Next Boot\n   UEFI_HII_EN    N/A\n", "UEFI_HII_EN",
			VERDICT_UNREADABLE},
		{HEAD "Configurations:          Next Boot\n   OTHER    1\n", "LINK_TYPE_P1",
			VERDICT_ABSENT},
		{"Configurations:          Next Boot\r\n   LINK_TYPE_P1    IB(1)\r\n",
			"LINK_TYPE_P1", VERDICT_RIGHT},
		{"{\"Device #1\": {\"device\": \"3b:00.0\", \"tlv_configuration\": "
		 "{\"LINK_TYPE_P1\": "
		 "{\"next_value\": \"IB(1)\", \"current_value\": \"ETH(2)\", \"read_only\": "
		 "false}}}}",
			"LINK_TYPE_P1", VERDICT_WAITS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_INT(judge(rows[i].text, "", rows[i].name), rows[i].verdict);
}

TEST(values)
{
	static const struct {
		const char *text;
		bool known;
		uint32_t number;
	} rows[] = {{"True(1)", true, 1}, {"0", true, 0}, {"0x8001", true, 0x8001},
		{"PXE_WO_FAIL_ISCSI(4)", true, 4}, {"4294967295", true, UINT32_MAX},
		{"4294967296", false, 0}, {"N/A", false, 0}, {"Array[0..7]", false, 0},
		{"IB(1", false, 0}, {"IB(1)x", false, 0}, {"IB()", false, 0}, {"(-1)", false, 0},
		{"1x", false, 0}, {"", false, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct query_value v = {.known = false};

		query_value_read(&v, rows[i].text);
		CHECK_INT(v.known, rows[i].known);
		CHECK_INT(v.number, rows[i].number);
	}
}

TEST(what_is_no_output_of_mstconfig)
{
	static const struct {
		const char *text;
		size_t line;
		const char *says;
	} rows[] = {
		{"", 0, "no table of settings"},
		{"-E- Failed to open the device\n", 0, "no table of settings"},
		{HEAD "Configurations: Next Boot\n", 0, "no table of settings"},
		{"a b\nConfigurations: Something\n", 2, "has no known column"},
		{"{\"a\": ", 0, "begins like JSON"},
		{"{\"a\": 1}", 0, "no table of settings"},
	};
	static struct query q;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_INT(query_read(&q, rows[i].text, strlen(rows[i].text)), -EBADMSG);
		CHECK_INT(q.line, rows[i].line);
		if (!strstr(q.fault, rows[i].says))
			check_fail(__FILE__, __LINE__, "row %zu: %s", i, q.fault);
	}
	CHECK_INT(query_read(&q, "a b\0c d\n", 8), -EBADMSG);
	CHECK_INT(q.line, 1);
}

TEST(a_device_s_name_is_no_shell_text)
{
	static const struct {
		const char *name;
		const char *says;
	} rows[] = {{"3b:00.0", "mstconfig -d 3b:00.0 -y set LINK_TYPE_P1=1\n"},
		{"/dev/mst/mt4123_pciconf0", "mstconfig -d /dev/mst/mt4123_pciconf0 -y"},
		{"x; reboot", "mstconfig -d DEVICE -y"}, {"$(reboot)", "mstconfig -d DEVICE -y"},
		{"", "mstconfig -d DEVICE -y"}, {"-d", "mstconfig -d DEVICE -y"}};
	struct setting list[SETTINGS_MAX];
	struct intent in = INTENT_DEFAULT;
	size_t n = settings_want(&in, list);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		setting_print(rows[i].name, list, n, f);
		fclose(f);
		if (!strstr(text, rows[i].says))
			check_fail(__FILE__, __LINE__, "no %s in:\n%s", rows[i].says, text);
	}
}
