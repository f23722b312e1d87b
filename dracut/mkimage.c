// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * initagent-mkimage: builds the stand-alone image: the agent as /init, busybox as rescue shell,
 * kernel modules with everything they need, firmware. Equal input gives equal bytes.
 */
#include <dirent.h>
#include <ftw.h>
#include <sys/utsname.h>

#include "mkimage/base.h"
#include "mkimage/closure.h"
#include "mkimage/content.h"
#include "mkimage/elf.h"
#include "mkimage/fail.h"
#include "mkimage/format.h"
#include "mkimage/index.h"
#include "mkimage/options.h"
#include "mkimage/output.h"
#include "mkimage/source.h"

#define EXIT_USAGE 2

/* What the pieces of one build hang on. */
struct build {
	struct options opt;
	struct tree *tree;
	struct source *source;
	struct closure *closure;
	char scratch[256]; /* directory for depmod, removed at the end */
};

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	remove(path);
	return 0;
}

static void build_done(struct build *b)
{
	closure_free(b->closure);
	source_free(b->source);
	tree_free(b->tree);
	if (b->scratch[0])
		nftw(b->scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int open_scratch(struct build *b)
{
	const char *tmp = getenv("TMPDIR");

	if (snprintf(b->scratch, sizeof(b->scratch), "%s/initagent-mkimage.XXXXXX",
		    tmp ? tmp : "/tmp") < (int)sizeof(b->scratch) &&
		mkdtemp(b->scratch))
		return 0;
	b->scratch[0] = 0;
	return fail(-ENOTDIR, "scratch directory in %s", tmp ? tmp : "/tmp");
}

/* On a machine that has other kernels than it runs, as in a container, those are what one wants to name. */
static int no_modules(const struct source_config *cfg, int error)
{
	_cleanup_free_ char *dir = NULL;
	struct dirent **list = NULL;
	int n;

	if (cfg->modules_dir)
		return fail(error, "no kernel modules in %s", cfg->modules_dir);
	if (asprintf(&dir, "%s/lib/modules", streq(cfg->root, "/") ? "" : cfg->root) < 0)
		return -ENOMEM;
	fail(error, "no modules of kernel %s: %s/%s", cfg->kver, dir, cfg->kver);
	n = scandir(dir, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			fprintf(stderr, "initagent-mkimage: there are modules of kernel %s: name it with --kver\n", list[i]->d_name);
		free(list[i]);
	}
	if (n <= 2)
		fprintf(stderr, "initagent-mkimage: there are no other kernels: install one (Debian: linux-image-amd64), or give --root\n");
	free(list);
	return error;
}

static int open_source(struct build *b)
{
	struct source_config cfg = {
		.root = b->opt.root,
		.modules_dir = b->opt.modules_dir,
		.firmware_dir = b->opt.firmware_dir,
		.kver = b->opt.kver,
	};
	struct utsname uts;
	int r;

	uname(&uts);
	if (!cfg.kver && !cfg.modules_dir)
		cfg.kver = uts.release;
	r = source_new(&b->source, &cfg);
	return r < 0 ? no_modules(&cfg, r) : 0;
}

static int add_extras(struct build *b)
{
	for (size_t i = 0; i < b->opt.extra.n; i++) {
		int r = content_add_extra(b->tree, b->opt.extra.item[i]);

		if (r == -EINVAL)
			return fail(r, "--extra %s: FILE:PATH with an absolute PATH in normal form",
				b->opt.extra.item[i]);
		if (r < 0)
			return fail(r, "--extra %s", b->opt.extra.item[i]);
	}
	return 0;
}

static int add_content(struct build *b)
{
	const struct content_program agent = {b->opt.agent, "init", "the agent"};
	int r = content_add_base(b->tree);

	if (r < 0)
		return fail(r, "base files");
	r = content_add_program(b->tree, &agent);
	if (r == -ENOEXEC)
		return fail(r, "%s is not statically linked", agent.file);
	if (r < 0)
		return fail(r, "%s", agent.file);
	r = content_add_busybox(b->tree, b->opt.busybox);
	if (r == -ENOEXEC)
		return fail(
			r, "%s is not statically linked (package busybox-static)", b->opt.busybox);
	if (r < 0)
		return fail(r, "%s", b->opt.busybox);
	r = b->opt.modprobe_d ? content_add_modprobe_d(b->tree, b->opt.modprobe_d) : 0;
	if (r < 0)
		return fail(r, "%s", b->opt.modprobe_d);
	return add_extras(b);
}

typedef int word_func(struct closure *c, const char *word);

static int ask_driver(struct closure *c, const char *word)
{
	return closure_want(c, word, CLOSURE_NEED, "asked for with --drivers");
}

/* each_word: calls f for every name in a list of "A B,C" values. */
static int each_word(struct closure *c, const struct options_list *list, word_func *f)
{
	for (size_t i = 0; i < list->n; i++) {
		_cleanup_free_ char *copy = strdup(list->item[i]);
		char *save = NULL;

		if (!copy)
			return -ENOMEM;
		for (char *w = strtok_r(copy, " ,\t\n", &save); w;
			w = strtok_r(NULL, " ,\t\n", &save)) {
			int r = f(c, w);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int ask_base(struct build *b)
{
	int r = 0;

	for (size_t i = 0; i < n_base_drivers && !b->opt.no_base && r == 0; i++)
		if (!closure_left_out(b->closure, base_drivers[i].name))
			r = closure_want(b->closure, base_drivers[i].name, base_drivers[i].need,
				base_drivers[i].why);
	return r;
}

static int add_modules(struct build *b)
{
	char index[SOURCE_PATH_MAX];
	int r = index_source(b->source, b->scratch, index, sizeof(index));

	if (r < 0)
		return fail(r, "module index of kernel %s", source_kver(b->source));
	r = closure_new(&b->closure, b->tree, b->source, index);
	if (r < 0)
		return fail(r, "reading the module index in %s", index);
	r = each_word(b->closure, &b->opt.without, closure_leave_out);
	if (r == 0)
		r = each_word(b->closure, &b->opt.no_firmware, closure_accept_firmware);
	if (r == 0)
		r = each_word(b->closure, &b->opt.drivers, ask_driver);
	if (r == 0)
		r = ask_base(b);
	if (r == 0)
		r = closure_run(b->closure);
	if (r < 0)
		return fail(r, "collecting modules");
	if (r > 0)
		return refuse("image not built, %d thing%s missing or unfit", r, r > 1 ? "s" : "");
	r = index_image(b->tree, b->source, b->scratch);
	return r < 0 ? fail(r, "module index of the image (depmod)") : 0;
}

/* check_machine: agent and rescue shell run where the modules do. */
static int check_machine(const struct build *b)
{
	const struct {
		const char *path, *file;
	} programs[] = {{"init", b->opt.agent}, {"bin/busybox", b->opt.busybox}};

	for (size_t i = 0; i < ARRAY_SIZE(programs) && closure_machine(b->closure); i++) {
		const struct tree_entry *e = tree_find(b->tree, programs[i].path);
		uint16_t machine = e ? elf_machine(e->data, e->size) : 0;

		if (machine != closure_machine(b->closure))
			return refuse("%s is for machine %u, the modules for machine %u (ELF numbers: 62 "
				      "x86-64, 183 arm64)",
				programs[i].file, machine, closure_machine(b->closure));
	}
	return 0;
}

static void explain(const struct build *b)
{
	size_t n = tree_sort(b->tree);

	printf("Asked for, and where it is:\n");
	closure_explain(b->closure, stdout);
	printf("\nFiles:\n");
	for (size_t i = 0; i < n; i++) {
		const struct tree_entry *e = tree_at(b->tree, i);

		printf("%06o %9zu /%s (%s)\n", (unsigned int)e->mode, e->size, e->path, e->why);
	}
	printf("\n");
}

static int write_image(struct build *b)
{
	const struct output_config cfg = {b->opt.mtime, b->opt.level};
	_cleanup_free_ void *initrd = NULL;
	struct format_input in = {.opt = &b->opt, .source = b->source, .scratch = b->scratch};
	int r = output_pack(b->tree, &cfg, &initrd, &in.initrd_size);

	if (r < 0)
		return fail(r, "%s", b->opt.out);
	in.initrd = initrd;
	r = format_write(&in);
	if (r < 0)
		return r;
	if (b->opt.explain)
		explain(b);
	printf("%s: %zu files, %zu modules for kernel %s, initrd of %zu bytes\n", b->opt.out,
		tree_sort(b->tree), closure_modules(b->closure), source_kver(b->source), in.initrd_size);
	return 0;
}

static int run(struct build *b)
{
	int r = tree_new(&b->tree);

	if (r == 0)
		r = open_scratch(b);
	if (r == 0)
		r = open_source(b);
	if (r == 0)
		r = add_content(b);
	if (r == 0)
		r = add_modules(b);
	if (r == 0)
		r = check_machine(b);
	return r < 0 ? r : write_image(b);
}

/* depmod lives in sbin, which is not on everybody's path. */
static int extend_path(void)
{
	_cleanup_free_ char *path = NULL;
	const char *old = getenv("PATH");

	if (asprintf(&path, "%s:/usr/sbin:/sbin:/usr/bin:/bin", old ? old : "/usr/bin") < 0)
		return -ENOMEM;
	return setenv("PATH", path, 1);
}

int main(int argc, char **argv)
{
	_cleanup_(build_done) struct build b = {.tree = NULL};

	/* What is wrong was said, and shall not scroll away behind a page of options. */
	if (options_parse(&b.opt, argc, argv) < 0)
		return EXIT_USAGE;
	if (b.opt.version)
		return puts("initagent-mkimage " INITAGENT_VERSION) < 0;
	if (b.opt.help) {
		options_usage(stdout);
		return 0;
	}
	return extend_path() < 0 || run(&b) < 0;
}
