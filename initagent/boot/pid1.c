// SPDX-License-Identifier: GPL-2.0-or-later

#include "pid1.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "boot.h"
#include "handover/switch_root.h"
#include "modules/modprobe.h"
#include "handover/policy.h"
#include "report/causes.h"
#include "report/console.h"
#include "root/nfs/adopt.h"
#include "root/init/init_check.h"
#include "shell.h"

#define SYSROOT "/sysroot"
/* A boot child that crashes more often than this will not do better the next time. */
#define CRASH_LIMIT 5
/* From attempt to attempt at least: a shell whose console cannot be read ends at once, and each
 * attempt asks servers and sends reports. */
#define ATTEMPT_LEAST (10 * NSEC_PER_SEC)
/* How long going into the real root may take where rd.timeout= does not say: a server that is
 * restarted is back by then. */
#define SWITCH_LIMIT (180 * NSEC_PER_SEC)
/* And at least, whatever of rd.timeout= is left: a break-point shell may have taken it all. */
#define SWITCH_LEAST (30 * NSEC_PER_SEC)

static const struct env system_env = {.prefix = ""};

static const struct {
	const char *type, *target, *data;
	unsigned long flags;
} api_mounts[] = {
	{"devtmpfs", "/dev", "mode=0755", MS_NOSUID},
	{"proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	/* as systemd mounts it, which leaves one that is there as it is */
	{"tmpfs", "/run", "mode=0755,size=20%,nr_inodes=800k",
		MS_NOSUID | MS_NODEV | MS_STRICTATIME},
};

static void mount_api(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(api_mounts); i++) {
		mkdir(api_mounts[i].target, 0755);
		/* EBUSY: mounted already, e.g. by a wrapper that started us. */
		if (mount(api_mounts[i].type, api_mounts[i].target, api_mounts[i].type,
			    api_mounts[i].flags, api_mounts[i].data) < 0 &&
			errno != EBUSY)
			console_line(STDERR_FILENO,
				"initagent: cannot mount /proc, /sys, /dev or /run");
	}
	mkdir(SYSROOT, 0755);
}

/* The kernel opens /dev/console for us only if the image holds the node; after devtmpfs it is
 * there. */
static void ensure_console(void)
{
	if (fcntl(STDERR_FILENO, F_GETFD) < 0)
		console_adopt();
}

static void say_failure(enum cause cause, const char *what)
{
	const struct cause_info *info = cause_info(cause);
	char line[768];

	snprintf(line, sizeof(line), "initagent: %s %s: %s", info->code, info->text, what);
	console_line(STDERR_FILENO, line);
	snprintf(line, sizeof(line), "initagent: %s check: %s", info->code, info->check);
	console_line(STDERR_FILENO, line);
}

/* --- reboot, poweroff and halt of the rescue shell ------------------------------------------- */

/* What the commands of busybox and sysvinit send to process 1. */
static const struct {
	int signal;
	enum plan_action action;
	const char *line;
} requests[] = {
	{SIGTERM, PLAN_ACTION_REBOOT, "initagent: restarting the machine"},
	{SIGUSR2, PLAN_ACTION_POWEROFF, "initagent: powering the machine off"},
	{SIGUSR1, PLAN_ACTION_HALT, "initagent: halting the machine"},
};

/* Whatever process 1 is at: it never goes back to it. A child that has not been given the default
 * action yet ignores the signal. */
static void obey(int signal)
{
	for (size_t i = 0; getpid() == 1 && i < ARRAY_SIZE(requests); i++)
		if (requests[i].signal == signal) {
			console_line(STDERR_FILENO, requests[i].line);
			policy_end(requests[i].action, STDERR_FILENO);
		}
}

static void handle_requests(void (*handler)(int))
{
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++)
		sigaction(requests[i].signal, &(struct sigaction){.sa_handler = handler}, NULL);
}

/* --- the boot's process ---------------------------------------------------------------------- */

