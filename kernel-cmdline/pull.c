/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pull: rd.systemd.pull=, an image as systemd-import-generator(8) of systemd 257 to 261 fetches it,
 * and the credential import.pull with such lines. A machine's is the root, where root= means what
 * it brings. systemd puts an archive below /run/machines, and a disk image on a loop device with a
 * name in /dev/disk/by-loop-ref; nothing of that is made here. Images of the other classes go
 * beside the root, where systemd has them.
 */
#include "parser.h"
#include "url.h"

/* The folders are those of an initramfs, as runtime= is on there. */
static const struct pull_class {
	const char *name, *folder; /* folder NULL: a root */
} classes[] = {
	{"machine", NULL}, {"sysext", "/run/extensions"}, {"confext", "/run/confexts"},
	{"portable", "/run/portables"},
};

/* One rd.systemd.pull=; in the order of the command line. */
struct pull {
	size_t word;
	struct slice name, url;
	const struct pull_class *class;
	bool raw, blockdev;
	bool origin;	/* url takes the place of the last part of where this boot came from */
	enum pull_verify { VERIFY_NO, VERIFY_CHECKSUM, VERIFY_SIGNATURE } verify;
	bool lost; /* runtime=no: not in /run, for systemd */
	bool used;
};

/* What an option says. */
enum meaning { CLASS, TYPE, VERIFY, NOTHING, RUNTIME, ORIGIN, BLOCKDEV };

static const struct {
	const char *word; /* one that ends in '=' is a beginning */
	uint8_t meaning, value;
} options[] = {
	{"machine", CLASS, 0}, {"sysext", CLASS, 1}, {"confext", CLASS, 2}, {"portable", CLASS, 3},
	{"raw", TYPE, true}, {"tar", TYPE, false},
	{"verify=no", VERIFY, VERIFY_NO}, {"verify=checksum", VERIFY, VERIFY_CHECKSUM},
	{"verify=signature", VERIFY, VERIFY_SIGNATURE},
	/* The root is under a writable layer in memory whatever it is; of the others systemd only
	 * reads. */
	{"ro", NOTHING, 0}, {"rw", NOTHING, 0}, {"blockdev", BLOCKDEV, 0}, {"runtime=", RUNTIME, 0},
	{"bootorigin", ORIGIN, 0},
};

/* What systemd takes off a URL's last part to make a name of it, in this order. */
static const char *const packings[] = {".xz", ".gz", ".bz2", ".zst"};
static const char *const raw_ends[] = {".raw", ".img", ".bin", ".qcow2"};
static const char *const tar_ends[] = {".tar", ".tgz"};

static void take_off(struct slice *s, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_ends(*s, ends[i])) {
			s->len -= strlen(ends[i]);
			return;
		}
}

static struct slice name_of(struct slice url, bool raw)
{
	struct slice s = url;

	s.len = slice_find(s, "?");
	for (size_t at; (at = slice_find(s, "/")) < s.len;)
		s = slice_from(s, at + 1);
	take_off(&s, packings, ARRAY_SIZE(packings));
	if (raw)
		take_off(&s, raw_ends, ARRAY_SIZE(raw_ends));
	else
		take_off(&s, tar_ends, ARRAY_SIZE(tar_ends));
	return s;
}

/* *seen: which meanings were there. */
static void take_option(struct parser *p, const struct plan_word *w, struct slice s,
	struct pull *pull, unsigned int *seen)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(options) && !slice_fits(s, options[i].word))
		i++;
	if (i == ARRAY_SIZE(options)) {
		complain(p, w, s, DIAG_WARN, NULL, "unknown option, not read");
		return;
	}
	*seen |= 1U << options[i].meaning;
	switch (options[i].meaning) {
	case CLASS: pull->class = &classes[options[i].value]; break;
	case TYPE: pull->raw = options[i].value; break;
	case VERIFY: pull->verify = options[i].value; break;
	case ORIGIN: pull->origin = true; break;
	case RUNTIME:
		s = slice_from(s, strlen(options[i].word));
		pull->lost = value_switch(s.s, s.len) == SWITCH_OFF ||
			value_switch(s.s, s.len) == SWITCH_OFF_LOOSE;
		break;
	default: break;
	}
}

static bool take_options(struct parser *p, const struct plan_word *w, struct slice s,
	struct pull *pull)
{
	unsigned int seen = 0;

