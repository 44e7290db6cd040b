/* A simulation with one instance of OSMPDummySensor: from loading to unloading, with a hash over
 * all that came out. */
#ifndef GOSMP_SIMULATION_H
#define GOSMP_SIMULATION_H

#include "message.h"

enum { MOST_REALS = 256 };

typedef struct {
	const char *guid, *resources, *path;
	int steps, silent;
	size_t reals;
	fmi2ValueReference references[MOST_REALS];
	uint64_t hash; /* over everything that came out */
} simulation;

/* The communication step size in seconds. */
extern const double h;

fmi2Component instantiate(const fmu *f, const simulation *s);

/* look adds all outputs to the hash, and prints them unless the simulation is silent. */
int look(const fmu *f, fmi2Component c, simulation *s, double time);

/* step makes step k, from k*h, and looks. */
int step(const fmu *f, fmi2Component c, simulation *s, int k);

/* step_through goes from initialization to the end. */
int step_through(const fmu *f, fmi2Component c, simulation *s);

/* play is a simulation with a library that is loaded, and unloads it. */
int play(const fmu *f, simulation *s);

/* simulate makes all calls of an importer, from loading to unloading. */
int simulate(simulation *s);

#endif
