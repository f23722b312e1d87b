// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/image_tools.h"

#include <getopt.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/sha256.h"
#include "report/console.h"
#include "root/image/keys.h"
#include "root/image/manifest.h"
#include "root/image/proof.h"
#include "value.h"

#define CHUNK_DEFAULT (4 * 1024 * 1024)
#define BLOCK	      (256 * 1024)
#define USAGE	      64 /* sysexits(3) */

static int complain(const char *tool, const char *what, const char *why)
{
	fprintf(stderr, "initagent: %s: %s: %s\n", tool, what, why);
	return EXIT_FAILURE;
}

/* --- manifest: one pass over the image for whole and chunk digests --------------------------- */

struct maker {
	const char *image, *output;
	bool named;
	struct manifest m;
};

/* A chunk is over: its digest goes into the list. */
static int close_chunk(struct manifest *m, struct sha256 *state)
{
	if (m->n_chunks == MANIFEST_CHUNKS_MAX)
		return -E2BIG;
	sha256_final(state, m->chunks[m->n_chunks++]);
	sha256_init(state);
	return 0;
}

/* Blocks never cross a chunk's border: chunks are a multiple of the smallest, which a block
 * divides. */
static int hash_all(FILE *in, struct manifest *m)
{
	struct sha256 whole, chunk;
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	size_t want = m->chunk_size && m->chunk_size < BLOCK ? m->chunk_size : BLOCK, n;
	int r = 0;

	if (!block)
		return -ENOMEM;
	sha256_init(&whole);
	sha256_init(&chunk);
	while (r == 0 && (n = fread(block, 1, want, in)) > 0) {
		if (m->size == 0)
			m->format = image_kind_judge(block, n, NULL);
		m->size += n;
		sha256_update(&whole, block, n);
		if (!m->chunk_size)
			continue;
		sha256_update(&chunk, block, n);
		if (m->size % m->chunk_size == 0)
			r = close_chunk(m, &chunk);
	}
	if (r == 0 && m->chunk_size && m->size % m->chunk_size)
		r = close_chunk(m, &chunk);
	sha256_final(&whole, m->sha256);
	return r < 0 ? r : ferror(in) ? -errno : 0;
}

static bool take_kernel(struct maker *t, const char *release)
{
	return t->m.n_kernels < MANIFEST_KERNELS_MAX &&
		strscpy(t->m.kernels[t->m.n_kernels++], release, sizeof(t->m.kernels[0])) > 0;
}

static bool take_chunk_size(struct maker *t, const char *text)
{
	uint64_t n;

	if (value_size(text, strlen(text), &n) < 0 || n > MANIFEST_CHUNK_MAX || n & (n - 1) ||
		(n && n < MANIFEST_CHUNK_MIN))
		return false;
	t->m.chunk_size = (uint32_t)n;
	return true;
}

