/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h: what differs between the kernels this module is built for (6.1 and later). Every
 * version test of the module is in this file.
 */
#ifndef SIB_COMPAT_H
#define SIB_COMPAT_H

#include <linux/err.h>
#include <linux/types.h>
#include <linux/version.h>

struct ib_dmah;
struct ib_mr;
struct ib_pd;
struct ib_udata;

/* 6.12 moved the header. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* 6.11 hands the verbs attribute bundle to create_cq instead of the udata inside it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define SIB_CREATE_CQ_ARG	struct uverbs_attr_bundle
#else
#define SIB_CREATE_CQ_ARG	struct ib_udata
#endif

/*
 * User space has no data path here, but a device without this function counts as one without verbs
 * altogether. 6.17 adds a handle for TLP processing hints.
 */
static inline struct ib_mr *sib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 va,
					    int access,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
					    struct ib_dmah *dmah,
#endif
					    struct ib_udata *udata)
{
	return ERR_PTR(-EOPNOTSUPP);
}

#endif
