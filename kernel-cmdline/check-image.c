/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check-image: what the options of a root image say together. The agent boots no image that is not
 * the one meant; where the command line leaves that open, it is said here.
 */
#include "parser.h"
#include "url.h"

/* The last word of an option, well-formed or not. */
static const struct plan_word *word_of(const struct parser *p, enum option_id id)
{
	for (size_t i = p->n_words; i-- > 0;)
		if (word_is(&p->words[i], id))
			return &p->words[i];
	return NULL;
}

static void unprovable(struct parser *p, enum option_id id, const char *remedy, const char *what)
{
	p->plan->root.image.unprovable = true;
	complain(p, word_of(p, id), WHOLE, DIAG_FATAL, remedy,
		"none of the given %ss is valid, so no image could be accepted", what);
}

/*
 * A digest or key that cannot be read: it asks for one image only, and it is
 * not known which. A wrong digest outweighs a right one before it.
 */
static void check_readable(struct parser *p)
{
	const struct boot_plan *plan = p->plan;

	if (plan->given[OPTION_RD_ROOT_DIGEST] && !plan->root.image.has_digest)
		unprovable(p, OPTION_RD_ROOT_DIGEST, "write rd.root.digest=sha256:HEX", "digest");
	if (plan->given[OPTION_RD_ROOT_KEY] && !p->keys.n)
		unprovable(p, OPTION_RD_ROOT_KEY,
			"write rd.root.key=RW..., the second line of minisign's .pub file", "key");
}

/* Not as long as the URL is unknown. */
static bool by_tls(const char *url)
{
	return url && strncasecmp(url, "https:", 6) == 0;
}

/* Keys may lie in the initramfs, which this text does not tell: a note. */
static void check_proved(struct parser *p, const struct plan_word *root)
{
	const struct plan_image *image = &p->plan->root.image;

	if (image->has_digest || p->keys.n || image->unprovable)
		return;
	if (image->must_prove)
		warn_word(p, root, "add rd.root.digest= or rd.root.key=, or write verify=no",
			"boots only with a key in the initramfs: verify=signature, the default, is "
			"asked for");
	else
		note_word(p, root, "add rd.root.digest= or rd.root.key=",
			"%s proves the image, unless keys are in the initramfs",
			by_tls(image->url) ? "only the server's certificate" : image->sums ?
				"only a SHA-256 file of the same server" : "nothing");
}

/* https from the first server and http from the second is as weak as the second. */
static void check_mirrors(struct parser *p)
{
	const struct plan_image *image = &p->plan->root.image;
	const char *const *mirrors = p->mirrors.items;
	const struct plan_word *w = parser_word(p, OPTION_RD_ROOT_MIRROR);

	for (size_t i = 0; i < p->mirrors.n; i++)
		if (image->url && url_same(mirrors[i], image->url)) {
			warn_word(p, w, "name another server",
				"%s is the root's own URL, no second source", mirrors[i]);
			break;
		}
	for (size_t i = 0; i < p->mirrors.n; i++)
		if (!by_tls(mirrors[i]) && !image->has_digest && !p->keys.n &&
			by_tls(image->url)) {
			warn_word(p, w, "use https for all of them, or add rd.root.digest=",
				"a mirror without https: nothing proves what comes from it");
			return;
		}
}

/* Two names for one value. */
static void check_proxy(struct parser *p)
{
	const struct plan_word *a = parser_word(p, OPTION_RD_ROOT_PROXY);
	const struct plan_word *b = parser_word(p, OPTION_PROXY);

	if (a && b && !streq(a->value, b->value))
		warn_word(p, a < b ? a : b, "keep one of them",
			"rd.root.proxy=%s and proxy=%s: the last one counts", a->value, b->value);
}

static void check_tls_options(struct parser *p)
{
	static const enum option_id ids[] = {OPTION_RD_ROOT_CA, OPTION_RD_NOVERIFYSSL};
	const struct plan_image *image = &p->plan->root.image;
	const char *const *mirrors = p->mirrors.items;
	bool tls = !image->url || by_tls(image->url);

	for (size_t i = 0; i < p->mirrors.n; i++)
		tls |= by_tls(mirrors[i]);
	for (size_t i = 0; i < ARRAY_SIZE(ids) && !tls; i++)
		if (parser_word(p, ids[i]))
			note_word(p, parser_word(p, ids[i]), "leave it out, or use https",
				"no server is asked by https");
}

/* Is it a root that cannot have a proof? Roots of dracut are not judged; a disk is that of the
 * stand-alone image. */
static bool has_no_proof(const struct boot_plan *plan)
{
	enum plan_root_kind kind = plan->root.kind;

	return kind == PLAN_ROOT_NFS || kind == PLAN_ROOT_REMOTE || kind == PLAN_ROOT_WWINIT ||
	       (kind == PLAN_ROOT_BLOCK && plan->net.alone);
}

/* Is that a proof of a root that cannot have one? Then says so. */
static bool contradicts(struct parser *p, enum option_id id, struct plan_word *w)
{
	bool disk = p->plan->root.kind == PLAN_ROOT_BLOCK;

	if ((id != OPTION_RD_ROOT_DIGEST && id != OPTION_RD_ROOT_KEY) || !has_no_proof(p->plan))
		return false;
	complain(p, w, WHOLE, DIAG_ERROR, "name an image over HTTP in root=, or leave it out",
		disk ? "a disk cannot be proved, so the stand-alone image refuses this root; "
		       "dracut mounts it all the same"
		     : "an NFS export, a block device or Warewulf's layers cannot be proved, so "
		       "this root is refused");
	return say(p, w, "refuses the root, which nothing can prove%s",
		disk ? ", in the stand-alone image" : "");
}

