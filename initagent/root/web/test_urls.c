// SPDX-License-Identifier: GPL-2.0-or-later
#include "check.h"
#include "root/web/urls.h"

static void expect(const char *url, const char *name, const char *suffix, const char *want)
{
	struct urls u = {0};

	CHECK_INT(urls_add(&u, url, name, suffix), 0);
	CHECK_STR(u.list[0], want);
	urls_clear(&u);
}

TEST(beside_a_url)
{
	expect("http://a/x/root.img", NULL, "", "http://a/x/root.img");
	expect("http://a/x/root.img", NULL, ".minisig", "http://a/x/root.img.minisig");
	expect("http://a/x/root.img?v=1&p=/b", NULL, ".minisig",
		"http://a/x/root.img.minisig?v=1&p=/b");
	expect("http://a/x/root.manifest", "root.img", "", "http://a/x/root.img");
	expect("http://a/x/root.manifest?v=/1", "root.img", "", "http://a/x/root.img?v=/1");
	expect("http://a/root.manifest", "i", "", "http://a/i");
	expect("http://a", "i", "", "http://a/i");
	expect("http://a?q", "i", ".z", "http://a/i.z");
}

TEST(no_more_than_fit)
{
	struct urls u = {0};

	for (int i = 0; i < URLS_MAX + 3; i++)
		CHECK_INT(urls_add(&u, "http://a/b", NULL, ""), 0);
	CHECK_INT((int)u.n, URLS_MAX);
	urls_clear(&u);
	CHECK_INT((int)u.n, 0);
}

