// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/labels.h"

#include <linux/magic.h>
#include <signal.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/script.h"
#include "report/causes.h"
#include "report/console.h"

#define CONFIG	   "/etc/selinux/config"
#define CONFIG_MAX 65536

static void say(const char *text, void *arg)
{
	char line[SCRIPT_LINE_MAX + 64];

	(void)arg;
	snprintf(line, sizeof(line), "initagent: root: SELinux: %s", text);
	console_line(STDERR_FILENO, line);
}

/* As libselinux reads it: the last line that begins with it counts, in quotes or not. */
static bool asks_for_labels(void)
{
	_cleanup_free_ void *text = NULL;
	char *save = NULL;
	bool asks = false;
	size_t size;

	if (io_read_file(CONFIG, CONFIG_MAX, &text, &size) < 0)
		return false;
	for (char *w = strtok_r(text, "\n", &save); w; w = strtok_r(NULL, "\n", &save)) {
		w += strspn(w, " \t");
		if (strncmp(w, "SELINUX=", 8) != 0)
			continue;
		w += 8 + strspn(w + 8, " \t\"'");
		asks = strncasecmp(w, "enforcing", 9) == 0 || strncasecmp(w, "permissive", 10) == 0;
	}
	return asks;
}

/* What it says goes to the console. */
static bool run(const char *program, char *const argv[])
{
	const struct cause_info *c = cause_info(CAUSE_ROOT_LABELS);
	const struct script s = {.program = program, .argv = argv};
	char text[80], line[256];
	int status = script_run(&s, say, NULL);

	if (status == 0)
		return true;
	if (status < 0)
		snprintf(text, sizeof(text), "%s: %s", argv[0], strerror(-status));
	else
		snprintf(text, sizeof(text), "%s ended with %d", argv[0],
			WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
	snprintf(line, sizeof(line), "initagent: root: %s %s: SELinux: %s", c->code, c->text, text);
	console_line(STDERR_FILENO, line);
	snprintf(line, sizeof(line), "initagent: root: %s check: %s", c->code, c->check);
	console_line(STDERR_FILENO, line);
	return false;
}

bool labels_wanted(void)
{
	struct statfs fs;

	return access("/sys/fs/selinux", F_OK) == 0 && statfs("/", &fs) == 0 &&
		(uint64_t)fs.f_type == TMPFS_MAGIC && asks_for_labels() &&
		access("/warewulf/init.d/90-selinux", F_OK) < 0;
}

#define WORD(text) ((char[]){text})

void labels_set(void)
{
	char *load[] = {WORD("load_policy"), WORD("-i"), NULL};
	/* systemd labels /dev and /run; the others have labels of the kernel's */
	char *label[] = {WORD("restorecon"), WORD("-R"), WORD("-e"), WORD("/proc"), WORD("-e"),
		WORD("/sys"), WORD("-e"), WORD("/dev"), WORD("-e"), WORD("/run"), WORD("/"), NULL};
	sigset_t mask;

	/* script_run() leaves SIGCHLD blocked, which init would inherit. */
	sigprocmask(SIG_SETMASK, NULL, &mask);
	if (run("/usr/sbin/load_policy", load))
		run("/usr/sbin/restorecon", label);
	sigprocmask(SIG_SETMASK, &mask, NULL);
}
