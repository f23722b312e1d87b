/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pid1: the duties of process 1 in the stand-alone image. It owns the process that runs the boot,
 * the emergency policy and the way into the real root.
 * In: argv and environment from the kernel. Out: init of the real root, or the machine's end; it
 * does not return.
 * Callers: main.c. Tests: tests/pid1.bats, tests-qemu/failure.bats.
 */
#pragma once

/*
 * pid1_main: mounts the API file systems, runs the boot in a child (a crash there is restarted and
 * adopts what is up, instead of a kernel panic), then enters the real root or applies the emergency
 * policy. Does not return.
 */
void pid1_main(char *argv[], char *envp[]) __attribute__((noreturn));
