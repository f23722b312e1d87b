// SPDX-License-Identifier: GPL-2.0-or-later
/* axis: see axis.h. */
#include "axis.h"

#include <math.h>

/* What a span shorter than this is widened to. */
#define SHORTEST 0.001

static double round_step(double span, unsigned int ticks)
{
	double raw = span / ticks, power = pow(10, floor(log10(raw)));
	static const double steps[] = {1, 2, 5, 10};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (raw <= steps[i] * power * 1.000001)
			return steps[i] * power;
	return 10 * power;
}

struct axis axis_make(double from, double to, unsigned int ticks)
{
	struct axis a = {.from = from, .to = to < from + SHORTEST ? from + SHORTEST : to};

	a.step = round_step(a.to - a.from, ticks);
	a.first = ceil(a.from / a.step - 1e-6) * a.step;
	a.ticks = (unsigned int)floor((a.to - a.first) / a.step + 1e-6) + 1;
	a.digits = a.step >= 1 ? 0 : (unsigned int)ceil(-log10(a.step) - 1e-6);
	return a;
}

struct axis axis_round(double from, double to, unsigned int ticks)
{
	struct axis a = axis_make(from, to, ticks);
	double begin = floor(a.from / a.step + 1e-6) * a.step, end = ceil(a.to / a.step - 1e-6) * a.step;

	/* the step stays, the ends move */
	a.from = begin;
	a.to = end;
	a.first = begin;
	a.ticks = (unsigned int)floor((end - begin) / a.step + 0.5) + 1;
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
