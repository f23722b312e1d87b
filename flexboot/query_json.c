// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * query_json: "mstconfig -j FILE query": {"Device #1": {"device": ..., "tlv_configuration":
 * {"LINK_TYPE_P1": {"read_only": false, "next_value": "IB(1)", "current_value": ...}}}}.
 */
#include <cjson/cJSON.h>

#include "flexboot/query.h"

/* A value is a string "IB(1)", a number, or a string of a number. */
static void read_value(struct query_value *v, const cJSON *o)
{
	if (cJSON_IsString(o)) {
		query_value_read(v, o->valuestring);
	} else if (cJSON_IsNumber(o) && o->valuedouble >= 0 && o->valuedouble <= UINT32_MAX) {
		v->known = true;
		v->number = (uint32_t)o->valuedouble;
	}
}

static int read_items(struct query *q, const cJSON *table)
{
	static const char *const keys[QUERY_COLUMNS] = {
		"default_value", "current_value", "next_value"};
	const cJSON *o;

	cJSON_ArrayForEach(o, table)
	{
		struct query_item *item = &q->items[q->n_items];

		if (!cJSON_IsObject(o) || !o->string)
			continue;
		if (q->n_items == QUERY_ITEMS_MAX)
			return query_fault(q, 0, "more than %d settings", QUERY_ITEMS_MAX);
		q->n_items++;
		*item = (struct query_item){.device = q->n_devices - 1};
		strscpy(item->name, o->string, sizeof(item->name));
		item->read_only = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, "read_only"));
		for (size_t i = 0; i < QUERY_COLUMNS; i++)
			read_value(&item->value[i], cJSON_GetObjectItemCaseSensitive(o, keys[i]));
	}
	return 0;
}

static void read_text(const cJSON *o, const char *key, char *dst, size_t size)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	if (text)
		strscpy(dst, text, size);
}

int query_read_json(struct query *q, const char *text, size_t size)
{
	cJSON *top = cJSON_ParseWithLength(text, size);
	const cJSON *o;
	int r = 0;

	if (!top)
		return query_fault(q, 0, "begins like JSON but is none");
	cJSON_ArrayForEach(o, top)
	{
		const cJSON *table = cJSON_GetObjectItem(o, "tlv_configuration");

		if (r < 0 || !cJSON_IsObject(table))
			continue;
		if (q->n_devices == QUERY_DEVICES_MAX) {
			r = query_fault(q, 0, "more than %d devices", QUERY_DEVICES_MAX);
			continue;
		}
		q->n_devices++;
		read_text(o, "device", q->devices[q->n_devices - 1].name,
			sizeof(q->devices[0].name));
		read_text(o, "device_type", q->devices[q->n_devices - 1].type,
			sizeof(q->devices[0].type));
		r = read_items(q, table);
	}
	cJSON_Delete(top);
	return r;
}