/* Roots other than images that have a writable layer where it is asked for. */
static bool has_layer(enum plan_root_kind kind)
{
	return kind == PLAN_ROOT_REMOTE || kind == PLAN_ROOT_NFS;
}

/* "ro" is on every line that OpenCHAMI writes, and says nothing of a root that is in memory. */
static void say_ro(struct parser *p)
{
	const struct plan_root *root = &p->plan->root;
	struct plan_word *ro = parser_word(p, OPTION_RO);

	if (!ro || root->rw)
		return;
	if (root->kind == PLAN_ROOT_WWINIT && root->wwinit.device)
		say(p, ro, "has no effect: Warewulf's root is written");
	else if (root->kind == PLAN_ROOT_WWINIT ||
		(root->kind == PLAN_ROOT_LIVE && !root->image.overlay.off))
		say(p, ro, "has no effect: what is written stays in memory");
}

/* Without a layer its size means nothing; with one, what is below is only read. */
static void check_layer(struct parser *p)
{
	struct plan_word *size = parser_word(p, OPTION_RD_LIVE_OVERLAY_SIZE),
			 *w = parser_word(p, OPTION_RD_OVERLAY);
	struct plan_word *rw = parser_word(p, OPTION_RW);
	const struct plan_root *root = &p->plan->root;

	if (size && !root->image.overlay.asked) {
		say(p, size, "has no effect: no rd.overlay asks for a layer");
		note_word(p, size, "add rd.overlay", "only an image has a layer by itself");
	}
	if (w && !root->image.overlay.asked)
		say(p, w, "leaves the root as it is");
	if (!rw || !root->rw || !root->image.overlay.asked)
		return;
	say(p, rw, "has no effect: what is written stays in memory");
	note_word(p, rw, "leave rw out", "under rd.overlay the root itself is mounted read-only");
}

/* Warewulf's layers come from the one server that its own options name. */
static bool serves_layers(const struct parser *p, enum option_id id)
{
	return p->plan->root.kind == PLAN_ROOT_WWINIT &&
		(id == OPTION_RD_ROOT_CA || id == OPTION_RD_ROOT_PROXY);
}

/* What is fetched beside the root is proved by keys alone. */
static bool serves_extensions(const struct parser *p, enum option_id id)
{
	return p->extensions.n && (id == OPTION_RD_ROOT_CA || id == OPTION_RD_ROOT_PROXY ||
		id == OPTION_RD_ROOT_KEY || id == OPTION_RD_NOVERIFYSSL);
}

/* Whether dracut or a module of it mounts the root, with what it reads of the line. */
static bool is_left(const struct parser *p)
{
	return p->plan->root.kind == PLAN_ROOT_BLOCK || p->plan->root.kind == PLAN_ROOT_OTHER;
}

/* rd.live.*, rd.overlay* and their like mean to dracut what its manual says. */
static bool is_dracuts(const struct plan_word *w)
{
	static const char *const names[] = {"rd.live.", "rd.overlay", "rd.writable."};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (w->row && strncmp(w->row->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static void say_left(struct parser *p)
{
	for (struct plan_word *w = p->words; w < p->words + p->n_words; w++)
		if (is_dracuts(w))
			say(p, w, "left to dracut, as root= is");
}

/* Options of an image where the root is none. */
static void check_idle(struct parser *p)
{
	static const enum option_id ids[] = {
		OPTION_RD_ROOT_MIRROR, OPTION_RD_ROOT_DIGEST, OPTION_RD_ROOT_KEY,
		OPTION_RD_ROOT_CA, OPTION_RD_ROOT_CACHE, OPTION_RD_ROOT_PROXY,
		OPTION_RD_ROOT_ORIGIN, OPTION_RD_NOVERIFYSSL, OPTION_RD_OVERLAY, OPTION_RD_LIVE_DIR,
		OPTION_RD_LIVE_SQUASHIMG,
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct plan_word *w = parser_word(p, ids[i]);

		if (!w || (ids[i] == OPTION_RD_OVERLAY && has_layer(p->plan->root.kind)) ||
			serves_layers(p, ids[i]) || (is_left(p) && is_dracuts(w)) ||
			(ids[i] == OPTION_RD_ROOT_ORIGIN && p->pulls.n))
			continue;
		if (contradicts(p, ids[i], w) || serves_extensions(p, ids[i]))
			continue;
		say(p, w, "has no effect: the root is no image that is fetched");
		note_word(p, w, "leave it out", "only for a root that is fetched");
	}
}

void check_image(struct parser *p)
{
	const struct plan_root *root = &p->plan->root;

	say_ro(p);
	if (root->kind != PLAN_ROOT_LIVE && root->kind != PLAN_ROOT_DHCP &&
		root->kind != PLAN_ROOT_NONE) {
		check_idle(p);
		if (is_left(p))
			say_left(p);
		else
			check_overlay(p);
		if (has_no_proof(p->plan))
			check_readable(p);
		if (has_layer(root->kind))
			check_layer(p);
		return;
	}
	check_readable(p);
	check_overlay(p);
	if (root->kind != PLAN_ROOT_LIVE)
		return;
	check_proved(p, word_of(p, p->plan->given[OPTION_ROOT] ? OPTION_ROOT : OPTION_NETROOT));
	check_mirrors(p);
	check_proxy(p);
	check_tls_options(p);
}
