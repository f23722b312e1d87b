/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block-srp: a disk by the SCSI RDMA protocol, in the words of the kernel's add_target
 * (Documentation/ABI/stable/sysfs-driver-ib_srp), which are what ibsrpdm -c and srp_daemon print:
 *
 *	srp:id_ext=HEX,ioc_guid=HEX,dgid=HEX,pkey=HEX,service_id=HEX[,...]	InfiniBand
 *	srp:id_ext=HEX,ioc_guid=HEX,dest=SERVER:PORT[,...]			by RDMA-CM
 *
 * Ours beside them: lun=N (default 0), part=N.
 */
#include "parser.h"

enum srp_place { SRP_NAME, SRP_OPTION, SRP_DEST, SRP_LUN, SRP_PART };

/*
 * digits: exactly so many hex digits; 0: a decimal number from min to max, as the kernel takes it
 * (drivers/infiniband/ulp/srp/ib_srp.c, srp_parse_options), or another text.
 */
static const struct srp_row {
	const char *name;
	size_t digits;
	enum srp_place place;
	uint32_t min, max;
} rows[] = {
#define HEX(name, digits, place) {name, digits, SRP_##place, 0, 0}
#define NUMBER(name, min, max)	 {name, 0, SRP_OPTION, min, max}
	HEX("id_ext", 16, NAME), HEX("ioc_guid", 16, NAME), HEX("dgid", 32, OPTION),
	HEX("pkey", 4, OPTION), HEX("service_id", 16, OPTION), HEX("initiator_ext", 16, OPTION),
	HEX("io_class", 4, OPTION),
	NUMBER("max_sect", 0, INT32_MAX), NUMBER("max_cmd_per_lun", 1, INT32_MAX),
	NUMBER("queue_size", 1, INT32_MAX), NUMBER("cmd_sg_entries", 1, 255),
	NUMBER("sg_tablesize", 1, 2048), NUMBER("allow_ext_sg", 0, INT32_MAX),
	NUMBER("comp_vector", 0, INT32_MAX), NUMBER("tl_retry_count", 2, 7),
	NUMBER("max_it_iu_size", 0, INT32_MAX), NUMBER("ch_count", 1, INT32_MAX),
	{"dest", 0, SRP_DEST, 0, 0}, {"lun", 0, SRP_LUN, 0, UINT32_MAX},
	{"part", 0, SRP_PART, 0, 0},
};

/*
 * No port or I/O controller has the GUID 0 (of a GID the last 8 octets); of the numbers that the
 * target chooses it is only unlikely, and the default of the initiator's extension.
 */
static bool judge_zeros(struct block_spec *x, const struct srp_row *row, struct slice v,
	const uint8_t *bytes)
{
	struct hw_addr id = {.len = 8};

	memcpy(id.bytes, bytes + row->digits / 2 - id.len, id.len);
	if (!value_hw_zero(&id) || streq(row->name, "initiator_ext"))
		return true;
	if (streq(row->name, "ioc_guid") || streq(row->name, "dgid"))
		return block_fail(x, v, "no port has the GUID 0");
	complain(x->p, x->w, v, DIAG_WARN, "write what ibsrpdm -c prints",
		"%s of zeros: hardly a target's", row->name);
	return true;
}

static bool take_hex(struct block_spec *x, const struct srp_row *row, struct slice v)
{
	uint8_t bytes[16];

	if (value_hex(v.s, v.len, bytes, row->digits / 2) < 0)
		return block_fail(x, v, textf(x->p, "not %zu hex digits", row->digits));
	if (streq(row->name, "pkey") && (slice_is(v, "0000") || slice_is(v, "8000")))
		return block_fail(x, v, "no partition has this P_Key");
	if (streq(row->name, "io_class") && memcmp(bytes, "\1", 2) != 0 &&
		memcmp(bytes, "\xff", 2) != 0)
		return block_fail(x, v, "neither 0100 nor ff00");
	return row->digits < 16 || judge_zeros(x, row, v, bytes);
}

static bool take_item(struct block_spec *x, const struct srp_row *row, struct slice item,
	struct slice v)
{
	const char **list = row->place == SRP_NAME ? &x->out->name : &x->out->options;
	uint32_t n = 0;

	if (row->place == SRP_DEST)
		return block_portal(x, v, true);
	if (row->place == SRP_PART)
		return block_part(x, v);
	if (row->digits && !take_hex(x, row, v))
		return false;
	if (!row->digits && (value_u32(v.s, v.len, row->max, &n) < 0 || n < row->min))
		return block_fail(x, v,
			textf(x->p, "not a number from %u to %u", row->min, row->max));
	if (row->place == SRP_LUN)
		x->out->unit = n;
	else
		*list = textf(x->p, "%s%s%.*s", *list, **list ? "," : "", SLICE(item));
	return true;
}

static const struct srp_row *find_row(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (slice_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

/* Both numbers name the target; a path there is either dest or the three of InfiniBand. */
static bool complete(struct block_spec *x, struct slice text)
{
	static const char *const path[] = {"dgid=", "pkey=", "service_id="};

	if (!strstr(x->out->name, "id_ext=") || !strstr(x->out->name, "ioc_guid="))
		return block_fail(x, text, "id_ext= and ioc_guid= must be there");
	for (size_t i = 0; i < ARRAY_SIZE(path) && !x->portals.n; i++)
		if (!strstr(x->out->options, path[i]))
			return block_fail(x, text,
				"neither dest= nor dgid=, pkey= and service_id=");
	for (size_t i = 0; i < ARRAY_SIZE(path) && x->portals.n; i++)
		if (strstr(x->out->options, path[i])) {
			complain(x->p, x->w, text, DIAG_WARN, "keep one of the two",
				"dest= beside %s: two paths to the target, the kernel connects to "
				"dest=", path[i]);
			break;
		}
	if (x->portals.n && !((struct plan_portal *)x->portals.items)->port)
		return block_fail(x, text, "dest= names no port");
	return true;
}

bool block_srp(struct block_spec *x, struct slice text)
{
	struct slice rest = text, item;

	x->remedy = "write root=srp: and a line of ibsrpdm -c, or "
		    "id_ext=,ioc_guid=,dest=SERVER:PORT";
	while (slice_next(&rest, ',', &item)) {
		size_t n = slice_find(item, "=");
		const struct srp_row *row = find_row((struct slice){item.s, n});

		if (!row || n == item.len)
			return block_fail(x, item, "not an option of an SRP root");
		block_again(x, item, (size_t)(row - rows));
		if (!take_item(x, row, item, slice_from(item, n + 1)))
			return false;
	}
	return complete(x, text);
}
