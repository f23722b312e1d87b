/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statelite: the files of an xCAT statelite node, laid over its NFS root, which is read-only.
 *
 * As xCAT's dracut module does it (xcat-prepivot.sh): a tmpfs at /.statelite of the root, in it
 * "tmpfs" and, from STATEMNT=, "persistent"; then the image's own /etc/init.d/localdisk and
 * /etc/init.d/statelite, which asks the xCAT master for the node's table and mounts what it says.
 * Those scripts are written for an initramfs with bash, where the root is at /sysroot. Here they
 * run with the image's own programs: in a view of the root that has the root once more at /sysroot,
 * and the mounts that they make there are the root's. Where the table gives the node a file for
 * /etc/resolv.conf, it gets the initramfs's, as from xCAT's xcatroot.
 *
 * Runs in the process that mounts; blocks. Tests: test_statelite.c, tests-qemu/nfsrdma.bats.
 */
#pragma once

#include "plan.h"
#include "root/nfs/nfs.h"

struct statelite {
	const struct plan_statelite *plan;
	const char *root;	   /* mount point of the export; nothing else uses it */
	const char *view;	   /* a place for the view; made, and gone afterwards */
	const char *address;	   /* of plan->server; numeric */
	const char *resolv_conf;   /* this initramfs's */
	int (*mount)(const struct nfs_attempt *attempt, const char *target, char *text);
	void (*step)(const char *text); /* what begins now, and may take long */
};

/* statelite_apply: 0, or -errno with text. After a failure root is to be taken away. */
int statelite_apply(const struct statelite *s, char text[static NFS_TEXT_MAX]);

/*
 * statelite_drop_view: takes the view away, also one that a killed process left; the root's and the
 * machine's own mounts stay.
 */
void statelite_drop_view(const char *root, const char *view);
