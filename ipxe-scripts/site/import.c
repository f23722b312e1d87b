// SPDX-License-Identifier: GPL-2.0-or-later
/* import: the site file out of what the readers found. See import.h, imported.h. */
#include "site/import.h"

#include "site/imported.h"

void imported_node_done(struct imported *im, struct imported_node *n)
{
	struct text *t = &im->nodes;

	if (!n->n_ports)
		imported_port(im, n, &(struct imported_port){0});
	if (!t->len) {
		im->image = n->image;
		im->root = n->root;
	}
	text_put(t, n->hints.len ? n->hints.data : "");
	text_printf(t, n->n_ports == 1 ? "  %s: {%s" : "  %s: {ports: [{%s}]", n->name,
		n->ports.data);
	if (n->groups.len)
		text_printf(t, ", groups: [%s]", n->groups.data);
	imported_put(t, ", image: ", streq(n->image, im->image) ? NULL : n->image, "");
	imported_put(t, ", root: ", streq(n->root, im->root) ? NULL : n->root, "");
	imported_item(&n->options, n->id);
	if (n->options.len)
		text_printf(t, ", options: [%s]", n->options.data);
	text_put(t, "}\n");
	text_done(&n->hints);
	text_done(&n->ports);
	text_done(&n->groups);
	text_done(&n->options);
}

static void put_networks(struct imported *im, struct text *t)
{
	const struct imported_network *n = im->networks.items;
	size_t begin;

	text_put(t, "\nnetworks:\n");
	begin = t->len;
	for (size_t i = 0; i < im->networks.n; i++, n++) {
		if (!n->used) {
			imported_left_out(im, n->at, "no port is in it", "network", n->name);
			continue;
		}
		text_printf(t, "  %s:\n    fabric: %s\n", n->name,
			n->fabric == FABRIC_ETHERNET ? "ethernet  # or roce" : "infiniband");
		if (n->prefix < 0)
			text_put(t, "    subnet: <SUBNET>  # such as 10.20.0.0/22\n");
		else
			text_printf(t, "    subnet: %s/%d\n", addr_text(n->subnet), n->prefix);
		imported_put(t, "    router: ", n->router, "\n");
		imported_put(t, "    mtu: ", n->mtu, "\n");
	}
	if (t->len == begin)
		text_put(t, "  network: {fabric: ethernet, subnet: <SUBNET>}\n");
}

static void put_site(struct imported *im, struct text *t)
{
	const char *who = im->provisioner;

	text_printf(t, "# Nodes of %s. 'initagent-site check' names every word in <> that has to "
		"be\n# filled in, docs/site-file.md explains the keys.\nsite: %s\n", who, who);
	imported_put(t, "domain: ", im->domain, "\n");
	text_printf(t, "\nservers:\n  %s:\n", who);
	imported_put(t, "    address: ", im->address ? im->address : "<ADDRESS>", "\n");
	put_networks(im, t);
	text_printf(t, "\nboot:\n  servers: [%s]\n\nimages:\n%s", who, im->images.data);
	imported_put(t, "\ndefaults:\n  image: ", im->image, "\n");
	imported_put(t, "  root: ", im->root, "\n");
	text_printf(t, "  options: [%s]\n", im->options.data);
	if (im->groups.len)
		text_printf(t, "\ngroups:\n%s", im->groups.data);
	text_printf(t, "\nnodes:\n%s", im->nodes.data);
}

bool import_run(const char *provisioner, const char *text, size_t len, struct faults *report,
	struct text *out)
{
	bool warewulf = streq(provisioner, "warewulf");
	struct imported im = {.report = report, .provisioner = provisioner};

	if (!warewulf && !streq(provisioner, "xcat"))
		return false;
	if (len > DOCUMENT_BYTES_MAX) {
		error_at(report, (struct place){0}, "give fewer nodes at a time",
			"the file is larger than %d MiB", DOCUMENT_BYTES_MAX >> 20);
		return true;
	}
	im.arena = must_arena();
	im.names = names_new();
	(warewulf ? import_warewulf : import_xcat)(&im, text, len);
	if (!im.nodes.len && !faults_total(report, SEVERITY_ERROR))
		error_at(report, (struct place){0}, NULL, "there is no node in it");
	if (!faults_total(report, SEVERITY_ERROR))
		put_site(&im, out);
	text_done(&im.options);
	text_done(&im.images);
	text_done(&im.groups);
	text_done(&im.nodes);
	names_free(im.names);
	arena_free(im.arena);
	return true;
}
