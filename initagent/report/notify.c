// SPDX-License-Identifier: GPL-2.0-or-later
/* notify: see notify.h. The socket name is a path, or '@' and an abstract name. */
#include "notify.h"

#include <sys/socket.h>
#include <sys/un.h>

static int notify(const char *text, int flags)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	const char *name = getenv("NOTIFY_SOCKET");
	_cleanup_close_ int fd = -1;
	socklen_t len;

	if (!name || (*name != '@' && *name != '/'))
		return 0;
	if (strscpy(sa.sun_path, name, sizeof(sa.sun_path)) < 0)
		return -E2BIG;
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	if (*name == '@')
		sa.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, text, strlen(text), MSG_NOSIGNAL | flags, (struct sockaddr *)&sa, len) < 0)
		return -errno;
	return 1;
}

int notify_send(const char *text)
{
	return notify(text, 0);
}

int notify_status(const char *line)
{
	char text[512];

	snprintf(text, sizeof(text), "STATUS=%s", line);
	return notify(text, MSG_DONTWAIT);
}
