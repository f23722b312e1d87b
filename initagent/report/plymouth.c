// SPDX-License-Identifier: GPL-2.0-or-later
#include "plymouth.h"

#include <sys/socket.h>
#include <sys/un.h>

/* plymouth's ply-boot-protocol.h: the name behind a zero byte, and the letters of the requests. */
#define NAME	     "/org/freedesktop/plymouthd"
#define SHOW_MESSAGE 'M'
#define HIDE_MESSAGE 'm'
#define WITH_TEXT    '\2'

static bool connected(struct plymouth *p)
{
	struct sockaddr_un sa = {.sun_family = AF_UNIX};
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 1 + strlen(NAME);

	if (p->fd >= 0)
		return true;
	memcpy(sa.sun_path + 1, NAME, strlen(NAME));
	p->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->fd >= 0 && connect(p->fd, (struct sockaddr *)&sa, len) == 0)
		return true;
	plymouth_done(p);
	return false;
}

/* Letter, sign of an argument, its length with the zero byte, and the text. */
static bool request(struct plymouth *p, char letter, const char *text)
{
	size_t n = strlen(text) + 1;
	char packet[3 + sizeof(p->shown)] = {letter, WITH_TEXT, (char)n};

	memcpy(packet + 3, text, n);
	return send(p->fd, packet, 3 + n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)(3 + n);
}

void plymouth_show(struct plymouth *p, const char *text)
{
	char answers[64];
	bool ok;

	if (!*text && !*p->shown)
		return;
	if (!connected(p))
		return;
	/* Plymouth answers a byte per request; they are discarded. */
	recv(p->fd, answers, sizeof(answers), MSG_DONTWAIT);
	ok = !*p->shown || request(p, HIDE_MESSAGE, p->shown);
	strscpy(p->shown, text, sizeof(p->shown));
	ok = ok && (!*text || request(p, SHOW_MESSAGE, p->shown));
	/* Part of a request would garble the next: connect again. */
	if (!ok)
		plymouth_done(p);
}

void plymouth_done(struct plymouth *p)
{
	closep(&p->fd);
	p->fd = -1;
	p->shown[0] = 0;
}
