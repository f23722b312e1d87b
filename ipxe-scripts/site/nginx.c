// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nginx: the web server's configuration, the same on every server: nginx.conf is whole, for a
 * server of its own; site.conf is the part for an nginx that serves other things too (include it
 * inside http { }).
 */
#include "site/private.h"
#include "site/tree.h"

static void put_listen(struct text *t, const struct site *s)
{
	size_t k;

	for (size_t i = 0; i < s->boot.servers.n; i++) {
		uint32_t port = s->servers[s->boot.servers.items[i].index].port.value;

		for (k = 0; k < i && s->servers[s->boot.servers.items[k].index].port.value != port;
			k++)
			;
		if (k == i)
			text_printf(t, "\tlisten %u;\n", port);
	}
}

static void render_server(const struct site *s, struct tree *t)
{
	_cleanup_text_ struct text out = {0};

	put_head(&out, s, "#", "Web server");
	text_put(&out, "server {\n");
	put_listen(&out, s);
	text_printf(&out,
		"\tserver_name _;\n"
		"\troot %s/http;\n"
		"\tautoindex off;\n"
		"\ttypes { }\n"
		"\tdefault_type application/octet-stream;\n"
		"\t# An answer that is not the file is an error, never a page.\n"
		"\terror_page 404 =404 @none;\n"
		"\tlocation @none { return 404 \"not here\\n\"; }\n"
		"\t# Spares unknown nodes a request; the scripts do without.\n"
		"\tlocation /node/ { try_files $uri /default.ipxe =404; }\n"
		"}\n",
		s->tree.text);
	tree_file(t, "nginx/site.conf", out.data, out.len);
}

void render_nginx(const struct site *s, struct tree *t)
{
	_cleanup_text_ struct text out = {0};

	render_server(s, t);
	put_head(&out, s, "#", "Web server");
	text_printf(&out,
		"# nginx -p /var/lib/initagent-nginx -c %s/nginx/nginx.conf; process id, logs and "
		"scratch files are below -p.\n"
		"worker_processes auto;\n"
		"# A node has up to four connections, each with a descriptor for its file.\n"
		"worker_rlimit_nofile 16384;\n"
		"pid nginx.pid;\n"
		"error_log error.log;\n"
		"events { worker_connections 8192; }\n"
		"http {\n"
		"\taccess_log access.log;\n"
		"\tsendfile on;\n"
		"\ttcp_nopush on;\n"
		"\tclient_body_temp_path tmp;\n"
		"\tproxy_temp_path tmp;\n"
		"\tfastcgi_temp_path tmp;\n"
		"\tuwsgi_temp_path tmp;\n"
		"\tscgi_temp_path tmp;\n"
		"\tinclude site.conf;\n"
		"}\n",
		s->tree.text);
	tree_file(t, "nginx/nginx.conf", out.data, out.len);
}
