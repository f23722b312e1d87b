// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * initagent-mkimage: builds the stand-alone image: the agent as /init, busybox as rescue shell,
 * kernel modules with everything they need, firmware. Equal input gives equal bytes.
 */
#include <dirent.h>
#include <sys/utsname.h>

#include "mkimage/closure.h"
#include "mkimage/content.h"
#include "mkimage/elf.h"
#include "mkimage/format.h"
#include "mkimage/index.h"
#include "mkimage/into.h"
#include "mkimage/options.h"
#include "mkimage/pack.h"
#include "plan.h"

/* In a container the running kernel has no modules: list the kernels that are installed. Returns
 * for a kernel that has all built in. */
static void no_modules(const struct source_config *cfg, int error, bool unwanted)
{
	const char *dir = path_text("%s/lib/modules", streq(cfg->root, "/") ? "" : cfg->root);
	struct dirent **list = NULL;
	int n;

	if (cfg->modules_dir)
		die(error, "no kernel modules in %s", cfg->modules_dir);
	report_fault(
		"no modules of kernel %s: %s/%s: %s", cfg->kver, dir, cfg->kver, strerror(-error));
	n = scandir(dir, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			report_fault("there are modules of kernel %s: name it with --kver",
				list[i]->d_name);
		free(list[i]);
	}
	free(list);
	if (n <= 2 && unwanted)
		return;
	if (n <= 2)
		report_fault("there are no other kernels: install one (Debian: linux-image-amd64), "
			     "or give --root; --no-base, if all is built into this one");
	exit(1);
}

static const struct source *open_source(const struct options *opt)
{
	struct source_config cfg = {
		.root = opt->root,
		.modules_dir = opt->modules_dir,
		.firmware_dir = opt->firmware_dir,
		.kver = opt->kver,
	};
	struct source *s = NULL;
	struct utsname uts;
	int r;

	uname(&uts);
	if (!cfg.kver && !cfg.modules_dir)
		cfg.kver = path_text("%s", uts.release);
	r = source_new(&s, &cfg);
	if (r < 0) {
		no_modules(&cfg, r, opt->no_base && !opt->drivers.n);
		cfg.bare = true;
		need(source_new(&s, &cfg), cfg.root);
	}
	return s;
}

static void add_content(struct tree *t, const struct options *opt)
{
	content_add_base(t);
	content_add_agent(t, opt->agent);
	content_add_busybox(t, opt->busybox);
	if (opt->modprobe_d)
		content_add_modprobe_d(t, opt->modprobe_d);
	for (size_t i = 0; i < opt->extra.n; i++)
		content_add_extra(t, opt->extra.item[i]);
}

static void want_driver(struct closure *c, const char *word)
{
	closure_want(c, word, CLOSURE_NEED, "asked for with --drivers");
}

/* each_word: calls f for every name in a list of "A B,C" values. */
static void each_word(struct closure *c, const struct options_list *list,
	void (*f)(struct closure *c, const char *word))
{
	for (size_t i = 0; i < list->n; i++) {
		char *copy = path_text("%s", list->item[i]), *save = NULL;

		for (char *w = strtok_r(copy, " ,\t\n", &save); w;
			w = strtok_r(NULL, " ,\t\n", &save))
			f(c, w);
	}
}

/* What the command line that goes with the image needs; the caller's array. */
static struct plan_module *modules_of(const char *cmdline, struct boot_plan **plan, size_t *n)
{
	struct plan_module *modules = NULL;

	need(plan_parse(plan, cmdline, strlen(cmdline), NULL), "--cmdline");
	need(plan_modules(*plan, &modules, n), "--cmdline");
	return modules;
}

/* Of what the drivers of every image leave out, what the command line needs. */
static void want_more(struct closure *c, const char *cmdline)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	_cleanup_free_ struct plan_module *modules = NULL;
	size_t n;

	modules = modules_of(cmdline, &plan, &n);
	for (size_t i = 0; i < n; i++)
		closure_want_more(c, modules[i].name, "asked for by --cmdline");
}

