// SPDX-License-Identifier: GPL-2.0-or-later
/* When a server that did not take a message is tried again. */
#include "check.h"
#include "report/tell/collector.h"

/* Drawn from the second half of a span that doubles up to 32 s: from all of that half, or nodes
 * that a server's restart has brought into step would stay close together. */
TEST(tries_are_spread)
{
	static const unsigned spans[] = {1, 2, 4, 8, 16, 32, 32};
	const struct plan_report plan = {.kind = PLAN_REPORT_SYSLOG_TCP};

	for (size_t i = 0; i < ARRAY_SIZE(spans); i++) {
		uint64_t span = spans[i] * NSEC_PER_SEC, least = NSEC_NEVER, most = 0;

		for (int draw = 0; draw < 500; draw++) {
			struct collector c;

			collector_init(&c, &plan);
			c.failures = (unsigned)i;
			collector_retry(&c, ECONNREFUSED, NSEC_PER_SEC);
			least = min_u64(least, c.retry - NSEC_PER_SEC);
			most = c.retry - NSEC_PER_SEC > most ? c.retry - NSEC_PER_SEC : most;
		}
		CHECK(least >= span / 2 && least < span * 5 / 8);
		CHECK(most < span && most > span * 7 / 8);
	}
}
