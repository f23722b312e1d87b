/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files: below a folder, as a system has them. What cannot be made or read ends the test case. */
#pragma once

#include "base/util.h"

/* files_create: the file at root and path, empty, folders included; the caller closes it. */
FILE *files_create(const char *root, const char *path);

/* files_text: the same with a text. files_link: a symbolic link, whatever was there before. */
void files_text(const char *root, const char *path, const char *text);
void files_link(const char *root, const char *path, const char *target);

/* files_is: checks that the file is that one line. */
void files_is(const char *root, const char *path, const char *line);

/*
 * files_elf: an ELF file for a machine (e_machine, 0: this one) with a loader's name (NULL: none),
 * mode 0755. files_program: what the kernel of this machine executes.
 */
void files_elf(const char *root, const char *path, uint16_t machine, const char *loader);
void files_program(const char *root, const char *path);
