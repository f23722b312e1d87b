/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signatures made by minisign 0.11, keys from files, and the process that judges both. */
#include <poll.h>
#include <sys/mman.h>

#include "check.h"
#include "root/image/keys.h"
#include "base/mountpoint.h"
#include "root/image/proof.h"

#define KEY_A "RWQA9zM//YWvvDnnN5h/oYvqYwvI5ZMTvT/FzNydklaRhSiTsDUQ985x"
#define KEY_B "RWTmDvxuVAPOt54XeGEkTJEXPOuoLhLwQKrU+0JpjXtz2GBJqv9WEmKD"
/* of "hello\n" by key A */
#define LINE1 "untrusted comment: signature from minisign secret key\n"
#define SIG_ED                                                                                     \
	"RUQA9zM//"                                                                                \
	"YWvvN7hl38sy8HvYGxV3EMGuTVsu1nuREfwHvKGWXi0v+bH4xzVukOa5KqQ+"                             \
	"bYlT7mNg2YNwPuXg8y1ugjpjV1EWgg=\n"
#define GLOBAL_ED                                                                                  \
	"YaX+70tX+5YV83ki/Q2fdPSAHnvFjIvR9AL6JWSoAjIfCDHrtN36RFe9TrRJCvXPof84oR+Gs0g/Klef1h/"      \
	"jBA==\n"
#define PREHASHED LINE1 SIG_ED "trusted comment: a comment\n" GLOBAL_ED
#define LEGACY                                                                                     \
	LINE1 "RWQA9zM//"                                                                          \
	      "YWvvKcEjEr0QYRimYNlNBBwSY9oNTX4nIMXeq7HbZAZzti7UaKlhTlPFnzzbTD8QAc78kds0hdGfAL9"    \
	      "z0JyRr9SsAw=\ntrusted comment: old way\n"                                           \
	      "pFS2TBkuUDJgeHn2bMA/"                                                               \
		"iXfYk5skzyEUvdYS22KwHENyYX2lZDnMVR2hjFAZiI+I+S1kgCwFCBRH9OgnHTLZBg==\n"

static struct minisig_key key_of(const char *text)
{
	struct minisig_key key;

	CHECK_INT(minisig_key_parse(text, strlen(text), &key), 0);
	return key;
}

static int verify(const char *text, const struct minisig_key *keys, size_t n, const char *data)
{
	struct minisig s;

	CHECK_INT(minisig_parse(text, strlen(text), &s), 0);
	return minisig_verify(&s, keys, n, data, strlen(data));
}

TEST(both_forms)
{
	const struct minisig_key keys[] = {
		key_of(KEY_B), key_of("untrusted comment: mine\n" KEY_A "\n")};

	CHECK_INT(verify(PREHASHED, keys, 2, "hello\n"), 1);
	CHECK_INT(verify(LEGACY, keys, 2, "hello\n"), 1);
	CHECK_INT(verify(PREHASHED, keys, 2, "hello"), -EBADMSG);
	CHECK_INT(verify(LEGACY, keys, 2, "hello"), -EBADMSG);
	CHECK_INT(verify(PREHASHED, keys, 1, "hello\n"), -ENOKEY);
	CHECK_INT(verify(PREHASHED, keys, 0, "hello\n"), -ENOKEY);
}

/* A key with the right number and other content: the number proves nothing. */
TEST(number_is_no_proof)
{
	struct minisig_key keys[] = {key_of(KEY_B), key_of(KEY_A)};

	memcpy(keys[0].number, keys[1].number, sizeof(keys[0].number));
	CHECK_INT(verify(PREHASHED, keys, 1, "hello\n"), -EBADMSG);
	CHECK_INT(verify(PREHASHED, keys, 2, "hello\n"), 1);
}

