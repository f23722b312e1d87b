// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * join: what became of IPoIB's request to join its broadcast group. The kernel tells it to its log alone
 * ("ib0: multicast join failed for ff12:401b:...:ffff:ffff, status -22"), and only when the SA refused.
 */
#include "fabric/join.h"

#include "modules/kmsg.h"

/* Records read at most: the whole of a usual log; newer ones come last. */
#define RECORD_BUDGET 4096
#define RECORD_SIZE   1024
#define READ_SIZE     8192 /* CONSOLE_EXT_LOG_MAX: a record that does not fit is EINVAL, not cut */
#define MAX_ERRNO     4095 /* include/linux/err.h */

/* Microseconds since boot of a record "PRIORITY,SEQ,TIME,FLAGS;TEXT"; ret_text is TEXT. */
static bool split_record(const char *line, uint64_t *ret_us, const char **ret_text)
{
	const char *p = strchr(line, ',');
	const char *text = strchr(line, ';');
	char *end;

	p = p ? strchr(p + 1, ',') : NULL;
	if (!p || !text || p > text)
		return false;
	*ret_us = strtoull(p + 1, &end, 10);
	*ret_text = text + 1;
	return end != p + 1;
}

bool join_failure_in(const char *record, size_t len, const char *netdev, uint64_t *ret_us, int *ret_status)
{
	static const char words[] = ": multicast join failed for ff12:401b:";
	static const char group[] = "ffff:ffff, status ";
	size_t name = strlen(netdev);
	char line[RECORD_SIZE];
	const char *text, *p;
	long status;

	len = len < sizeof(line) - 1 ? len : sizeof(line) - 1;
	memcpy(line, record, len);
	line[len] = 0;
	line[strcspn(line, "\n")] = 0;
	if (!split_record(line, ret_us, &text) || strncmp(text, netdev, name) != 0 ||
		strncmp(text + name, words, sizeof(words) - 1) != 0)
		return false;
	p = strstr(text, group);
	status = p ? strtol(p + sizeof(group) - 1, NULL, 10) : 0;
	*ret_status = status < 0 && status >= -MAX_ERRNO ? (int)status : 0;
	return *ret_status < 0;
}

int fabric_join_failure(const struct env *env, const char *netdev, uint64_t since)
{
	_cleanup_close_ int fd = kmsg_open(env);
	int status = 0, last = 0;
	char buf[READ_SIZE];
	uint64_t us;

	for (unsigned i = 0; fd >= 0 && i < RECORD_BUDGET; i++) {
		ssize_t n = read(fd, buf, sizeof(buf));

		/* EPIPE: records were overwritten before we came; the next read goes on. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		if (join_failure_in(buf, (size_t)n, netdev, &us, &status) && us >= since / 1000)
			last = status;
	}
	return last;
}
