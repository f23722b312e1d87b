// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* Documentation/admin-guide/devices.txt: 1 char, minor 11 = /dev/kmsg */
#define MEM_MAJOR  1
#define KMSG_MINOR 11

uint64_t guest_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

int guest_read(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	buf[0] = 0;
	if (fd < 0)
		return -errno;
	while (len < size - 1) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n <= 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	buf[len] = 0;
	return (int)len;
}

uint64_t guest_field(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, key, len) == 0)
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

/*
 * lists_kb: free pages that the kernel keeps for each processor and does not count as MemFree: 12
 * to 34 MB, another number in every boot.
 */
static uint64_t lists_kb(const char *zoneinfo)
{
	uint64_t pages = 0;

	for (const char *p = zoneinfo; (p = strstr(p, " count:")); p++)
		pages += strtoull(p + strlen(" count:"), NULL, 10);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

void guest_snapshot(struct snapshot *s, const char *proc)
{
	static char text[65536];
	char path[64];

	snprintf(path, sizeof(path), "%s/stat", proc);
	guest_read(path, text, sizeof(text));
	s->processes = guest_field(text, "processes ");
	snprintf(path, sizeof(path), "%s/meminfo", proc);
	guest_read(path, text, sizeof(text));
	s->mem_total_kb = guest_field(text, "MemTotal:");
	s->mem_free_kb = guest_field(text, "MemFree:");
	s->mem_available_kb = guest_field(text, "MemAvailable:");
	snprintf(path, sizeof(path), "%s/zoneinfo", proc);
	guest_read(path, text, sizeof(text));
	s->mem_free_kb += lists_kb(text);
}

bool guest_option(const char *cmdline, const char *name, char *buf, size_t size)
{
	size_t len = strlen(name);
	bool found = false;

	for (const char *p = cmdline; *p;) {
		size_t word;

		p += strspn(p, " \n");
		word = strcspn(p, " \n");
		if (word > len && strncmp(p, name, len) == 0 && p[len] == '=') {
			snprintf(buf, size, "%.*s", (int)(word - len - 1), p + len + 1);
			found = true;
		}
		p += word;
	}
	return found;
}

void guest_kmsg(const char *node, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int len;
	int fd;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (mknod(node, S_IFCHR | 0600, makedev(MEM_MAJOR, KMSG_MINOR)) < 0)
		return;
	fd = open(node, O_WRONLY | O_CLOEXEC);
	unlink(node);
	if (fd < 0)
		return;
	if (write(fd, line, (size_t)len) < 0)
		perror(node);
	close(fd);
}
