// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <sys/wait.h>

#include "base/script.h"
#include "check.h"

static void keep(const char *text, void *arg)
{
	strscpy(arg, text, SCRIPT_LINE_MAX);
}

/* Process 1 has others, and orphans: what the script says after their end is heard. */
TEST(the_end_of_another_child_is_not_the_scripts)
{
	char other[32], last[SCRIPT_LINE_MAX] = "";
	char command[] = "kill -9 $OTHER; sleep 0.2; echo last; exit 3";
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, command, NULL};
	char *envp[] = {other, NULL};
	const struct script s = {.program = "/bin/sh", .argv = argv, .envp = envp};
	pid_t pid = fork();
	int status;

	if (pid == 0)
		for (;;)
			pause();
	snprintf(other, sizeof(other), "OTHER=%d", (int)pid);
	status = script_run(&s, keep, last);
	CHECK_STR(last, "last");
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 3);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
}
