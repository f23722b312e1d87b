/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bond.h"

/* bond_options.c: where the kernel refuses the others ("unsuppmodes"). */
#define LACP	 (1 << BOND_8023AD)
#define BALANCES (1 << BOND_TLB | 1 << BOND_ALB)
#define PREFERS	 (1 << BOND_ACTIVE_BACKUP | BALANCES)
#define ASKS	 (0x7f & ~(LACP | BALANCES))

/* The number's range is bond_options.c's ("minval", "maxval"). */
#define ANY(least, most) BOND_ANY, least, most
#define OF_MII(most)	 BOND_MII, 0, most
#define OF_ARP(most)	 BOND_ARP, most > 0, most

static const struct bond_option options[] = {
	{"mode", 1, BOND_WORD, "balance-rr active-backup balance-xor broadcast 802.3ad "
		"balance-tlb balance-alb", 0, "Mode", ANY(0, 0)},
	{"active_slave", 2, BOND_SLAVE, NULL, PREFERS, NULL, ANY(0, 0)},
	{"miimon", 3, BOND_MS, NULL, 0, "MIIMonitorSec", ANY(0, INT32_MAX)},
	{"updelay", 4, BOND_MS, NULL, 0, "UpDelaySec", OF_MII(INT32_MAX)},
	{"downdelay", 5, BOND_MS, NULL, 0, "DownDelaySec", OF_MII(INT32_MAX)},
	{"use_carrier", 6, BOND_SWITCH, NULL, 0, NULL, ANY(0, 1)},
	{"arp_interval", 7, BOND_MS, NULL, ASKS, "ARPIntervalSec", ANY(0, INT32_MAX)},
	{"arp_ip_target", 8, BOND_IPV4, NULL, 0, "ARPIPTargets", OF_ARP(0)},
	{"arp_validate", 9, BOND_WORD32, "none active backup all filter filter_active "
		"filter_backup", ASKS, "ARPValidate", OF_ARP(0)},
	{"arp_all_targets", 10, BOND_WORD32, "any all", 0, "ARPAllTargets", OF_ARP(0)},
	{"primary", 11, BOND_SLAVE, NULL, PREFERS, NULL, ANY(0, 0)},
	{"primary_reselect", 12, BOND_WORD, "always better failure", 0, "PrimaryReselectPolicy",
		ANY(0, 0)},
	{"fail_over_mac", 13, BOND_WORD, "none active follow", 0, "FailOverMACPolicy", ANY(0, 0)},
	{"xmit_hash_policy", 14, BOND_WORD, "layer2 layer3+4 layer2+3 encap2+3 encap3+4 "
		"vlan+srcmac", 0, "TransmitHashPolicy", ANY(0, 0)},
	{"resend_igmp", 15, BOND_U32, NULL, 0, "ResendIGMP", ANY(0, 255)},
	{"num_grat_arp", 16, BOND_U8, NULL, 0, "GratuitousARP", ANY(0, 255)},
	{"num_unsol_na", 16, BOND_U8, NULL, 0, "GratuitousARP", ANY(0, 255)},
	{"all_slaves_active", 17, BOND_SWITCH, NULL, 0, "AllSlavesActive", ANY(0, 1)},
	{"min_links", 18, BOND_U32, NULL, 0, "MinLinks", ANY(0, INT32_MAX)},
	{"lp_interval", 19, BOND_U32, NULL, 0, "LearnPacketIntervalSec", ANY(1, INT32_MAX)},
	{"packets_per_slave", 20, BOND_U32, NULL, 1 << BOND_BALANCE_RR, "PacketsPerSlave",
		ANY(0, 65535)},
	{"lacp_rate", 21, BOND_WORD, "slow fast", LACP, "LACPTransmitRate", ANY(0, 0)},
	{"ad_select", 22, BOND_WORD, "stable bandwidth count", 0, "AdSelect", ANY(0, 0)},
	{"ad_actor_sys_prio", 24, BOND_U16, NULL, LACP, "AdActorSystemPriority", ANY(1, 65535)},
	{"ad_user_port_key", 25, BOND_U16, NULL, LACP, "AdUserPortKey", ANY(0, 1023)},
	{"ad_actor_system", 26, BOND_MAC, NULL, LACP, "AdActorSystem", ANY(0, 0)},
	{"tlb_dynamic_lb", 27, BOND_SWITCH, NULL, BALANCES, "DynamicTransmitLoadBalancing",
		ANY(0, 1)},
	{"peer_notif_delay", 28, BOND_MS, NULL, 0, NULL, OF_MII(300000)},
	{"lacp_active", 29, BOND_WORD, "off on", LACP, NULL, ANY(0, 0)},
	{"arp_missed_max", 30, BOND_U8, NULL, 0, NULL, OF_ARP(255)},
	{"ns_ip6_target", 31, BOND_IPV6, NULL, 0, NULL, OF_ARP(0)},
	{"coupled_control", 32, BOND_WORD, "off on", LACP, NULL, ANY(0, 0)},
};

