/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * static.c: a program linked like the agent, against every library of deps/, for tests/binary.bats.
 * It shows that the libraries work in a static musl program, whatever the agent makes of them.
 *
 *   static modinfo FILE   the license of a kernel module, packed or not, as libkmod reads it
 *   static links          the number of network interfaces, over rtnetlink
 *   static umad           what umad_init() returns
 *   static verbs          the number of RDMA devices, or the error's name
 *   static json TEXT      TEXT parsed and printed again
 */
#include <cjson/cJSON.h>
#include <infiniband/umad.h>
#include <infiniband/verbs.h>
#include <libkmod.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>

#include "base/util.h"

static int show_modinfo(const char *path)
{
	struct kmod_list *list = NULL, *item;
	const char *no_config = NULL;
	struct kmod_module *mod;
	struct kmod_ctx *ctx;
	int r;

	ctx = kmod_new(NULL, &no_config);
	if (!ctx || kmod_module_new_from_path(ctx, path, &mod) < 0)
		return 1;
	r = kmod_module_get_info(mod, &list);
	if (r < 0)
		printf("error %d\n", r);
	kmod_list_foreach(item, list)
		if (streq(kmod_module_info_get_key(item), "license"))
			printf("license %s\n", kmod_module_info_get_value(item));
	kmod_module_info_free_list(list);
	kmod_module_unref(mod);
	kmod_unref(ctx);
	return r < 0;
}

static int show_links(void)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct nl_cache *cache = NULL;
	int r;

	if (!sock || nl_connect(sock, NETLINK_ROUTE) < 0)
		return 1;
	r = rtnl_link_alloc_cache(sock, AF_UNSPEC, &cache);
	if (r == 0)
		printf("links %d\n", nl_cache_nitems(cache));
	nl_cache_free(cache);
	nl_socket_free(sock);
	return r < 0;
}

static int show_verbs(void)
{
	struct ibv_device **list;
	int n = 0;

	errno = 0;
	list = ibv_get_device_list(&n);
	if (list)
		printf("devices %d\n", n);
	else
		printf("error %s\n", strerror(errno));
	if (list)
		ibv_free_device_list(list);
	return 0;
}

static int show_json(const char *text)
{
	cJSON *json = cJSON_Parse(text);
	char *out = json ? cJSON_PrintUnformatted(json) : NULL;

	printf("%s\n", out ? out : "invalid");
	cJSON_free(out);
	cJSON_Delete(json);
	return !json;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (streq(what, "modinfo") && argc == 3)
		return show_modinfo(argv[2]);
	if (streq(what, "json") && argc == 3)
		return show_json(argv[2]);
	if (streq(what, "links"))
		return show_links();
	if (streq(what, "verbs"))
		return show_verbs();
	if (streq(what, "umad")) {
		printf("umad %d\n", umad_init());
		return 0;
	}
	return 2;
}
