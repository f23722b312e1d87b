// SPDX-License-Identifier: GPL-2.0-or-later
/* url: what is a URL, and where references lead. */
#include "url.h"

#include "check.h"

static const char *parsed(const char *text)
{
	static char buf[URL_TEXT_MAX];
	struct url u;

	if (url_parse(&u, text, strlen(text)) < 0)
		return "refused";
	return url_text(&u, buf);
}

TEST(parse)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"http://a", "http://a/"},
		{"HTTP://A.Example/Path", "http://a.example/Path"},
		{"https://a:443/x", "https://a/x"},
		{"http://a:443/x?y=z#part", "http://a:443/x?y=z"},
		{"http://a:80", "http://a/"},
		{"http://a:/x", "http://a/x"},
		{"http://a?x", "http://a/?x"},
		{"http://10.0.0.1:8080/a/b", "http://10.0.0.1:8080/a/b"},
		{"http://[fd00::1]/a", "http://[fd00::1]/a"},
		{"http://[fd00::1]:8080", "http://[fd00::1]:8080/"},
		{"http://[10.0.0.1]/", "refused"},
		{"http://[FE80::1%25eth0]:81/a", "http://[fe80::1%25eth0]:81/a"},
		{"http://[fe80::1%ib0.8001]/a", "http://[fe80::1%25ib0.8001]/a"},
		{"http://[fe80::1%25]/a", "http://[fe80::1%2525]/a"},
		{"http://[fe80::1%]/", "refused"},
		{"http://[fe80::1%25a/b]/", "refused"},
		{"http://[fe80::1%25abcdefghijklmnop]/", "refused"},
		{"http://[fd00::1%25eth0]/", "refused"},
		{"http://10.0.0.1%25eth0/", "refused"},
		{"http://a%25eth0/", "refused"},
		{"http://fd00::1/", "refused"},
		{"http://[fd00::1/", "refused"},
		{"http://[fd00::1]x/", "refused"},
		{"http://a:0/", "refused"},
		{"http://a:65536/", "refused"},
		{"http://a:8o/", "refused"},
		{"http://user@a/", "refused"},
		{"http://user:pass@a/", "refused"},
		{"http:///x", "refused"},
		{"http://a b/", "refused"},
		{"http://a/\r\nX: y", "refused"},
		{"http://a/\x80", "refused"},
		{"ftp://a/", "refused"},
		{"//a/", "refused"},
		{"", "refused"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(parsed(rows[i].text), rows[i].want);
}

TEST(resolve)
{
	static const struct {
		const char *reference, *want;
	} rows[] = {
		{"https://b/y", "https://b/y"},
		{"//b:81/y", "http://b:81/y"},
		{"/y", "http://a:8080/y"},
		{"y", "http://a:8080/folder/y"},
		{"../y", "http://a:8080/folder/../y"},
		{"?q2", "http://a:8080/folder/file?q2"},
		{"y:z", "refused"},
		{"./y:z", "http://a:8080/folder/./y:z"},
		{"#part", "http://a:8080/folder/file?q=1"},
		{"ftp://b/", "refused"},
		{"//u@b/", "refused"},
		{"//", "refused"},
		{"/y z", "refused"},
		{"", "refused"},
	};
	const char *base_text = "http://a:8080/folder/file?q=1";
	struct url base, to;
	char buf[URL_TEXT_MAX];

	CHECK_INT(url_parse(&base, base_text, strlen(base_text)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int e = url_resolve(&to, &base, rows[i].reference, strlen(rows[i].reference));

		CHECK_STR(e < 0 ? "refused" : url_text(&to, buf), rows[i].want);
	}
}

TEST(too_long)
{
	char text[URL_TEXT_MAX + 2];
	struct url u;

	memset(text, 'x', sizeof(text));
	memcpy(text, "http://a/", 9);
	CHECK_INT(url_parse(&u, text, sizeof(text)), -E2BIG);
	CHECK_INT(url_parse(&u, text, 9 + URL_PATH_MAX), -E2BIG);
	CHECK_INT(url_parse(&u, text, 8 + URL_PATH_MAX - 1), 0);
	memset(text, 'x', sizeof(text));
	memcpy(text, "http://", 7);
	CHECK_INT(url_parse(&u, text, 7 + URL_HOST_MAX), -E2BIG);
}
