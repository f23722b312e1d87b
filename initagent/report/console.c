// SPDX-License-Identifier: GPL-2.0-or-later
/* console: see console.h. */
#include "report/console.h"

#include <poll.h>

#define WRITE_PATIENCE_MS 200

static bool printable(unsigned char c)
{
	return c >= 0x20 && c != 0x7f && c < 0x80;
}

void console_clean(char *dst, size_t size, const char *src)
{
	size_t out = 0;

	for (; *src && out + 5 < size; src++) {
		unsigned char c = (unsigned char)*src;

		if (printable(c))
			dst[out++] = (char)c;
		else
			out += (size_t)snprintf(dst + out, 5, "\\x%02x", c);
	}
	dst[out] = 0;
}

void console_line(int fd, const char *text)
{
	char line[1024];
	int len = snprintf(line, sizeof(line), "%s\n", text);
	const char *p = line;

	if (fd < 0 || len <= 0)
		return;
	len = len < (int)sizeof(line) ? len : (int)sizeof(line) - 1;
	while (len > 0) {
		struct pollfd pfd = {.fd = fd, .events = POLLOUT};
		ssize_t n;

		/* A console held by XOFF or a dead SOL session must not hold the boot. */
		if (poll(&pfd, 1, WRITE_PATIENCE_MS) <= 0)
			return;
		n = write(fd, p, (size_t)len);
		if (n <= 0)
			return;
		p += n;
		len -= (int)n;
	}
}