/* Waits until it lets go: true; or for its end, which closes the last of the pipe's other end. */
static bool lets_go(int words)
{
	char word;
	ssize_t n;

	do
		n = read(words, &word, 1);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

/* Waits for its end. Returns its exit status, or -1 when a signal ended it. */
static int child_status(pid_t child)
{
	int status = 0;
	pid_t got;

	/* Orphans come to us; ours is the one that counts. */
	do
		got = wait(&status);
	while (got != child && (got > 0 || errno == EINTR));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs the boot in a child. */
static int run_child(char *init)
{
	int words[2] = {-1, -1};
	pid_t pid = init == MAP_FAILED || pipe2(words, O_CLOEXEC) < 0 ? -1 : fork();
	bool left;

	if (pid == 0) {
		struct boot_args args = {
			.prefix = "",
			.sysroot = SYSROOT,
			.standalone = true,
			.console_fd = STDERR_FILENO,
			.ret_init = init,
			.words_fd = words[1],
		};
		handle_requests(SIG_DFL);
		_exit(boot_main(&args));
	}
	closep(&words[1]);
	left = pid > 0 && lets_go(words[0]);
	closep(&words[0]);
	return left ? BOOT_DONE : pid < 0 ? -1 : child_status(pid);
}

/* --- the real root --------------------------------------------------------------------------- */

static void say_switch_failed(const char *init, const char *step, int error)
{
	char why[256], text[512];

	/* What execve() says of a missing interpreter is that init is not there. */
	snprintf(text, sizeof(text), "%s, init %.200s: %s", step, init, strerror(-error));
	if (init_check(SYSROOT, init, why, sizeof(why)) < 0)
		snprintf(text, sizeof(text), "%s: %.300s", step, why);
	say_failure(CAUSE_SWITCH_ROOT, text);
}

/* Goes into the real root; comes back only if that failed, with -errno. start: of this attempt to
 * boot. */
static int enter_root(char *init, char *argv[], char *envp[], const struct policy *policy,
	uint64_t start)
{
	struct switch_watch_config cfg = {
		.console_fd = STDERR_FILENO,
		.begin = now_ns(),
		.action = policy->failure.action,
	};
	struct switch_watch watch;
	const char *step = "";
	int r;

	cfg.end = policy->timeout_s ? start + policy->timeout_s * NSEC_PER_SEC : cfg.begin
		+ SWITCH_LIMIT;
	if (cfg.end < cfg.begin + SWITCH_LEAST)
		cfg.end = cfg.begin + SWITCH_LEAST;
	root_source(&system_env, SYSROOT, cfg.root);
	switch_watch_begin(&watch, &cfg);
	argv[0] = init;
	r = switch_root_enter(SYSROOT, init, argv, envp, &watch, &step);
	switch_watch_step(&watch, "checking its init");
	say_switch_failed(init, step, r);
	switch_watch_stop(&watch);
	return r;
}

/* --- all ------------------------------------------------------------------------------------- */

static int rescue(const char *why, const char *leaving)
{
	int r = shell_run(why, leaving);

	if (r < 0)
		say_failure(CAUSE_INTERNAL, "there is no rescue shell");
	return r;
}

static void follow_policy(const struct policy *policy, const char *why)
{
	enum plan_action action = policy_follow(policy, rescue, why);

	if (action != PLAN_ACTION_NONE)
		policy_end(action, STDERR_FILENO);
}

static void wait_until(uint64_t when)
{
	for (uint64_t now; (now = now_ns()) < when;)
		poll(NULL, 0, (int)((when - now) / NSEC_PER_MSEC) + 1);
}

void pid1_main(char *argv[], char *envp[])
{
	char *init = mmap(
		NULL, BOOT_INIT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char helper[MODPROBE_HELPER_SIZE] = "";
	uint64_t start = now_ns();
	struct policy policy;
	int crashes = 0, stale = 0;

	umask(022);
	mount_api();
	ensure_console();
	handle_requests(obey);
	if (policy_load(&system_env, &policy) < 0)
		say_failure(CAUSE_INTERNAL,
			"/proc/cmdline cannot be read; the machine restarts when the boot fails");
	/* Here, since a boot's process that is killed could not put it back. */
	modules_check_modprobe_helper(&system_env, helper, sizeof(helper));
	for (;;) {
		int outcome = run_child(init);

		if (outcome < 0 && ++crashes < CRASH_LIMIT)
			continue;
		if (outcome < 0)
			say_failure(CAUSE_INTERNAL,
				"the boot process was killed repeatedly or could not be started");
		if (outcome == BOOT_DONE) {
			if (*helper)
				modules_set_modprobe_helper(&system_env, helper, NULL, 0);
			modules_publish_blacklist(&system_env, NULL, 0);
			/* of an export that was replaced: what has its name now is mounted */
			if (enter_root(init, argv, envp, &policy, start) == -ESTALE && !stale++) {
				console_line(STDERR_FILENO, "initagent: root: mounted once more");
				continue;
			}
		}
		follow_policy(&policy, "initagent: the root could not be reached; rescue shell");
		/* The shell was left: once more, from the beginning. */
		wait_until(start + ATTEMPT_LEAST);
		crashes = stale = 0;
		start = now_ns();
	}
}
