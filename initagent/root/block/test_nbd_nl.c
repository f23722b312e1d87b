/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nbd's netlink as far as no nbd is needed: the kernel's answer to who asks for its family. */
#include "check.h"
#include "root/block/nbd_nl.h"

TEST(without_nbd)
{
	const struct nbd_setup setup = {
		.socket = 0, .size = 512, .block_size = 512, .backend = "x"};
	char text[NBD_ERROR_MAX] = "unset";

	if (access("/sys/module/nbd", F_OK) == 0)
		check_skip("this machine has nbd loaded");
	CHECK_INT(nbd_connect(&setup, text), -ENOENT);
	CHECK_STR(text, "");
	CHECK_INT(nbd_disconnect(0), -ENOENT);
}
