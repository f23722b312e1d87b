// SPDX-License-Identifier: GPL-2.0-or-later
/* ending: why a boot ended: a cause that nothing can change, or a budget, and then what it was
 * spent on. */
#include "boot/private.h"

#include "report/record.h"

/* All that was met, before the last line, which has one of them. */
static void list_causes(struct boot *b, unsigned seconds, uint64_t now)
{
	char text[REPORT_TEXT_MAX] = "";
	struct report_view v;

	report_view(b->env.report, &v);
	if (v.n_causes < 2)
		return;
	for (size_t i = 0; i < v.n_causes; i++)
		str_add(text, sizeof(text), "%s%s%s%s", i ? ", " : "",
			cause_info(v.causes[i].cause)->code, *v.causes[i].where ? " " : "",
			v.causes[i].where);
	report_log(b->env.report, REPORT_ERR, NULL, now, "giving up after %u s; causes seen: %s",
		seconds, text);
}

/* The last line names what the time was spent on: that is what has to be looked at. */
static void fail_for(struct boot *b, enum cause cause, enum cause spent_on, const char *where,
	uint64_t now, const char *text)
{
	const struct cause_info *last = cause_info(spent_on == CAUSE_NONE ? cause : spent_on);
	unsigned seconds = (unsigned)((now - b->run.start) / NSEC_PER_SEC);
	const char *at = where ? where : "";

	if (b->end.finished)
		return;
	report_cause(b->env.report, cause, where, now, "%s", text);
	list_causes(b, seconds, now);
	report_log(b->env.report, REPORT_ERR, NULL, now, "giving up after %u s: %s %s%s%s",
		seconds, last->code, at, *at ? ": " : "", last->text);
	b->end = (struct ending){.finished = true, .outcome = BOOT_FAILED, .cause = cause};
	strscpy(b->end.where, at, sizeof(b->end.where));
}

void boot_fail(struct boot *b, enum cause cause, const char *where, uint64_t now, const char *text)
{
	fail_for(b, cause, cause, where, now, text);
}

/* Is there no server of the root with an address of a family that ip= sets up? NULL: there is. */
static const char *other_family(const struct boot_plan *plan)
{
	unsigned int server = plan_server_families(plan), ip = plan_ip_families(plan);

	if (!server || !ip || server & ip)
		return NULL;
	return server & PLAN_FAMILY_6 ? "its server has an IPv6 address, and ip= sets up IPv4 only"
		: "its server has an IPv4 address, and ip= sets up IPv6 only";
}

/* The other family may be up all the same, by the kernel's own work after a router's advertisement:
 * then the root failed of something else. */
static bool failed_of_family(struct boot *b, uint64_t now)
{
	const char *text = "", *at = "", *family = other_family(b->plan);
	enum cause cause = target_failure(b->target, &at, &text);

	if (!family || (cause != CAUSE_NONE && cause != CAUSE_NO_ROUTE))
		return false;
	boot_fail(b, CAUSE_CMDLINE_FAMILY, "root", now, family);
	return true;
}

/*
 * rd.retry is over. If the network is up, it is the root that failed; if a rail failed for good,
 * that is the cause; else it is the wait that never ended, and then the budget itself.
 */
static void retry_over(struct boot *b, uint64_t now)
{
	char where[REPORT_NAME_MAX] = "";
	const char *text = "", *at = "", *rail = "";
	enum cause cause = CAUSE_NONE;

	rails_blame_now(b->rails, now);
	if (failed_of_family(b, now))
		return;
	/* No rail is ready, and the root needs one: the server cannot be the one that failed. */
	if (!rails_other_ready(b->rails, NULL) && target_needs_rail(b->target))
		cause = rails_failure(b->rails, &rail);
	if (cause == CAUSE_NONE && (cause = target_failure(b->target, &at, &text)) != CAUSE_NONE) {
		boot_fail(b, cause, at, now, text);
		return;
	}
	if (cause == CAUSE_NONE)
		cause = rails_failure(b->rails, &rail);
	if (cause != CAUSE_NONE) {
		boot_fail(b, cause, rail, now, "not resolved within rd.retry");
		return;
	}
	cause = report_waits_over(
		b->env.report, now, "not resolved within rd.retry", where, sizeof(where));
	fail_for(b, CAUSE_TIMEOUT_RETRY, cause, where, now, "");
}

static void timeout_over(struct boot *b, uint64_t now)
{
	char where[REPORT_NAME_MAX] = "";
	enum cause cause;

	if (failed_of_family(b, now))
		return;
	cause = report_waits_over(
		b->env.report, now, "not resolved within rd.timeout", where, sizeof(where));
	fail_for(b, CAUSE_TIMEOUT_TOTAL, cause, where, now, "");
}

void boot_check_budgets(struct boot *b, uint64_t now)
{
	if (b->end.finished || b->budgets.root_up)
		return;
	if (now >= b->budgets.total_end)
		timeout_over(b, now);
	else if (now >= b->budgets.network_end)
		retry_over(b, now);
}

void boot_renew_budget(struct boot *b, uint64_t bytes, uint64_t now)
{
	uint64_t whole = plan_network_deadline(b->plan, now);
	uint32_t rate = b->plan->net.min_rate;

	if (!bytes || b->budgets.network_end == NSEC_NEVER)
		return;
	if (!rate || bytes / rate >= (whole - now) / NSEC_PER_SEC)
		b->budgets.network_end = whole;
	else
		b->budgets.network_end =
			min_u64(whole, b->budgets.network_end + bytes * NSEC_PER_SEC / rate);
}

/* Of rd.timeout=, for what follows: the root's files are read for the hand-over. */
#define HANDOVER_RESERVE (5 * NSEC_PER_SEC)

uint64_t boot_extensions_end(const struct boot *b)
{
	uint64_t end = b->budgets.total_end;

	return end == NSEC_NEVER ? end : end - min_u64(end, HANDOVER_RESERVE);
}
