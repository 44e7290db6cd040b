//go:build ignore

/* Steps an FMU with a SensorView as its input and prints how long a step takes.
 *
 *   speed GUID RESOURCES LIBRARY REPLAY_ENABLED SENSORVIEW STEPS > "STEP CALLS SIZE"
 *
 * REPLAY_ENABLED is the reference of the variable of that name, which is set to false. A step
 * consists of the calls of a master that wires single integers: three times fmi2SetInteger,
 * fmi2DoStep, three times fmi2GetInteger. STEP is its time in nanoseconds and CALLS the time of the
 * six calls other than fmi2DoStep. Each is the mean of the fastest of a hundred sections, which is
 * least disturbed by other load on the machine. SIZE is the size of the SensorData. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "input.h"
#include "simulation.h"

static fmi2Integer input[3], output[3];

/* wired sets the input, steps if stepping is set, and gets the output. */
static int wired(const fmu *f, fmi2Component c, int stepping)
{
	static int k;
	fmi2Status worst = fmi2OK;
	for (int n = 0; n < 3; n++)
		worst |= f->fmi2SetInteger(c, &sensor_view[n], 1, &input[n]);
	if (stepping)
		worst |= f->fmi2DoStep(c, k++ * h, h, fmi2True);
	for (int n = 0; n < 3; n++)
		worst |= f->fmi2GetInteger(c, &sensor_data[n], 1, &output[n]);
	return worst == fmi2OK;
}

/* fastest returns the mean time in the fastest of a hundred sections, or a negative value if a call
 * fails. */
static double fastest(const fmu *f, fmi2Component c, int times, int stepping)
{
	double best = INFINITY;
	const int stretch = times / 100 + 1;
	for (int s = 0; s < 100; s++) {
		const double begin = now();
		for (int k = 0; k < stretch; k++)
			if (!wired(f, c, stepping))
				return trouble("a call failed") - 1;
		best = fmin(best, (now() - begin) / stretch);
	}
	return best;
}

int main(int count, char **words)
{
	fmu f;
	if (count != 7)
		return 2;
	const simulation s = {.guid = words[1], .resources = words[2], .path = words[3]};
	const fmi2ValueReference replay = (fmi2ValueReference)atoi(words[4]);
	const fmi2Boolean off = fmi2False;
	const int steps = atoi(words[6]);
	size_t size;
	const unsigned char *view = read_file(words[5], &size);
	fmi2Component c = view != NULL && load(&f, s.path) ? instantiate(&f, &s) : NULL;
	put_address(input, view, size);
	if (c == NULL || f.fmi2SetBoolean(c, &replay, 1, &off) != fmi2OK || !initialize(&f, c))
		return 1;
	const double step = fastest(&f, c, steps, 1), calls = fastest(&f, c, steps, 0);
	if (step < 0 || calls < 0)
		return 1;
	printf("%.1f %.1f %d\n", step, calls, output[2]);
	f.fmi2FreeInstance(c);
	return 0;
}
