// SPDX-License-Identifier: GPL-2.0-or-later
/* verify_tool: see verify_tool.h. The same judge as in a boot, without the process around it. */
#include "root/image/verify_tool.h"

#include <getopt.h>

#include "root/image/keys.h"
#include "root/image/proof.h"
#include "report/console.h"

#define USAGE 64 /* sysexits(3) */
#define BLOCK (256 * 1024)

struct tool {
	const char *file, *release;
	struct plan_key given[KEYS_MAX];
	size_t n_given;
	struct keys keys;
	struct proof_config cfg;
	struct proof_result result;
	uint8_t hash[MINISIG_HASH_BYTES];
	char signature[MINISIG_TEXT_MAX + 1];
};

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "initagent: verify: %s: %s\n", what, why);
	return EXIT_FAILURE;
}

static bool take_key(struct tool *t, const char *text)
{
	struct plan_key *key = &t->given[t->n_given];

	if (t->n_given == KEYS_MAX)
		return false;
	t->n_given++;
	if (value_base64(text, strlen(text), key->bytes, sizeof(key->bytes)) < 0)
		key->path = text;
	/* As rd.root.key= reads it. */
	return key->path || memcmp(key->bytes, "Ed", 2) == 0;
}

static int read_options(struct tool *t, int argc, char **argv)
{
	static const struct option options[] = {
		{"key", required_argument, NULL, 'k'},
		{"kernel", required_argument, NULL, 'r'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'r')
			t->release = optarg;
		else if (c != 'k')
			return complain("usage", "see 'initagent help'"), -EINVAL;
		else if (!take_key(t, optarg))
			return complain("--key", "not a minisign public key, or one too many"), -EINVAL;
	}
	if (optind + 1 != argc)
		return complain("usage", "verify FILE [--key KEY] [--kernel RELEASE]"), -EINVAL;
	t->file = argv[optind];
	return 0;
}

/* At most max bytes; more are an error as well. Returns the length or -errno. */
static ssize_t read_file(const char *path, void *buf, size_t max)
{
	_cleanup_fclose_ FILE *in = fopen(path, "re");
	size_t n;

	if (!in)
		return -errno;
	n = fread(buf, 1, max, in);
	if (ferror(in))
		return -EIO;
	return n == max ? -EFBIG : (ssize_t)n;
}

static int read_signature(struct tool *t)
{
	_cleanup_free_ char *path = NULL;
	ssize_t n;

	if (asprintf(&path, "%s.minisig", t->file) < 0)
		return -ENOMEM;
	n = read_file(path, t->signature, sizeof(t->signature));
	if (n == -ENOENT)
		return 0;
	if (n < 0)
		return complain(path, strerror((int)-n)), (int)n;
	t->cfg.signature = t->signature;
	t->cfg.signature_len = (size_t)n;
	return 0;
}

static int hash_image(struct tool *t)
{
	_cleanup_(minisig_hash_freep) struct minisig_hash *h = NULL;
	_cleanup_fclose_ FILE *in = fopen(t->file, "re");
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	size_t n;

	if (!in)
		return -errno;
	if (!block || minisig_hash_new(&h) < 0)
		return -ENOMEM;
	while ((n = fread(block, 1, BLOCK, in)) > 0)
		minisig_hash_add(h, block, n);
	minisig_hash_end(h, t->hash);
	t->cfg.hash = t->hash;
	return ferror(in) ? -EIO : 0;
}

static int judge(struct tool *t)
{
	_cleanup_free_ char *text = NULL;
	ssize_t n;

	t->cfg.keys = t->keys.keys;
	t->cfg.n_keys = t->keys.n;
	t->cfg.release = t->release;
	if (!plan_is_manifest(t->file, strlen(t->file))) {
		n = hash_image(t);
	} else {
		text = malloc(MANIFEST_TEXT_MAX + 1);
		n = text ? read_file(t->file, text, MANIFEST_TEXT_MAX + 1) : -ENOMEM;
		t->cfg.manifest = text;
		t->cfg.manifest_len = n < 0 ? 0 : (size_t)n;
	}
	if (n < 0)
		return complain(t->file, strerror((int)-n));
	proof_judge(&t->cfg, &t->result);
	return EXIT_SUCCESS;
}

static int say(const struct tool *t)
{
	const struct proof_result *r = &t->result;
	const struct cause_info *c = cause_info((enum cause)r->cause);
	char comment[4 * MINISIG_COMMENT_MAX + 1];

	if (r->cause) {
		printf("%s: %s %s: %s\ncheck: %s\n", t->file, c->code, c->text, r->text, c->check);
		return EXIT_FAILURE;
	}
	/* It is proved, and still no text for a terminal. */
	console_clean(comment, sizeof(comment), r->comment);
	if (r->key >= 0)
		printf("%s: signed, \"%s\"\n", t->file, comment);
	else
		printf("%s: no key is given, so no signature is asked for\n", t->file);
	if (r->manifest.size)
		printf("%s: %s, %llu bytes, %u chunks\n", t->file, r->manifest.name,
			(unsigned long long)r->manifest.size, r->manifest.n_chunks);
	return EXIT_SUCCESS;
}

int verify_tool(int argc, char **argv)
{
	static const struct env env = {.prefix = ""};
	_cleanup_free_ struct tool *t = calloc(1, sizeof(*t));
	struct plan_image image = {0};
	int r;

	if (!t)
		return complain("memory", strerror(ENOMEM));
	if (read_options(t, argc, argv) < 0)
		return USAGE;
	image.keys = t->given;
	image.n_keys = t->n_given;
	if (keys_load(&env, &image, &t->keys) < 0)
		return complain("key", t->keys.text);
	if (read_signature(t) < 0)
		return EXIT_FAILURE;
	r = judge(t);
	return r == EXIT_SUCCESS ? say(t) : r;
}
