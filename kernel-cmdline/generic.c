/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generic: parse functions driven by the option's row alone: switches, seconds, counts, and the
 * options that are only remembered or only commented on.
 */
#include "parser.h"

/* One year: more is a mistake, and no product of it with 10^9 overflows. */
#define SECONDS_MAX 31536000

/* What a switch or number means, in plain words. */
static const struct {
	enum option_id id;
	const char *nonzero; /* for a number: one %u */
	const char *zero;
} meanings[] = {
	{OPTION_RD_NEEDNET, "brings the network up whatever the root is",
		"brings the network up only if the root or ip= needs it"},
	{OPTION_RD_PEERDNS, "takes DNS servers from DHCP", "ignores DNS servers from DHCP"},
	{OPTION_RD_DEBUG, "shows debug lines on the console", "no debug lines on the console"},
	{OPTION_RD_INFO, "shows progress lines although quiet is given",
		"leaves progress lines to quiet"},
	{OPTION_RD_HOSTONLY, "uses the options that the image has",
		"leaves the options out that the image has"},
	{OPTION_RD_IB_SM_PROBE, "uses a port only when its subnet manager answers",
		"uses a port as soon as it is ACTIVE with an SM LID"},
	{OPTION_RD_IB_UMCAST, "sets umcast on IPoIB interfaces", "leaves umcast of IPoIB off"},
	{OPTION_RD_BOOTIF, "uses BOOTIF=", "ignores BOOTIF="},
	{OPTION_RD_RETRY, "gives network and root %u s to become ready",
		"sets no limit for the network (only rd.timeout limits the boot)"},
	{OPTION_RD_TIMEOUT, "gives the whole boot %u s", "sets no limit to the whole boot"},
	{OPTION_RD_NET_TIMEOUT_IFLINK, "reports a missing interface after %u s",
		"reports a missing interface when rd.retry is over"},
	{OPTION_RD_NET_TIMEOUT_DHCP, "asks for a lease for %u s on each interface",
		"asks for a lease as long as rd.retry allows"},
	{OPTION_RD_NET_DHCP_RETRY, "asks for a lease at most %u times",
		"asks for a lease as often as rd.retry allows"},
	{OPTION_RD_NET_TIMEOUT_CARRIER, "gives a bond with carrier %u s for its LACP partner",
		"lets no bond wait for its LACP partner"},
	{OPTION_RD_NET_TIMEOUT_IPV6DAD, "reports an unusable link-local address after %u s",
		"reports no unusable link-local address"},
	{OPTION_RD_NET_TIMEOUT_IPV6AUTO,
		"gives IPv6 autoconfiguration %u s, then either6 takes DHCPv6, auto6 reports it",
		"waits for IPv6 autoconfiguration without limit"},
	{OPTION_RD_NVMF_NONBFT, "leaves the NVMe boot table of the firmware (NBFT) alone",
		"reads the NVMe boot table (NBFT) if root= asks for it or is missing"},
	{OPTION_NONODESTATUS, "for the real system", "for the real system"},
	{OPTION_RD_NET_MIN_RATE, "counts an image's bytes as progress from %u a second on",
		"counts any new byte of an image as progress"},
};

static void say_meaning(struct parser *p, struct plan_word *w, const struct option_row *row,
	uint32_t v)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		if (meanings[i].id != row->id)
			continue;
		if (v)
			say(p, w, meanings[i].nonzero, v);
		else
			say(p, w, "%s", meanings[i].zero);
		return;
	}
	say(p, w, row->status == OPTION_NOTED ? "nothing to do here: %s" : "%s", row->doc);
}

/* The plan's member an option's row names. */
static void *field_of(struct parser *p, const struct option_row *row)
{
	return (char *)p->plan + row->field;
}

bool read_switch(struct parser *p, const struct option_row *row, const struct plan_word *w)
{
	struct slice v = word_value(w);
	enum switch_word sw = value_switch(v.s, v.len);

	if (sw == SWITCH_OFF_LOOSE)
		complain(p, w, v, DIAG_WARN, textf(p, "write %s=0", row->name),
			"read as off; dracut knows only 0, no and off and reads this as on");
	if (sw == SWITCH_ODD)
		complain(p, w, v, DIAG_WARN, textf(p, "write %s=1 or %s=0", row->name, row->name),
			"not a switch; read as on, like dracut");
	return sw == SWITCH_ON || sw == SWITCH_ODD;
}

PARSE(boolean)
{
	bool on = read_switch(p, row, w);

	*(bool *)field_of(p, row) = on;
	say_meaning(p, w, row, on);
	return true;
}

/* A switch or value that another option's resolution looks at. */
PARSE(flag_only)
{
	if (row->flags & OPTION_VALUE)
		return say(p, w, "for the real system");
	say_meaning(p, w, row, read_switch(p, row, w));
	return true;
}

