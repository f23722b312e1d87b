/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile: what the writers of network profiles (networkd.c, networkmanager.c, ifupdown.c,
 * ifcfg.c, klibc.c) are given, and what they share. Each writes files that one network manager of
 * the real root reads, so that it takes the interface over as it is: same address, same DHCP
 * identity, never down in between. docs/handover.md has the reasons.
 *
 * What may come from the network goes through text_valid() or is an address in binary: no value can
 * end its line or its quotes.
 */
#pragma once

#include "address/address.h"
#include "base/file.h"

/* One rail that is kept. */
struct profile_rail {
	struct netdev dev;
	struct address_config cfg; /* what the command line asks for; its pointers are the plan's */
	const struct address_result *four, *six; /* what it has; NULL: nothing of that family */
	char parent[IFNAMSIZ]; /* of a partition child; "": it is none */
	int parent_ifindex;
	bool connected;	       /* IPoIB's mode */
	bool carries_root;
	const struct plan_link *made; /* by vlan=, bond=, bridge=; NULL: an adapter's */
	char master[IFNAMSIZ]; /* the bond or bridge it is a part of; "": none */
	const char *master_kind;
	bool part;	       /* below another one alone: has no address */
	bool awaited;	       /* ip= names it, and it has no address yet */
	/* renews its leases under ifupdown: one RENEWAL_ bit; 0: none, or another manager */
	unsigned renewal;
	const char *lapse; /* why none does; NULL: one does */
};

#define RENEWAL_DHCLIENT 1u
#define RENEWAL_NETWORKD 2u

struct root_facts;

/* The same for all rails. */
struct profile_set {
	const struct env *env;
	const struct root_facts *facts; /* of the real root; borrowed */
	uint64_t now;	     /* CLOCK_BOOTTIME ns, */
	int64_t wall;	     /* and the same moment in CLOCK_REALTIME seconds */
	/* own: of these the root's own configuration is used (root_facts.h) */
	const struct profile_rail *rails, *awaited, *own;
	size_t n_rails, n_awaited, n_own;
};

/* How a rail came to its IPv6, or has to. */
enum profile_six { SIX_NONE, SIX_STATIC, SIX_LINK, SIX_AUTO, SIX_DHCP };
enum profile_six profile_six(const struct profile_rail *rail);
/* profile_dhcp4: is (or has to be) its IPv4 address leased? */
bool profile_dhcp4(const struct profile_rail *rail);

/* profile_ipoib: an IPoIB interface? profile_child: of a partition, made on top of another? */
bool profile_ipoib(const struct profile_rail *rail);
bool profile_child(const struct profile_rail *rail);

/* profile_absent: the next part, *at on, of a bond or bridge among the rails that did not come in
 * time for the boot; NULL: no more. *at is 0 at first. */
const char *profile_absent(const struct plan_link *link, const struct profile_rail *rails,
	size_t n_rails, size_t *at);

/* profile_option: the value of a bond's option as sysfs takes it, addresses joined by sep. */
#define PROFILE_OPTION_MAX 704 /* 16 IPv6 addresses in brackets */
const char *profile_option(const struct plan_bond_option *o, char sep,
	char buf[static PROFILE_OPTION_MAX]);

/* profile_name_ok: fit for file names, sections, units? Letters, digits, "_.-"; not "." or "..". */
bool profile_name_ok(const char *name);

/* profile_uuid: the same for an interface of a node in each boot (RFC 9562, version 8). */
#define PROFILE_UUID_TEXT 37
const char *profile_uuid(const struct profile_rail *rail, char buf[static PROFILE_UUID_TEXT]);

/* profile_routes: the routes of r, the default route among them. Their number. */
#define PROFILE_ROUTES_MAX (ADDRESS_ROUTES_MAX + 1)
size_t profile_routes(const struct address_result *r,
	struct address_route ret[static PROFILE_ROUTES_MAX]);

/* profile_given: what the command line alone adds to DHCP: routes, gateway, name servers. */
void profile_given(struct address_result *ret, const struct profile_rail *rail);

/*
 * profile_mtu: the interface's, when the command line or the lease asked for one; else 0: leave it.
 */
uint32_t profile_mtu(const struct profile_rail *rail);

/* profile_begin: file_begin(), with a first line, a comment, saying who wrote it. */
int profile_begin(struct file_stream *f);

/* A file of a rail: dir/<before>IF<behind>, as put() writes it. */
struct profile_file {
	const char *dir, *before, *behind;
	void (*put)(FILE *out, const struct profile_set *set, const struct profile_rail *rail);
	unsigned mode; /* 0: 0644 */
};

/* profile_file: writes it, with that first line, and what folders are missing. 0 or -errno.
 * profile_write: the same of a file of that text. */
int profile_file(const struct profile_set *set, const struct profile_rail *rail,
	const struct profile_file *file);
int profile_write(const struct profile_set *set, const char *dir, const char *name,
	const char *text);

/* profile_domains: the search domains of a result, or its own; "" without any, or not valid. */
const char *profile_domains(const struct address_result *r);

/* profile_netmask: of an IPv4 prefix length. */
struct inet_addr profile_netmask(unsigned prefix);

/* profile_addresses: "key=A<between>B<end>"; nothing when there are none. */
void profile_addresses(FILE *out, const char *key, const struct inet_addr *list, size_t n,
	const char *between, const char *end);

/* NetworkManager's profile of an interface; string literals. */
#define NETWORKMANAGER_DIR    "/run/NetworkManager/system-connections"
#define NETWORKMANAGER_BEFORE "initagent-"
#define NETWORKMANAGER_BEHIND ".nmconnection"

/* The writers: everything for one rail, or for all. 0, -errno, or what each says. */

/* link_write: keeps the name: from Linux 6.2 on udev would rename an interface that is up. */
int link_write(const struct profile_set *set, const struct profile_rail *rail);

/*
 * networkd_version: of the real root at sysroot; 0: not known. Several round trips to its server.
 */
unsigned networkd_version(const char *sysroot);
/* networkd_write: 1: networkd cannot send the lease's client identifier: static address instead. */
int networkd_write(const struct profile_set *set, const struct profile_rail *rail);
/* networkd_renews: can it go on with all leases of the rail? */
bool networkd_renews(const struct profile_set *set, const struct profile_rail *rail);
int networkmanager_write(const struct profile_set *set, const struct profile_rail *rail);
/* ifupdown_write: for all rails, with what renews their leases (renewal.h). */
int ifupdown_write(const struct profile_set *set);
int ifcfg_write(const struct profile_set *set, const struct profile_rail *rail);
/* klibc_write: for the scripts of an initramfs, and long before a real root is known: the set needs
 * no facts. */
int klibc_write(const struct profile_set *set, const struct profile_rail *rail);

/*
 * dhclient_write: our identifier as its configuration, and the lease it goes on with; both without
 * put. 0 or -errno.
 */
int dhclient_write(const struct profile_set *set, const struct profile_rail *rail,
	struct profile_file conf, struct profile_file lease);
