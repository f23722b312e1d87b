// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits on systemd's status line and plymouth's screen, each played by a socket. */
#include "check.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "netns.h"
#include "notify.h"
#include "plymouth.h"

static int manager(const char *name)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strscpy(sa.sun_path, name, sizeof(sa.sun_path));
	if (*name == '@')
		sa.sun_path[0] = 0;
	CHECK(fd >= 0 && bind(fd, (struct sockaddr *)&sa, len) == 0);
	setenv("NOTIFY_SOCKET", name, 1);
	return fd;
}

static void hears(int fd, const char *want)
{
	char text[512] = "";

	CHECK(recv(fd, text, sizeof(text) - 1, 0) > 0);
	CHECK_STR(text, want);
}

TEST(systemd_by_path_and_by_abstract_name)
{
	char folder[] = "/tmp/screensXXXXXX", path[64], name[64];
	int fd;

	snprintf(path, sizeof(path), "%s/notify", check_dir(folder));
	/* all test programs share the abstract names of the machine */
	snprintf(name, sizeof(name), "@initagent-test-screens-%d", (int)getpid());
	fd = manager(path);
	CHECK_INT(notify_status("ib0: waiting for carrier"), 1);
	hears(fd, "STATUS=ib0: waiting for carrier");
	close(fd);
	fd = manager(name);
	CHECK_INT(notify_send("READY=1\nSTATUS=root mounted"), 1);
	hears(fd, "READY=1\nSTATUS=root mounted");
	close(fd);
}

TEST(nobody_asked)
{
	unsetenv("NOTIFY_SOCKET");
	CHECK_INT(notify_send("READY=1"), 0);
	setenv("NOTIFY_SOCKET", "vsock:2:1234", 1); /* a kind that is not for us */
	CHECK_INT(notify_send("READY=1"), 0);
	setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
	CHECK(notify_send("READY=1") < 0);
}

/* A manager that does not read holds nobody up. */
TEST(a_stuck_manager)
{
	char folder[] = "/tmp/screensXXXXXX", path[64];
	uint64_t began = now_ns();
	int fd, r = 1;

	snprintf(path, sizeof(path), "%s/notify", check_dir(folder));
	fd = manager(path);
	for (int i = 0; i < 10000 && r == 1; i++)
		r = notify_status("waiting");
	CHECK_INT(r, -EAGAIN);
	CHECK(now_ns() - began < 5 * NSEC_PER_SEC);
	close(fd);
}

/* Abstract names belong to the network namespace: this one's plymouth is ours alone. */
static int splash(void)
{
	static const char name[] = "\0/org/freedesktop/plymouthd";
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(sa.sun_path, name, sizeof(name) - 1);
	CHECK(bind(fd, (struct sockaddr *)&sa, (socklen_t)(offsetof(struct sockaddr_un,
		sun_path) + sizeof(name) - 1)) == 0);
	CHECK_INT(listen(fd, 1), 0);
	return fd;
}

static void shows(int fd, const char *want, size_t len)
{
	char text[1024] = "";

	CHECK_INT(recv(fd, text, sizeof(text), 0), len);
	CHECK_MEM(text, want, len);
}

TEST(plymouth_shows_the_wait_and_nothing_after_it)
{
	struct plymouth p = {.fd = -1};
	int fd, peer;

	netns_enter();
	plymouth_show(&p, "nobody is there"); /* and that is all right */
	fd = splash();
	plymouth_show(&p, "ib0: waiting for carrier");
	peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	CHECK(peer >= 0);
	shows(peer, "M\2\31ib0: waiting for carrier", 28);
	CHECK_INT(send(peer, "\6", 1, 0), 1);
	plymouth_show(&p, "other");
	shows(peer, "m\2\31ib0: waiting for carrier\0M\2\6other", 28 + 9);
	plymouth_show(&p, "");
	shows(peer, "m\2\6other", 9);
	plymouth_show(&p, "");
	CHECK(recv(peer, &(char){0}, 1, 0) < 0);
	plymouth_done(&p);
}

TEST(a_splash_that_goes_away_or_does_not_read)
{
	struct plymouth p = {.fd = -1};
	uint64_t began = now_ns();
	char huge[400];
	int fd, peer;

	netns_enter();
	fd = splash();
	plymouth_show(&p, "first");
	peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	close(peer);
	plymouth_show(&p, "second"); /* lost with the connection */
	plymouth_show(&p, "third");
	peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	shows(peer, "M\2\6third", 9);
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = 0;
	for (int i = 0; i < 20000; i++)
		plymouth_show(&p, huge);
	CHECK(now_ns() - began < 5 * NSEC_PER_SEC);
	plymouth_done(&p);
}