static int read_manifest_options(struct maker *t, int argc, char **argv)
{
	static const struct option options[] = {
		{"chunk-size", required_argument, NULL, 'c'},
		{"name", required_argument, NULL, 'n'},
		{"kernel", required_argument, NULL, 'k'},
		{"output", required_argument, NULL, 'o'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		bool ok = c != '?';

		if (c == 'c')
			ok = take_chunk_size(t, optarg);
		else if (c == 'k')
			ok = take_kernel(t, optarg);
		else if (c == 'n')
			ok = t->named = strscpy(t->m.name, optarg, sizeof(t->m.name)) > 0;
		else if (c == 'o')
			t->output = optarg;
		if (!ok) {
			fprintf(stderr, "initagent: manifest: see 'initagent help'\n");
			return -EINVAL;
		}
	}
	if (optind + 1 != argc)
		return complain("manifest", "usage", "manifest IMAGE [OPTIONS]"), -EINVAL;
	t->image = argv[optind];
	return 0;
}

/* Only what a node will take is written. */
static int write_out(const struct maker *t, const char *path)
{
	_cleanup_free_ char *text = NULL;
	bool out = streq(path, "-");
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct stat st;
	int r;

	if (!f)
		return complain("manifest", path, strerror(errno));
	r = manifest_write(&t->m, f);
	if (fclose(f) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		r = out ? io_write_all(STDOUT_FILENO, text, len) : io_put_file(path, text, len);
	if (r < 0)
		return complain("manifest", path, strerror(-r));
	if (!out && stat(path, &st) == 0 && S_ISREG(st.st_mode))
		printf("%s: image of %llu bytes, %u chunk%s\n", path,
			(unsigned long long)t->m.size, t->m.n_chunks,
			t->m.n_chunks == 1 ? "" : "s");
	return EXIT_SUCCESS;
}

int manifest_tool(int argc, char **argv)
{
	_cleanup_free_ struct maker *t = calloc(1, sizeof(*t));
	_cleanup_free_ char *path = NULL;
	_cleanup_fclose_ FILE *in = NULL;
	int r;

	if (!t)
		return complain("manifest", "memory", strerror(ENOMEM));
	t->m.chunk_size = CHUNK_DEFAULT;
	if (read_manifest_options(t, argc, argv) < 0)
		return USAGE;
	in = fopen(t->image, "re");
	if (!in)
		return complain("manifest", t->image, strerror(errno));
	if (!t->named)
		strscpy(t->m.name, path_last(t->image), sizeof(t->m.name));
	r = hash_all(in, &t->m);
	if (r == -E2BIG)
		return complain("manifest", t->image,
			"too many chunks: give a larger --chunk-size");
	if (r < 0)
		return complain("manifest", t->image, strerror(-r));
	if (!t->m.format)
		return complain("manifest", t->image, "unsupported image format");
	if (!manifest_sane(&t->m))
		return complain("manifest", t->image, "invalid character in image or kernel name");
	if (!t->output && asprintf(&path, "%s.manifest", t->image) < 0)
		return complain("manifest", "memory", strerror(ENOMEM));
	return write_out(t, t->output ? t->output : path);
}

/* --- verify: the same judge as in a boot, without the process around it ---------------------- */

struct verifying {
	const char *file, *release;
	struct plan_key given[KEYS_MAX];
	size_t n_given;
	struct keys keys;
	struct proof_config cfg;
	struct proof_result result;
	uint8_t hash[MINISIG_HASH_BYTES];
};

static bool take_key(struct verifying *t, const char *text)
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

static int read_verify_options(struct verifying *t, int argc, char **argv)
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
			return complain("verify", "usage", "see 'initagent help'"), -EINVAL;
		else if (!take_key(t, optarg))
			return complain("verify", "--key",
					"not a minisign public key, or one too many"),
				-EINVAL;
	}
	if (optind + 1 != argc)
		return complain("verify", "usage", "verify FILE [--key KEY] [--kernel RELEASE]"),
			-EINVAL;
	t->file = argv[optind];
	return 0;
}

static int read_signature(struct verifying *t, void **ret)
{
	_cleanup_free_ char *path = NULL;
	int r;

	if (asprintf(&path, "%s.minisig", t->file) < 0)
		return -ENOMEM;
	r = io_read_file(path, MINISIG_TEXT_MAX, ret, &t->cfg.signature_len);
	if (r < 0 && r != -ENOENT)
		complain("verify", path, strerror(-r));
	t->cfg.signature = *ret;
	return r == -ENOENT ? 0 : r;
}

static int hash_image(struct verifying *t)
{
	_cleanup_close_ int fd = open(t->file, O_RDONLY | O_CLOEXEC);

	t->cfg.hash = t->hash;
	return fd < 0 ? -errno : minisig_hash_file(fd, t->hash);
}

static int judge_file(struct verifying *t)
{
	_cleanup_free_ void *text = NULL;
	int r;

	t->cfg.keys = t->keys.keys;
	t->cfg.n_keys = t->keys.n;
	t->cfg.release = t->release;
	if (!plan_is_manifest(t->file, strlen(t->file))) {
		r = hash_image(t);
	} else {
		r = io_read_file(t->file, MANIFEST_TEXT_MAX, &text, &t->cfg.manifest_len);
		t->cfg.manifest = text;
	}
	if (r < 0)
		return complain("verify", t->file, strerror(-r));
	proof_judge(&t->cfg, &t->result);
	return EXIT_SUCCESS;
}

static int print_verdict(const struct verifying *t)
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
		printf("%s: no key is given, so no signature is checked\n", t->file);
	if (r->manifest.size)
		printf("%s: %s, %llu bytes, %u chunk%s\n", t->file, r->manifest.name,
			(unsigned long long)r->manifest.size, r->manifest.n_chunks,
			r->manifest.n_chunks == 1 ? "" : "s");
	return EXIT_SUCCESS;
}

int verify_tool(int argc, char **argv)
{
	static const struct env env = {.prefix = ""};
	_cleanup_free_ struct verifying *t = calloc(1, sizeof(*t));
	_cleanup_free_ void *signature = NULL;
	struct plan_image image = {0};
	int r;

	if (!t)
		return complain("verify", "memory", strerror(ENOMEM));
	if (read_verify_options(t, argc, argv) < 0)
		return USAGE;
	image.keys = t->given;
	image.n_keys = t->n_given;
	if (keys_load(&env, &image, &t->keys) < 0)
		return complain("verify", "key", t->keys.text);
	if (read_signature(t, &signature) < 0)
		return EXIT_FAILURE;
	r = judge_file(t);
	return r == EXIT_SUCCESS ? print_verdict(t) : r;
}
