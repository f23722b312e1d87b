// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nbd_hello: the bytes of a server. Whatever they are: it ends, its text can be shown, and only
 * with a size is it done.
 */
#include "root/block/nbd_hello.h"

#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool fact)
{
	if (!fact)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nbd_export e;
	int pair[2];

	/* More would not fit into the socket at once. */
	if (size > 65536 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return 0;
	if (send(pair[1], data, size, MSG_DONTWAIT) == (ssize_t)size) {
		shutdown(pair[1], SHUT_WR);
		nbd_hello_talk(pair[0], "root", &e);
		must(e.how >= 0 && e.how < NBD_HELLO_MAX);
		must(e.how != NBD_HELLO_DONE || (e.size >= 512 && e.size <= INT64_MAX));
		must(memchr(e.text, 0, sizeof(e.text)) != NULL);
		for (const char *c = e.text; *c; c++)
			must(*c >= ' ' && *c < 0x7f);
	}
	close(pair[0]);
	close(pair[1]);
	return 0;
}
