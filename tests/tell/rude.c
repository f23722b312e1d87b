// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rude PORT MODE: a collector on 127.0.0.1 that does not behave, for tests/report.bats. MODE:
 *
 *   silent   takes connections and reads nothing
 *   close    hangs up at once
 *   garbage  answers with something that is no HTTP, and hangs up
 *   flood    sends without end
 *   dribble  sends a byte every 100 ms
 *   xcatd    as the install monitor of xCAT (sbin/xcatd): prints each line that it takes
 *   stranger the same, to a node whose name it cannot find: hangs up without a word
 *   drowsy   the same as xcatd, but it never says "done"
 */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/util.h"

static void garbage(int fd)
{
	static const char text[] = "\0\x01\xffSSH-2.0-rude\r\n\r\n";

	if (write(fd, text, sizeof(text)) < 0)
		perror("write");
}

static void flood(int fd)
{
	static char bytes[65536];

	while (write(fd, bytes, sizeof(bytes)) > 0)
		continue;
}

static void dribble(int fd)
{
	while (write(fd, "H", 1) > 0)
		poll(NULL, 0, 100);
}

static void nothing(int fd)
{
	(void)fd;
}

static void silent(int fd)
{
	(void)fd;
	pause();
}

static void take_line(int fd, const char *answer)
{
	char line[128];
	ssize_t n = write(fd, "ready\n", 6) == 6 ? read(fd, line, sizeof(line)) : -1;

	if (n > 0 && write(STDOUT_FILENO, line, (size_t)n) == n && *answer &&
		write(fd, answer, strlen(answer)) < 0)
		perror("write");
	while (!*answer && read(fd, line, sizeof(line)) > 0)
		continue;
}

static void xcatd(int fd)
{
	take_line(fd, "done\n");
}

static void drowsy(int fd)
{
	take_line(fd, "");
}

static const struct {
	const char *name;
	void (*serve)(int fd);
} modes[] = {{"silent", silent}, {"close", nothing}, {"garbage", garbage}, {"flood", flood},
	{"dribble", dribble}, {"xcatd", xcatd}, {"stranger", nothing}, {"drowsy", drowsy}};

int main(int argc, char *argv[])
{
	struct sockaddr_in sa = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1, peer;

	if (argc != 3)
		return 2;
	sa.sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) < 0 || listen(fd, 64) < 0)
		return 1;
	while ((peer = accept(fd, NULL, NULL)) >= 0) {
		for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
			if (streq(argv[2], modes[i].name) && fork() == 0) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				modes[i].serve(peer);
				_exit(0);
			}
		close(peer);
	}
	return 1;
}
