// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/private.h"

#include "base/print_json.h"
#include "state/cmdline.h"

static enum doctor_verdict judge(const struct survey *s, const struct findings *f)
{
	size_t ready = 0;

	for (size_t i = 0; i < s->n; i++)
		ready += findings_ready(f, &s->ports[i]);
	if (s->n == 0)
		return DOCTOR_NO_DEVICE;
	if (ready == 0)
		return DOCTOR_NOT_READY;
	return ready == s->n ? DOCTOR_READY : DOCTOR_PARTLY;
}

/* The partitions of the kernel command line, if there is one to read. */
static void check_all(struct findings *f, const struct env *env, const struct survey *s)
{
	struct cmdline c = {0};
	bool loaded = cmdline_load(env, &c) >= 0;

	for (size_t i = 0; i < s->n; i++)
		check_port(f, env, s, &s->ports[i], loaded ? &c.plan->ib : NULL);
	check_node(f, env, s);
	if (loaded)
		cmdline_done(&c);
}

static int print_object(const struct env *env, cJSON *findings, enum doctor_form form, FILE *out)
{
	bool report = form == DOCTOR_REPORT;

	return print_json(report ? report_object(env, findings) : findings, report, out);
}

enum doctor_verdict doctor_run(const struct env *env, const struct doctor_config *cfg, FILE *out)
{
	_cleanup_free_ struct findings *f = calloc(1, sizeof(*f));
	_cleanup_free_ struct survey *s = calloc(1, sizeof(*s));
	enum doctor_verdict verdict;
	int r = -ENOMEM;

	if (f && s)
		r = survey_take(env, cfg->ops, cfg->ask, s);
	if (r < 0) {
		fprintf(stderr, "initagent: cannot check the ports: %s\n", strerror(-r));
		return DOCTOR_FAILED;
	}
	check_all(f, env, s);
	verdict = judge(s, f);
	if (cfg->form == DOCTOR_TEXT)
		print_text(env, s, f, verdict, out);
	else if (print_object(env, findings_object(env, s, f, verdict), cfg->form, out) < 0)
		verdict = DOCTOR_FAILED;
	survey_done(s);
	return verdict;
}

int doctor_ports(const struct env *env, bool ask, FILE *out)
{
	_cleanup_free_ struct survey *s = calloc(1, sizeof(*s));
	int r = s ? survey_take(env, NULL, ask, s) : -ENOMEM;

	if (r < 0)
		return r;
	fabric_print_ports(env, s->ports, s->n, out);
	survey_done(s);
	return 0;
}
