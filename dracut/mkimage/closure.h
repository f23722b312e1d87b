/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * closure: from the names of drivers to everything that has to be in the image for them: the
 * modules they depend on (modules.dep), their soft and weak dependencies, what the agent's own
 * table of companions adds, needs that no index lists, and the firmware they name. In: names, a
 * source and its index. Out: entries of the tree. Callers: dracut/ (mkimage.c). Tests:
 * tests/mkimage-modules.bats, tests/mkimage.bats.
 */
#pragma once

#include "source.h"
#include "tree.h"

struct closure;

enum closure_need {
	CLOSURE_NEED, /* its absence is an error */
	CLOSURE_TELL, /* taken when this kernel has it; otherwise a line says that it has not */
	CLOSURE_MAY,  /* taken when this kernel has it */
	CLOSURE_MORE, /* in the list of base drivers: only where it is asked for */
};

/*
 * closure_new: index is a directory with modules.dep.bin whose relative paths fit the source, NULL:
 * no module is asked for. Borrows t and s; lives until the end.
 */
struct closure *closure_new(struct tree *t, const struct source *s, const char *index);

/* closure_leave_out: this module is not taken as a companion or from the base list. */
void closure_leave_out(struct closure *c, const char *name);

/* closure_accept_firmware: missing firmware whose name (or module's name) matches is no error. */
void closure_accept_firmware(struct closure *c, const char *pattern);

/* closure_want: a module name or alias ("crypto-crc32"), and who asks for it. */
void closure_want(struct closure *c, const char *name, enum closure_need need, const char *why);

/* closure_want_base: the drivers every image holds (dracut/70initagent/drivers.list). */
void closure_want_base(struct closure *c);

/* closure_want_more: a module that this list has for those who ask for it; no other name. */
void closure_want_more(struct closure *c, const char *name, const char *why);

/*
 * closure_run: reads the modules and firmware into the tree until nothing is missing, and compares
 * the modules' symbol versions. Prints one line to stderr for each thing that is missing or does
 * not fit. Returns the number of such lines.
 */
int closure_run(struct closure *c);

/* closure_holds: after closure_run(): every module that name stands for is in the image, or built
 * into the kernel. */
bool closure_holds(const struct closure *c, const char *name);

/* closure_machine: what machine the modules are for (elf_machine), 0 when there are none. */
uint16_t closure_machine(const struct closure *c);

/* closure_modules: the number of modules in the image. */
size_t closure_modules(const struct closure *c);

/*
 * closure_explain: what became of every name asked for: the file it is in, or "built in"; the
 * symbol versions; and whether each module option in the image reaches a module that knows it.
 */
void closure_explain(const struct closure *c, FILE *out);
