// SPDX-License-Identifier: GPL-2.0-or-later
/* What pictures and pages are made of: numbers, axes, escapes, groups, the layout of a plot. */
#include "check.h"

#include "axis.h"
#include "boots.h"
#include "chart.h"
#include "markup.h"
#include "plot.h"

/* Hundredths, so that a sum of binary fractions compares. */
static int cents(double value)
{
	return (int)(value * 100 + (value < 0 ? -.5 : .5));
}

TEST(percentiles_are_by_nearest_rank)
{
	double five[] = {15, 20, 35, 40, 50}, hundred[100], twenty[20], one[] = {7};

	for (int i = 0; i < 100; i++)
		hundred[i] = i + 1;
	for (int i = 0; i < 20; i++)
		twenty[i] = i + 1;
	CHECK_INT(cents(percentile(five, 5, 5)), 1500);
	CHECK_INT(cents(percentile(five, 5, 30)), 2000);
	CHECK_INT(cents(percentile(five, 5, 40)), 2000);
	CHECK_INT(cents(percentile(five, 5, 50)), 3500);
	CHECK_INT(cents(percentile(five, 5, 100)), 5000);
	CHECK_INT(cents(percentile(hundred, 100, 95)), 9500);
	CHECK_INT(cents(percentile(hundred, 100, 99)), 9900);
	CHECK_INT(cents(percentile(twenty, 20, 95)), 1900);
	CHECK_INT(cents(percentile(one, 1, 99)), 700);
	CHECK_INT(cents(percentile(one, 0, 99)), 0);
	CHECK_INT(cents(median(five, 5)), 3500);
	CHECK_INT(cents(median(hundred, 100)), 5050);
	CHECK_INT(cents(median(one, 1)), 700);
	CHECK_INT(cents(median(one, 0)), 0);
}

