// SPDX-License-Identifier: GPL-2.0-or-later
#include "axis.h"

/* What a span shorter than this is widened to. */
#define SHORTEST 0.001

/* Values are times or counts, never below 0: a cast rounds down. */
static double down(double value)
{
	return (double)(long long)value;
}

/* 1, 2 or 5 times a power of ten, not below `raw`; digits: how many after the point. */
static double round_step(double raw, unsigned int *ret_digits)
{
	static const double steps[] = {1, 2, 5, 10};
	double power = 1;
	size_t i = 0;

	*ret_digits = 0;
	while (power * 10 <= raw)
		power *= 10;
	for (; power > raw * 1.000001; ++*ret_digits)
		power /= 10;
	while (raw > steps[i] * power * 1.000001)
		i++;
	if (i == ARRAY_SIZE(steps) - 1 && *ret_digits)
		--*ret_digits;
	return steps[i] * power;
}

struct axis axis_make(double from, double to, unsigned int ticks)
{
	struct axis a = {.from = from, .to = to < from + SHORTEST ? from + SHORTEST : to};

	a.step = round_step((a.to - a.from) / ticks, &a.digits);
	a.first = down(a.from / a.step + 1 - 1e-6) * a.step;
	a.ticks = (unsigned int)down((a.to - a.first) / a.step + 1e-6) + 1;
	return a;
}

struct axis axis_counts(size_t most, unsigned int ticks)
{
	struct axis a = axis_make(0, most ? (double)most : 1, ticks);

	if (a.step < 1) {
		a.step = 1;
		a.digits = 0;
		a.ticks = (unsigned int)a.to + 1;
	}
	return a;
}

struct axis axis_round(double from, double to, unsigned int ticks)
{
	struct axis a = axis_make(from, to, ticks);
	double begin = down(a.from / a.step + 1e-6) * a.step,
		end = down(a.to / a.step + 1 - 1e-6) * a.step;

	/* the step stays, the ends move */
	a.from = begin;
	a.to = end;
	a.first = begin;
	a.ticks = (unsigned int)down((end - begin) / a.step + 0.5) + 1;
	return a;
}

double axis_tick(const struct axis *a, unsigned int i)
{
	return a->first + i * a->step;
}

double axis_at(const struct axis *a, double value, double width)
{
	double part = (value - a->from) / (a->to - a->from);

	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return part * width;
}
