// SPDX-License-Identifier: GPL-2.0-or-later
/* NBD's beginning against scripted servers, and against a real one: nbdkit on a socket. */
#include "check.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include "root/block/nbd_hello.h"

struct script {
	uint8_t bytes[16384];
	size_t len;
};

static void put(struct script *s, const void *data, size_t len)
{
	CHECK(s->len + len <= sizeof(s->bytes));
	memcpy(s->bytes + s->len, data, len);
	s->len += len;
}

static void be(struct script *s, uint64_t value, int bytes)
{
	for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
		uint8_t b = (uint8_t)(value >> shift);

		put(s, &b, 1);
	}
}

static void greeting(struct script *s, unsigned flags)
{
	put(s, "NBDMAGICIHAVEOPT", 16);
	be(s, flags, 2);
}

static void reply(struct script *s, uint32_t type, const void *data, size_t len)
{
	be(s, UINT64_C(0x3e889045565a9), 8);
	be(s, 7, 4);
	be(s, type, 4);
	be(s, len, 4);
	put(s, data, len);
}

static void info_export(struct script *s, uint64_t size, unsigned flags)
{
	struct script data = {0};

	be(&data, 0, 2);
	be(&data, size, 8);
	be(&data, flags, 2);
	reply(s, 3, data.bytes, data.len);
}

/* What the client makes of these bytes; what it did not read is left in the socket: *ret_left. */
static struct nbd_export talk(const struct script *s, const char *name, bool caged,
	struct script *ret_sent, size_t *ret_left)
{
	struct nbd_export e;
	uint8_t rest[64];
	ssize_t n;
	int pair[2];

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	CHECK_INT(write(pair[1], s->bytes, s->len), (long long)s->len);
	CHECK_INT(shutdown(pair[1], SHUT_WR), 0);
	if (caged)
		nbd_hello_ask(pair[0], name, &e);
	else
		nbd_hello_talk(pair[0], name, &e);
	n = recv(pair[0], rest, sizeof(rest), MSG_DONTWAIT);
	if (ret_left)
		*ret_left = n > 0 ? (size_t)n : 0;
	close(pair[0]);
	if (ret_sent) {
		n = read(pair[1], ret_sent->bytes, sizeof(ret_sent->bytes));
		ret_sent->len = n > 0 ? (size_t)n : 0;
	}
	close(pair[1]);
	return e;
}

TEST(an_export_with_size_flags_and_block_size)
{
	static const char block_size[] = "\0\3\0\0\2\0\0\0\x10\0\0\1\0\0";
	struct script s = {0}, sent = {0};
	struct nbd_export e;
	size_t left;

	greeting(&s, 3);
	info_export(&s, UINT64_C(1) << 40, 0x6d);
	reply(&s, 3, block_size, 14);
	reply(&s, 1, "", 0);
	put(&s, "kernel", 6);
	for (int caged = 0; caged < 2; caged++) {
		e = talk(&s, "root", caged, &sent, &left);
		CHECK_INT(e.how, NBD_HELLO_DONE);
		CHECK_INT(e.size, 1LL << 40);
		CHECK_INT(e.flags, 0x6d);
		CHECK_INT(e.block_min, 512);
		/* What belongs to the kernel was not touched. */
		CHECK_INT(left, 6);
	}
	CHECK_MEM(sent.bytes, "\0\0\0\3IHAVEOPT\0\0\0\7\0\0\0\x0c\0\0\0\4root\0\1\0\3", 32);
	CHECK_INT(sent.len, 32);
}