TEST(trusted_comment_is_proved)
{
	const struct minisig_key key = key_of(KEY_A);

	CHECK_INT(verify(LINE1 SIG_ED "trusted comment: b comment\n" GLOBAL_ED, &key, 1, "hello\n"),
		-EBADMSG);
	CHECK_INT(verify("untrusted comment: anything\r\n" SIG_ED
			 "trusted comment: a comment\n" GLOBAL_ED,
			  &key, 1, "hello\n"), 0);
}

static void hash_of(const char *text, uint8_t ret[static MINISIG_HASH_BYTES])
{
	int fd = memfd_create("hashed", MFD_CLOEXEC);

	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	CHECK_INT(minisig_hash_file(fd, ret), 0);
	close(fd);
}

TEST(hash_of_a_file)
{
	const struct minisig_key key = key_of(KEY_A);
	uint8_t hash[MINISIG_HASH_BYTES];
	struct minisig s;

	hash_of("hello\n", hash);
	CHECK_INT(minisig_parse(PREHASHED, strlen(PREHASHED), &s), 0);
	CHECK_STR(s.comment, "a comment");
	CHECK_INT(minisig_verify_hash(&s, &key, 1, hash), 0);
	CHECK_INT(minisig_parse(LEGACY, strlen(LEGACY), &s), 0);
	CHECK_INT(minisig_verify_hash(&s, &key, 1, hash), -EINVAL);
}

TEST(malformed_files)
{
	static const char *const texts[] = {
		"",
		"\n\n\n\n",
		LINE1,
		LINE1 SIG_ED,
		LINE1 SIG_ED "trusted comment: a comment\n",
		LINE1 SIG_ED "trusted comment: a comment\n" SIG_ED,
		LINE1 GLOBAL_ED "trusted comment: a comment\n" GLOBAL_ED,
		PREHASHED "more\n",
		SIG_ED PREHASHED,
		LINE1 SIG_ED "untrusted comment: a comment\n" GLOBAL_ED,
		LINE1 SIG_ED "trusted comment: a\033[2J\n" GLOBAL_ED,
		/* another algorithm */
		LINE1 "WEQA9zM//"
			"YWvvN7hl38sy8HvYGxV3EMGuTVsu1nuREfwHvKGWXi0v+bH4xzVukOa5KqQ+"
			"bYlT7mNg2YNwPuXg8y1ugjpjV1EWgg=\n"
			"trusted comment: a comment\n" GLOBAL_ED,
	};
	struct minisig s;
	struct minisig_key k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		CHECK_INT(minisig_parse(texts[i], strlen(texts[i]), &s), -EINVAL);
	CHECK_INT(minisig_parse(PREHASHED, sizeof(PREHASHED), &s), -EINVAL); /* with a NUL behind */
	CHECK_INT(minisig_key_parse("", 0, &k), -EINVAL);
	CHECK_INT(minisig_key_parse("untrusted comment: x\n", 21, &k), -EINVAL);
	CHECK_INT(minisig_key_parse(KEY_A, strlen(KEY_A) - 1, &k), -EINVAL);
}

/* --- keys ------------------------------------------------------------------------------------ */

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

TEST(keys_of_line_and_folder)
{
	char dir[] = "/tmp/keys-XXXXXX", path[128];
	const struct env env = {.prefix = check_dir(dir)};
	struct plan_key given[2] = {{.path = "/given.pub"}, {.bytes = "Ed12345678"}};
	const struct plan_image image = {.keys = given, .n_keys = 2}, none = {0};
	struct keys k;

	CHECK_INT(keys_load(&env, &none, &k), 0);
	CHECK_INT(k.n, 0);
	put(dir, "given.pub", "untrusted comment: x\n" KEY_B "\n");
	snprintf(path, sizeof(path), "%s" KEYS_DIR, dir);
	CHECK_INT(mount_folder(path), 0);
	put(path, "site.pub", KEY_A);
	put(path, "readme", "not a key");
	CHECK_INT(keys_load(&env, &image, &k), 0);
	CHECK_INT(k.n, 3);
	CHECK_MEM(k.keys[1].number, "12345678", 8);
	/* what cannot be read is not left out */
	put(path, "other.pub", "nonsense");
	CHECK_INT(keys_load(&env, &image, &k), -EINVAL);
	CHECK(strstr(k.text, "other.pub"));
	given[0].path = "/missing.pub";
	CHECK_INT(keys_load(&env, &image, &k), -ENOENT);
}

