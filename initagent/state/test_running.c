// SPDX-License-Identifier: GPL-2.0-or-later
/* Who runs, who ran, and how often: with real processes and a real kill. */
#include "check.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "state/running.h"
#include "state/state.h"

static struct env make_env(char *dir)
{
	char path[256];

	check_dir(dir);
	snprintf(path, sizeof(path), "%s/run", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	return (struct env){.prefix = dir};
}

TEST(a_whole_life)
{
	char dir[] = "/tmp/initagent-run-XXXXXX";
	struct env env = make_env(dir);
	struct running r, second;

	CHECK_INT(running_look(&env), RUNNING_NEVER);
	CHECK_INT(running_begin(&env, 1000, &r), 0);
	CHECK_INT(r.start, 1000);
	CHECK_INT(r.restarts, 0);
	CHECK_INT(running_look(&env), RUNNING_NOW);
	CHECK_INT(running_begin(&env, 1001, &second), -EBUSY);
	CHECK_INT(running_end(&env, &r, "done"), 0);
	CHECK_INT(running_look(&env), RUNNING_DONE);
	CHECK_INT(running_wait(&env, NSEC_NEVER), RUNNING_DONE);
}

TEST(a_killed_agent_is_noticed_and_restarted)
{
	char dir[] = "/tmp/initagent-run-XXXXXX";
	struct env env = make_env(dir);
	struct running r;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (running_begin(&env, 1000, &r) < 0)
			_exit(1);
		pause();
	}
	while (running_look(&env) != RUNNING_NOW)
		usleep(1000);
	CHECK_INT(running_wait(&env, now_ns() + 20 * NSEC_PER_MSEC), RUNNING_NOW);
	kill(pid, SIGKILL);
	CHECK_INT(running_wait(&env, NSEC_NEVER), RUNNING_KILLED);
	waitpid(pid, NULL, 0);
	CHECK_INT(running_wait_outcome(&env, now_ns() + 20 * NSEC_PER_MSEC), RUNNING_KILLED);
	pid = fork();
	if (pid == 0)
		_exit((int)running_wait_outcome(&env, NSEC_NEVER));
	CHECK_INT(running_begin(&env, 5000, &r), 0);
	CHECK_INT(r.start, 1000);
	CHECK_INT(r.restarts, 1);
	CHECK_INT(running_end(&env, &r, "failed"), 0);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(WEXITSTATUS(status), RUNNING_FAILED);
	CHECK_INT(running_look(&env), RUNNING_FAILED);
	CHECK_INT(running_begin(&env, 9000, &r), 0);
	CHECK_INT(r.start, 9000);
	CHECK_INT(r.restarts, 0);
}

TEST(the_network_is_up_before_the_end)
{
	char dir[] = "/tmp/initagent-run-XXXXXX", names[32];
	struct env env = make_env(dir);
	struct running r;
	pid_t pid;
	int status;

	CHECK_INT(running_begin(&env, 1000, &r), 0);
	pid = fork();
	if (pid == 0)
		_exit((int)running_wait_online(&env, NSEC_NEVER));
	CHECK_INT(running_online(&env, "eth0\nib0\n"), 0);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(WEXITSTATUS(status), RUNNING_DONE);
	CHECK_INT(running_look(&env), RUNNING_NOW);
	/* a killed agent's interfaces are as it left them */
	close(r.lock);
	CHECK_INT(running_begin(&env, 2000, &r), 0);
	CHECK(env_read(&env, names, sizeof(names), STATE_DIR "/online") > 0);
	CHECK_STR(names, "eth0\nib0");
	CHECK_INT(running_end(&env, &r, "failed"), 0);
	CHECK_INT(running_begin(&env, 3000, &r), 0);
	/* it is up no longer; a dead agent's successor is waited for until the deadline alone */
	CHECK_INT(running_wait_online(&env, now_ns()), RUNNING_NOW);
	close(r.lock);
	CHECK_INT(running_wait_online(&env, now_ns()), RUNNING_KILLED);
	CHECK_INT(running_begin(&env, 4000, &r), 0);
	CHECK_INT(running_end(&env, &r, "failed"), 0);
	CHECK_INT(running_wait_online(&env, NSEC_NEVER), RUNNING_FAILED);
}

/* The kernel reports that a file was closed before it gives up the locks on it (__fput). */
TEST(a_lock_that_is_given_up_after_its_file_was_closed)
{
	char dir[] = "/tmp/initagent-run-XXXXXX";
	struct env env = make_env(dir);
	struct flock none = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
	struct running r;
	char path[256];
	pid_t pid;
	int status;

	CHECK_INT(running_begin(&env, 1000, &r), 0);
	CHECK(env_path(&env, path, sizeof(path), STATE_DIR "/lock") > 0);
	pid = fork();
	if (pid == 0) {
		alarm(60);
		_exit((int)running_wait(&env, NSEC_NEVER));
	}
	for (int i = 0; i < 20; i++) {
		close(open(path, O_WRONLY | O_CLOEXEC));
		usleep(5000); /* it takes the event, and sleeps again: nothing tells of that */
	}
	CHECK_INT(fcntl(r.lock, F_OFD_SETLK, &none), 0);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), RUNNING_KILLED);
	close(r.lock);
}

TEST(a_damaged_start_file_is_a_first_start)
{
	static const char *const bad[] = {"", "x", "12", "12 x", "99999999999999999999 1", "9000 0",
		"12 99999999999", "-5 0"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char dir[] = "/tmp/initagent-run-XXXXXX";
		struct env env = make_env(dir);
		struct running r;

		CHECK_INT(file_write(&env, STATE_DIR, "start", bad[i], strlen(bad[i]), 0644), 0);
		CHECK_INT(running_begin(&env, 1000, &r), 0);
		CHECK_INT(r.start, 1000);
		CHECK_INT(r.restarts, 0);
		running_end(&env, &r, "done");
	}
}
