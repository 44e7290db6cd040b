//go:build ignore

/* Measures one start: from loading an FMU's library to the end of initialization.
 *
 *   start GUID RESOURCES LIBRARY > "NANOSECONDS KIBIBYTES THREADS"
 *
 * KIBIBYTES is the increase of the process's resident memory, THREADS the increase of the number of
 * its threads. */
#include <stdio.h>

#include "simulation.h"

int main(int count, char **words)
{
	fmu f;
	if (count != 4)
		return 2;
	const simulation s = {.guid = words[1], .resources = words[2], .path = words[3]};
	const long memory = resident_memory();
	const int threads = count_threads();
	const double begin = now();
	fmi2Component c = load(&f, s.path) ? instantiate(&f, &s) : NULL;
	if (c == NULL || !initialize(&f, c))
		return 1;
	const double end = now();
	printf("%.0f %ld %d\n", end - begin, resident_memory() - memory, count_threads() - threads);
	f.fmi2FreeInstance(c);
	return 0;
}
