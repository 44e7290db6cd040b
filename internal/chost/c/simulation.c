#include "simulation.h"

#include <stdio.h>

int look(const fmu *f, fmi2Component c, simulation *s, double time)
{
	message m;
	fmi2Real reals[MOST_REALS];
	if (!read_message(f, c, sensor_data, &m) ||
	    f->fmi2GetReal(c, s->references, s->reals, reals) != fmi2OK)
		return trouble("outputs cannot be read at %g s", time);
	if (m.size == 0)
		return trouble("no SensorData at %g s", time);
	uint64_t values = hash(hash_start, reals, s->reals * sizeof *reals);
	s->hash = hash(hash(s->hash, &m.hash, sizeof m.hash), &values, sizeof values);
	if (!s->silent)
		printf("%.3f %zu %016llx %016llx\n", time, m.size, (unsigned long long)m.hash,
		       (unsigned long long)values);
	return 1;
}

const double h = 0.02;

int step(const fmu *f, fmi2Component c, simulation *s, int k)
{
	return (f->fmi2DoStep(c, k * h, h, fmi2True) == fmi2OK && look(f, c, s, (k + 1) * h)) ||
	       trouble("step %d failed", k);
}

int step_through(const fmu *f, fmi2Component c, simulation *s)
{
	if (!initialize(f, c))
		return 0;
	for (int k = 0; k < s->steps; k++)
		if (!step(f, c, s, k))
			return 0;
	return f->fmi2Terminate(c) == fmi2OK ? 1 : trouble("fmi2Terminate failed");
}

fmi2Component instantiate(const fmu *f, const simulation *s)
{
	fmi2Component c = f->fmi2Instantiate("sensor", fmi2CoSimulation, s->guid, s->resources,
	                                     &callbacks, fmi2False, fmi2True);
	if (c == NULL)
		trouble("%s: no instance", s->path);
	return c;
}

int play(const fmu *f, simulation *s)
{
	s->hash = hash_start;
	fmi2Component c = instantiate(f, s);
	int well = c != NULL && step_through(f, c, s);
	if (c != NULL)
		f->fmi2FreeInstance(c);
	close_library(f->file);
	return well;
}

int simulate(simulation *s)
{
	fmu f;
	return load(&f, s->path) && play(&f, s);
}
