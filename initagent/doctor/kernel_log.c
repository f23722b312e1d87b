// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_log: see kernel_log.h. */
#include "doctor/kernel_log.h"

#define RECORD_SIZE 8192  /* CONSOLE_EXT_LOG_MAX: the device refuses to be read in smaller pieces */
#define RECORD_MAX  65536 /* records: far more than the kernel's buffer holds */

static void judge_lines(const char *module, bool failed, const char *buf, size_t len,
	struct kmsg_finding *best)
{
	const char *end = buf + len;

	while (buf < end) {
		const char *eol = memchr(buf, '\n', (size_t)(end - buf));
		const char *stop = eol ? eol : end;

		kmsg_judge(module, failed, buf, (size_t)(stop - buf), best);
		buf = stop + 1;
	}
}

void kernel_log_search(
	const struct env *env, const char *module, bool failed, struct kmsg_finding *ret)
{
	_cleanup_close_ int fd = kmsg_open(env);
	char buf[RECORD_SIZE];

	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; fd >= 0 && i < RECORD_MAX; i++) {
		ssize_t n = read(fd, buf, sizeof(buf));

		/* EPIPE: records were overwritten while we read; the next read goes on. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			return;
		judge_lines(module, failed, buf, (size_t)n, ret);
	}
}