/* --- the process ----------------------------------------------------------------------------- */

#define MANIFEST                                                                                   \
	"{\"initagent-manifest\": 1, \"name\": \"r\", \"size\": 1, \"kernels\": [\"6.1.*\"], "     \
	"\"sha256\": "                                                                             \
	"\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}\n"

static const struct proof_result *prove(struct proof **p, const struct proof_config *cfg)
{
	struct pollfd pfd = {.events = POLLIN};

	CHECK_INT(proof_new(p, cfg), 0);
	do {
		pfd.fd = proof_fd(*p);
		CHECK(poll(&pfd, 1, 10000) == 1);
	} while (proof_dispatch(*p) == 0);
	return proof_result(*p);
}

static void check_cause(const struct proof_config *cfg, enum cause want)
{
	_cleanup_(proof_freep) struct proof *p = NULL;
	const struct proof_result *r = prove(&p, cfg);

	if ((int)want != r->cause)
		check_fail(__FILE__, __LINE__, "%s: %s", cause_info((enum cause)r->cause)->id,
			r->text);
	CHECK(want == CAUSE_NONE || r->manifest.size == 0);
}

static void reversed(const uint8_t number[8], char text[17])
{
	for (size_t i = 0; i < 8; i++)
		snprintf(text + 2 * i, 3, "%02X", number[7 - i]);
}

/* The numbers as minisign shows them, of both sides. */
static void check_numbers(const struct proof_config *cfg)
{
	_cleanup_(proof_freep) struct proof *p = NULL;
	char is[17], trusted[17], want[64];
	struct minisig s;

	CHECK_INT(minisig_parse(cfg->signature, cfg->signature_len, &s), 0);
	reversed(s.number, is);
	reversed(cfg->keys[0].number, trusted);
	snprintf(want, sizeof(want), "key %s; trusted: %s", is, trusted);
	CHECK_STR(prove(&p, cfg)->text, want);
}

TEST(manifest_without_keys)
{
	const struct proof_config cfg = {.manifest = MANIFEST, .manifest_len = strlen(MANIFEST)};
	_cleanup_(proof_freep) struct proof *p = NULL;
	const struct proof_result *r = prove(&p, &cfg);

	CHECK_INT(r->cause, CAUSE_NONE);
	CHECK_INT(r->key, -1);
	CHECK_STR(r->manifest.name, "r");
}

TEST(manifest_judged)
{
	const struct minisig_key keys[] = {key_of(KEY_B), key_of(KEY_A)};
	static const uint8_t digest[32] = {1};
	struct proof_config cfg = {.manifest = MANIFEST, .manifest_len = strlen(MANIFEST)};

	cfg.release = "6.1.9";
	check_cause(&cfg, CAUSE_NONE);
	cfg.release = "6.12.0";
	check_cause(&cfg, CAUSE_MANIFEST_KERNEL);
	cfg.release = NULL;
	cfg.digest = digest;
	check_cause(&cfg, CAUSE_MANIFEST_DIGEST);
	cfg.digest = NULL;
	cfg.manifest_len--;
	cfg.manifest_len--;
	check_cause(&cfg, CAUSE_MANIFEST_BAD);
	cfg = (struct proof_config){
		.manifest = "hello\n", .manifest_len = 6, .keys = keys, .n_keys = 2};
	check_cause(&cfg, CAUSE_SIGNATURE_MISSING);
	cfg.signature = "x";
	cfg.signature_len = 1;
	check_cause(&cfg, CAUSE_SIGNATURE_BAD);
	cfg.signature = PREHASHED;
	cfg.signature_len = strlen(PREHASHED);
	check_cause(&cfg, CAUSE_MANIFEST_BAD); /* signed, but no manifest */
	cfg.n_keys = 1;
	check_cause(&cfg, CAUSE_SIGNATURE_KEY);
	check_numbers(&cfg);
	cfg.n_keys = 2;
	cfg.manifest = "jello\n";
	check_cause(&cfg, CAUSE_SIGNATURE_BAD);
}