	while (s.len) {
		struct slice item = {s.s, slice_find(s, ",")};

		take_option(p, w, item, pull, &seen);
		s = slice_from(s, item.len + (item.len < s.len));
	}
	pull->blockdev = seen & 1U << BLOCKDEV;
	if (pull->blockdev && seen & 1U << TYPE && !pull->raw)
		return left_out(p, w, WHOLE, NULL, "systemd refuses blockdev with tar");
	return (seen & 1U << CLASS && seen & 1U << TYPE) ||
		left_out(p, w, WHOLE, "write raw,machine,blockdev:NAME:URL or tar,machine:NAME:URL",
			"not both a class (machine, sysext, confext, portable) and a type (raw, "
			"tar)");
}

/* systemd's temporary files begin with a dot, and it reads no hidden ones. */
static bool is_name(struct slice s)
{
	return s.len && s.len <= 200 && s.s[0] != '.' && slice_find(s, "/") == s.len &&
		!has_control(s);
}

static bool beside_root(struct parser *p, const struct plan_word *w, const struct pull *pull)
{
	if (!is_name(pull->name))
		return left_out(p, w, pull->name, NULL, "not a name of an image");
	if (pull->lost)
		warn_word(p, w, "leave runtime= out",
			"systemd puts it below the initramfs's own /var/lib, which is lost; "
			"fetched into %s", pull->class->folder);
	return true;
}

static bool take_pull(struct parser *p, struct plan_word *w, struct slice v)
{
	size_t first = slice_find(v, ":"), second;
	struct pull pull = {.word = (size_t)(w - p->words), .verify = VERIFY_SIGNATURE};

	pull.name = slice_from(v, first + (first < v.len));
	second = slice_find(pull.name, ":");
	pull.url = slice_from(pull.name, second + (second < pull.name.len));
	pull.name.len = second;
	if (!take_options(p, w, (struct slice){v.s, first}, &pull))
		return false;
	if (pull.origin && !pull.url.len)
		return left_out(p, w, WHOLE, "write bootorigin:NAME:FILE", "no file is named");
	if (!pull.origin && !file_url(p, w, pull.url, DIAG_ERROR))
		return false;
	if (!pull.name.len)
		pull.name = name_of(pull.url, pull.raw);
	return (!pull.class->folder || beside_root(p, w, &pull)) &&
		APPEND(p, &p->pulls, pull, w) && say(p, w, "has no effect");
}

PARSE(pull)
{
	return take_pull(p, w, word_value(w));
}

/* --- the credential -------------------------------------------------------------------------- */

/* False: not base64. */
static bool decode(struct parser *p, struct slice *text)
{
	size_t n = text->len / 4 * 3;
	uint8_t *bytes = arena_alloc(p->arena, n + 1);

	if (!bytes)
		p->oom = true;
	for (size_t i = text->len; i > 0 && n && text->s[i - 1] == '='; i--)
		n--;
	if (!bytes || value_base64(text->s, text->len, bytes, n) < 0)
		return false;
	*text = (struct slice){(const char *)bytes, strnlen((const char *)bytes, n)};
	return true;
}

/* What is wrong with one line is no fault of the others. */
static bool take_lines(struct parser *p, struct plan_word *w, struct slice text)
{
	struct slice line;
	bool any = false;

	while (slice_next(&text, '\n', &line)) {
		while (line.len && strchr(" \t\r", line.s[line.len - 1]))
			line.len--;
		while (line.len && strchr(" \t", *line.s))
			line = slice_from(line, 1);
		if (line.len && *line.s != '#')
			any |= take_pull(p, w, line);
	}
	return any;
}

/* systemd.set_credential=NAME:TEXT, and ..._binary=NAME:BASE64; the first of a name counts. */
PARSE(credential)
{
	struct slice v = word_value(w), name = {v.s, slice_find(v, ":")};
	struct slice text = slice_from(v, name.len + (name.len < v.len));

	if (!slice_is(name, "import.pull"))
		return say(p, w, "for systemd");
	if (p->credential)
		return say(p, w, "has no effect: import.pull is there before");
	p->credential = true;
	if (row->id == OPTION_SYSTEMD_SET_CREDENTIAL_BINARY && !decode(p, &text))
		return left_out(p, w, text, "write what base64 -w0 prints", "not base64");
	note_word(p, w, "write rd.systemd.pull=",
		"the real system reads it, too, and fetches into /var/lib what it can");
	return take_lines(p, w, text);
}

/* --- where from ------------------------------------------------------------------------------ */

