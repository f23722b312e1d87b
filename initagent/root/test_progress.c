// SPDX-License-Identifier: GPL-2.0-or-later
/* What of a source's progress counts: bytes that were never there before, whatever its steps. */
#include "check.h"
#include "root/private.h"

static struct source_progress at;

static void tell(const struct source *s, struct source_progress *ret)
{
	(void)s;
	*ret = at;
}

static const struct source_ops ops = {.progress = tell};

static uint64_t fresh(struct target *t, const char *step, uint64_t bytes)
{
	at = (struct source_progress){.step = step, .bytes = bytes};
	target_step_source(t, 0);
	return target_fresh_bytes(t);
}

/* An image from servers with a list of mirrors, a manifest and a key, by way of a cache. */
TEST(each_step_that_has_bytes_counts)
{
	static const struct {
		const char *step;
		uint64_t bytes;
	} rows[] = {
		{"mirrors", 0}, {"mirrors", 100}, {"reading the mirrors", 0}, {"manifest", 200},
		{"signature", 300}, {"proving the manifest", 0}, {"cache", 0}, {"image", 5000},
		{"keeping", 5000}, {"module", 0}, {"mounting", 9000},
	};
	struct source source = {0};
	struct target t = {.ops = &ops, .source = &source};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_INT(fresh(&t, rows[i].step, rows[i].bytes), rows[i].bytes);
	CHECK_INT(fresh(&t, "mounting", 9000), 0);
	CHECK_INT(fresh(&t, "mounting", 9001), 1);
}