/* By their names in iproute2. */
static const char *const aliases[][2] = {
	{"peer_notify_delay", "peer_notif_delay"}, {"missed_max", "arp_missed_max"}};

const struct bond_option *bond_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (strlen(aliases[i][0]) == len && !memcmp(aliases[i][0], name, len))
			return bond_find(aliases[i][1], strlen(aliases[i][1]));
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

/* What the kernel sends no probe to (bond_is_ip_target_ok(), bond_netlink.c). */
static bool can_probe(const struct inet_addr *a)
{
	if (a->family == AF_INET)
		return a->v4.s_addr != INADDR_ANY && a->v4.s_addr != INADDR_BROADCAST;
	return !IN6_IS_ADDR_UNSPECIFIED(&a->v6) && !IN6_IS_ADDR_LOOPBACK(&a->v6) &&
	       !IN6_IS_ADDR_MULTICAST(&a->v6) && !IN6_IS_ADDR_LINKLOCAL(&a->v6);
}

/* sysfs has a '+' before the address. */
static int target_value(const char *s, size_t len, sa_family_t family)
{
	struct inet_addr a;
	const size_t plus = len && *s == '+';

	if (value_inet(s + plus, len - plus, &a) < 0 || a.family != family)
		return -EINVAL;
	return can_probe(&a) ? 0 : -ERANGE;
}

/* Several targets are joined by ';', since ',' ends the option. */
static int targets_value(const char *s, size_t len, sa_family_t family)
{
	for (int r;;) {
		const char *end = memchr(s, ';', len);
		size_t one = end ? (size_t)(end - s) : len;

		r = target_value(s, one, family);
		if (r < 0 || !end)
			return r;
		s = end + 1;
		len -= one + 1;
	}
}

/* "off" and "on" are sysfs's words. */
static int number_value(const struct bond_option *o, const char *s, size_t len, uint32_t *ret)
{
	int r;

	*ret = len == 2 && !memcmp(s, "on", 2);
	if (*ret && o->type == BOND_SWITCH)
		return 0;
	if (len == 3 && !memcmp(s, "off", 3) && !o->least)
		return 0;
	r = value_u32(s, len, o->most, ret);
	return r < 0 ? r : *ret < o->least ? -ERANGE : 0;
}

static int mac_value(const char *s, size_t len)
{
	struct hw_addr mac = {.len = 6};

	if (value_octets(s, len, mac.bytes, mac.len) != mac.len)
		return -EINVAL;
	return value_hw_group(&mac) || value_hw_zero(&mac) ? -ERANGE : 0;
}

int bond_value(const struct bond_option *o, const char *s, size_t len, uint32_t *ret)
{
	*ret = 0;
	switch (o->type) {
	case BOND_WORD:
	case BOND_WORD32: return word_value(o, s, len, ret);
	case BOND_MAC: return mac_value(s, len);
	case BOND_SLAVE: return value_ifname(s, len) ? 0 : -EINVAL;
	case BOND_IPV4: return targets_value(s, len, AF_INET);
	case BOND_IPV6: return targets_value(s, len, AF_INET6);
	default: return number_value(o, s, len, ret);
	}
}
