/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_root_path: which root-paths of a DHCP server are URLs, and of which scheme. */
#include "check.h"
#include "root_spec.h"

static const struct row {
	const char *text;
	int result;
	enum plan_root_kind kind;
	const char *name; /* of the server, or the URL */
} rows[] = {
	/* iPXE, Kea */
	{"http://192.0.2.1/r", 0, PLAN_ROOT_LIVE, "http://192.0.2.1/r"},
	{"live:https://boot/r", 0, PLAN_ROOT_LIVE, "https://boot/r"},
	/* RFC 3986 3.1: a scheme in capital letters is the same */
	{"HTTP://192.0.2.1/r", 0, PLAN_ROOT_LIVE, "HTTP://192.0.2.1/r"},
	{"Https://boot/r", 0, PLAN_ROOT_LIVE, "Https://boot/r"},
	{"live:HTTP://192.0.2.1/r", 0, PLAN_ROOT_LIVE, "HTTP://192.0.2.1/r"},
	/* of another scheme: no NFS server of that name */
	{"htp://192.0.2.1/r", -EINVAL, PLAN_ROOT_NONE, NULL},
	{"S3://bucket/r", -EINVAL, PLAN_ROOT_NONE, NULL},
	{"FTP://192.0.2.1/r", -EINVAL, PLAN_ROOT_NONE, NULL},
	{"live:htp://192.0.2.1/r", -EINVAL, PLAN_ROOT_NONE, NULL},
	/* NFS, whatever comes behind the first path */
	{"nfs://boot/r", 0, PLAN_ROOT_NFS, "boot"},
	{"boot:/r", 0, PLAN_ROOT_NFS, "boot"},
	{"boot:/r/a://b", 0, PLAN_ROOT_NFS, "boot"},
	{"192.0.2.1://r", 0, PLAN_ROOT_NFS, "192.0.2.1"},
};

TEST(urls_in_a_root_path)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		_cleanup_(plan_freep) struct boot_plan *plan = NULL;
		_cleanup_(root_spec_freep) struct root_spec *spec = NULL;

		CHECK_INT(plan_parse(&plan, "root=dhcp", 9, NULL), 0);
		CHECK_INT(root_spec_parse(&spec, plan, row->text, strlen(row->text), NULL),
			row->result);
		if (!spec)
			continue;
		CHECK_INT(spec->kind, row->kind);
		CHECK_STR(row->kind == PLAN_ROOT_NFS ? spec->nfs.servers[0].name : spec->image.url,
			row->name);
	}
}
