// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/cache/volume.h"

#include "base/cursor.h"

/* Bytes at an offset, if they are all there. */
static const uint8_t *at(const uint8_t *head, size_t len, size_t offset, size_t n)
{
	return offset <= len && n <= len - offset ? head + offset : NULL;
}

static bool is(const uint8_t *head, size_t len, size_t offset, const char *magic, size_t n)
{
	const uint8_t *p = at(head, len, offset, n);

	return p && memcmp(p, magic, n) == 0;
}

/* The usual form of 16 bytes; order: which byte comes where. */
static void uuid_text(const uint8_t *bytes, const uint8_t *order, char ret[static VOLUME_UUID_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < 16; i++)
		n += (size_t)snprintf(ret + n, VOLUME_UUID_MAX - n, "%s%02x",
			i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[order[i]]);
}

static const uint8_t straight[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
/* GPT: the first three groups are little-endian numbers (UEFI, appendix A). */
static const uint8_t mixed[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

/* --- file systems ---------------------------------------------------------------------------- */

/* How each says what it is; FAT has a short number in place of a UUID. */
static const struct kind {
	const char *fstype;
	size_t magic_at;
	const char *magic;
	size_t magic_len;
	size_t uuid_at, uuid_len, label_at, label_len;
} kinds[] = {
	{"ext4", 1024 + 56, "\x53\xef", 2, 1024 + 104, 16, 1024 + 120, 16},
	{"xfs", 0, "XFSB", 4, 32, 16, 108, 12},
	{"btrfs", 65536 + 64, "_BHRfS_M", 8, 65536 + 32, 16, 65536 + 299, 256},
	{"vfat", 82, "FAT32   ", 8, 67, 4, 71, 11},
	{"vfat", 54, "FAT16   ", 8, 39, 4, 43, 11},
	{"vfat", 54, "FAT12   ", 8, 39, 4, 43, 11},
};

/* Up to a zero; FAT fills up with blanks. */
static void take_label(const uint8_t *p, size_t n, char ret[static VOLUME_LABEL_MAX])
{
	size_t len = strnlen((const char *)p, n);

	while (len && p[len - 1] == ' ')
		len--;
	memcpy(ret, p, len);
	ret[len] = 0;
}

static void take_uuid(const uint8_t *p, size_t n, char ret[static VOLUME_UUID_MAX])
{
	if (n == 16)
		uuid_text(p, straight, ret);
	else
		snprintf(ret, VOLUME_UUID_MAX, "%02x%02x-%02x%02x", p[3], p[2], p[1], p[0]);
}

bool volume_judge(const uint8_t *head, size_t len, struct volume *ret)
{
	*ret = (struct volume){0};
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *k = &kinds[i];
		const uint8_t *uuid = at(head, len, k->uuid_at, k->uuid_len);
		const uint8_t *label = at(head, len, k->label_at, k->label_len);

		if (!uuid || !label || !is(head, len, k->magic_at, k->magic, k->magic_len))
			continue;
		ret->fstype = k->fstype;
		take_uuid(uuid, k->uuid_len, ret->uuid);
		take_label(label, k->label_len, ret->label);
		return true;
	}
	return false;
}

/* --- partitions ------------------------------------------------------------------------------ */

bool volume_table(const uint8_t *head, size_t len, uint32_t sector, struct volume_table *ret)
{
	const uint8_t *gpt = at(head, len, sector, 92), *mbr = at(head, len, 0, 512);

	*ret = (struct volume_table){0};
	if (sector >= 512 && gpt && memcmp(gpt, "EFI PART", 8) == 0) {
		uint64_t lba = get_le64(gpt + 72);

		ret->gpt = true;
		ret->n = get_le32(gpt + 80);
		ret->size = get_le32(gpt + 84);
		ret->offset = lba * sector;
		return lba < UINT64_MAX / 2 / sector && ret->size >= VOLUME_ENTRY &&
			ret->size <= 4096;
	}
	if (!mbr || mbr[510] != 0x55 || mbr[511] != 0xaa)
		return false;
	ret->disk = get_le32(mbr + 440);
	return ret->disk != 0;
}

/* One UTF-16 unit as UTF-8. */
static size_t put_unit(char *at, unsigned u)
{
	if (u < 0x20 || u == 0x7f || (u >= 0xd800 && u <= 0xdfff)) {
		at[0] = '_';
		return 1;
	}
	if (u < 0x80) {
		at[0] = (char)u;
		return 1;
	}
	if (u < 0x800) {
		at[0] = (char)(0xc0 | u >> 6);
		at[1] = (char)(0x80 | (u & 0x3f));
		return 2;
	}
	at[0] = (char)(0xe0 | u >> 12);
	at[1] = (char)(0x80 | (u >> 6 & 0x3f));
	at[2] = (char)(0x80 | (u & 0x3f));
	return 3;
}

bool volume_part_gpt(const uint8_t *entry, size_t len, struct volume_part *ret)
{
	static const uint8_t unused[16];
	size_t n = 0;

	*ret = (struct volume_part){0};
	if (len < VOLUME_ENTRY || memcmp(entry, unused, sizeof(unused)) == 0)
		return false;
	memcpy(ret->type, entry, sizeof(ret->type));
	ret->first = get_le64(entry + 32);
	ret->last = get_le64(entry + 40);
	uuid_text(entry + 16, mixed, ret->uuid);
	for (size_t i = 56; i < VOLUME_ENTRY; i += 2) {
		unsigned u = entry[i] | (unsigned)entry[i + 1] << 8;

		if (!u)
			break;
		n += put_unit(ret->label + n, u);
	}
	ret->label[n] = 0;
	return true;
}

void volume_part_mbr(const struct volume_table *t, unsigned number, struct volume_part *ret)
{
	*ret = (struct volume_part){0};
	snprintf(ret->uuid, sizeof(ret->uuid), "%08x-%02x", t->disk, number & 0xff);
}

bool volume_fits(enum volume_key key, const char *name, const struct volume *v,
	const struct volume_part *p)
{
	return key == VOLUME_LABEL	 ? streq(v->label, name)
		: key == VOLUME_UUID	 ? strcasecmp(v->uuid, name) == 0
		: key == VOLUME_PARTLABEL ? streq(p->label, name)
					 : strcasecmp(p->uuid, name) == 0;
}
