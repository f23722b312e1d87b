/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell: the doctor's judgement for people and for programs. */
#pragma once

#include "doctor/doctor.h"
#include "doctor/finding.h"

/* doctor_verdict_name: "ready", "partly ready", "not ready", "no device", "failed". */
const char *doctor_verdict_name(enum doctor_verdict v);

void tell_people(const struct env *env, const struct survey *s, const struct findings *f,
	enum doctor_verdict verdict, FILE *out);

/* tell_json: one object, described in docs/doctor.md. 0 or -ENOMEM. */
int tell_json(const struct env *env, const struct survey *s, const struct findings *f,
	enum doctor_verdict verdict, FILE *out);
