// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wwinit: a root of Warewulf 4, with the arguments that its boot templates write
 * (etc/ipxe/default.ipxe, etc/grub/grub.cfg.ww) and the meaning that its dracut module gives them.
 */
#include "parser.h"
#include "url.h"

#define PROVISION  "/provision/"
#define DEVICE_MAX 160

/* What a request's path can hold as it is: hardware addresses, names. */
static bool plain_id(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!strchr(ALNUM ":-._", s.s[i]))
			return false;
	return s.len && s.len <= 64 && s.s[0] != '.';
}

PARSE(wwid)
{
	struct slice v = word_value(w);

	if (!plain_id(v))
		return left_out(p, w, v, "write the node's hardware address",
			"not an identifier of a node");
	p->plan->root.wwinit.id = v.s;
	return say(p, w, "names this node to the Warewulf server");
}

PARSE(wwinit)
{
	struct plan_wwinit *ww = &p->plan->root.wwinit;
	struct slice v = word_value(w);
	struct url u;

	if (!image_url(p, w, v, DIAG_ERROR, &u))
		return false;
	*(row->id == OPTION_WWINIT_URI ? &ww->uri : &ww->server) = v.s;
	return say(p, w, "the Warewulf server");
}

PARSE(tmpfs_size)
{
	struct slice v = word_value(w);
	bool percent = v.len && v.s[v.len - 1] == '%';
	uint32_t n;
	uint64_t size;

	if (percent ? value_u32(v.s, v.len - 1, 100, &n) < 0 || !n
		: value_size(v.s, v.len, &size) < 0 || !size)
		return left_out(p, w, v, "write a size, for example 8G or 80%", "not a size");
	*(row->id == OPTION_ROOTLIMIT ? &p->plan->root.image.size
				      : &p->plan->root.wwinit.size) = v.s;
	return say(p, w, row->id == OPTION_ROOTLIMIT
			? "limits the root that an archive is unpacked to in memory to %s"
			: "limits Warewulf's root in memory to %s", v.s);
}

/* "BASE/provision/ID": the server and how it knows this node. A server without it: wwid= does. */
static bool choose_server(struct parser *p, struct plan_word *w)
{
	struct plan_root *root = &p->plan->root;
	struct plan_wwinit *ww = &root->wwinit;
	struct slice v = slice_of(ww->server ? ww->server : ww->uri);
	size_t at = slice_find(v, PROVISION);
	struct slice id = slice_from(v, at < v.len ? at + strlen(PROVISION) : v.len);

	while (id.len > 1 && id.s[id.len - 1] == '/')
		id.len--;
	if (at < v.len && !plain_id(id)) {
		complain(p, w, WHOLE, DIAG_FATAL, "write .../provision/ and the hardware address",
			"what follows /provision/ is no identifier of a node");
		return false;
	}
	ww->staged = !ww->server;
	if (ww->server && ww->uri)
		say(p, parser_word(p, OPTION_WWINIT_URI), "has no effect: wwinit.server= counts");
	if (at < v.len) {
		ww->id = keep(p, id);
		v.len = ww->staged ? (size_t)(id.s + id.len - v.s) : at;
	}
	while (v.len && v.s[v.len - 1] == '/')
		v.len--;
	root->image.url = keep(p, v);
	if (!ww->id)
		warn_word(p, w, "add wwid=",
			"the server has to find this node in its ARP table, which knows no IPoIB");
	return true;
}

/* Where the root goes. False: nothing that could be mounted. */
static bool choose_place(struct parser *p, struct slice s)
{
	static const char *const memory[] = {"tmpfs", "initramfs", "rootfs"};
	struct slice device = slice_from(s, slice_is(s, "wwinit") ? s.len : strlen("wwinit:"));

	if (!device.len)
		return true;
	if (slice_among(device, memory, ARRAY_SIZE(memory)))
		return true;
	if (!names_device(device) || device.len >= DEVICE_MAX)
		return false;
	p->plan->root.wwinit.device = device.s;
	return true;
}

void wwinit_take(struct parser *p, struct plan_word *w)
{
	struct plan_root *root = &p->plan->root;
	struct plan_wwinit *ww = &root->wwinit;

	if (!choose_place(p, word_value(w))) {
		root->kind = PLAN_ROOT_OTHER;
		warn_word(p, w, "write root=wwinit:tmpfs, root=wwinit:/dev/... or "
			"root=wwinit:PARTLABEL=...",
			"neither a device nor memory for a Warewulf root");
		say(p, w, "left to dracut");
	} else if (!ww->server && !ww->uri) {
		complain(p, w, WHOLE, DIAG_FATAL, "add wwinit.server=http://SERVER:9873",
			"no Warewulf server: neither wwinit.server= nor wwinit.uri=");
	} else if (choose_server(p, w)) {
		root->kind = PLAN_ROOT_WWINIT;
		say(p, w, "unpacks Warewulf's image and overlays from %s %s %s%s", root->image.url,
			ww->device ? "onto" : "into", ww->device ? ww->device : "memory",
			ww->staged ? "" : "; without the runtime overlay if need be");
	}
}
