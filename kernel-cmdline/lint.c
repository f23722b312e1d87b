/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lint: the report for people, one entry a word:
 *
 *	rd.retry=160s
 *	    gives network and root 160 s to become ready
 *	    warning: read as 160; dracut's script stops at the unit
 *	        column 14 | ip=dhcp rd.retry=160s root=nfs:192.0.2.1:/srv
 *	                  |                  ^^^^
 *	        write rd.retry=160
 */
#include "lint.h"

#include "compat.h"
#include "parser.h"
#include "print.h"

/* So much of the line is shown on either side of what is marked. */
#define CONTEXT 36

struct lint {
	FILE *out;
	const char *text;
	size_t len;
	const struct boot_plan *plan;
	const struct diag_list *diags;
	unsigned int flags;
};

static size_t put_repeated(FILE *out, char c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fputc(c, out);
	return n;
}

/* The line around a remark, and carets below. */
static void put_caret(const struct lint *l, const struct diag *d)
{
	size_t from = d->pos > CONTEXT ? d->pos - CONTEXT : 0;
	size_t end = d->pos + d->len, to;
	int margin;

	if (end > l->len)
		end = l->len;
	to = l->len - end > CONTEXT ? end + CONTEXT : l->len;
	margin = fprintf(l->out, "        column %zu | ", d->pos + 1);
	fputs(from ? "..." : "", l->out);
	put_escaped(l->out, l->text + from, to - from);
	fprintf(l->out, "%s\n", to < l->len ? "..." : "");
	fprintf(l->out, "%*s| %s", margin > 2 ? margin - 2 : 0, "", from ? "   " : "");
	put_repeated(l->out, ' ', escaped_width(l->text + from, d->pos - from));
	if (!put_repeated(l->out, '^', escaped_width(l->text + d->pos, end - d->pos)))
		fputc('^', l->out);
	fputc('\n', l->out);
}

/* A note needs no caret: there is nothing to correct at that place. */
static void put_diag(const struct lint *l, const struct diag *d)
{
	fprintf(l->out, "    %s: ", diag_severity_name(d->severity));
	put_escaped(l->out, d->text, strlen(d->text));
	fputc('\n', l->out);
	if (d->len && d->pos <= l->len && d->severity != DIAG_NOTE)
		put_caret(l, d);
	if (d->remedy) {
		fputs("        ", l->out);
		put_escaped(l->out, d->remedy, strlen(d->remedy));
		fputc('\n', l->out);
	}
}

/* Positions decide; the name keeps apart what touches (a"b"=c may share an end). */
static bool about(const struct diag *d, const struct plan_word *w)
{
	return d->option && d->pos >= w->pos && d->pos <= w->pos + w->len &&
		streq(d->option, w->name);
}

static bool has_diag(const struct lint *l, const struct plan_word *w)
{
	for (size_t i = 0; i < diag_list_count(l->diags); i++)
		if (about(diag_list_at(l->diags, i), w))
			return true;
	return false;
}

static void put_compat(const struct lint *l, const struct plan_word *w)
{
	enum compat_backend b = (enum compat_backend)(l->flags >> 8);
	const char *text, *program;
	size_t at = 0;

	while (b && (text = compat_text(b, w, &at, &program)))
		fprintf(l->out, "    %s: %s\n", program, text);
}

/* The raw text, quotes and all: what the reader finds in the boot loader's file. */
static void put_word(const struct lint *l, const struct plan_word *w)
{
	const char *effect = w->effect ? w->effect : "has no effect";

	if (l->flags & LINT_REMARKS && !has_diag(l, w))
		return;
	put_escaped(l->out, l->text + w->pos, w->len);
	fputs("\n    ", l->out);
	put_escaped(l->out, effect, strlen(effect));
	fputc('\n', l->out);
	put_compat(l, w);
	for (size_t i = 0; i < diag_list_count(l->diags); i++)
		if (about(diag_list_at(l->diags, i), w))
			put_diag(l, diag_list_at(l->diags, i));
}

/* A word that was left out changes nothing. */
static bool has_effect(const struct boot_plan *p, enum option_id id)
{
	for (size_t i = 0; i < p->n_words; i++)
		if (p->words[i].row == option_row(id) && p->words[i].effect)
			return true;
	return false;
}