TEST(refusals_have_their_own_names)
{
	static const struct {
		uint32_t error;
		enum nbd_hello how;
		const char *said, *text;
	} rows[] = {
		{2, NBD_HELLO_DENIED, "", "its policy forbids it"},
		{5, NBD_HELLO_TLS, "TLS\x1b[2J please", "TLS?[2J please"},
		{6, NBD_HELLO_NO_EXPORT, "export unknown", "export unknown"},
		{7, NBD_HELLO_SHUTDOWN, "", "it is shutting down"},
		{8, NBD_HELLO_PROTOCOL, "", "it requires clients to use its block size"},
		{3, NBD_HELLO_PROTOCOL, "", "it reports the request for the export as malformed"},
		{10, NBD_HELLO_PROTOCOL, "",
			"it serves clients with extended headers only, which the kernel does not "
			"have"},
		{77, NBD_HELLO_PROTOCOL, "", "it refuses for an unknown reason"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct script s = {0};
		struct nbd_export e;

		greeting(&s, 3);
		reply(&s, UINT32_C(0x80000000) | rows[i].error, rows[i].said, strlen(rows[i].said));
		e = talk(&s, "root", i & 1, NULL, NULL);
		CHECK_INT(e.how, rows[i].how);
		CHECK_STR(e.text, rows[i].text);
	}
}

/* Servers that do not know NBD_OPT_GO: with and without the 124 zeroes behind their answer. */
TEST(the_way_before_2017)
{
	for (unsigned flags = 1; flags <= 3; flags += 2) {
		static const uint8_t zeroes[124];
		struct script s = {0};
		struct nbd_export e;
		size_t left;

		greeting(&s, flags);
		reply(&s, UINT32_C(0x80000001), "", 0);
		be(&s, 4096, 8);
		be(&s, 3, 2);
		put(&s, zeroes, flags & 2 ? 0 : sizeof(zeroes));
		put(&s, "kernel", 6);
		e = talk(&s, "root", false, NULL, &left);
		CHECK_INT(e.how, NBD_HELLO_DONE);
		CHECK_INT(e.size, 4096);
		CHECK_INT(e.flags, 3);
		CHECK_INT(left, 6);
	}
}

TEST(an_old_server_that_hangs_up_has_no_such_export)
{
	struct script s = {0};
	struct nbd_export e;

	greeting(&s, 3);
	reply(&s, UINT32_C(0x80000001), "", 0);
	e = talk(&s, "root", false, NULL, NULL);
	CHECK_INT(e.how, NBD_HELLO_NO_EXPORT);
}

TEST(what_is_no_nbd_server)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum nbd_hello how;
	} rows[] = {
		{"", 0, NBD_HELLO_CLOSED},
		{"SSH-2.0-OpenSSH_9.2\r\n", 21, NBD_HELLO_PROTOCOL},
		/* the old style */
		{"NBDMAGIC\0\0\x42\x02\x81\x86\x12\x53", 16, NBD_HELLO_PROTOCOL},
		{"NBDMAGICIHAVEOPT\0\0", 18, NBD_HELLO_PROTOCOL},		  /* not fixed */
		{"NBDMAGICIHAVEOPT\0", 17, NBD_HELLO_CLOSED},
		{"NBDMAGICIHAVEOPT\0\3", 18, NBD_HELLO_CUT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct script s = {0};

		put(&s, rows[i].bytes, rows[i].len);
		CHECK_INT(talk(&s, "root", false, NULL, NULL).how, rows[i].how);
	}
}

TEST(answers_without_sense)
{
	struct script s = {0};

	greeting(&s, 3);
	reply(&s, 1, "", 0); /* done, but no size */
	CHECK_INT(talk(&s, "", false, NULL, NULL).how, NBD_HELLO_PROTOCOL);
	s.len = 0;
	greeting(&s, 3);
	info_export(&s, 0, 1);
	reply(&s, 1, "", 0);
	CHECK_INT(talk(&s, "", false, NULL, NULL).how, NBD_HELLO_PROTOCOL);
	for (int i = 0; i < 2; i++) {
		s.len = 0;
		greeting(&s, 3);
		be(&s, UINT64_C(0x3e889045565a9), 8);
		be(&s, 7, 4);
		be(&s, 3, 4);
		be(&s, i ? UINT32_MAX : 4097, 4); /* longer than anything that has a meaning */
		CHECK_INT(talk(&s, "", false, NULL, NULL).how, NBD_HELLO_PROTOCOL);
	}
	s.len = 0;
	greeting(&s, 3);
	for (int i = 0; i < 100; i++)
		info_export(&s, 4096, 1); /* never an end */
	CHECK_INT(talk(&s, "", false, NULL, NULL).how, NBD_HELLO_PROTOCOL);
}

/* The kernel counts sectors; what the process that read it makes of it is heard, whatever it is. */
TEST(sizes_that_no_disk_has)
{
	static const struct {
		uint64_t size;
		const char *text;
	} rows[] = {
		{0, "0 bytes"}, {1, ": 1 bytes"}, {511, "511 bytes"},
			{(UINT64_C(1) << 63) + 512, "9223372036854776320 bytes"},
		{UINT64_MAX, "18446744073709551615 bytes"}, {512, ""}, {INT64_MAX, ""},
	};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		struct script s = {0};
		struct nbd_export e;

		greeting(&s, 3);
		info_export(&s, rows[i / 2].size, 1);
		reply(&s, 1, "", 0);
		e = talk(&s, "root", i & 1, NULL, NULL);
		CHECK_INT(e.how, *rows[i / 2].text ? NBD_HELLO_PROTOCOL : NBD_HELLO_DONE);
		if (!strstr(e.text, rows[i / 2].text))
			check_fail(__FILE__, __LINE__, "%s", e.text);
	}
}

static void info_block(struct script *s, unsigned min)
{
	struct script data = {0};

	be(&data, 3, 2);
	be(&data, min, 4);
	be(&data, 4096, 4);
	be(&data, 65536, 4);
	reply(s, 3, data.bytes, data.len);
}