TEST(ticks_are_round)
{
	static const struct {
		double from, to;
		unsigned int most;
		double step, first;
		unsigned int ticks, digits;
	} rows[] = {
		{0, 10, 10, 1, 0, 11, 0}, {0, 1, 10, .1, 0, 11, 1}, {1.9, 3.3, 10, .2, 2, 7, 1},
			{0, 20, 10, 2, 0, 11, 0},
		{3, 3, 10, .0001, 3, 11, 4}, {0, 1e7, 10, 1e6, 0, 11, 0}, {.5, 7.2, 5, 2, 2, 3, 0},
			{0, 47, 10, 5, 0, 10, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct axis a = axis_make(rows[i].from, rows[i].to, rows[i].most);

		CHECK_INT((long long)(a.step * 1e6 + .5), (long long)(rows[i].step * 1e6 + .5));
		CHECK_INT(cents(a.first), cents(rows[i].first));
		CHECK_INT(a.ticks, rows[i].ticks);
		CHECK_INT(a.digits, rows[i].digits);
	}
}

TEST(an_axis_with_round_ends_and_what_is_outside_of_it)
{
	struct axis a = axis_round(1.93, 3.31, 10);

	CHECK_INT(cents(a.from), 180);
	CHECK_INT(cents(a.to), 340);
	CHECK_INT(a.ticks, 9);
	CHECK_INT(cents(axis_tick(&a, 8)), 340);
	CHECK_INT(cents(axis_at(&a, 2.6, 100)), 5000);
	CHECK_INT(cents(axis_at(&a, -1, 100)), 0);
	CHECK_INT(cents(axis_at(&a, 1e9, 100)), 10000);
}

static const char *marked(const char *s, size_t most)
{
	static char buf[256];
	FILE *out = fmemopen(buf, sizeof(buf), "w");

	CHECK(out);
	markup_printf(out, "%.*s", (int)most, s);
	fclose(out);
	return buf;
}

TEST(texts_are_escaped)
{
	static const char *const rows[][2] = {
		{"", ""}, {"ib0", "ib0"}, {"<script>&\"'", "&lt;script&gt;&amp;&quot;&#39;"},
			{"a\tb\x1b[2J\x7f", "a\\x09b\\x1b[2J\\x7f"},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		/* no UTF-8: a lone byte, too long a form, a surrogate, beyond the end, cut off */
		{"\xff", "\\xff"}, {"\xc0\xaf", "\\xc0\\xaf"}, {"\xe0\x80\x80", "\\xe0\\x80\\x80"},
			{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, {"\xe2\x82", "\\xe2\\x82"},
		/* right to left override, no character, C1 */
		{"\xe2\x80\xae" "gpj", "\\u{202e}gpj"}, {"\xef\xbf\xbe", "\\u{fffe}"},
			{"\xc2\x9b", "\\u{9b}"},
		{"\xf0\x9f\xbf\xbe", "\\u{1fffe}"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(marked(rows[i][0], SIZE_MAX), rows[i][1]);
	CHECK_STR(marked("abcdef", 6), "abcdef");
	CHECK_STR(marked("abcdef", 4), "abc\xe2\x80\xa6");
	CHECK_STR(marked("<<<<", 2), "&lt;\xe2\x80\xa6");
	CHECK_INT(markup_length("<\xc3\xa4\x01"), 6);
}

/* A record: node, outcome, start, end and more of its JSON. */
static struct record *record(const char *node, const char *outcome, double end, const char *more)
{
	struct record *r = NULL;
	char text[4096];
	int n = snprintf(text, sizeof(text),
		"{\"schema\":1,\"hostname\":\"%s\",\"outcome\":\"%s\",\"start_s\":1,"
		"\"now_s\":%g%s}", node, outcome, end, more);

	CHECK_STR(record_fault_text(record_parse(&r, node, "f", text, (size_t)n)), "good");
	return r;
}

#define CABLE(name, port) \
	",\"rails\":[{\"netdev\":\"ib0\",\"rdma\":" \
	"{\"neighbour\":{\"name\":\"" name "\",\"port\":" #port "}}}]"
#define CAUSE_ROW(code)	  "{\"code\":\"" code "\",\"first_s\":1,\"last_s\":2}"

static struct boots *four(void)
{
	struct record **list = calloc(4, sizeof(*list));
	struct boots *b = NULL;

	CHECK(list);
	list[0] = record("d", "failed", 9, CABLE("leaf1",
		3) ",\"causes\":[" CAUSE_ROW("IA-E306") "," CAUSE_ROW("IA-E306") "]");
	list[1] = record("c", "done", 3, ",\"now_at\":\"2026-11-02T23:59:59Z\"" CABLE("leaf1",
		1) ",\"causes\":[" CAUSE_ROW("IA-E306") "," CAUSE_ROW("IA-E601") "]");
	list[2] = record("b", "done", 6, ",\"now_at\":\"2026-11-03T00:00:00Z\"" CABLE("leaf2", 1));
	list[3] = record("a", "running", 2, ",\"now_at\":\"2026-11-09, or so\"");
	CHECK_INT(boots_of(&b, list, 4), 0);
	return b;
}

TEST(from_when_to_when_the_boots_were)
{
	_cleanup_(boots_freep) struct boots *b = four(), *one = NULL;
	struct record **list = calloc(1, sizeof(*list));
	char dates[BOOTS_DATES];

	boots_dates(b, dates);
	CHECK_STR(dates, "2026-11-02T23:59:59Z to 2026-11-03T00:00:00Z");
	CHECK(list);
	list[0] = record("a", "done", 2, ",\"now_at\":\"2026-11-03T00:00:00Z\"");
	CHECK_INT(boots_of(&one, list, 1), 0);
	boots_dates(one, dates);
	CHECK_STR(dates, "2026-11-03T00:00:00Z");
	one->list[0]->now_at = "";
	boots_dates(one, dates);
	CHECK_STR(dates, "");
}

TEST(boots_by_name_and_by_time)
{
	_cleanup_(boots_freep) struct boots *b = four();

	CHECK_STR(b->list[0]->node, "a");
	CHECK_STR(b->list[3]->node, "d");
	CHECK_INT(b->outcomes[RECORD_DONE], 2);
	CHECK_INT(b->outcomes[RECORD_FAILED], 1);
	CHECK_INT(b->outcomes[RECORD_RUNNING], 1);
	CHECK_INT(b->n_times, 2);
	CHECK_INT(cents(b->times[0]), 200);
	CHECK_INT(cents(b->times[1]), 500);
	CHECK_STR(b->list[b->by_time[0]]->node, "b");
	CHECK_STR(boot_switch(b->list[1]), "leaf2");
	CHECK_STR(boot_switch(b->list[0]), "");
}

static const char *switch_of(const struct record *r, size_t i)
{
	return i ? NULL : boot_switch(r);
}

TEST(groups_of_boots)
{
	_cleanup_(boots_freep) struct boots *b = four();
	_cleanup_(groups_freep) struct groups *causes = NULL, *switches = NULL;

	CHECK_INT(groups_make(&causes, b, boot_cause_key), 0);
	CHECK_INT(causes->n, 2);
	/* most failed first; a cause that a boot met twice counts it once */
	CHECK_STR(causes->list[0].key, "IA-E306");
	CHECK_INT(causes->list[0].n, 2);
	CHECK_INT(causes->list[0].failed, 1);
	CHECK_INT(causes->list[0].failed_last, 1);
	CHECK_INT(causes->list[1].n, 1);
	CHECK_INT(causes->list[1].failed, 0);
	CHECK_INT(groups_make(&switches, b, switch_of), 0);
	CHECK_INT(switches->n, 3);
	CHECK_STR(switches->list[0].key, "leaf1");
	CHECK_INT(cents(switches->list[0].median), 200);
	CHECK_STR(switches->list[1].key, "");
	CHECK_STR(switches->list[2].key, "leaf2");
	CHECK_INT(cents(switches->list[2].p95), 500);
}

static const struct plot_section *section(const struct plot *p, const char *title)
{
	for (size_t i = 0; i < p->n; i++)
		if (streq(p->sections[i].title, title))
			return &p->sections[i];
	check_fail(__FILE__, __LINE__, "no section %s", title);
}

TEST(what_a_boot_failed_of)
{
	struct record **list = calloc(3, sizeof(*list));
	_cleanup_(boots_freep) struct boots *b = NULL;
	_cleanup_(groups_freep) struct groups *g = NULL;

	CHECK(list);
	/* the last of its causes, also when it stands first */
	list[0] = record("a", "failed", 9,
		",\"causes\":[{\"code\":\"IA-E601\",\"first_s\":2,\"last_s\":8},"
		"" CAUSE_ROW("IA-E306") "]");
	list[1] = record("b", "failed", 9, "");
	list[2] = record("c", "done", 9, "");
	CHECK_INT(boots_of(&b, list, 3), 0);
	CHECK_STR(boot_last_cause(b->list[0])->code, "IA-E601");
	CHECK(!boot_last_cause(b->list[2]));
	CHECK_INT(groups_make(&g, b, boot_cause_key), 0);
	CHECK_INT(g->n, 3);
	CHECK_STR(g->list[0].key, "");
	CHECK_INT(g->list[0].failed_last, 1);
	CHECK_STR(g->list[1].key, "IA-E601");
	CHECK_INT(g->list[1].failed_last, 1);
	CHECK_STR(g->list[2].key, "IA-E306");
	CHECK_INT(g->list[2].failed_last, 0);
	CHECK_INT(g->list[2].failed, 1);
}

TEST(phases_over_all_boots)
{
	struct record **list = calloc(3, sizeof(*list));
	_cleanup_(boots_freep) struct boots *b = NULL;
	_cleanup_(phases_freep) struct phases *p = NULL;

	CHECK(list);
	list[0] = record("a", "done", 11,
		",\"phases\":[{\"name\":\"mount\",\"begin_s\":9,\"end_s\":11},{\"name\":\"new\","
		"\"begin_s\":1,\"end_s\":2}]");
	list[1] = record("b", "done", 5,
		",\"phases\":[{\"name\":\"modules\",\"begin_s\":1,\"end_s\":4},{\"name\":\"mount\","
		"\"begin_s\":3,\"end_s\":5}]");
	list[2] = record("c", "failed", 99,
		",\"phases\":[{\"name\":\"link\",\"begin_s\":1,\"end_s\":4}]");
	CHECK_INT(boots_of(&b, list, 3), 0);
	CHECK_INT(phases_make(&p, b), 0);
	CHECK_INT(p->n, 4);
	CHECK_STR(p->list[0].name, "modules");
	CHECK_INT(cents(p->list[0].alone[0]), 200);
	CHECK_INT(cents(p->list[0].took[0]), 300);
	CHECK_STR(p->list[1].name, "mount");
	CHECK_INT(p->list[1].n, 2);
	CHECK_INT(cents(p->list[1].alone[1]), 200);
	CHECK_STR(p->list[2].name, "between");
	CHECK_INT(cents(p->list[2].alone[0]), 0);
	CHECK_INT(cents(p->list[2].alone[1]), 700);
	CHECK_STR(p->list[3].name, "new");
}

TEST(modules_that_load_at_once_are_in_lanes_of_their_own)
{
	_cleanup_(record_freep) struct record *r = record("n", "done", 11, ",\"modules\":["
		"{\"name\":\"long\",\"begin_s\":1,\"end_s\":6},{\"name\":\"beside\",\"begin_s\":2,"
			"\"end_s\":3},"
		"{\"name\":\"after\",\"begin_s\":7,\"end_s\":8},{\"name\":\"last\","
			"\"begin_s\":10.99,\"end_s\":11},{\"name\":\"never\"}]");
	_cleanup_(plot_freep) struct plot *p = NULL;
	const struct plot_section *s;

	CHECK_INT(plot_make(&p, r), 0);
	s = section(p, "Kernel modules");
	CHECK_INT(s->n, 2);
	CHECK_INT(s->rows[0].n, 3);
	CHECK_STR(s->rows[0].bars[1].label, "after");
	CHECK_STR(s->rows[1].bars[0].label, "beside");
	/* half of ten seconds is half of the width */
	CHECK_INT(cents(s->rows[0].bars[0].width), cents(PLOT_INNER / 2));
	CHECK_INT(cents(s->rows[0].bars[1].x), cents(PLOT_INNER * .6));
	CHECK(s->rows[0].bars[0].label_inside);
	/* at the right edge the name stands before its bar, which is never too thin to be seen */
	CHECK(s->rows[0].bars[2].label_before);
	CHECK(s->rows[0].bars[2].width >= PLOT_BAR_MIN);
	CHECK(s->rows[0].bars[2].x + s->rows[0].bars[2].width <= PLOT_INNER + 1e-6);
}

TEST(a_row_of_states_lasts_until_the_next_and_the_last_to_the_end)
{
	_cleanup_(record_freep) struct record *r = record("n", "done", 11, ",\"timeline\":["
		"{\"s\":2,\"room\":\"fabric\",\"rail\":\"mlx5_0/1\",\"from\":\"absent\","
			"\"to\":\"INIT\"},"
		"{\"s\":3,\"room\":\"fabric\",\"rail\":\"mlx5_1/1\",\"from\":\"absent\","
			"\"to\":\"DOWN\"},"
		"{\"s\":6,\"room\":\"fabric\",\"rail\":\"mlx5_0/1\",\"from\":\"INIT\","
			"\"to\":\"ACTIVE\"},"
		"{\"s\":6,\"room\":\"somewhere new\",\"rail\":\"x\",\"from\":\"a\",\"to\":\"b\"}],"
		"\"work\":[{\"room\":\"root\",\"what\":\"rdma\",\"begin_s\":7,\"end_s\":8,"
			"\"result\":-111},"
		"{\"room\":\"root\",\"what\":\"rdma\",\"begin_s\":9,\"end_s\":11,\"result\":0},"
		"{\"room\":\"modules\",\"what\":\"m\",\"begin_s\":9,\"end_s\":11,\"result\":0}]");
	_cleanup_(plot_freep) struct plot *p = NULL;
	const struct plot_section *s;

	CHECK_INT(plot_make(&p, r), 0);
	s = section(p, "RDMA ports");
	CHECK_INT(s->n, 2);
	CHECK_STR(s->rows[0].label, "mlx5_0/1");
	CHECK_INT(s->rows[0].n, 2);
	CHECK_INT(s->rows[0].bars[0].look, LOOK_WAIT);
	CHECK_INT(cents(s->rows[0].bars[0].end), 600);
	CHECK_INT(s->rows[0].bars[1].look, LOOK_GOOD);
	CHECK_INT(cents(s->rows[0].bars[1].end), 1100);
	CHECK_INT(s->rows[1].bars[0].look, LOOK_BAD);
	/* a room that is not known is shown with the root; work of one name is one row */
	s = section(p, "Root");
	CHECK_INT(s->n, 2);
	CHECK_STR(s->rows[0].label, "x");
	CHECK_INT(s->rows[1].n, 2);
	CHECK_INT(s->rows[1].bars[0].look, LOOK_BAD);
	CHECK_STR(s->rows[1].bars[0].label, "Connection refused");
}

TEST(labels_do_not_reach_into_the_next_bar)
{
	_cleanup_(record_freep) struct record *r = record("n", "done", 11, ",\"timeline\":["
		"{\"s\":2,\"room\":\"link\",\"rail\":\"ib0\",\"to\":\"a state with a long name\"},"
		"{\"s\":2.1,\"room\":\"link\",\"rail\":\"ib0\",\"to\":\"x\"},{\"s\":9,"
			"\"room\":\"link\",\"rail\":\"ib0\",\"to\":\"carrier\"}]");
	_cleanup_(plot_freep) struct plot *p = NULL;
	const struct plot_row *row;

	CHECK_INT(plot_make(&p, r), 0);
	row = &section(p, "Interfaces")->rows[0];
	CHECK_INT(row->bars[0].label_max, 0);
	CHECK(strstr(row->bars[0].title, "a state with a long name"));
	CHECK(row->bars[1].label_inside && row->bars[2].label_inside);
}

TEST(what_a_boot_waited_for_has_no_holes)
{
	_cleanup_(record_freep) struct record *r = record("n", "done", 11, ",\"phases\":["
		"{\"name\":\"modules\",\"begin_s\":2,\"end_s\":5},{\"name\":\"address\","
			"\"begin_s\":3,\"end_s\":4},"
		"{\"name\":\"mount\",\"begin_s\":7,\"end_s\":11}]");
	struct chart_segment s[8];

	CHECK_INT(chart_segments(r, s, 8), 4);
	CHECK_INT(s[0].look, LOOK_OTHER);
	CHECK_INT(s[1].look, LOOK_MODULES);
	CHECK_INT(cents(s[1].end), 400);
	CHECK_INT(s[2].look, LOOK_OTHER);
	CHECK_INT(s[3].look, LOOK_MOUNT);
	CHECK_INT(cents(s[3].end), 1000);
	for (size_t i = 1; i < 4; i++)
		CHECK_INT(cents(s[i].begin), cents(s[i - 1].end));
	CHECK_INT(chart_segments(r, s, 2), 2);
}
