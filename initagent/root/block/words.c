// SPDX-License-Identifier: GPL-2.0-or-later
/* words: see words.h. The texts are those of drivers/nvme/host and drivers/infiniband/ulp/srp in
 * Linux 5.10 to 6.12. */
#include "root/block/words.h"

#include "modules/kmsg.h"

static const struct words_row rows[] = {
	/* fabrics.c, nvmf_log_connect_error() */
	{"Connect Invalid Data Parameter, subsysnqn", CAUSE_BLOCK_NO_TARGET, WORDS_LATER},
	{"Connect for subsystem", CAUSE_BLOCK_DENIED, WORDS_LATER},
		/* "... is not allowed, hostnqn: ..." */
	{"Connect Invalid Host", CAUSE_BLOCK_DENIED, WORDS_LATER},
	{"Connect Invalid Data Parameter", CAUSE_BLOCK_CONNECT, WORDS_LATER},
	{"Connect Invalid SQE Parameter", CAUSE_BLOCK_CONNECT, WORDS_LATER},
	{"Connect incompatible format", CAUSE_BLOCK_CONNECT, WORDS_LATER},
	{"authentication", CAUSE_BLOCK_AUTH, WORDS_NEVER},
	{"no handler found for transport", CAUSE_MODULE_MISSING, WORDS_NEVER},
	{"unknown parameter or missing value", CAUSE_BLOCK_CONNECT, WORDS_NEVER},
	/* rdma.c, tcp.c */
	{"invalid service ID", CAUSE_BLOCK_REFUSED, WORDS_LATER},
	{"(stale conn)", CAUSE_BLOCK_REFUSED, WORDS_AT_ONCE},
	{"Connect rejected", CAUSE_BLOCK_REFUSED, WORDS_LATER},
	{"failed to connect socket: -111", CAUSE_BLOCK_REFUSED, WORDS_LATER},
	{"queue 0: bad ", CAUSE_BLOCK_PROTOCOL, WORDS_LATER}, /* or the connection was closed */
	/* ib_srp.c */
	{"REJ reason: stale connection", CAUSE_BLOCK_REFUSED, WORDS_AT_ONCE},
	{"REJ reason", CAUSE_BLOCK_REFUSED, WORDS_LATER}, /* 0x8: no such service */
	/* SRP_LOGIN_REJ_UNABLE_ASSOCIATE_CHANNEL: not that target's port */
	{"REJECTED, reason 0x00010003", CAUSE_BLOCK_NO_TARGET, WORDS_LATER},
	{"SRP LOGIN", CAUSE_BLOCK_DENIED, WORDS_LATER},
	{"Path record query failed", CAUSE_BLOCK_UNREACHABLE, WORDS_LATER},
};

static const struct words_errno errnos[] = {
	{ECONNREFUSED, CAUSE_BLOCK_REFUSED, "nothing listens on that port"},
	{ECONNRESET, CAUSE_BLOCK_REFUSED, "the connection was reset"},
	{ETIMEDOUT, CAUSE_BLOCK_UNREACHABLE, "no answer in time"},
	/* tcp.c waits 10 s for the first answer over the connection */
	{EAGAIN, CAUSE_BLOCK_UNREACHABLE, "connected, but no answer in time"},
	{EHOSTUNREACH, CAUSE_BLOCK_UNREACHABLE, "no route to the server"},
	{ENETUNREACH, CAUSE_BLOCK_UNREACHABLE, "network unreachable"},
	{EHOSTDOWN, CAUSE_BLOCK_UNREACHABLE, "the server is down"},
	{EADDRNOTAVAIL, CAUSE_BLOCK_NO_RDMA, "no RDMA device has this node's address"},
	{ENODEV, CAUSE_BLOCK_NO_RDMA, "no RDMA device for the route to the server"},
	{EACCES, CAUSE_BLOCK_DENIED, "the server denies access"},
	{EPERM, CAUSE_BLOCK_DENIED, "the server denies access"},
	{EKEYREJECTED, CAUSE_BLOCK_AUTH, "the server requires a key"},
};

/* The drivers' number for what RDMA-CM could not reach: what was rejected has a line in the log. */
static const struct words_errno over_rdma[] = {
	{ECONNRESET, CAUSE_BLOCK_UNREACHABLE, "no path to the server, or no answer"},
	{ENXIO, CAUSE_BLOCK_NO_RDMA, "no RDMA device reaches the server's address"},
};

const struct words_row *words_find(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strstr(line, rows[i].words))
			return &rows[i];
	return NULL;
}

static const struct words_errno *find_errno(const struct words_errno *list, size_t n, int error)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].error == error)
			return &list[i];
	return NULL;
}

const struct words_errno *words_of_errno(int error, bool rdma)
{
	static const struct words_errno unknown = {0, CAUSE_BLOCK_CONNECT, ""};
	const struct words_errno *e = NULL;

	if (rdma)
		e = find_errno(over_rdma, ARRAY_SIZE(over_rdma), error);
	if (!e)
		e = find_errno(errnos, ARRAY_SIZE(errnos), error);
	return e ? e : &unknown;
}

int words_open(const struct env *env)
{
	int fd = kmsg_open(env);

	if (fd < 0)
		return -1;
	kmsg_mark(fd);
	return fd;
}

/* The text of a record "PRIORITY,SEQ,TIME,FLAGS;TEXT\n KEY=VALUE\n", cut off at its end. */
static char *text_of(char *record)
{
	char *text = strchr(record, ';');

	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = 0;
	return text + 1;
}

/* The first line with a row counts: those after it are consequences. */
static const struct words_row *read_words(int fd, char *text, size_t size)
{
	char record[2048];
	const struct words_row *row = NULL;

	while (fd >= 0 && !row) {
		ssize_t n = read(fd, record, sizeof(record) - 1);
		char *line;

		if (n < 0 && errno == EPIPE) /* some were lost */
			continue;
		if (n <= 0)
			break;
		record[n] = 0;
		line = text_of(record);
		row = line ? words_find(line) : NULL;
		if (row)
			strscpy(text, line, size);
	}
	return row;
}

int words_judge(struct block_job *j, int fd, int error)
{
	char text[240] = "";
	const struct words_row *row = read_words(fd, text, sizeof(text));
	const struct words_errno *e = words_of_errno(-error, !j->portal || j->portal->rdma);

	if (row) {
		job_fail(j, row->cause, error, "%s: %s", strerror(-error), text);
		j->message.fatal = row->again == WORDS_NEVER;
		j->again = row->again == WORDS_AT_ONCE;
		return error;
	}
	return job_fail(j, e->cause, error, "%s%s%s", strerror(-error), *e->words ? ", " : "",
		e->words);
}