/* check_cmdline: the image holds what the command line that goes with it names. */
static int check_cmdline(const struct closure *c, const char *cmdline)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	_cleanup_free_ struct plan_module *modules = NULL;
	size_t n;
	int missing = 0;

	modules = modules_of(cmdline, &plan, &n);
	for (size_t i = 0; i < n; i++)
		if (!closure_holds(c, modules[i].name))
			missing += report_fault("%s of --cmdline names the module %s, which is not "
						"in the image: add --drivers %s",
				modules[i].option, modules[i].name, modules[i].name);
	return missing;
}

static struct closure *add_modules(
	struct tree *t, const struct source *s, const struct options *opt)
{
	const char *index = source_modules_dir(s) ? index_source(s) : NULL;
	struct closure *c = closure_new(t, s, index);
	int n;

	each_word(c, &opt->without, closure_leave_out);
	each_word(c, &opt->no_firmware, closure_accept_firmware);
	each_word(c, &opt->drivers, want_driver);
	if (index && opt->cmdline)
		want_more(c, opt->cmdline);
	if (!opt->no_base)
		closure_want_base(c);
	n = closure_run(c);
	n += index && opt->cmdline ? check_cmdline(c, opt->cmdline) : 0;
	if (n > 0)
		refuse("image not built, %d thing%s missing or unfit", n, n > 1 ? "s" : "");
	if (index)
		index_image(t, s);
	return c;
}

static uint16_t machine_of(const struct tree *t, const char *path)
{
	const struct tree_entry *e = tree_find(t, path);

	return e ? elf_machine(e->data, e->size) : 0;
}

/* check_machine: agent and rescue shell run where the modules do. */
static void check_machine(const struct tree *t, const char *path, const char *file, uint16_t wanted)
{
	uint16_t machine = machine_of(t, path);

	if (wanted && machine != wanted)
		refuse("%s is for machine %u, the modules for machine %u (ELF numbers: 62 x86-64, "
		       "183 arm64)",
			file, machine, wanted);
}

static void explain(struct tree *t, const struct closure *c)
{
	size_t n = tree_sort(t);

	printf("Requested modules and their files:\n");
	closure_explain(c, stdout);
	printf("\nFiles:\n");
	for (size_t i = 0; i < n; i++) {
		const struct tree_entry *e = tree_at(t, i);

		printf("%06o %9zu /%s (%s)\n", (unsigned int)e->mode, e->size, e->path, e->why);
	}
	printf("\n");
}

static void build(const struct options *opt)
{
	_cleanup_(tree_freep) struct tree *t = tree_new();
	const struct source *s = open_source(opt);
	_cleanup_bytes_ struct bytes initrd = {0};
	struct closure *c;

	add_content(t, opt);
	c = add_modules(t, s, opt);
	check_machine(t, "init", opt->agent, closure_machine(c));
	check_machine(t, "bin/busybox", opt->busybox, closure_machine(c));
	initrd = pack_tree(t, source_kver(s), opt->mtime, opt->level);
	format_write(&(struct format_input){opt, s, initrd, machine_of(t, "init")});
	if (opt->explain)
		explain(t, c);
	printf("%s: %zu files, %zu modules for kernel %s, initrd of %zu bytes\n", opt->out,
		tree_sort(t), closure_modules(c), source_kver(s), initrd.size);
}

int main(int argc, char **argv)
{
	const char *path = getenv("PATH");
	struct options opt = options_parse(argc, argv);

	if (opt.version)
		return puts("initagent-mkimage " INITAGENT_VERSION) < 0;
	if (opt.help) {
		options_usage(stdout);
		return 0;
	}
	/* depmod lives in sbin, which is not on every user's path. */
	setenv("PATH", path_text("%s:/usr/sbin:/sbin:/usr/bin:/bin", path ? path : "/usr/bin"), 1);
	if (opt.into)
		into_tree(&opt);
	build(&opt);
	if (fflush(stdout) != 0 || ferror(stdout))
		die(-errno, "standard output");
	return 0;
}
