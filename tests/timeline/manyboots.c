// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manyboots DIR N FILE...: writes N state files to DIR, made of the given ones: other names,
 * switches, times; every 40th failed. The same arguments make the same files.
 */
#include <cjson/cJSON.h>

#include "base/util.h"

struct random {
	uint64_t state;
};

/* 0 ... 1, splitmix64. */
static double next(struct random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static void die(const char *what)
{
	fprintf(stderr, "manyboots: %s: %m\n", what);
	exit(2);
}

static cJSON *load(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	static char buf[1 << 20];
	size_t n = f ? fread(buf, 1, sizeof(buf) - 1, f) : 0;
	cJSON *top;

	buf[n] = 0;
	top = n ? cJSON_Parse(buf) : NULL;
	if (!top)
		die(path);
	return top;
}

static bool is_time(const char *key)
{
	size_t n = key ? strlen(key) : 0;

	return key &&
	       (streq(key, "s") || (n > 2 && streq(key + n - 2, "_s") && !streq(key, "cpu_s")));
}

/* Every time after the agent's start moves by the factor. */
static void stretch(cJSON *o, double start, double factor)
{
	cJSON *child;

	if (cJSON_IsNumber(o) && is_time(o->string) && o->valuedouble > start)
		cJSON_SetNumberValue(o, start + (o->valuedouble - start) * factor);
	for (child = o->child; child; child = child->next)
		stretch(child, start, factor);
}

static void set_text(cJSON *o, const char *key, const char *value)
{
	cJSON_DeleteItemFromObject(o, key);
	cJSON_AddStringToObject(o, key, value);
}

static void move_cable(cJSON *top, size_t i)
{
	cJSON *rail, *far;
	char name[32];

	cJSON_ArrayForEach(rail, cJSON_GetObjectItem(top, "rails"))
	{
		far = cJSON_GetObjectItem(cJSON_GetObjectItem(rail, "rdma"), "neighbour");
		if (!far)
			continue;
		snprintf(name, sizeof(name), "leaf%02zu", i / 36 + 1);
		set_text(far, "name", name);
		snprintf(name, sizeof(name), "0002c903%08zx", i / 36 + 1);
		set_text(far, "guid", name);
		cJSON_SetNumberValue(cJSON_GetObjectItem(far, "port"), (double)(i % 36 + 1));
	}
}

static void fail(cJSON *top, size_t i)
{
	static const char *const causes[][3] = {
		{"IA-E306", "mlx5_0/1", "LinkUp INIT, no subnet manager yet"},
		{"IA-E501", "ib0", "no answer"},
		{"IA-E601", "10.9.0.1", "no answer"},
	};
	const char *const *c = causes[i / 40 % ARRAY_SIZE(causes)];
	cJSON *row = cJSON_CreateObject();
	double now = cJSON_GetNumberValue(cJSON_GetObjectItem(top, "now_s"));

	set_text(top, "outcome", "failed");
	cJSON_AddStringToObject(row, "code", c[0]);
	cJSON_AddStringToObject(row, "where", c[1]);
	cJSON_AddStringToObject(row, "text", c[2]);
	cJSON_AddNumberToObject(row, "count", 7);
	cJSON_AddNumberToObject(row, "first_s", now * 0.7);
	cJSON_AddNumberToObject(row, "last_s", now);
	cJSON_AddItemToArray(cJSON_GetObjectItem(top, "causes"), row);
}

static void write_one(const char *dir, size_t i, const char *from)
{
	struct random random = {.state = i * 7919 + 1};
	cJSON *top = load(from);
	double u = next(&random), start = cJSON_GetNumberValue(cJSON_GetObjectItem(top, "start_s"));
	char name[64], path[512];
	FILE *f;
	char *text;

	/* most alike, a few much slower */
	stretch(top, start,
		0.8 + 0.4 * u + (next(&random) < 0.03 ? 6 * next(&random) : 0.3 * next(&random)));
	snprintf(name, sizeof(name), "node%04zu", i + 1);
	set_text(top, "hostname", name);
	set_text(top, "kernel", i % 5 ? "6.1.0-56-amd64" : "6.12.41-amd64");
	move_cable(top, i);
	if (i % 40 == 39)
		fail(top, i);
	snprintf(path, sizeof(path), "%s/%s.json", dir, name);
	f = fopen(path, "we");
	text = cJSON_PrintUnformatted(top);
	if (!f || !text || fputs(text, f) < 0 || fclose(f) != 0)
		die(path);
	free(text);
	cJSON_Delete(top);
}

int main(int argc, char **argv)
{
	size_t n = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (!n) {
		fprintf(stderr, "usage: manyboots DIR N FILE...\n");
		return 2;
	}
	for (size_t i = 0; i < n; i++) {
		struct random random = {.state = i};
		size_t kinds = (size_t)argc - 3;

		write_one(argv[1], i, argv[3 + (size_t)(next(&random) * (double)kinds)]);
	}
	return 0;
}
