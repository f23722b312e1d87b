// SPDX-License-Identifier: GPL-2.0-or-later
/* adapter: how the settings of a node's adapter let its ROM boot what the site file says. Which
 * port of its card a port is, and which firmware starts it, no site file says. */
#include "site/private.h"

#include "flexboot/setting.h"

/* The full membership bit of a P_Key (IBTA 1.6, 10.9.1.1), and the default partition with it. */
#define PKEY_FULL    0x8000
#define PKEY_DEFAULT 0xffff

static struct intent intent_of(
	const struct site *s, const struct site_port *p, const struct boot_plan *plan)
{
	struct intent in = INTENT_DEFAULT;

	in.link = s->networks[p->network].fabric == FABRIC_INFINIBAND ? INTENT_IB : INTENT_ETH;
	if (in.link == INTENT_IB && plan->ib.n_pkeys)
		in.pkey = plan->ib.pkeys[0].pkey | PKEY_FULL;
	if (in.pkey == PKEY_DEFAULT)
		in.pkey = 0;
	if (s->loaders[LOADER_EFI_ARM64].text && !s->loaders[LOADER_EFI_X64].text &&
		!s->loaders[LOADER_BIOS].text) {
		in.arch = INTENT_ARM;
		in.bios = false;
	}
	return in;
}

static void put_compare(const struct intent *in, FILE *out)
{
	fputs("  compare: mstconfig -d DEVICE -e query | initagent-flexboot settings check", out);
	fprintf(out, " --link %s", in->link == INTENT_IB ? "ib" : "eth");
	if (in->pkey)
		fprintf(out, " --pkey 0x%04x", in->pkey);
	if (in->arch == INTENT_ARM)
		fputs(" --arch arm --firmware uefi", out);
	fputc('\n', out);
}

void explain_adapter(
	const struct site *s, const struct site_port *p, const struct boot_plan *plan, FILE *out)
{
	struct intent in = intent_of(s, p, plan);
	struct setting list[SETTINGS_MAX];
	size_t n;

	if (s->networks[p->network].fabric == FABRIC_ETHERNET || intent_fault(&in))
		return;
	fputs("\nAdapter (NVIDIA/Mellanox, when this is its port 1; mstconfig -d DEVICE set ...)\n",
		out);
	n = settings_want(&in, list);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "  %s=%u  %s: %s\n", list[i].name, list[i].value,
			list[i].level == SETTING_MUST ? "must" : "should", list[i].reason);
	put_compare(&in, out);
}
