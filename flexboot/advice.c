// SPDX-License-Identifier: GPL-2.0-or-later
#include "flexboot/advice.h"

#include "base/print_json.h"

const char *const verdict_names[VERDICT_MAX] = {
	[VERDICT_RIGHT] = "right",
	[VERDICT_WAITS] = "waits for a reset",
	[VERDICT_DIFFERS] = "differs",
	[VERDICT_READ_ONLY] = "differs, read only",
	[VERDICT_ABSENT] = "not offered",
	[VERDICT_UNREADABLE] = "not readable",
};

static const struct query_item *find_item(
	const struct query *q, size_t device, const struct setting *want)
{
	const struct query_item *item = query_find(q, device, want->name);

	for (size_t i = 0; i < ARRAY_SIZE(want->others) && !item; i++)
		if (want->others[i][0])
			item = query_find(q, device, want->others[i]);
	return item;
}

static enum verdict judge_item(const struct query_item *item, uint32_t want, uint32_t *now)
{
	const struct query_value *next = &item->value[QUERY_NEXT];
	const struct query_value *current = &item->value[QUERY_CURRENT];

	/* Old releases have one column and call it the current one. */
	if (!next->known)
		next = current;
	if (!next->known)
		return VERDICT_UNREADABLE;
	*now = next->number;
	if (next->number != want)
		return item->read_only ? VERDICT_READ_ONLY : VERDICT_DIFFERS;
	return current->known && current->number != want ? VERDICT_WAITS : VERDICT_RIGHT;
}

void advise(const struct query *q, size_t device, const struct setting *want, size_t n,
	struct advice *ret)
{
	for (size_t i = 0; i < n; i++) {
		const struct query_item *item = find_item(q, device, &want[i]);

		ret[i] = (struct advice){.want = &want[i], .name = want[i].name,
			.verdict = VERDICT_ABSENT};
		if (!item)
			continue;
		ret[i].name = item->name;
		ret[i].verdict = judge_item(item, want[i].value, &ret[i].now);
	}
}

bool advice_good(const struct advice *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].verdict != VERDICT_RIGHT && rows[i].verdict != VERDICT_ABSENT)
			return false;
	return true;
}

/* value: "1 (IB)"; a P_Key reads better as it is written elsewhere. */
static const char *value_text(const struct setting *s, char *buf, size_t size)
{
	if (s->word)
		snprintf(buf, size, "%u (%s)", s->value, s->word);
	else if (strncmp(s->name, "BOOT_PKEY", strlen("BOOT_PKEY")) == 0)
		snprintf(buf, size, "0x%04x", s->value);
	else
		snprintf(buf, size, "%u", s->value);
	return buf;
}

/* A device's name comes from a file: only a path or a PCI address may go into a command. */
static const char *plain_device(const char *device)
{
	return device[0] && device[0] != '-' && !device[strspn(device, ALNUM "_./:-")]
		? device : ADVICE_DEVICE;
}

static void print_command(const char *device, const char *name, uint32_t number, FILE *out)
{
	fprintf(out, "mstconfig -d %s -y set %s=%u\n", plain_device(device), name, number);
}

static const char *level_name(const struct setting *s)
{
	return s->level == SETTING_MUST ? "must" : "should";
}

void setting_print(const char *device, const struct setting *list, size_t n, FILE *out)
{
	char buf[64];

	for (size_t i = 0; i < n; i++) {
		fprintf(out, "# %s be %s: %s\n", level_name(&list[i]),
			value_text(&list[i], buf, sizeof(buf)), list[i].reason);
		print_command(device, list[i].name, list[i].value, out);
	}
	fprintf(out, "# takes effect after: mstfwreset -d %s -y reset, or a power cycle\n",
		plain_device(device));
}

static void print_row(const struct advice *a, FILE *out)
{
	char buf[64];

	fprintf(out, "  %-26s %-18s %s be %s", a->name, verdict_names[a->verdict],
		level_name(a->want), value_text(a->want, buf, sizeof(buf)));
	if (a->verdict == VERDICT_DIFFERS || a->verdict == VERDICT_READ_ONLY)
		fprintf(out, ", is %u", a->now);
	fputc('\n', out);
	if (a->verdict != VERDICT_RIGHT)
		fprintf(out, "    %s\n", a->want->reason);
}

void advice_print(
	const char *device, const char *type, const struct advice *rows, size_t n, FILE *out)
{
	bool waits = false;

	fprintf(out, "%s%s%s:\n", plain_device(device), type[0] ? " " : "", type);
	for (size_t i = 0; i < n; i++)
		print_row(&rows[i], out);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].verdict == VERDICT_DIFFERS)
			print_command(device, rows[i].name, rows[i].want->value, out);
		waits |= rows[i].verdict == VERDICT_WAITS || rows[i].verdict == VERDICT_DIFFERS;
	}
	if (waits)
		fprintf(out, "mstfwreset -d %s -y reset   # or a power cycle\n",
			plain_device(device));
}

static cJSON *setting_object(const char *name, const struct setting *s)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "name", name);
	cJSON_AddNumberToObject(o, "value", s->value);
	if (s->word)
		cJSON_AddStringToObject(o, "word", s->word);
	cJSON_AddStringToObject(o, "level", level_name(s));
	cJSON_AddStringToObject(o, "reason", s->reason);
	return o;
}

int setting_json(const struct setting *list, size_t n, FILE *out)
{
	cJSON *top = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(top, setting_object(list[i].name, &list[i]));
	return print_json(top, true, out);
}

int advice_json(const char *device, const struct advice *rows, size_t n, FILE *out)
{
	cJSON *top = cJSON_CreateObject();
	cJSON *list;

	cJSON_AddStringToObject(top, "device", device);
	cJSON_AddBoolToObject(top, "good", advice_good(rows, n));
	list = cJSON_AddArrayToObject(top, "settings");
	for (size_t i = 0; i < n; i++) {
		cJSON *o = setting_object(rows[i].name, rows[i].want);

		cJSON_AddStringToObject(o, "verdict", verdict_names[rows[i].verdict]);
		if (rows[i].verdict == VERDICT_DIFFERS || rows[i].verdict == VERDICT_READ_ONLY)
			cJSON_AddNumberToObject(o, "is", rows[i].now);
		cJSON_AddItemToArray(list, o);
	}
	return print_json(top, true, out);
}
