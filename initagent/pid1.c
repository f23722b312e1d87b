// SPDX-License-Identifier: GPL-2.0-or-later
/* pid1: see pid1.h. */
#include "pid1.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "boot.h"
#include "handover/switch_root.h"
#include "modules/helper.h"
#include "pidfd.h"
#include "report/causes.h"
#include "report/console.h"
#include "shell.h"

#define SYSROOT "/sysroot"
/* A boot child that crashes more often than this will not do better the next time. */
#define CRASH_LIMIT 5
/* What a serial line of 9,600 baud has in its buffer takes 4.3 s. */
#define SETTLE_MS 6000

static const struct env system_env = {.prefix = ""};

static const struct {
	const char *type, *target, *data;
	unsigned long flags;
} api_mounts[] = {
	{"devtmpfs", "/dev", "mode=0755", MS_NOSUID},
	{"proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC},
	{"tmpfs", "/run", "mode=0755", MS_NOSUID | MS_NODEV},
};

static void mount_api(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(api_mounts); i++) {
		mkdir(api_mounts[i].target, 0755);
		/* EBUSY: mounted already, e.g. by a wrapper that started us. */
		if (mount(api_mounts[i].type, api_mounts[i].target, api_mounts[i].type,
			    api_mounts[i].flags, api_mounts[i].data) < 0 &&
			errno != EBUSY)
			console_line(STDERR_FILENO, "initagent: an API file system could not be mounted");
	}
	mkdir(SYSROOT, 0755);
}

/* The kernel opens /dev/console for us only if the image holds the node; after devtmpfs it is there. */
static void ensure_console(void)
{
	int fd;

	if (fcntl(STDERR_FILENO, F_GETFD) >= 0)
		return;
	fd = open("/dev/console", O_RDWR | O_NOCTTY);
	for (int i = 0; fd >= 0 && i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

/* Waits for a word of the boot's process, which is added to *said: true. Or for its end: false. */
static bool hear(int words, int end, uint64_t *said)
{
	struct pollfd fds[] = {{.fd = words, .events = POLLIN}, {.fd = end, .events = POLLIN}};
	uint64_t word;

	while (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno == EINTR)
		continue;
	if (!(fds[0].revents & POLLIN) || read(words, &word, sizeof(word)) != sizeof(word))
		return false;
	*said += word;
	return true;
}

/*
 * Follows the boot's process. While that writes down what it did, what the real root needs first is fetched. Returns whether it
 * let go; if not, its end is to be waited for. Orphans that end meanwhile are reaped after it.
 */
static bool follow(pid_t child, int words, const char *init)
{
	_cleanup_close_ int end = pidfd_of(child);
	uint64_t said = 0;

	if (words < 0 || end < 0 || !hear(words, end, &said))
		return false;
	switch_root_prepare(SYSROOT, init);
	while (said < BOOT_LET_GO)
		if (!hear(words, end, &said))
			return false;
	return true;
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
	_cleanup_close_ int words = eventfd(0, EFD_CLOEXEC);
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (pid == 0) {
		struct boot_args args = {
			.prefix = "",
			.sysroot = SYSROOT,
			.standalone = true,
			.console_fd = STDERR_FILENO,
			.ret_init = init,
			.words_fd = words,
		};
		_exit(boot_main(&args));
	}
	return follow(pid, words, init) ? BOOT_DONE : child_status(pid);
}

/* Lets the last lines reach a slow serial console, then ends the machine. */
static void end_machine(int how)
{
	sync();
	console_settle(STDERR_FILENO, SETTLE_MS);
	reboot(how);
}

static void say_failure(enum cause cause, const char *step, int error)
{
	const struct cause_info *info = cause_info(cause);
	char line[256];

	snprintf(line, sizeof(line), "initagent: %s %s: %s: %s", info->code, info->text, step,
		strerror(-error));
	console_line(STDERR_FILENO, line);
	snprintf(line, sizeof(line), "initagent: %s check: %s", info->code, info->check);
	console_line(STDERR_FILENO, line);
}

/*
 * Goes into the real root; comes back only if that failed. helper: what the real root's kernel.modprobe is to be, "" as it
 * is.
 */
static void enter_root(char *init, char *argv[], char *envp[], const char *helper)
{
	const char *step = "";
	int r;

	if (*helper)
		modules_set_modprobe_helper(&system_env, helper, NULL, 0);
	argv[0] = init;
	r = switch_root_enter(SYSROOT, init, argv, envp, &step);
	say_failure(CAUSE_SWITCH_ROOT, step, r);
}

static void rescue(const char *why)
{
	int r = shell_run(why);

	if (r == 0)
		return;
	say_failure(CAUSE_INTERNAL, "rescue shell", r);
	end_machine(RB_HALT_SYSTEM);
}

static const struct {
	int outcome, how;
} machine_ends[] = {
	{BOOT_REBOOT, RB_AUTOBOOT},
	{BOOT_POWEROFF, RB_POWER_OFF},
	{BOOT_HALT, RB_HALT_SYSTEM},
};

static void apply_policy(int outcome)
{
	for (size_t i = 0; i < ARRAY_SIZE(machine_ends); i++)
		if (machine_ends[i].outcome == outcome)
			end_machine(machine_ends[i].how);
	if (outcome != BOOT_AGAIN)
		rescue("initagent: the agent cannot go on; rescue shell");
}

void pid1_main(char *argv[], char *envp[])
{
	char *init = mmap(NULL, BOOT_INIT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char helper[MODPROBE_HELPER_SIZE] = "";
	int crashes = 0;

	umask(022);
	mount_api();
	ensure_console();
	/* Here, since a boot's process that is killed could not put it back. */
	modules_check_modprobe_helper(&system_env, helper, sizeof(helper));
	while (init != MAP_FAILED) {
		int outcome = run_child(init);

		if (outcome == BOOT_DONE)
			enter_root(init, argv, envp, helper);
		if (outcome < 0 && ++crashes < CRASH_LIMIT)
			continue;
		apply_policy(outcome);
	}
	end_machine(RB_AUTOBOOT);
	_exit(1);
}
