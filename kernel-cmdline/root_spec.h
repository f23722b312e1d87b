/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root_spec: a root made from text that came later than the command line: DHCP's root-path (option
 * 17) or a boot file that is a URL. It owns an arena with all of the spec but the strings of
 * plan->root.image: the plan must outlive it. Free with root_spec_free().
 * In: untrusted text, "[nfs:|nfs4:][server:]path[:options|,options]" or "[live:]http[s]://..." or
 * "nvmf:...", "nbd:...", "srp:..."; the plan. Out: the spec. 0, -EINVAL (none of these; diags say
 * why), -EPROTONOSUPPORT (a kind of dracut's, as "iscsi:...") or -ENOMEM.
 * Callers: root/. Tests: test_cmdline.c, test_root_path.c, test_oom.c,
 * fuzz_cmdline.c.
 *
 * What the text leaves open (server, proto, versions, ...) is taken from plan->root.nfs when that
 * is an NFS root. What proves an image always comes from plan->root.image.
 */
#pragma once

#include "plan.h"

struct root_spec {
	enum plan_root_kind kind; /* PLAN_ROOT_NFS, PLAN_ROOT_LIVE or PLAN_ROOT_REMOTE */
	struct plan_nfs nfs;
	struct plan_image image;
	struct plan_block block;
	bool rw; /* ro and rw of the command line count before those of the text */
	struct arena *arena; /* holds all of the spec */
};
int root_spec_parse(struct root_spec **ret, const struct boot_plan *plan, const char *text,
	size_t len, struct diag_list *diags);
struct root_spec *root_spec_free(struct root_spec *s);
DEFINE_FREEP(struct root_spec, root_spec_free)
