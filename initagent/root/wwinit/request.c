// SPDX-License-Identifier: GPL-2.0-or-later
/* request: see request.h; the form is that of Warewulf's load-wwinit.sh, 4.6 and 4.7. */
#include "root/wwinit/request.h"

#include <ctype.h>

#include "base/file.h"
#include "base/sysmount.h"
#include "root/wwinit/overlay_config.h"
#include "url.h"

/* A value of DMI, as a query can hold it (RFC 3986 2.1). */
static void read_dmi(const struct env *env, const char *name, char *ret, size_t size)
{
	char text[128];
	size_t n = 0;

	if (env_read(env, text, sizeof(text), "/sys/class/dmi/id/%s", name) < 0)
		text[0] = 0;
	for (const char *at = text; *at && n + 4 <= size; at++)
		n += (size_t)snprintf(ret + n, size - n,
			isalnum((unsigned char)*at) || strchr("-._", *at) ? "%c" : "%%%02X",
			(unsigned char)*at);
	ret[n] = 0;
}

int request_url(const struct env *env, const char *base, const struct plan_wwinit *ww,
	const char *layer, char ret[static REQUEST_URL_MAX])
{
	char asset[3 * 128], uuid[3 * 64], path[96] = "", stage[32] = "";
	int n;

	read_dmi(env, "chassis_asset_tag", asset, sizeof(asset));
	read_dmi(env, "product_uuid", uuid, sizeof(uuid));
	if (ww->staged)
		snprintf(stage, sizeof(stage), "stage=%s&", layer);
	else
		snprintf(path, sizeof(path), "/%s/%s", layer, ww->id ? ww->id : "");
	n = snprintf(ret, REQUEST_URL_MAX, "%s%s%c%sassetkey=%s&uuid=%s&compress=gz", base, path,
		strchr(base, '?') ? '&' : '?', stage, asset, uuid);
	return n < REQUEST_URL_MAX ? 0 : -E2BIG;
}

bool request_tls(const struct env *env, const char *root, const char *server, char *base,
	size_t size)
{
	_cleanup_free_ char *text = sys_text_beneath(root, "/warewulf/config"),
		*certificate = sys_text_beneath(root, "/warewulf/tls/warewulf.crt");
	struct overlay_config c;
	const char *host = c.address;
	struct url u;

	if (!text || !certificate)
		return false;
	overlay_config_parse(text, strlen(text), &c);
	if (!streq(c.tls, "true"))
		return false;
	/* A server of IPv6 alone leaves it empty. */
	if (!*host && url_parse(&u, server, strlen(server)) == 0)
		host = u.host;
	snprintf(base, size, strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host,
		c.port);
	return file_write(env, STATE_DIR, REQUEST_CA_NAME, certificate, strlen(certificate),
		0600) >= 0;
}
