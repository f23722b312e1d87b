/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * differ: forms that are taken here and that dracut.cmdline(7) does not have, in one table: what dracut's back ends
 * (network-legacy's scripts, nm-initrd-generator) make of them. A warning where one of them stops or leaves the option
 * out, a note where only details differ or the agent's own boot scripts write the form.
 */
#include "parser.h"

static const struct {
	enum diag_severity severity;
	const char *text;
} forms[] = {
	[FORM_IP_LIST] = {DIAG_WARN, "several methods for one interface: network-legacy stops, NetworkManager takes some of them"},
	[FORM_IP_METHOD] = {DIAG_WARN, "not among dracut's methods for one interface: network-legacy stops, NetworkManager "
		"drops the option"},
	[FORM_IP_PREFIX] = {DIAG_WARN, "the prefix length is behind the address only: network-legacy stops without a mask"},
	[FORM_IP_HW] = {DIAG_NOTE, "found by its address here; dracut looks for an interface of that name"},
	[FORM_IP_MIXED] = {DIAG_WARN, "a method for every interface beside options for one: network-legacy stops, "
		"NetworkManager merges them"},
	[FORM_HW_SPELLING] = {DIAG_WARN, "not dracut's form of a hardware address (6 octets of two digits, joined by ':'): "
		"network-legacy stops"},
	[FORM_HW_GUID] = {DIAG_WARN, "a port GUID: dracut takes 6 or 20 octets and stops"},
	[FORM_HW_IPOIB] = {DIAG_WARN, "only the last 8 octets count here; dracut's udev rule matches Ethernet only, so never this"},
	[FORM_BOOTIF_IB] = {DIAG_NOTE, "understood here; dracut's back ends do not match an InfiniBand BOOTIF"},
	[FORM_BRACKETS] = {DIAG_NOTE, "taken without the brackets here; dracut writes them into resolv.conf"},
	[FORM_ROUTE_MASK] = {DIAG_NOTE, "a dotted mask: NetworkManager drops the route"},
	[FORM_PKEY_PREFIX] = {DIAG_WARN, "0x is not NetworkManager's form: it drops the whole profile"},
	[FORM_PKEY_LIST] = {DIAG_WARN, "a list: NetworkManager refuses it"},
	[FORM_NFS_INSTALLER] = {DIAG_WARN, "the installer's form (options in front of the server): dracut does not read it"},
	[FORM_NFS_URL] = {DIAG_WARN, "a URL: dracut does not read it"},
	[FORM_BREAKS] = {DIAG_WARN, "each of them counts here; dracut heeds the last one only"},
	[FORM_RETRY_0] = {DIAG_WARN, "0 means as often as rd.retry allows here; dracut tries once"},
	[FORM_CARRIER_0] = {DIAG_NOTE, "0 is no wait for one of dracut's back ends and the default for the other"},
	[FORM_QUOTED] = {DIAG_NOTE, "the kernel takes the quotes off; NetworkManager's generator reads them as part of the value"},
	[FORM_NO_INTERFACE] = {DIAG_NOTE, "no interface named: every interface is meant"},
};

void differ(struct parser *p, const struct plan_word *w, struct slice at, enum dracut_form form, const char *remedy)
{
	complain(p, w, at, forms[form].severity, remedy, "%.*s%s%s", SLICE(at), at.len ? ": " : "", forms[form].text);
}
