/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pid1: the duties of process 1 in the stand-alone image. */
#pragma once

/*
 * pid1_main: mounts the API file systems, runs the boot in a child (a crash there is restarted and
 * adopts what is up, instead of a kernel panic), then enters the real root or applies the emergency
 * policy. Does not return.
 */
void pid1_main(char *argv[], char *envp[]) __attribute__((noreturn));
