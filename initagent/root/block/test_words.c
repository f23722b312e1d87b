// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel's words and numbers mean. The lines were taken from kernels 6.1 and 6.12. */
#include "check.h"

#include "root/block/words.h"

TEST(lines_of_the_kernel)
{
	static const struct {
		const char *line;
		enum cause cause;
	} rows[] = {
		{"nvme nvme0: Connect Invalid Data Parameter, subsysnqn \"nqn.x\"",
			CAUSE_BLOCK_NO_TARGET},
		{"nvme nvme0: Connect for subsystem nqn.x is not allowed, hostnqn: nqn.y",
			CAUSE_BLOCK_DENIED},
		{"nvme nvme0: Connect rejected: status 8 (invalid service ID).",
			CAUSE_BLOCK_REFUSED},
		{"nvme nvme0: failed to connect socket: -111", CAUSE_BLOCK_REFUSED},
		{"nvme nvme0: qid 0: authentication setup failed", CAUSE_BLOCK_AUTH},
		{"nvme_fabrics: no handler found for transport rdma.", CAUSE_MODULE_MISSING},
		{"scsi host0:   REJ reason 0x8", CAUSE_BLOCK_REFUSED},
		{"scsi host0: ib_srp: SRP LOGIN REJECTED, reason 0x00010006", CAUSE_BLOCK_DENIED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct words_row *row = words_find(rows[i].line);

		CHECK(row != NULL);
		CHECK_INT(row->cause, rows[i].cause);
	}
	CHECK(!words_find("nvme nvme0: creating 1 I/O queues."));
}

TEST(a_stale_connection_is_tried_again_at_once)
{
	static const struct {
		const char *line;
		enum words_again again;
	} rows[] = {
		{"nvme nvme0: Connect rejected: status 10 (stale conn).", WORDS_AT_ONCE},
		{"scsi host0:   REJ reason: stale connection", WORDS_AT_ONCE},
		{"nvme nvme0: Connect rejected: status 8 (invalid service ID).", WORDS_LATER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_INT(words_find(rows[i].line)->again, rows[i].again);
}

TEST(numbers_have_a_cause_each)
{
	CHECK_INT(words_of_errno(ECONNREFUSED)->cause, CAUSE_BLOCK_REFUSED);
	CHECK_INT(words_of_errno(EHOSTUNREACH)->cause, CAUSE_BLOCK_UNREACHABLE);
	CHECK_INT(words_of_errno(ENODEV)->cause, CAUSE_BLOCK_NO_RDMA);
	CHECK_INT(words_of_errno(EIO)->cause, CAUSE_BLOCK_CONNECT);
}
