// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nbft: a table, whose checksum is made right. What its options are is a line of its own: each word
 * is an option that firmware_options() writes, the root is what the table says, and a refused table
 * says nothing.
 */
#include "firmware.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool fact)
{
	if (!fact)
		__builtin_trap();
}

/* Length and checksum as they have to be, or nothing else would be looked at. */
static void seal(uint8_t *table, size_t size)
{
	uint32_t len = (uint32_t)size;
	uint8_t sum = 0;

	memcpy(table + 4, &len, sizeof(len));
	table[9] = 0;
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + table[i]);
	table[9] = (uint8_t)-sum;
}

static void look_at(const struct boot_plan *plan)
{
	static const enum option_id ours[] = {OPTION_IFNAME, OPTION_VLAN, OPTION_IP,
		OPTION_RD_NET_DHCP_REQUEST, OPTION_ROOT, OPTION_RD_NVMF_HOSTNQN,
		OPTION_RD_NVMF_HOSTID};

	for (size_t i = 0; i < plan->n_words; i++) {
		bool known = false;

		for (size_t k = 0; k < ARRAY_SIZE(ours); k++)
			known |= plan->words[i].row && plan->words[i].row->id == ours[k];
		must(known);
	}
}

static void write_options(const struct firmware *f)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct plan_source src = {.name = "firmware", .firmware = true};
	struct boot_plan *line, *plan;
	bool root;

	must(plan_parse(&line, "", 0, NULL) == 0);
	root = firmware_options(out, f, line);
	fclose(out);
	src.text = text;
	src.len = len;
	must(root == (f->n_paths > 0));
	must(plan_parse_sources(&plan, &src, 1, NULL) == 0);
	look_at(plan);
	must(!root || (plan->root.kind == PLAN_ROOT_REMOTE && plan->root.block.n_portals));
	plan_free(plan);
	plan_free(line);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct firmware f = {.name = "nbft"}, before = f;
	const char *why = NULL;
	uint8_t *table = malloc(size + 1);

	memcpy(table, data, size);
	if (size >= 10)
		seal(table, size);
	if (nbft_parse(&f, table, size, &why) < 0)
		must(why && memcmp(&f, &before, sizeof(f)) == 0);
	else
		write_options(&f);
	free(table);
	return 0;
}
