/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faults: what is wrong with a site file: where, how bad, and what to write instead. Everything is
 * collected first, so that one run tells all of it.
 */
#pragma once

#include "base/util.h"

enum severity {
	SEVERITY_NOTE,	  /* worth knowing */
	SEVERITY_WARNING, /* boots, but hardly as meant */
	SEVERITY_ERROR,	  /* nothing is rendered from this file */
	SEVERITY_MAX,
};

/* A place in the site file, from 1; line 0: the file as a whole. */
struct place {
	unsigned int line, column;
};

struct fault {
	enum severity severity;
	struct place at;
	const char *text;
	const char *remedy; /* "" if there is none */
};

/* More than this are counted, not kept: a hostile file must not fill the memory. */
#define FAULTS_MAX 500

struct faults;

struct faults *faults_new(void);
struct faults *faults_free(struct faults *r);
DEFINE_FREEP(struct faults, faults_free)

/* faults_add: a finding; remedy may be NULL. The texts are copied. */
void faults_add(struct faults *r, enum severity severity, struct place at, const char *remedy,
	const char *fmt, ...) _printf_(5, 6);

/* error_at: the same for an error. */
#define error_at(r, at, ...) faults_add(r, SEVERITY_ERROR, at, __VA_ARGS__)

/* faults_sort: by line, column, then words; what is there twice is dropped. */
void faults_sort(struct faults *r);

size_t faults_count(const struct faults *r);
const struct fault *faults_at(const struct faults *r, size_t i);
/* faults_total: how many of a severity there were, those not kept included. */
size_t faults_total(const struct faults *r, enum severity severity);

/* faults_print: "FILE:LINE: error: TEXT", remedies indented, sums; least: the lowest severity. */
void faults_print(struct faults *r, const char *file, enum severity least, FILE *out);
