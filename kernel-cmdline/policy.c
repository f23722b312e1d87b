/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy: init=, what a failed boot does, break points, and how much is shown. */
#include "parser.h"

/* Whether it is there is seen later, in the real root. */
PARSE(init)
{
	struct slice v = word_value(w);

	if (has_control(v) || v.len > 255) {
		complain(p, w, v, DIAG_ERROR, NULL, "not a path; left out, %s stays",
			p->plan->init);
		return false;
	}
	if (v.s[0] == '/') {
		p->plan->init = w->value;
	} else {
		p->plan->init = textf(p, "/%s", w->value);
		complain(p, w, v, DIAG_WARN, textf(p, "write init=%s", p->plan->init),
			"not absolute; read from the root's top");
	}
	return say(p, w, "starts %s of the real root", p->plan->init);
}

/* Kept as given: what follows from it depends on rd.emergency and rd.break too. */
PARSE(shell)
{
	bool on = read_switch(p, row, w);

	p->plan->shell = on ? PLAN_ON : PLAN_OFF;
	return say(p, w, on ? "opens a shell on the console when the boot fails"
			    : "opens no shell when the boot fails");
}

const struct choice failure_actions[] = {
	{"reboot", PLAN_ACTION_REBOOT, "reboots"},
	{"poweroff", PLAN_ACTION_POWEROFF, "powers off"},
	{"halt", PLAN_ACTION_HALT, "halts"},
	{"none", PLAN_ACTION_NONE, NULL}, /* shown, not taken */
	{"shell", PLAN_ACTION_NONE, "opens a shell"},
	{0},
};

static const char *verb(enum plan_action action)
{
	const struct choice *c = failure_actions;

	while (c->value != action)
		c++;
	return c->text;
}

PARSE(emergency)
{
	const struct choice *c = choice_find(failure_actions, word_value(w));

	if (!c || !c->text)
		return left_out(p, w, word_value(w), choice_near(p, w, failure_actions,
				"rd.emergency=reboot, poweroff or halt"), "not an action");
	p->plan->failure.action = (enum plan_action)c->value;
	say(p, w, "%s when the boot fails", c->text);
	if (c->value == PLAN_ACTION_NONE)
		complain(p, w, word_value(w), DIAG_NOTE, "write rd.shell",
			"not one of dracut's words; the same as rd.shell");
	return true;
}

const struct choice break_stages[] = {
	{"cmdline", PLAN_BREAK_CMDLINE, NULL},
	{"pre-udev", PLAN_BREAK_PRE_UDEV, NULL},
	{"pre-trigger", PLAN_BREAK_PRE_TRIGGER, NULL},
	{"initqueue", PLAN_BREAK_INITQUEUE, NULL},
	{"pre-mount", PLAN_BREAK_PRE_MOUNT, NULL},
	{"mount", PLAN_BREAK_MOUNT, NULL},
	{"pre-pivot", PLAN_BREAK_PRE_PIVOT, NULL},
	{"cleanup", PLAN_BREAK_CLEANUP, NULL},
	{"switch_root", PLAN_BREAK_SWITCH_ROOT, NULL},
	{"switch-root", PLAN_BREAK_SWITCH_ROOT, NULL},
	{"", PLAN_BREAK_SWITCH_ROOT, NULL},
	{0},
};

/* dracut uses the last one only; here each of several counts. */
PARSE(breakpoint)
{
	const struct choice *c = choice_find(break_stages, word_value(w));

	if (slice_is(word_value(w), "pre-shutdown") || slice_is(word_value(w), "shutdown"))
		return say(p, w, "a stage of dracut's shutdown");
	if (!c)
		return left_out(p, w, word_value(w), choice_near(p, w, break_stages,
				"cmdline, pre-udev, pre-trigger, initqueue, pre-mount, mount, "
				"pre-pivot or cleanup"), "not a stage");
	if (p->plan->breaks && p->plan->breaks != c->value)
		differ(p, w, WHOLE, DIAG_WARN, "one breakpoint per boot",
			"each of them counts here; dracut uses the last one only");
	p->plan->breaks |= c->value;
	return say(p, w, "opens a shell before %s",
		c->value == PLAN_BREAK_SWITCH_ROOT ? "the real init starts" : w->value);
}

/* The kernel's parameter takes no value: "quiet=1" is no "quiet" to it. */
PARSE(quiet)
{
	if (w->value) {
		warn_word(p, w, textf(p, "write %s alone", row->name),
			"the kernel knows %s without a value only; left out", row->name);
		return false;
	}
	p->plan->quiet = true;
	return say(p, w, "shows only warnings and errors, of the kernel and of this agent");
}

/*
 * dracut's reading is a trap: rd.emergency=reboot alone opens a shell there, which waits without
 * end on an unattended machine. Here an action takes place, and with rd.shell both; the shell of
 * an image of dracut's is dracut's, and keeps to dracut's rule.
 */
void resolve_policy(struct parser *p)
{
	struct boot_plan *plan = p->plan;
	struct plan_word *w = parser_word(p, OPTION_RD_EMERGENCY);
	bool action = plan->failure.action != PLAN_ACTION_NONE;

	plan->failure.shell =
		plan->shell == PLAN_ON || (plan->shell == PLAN_UNSET && (plan->breaks || !action));
	if (!plan->failure.shell && !action)
		plan->failure.action = PLAN_ACTION_HALT; /* dracut's, with rd.shell=0 */
	if (plan->shell == PLAN_OFF && plan->breaks)
		warn_word(p, parser_word(p, OPTION_RD_BREAK), "leave rd.break out, or rd.shell=0",
			"opens a shell despite rd.shell=0, which counts for a failed boot only");
	if (!w || !action)
		return;
	if (plan->failure.shell)
		say(p, w, "%s, once the shell is left", w->effect ? w->effect : "");
	else if (plan->shell == PLAN_UNSET)
		note_word(p, w, "add rd.shell=0 if the same line must work there",
			"%s without opening a shell; dracut would open one first",
			verb(plan->failure.action));
}