/* rd.root.origin=: where this boot came from. Empty: not known; "none": from no web server. */
PARSE(origin)
{
	struct url u;

	return (slice_is(word_value(w), "none") ||
		       image_url(p, w, word_value(w), DIAG_ERROR, &u)) &&
		say(p, w, "where this boot came from, for bootorigin");
}

static struct slice origin_of(const struct parser *p)
{
	return word_value(parser_word(p, OPTION_RD_ROOT_ORIGIN));
}

/* systemd passes over what is relative to an origin that is none. */
static bool passed_over(const struct parser *p, const struct pull *pull)
{
	return pull->origin && slice_is(origin_of(p), "none");
}

/*
 * The URL of an image; NULL as long as the origin that it is relative to is not known. In place of
 * the origin's last part, behind which slashes do not count.
 */
static const char *url_of(struct parser *p, const struct pull *pull)
{
	struct slice origin = origin_of(p);
	char text[URL_TEXT_MAX];
	struct url u;
	size_t n;

	if (!pull->origin || url_parse(&u, origin.s, origin.len) < 0)
		return pull->origin ? NULL : keep(p, pull->url);
	n = strcspn(u.path, "?");
	while (n && u.path[n - 1] == '/')
		n--;
	while (n && u.path[n - 1] != '/')
		n--;
	while (n && u.path[n - 1] == '/')
		n--;
	u.path[n] = 0;
	return textf(p, "%s/%.*s", url_text(&u, text), SLICE(pull->url));
}

/* Without name: of any that there is a loop device of. */
static struct pull *find(const struct parser *p, struct slice name, bool raw)
{
	struct pull *list = p->pulls.items;

	for (size_t i = p->pulls.n; i-- > 0;)
		if (!list[i].class->folder && list[i].raw == raw && !passed_over(p, &list[i]) &&
			(name.s ? list[i].name.len == name.len &&
					memcmp(list[i].name.s, name.s, name.len) == 0
				: list[i].blockdev))
			return &list[i];
	return NULL;
}

bool pull_finds_disk(const char *root)
{
	static const char *const words[] = {"gpt-auto", "gpt-auto-force", "dissect",
		"dissect-force"};

	return str_among(root, words, ARRAY_SIZE(words));
}

/* systemd-gpt-auto-generator(8): the loop device of that name is the root's disk. */
static struct pull *root_disk(const struct parser *p)
{
	return find(p, slice_of("rootdisk"), true);
}

struct plan_word *pull_word(struct parser *p)
{
	const struct pull *pull = root_disk(p);

	return pull ? &p->words[pull->word] : NULL;
}

/* NAME.raw or NAME.raw-partN, as udev's rules name loop devices and their partitions. */
static struct pull *find_loop(struct parser *p, struct slice s, uint32_t *part)
{
	size_t at = s.len;
	struct slice end;

	/* The last one: a name may have it, too. */
	while (at && !slice_starts(slice_from(s, at), ".raw"))
		at--;
	end = slice_from(s, at);
	if (slice_starts(end, ".raw-part") &&
		(value_u32(end.s + 9, end.len - 9, 128, part) < 0 || !*part))
		return NULL;
	if (!slice_is(end, ".raw") && !*part)
		return NULL;
	return find(p, (struct slice){s.s, at}, true);
}

/* As udev names it, which writes other characters otherwise. */
static const char *volume_path(struct parser *p, struct slice s)
{
	static const char *const folders[] = {"label", "uuid", "partlabel", "partuuid"};
	enum volume_key key;
	size_t at;

	key = value_volume(s.s, s.len, &at);
	if (key == VOLUME_NO_KEY || s.s[at + strspn(s.s + at, ALNUM "#+-.:=@_")])
		return NULL;
	return textf(p, "/dev/disk/by-%s/%s", folders[key], s.s + at);
}

static struct pull *find_root(struct parser *p, struct slice s, uint32_t *part,
	const char **volume)
{
	static const char *const folders[] = {"bind:/run/machines/", "bind:/var/lib/machines/"};
	static const char loops[] = "/dev/disk/by-loop-ref/";

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (slice_starts(s, folders[i]))
			return find(p, slice_from(s, strlen(folders[i])), false);
	if (slice_starts(s, loops))
		return find_loop(p, slice_from(s, strlen(loops)), part);
	if (pull_finds_disk(s.s))
		return root_disk(p);
	*volume = volume_path(p, s);
	return *volume ? find(p, (struct slice){0}, true) : NULL;
}

