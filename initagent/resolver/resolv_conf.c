// SPDX-License-Identifier: GPL-2.0-or-later

#include "resolver/resolv_conf.h"

#include "base/file.h"

void resolv_conf_add_server(struct resolv_conf *c, const struct inet_addr *server, int ifindex,
	const char *ifname)
{
	bool local = server->family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&server->v6);
	int zone = local ? ifindex : 0;

	for (size_t i = 0; i < c->n_servers; i++)
		if (inet_equal(&c->servers[i], server) && c->zones[i] == zone)
			return;
	if (c->n_servers == RESOLV_SERVERS_MAX)
		return;
	c->servers[c->n_servers] = *server;
	c->zones[c->n_servers] = zone;
	strscpy(c->ifnames[c->n_servers++], local ? ifname : "", IFNAMSIZ);
}

size_t resolv_conf_text(const struct resolv_conf *c, char text[static RESOLV_TEXT_MAX])
{
	text[0] = 0;
	if (!c->n_servers)
		return 0;
	if (*c->search)
		str_add(text, RESOLV_TEXT_MAX, "search %s\n", c->search);
	for (size_t i = 0; i < c->n_servers; i++) {
		char address[INET_ADDR_TEXT];

		/* glibc and musl read the zone by its name. */
		str_add(text, RESOLV_TEXT_MAX, "nameserver %s%s%s\n",
			inet_text(&c->servers[i], address), c->zones[i] ? "%" : "", c->ifnames[i]);
	}
	return strlen(text);
}

int resolv_conf_write(const struct resolv_conf *c, const struct env *env)
{
	char text[RESOLV_TEXT_MAX];
	size_t len = resolv_conf_text(c, text);

	return len ? file_write(env, "/etc", "resolv.conf", text, len, 0644)
		   : file_remove(env, "/etc", "resolv.conf");
}
