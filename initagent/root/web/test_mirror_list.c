// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>

#include "check.h"
#include "fetch/mirrors.h"
#include "root/web/mirror_list.h"

static struct mirror_list_result r;

static void parse(const char *text, const char *base)
{
	mirror_list_parse(text, strlen(text), base, 1, &r);
}

TEST(urls_and_folders)
{
	parse("# our mirrors\n\nhttp://b/other/root.img\n  http://c/images/\r\nhttp://d:8080/",
		"http://a/x/root.img?v=1");
	CHECK_INT(r.n, 3);
	CHECK_INT(r.bad, 0);
	CHECK_STR(r.urls[0], "http://b/other/root.img");
	CHECK_STR(r.urls[1], "http://c/images/root.img");
	CHECK_STR(r.urls[2], "http://d:8080/root.img");
}

TEST(never_out_of_https)
{
	parse("http://b/\nhttps://c/\nHTTP://d/\n", "https://a/root.img");
	CHECK_INT(r.n, 1);
	CHECK_INT(r.bad, 2);
	CHECK_STR(r.urls[0], "https://c/root.img");
	parse("http://b/\nhttps://c/\n", "http://a/root.img");
	CHECK_INT(r.n, 2);
}

TEST(what_is_no_url)
{
	parse("ftp://b/\nfile:///etc/passwd\nhttp://user:secret@b/\nhttp://b "
		"c/\n/root.img\nhttp://b/\"\n<html>\nhttp:///x\n",
		"http://a/root.img");
	CHECK_INT(r.n, 0);
	CHECK_INT(r.bad, 8);
}

TEST(a_zero_in_it)
{
	static const char text[] = "http://b/\0x/\nhttp://c/\n";

	mirror_list_parse(text, sizeof(text) - 1, "http://a/i", 1, &r);
	CHECK_INT(r.n, 1);
	CHECK_INT(r.bad, 1);
}

TEST(too_long)
{
	char text[3000] = "http://b/";

	memset(text + 9, 'x', 2100);
	parse(text, "http://a/i");
	CHECK_INT(r.n, 0);
	CHECK_INT(r.bad, 1);
}

TEST(the_same_twice)
{
	parse("http://b/\nhttp://b/i\nhttp://B:80/i\n", "http://a/i");
	CHECK_INT(r.n, 1);
}

/* Each node keeps those that it asks first: none is left out by all. */
TEST(more_than_fit)
{
	char text[4096] = "";
	unsigned seen = 0;
	size_t n = 0;

	for (unsigned i = 0; i < 40; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "http://m%u/\n", i);
	for (uint64_t node = 1; node < 40; node++) {
		mirror_list_parse(text, strlen(text), "http://a/i", node, &r);
		CHECK_INT(r.n, URLS_MAX);
		CHECK_INT(r.left, 40 - URLS_MAX);
		for (size_t i = 0; i < r.n; i++)
			seen |= streq(r.urls[i], "http://m39/i");
	}
	CHECK(seen);
}

TEST(in_a_process_of_its_own)
{
	static const char text[] = "http://b/\nx\n";
	_cleanup_(mirror_list_freep) struct mirror_list *l = NULL;
	struct pollfd p = {.events = POLLIN};

	CHECK_INT(mirror_list_new(&l, text, sizeof(text) - 1, "http://a/i", 1), 0);
	p.fd = mirror_list_fd(l);
	while (!mirror_list_dispatch(l))
		CHECK_INT(poll(&p, 1, 20000), 1);
	CHECK(mirror_list_result(l) != NULL);
	CHECK_INT(mirror_list_result(l)->n, 1);
	CHECK_INT(mirror_list_result(l)->bad, 1);
}
