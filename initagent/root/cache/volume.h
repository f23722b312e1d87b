/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * volume: what a disk's first bytes say of it. The initramfs may have no udev that would know.
 * Pure.
 * In: untrusted bytes of a disk, partition or table entry. Out: the file system's kind, UUID and
 * label, and of its partitions the PARTUUID and PARTLABEL.
 * Callers: root/image/. Tests: test_volume.c, fuzz_volume.c.
 */
#pragma once

#include "base/util.h"
#include "value.h"

/* So much of a volume is looked at: btrfs has its superblock, of 4 KiB, 64 KiB from the
 * beginning. */
#define VOLUME_HEAD ((64 + 4) * 1024)

#define VOLUME_UUID_MAX	 37
#define VOLUME_LABEL_MAX 257 /* btrfs: 256 bytes */

struct volume {
	const char *fstype; /* as mount(2) takes it; NULL: none that is known */
	char uuid[VOLUME_UUID_MAX];
	char label[VOLUME_LABEL_MAX];
};

/* volume_judge: from its first len bytes. False: no file system that is known. */
bool volume_judge(const uint8_t *head, size_t len, struct volume *ret);

/* Where a disk keeps its partition table's entries. */
struct volume_table {
	bool gpt;	    /* false: an MBR, whose partitions are named by disk and number */
	uint32_t disk;	    /* MBR: the disk's number */
	uint64_t offset;    /* GPT: of the first entry, bytes */
	uint32_t size, n;   /* GPT: of one, and how many */
};

#define VOLUME_ENTRY 128 /* UEFI 5.3.3: no entry is smaller, and what is looked at is within */

/* volume_table: from the disk's first len bytes, two sectors at least. False: none that is known */
bool volume_table(const uint8_t *head, size_t len, uint32_t sector, struct volume_table *ret);

struct volume_part {
	/* GPT alone */
	uint8_t type[16];     /* as it stands in the entry */
	uint64_t first, last; /* sectors */
	char uuid[VOLUME_UUID_MAX];
	char label[36 * 3 + 1]; /* 36 UTF-16 units as UTF-8; what is no plain text is a '_' */
};

/* volume_part_gpt: from its entry of VOLUME_ENTRY bytes. False: it is not in use. */
bool volume_part_gpt(const uint8_t *entry, size_t len, struct volume_part *ret);
/* volume_part_mbr: number counts from 1. */
void volume_part_mbr(const struct volume_table *t, unsigned number, struct volume_part *ret);

/* volume_fits: has the one of both that the key is about this name? The other is not looked at. */
bool volume_fits(enum volume_key key, const char *name, const struct volume *v,
	const struct volume_part *p);
