/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modtree: see modtree.h. */
#include "modtree.h"

#include <elf.h>
#include <limits.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"
#include "files.h"

/* A growing byte string; tests may run out of memory loudly. */
struct bytes {
	char data[4096];
	size_t len;
};

static size_t add(struct bytes *b, const void *data, size_t len)
{
	size_t at = b->len;

	CHECK(len <= sizeof(b->data) - b->len);
	memcpy(b->data + at, data, len);
	b->len += len;
	return at;
}

static size_t add_string(struct bytes *b, const char *text)
{
	return add(b, text, strlen(text) + 1);
}

static void add_info(struct bytes *b, const char *key, const char *value)
{
	char line[512];

	snprintf(line, sizeof(line), "%s=%s", key, value);
	add_string(b, line);
}

enum { SEC_NULL, SEC_MODINFO, SEC_KSTRINGS, SEC_SYMTAB, SEC_STRTAB, SEC_NAMES, SEC_COUNT };

static const char *const section_names[SEC_COUNT] = {
	"", ".modinfo", "__ksymtab_strings", ".symtab", ".strtab", ".shstrtab"};

struct object {
	struct bytes sections[SEC_COUNT];
	size_t name_at[SEC_COUNT];
};

static void add_symbol(struct object *o, const char *name)
{
	Elf64_Sym sym = {
		.st_name = (Elf64_Word)add_string(&o->sections[SEC_STRTAB], name),
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
		.st_shndx = SHN_UNDEF,
	};

	add(&o->sections[SEC_SYMTAB], &sym, sizeof(sym));
}

static void fill(struct object *o, const struct modtree_module *m)
{
	const Elf64_Sym none = {0};
	char symbol[128];

	for (int i = 0; i < SEC_COUNT; i++)
		o->name_at[i] = add_string(&o->sections[SEC_NAMES], section_names[i]);
	add_info(&o->sections[SEC_MODINFO], "name", m->name);
	for (size_t i = 0; i < ARRAY_SIZE(m->alias) && m->alias[i]; i++)
		add_info(&o->sections[SEC_MODINFO], "alias", m->alias[i]);
	if (m->softdep)
		add_info(&o->sections[SEC_MODINFO], "softdep", m->softdep);
	add_string(&o->sections[SEC_STRTAB], "");
	add(&o->sections[SEC_SYMTAB], &none, sizeof(none));
	for (size_t i = 0; i < ARRAY_SIZE(m->needs) && m->needs[i]; i++)
		add_symbol(o, m->needs[i]);
	snprintf(symbol, sizeof(symbol), "%s_symbol", m->name);
	add_string(&o->sections[SEC_KSTRINGS], symbol);
}

static Elf64_Shdr section_header(const struct object *o, int i, size_t offset)
{
	Elf64_Shdr sh = {
		.sh_name = (Elf64_Word)o->name_at[i],
		.sh_type = i == SEC_SYMTAB		       ? SHT_SYMTAB
			   : i == SEC_NULL		       ? SHT_NULL
			   : i == SEC_STRTAB || i == SEC_NAMES ? SHT_STRTAB
							       : SHT_PROGBITS,
		.sh_offset = i == SEC_NULL ? 0 : offset,
		.sh_size = o->sections[i].len,
		.sh_link = i == SEC_SYMTAB ? SEC_STRTAB : 0,
		.sh_info = i == SEC_SYMTAB ? 1 : 0,
		.sh_entsize = i == SEC_SYMTAB ? sizeof(Elf64_Sym) : 0,
		.sh_addralign = 1,
	};
	return sh;
}

static void write_object(FILE *f, const struct object *o)
{
	Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(eh),
		.e_ehsize = sizeof(eh),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SEC_COUNT,
		.e_shstrndx = SEC_NAMES,
	};
	size_t offset = sizeof(eh) + SEC_COUNT * sizeof(Elf64_Shdr);

	fwrite(&eh, sizeof(eh), 1, f);
	for (int i = 0; i < SEC_COUNT; i++) {
		Elf64_Shdr sh = section_header(o, i, offset);

		fwrite(&sh, sizeof(sh), 1, f);
		offset += o->sections[i].len;
	}
	for (int i = 0; i < SEC_COUNT; i++)
		fwrite(o->sections[i].data, 1, o->sections[i].len, f);
}

void modtree_file(const struct modtree *t, const char *path, const char *text)
{
	files_text(t->root, path, text);
}

static void make_module(const struct modtree *t, const struct modtree_module *m)
{
	struct object *o = calloc(1, sizeof(*o));
	char path[256];
	FILE *f;

	CHECK(o != NULL);
	fill(o, m);
	snprintf(path, sizeof(path), "/lib/modules/" MODTREE_KVER "/kernel/%s.ko", m->name);
	f = files_create(t->root, path);
	write_object(f, o);
	CHECK_INT(fclose(f), 0);
	free(o);
}

/* kmod is in the list of packages the tests need; without it nothing here can be tested. */
static void run_depmod(const struct modtree *t)
{
	char program[] = "depmod", base[] = "-b", kver[] = MODTREE_KVER, root[sizeof(t->root)];
	char *argv[] = {program, base, root, kver, NULL};
	char path[] = "PATH=/usr/sbin:/sbin:/usr/bin:/bin";
	char *envp[] = {path, NULL};
	int status = -1;
	pid_t pid;

	(void)strscpy(root, t->root, sizeof(root));
	CHECK_INT(setenv("PATH", path + 5, 1), 0);
	CHECK_INT(posix_spawnp(&pid, program, NULL, NULL, argv, envp), 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
}

void modtree_bare(struct modtree *t)
{
	memset(t, 0, sizeof(*t));
	(void)strscpy(t->root, "/tmp/initagent-modtree-XXXXXX", sizeof(t->root));
	t->env.prefix = check_dir(t->root);
}

void modtree_make(struct modtree *t, const struct modtree_module *modules, size_t n)
{
	modtree_bare(t);
	/* Without them depmod warns about each. */
	modtree_file(t, "/lib/modules/" MODTREE_KVER "/modules.order", "");
	modtree_file(t, "/lib/modules/" MODTREE_KVER "/modules.builtin.modinfo", "");
	modtree_file(t, "/lib/modules/" MODTREE_KVER "/modules.builtin", "kernel/fs/fixed_in.ko\n");
	for (size_t i = 0; i < n; i++)
		make_module(t, &modules[i]);
	run_depmod(t);
}
