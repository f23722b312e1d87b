/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bond.h"

/* bond_options.c: where the kernel refuses the others ("unsuppmodes"). */
#define LACP	 (1 << BOND_8023AD)
#define BALANCES (1 << BOND_TLB | 1 << BOND_ALB)
#define PREFERS	 (1 << BOND_ACTIVE_BACKUP | BALANCES)
#define ASKS	 (0x7f & ~(LACP | BALANCES))

static const struct bond_option options[] = {
	{"mode", 1, BOND_WORD, "balance-rr active-backup balance-xor broadcast 802.3ad "
		"balance-tlb balance-alb", 0, "Mode"},
	{"active_slave", 2, BOND_SLAVE, NULL, PREFERS, NULL},
	{"miimon", 3, BOND_MS, NULL, 0, "MIIMonitorSec"},
	{"updelay", 4, BOND_MS, NULL, 0, "UpDelaySec"},
	{"downdelay", 5, BOND_MS, NULL, 0, "DownDelaySec"},
	{"use_carrier", 6, BOND_U8, NULL, 0, NULL},
	{"arp_interval", 7, BOND_MS, NULL, ASKS, "ARPIntervalSec"},
	{"arp_ip_target", 8, BOND_IPV4, NULL, 0, "ARPIPTargets"},
	{"arp_validate", 9, BOND_WORD32, "none active backup all filter filter_active "
		"filter_backup", ASKS, "ARPValidate"},
	{"arp_all_targets", 10, BOND_WORD32, "any all", 0, "ARPAllTargets"},
	{"primary", 11, BOND_SLAVE, NULL, PREFERS, NULL},
	{"primary_reselect", 12, BOND_WORD, "always better failure", 0, "PrimaryReselectPolicy"},
	{"fail_over_mac", 13, BOND_WORD, "none active follow", 0, "FailOverMACPolicy"},
	{"xmit_hash_policy", 14, BOND_WORD, "layer2 layer3+4 layer2+3 encap2+3 encap3+4 "
		"vlan+srcmac", 0, "TransmitHashPolicy"},
	{"resend_igmp", 15, BOND_U32, NULL, 0, "ResendIGMP"},
	{"num_grat_arp", 16, BOND_U8, NULL, 0, "GratuitousARP"},
	{"num_unsol_na", 16, BOND_U8, NULL, 0, "GratuitousARP"},
	{"all_slaves_active", 17, BOND_U8, NULL, 0, "AllSlavesActive"},
	{"min_links", 18, BOND_U32, NULL, 0, "MinLinks"},
	{"lp_interval", 19, BOND_U32, NULL, 0, "LearnPacketIntervalSec"},
	{"packets_per_slave", 20, BOND_U32, NULL, 1 << BOND_BALANCE_RR, "PacketsPerSlave"},
	{"lacp_rate", 21, BOND_WORD, "slow fast", LACP, "LACPTransmitRate"},
	{"ad_select", 22, BOND_WORD, "stable bandwidth count", 0, "AdSelect"},
	{"ad_actor_sys_prio", 24, BOND_U16, NULL, LACP, "AdActorSystemPriority"},
	{"ad_user_port_key", 25, BOND_U16, NULL, LACP, "AdUserPortKey"},
	{"ad_actor_system", 26, BOND_MAC, NULL, LACP, "AdActorSystem"},
	{"tlb_dynamic_lb", 27, BOND_U8, NULL, BALANCES, "DynamicTransmitLoadBalancing"},
	{"peer_notif_delay", 28, BOND_MS, NULL, 0, NULL},
	{"lacp_active", 29, BOND_WORD, "off on", LACP, NULL},
	{"arp_missed_max", 30, BOND_U8, NULL, 0, NULL},
	{"ns_ip6_target", 31, BOND_IPV6, NULL, 0, NULL},
	{"coupled_control", 32, BOND_WORD, "off on", LACP, NULL},
};

#define TARGETS_MAX 16 /* BOND_MAX_ARP_TARGETS */

const struct bond_option *bond_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (strlen(options[i].name) == len && !memcmp(options[i].name, name, len))
			return &options[i];
	return NULL;
}

const char *bond_word(const struct bond_option *o, uint32_t number, char buf[static BOND_WORD_MAX])
{
	const char *at = o->values;
	size_t n = 0;

	for (; at; at = at[n] ? at + n + 1 : NULL) {
		n = strcspn(at, " ");
		if (!number--) {
			snprintf(buf, BOND_WORD_MAX, "%.*s", (int)n, at);
			return buf;
		}
	}
	return NULL;
}

/* A word, or its number. */
static int word_value(const struct bond_option *o, const char *s, size_t len, uint32_t *ret)
{
	char buf[BOND_WORD_MAX];
	const char *word;
	int r = value_u32(s, len, 255, ret);

	if (r == 0)
		return bond_word(o, *ret, buf) ? 0 : -ERANGE;
	for (*ret = 0; (word = bond_word(o, *ret, buf)); ++*ret)
		if (strlen(word) == len && !memcmp(word, s, len))
			return 0;
	return -EINVAL;
}

/* Several targets are joined by ';', since ',' ends the option. */
static int targets_value(const char *s, size_t len, sa_family_t family)
{
	struct inet_addr a;
	size_t n = 0;

	for (;;) {
		const char *end = memchr(s, ';', len);
		size_t one = end ? (size_t)(end - s) : len;

		if (value_inet(s, one, &a) < 0 || a.family != family || ++n > TARGETS_MAX)
			return -EINVAL;
		if (!end)
			return 0;
		s = end + 1;
		len -= one + 1;
	}
}

int bond_value(const struct bond_option *o, const char *s, size_t len, uint32_t *ret)
{
	static const uint32_t most[] = {
		[BOND_U8] = 255, [BOND_U16] = 65535, [BOND_U32] = INT32_MAX, [BOND_MS] = INT32_MAX};
	uint8_t mac[6];

	*ret = 0;
	switch (o->type) {
	case BOND_WORD:
	case BOND_WORD32: return word_value(o, s, len, ret);
	case BOND_MAC: return value_octets(s, len, mac, 6) == 6 ? 0 : -EINVAL;
	case BOND_SLAVE: return value_ifname(s, len) ? 0 : -EINVAL;
	case BOND_IPV4: return targets_value(s, len, AF_INET);
	case BOND_IPV6: return targets_value(s, len, AF_INET6);
	default: return value_u32(s, len, most[o->type], ret);
	}
}
