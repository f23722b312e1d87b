/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syslog: one message of RFC 5424. Pure. */
#pragma once

#include "base/util.h"

/* RFC 5424 section 6.1: every receiver takes 480 bytes, and should take 2,048. */
#define SYSLOG_MAX 2048

/* Severities of RFC 5424, table 2. */
enum syslog_severity { SYSLOG_CRITICAL = 2, SYSLOG_ERROR = 3, SYSLOG_WARNING = 4, SYSLOG_INFO = 6 };

struct syslog_message {
	enum syslog_severity severity;
	uint64_t wall;	    /* ns since 1970; 0: the clock is not to be trusted */
	uint64_t uptime;    /* ns since the kernel's start */
	const char *host;   /* "" when not known */
	unsigned pid;
	const char *id;	    /* MSGID: "wait", "cause", "done", "failed" */
	const char *code;   /* IA-E..., or "" */
	const char *where;  /* rail, port, module or server; "" */
	const char *device; /* RDMA device and port of the rail: "mlx5_0/1"; "" */
	uint64_t guid;	    /* of the rail's port, 0: none */
	bool xcat;	    /* for the log of an xCAT master */
	const char *text;
};

/*
 * syslog_format: writes the message, without any framing. Bytes that are no printable ASCII are
 * shown as \xNN; text that is too long is cut. Returns the length, less than SYSLOG_MAX.
 */
size_t syslog_format(char buf[static SYSLOG_MAX], const struct syslog_message *m);
