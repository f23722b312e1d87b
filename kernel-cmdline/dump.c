/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump: a plan as text, for "initagent plan" and for the tests' rows. */
#include "bond.h"
#include "parser.h"
#include "print.h"

struct dumper {
	FILE *out;
	const struct boot_plan *plan;
	const struct boot_plan *base; /* what an empty command line gives */
	bool all;
};

static void _printf_(2, 3) put(struct dumper *d, const char *fmt, ...)
{
	char buf[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	put_escaped(d->out, buf, strlen(buf));
}

static void end(struct dumper *d)
{
	fputc('\n', d->out);
}

/* " key=text", nothing for an empty text. */
static void part(struct dumper *d, const char *key, const char *text)
{
	if (!text || !text[0])
		return;
	put(d, " %s=", key);
	put_escaped(d->out, text, strlen(text));
}

/* base NULL: always. A value that is not given has no line even with all. */
static void dump_text(struct dumper *d, const char *key, const char *v, const char *base)
{
	if (!v || (!d->all && base && streq(v, base)))
		return;
	put(d, "%s=", key);
	put_escaped(d->out, v, strlen(v));
	end(d);
}

static void dump_number(struct dumper *d, const char *key, uint64_t v, uint64_t base)
{
	if (!d->all && v == base)
		return;
	put(d, "%s=%llu", key, (unsigned long long)v);
	end(d);
}

static void dump_bool(struct dumper *d, const char *key, bool v, bool base)
{
	if (d->all || v != base)
		dump_text(d, key, v ? "yes" : "no", NULL);
}

/* Of several words for one bit the first is shown. */
static void put_bits(struct dumper *d, unsigned int v, const struct choice *words)
{
	const char *sep = "";

	for (; words->word; words++) {
		if (!(v & words->value))
			continue;
		put(d, "%s%s", sep, words->word);
		v &= ~words->value;
		sep = ",";
	}
}

static void put_hex(struct dumper *d, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(d, "%02x", bytes[i]);
}

static void dump_hex(struct dumper *d, const char *key, const uint8_t *bytes, size_t n)
{
	put(d, "%s=", key);
	put_hex(d, bytes, n);
	end(d);
}

static void put_host(
	struct dumper *d, const char *host, const struct inet_addr *addr, uint16_t port)
{
	bool six = addr->family == AF_INET6;

	put(d, "%s%s%s", six ? "[" : "", host, six ? "]" : "");
	if (port)
		put(d, ":%u", port);
}

/* --- drivers ------------------------------------------------------------------------------ */

static void dump_names(struct dumper *d, const char *key, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dump_text(d, key, names[i], NULL);
}

static void dump_drivers(struct dumper *d)
{
	const struct plan_drivers *v = &d->plan->drivers;

	dump_names(d, "driver.pre", v->pre, v->n_pre);
	dump_names(d, "driver.post", v->post, v->n_post);
	dump_names(d, "driver.blacklist", v->blacklist, v->n_blacklist);
	for (size_t i = 0; i < v->n_params; i++) {
		put(d, "param=%s %s", v->params[i].module, v->params[i].param);
		if (v->params[i].value) {
			put(d, "=");
			put_escaped(d->out, v->params[i].value, strlen(v->params[i].value));
		}
		end(d);
	}
}

/* --- network ------------------------------------------------------------------------------ */

static void part_inet(struct dumper *d, const char *key, const struct inet_addr *a, int prefix)
{
	char text[INET_ADDR_TEXT];

	part(d, key, inet_text(a, text));
	if (a->family && prefix >= 0)
		put(d, "/%d", prefix);
}

static void part_hw(struct dumper *d, const char *key, const struct hw_addr *a)
{
	char text[HW_ADDR_TEXT];

	part(d, key, hw_text(a, text));
}

/* One line an interface: what belongs together stays together when lines are compared. */
static void dump_ip(struct dumper *d, const struct plan_ip *ip)
{
	unsigned int dynamic = ip->methods & ~(unsigned int)PLAN_IP_STATIC;

	put(d, "ip=%s", ip->methods == dynamic ? "" : dynamic ? "static," : "static");
	put_bits(d, dynamic, ip_methods);
	part(d, "if", ip->ifname);
	part_hw(d, "match", &ip->match);
	part_inet(d, "addr", &ip->addr, ip->prefix);
	part_inet(d, "peer", &ip->peer, ip->peer_prefix);
	part_inet(d, "gw", &ip->gateway, -1);
	part(d, "host", ip->hostname);
	if (ip->mtu)
		put(d, " mtu=%u", ip->mtu);
	part_hw(d, "hw", &ip->hwaddr);
	for (size_t i = 0; i < ip->n_dns; i++)
		part_inet(d, "dns", &ip->dns[i], -1);
	end(d);
}

static void dump_route(struct dumper *d, const struct plan_route *r)
{
	char text[INET_ADDR_TEXT];

	put(d, "route=%s/%d", inet_text(&r->net, text), r->prefix);
	part_inet(d, "gw", &r->gateway, -1);
	part(d, "if", r->ifname);
	end(d);
}

static void dump_port(
	struct dumper *d, const char *key, const struct plan_port *port, const char *more)
{
	put(d, "%s=%s", key, port->device ? port->device : "*");
	if (port->port)
		put(d, "/%u", port->port);
	put(d, "%s", more);
	end(d);
}

static void dump_ib(struct dumper *d)
{
	const struct plan_ib *ib = &d->plan->ib, *b = &d->base->ib;
	char text[HW_ADDR_TEXT];

	for (size_t i = 0; i < ib->n_ports; i++)
		dump_port(d, "ib.port", &ib->ports[i], "");
	for (size_t i = 0; i < ib->n_guids; i++)
		dump_text(d, "ib.guid", hw_text(&ib->guids[i], text), NULL);
	for (size_t i = 0; i < ib->n_pkeys; i++) {
		put(d, "ib.pkey=%04x", ib->pkeys[i].pkey);
		part(d, "parent", ib->pkeys[i].parent);
		end(d);
	}
	dump_text(d, "ib.mode", choice_word(ib_modes, ib->mode), NULL);
	dump_bool(d, "ib.umcast", ib->umcast, b->umcast);
	dump_bool(d, "ib.smprobe", ib->smprobe, b->smprobe);
	dump_text(d, "ib.nodedesc", ib->nodedesc, NULL);
	dump_text(d, "ib.clientid", choice_word(client_id_kinds, ib->clientid.kind), "auto");
	if (ib->clientid.len)
		dump_hex(d, "ib.clientid.bytes", ib->clientid.bytes, ib->clientid.len);
}

static void dump_rdma(struct dumper *d)
{
	const struct plan_net *n = &d->plan->net;
	char text[INET_ADDR_TEXT];

	for (size_t i = 0; i < n->n_dhcp_servers; i++)
		dump_text(d, "dhcp_server", inet_text(&n->dhcp_servers[i], text), NULL);
	for (size_t i = 0; i < n->n_client_ids; i++) {
		put(d, "client_id=%s ", n->client_ids[i].ifname);
		put_hex(d, n->client_ids[i].bytes, n->client_ids[i].len);
		end(d);
	}
	for (size_t i = 0; i < n->n_dhcp_requests; i++) {
		put(d, "dhcp_request=%s", inet_text(&n->dhcp_requests[i].addr, text));
		part(d, "if", n->dhcp_requests[i].ifname);
		end(d);
	}
	for (size_t i = 0; i < n->n_roces; i++)
		dump_port(d, "roce", &n->roces[i].port, n->roces[i].v2 ? " v2" : " v1");
	dump_ib(d);
}

static void dump_link(struct dumper *d, const struct plan_link *l)
{
	put(d, "%s=%s of ", plan_link_kind_name(l->kind), l->name);
	for (size_t i = 0; i < l->n_lower; i++)
		put(d, "%s%s", i ? "," : "", l->lower[i]);
	if (l->kind == PLAN_LINK_VLAN)
		put(d, " id=%u", l->vlan_id);
	for (size_t i = 0; i < l->n_options; i++)
		part(d, l->options[i].option->name, l->options[i].text);
	if (l->mtu)
		put(d, " mtu=%u", l->mtu);
	end(d);
}

static void dump_net_lists(struct dumper *d)
{
	const struct plan_net *n = &d->plan->net;
	char text[INET_ADDR_TEXT];

	for (size_t i = 0; i < n->n_ips; i++)
		dump_ip(d, &n->ips[i]);
	for (size_t i = 0; i < n->n_nameservers; i++)
		dump_text(d, "nameserver", inet_text(&n->nameservers[i], text), NULL);
	for (size_t i = 0; i < n->n_routes; i++)
		dump_route(d, &n->routes[i]);
	for (size_t i = 0; i < n->n_links; i++)
		dump_link(d, &n->links[i]);
	for (size_t i = 0; i < n->n_ifnames; i++) {
		put(d, "ifname=%s", n->ifnames[i].name);
		part_hw(d, "hw", &n->ifnames[i].hwaddr);
		end(d);
	}
	for (size_t i = 0; i < n->n_rdma_links; i++) {
		put(d, "rdma_link=%s %s %s", n->rdma_links[i].name, n->rdma_links[i].type,
			n->rdma_links[i].netdev);
		end(d);
	}
}

static void dump_net(struct dumper *d)
{
	const struct plan_net *n = &d->plan->net, *b = &d->base->net;
	char text[HW_ADDR_TEXT];

	dump_bool(d, "neednet", n->neednet, b->neednet);
	dump_bool(d, "alone", n->alone, b->alone);
	dump_bool(d, "wanted", n->wanted, b->wanted);
	dump_bool(d, "peerdns", n->peerdns, b->peerdns);
	dump_net_lists(d);
	if (n->bootif.len) {
		put(d, "bootif=%s type=%02x", hw_text(&n->bootif, text), n->bootif_type);
		end(d);
	}
	dump_text(d, n->bootdev_hint ? "netdev" : "bootdev", n->bootdev, NULL);
	dump_text(d, "hostname", n->hostname, NULL);
	dump_number(d, "iflink_s", n->timeouts.iflink_s, b->timeouts.iflink_s);
	dump_number(d, "ifup_s", n->timeouts.ifup_s, b->timeouts.ifup_s);
	dump_number(d, "carrier_s", n->timeouts.carrier_s, b->timeouts.carrier_s);
	dump_number(d, "route_s", n->timeouts.route_s, b->timeouts.route_s);
	dump_number(d, "ipv6dad_s", n->timeouts.ipv6dad_s, b->timeouts.ipv6dad_s);
	dump_number(d, "ipv6auto_s", n->timeouts.ipv6auto_s, b->timeouts.ipv6auto_s);
	dump_number(d, "dhcp_s", n->timeouts.dhcp_s, b->timeouts.dhcp_s);
	dump_number(d, "dhcp_retry", n->timeouts.dhcp_retry, b->timeouts.dhcp_retry);
	dump_number(d, "min_rate", n->min_rate, b->min_rate);
}

/* --- root --------------------------------------------------------------------------------- */

static void dump_nfs(struct dumper *d, const struct plan_nfs *n)
{
	static const char *const protos[] = {
		[PLAN_NFS_PROTO_UNSET] = NULL,
		[PLAN_NFS_PROTO_TCP] = "tcp",
		[PLAN_NFS_PROTO_RDMA] = "rdma",
	};

	for (size_t i = 0; i < n->n_servers; i++) {
		dump_text(d, "nfs.server", n->servers[i].name, NULL);
		dump_text(d, "nfs.zone", n->servers[i].zone, NULL);
	}
	dump_text(d, "nfs.path", n->path, NULL);
	dump_bool(d, "nfs.path_host", n->path_host, false);
	put(d, "nfs.versions=");
	put_bits(d, n->versions, nfs_versions);
	end(d);
	dump_text(d, "nfs.proto", protos[n->proto], NULL);
	dump_number(d, "nfs.port", n->port, 0);
	dump_bool(d, "nfs.fallback_tcp", n->fallback_tcp, false);
	dump_number(d, "nfs.mount_flags", n->mount_flags, 0);
	dump_text(d, "nfs.options", n->options, "");
}

static void dump_overlay(struct dumper *d, const struct plan_overlay *o)
{
	dump_bool(d, "overlay.off", o->off, false);
	dump_bool(d, "overlay.asked", o->asked, false);
	dump_number(d, "overlay.size", o->size, 0);
	dump_number(d, "overlay.percent", o->percent, 0);
	dump_number(d, "overlay.nr_blocks", o->nr_blocks, 0);
	dump_number(d, "overlay.nr_inodes", o->nr_inodes, 0);
}

/* Nothing of it is shown that was not given: most roots are no images. */
static void dump_image(struct dumper *d, const struct plan_image *m)
{
	const struct plan_image *b = &d->base->root.image;

	dump_text(d, "image.url", m->url, NULL);
	dump_bool(d, "image.manifest", m->manifest, b->manifest);
	dump_names(d, "image.mirror", m->mirrors, m->n_mirrors);
	if (m->has_digest)
		dump_hex(d, "image.sha256", m->digest, sizeof(m->digest));
	for (size_t i = 0; i < m->n_keys; i++) {
		if (m->keys[i].path)
			dump_text(d, "image.key_file", m->keys[i].path, NULL);
		else
			dump_hex(d, "image.key", m->keys[i].bytes, sizeof(m->keys[i].bytes));
	}
	dump_bool(d, "image.unprovable", m->unprovable, b->unprovable);
	dump_bool(d, "image.must_prove", m->must_prove, b->must_prove);
	dump_bool(d, "image.sums", m->sums, b->sums);
	dump_number(d, "image.part", m->part, 0);
	dump_text(d, "image.volume", m->volume, NULL);
	dump_text(d, "image.ca", m->ca, NULL);
	dump_bool(d, "image.insecure", m->insecure, b->insecure);
	dump_text(d, "image.cache", m->cache, NULL);
	dump_text(d, "image.proxy", m->proxy, NULL);
	dump_bool(d, "image.ram", m->ram, b->ram);
	dump_text(d, "image.size", m->size, b->size);
	dump_number(d, "image.minmem_mib", m->minmem_mib, b->minmem_mib);
	dump_text(d, "image.live_dir", m->live_dir, NULL);
	dump_text(d, "image.squashimg", m->squashimg, NULL);
	dump_bool(d, "image.xcat", m->xcat, b->xcat);
	dump_overlay(d, &m->overlay);
}

static void dump_extension(struct dumper *d, const struct plan_extension *e)
{
	put(d, "extension=%s/%s%s %s%s%s", e->folder, e->name, e->raw ? ".raw" : "",
		e->url ? e->url : "-", e->must_prove ? " must_prove" : "", e->sums ? " sums" : "");
	end(d);
}

static void dump_portal(struct dumper *d, const struct plan_portal *p)
{
	put(d, "block.portal=%s", p->discovery ? "discovery at " : "");
	put_host(d, p->server, &p->addr, p->port);
	put(d, " %s%s%s%s%s", p->rdma ? "rdma" : "tcp", p->zone ? " on " : "",
		p->zone ? p->zone : "", p->source ? " from " : "", p->source ? p->source : "");
	end(d);
}

static void dump_block(struct dumper *d, const struct plan_block *b)
{
	static const char *const kinds[] = {
		[PLAN_BLOCK_NVMF] = "nvmf", [PLAN_BLOCK_NBD] = "nbd", [PLAN_BLOCK_SRP] = "srp",
		[PLAN_BLOCK_LOCAL] = "local",
	};

	dump_text(d, "block", kinds[b->kind], NULL);
	for (size_t i = 0; i < b->n_portals; i++)
		dump_portal(d, &b->portals[i]);
	dump_text(d, "block.name", b->name, NULL);
	dump_text(d, "block.options", b->options, "");
	dump_number(d, "block.unit", b->unit, 0);
	dump_text(d, "block.uuid", b->uuid, NULL);
	dump_number(d, "block.part", b->part, 0);
	dump_number(d, "block.timeout_s", b->timeout_s, 0);
	dump_number(d, "block.block_size", b->block_size, 0);
	dump_text(d, "block.fstype", b->fstype, NULL);
	dump_text(d, "block.flags", b->flags, "");
	dump_text(d, "block.hostnqn", b->hostnqn, NULL);
	dump_text(d, "block.hostid", b->hostid, NULL);
	dump_bool(d, "block.nbft", b->nbft, false);
}

static void dump_root(struct dumper *d)
{
	static const char *const kinds[] = {
		[PLAN_ROOT_NONE] = "none", [PLAN_ROOT_NFS] = "nfs",	[PLAN_ROOT_DHCP] = "dhcp",
		[PLAN_ROOT_LIVE] = "live", [PLAN_ROOT_BLOCK] = "block", [PLAN_ROOT_OTHER] = "other",
		[PLAN_ROOT_REMOTE] = "remote", [PLAN_ROOT_WWINIT] = "wwinit",
	};
	const struct plan_root *r = &d->plan->root;

	dump_text(d, "root", kinds[r->kind], "none");
	dump_bool(d, "root.rw", r->rw, false);
	dump_bool(d, "root.no_nbft", r->no_nbft, false);
	dump_bool(d, "root.no_nvmf", r->no_nvmf, false);
	dump_bool(d, "root.legacy_nfs", r->legacy_nfs, false);
	if (r->kind == PLAN_ROOT_NFS)
		dump_nfs(d, &r->nfs);
	if (r->statelite) {
		dump_text(d, "statelite.node", r->statelite->node, "");
		dump_text(d, "statelite.server", r->statelite->server, NULL);
		dump_text(d, "statelite.path", r->statelite->path, NULL);
		if (r->statelite->nfs)
			dump_nfs(d, r->statelite->nfs);
	}
	if (r->kind == PLAN_ROOT_REMOTE)
		dump_block(d, &r->block);
	dump_image(d, &r->image);
	dump_text(d, "wwinit.id", r->wwinit.id, NULL);
	dump_text(d, "wwinit.device", r->wwinit.device, NULL);
	dump_text(d, "wwinit.size", r->wwinit.size, NULL);
	dump_bool(d, "wwinit.staged", r->wwinit.staged, false);
}

/* --- the rest ----------------------------------------------------------------------------- */

static void dump_report(struct dumper *d, const struct plan_report *r)
{
	static const char *const kinds[PLAN_REPORT_KIND_MAX] = {
		[PLAN_REPORT_SYSLOG_UDP] = "syslog over UDP",
		[PLAN_REPORT_SYSLOG_TCP] = "syslog over TCP",
		[PLAN_REPORT_HTTP] = "http",
		[PLAN_REPORT_XCAT] = "xcat",
		[PLAN_REPORT_XCAT_LOG] = "xcat log",
		[PLAN_REPORT_EFI] = "efi",
		[PLAN_REPORT_PSTORE] = "pstore",
	};

	put(d, "report=%s", kinds[r->kind]);
	if (*r->host) {
		put(d, " to ");
		put_host(d, r->host, &r->addr, r->port);
	}
	if (r->kind == PLAN_REPORT_HTTP) {
		put(d, " ");
		put_escaped(d->out, r->text, strlen(r->text));
	}
	end(d);
}

static void dump_policy(struct dumper *d)
{
	const struct boot_plan *p = d->plan, *b = d->base;

	dump_text(d, "init", p->init, b->init);
	dump_names(d, "init_arg", p->init_args, p->n_init_args);
	if (d->all || p->failure.shell != b->failure.shell ||
		p->failure.action != b->failure.action) {
		put(d, "failure=%s%s", p->failure.shell ? "shell," : "",
			choice_word(failure_actions, p->failure.action));
		end(d);
	}
	if (p->breaks) {
		put(d, "break=");
		put_bits(d, p->breaks, break_stages);
		end(d);
	}
	if (p->handover_given) {
		put(d, "handover=%s", p->handover ? "" : "none");
		put_bits(d, p->handover, handover_managers);
		end(d);
	}
	for (size_t i = 0; i < p->n_reports; i++)
		dump_report(d, &p->reports[i]);
	dump_bool(d, "debug", p->debug, b->debug);
	dump_bool(d, "info", p->info, b->info);
	dump_bool(d, "quiet", p->quiet, b->quiet);
	dump_bool(d, "hostonly", p->hostonly, b->hostonly);
	dump_bool(d, "fatal", p->fatal, false);
}

int plan_dump(const struct boot_plan *p, FILE *out, bool all)
{
	_cleanup_(plan_freep) struct boot_plan *base = NULL;
	struct dumper d = {.out = out, .plan = p, .all = all};
	int r = plan_parse(&base, "", 0, NULL);

	if (r < 0)
		return r;
	d.base = base;
	dump_drivers(&d);
	dump_net(&d);
	dump_rdma(&d);
	dump_number(&d, "retry_s", p->retry_s, base->retry_s);
	dump_number(&d, "timeout_s", p->timeout_s, base->timeout_s);
	dump_root(&d);
	for (size_t i = 0; i < p->n_extensions; i++)
		dump_extension(&d, &p->extensions[i]);
	dump_policy(&d);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