/* Each is told once; twice the same does no harm. */
TEST(answers_that_contradict_each_other)
{
	static const struct {
		uint64_t size;
		unsigned flags, block;
		enum nbd_hello how;
	} rows[] = {
		{4096, 1, 512, NBD_HELLO_DONE}, {8192, 1, 512, NBD_HELLO_PROTOCOL},
			{4096, 3, 512, NBD_HELLO_PROTOCOL},
		{4096, 1, 4096, NBD_HELLO_PROTOCOL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct script s = {0};

		greeting(&s, 3);
		info_export(&s, 4096, 1);
		info_block(&s, 512);
		info_export(&s, rows[i].size, rows[i].flags);
		info_block(&s, rows[i].block);
		reply(&s, 1, "", 0);
		CHECK_INT(talk(&s, "root", i & 1, NULL, NULL).how, rows[i].how);
	}
}

/* Some old servers answer each option they do not know so, also the one that has another answer. */
TEST(an_options_reply_is_no_size)
{
	struct script s = {0};
	struct nbd_export e;

	greeting(&s, 3);
	reply(&s, UINT32_C(0x80000001), "", 0);
	reply(&s, UINT32_C(0x80000001), "", 0);
	e = talk(&s, "root", true, NULL, NULL);
	CHECK_INT(e.how, NBD_HELLO_PROTOCOL);
	CHECK(strstr(e.text, "an option reply"));
}

TEST(block_sizes)
{
	static const struct {
		uint32_t min, asked;
		uint64_t size;
		uint32_t want;
		const char *text;
		uint32_t max;
	} rows[] = {
		{0, 0, 512, 512, "", 0}, {1, 0, 4096, 512, "", 0}, {512, 0, 4096, 512, "", 0},
			{4096, 0, 4096, 4096, "", 0}, {512, 4096, 4096, 4096, "", 0},
		{8192, 0, 1 << 20, 0,
			"requests of at least 8192 bytes, this kernel's blocks are at most 4096",
			0},
		{UINT32_C(1) << 31, 4096, 1 << 20, 0, "2147483648", 0},
			{1000, 0, 1 << 20, 0, "1000 bytes, which is not a power of two", 0},
		{4096, 512, 1 << 20, 0, "bs= says 512", 0},
			{4096, 0, 2048, 0, "2048 bytes, less than one block of 4096", 0},
		{0, 1024, 1000, 0, "less than one block of 1024", 0},
		{512, 0, 1 << 20, 512, "", 65536},
		{512, 0, 1 << 20, 0, "at most 2048 bytes, this kernel's are at least 4096", 2048},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct nbd_export e = {.size = rows[i].size, .block_min = rows[i].min,
			.block_max = rows[i].max};
		char text[NBD_TEXT_MAX] = "";

		CHECK_INT(nbd_block_size(&e, rows[i].asked, 4096, text), rows[i].want);
		if (!strstr(text, rows[i].text))
			check_fail(__FILE__, __LINE__, "%s", text);
	}
}

/* nbdkit serving one connection on its standard input. */
#define ARGS_MAX 12

static struct nbd_export ask_nbdkit(const char *name, const char *const args[])
{
	char *argv[ARGS_MAX] = {0};
	struct nbd_export e;
	int pair[2], status;
	pid_t pid;

	for (size_t i = 0; args[i]; i++)
		CHECK((argv[i] = strdup(args[i])) != NULL);
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pair[1], 0);
		dup2(pair[1], 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(pair[1]);
	nbd_hello_ask(pair[0], name, &e);
	close(pair[0]);
	waitpid(pid, &status, 0);
	CHECK(!WIFEXITED(status) || WEXITSTATUS(status) != 127);
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	return e;
}

TEST(a_real_server)
{
	const char *const plain[] = {"nbdkit", "-s", "memory", "3M", NULL};
	const char *const readonly[] = {"nbdkit", "-s", "-r", "memory", "3M", NULL};
	const char *const refusing[] = {"nbdkit", "-s", "--filter=exportname", "memory", "3M",
		"exportname-strict=true", "exportname=root", NULL};
	const char *const blocks[] = {"nbdkit", "-s", "--filter=blocksize-policy", "memory", "3M",
		"blocksize-minimum=16k", "blocksize-preferred=64k", "blocksize-maximum=64k", NULL};
	struct nbd_export e = ask_nbdkit("", plain);

	CHECK_INT(e.how, NBD_HELLO_DONE);
	CHECK_INT(e.size, 3 << 20);
	CHECK_INT(e.flags & 3, 1);
	e = ask_nbdkit("", readonly);
	CHECK_INT(e.how, NBD_HELLO_DONE);
	CHECK_INT(e.flags & 3, 3);
	e = ask_nbdkit("", blocks);
	CHECK(e.how == NBD_HELLO_DONE && e.block_min == 16384 &&
		e.block_max == 65536);
	e = ask_nbdkit("root", refusing);
	CHECK_INT(e.how, NBD_HELLO_DONE);
	e = ask_nbdkit("other", refusing);
	CHECK(e.how == NBD_HELLO_NO_EXPORT || e.how == NBD_HELLO_PROTOCOL);
}

TEST(a_real_server_that_wants_tls)
{
	char path[] = "/tmp/nbd-psk-XXXXXX", option[64];
	int fd = mkstemp(path);
	const char *const args[] = {"nbdkit", "-s", "--tls=require", option, "memory", "3M", NULL};
	struct nbd_export e;

	CHECK_INT(write(fd, "me:00112233445566778899aabbccddeeff\n", 36), 36);
	close(fd);
	snprintf(option, sizeof(option), "--tls-psk=%s", path);
	e = ask_nbdkit("", args);
	unlink(path);
	CHECK_INT(e.how, NBD_HELLO_TLS);
}
