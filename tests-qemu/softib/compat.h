/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat.h: what differs between the kernels this module is built for (6.1 and later). Every
 * version test of the module is in this file.
 */
#ifndef SIB_COMPAT_H
#define SIB_COMPAT_H

#include <linux/version.h>

/* 6.12 moved the header. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* 6.11 hands the verbs attribute bundle to create_cq instead of the udata inside it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
#define SIB_CREATE_CQ_ARG	struct uverbs_attr_bundle
#define SIB_CREATE_CQ_USER(a)	((a) && (a)->ufile)
#else
#define SIB_CREATE_CQ_ARG	struct ib_udata
#define SIB_CREATE_CQ_USER(a)	(!!(a))
#endif

/* 6.17 adds a TPH handle to reg_user_mr. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define SIB_REG_USER_MR_DMAH	, struct ib_dmah *dmah
#else
#define SIB_REG_USER_MR_DMAH
#endif

#endif
