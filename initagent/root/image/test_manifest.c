/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manifests: what is taken, and everything else, which is not. */
#include "check.h"
#include "root/image/manifest.h"

#define DIGEST "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define HEAD   "{\"initagent-manifest\": 1, \"name\": \"root.squashfs\", "
#define FULL   HEAD "\"size\": 100000, \"sha256\": \"" DIGEST "\""

static struct manifest m; /* a quarter of a MiB */

static const char *why_not(const char *text)
{
	const char *why = NULL;
	int r = manifest_parse(text, strlen(text), &m, &why);

	CHECK(r == (why ? -EINVAL : 0));
	CHECK(r < 0 || manifest_sane(&m));
	return why;
}

TEST(smallest)
{
	CHECK_STR(why_not(FULL "}\n"), NULL);
	CHECK_STR(m.name, "root.squashfs");
	CHECK_INT(m.size, 100000);
	CHECK_MEM(m.sha256, "\xba\x78\x16\xbf", 4);
	CHECK_INT(m.chunk_size, 0);
	CHECK(manifest_fits(&m, "6.1.0"));
}

TEST(whole)
{
	CHECK_STR(why_not(FULL ", \"format\": \"squashfs\", \"kernels\": [\"6.1.0-13-amd64\", "
				"\"6.12.*\"],\n"
				"\"chunk_size\": 65536, \"chunks\": [\"" DIGEST "\", \"" DIGEST
				"\"]}"),
		NULL);
	CHECK_INT(m.format, IMAGE_SQUASHFS);
	CHECK_INT(m.n_chunks, 2);
	CHECK(manifest_fits(&m, "6.1.0-13-amd64") && manifest_fits(&m, "6.12.9+deb13"));
	CHECK(!manifest_fits(&m, "6.1.0-13-amd64-rt") && !manifest_fits(&m, "6.1") &&
		!manifest_fits(&m, ""));
}

TEST(written_is_read_again)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	static struct manifest before;

	CHECK_STR(why_not(FULL ", \"format\": \"iso\", \"kernels\": [\"6.1*\"], \"chunk_size\": "
				"65536, \"chunks\": [\"" DIGEST "\", \"" DIGEST "\"]}"),
		NULL);
	before = m;
	CHECK(f && manifest_write(&m, f) == 0);
	fclose(f);
	CHECK_STR(why_not(text), NULL);
	CHECK_MEM(&m, &before, sizeof(m));
}

