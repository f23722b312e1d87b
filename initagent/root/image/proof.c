// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/proof.h"

#include <sys/mman.h>

#include "base/cursor.h"
#include "base/sha256.h"
#include "base/worker.h"
#include "root/image/sums.h"

/* A manifest of a MiB takes a hundredth of these. */
#define MEMORY_MAX  (64u << 20)
#define CPU_SECONDS 10

struct proof {
	struct worker *worker; /* NULL: it is over */
	struct proof_result *result; /* shared with the process until that is gone: larger than a
					message can be */
};

struct work {
	const struct proof_config *cfg;
	struct proof_result *result;
};

static void fail(struct proof_result *r, enum cause cause, const char *text)
{
	r->cause = cause;
	strscpy(r->text, text, sizeof(r->text));
}

static int verify(const struct proof_config *cfg, const struct minisig *s)
{
	if (cfg->manifest)
		return minisig_verify(s, cfg->keys, cfg->n_keys, cfg->manifest, cfg->manifest_len);
	return minisig_verify_hash(s, cfg->keys, cfg->n_keys, cfg->hash);
}

/* Both sides, as minisign writes them into a key's comment: which of the two is the old one. */
static void other_key(const struct proof_config *cfg, const struct minisig *s,
	struct proof_result *ret)
{
	char text[sizeof(ret->text)];

	snprintf(text, sizeof(text), "key %016llX; trusted:",
		(unsigned long long)get_le64(s->number));
	for (size_t i = 0; i < cfg->n_keys; i++)
		str_add(text, sizeof(text), "%s %016llX", i ? "," : "",
			(unsigned long long)get_le64(cfg->keys[i].number));
	fail(ret, CAUSE_SIGNATURE_KEY, text);
}

static void judge_signature(const struct proof_config *cfg, struct proof_result *ret)
{
	struct minisig s;
	int r;

	if (!cfg->n_keys)
		return;
	if (!cfg->signature) {
		fail(ret, CAUSE_SIGNATURE_MISSING, "there is no .minisig file beside it");
		return;
	}
	if (minisig_parse(cfg->signature, cfg->signature_len, &s) < 0) {
		fail(ret, CAUSE_SIGNATURE_BAD, "the signature file is malformed");
		return;
	}
	r = verify(cfg, &s);
	if (r == -EINVAL)
		fail(ret, CAUSE_SIGNATURE_BAD,
			"a legacy signature over an image: sign with minisign -H");
	else if (r == -ENOKEY)
		other_key(cfg, &s, ret);
	else if (r < 0)
		fail(ret, CAUSE_SIGNATURE_BAD, "the signature does not match the content");
	if (r < 0)
		return;
	ret->key = r;
	strscpy(ret->comment, s.comment, sizeof(ret->comment));
	/* minisign's own is separated by tabs, which a console shows as an escape */
	for (char *tab = ret->comment; (tab = strchr(tab, '\t'));)
		*tab = ' ';
}

/* Both sides of what does not fit: the operator sees which of the two is the old one. */
static void other_kernel(const char *release, struct proof_result *ret)
{
	const struct manifest *m = &ret->manifest;
	char text[sizeof(ret->text)];

	snprintf(text, sizeof(text), "%.50s runs, it is for %.50s%s%.50s%s", release, m->kernels[0],
		m->n_kernels > 1 ? ", " : "", m->n_kernels > 1 ? m->kernels[1] : "",
		m->n_kernels > 2 ? " ..." : "");
	fail(ret, CAUSE_MANIFEST_KERNEL, text);
}

static void judge_manifest(const struct proof_config *cfg, struct proof_result *ret)
{
	uint8_t digest[SHA256_SIZE];
	struct sha256 state;
	const char *why;
	int r;

	if (cfg->digest) {
		sha256_init(&state);
		sha256_update(&state, cfg->manifest, cfg->manifest_len);
		sha256_final(&state, digest);
		if (memcmp(digest, cfg->digest, sizeof(digest)) != 0) {
			fail(ret, CAUSE_MANIFEST_DIGEST, "its SHA-256 differs");
			return;
		}
	}
	r = manifest_parse(cfg->manifest, cfg->manifest_len, &ret->manifest, &why);
	if (r < 0)
		fail(ret, CAUSE_MANIFEST_BAD, why ? why : strerror(-r));
	else if (cfg->release && !manifest_fits(&ret->manifest, cfg->release))
		other_kernel(cfg->release, ret);
	if (ret->cause)
		memset(&ret->manifest, 0, sizeof(ret->manifest));
}