bool pull_take(struct parser *p, struct plan_word *w)
{
	struct plan_root *root = &p->plan->root;
	uint32_t part = 0;
	const char *url, *volume = NULL;
	struct pull *pull = w == pull_word(p) ? root_disk(p)
					      : find_root(p, word_value(w), &part, &volume);

	if (!pull)
		return false;
	pull->used = true;
	url = url_of(p, pull);
	if (url && pull->origin && !file_url(p, &p->words[pull->word], slice_of(url), DIAG_ERROR))
		return false;
	root->kind = PLAN_ROOT_LIVE;
	root->image.url = url;
	root->image.part = part;
	root->image.volume = volume;
	root->image.must_prove = pull->verify == VERIFY_SIGNATURE;
	root->image.sums = pull->verify == VERIFY_CHECKSUM;
	say(p, w, "what rd.systemd.pull= fetches");
	if (!url)
		note_word(p, &p->words[pull->word], "for iPXE, add rd.root.origin=${cwuri}",
			"relative to the URL that UEFI HTTP Boot has the kernel image from");
	return say(p, &p->words[pull->word], "fetches the root image %s",
		url ? url : keep(p, pull->url));
}

/* --- beside the root ------------------------------------------------------------------------- */

static bool is_there(const struct parser *p, const struct plan_extension *new)
{
	FOR_EACH(struct plan_extension, e, &p->extensions)
		if (streq(e->kind, new->kind) && streq(e->name, new->name))
			return true;
	return false;
}

static void take_extension(struct parser *p, struct pull *pull)
{
	struct plan_word *w = &p->words[pull->word];
	struct plan_extension e = {.kind = pull->class->name, .folder = pull->class->folder,
		.name = keep(p, pull->name), .url = url_of(p, pull), .raw = pull->raw,
		.must_prove = pull->verify == VERIFY_SIGNATURE,
		.sums = pull->verify == VERIFY_CHECKSUM};

	if (e.url && pull->origin && !file_url(p, w, slice_of(e.url), DIAG_ERROR))
		return;
	if (is_there(p, &e))
		left_out(p, w, WHOLE, "give it another name", "a second image of that name");
	else
		pull->used = APPEND(p, &p->extensions, e, w) && say(p, w,
			"fetches the %s image %s beside the root, into %s", e.kind, e.name,
			e.folder);
}

void pull_left(struct parser *p)
{
	struct pull *pull = p->pulls.items;

	for (size_t n = p->pulls.n; n; n--, pull++)
		if (passed_over(p, pull))
			complain(p, &p->words[pull->word], WHOLE,
				pull->class->folder ? DIAG_WARN : DIAG_NOTE, NULL,
				"not fetched: this boot came from no web server");
		else if (pull->class->folder)
			take_extension(p, pull);
		else if (!pull->used)
			warn_word(p, &p->words[pull->word],
				textf(p, pull->raw ? "write root=/dev/disk/by-loop-ref/%.*s.raw"
						   : "write root=bind:/run/machines/%.*s",
					SLICE(pull->name)),
				"not fetched: root= does not mean this image");
}

/* A root of dracut's alone, or none: the agent's work ends before there is anything beside it. */
static bool not_ours(const struct boot_plan *plan)
{
	return (plan->root.kind == PLAN_ROOT_BLOCK || plan->root.kind == PLAN_ROOT_OTHER) &&
		!plan->net.alone;
}

void check_pull(struct parser *p)
{
	const struct plan_image *image = &p->plan->root.image;

	FOR_EACH(struct pull, pull, &p->pulls) {
		const struct plan_word *w = &p->words[pull->word];
		bool asks = pull->verify == VERIFY_SIGNATURE;

		if (!pull->class->folder || !pull->used)
			continue;
		if (not_ours(p->plan))
			warn_word(p, w, "add rd.neednet=1, or write systemd.pull= for the real "
				"system", "not fetched: the root is left to dracut");
		else if (!p->keys.n && (asks || image->has_digest))
			warn_word(p, w, asks ? "add rd.root.key=, or write verify=no"
				: "add rd.root.key=",
				"fetched only with a key in the initramfs: %s", asks
				? "verify=signature, the default, is asked for"
				: "rd.root.digest= asks for proof and is the root's alone");
		else if (!p->keys.n)
			note_word(p, w, "add rd.root.key=",
				"%s proves the image, unless keys are in the initramfs",
				pull->verify == VERIFY_CHECKSUM
				? "only a SHA-256 file of the same server" : "nothing");
	}
}