/* Which of the two is the old one, the words tell. */
TEST(manifest_of_another_kernel)
{
	static const char text[] =
		"{\"initagent-manifest\": 1, \"name\": \"r\", \"size\": 1, \"kernels\": "
		"[\"5.10.*\", \"5.15\", \"6.1\"],"
		"\"sha256\": \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}";
	const struct proof_config cfg = {
		.manifest = text, .manifest_len = strlen(text), .release = "6.12.9"};
	_cleanup_(proof_freep) struct proof *p = NULL;
	const struct proof_result *r = prove(&p, &cfg);

	CHECK_INT(r->cause, CAUSE_MANIFEST_KERNEL);
	CHECK_STR(r->text, "6.12.9 runs, it is for 5.10.*, 5.15 ...");
}

static void check_sums(const char *text, const char *name, enum cause want)
{
	const struct proof_config cfg = {
		.manifest = text, .manifest_len = strlen(text), .summed = name};
	_cleanup_(proof_freep) struct proof *p = NULL;
	const struct proof_result *r = prove(&p, &cfg);

	CHECK_INT(r->cause, want);
	CHECK_INT(r->manifest.sha256[0], want ? 0 : 0xba);
}

/* As sha256sum(1) writes it; the name has to be the whole name, and to be there once. */
TEST(sums)
{
#define SUM   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define OTHER "0000000000000000000000000000000000000000000000000000000000000000"

	check_sums(OTHER "  a.raw.gz\n" SUM "  a.raw\n", "a.raw", CAUSE_NONE);
	check_sums(SUM " *a.raw", "a.raw", CAUSE_NONE);
	check_sums("", "a.raw", CAUSE_MANIFEST_BAD);
	check_sums(SUM "  a.raw\n" OTHER "  a.raw\n", "a.raw", CAUSE_MANIFEST_BAD);
	check_sums(SUM " a.raw\n", "a.raw", CAUSE_MANIFEST_BAD);
	check_sums(SUM "  b/a.raw\n", "a.raw", CAUSE_MANIFEST_BAD);
	check_sums(SUM "  a.raw\r\n", "a.raw", CAUSE_MANIFEST_BAD);
	check_sums("x" SUM "  a.raw\n", "a.raw", CAUSE_MANIFEST_BAD);
	check_sums("g0" OTHER "  a.raw\n", "a.raw", CAUSE_MANIFEST_BAD);
}

TEST(signature_of_an_image)
{
	const struct minisig_key key = key_of(KEY_A);
	uint8_t hash[MINISIG_HASH_BYTES];
	struct proof_config cfg = {
		.signature = PREHASHED,
		.signature_len = strlen(PREHASHED),
		.keys = &key,
		.n_keys = 1,
		.hash = hash,
	};

	hash_of("hello\n", hash);
	check_cause(&cfg, CAUSE_NONE);
	cfg.hash = NULL;
	cfg.read_image = true;
	cfg.image = memfd_create("image", MFD_CLOEXEC);
	CHECK(write(cfg.image, "hello\n", 6) == 6);
	check_cause(&cfg, CAUSE_NONE);
	CHECK(write(cfg.image, "x", 1) == 1);
	check_cause(&cfg, CAUSE_SIGNATURE_BAD);
	close(cfg.image);
	cfg.read_image = false;
	cfg.hash = hash;
	cfg.signature = LEGACY;
	cfg.signature_len = strlen(LEGACY);
	check_cause(&cfg, CAUSE_SIGNATURE_BAD);
}