static void judge_sums(const struct proof_config *cfg, struct proof_result *ret)
{
	char text[sizeof(ret->text)];

	if (sums_find(cfg->manifest, cfg->manifest_len, cfg->summed, ret->manifest.sha256))
		return;
	snprintf(text, sizeof(text), "the list of SHA-256 sums does not have one line for %.120s",
		cfg->summed);
	fail(ret, CAUSE_MANIFEST_BAD, text);
}

/* The signature first: what is not signed is not even parsed. */
void proof_judge(const struct proof_config *cfg, struct proof_result *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->key = -1;
	judge_signature(cfg, ret);
	if (!ret->cause && cfg->summed)
		judge_sums(cfg, ret);
	else if (!ret->cause && cfg->manifest)
		judge_manifest(cfg, ret);
}

static int work(const void *arg)
{
	const struct work *w = arg;
	struct proof_config cfg = *w->cfg;
	uint8_t hash[MINISIG_HASH_BYTES], done = 1;

	if (cfg.read_image && minisig_hash_file(WORKER_FILE(0), hash) < 0)
		return 1;
	if (cfg.read_image)
		cfg.hash = hash;
	proof_judge(&cfg, w->result);
	return worker_reply(&done, sizeof(done)) < 0;
}

static int start(struct proof *p, const struct proof_config *cfg)
{
	const struct work arg = {cfg, p->result};
	const struct worker_spec spec = {
		.run = work,
		.arg = &arg,
		.files = {cfg->read_image ? cfg->image : -1},
		.n_files = 1,
		.sandbox = {SANDBOX_COMPUTE, .memory = MEMORY_MAX,
			.cpu_s = cfg->read_image ? 0 : CPU_SECONDS},
		.reply_size = 1,
	};

	return worker_start(&p->worker, &spec, 0);
}

int proof_new(struct proof **ret, const struct proof_config *cfg)
{
	_cleanup_(proof_freep) struct proof *p = calloc(1, sizeof(*p));
	void *shared = mmap(NULL, sizeof(*p->result), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int r;

	if (p && shared != MAP_FAILED)
		p->result = shared;
	if (!p || !p->result)
		return -ENOMEM;
	r = start(p, cfg);
	if (r < 0)
		return r;
	*ret = p;
	p = NULL;
	return 0;
}

struct proof *proof_free(struct proof *p)
{
	if (!p)
		return NULL;
	worker_free(p->worker);
	if (p->result)
		munmap(p->result, sizeof(*p->result));
	free(p);
	return NULL;
}

int proof_fd(const struct proof *p)
{
	return worker_fd(p->worker);
}

/* The process may have been taken over; it is gone now and cannot change it. */
static bool result_valid(const struct proof_result *r)
{
	if (r->cause < 0 || r->cause >= CAUSE_MAX || r->key < -1 ||
		!memchr(r->text, 0, sizeof(r->text)) || !memchr(r->comment, 0, sizeof(r->comment)))
		return false;
	return r->cause || !r->manifest.size || manifest_sane(&r->manifest);
}

bool proof_dispatch(struct proof *p)
{
	uint8_t done;
	int r;

	if (!p->worker)
		return true;
	r = worker_receive(p->worker, &done, 0);
	if (r == 0)
		return false;
	worker_end(p->worker);
	if (r < 0 || !result_valid(p->result)) {
		memset(p->result, 0, sizeof(*p->result));
		p->result->key = -1;
		fail(p->result, CAUSE_IMAGE_READER_DIED,
			r < 0 ? worker_end_text(p->worker) : "sent an invalid result");
	}
	p->worker = worker_free(p->worker);
	return true;
}

const struct proof_result *proof_result(const struct proof *p)
{
	return p->result;
}
