// SPDX-License-Identifier: GPL-2.0-or-later
/* manifest_tool: see manifest_tool.h. One pass over the image: whole and chunk digests together. */
#include "root/image/manifest_tool.h"

#include <getopt.h>
#include <sodium/crypto_hash_sha256.h>
#include <sys/stat.h>

#include "root/image/manifest.h"
#include "value.h"

#define CHUNK_DEFAULT (4 * 1024 * 1024)
#define BLOCK	      (256 * 1024)
#define USAGE	      64 /* sysexits(3) */

struct tool {
	const char *image, *output;
	bool named;
	struct manifest m;
};

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "initagent: manifest: %s: %s\n", what, why);
	return EXIT_FAILURE;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A chunk is over: its digest goes into the list. */
static int close_chunk(struct manifest *m, crypto_hash_sha256_state *state)
{
	if (m->n_chunks == MANIFEST_CHUNKS_MAX)
		return -E2BIG;
	crypto_hash_sha256_final(state, m->chunks[m->n_chunks++]);
	crypto_hash_sha256_init(state);
	return 0;
}

/* Blocks never cross a chunk's border: chunks are a multiple of the smallest, which a block divides. */
static int hash_all(FILE *in, struct manifest *m)
{
	crypto_hash_sha256_state whole, chunk;
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	size_t want = m->chunk_size && m->chunk_size < BLOCK ? m->chunk_size : BLOCK, n;
	int r = 0;

	if (!block)
		return -ENOMEM;
	crypto_hash_sha256_init(&whole);
	crypto_hash_sha256_init(&chunk);
	while (r == 0 && (n = fread(block, 1, want, in)) > 0) {
		if (m->size == 0)
			m->format = image_kind_judge(block, n, NULL);
		m->size += n;
		crypto_hash_sha256_update(&whole, block, n);
		if (!m->chunk_size)
			continue;
		crypto_hash_sha256_update(&chunk, block, n);
		if (m->size % m->chunk_size == 0)
			r = close_chunk(m, &chunk);
	}
	if (r == 0 && m->chunk_size && m->size % m->chunk_size)
		r = close_chunk(m, &chunk);
	crypto_hash_sha256_final(&whole, m->sha256);
	return r < 0 ? r : ferror(in) ? -EIO : 0;
}

static bool take_kernel(struct tool *t, const char *release)
{
	return t->m.n_kernels < MANIFEST_KERNELS_MAX &&
		strscpy(t->m.kernels[t->m.n_kernels++], release, sizeof(t->m.kernels[0])) > 0;
}

static bool take_chunk_size(struct tool *t, const char *text)
{
	uint64_t n;

	if (value_size(text, strlen(text), &n) < 0 || n > MANIFEST_CHUNK_MAX || n & (n - 1) ||
		(n && n < MANIFEST_CHUNK_MIN))
		return false;
	t->m.chunk_size = (uint32_t)n;
	return true;
}

static int read_options(struct tool *t, int argc, char **argv)
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
		return complain("usage", "manifest IMAGE [OPTIONS]"), -EINVAL;
	t->image = argv[optind];
	return 0;
}

/* Only what a node will take is written. */
static int write_out(const struct tool *t, const char *path)
{
	FILE *out = streq(path, "-") ? stdout : fopen(path, "we");
	int r;

	if (!out)
		return complain(path, strerror(errno));
	r = manifest_write(&t->m, out);
	if (out != stdout)
		r = fclose(out) || r ? -EIO : 0;
	return r < 0 ? complain(path, strerror(-r)) : EXIT_SUCCESS;
}

int manifest_tool(int argc, char **argv)
{
	_cleanup_free_ struct tool *t = calloc(1, sizeof(*t));
	_cleanup_free_ char *path = NULL;
	_cleanup_fclose_ FILE *in = NULL;
	int r;

	if (!t)
		return complain("memory", strerror(ENOMEM));
	t->m.chunk_size = CHUNK_DEFAULT;
	if (read_options(t, argc, argv) < 0)
		return USAGE;
	in = fopen(t->image, "re");
	if (!in)
		return complain(t->image, strerror(errno));
	if (!t->named)
		strscpy(t->m.name, base_name(t->image), sizeof(t->m.name));
	r = hash_all(in, &t->m);
	if (r == -E2BIG)
		return complain(t->image, "too many chunks: give a larger --chunk-size");
	if (r < 0)
		return complain(t->image, strerror(-r));
	if (!t->m.format)
		return complain(t->image, "unsupported image format");
	if (!manifest_sane(&t->m))
		return complain(t->image, "invalid character in image or kernel name");
	if (!t->output && asprintf(&path, "%s.manifest", t->image) < 0)
		return complain("memory", strerror(ENOMEM));
	return write_out(t, t->output ? t->output : path);
}
