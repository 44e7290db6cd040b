/* A simulation with one instance: from loading to unloading, with a hash over all that came out. */
#ifndef GOSMP_SIMULATION_H
#define GOSMP_SIMULATION_H

#include <stdint.h>

#include "fmu.h"

enum { MOST_REALS = 256 };

typedef struct {
	const char *guid, *resources, *path;
	int steps, silent;
	size_t reals;
	fmi2ValueReference references[MOST_REALS];
	uint64_t hash; /* over everything that came out */
} simulation;

static void log_line(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category,
                     fmi2String message, ...)
{
	(void)environment;
	if (status < fmi2Warning)
		return;
	va_list arguments;
	va_start(arguments, message);
	fprintf(stderr, "%s: %s: status %d: ", instance, category != NULL ? category : "NO CATEGORY", (int)status);
	vfprintf(stderr, message, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

static uint64_t hash(uint64_t sum, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	for (size_t k = 0; k < n; k++)
		sum = (sum ^ b[k]) * 1099511628211u;
	return sum;
}

static const uint64_t hash_start = 14695981039346656037u;

/* OSMPSensorDataOut.base.lo, base.hi and size. */
static const fmi2ValueReference sensor_data[3] = {3, 4, 5};

static int look(const fmu *f, fmi2Component c, simulation *s, double time)
{
	fmi2Integer triple[3];
	fmi2Real reals[MOST_REALS];
	if (f->fmi2GetInteger(c, sensor_data, 3, triple) != fmi2OK || f->fmi2GetReal(c, s->references, s->reals, reals) != fmi2OK)
		return trouble("outputs cannot be read at %g s", time);
	const void *data = (const void *)(uintptr_t)((uint64_t)(uint32_t)triple[1] << 32 | (uint32_t)triple[0]);
	if (data == NULL || triple[2] <= 0)
		return trouble("no SensorData at %g s: size %d", time, triple[2]);
	uint64_t message = hash(hash_start, data, (size_t)triple[2]), values = hash(hash_start, reals, s->reals * sizeof *reals);
	s->hash = hash(hash(s->hash, &message, sizeof message), &values, sizeof values);
	if (!s->silent)
		printf("%.3f %d %016llx %016llx\n", time, triple[2], (unsigned long long)message, (unsigned long long)values);
	return 1;
}

static int initialize(const fmu *f, fmi2Component c)
{
	return (f->fmi2SetupExperiment(c, fmi2False, 0, 0, fmi2False, 0) == fmi2OK && f->fmi2EnterInitializationMode(c) == fmi2OK &&
	        f->fmi2ExitInitializationMode(c) == fmi2OK) ||
	       trouble("no initialization");
}

static const double h = 0.02;

static int step(const fmu *f, fmi2Component c, simulation *s, int k)
{
	return (f->fmi2DoStep(c, k * h, h, fmi2True) == fmi2OK && look(f, c, s, (k + 1) * h)) || trouble("step %d failed", k);
}

static int step_through(const fmu *f, fmi2Component c, simulation *s)
{
	if (!initialize(f, c))
		return 0;
	for (int k = 0; k < s->steps; k++)
		if (!step(f, c, s, k))
			return 0;
	return f->fmi2Terminate(c) == fmi2OK ? 1 : trouble("fmi2Terminate failed");
}

static const fmi2CallbackFunctions callbacks = {log_line, NULL, NULL, NULL, NULL};

static fmi2Component instantiate(const fmu *f, const simulation *s)
{
	fmi2Component c = f->fmi2Instantiate("sensor", fmi2CoSimulation, s->guid, s->resources, &callbacks, fmi2False, fmi2True);
	if (c == NULL)
		trouble("%s: no instance", s->path);
	return c;
}

/* play is a simulation with a library that is loaded, and unloads it. */
static int play(const fmu *f, simulation *s)
{
	s->hash = hash_start;
	fmi2Component c = instantiate(f, s);
	int well = c != NULL && step_through(f, c, s);
	if (c != NULL)
		f->fmi2FreeInstance(c);
	close_library(f->file);
	return well;
}

/* simulate does all that an importer does, from loading to unloading. */
static int simulate(simulation *s)
{
	fmu f;
	return load(&f, s->path) && play(&f, s);
}

#endif