static const struct {
	const char *text, *why;
} refused[] = {
	{"", "it is not JSON"},
	{"[]", "it is not a JSON object"},
	{"{}", "its version is not 1"},
	{FULL, "it is truncated"},
	{FULL "} {", "it is truncated"},
	{FULL "} 1", "something follows its end"},
	{FULL ", \"size\": 100000}", "it has a member twice"},
	{FULL ", \"Size\": 100000}", "it has an unknown member"},
	{FULL ", \"kernel\": [\"6.1\"]}", "it has an unknown member"},
	{FULL ", \"kernels\": []}", "its kernels are not releases, or too many"},
	{FULL ", \"kernels\": [\"6.1 \"]}", "its kernels are not releases, or too many"},
	{FULL ", \"kernels\": [\"*\"]}", "its kernels are not releases, or too many"},
	{FULL ", \"kernels\": [\"6.*.1\"]}", "its kernels are not releases, or too many"},
	{FULL ", \"kernels\": [[\"6.1\"]]}", "it is nested too deeply"},
	{FULL ", \"format\": \"ntfs\"}", "its format is unknown"},
	{FULL ", \"format\": true}",
		"it has something that is no string, number, list or object"},
	{FULL ", \"chunk_size\": 65536}", "its chunks do not add up to its size"},
	{FULL ", \"chunks\": [\"" DIGEST "\"]}", "its chunks do not add up to its size"},
	{FULL ", \"chunk_size\": 65536, \"chunks\": [\"" DIGEST "\"]}",
		"its chunks do not add up to its size"},
	{FULL ", \"chunk_size\": 65537, \"chunks\": [\"" DIGEST "\"]}",
		"its chunk_size is not a power of two from 64 KiB to 1 GiB"},
	{FULL ", \"chunk_size\": 65536, \"chunks\": []}", "its chunks are not digests, or too "
		"many"},
	{FULL ", \"chunk_size\": 65536, \"chunks\": [\"00\"]}",
		"its chunks are not digests, or too many"},
	{HEAD "\"size\": 1.0, \"sha256\": \"" DIGEST "\"}",
		"it has something that is no string, number, list or object"},
	{HEAD "\"size\": 1e3, \"sha256\": \"" DIGEST "\"}",
		"it has something that is no string, number, list or object"},
	{HEAD "\"size\": -1, \"sha256\": \"" DIGEST "\"}",
		"it has something that is no string, number, list or object"},
	{HEAD "\"size\": 010, \"sha256\": \"" DIGEST "\"}", "it has a number that is not plain "
		"digits"},
	{HEAD "\"size\": 99999999999999999, \"sha256\": \"" DIGEST "\"}",
		"it has a number that is not plain digits"},
	{HEAD "\"size\": 1125899906842625, \"sha256\": \"" DIGEST "\"}",
		"its size is missing or out of range"},
	{HEAD "\"size\": 0, \"sha256\": \"" DIGEST "\"}", "its size is missing or out of range"},
	{HEAD "\"size\": \"1\", \"sha256\": \"" DIGEST "\"}",
		"its size is missing or out of range"},
	{HEAD "\"sha256\": \"" DIGEST "\"}", "its size is missing or out of range"},
	{HEAD "\"size\": 1}", "its sha256 is missing or not 64 hex digits"},
	{HEAD "\"size\": 1, \"sha256\": \"x" DIGEST "\"}",
		"its sha256 is missing or not 64 hex digits"},
	{"{\"initagent-manifest\": 2}", "its version is not 1"},
	{"{\"initagent-manifest\": 1, \"name\": \"a/b\"}", "its name is missing or no file name"},
	{"{\"initagent-manifest\": 1, \"name\": \"..\"}", "its name is missing or no file name"},
	{"{\"initagent-manifest\": 1, \"name\": \"a?b\"}", "its name is missing or no file name"},
	{"{\"initagent-manifest\": 1, \"name\": \"\\u0061\"}",
		"it has an escape or a line break in a string"},
	{"{\"initagent-manifest\": 1, \"name\": \"a\nb\"}",
		"it has an escape or a line break in a string"},
	{"{\"n\303\244me\": 1}", "it has bytes that are not plain text"},
	{"{\"a\": 1,}", "it is not JSON"},
};

TEST(refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		CHECK_STR(why_not(refused[i].text), refused[i].why);
}

TEST(nul_and_length)
{
	static char text[MANIFEST_TEXT_MAX + 1];
	const char *why;

	memcpy(text, FULL "}", sizeof(FULL "}") - 1);
	CHECK_INT(manifest_parse(text, strlen(text) + 1, &m, &why), -EINVAL);
	CHECK_STR(why, "it has bytes that are not plain text");
	memset(text + strlen(text), ' ', sizeof(text) - strlen(text));
	CHECK_INT(manifest_parse(text, MANIFEST_TEXT_MAX, &m, &why), 0);
	CHECK_INT(manifest_parse(text, MANIFEST_TEXT_MAX + 1, &m, &why), -EINVAL);
	CHECK_STR(why, "it is too long");
}

/* What another process sends is judged by the same rules. */
TEST(sane)
{
	static struct manifest good;

	CHECK_STR(why_not(FULL ", \"kernels\": [\"6.1\"]}"), NULL);
	good = m;
	m.n_kernels = MANIFEST_KERNELS_MAX + 1;
	CHECK(!manifest_sane(&m));
	m = good;
	memset(m.name, 'x', sizeof(m.name));
	CHECK(!manifest_sane(&m));
	m = good;
	m.n_chunks = 1;
	CHECK(!manifest_sane(&m));
	m = good;
	m.format = IMAGE_KIND_MAX;
	CHECK(!manifest_sane(&m));
}
