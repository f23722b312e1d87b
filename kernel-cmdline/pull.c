/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pull: rd.systemd.pull=, an image as systemd-import-generator(8) of systemd 257 to 261 fetches it,
 * where root= means what it brings. systemd puts an archive below /run/machines, and a disk image
 * on a loop device with a name in /dev/disk/by-loop-ref; nothing of that is made here.
 */
#include "parser.h"
#include "url.h"

/* One rd.systemd.pull=; in the order of the command line. */
struct pull {
	size_t word;
	struct slice name, url;
	bool raw, root; /* root: of the class that a root can be of */
	bool origin;	/* url takes the place of the last part of where this boot came from */
	enum pull_verify { VERIFY_NO, VERIFY_CHECKSUM, VERIFY_SIGNATURE } verify;
	bool used;
};

/* What an option says. */
enum meaning { CLASS, TYPE, VERIFY, NOTHING, ORIGIN, BLOCKDEV };

static const struct {
	const char *word; /* one that ends in '=' is a beginning */
	uint8_t meaning, value;
} options[] = {
	{"machine", CLASS, true}, {"sysext", CLASS, false}, {"confext", CLASS, false},
	{"portable", CLASS, false},
	{"raw", TYPE, true}, {"tar", TYPE, false},
	{"verify=no", VERIFY, VERIFY_NO}, {"verify=checksum", VERIFY, VERIFY_CHECKSUM},
	{"verify=signature", VERIFY, VERIFY_SIGNATURE},
	/* The root is under a writable layer in memory whatever it is, and always in memory. */
	{"ro", NOTHING, 0}, {"rw", NOTHING, 0}, {"blockdev", BLOCKDEV, 0}, {"runtime=", NOTHING, 0},
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

	while (i < ARRAY_SIZE(options) && !(strchr(options[i].word, 0)[-1] == '='
		? slice_starts(s, options[i].word) : slice_is(s, options[i].word)))
		i++;
	if (i == ARRAY_SIZE(options)) {
		complain(p, w, s, DIAG_WARN, NULL,
			"unknown option, not read");
		return;
	}
	*seen |= 1U << options[i].meaning;
	switch (options[i].meaning) {
	case CLASS:
		pull->root = options[i].value;
		break;
	case TYPE:
		pull->raw = options[i].value;
		break;
	case VERIFY:
		pull->verify = options[i].value;
		break;
	case ORIGIN:
		pull->origin = true;
		break;
	default:
		break;
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
	if (seen & 1U << BLOCKDEV && seen & 1U << TYPE && !pull->raw)
		return left_out(p, w, WHOLE, NULL, "systemd refuses blockdev with tar");
	return (seen & 1U << CLASS && seen & 1U << TYPE) ||
		left_out(p, w, WHOLE, "write raw,machine,blockdev:NAME:URL or tar,machine:NAME:URL",
			"not both a class (machine) and a type (raw, tar)");
}

PARSE(pull)
{
	struct slice v = word_value(w);
	size_t first = slice_find(v, ":"), second;
	struct pull pull = {.word = (size_t)(w - p->words), .verify = VERIFY_SIGNATURE};

	pull.name = slice_from(v, first + (first < v.len));
	second = slice_find(pull.name, ":");
	pull.url = slice_from(pull.name, second + (second < pull.name.len));
	pull.name.len = second;
	if (!take_options(p, w, (struct slice){v.s, first}, &pull))
		return false;
	if (!pull.root) {
		warn_word(p, w, "write it as systemd.pull=, for the real system",
			"not fetched: this agent fetches the root alone");
		return say(p, w, "has no effect");
	}
	if (pull.origin && !pull.url.len)
		return left_out(p, w, WHOLE, "write bootorigin:NAME:FILE", "no file is named");
	if (!pull.origin && !file_url(p, w, pull.url, DIAG_ERROR))
		return false;
	if (!pull.name.len)
		pull.name = name_of(pull.url, pull.raw);
	return APPEND(p, &p->pulls, pull, w) &&
		say(p, w, "has no effect");
}

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
		return pull->origin ? NULL : pull->url.s;
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

static struct pull *find(const struct parser *p, struct slice name, bool raw)
{
	struct pull *list = p->pulls.items;

	for (size_t i = p->pulls.n; i-- > 0;)
		if (list[i].raw == raw && !passed_over(p, &list[i]) &&
			list[i].name.len == name.len &&
			memcmp(list[i].name.s, name.s, name.len) == 0)
			return &list[i];
	return NULL;
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

static struct pull *find_root(struct parser *p, struct slice s, uint32_t *part)
{
	static const char *const folders[] = {"bind:/run/machines/", "bind:/var/lib/machines/"};
	static const char loops[] = "/dev/disk/by-loop-ref/";

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (slice_starts(s, folders[i]))
			return find(p, slice_from(s, strlen(folders[i])), false);
	if (slice_starts(s, loops))
		return find_loop(p, slice_from(s, strlen(loops)), part);
	return slice_is(s, "gpt-auto") ? root_disk(p) : NULL;
}

bool pull_take(struct parser *p, struct plan_word *w)
{
	struct plan_root *root = &p->plan->root;
	uint32_t part = 0;
	struct pull *pull = w == pull_word(p) ? root_disk(p) : find_root(p, word_value(w), &part);
	const char *url;

	if (!pull)
		return false;
	pull->used = true;
	url = url_of(p, pull);
	if (url && pull->origin && !file_url(p, &p->words[pull->word], slice_of(url), DIAG_ERROR))
		return false;
	root->kind = PLAN_ROOT_LIVE;
	root->image.url = url;
	root->image.part = part;
	root->image.must_prove = pull->verify == VERIFY_SIGNATURE;
	root->image.sums = pull->verify == VERIFY_CHECKSUM;
	say(p, w, "what rd.systemd.pull= fetches");
	if (!url)
		note_word(p, &p->words[pull->word], "for iPXE, add rd.root.origin=${cwuri}",
			"relative to the URL that UEFI HTTP Boot has the kernel image from");
	return say(p, &p->words[pull->word], "fetches the root image %s", url ? url : pull->url.s);
}

void pull_left(struct parser *p)
{
	FOR_EACH(struct pull, pull, &p->pulls)
		if (passed_over(p, pull))
			note_word(p, &p->words[pull->word], NULL,
				"not fetched: this boot came from no web server");
		else if (!pull->used)
			warn_word(p, &p->words[pull->word],
				textf(p, pull->raw ? "write root=/dev/disk/by-loop-ref/%.*s.raw"
						   : "write root=bind:/run/machines/%.*s",
					SLICE(pull->name)),
				"not fetched: root= does not mean this image");
}
