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
		{"nvme_tcp: queue 0: bad type returned 0", CAUSE_BLOCK_PROTOCOL},
		{"nvme nvme0: qid 0: authentication setup failed", CAUSE_BLOCK_AUTH},
		{"nvme_fabrics: no handler found for transport rdma.", CAUSE_MODULE_MISSING},
		{"nvme nvme0: Connect incompatible format: 1", CAUSE_BLOCK_CONNECT},
		{"scsi host0:   REJ reason 0x8", CAUSE_BLOCK_REFUSED},
		/* by RDMA-CM, and by InfiniBand's own connection manager */
		{"scsi host0: ib_srp: SRP LOGIN REJECTED, reason 0x00010006", CAUSE_BLOCK_DENIED},
		{"scsi host0: ib_srp: SRP LOGIN from fe80::1 to fe80::2 REJECTED, reason "
		 "0x00010006", CAUSE_BLOCK_DENIED},
		{"scsi host0: ib_srp: SRP LOGIN from fe80::1 to fe80::2 REJECTED, reason "
		 "0x00010003", CAUSE_BLOCK_NO_TARGET},
		{"scsi host0: ib_srp: Path record query failed: sgid fe80::1, dgid fe80::2, "
		 "pkey 0xffff, service_id 0x1", CAUSE_BLOCK_UNREACHABLE},
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
	CHECK_INT(words_of_errno(ECONNREFUSED, false)->cause, CAUSE_BLOCK_REFUSED);
	CHECK_INT(words_of_errno(EHOSTUNREACH, false)->cause, CAUSE_BLOCK_UNREACHABLE);
	CHECK_INT(words_of_errno(EAGAIN, false)->cause, CAUSE_BLOCK_UNREACHABLE);
	CHECK_INT(words_of_errno(ENODEV, false)->cause, CAUSE_BLOCK_NO_RDMA);
	CHECK_INT(words_of_errno(EIO, false)->cause, CAUSE_BLOCK_CONNECT);
	CHECK_INT(words_of_errno(EHOSTUNREACH, true)->cause, CAUSE_BLOCK_UNREACHABLE);
	CHECK_INT(words_of_errno(ECONNRESET, false)->cause, CAUSE_BLOCK_REFUSED);
	/* RDMA-CM's address, route or connection failed; a rejection has words */
	CHECK_INT(words_of_errno(ECONNRESET, true)->cause, CAUSE_BLOCK_UNREACHABLE);
	CHECK_INT(words_of_errno(ENXIO, true)->cause, CAUSE_BLOCK_NO_RDMA);
}