static void put_leader(const struct lint *l, const struct plan_net *net)
{
	bool named = has_effect(l->plan, OPTION_BOOTDEV) || has_effect(l->plan, OPTION_NETDEV);
	bool others = false;

	for (size_t i = 0; i < net->n_ips; i++)
		others |= !plan_ip_is_open(&net->ips[i]);
	if (!named && net->bootdev && net->n_ips > 1)
		fprintf(l->out, "    takes routes, DNS and the root path from %s\n", net->bootdev);
	if (!net->bootdev && net->bootif.len && others)
		fputs("    takes routes and the root path first from the interface of BOOTIF=\n",
			l->out);
}

/* What the line leaves open, since a default is an answer as well. */
static void put_defaults(const struct lint *l)
{
	const struct boot_plan *p = l->plan;

	if (l->flags & LINT_REMARKS)
		return;
	fputs("(by default)\n", l->out);
	if (p->net.wanted && !p->net.n_ips)
		fprintf(l->out, "    %s%s\n", p->root.block.nbft
			? "takes interfaces and addresses from the same table"
			: p->net.bootif.len ? "asks for a lease by DHCP on that interface alone"
			: "asks for a lease by DHCP on every interface",
			!p->root.block.nbft && plan_ip_families(p) & PLAN_FAMILY_6
			? "; IPv6 by autoconfiguration or else DHCPv6" : "");
	put_leader(l, &p->net);
	if (!has_effect(p, OPTION_RD_RETRY))
		fprintf(l->out, "    gives network and root %u s to become ready\n", p->retry_s);
	if (!has_effect(p, OPTION_RD_TIMEOUT))
		fputs("    sets no limit to the whole boot\n", l->out);
	if (!has_effect(p, OPTION_RD_SHELL) && !has_effect(p, OPTION_RD_EMERGENCY))
		fputs("    opens a shell on the console when the boot fails\n", l->out);
	if (!has_effect(p, OPTION_INIT))
		fprintf(l->out, "    starts %s of the real root\n", p->init);
}

/* Remarks about the line as a whole, then the sums. */
static void put_summary(const struct lint *l)
{
	static const char *const plural[] = {"note", "warning", "error", "fatal error"};
	size_t counts[ARRAY_SIZE(plural)] = {0};

	for (size_t i = 0; i < diag_list_count(l->diags); i++) {
		const struct diag *d = diag_list_at(l->diags, i);

		counts[d->severity]++;
		if (d->option)
			continue;
		fputs("(the whole line)\n", l->out);
		put_diag(l, d);
	}
	fprintf(l->out, "%zu word%s", l->plan->n_words, l->plan->n_words == 1 ? "" : "s");
	for (size_t i = ARRAY_SIZE(plural); i-- > 0;)
		if (counts[i])
			fprintf(l->out, ", %zu %s%s", counts[i], plural[i],
				counts[i] == 1 ? "" : "s");
	if (diag_list_dropped(l->diags))
		fprintf(l->out, ", %zu more remarks not kept", diag_list_dropped(l->diags));
	fputc('\n', l->out);
}

int cmdline_lint(const char *cmdline, size_t len, FILE *out, unsigned int flags)
{
	_cleanup_(diag_list_freep) struct diag_list *diags = NULL;
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	const struct plan_source src = {
		.text = cmdline, .len = len, .running = flags & LINT_RUNNING};
	struct lint l = {.out = out, .text = cmdline, .len = len, .flags = flags};
	int r = diag_list_new(&diags);

	if (r < 0)
		return r;
	r = plan_parse_sources(&plan, &src, 1, diags);
	if (r < 0)
		return r;
	l.plan = plan;
	l.diags = diags;
	for (size_t i = 0; i < plan->n_words; i++)
		put_word(&l, &plan->words[i]);
	put_defaults(&l);
	put_summary(&l);
	if (flags & LINT_PLAN) {
		r = plan_dump(plan, out, true);
		if (r < 0)
			return r;
	}
	if (fflush(out) || ferror(out))
		return -EIO;
	r = diag_list_worst(diags);
	return r >= DIAG_ERROR ? LINT_ERRORS : r == DIAG_WARN ? LINT_WARNINGS : LINT_CLEAN;
}