/* "160s": digits and one trailing s. */
static bool strip_unit(struct slice *v)
{
	if (v->len < 2 || v->s[v->len - 1] != 's')
		return false;
	v->len--;
	return true;
}

/* What a number counts. */
struct unit {
	const char *name, *example;
	uint32_t max;
};

static const struct unit seconds_unit = {"seconds", "300", SECONDS_MAX};
static const struct unit tries_unit = {"tries", "3", 1000000000}; /* dracut's own upper limit */
static const struct unit bytes_unit = {"bytes", "300", UINT32_MAX};

/* systemd.time(7) */
static const struct {
	const char *name;
	uint32_t seconds;
} times[] = {{"sec", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"hr", 3600}};

static const char *number_remedy(struct parser *p, const struct option_row *row,
	const struct unit *u, struct slice v)
{
	const size_t digits = strspn(v.s, "0123456789");
	uint32_t n;

	for (size_t i = 0; u == &seconds_unit && i < ARRAY_SIZE(times); i++)
		if (streq(v.s + digits, times[i].name) &&
			value_u32(v.s, digits, SECONDS_MAX / times[i].seconds, &n) == 0)
			return textf(p, "write %s=%u", row->name, n * times[i].seconds);
	return textf(p, "write a whole number of %s, for example %s=%s", u->name, row->name,
		streq(row->def, "0") ? u->example : row->def);
}

/* Says which value stays: the default, or an earlier well-formed option's. */
static bool complain_number(struct parser *p, const struct option_row *row,
	const struct plan_word *w, const struct unit *u, int r)
{
	const struct slice v = word_value(w);
	const char *what = r == -ERANGE ? "too large"
		: v.len && v.s[0] == '-' ? "negative" : "not a whole number";

	complain(p, w, v, DIAG_ERROR, number_remedy(p, row, u, v), "%s; ignored, %u stays", what,
		*(const uint32_t *)field_of(p, row));
	return false;
}

/*
 * Numbers that dracut takes otherwise. rd.retry=0 makes its loop end after one pass; here it is no
 * limit, as 0 is for rd.timeout, since giving up before trying is no use to anyone.
 */
static void comment_seconds(struct parser *p, const struct option_row *row,
	const struct plan_word *w, struct slice v, uint32_t seconds)
{
	if (v.len > 1 && v.s[0] == '0')
		complain(p, w, v, DIAG_WARN, textf(p, "write %s=%u", row->name, seconds),
			"read as decimal %u; a shell reads a leading 0 as octal", seconds);
	if (row->id == OPTION_RD_RETRY && seconds == 0)
		complain(p, w, v, DIAG_WARN, "write rd.retry=SECONDS, or leave it out for 180",
			"0 means no limit here; dracut would give up at once");
	if (row->id == OPTION_RD_NET_TIMEOUT_CARRIER && seconds == 0)
		differ(p, w, WHOLE, DIAG_NOTE, NULL,
			"0 is no wait for one of dracut's back ends and the default for the other");
}

/*
 * "160s" is systemd's form; its meaning is unambiguous, so it is taken.
 * Other units, signs, fractions and hexadecimal are not.
 */
PARSE(seconds)
{
	struct slice v = word_value(w);
	uint32_t seconds;
	bool unit = strip_unit(&v);
	int r = value_u32(v.s, v.len, seconds_unit.max, &seconds);

	if (r < 0)
		return complain_number(p, row, w, &seconds_unit, r);
	/* dracut hands rd.timeout on to systemd (rootfs-generator.sh, JobTimeoutSec=) */
	if (unit && row->id != OPTION_RD_TIMEOUT)
		complain(p, w, word_value(w), DIAG_WARN,
			textf(p, "write %s=%u", row->name, seconds),
			"read as %u; dracut's script stops at the unit", seconds);
	comment_seconds(p, row, w, v, seconds);
	*(uint32_t *)field_of(p, row) = seconds;
	say_meaning(p, w, row, seconds);
	return true;
}

static bool take_count(struct parser *p, const struct option_row *row, struct plan_word *w,
	const struct unit *u)
{
	struct slice v = word_value(w);
	uint32_t *n = field_of(p, row);
	int r = value_u32(v.s, v.len, u->max, n);

	if (r < 0)
		return complain_number(p, row, w, u, r);
	say_meaning(p, w, row, *n);
	return true;
}

PARSE(count)
{
	if (!take_count(p, row, w, &tries_unit))
		return false;
	if (*(const uint32_t *)field_of(p, row) == 0)
		differ(p, w, WHOLE, DIAG_WARN, "leave it out",
			"0 means as often as rd.retry allows here; dracut tries once");
	return true;
}

PARSE(rate)
{
	return take_count(p, row, w, &bytes_unit);
}

PARSE(noted)
{
	return say(p, w, "nothing to do here: %s", row->doc);
}
