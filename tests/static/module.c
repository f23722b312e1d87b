/* SPDX-License-Identifier: GPL-2.0-or-later */
/* module.c: an object file with what libkmod reads of a kernel module; never loaded anywhere. */
const char license[] __attribute__((section(".modinfo"), used)) = "license=GPL\0name=tiny";
