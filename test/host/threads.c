//go:build ignore

/* Two threads use one instance at once, against the rules of FMI: one steps it, the other one reads
 * and sets integers.
 *
 *   threads GUID RESOURCES LIBRARY REPLAY_ENABLED SENSORVIEW STEPS > "STEPS OTHER"
 *
 * REPLAY_ENABLED is the reference of the variable of that name, which is set to false. OTHER is the
 * number of reads by the other thread. Every call has to succeed, and each address that is read
 * must point to a message with the expected beginning. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "input.h"
#include "simulation.h"

static fmu f;
static fmi2Component c;
static fmi2Integer input[3];
static atomic_int finished, failures;
static long others;

static void expect(int condition, const char *what)
{
	if (!condition && atomic_fetch_add(&failures, 1) == 0)
		trouble("%s", what);
}

/* other reads and sets integers while the instance steps. */
static void *other(void *unused)
{
	for (; !finished; others++) {
		fmi2Integer output[3];
		expect(f.fmi2GetInteger(c, sensor_data, 3, output) == fmi2OK, "a Get failed");
		expect(output[2] > 0 && *address_in(output) == 0x0A, "no message");
		expect(f.fmi2SetInteger(c, sensor_view, 3, input) == fmi2OK, "a Set failed");
	}
	return unused;
}

int main(int count, char **words)
{
	if (count != 7)
		return 2;
	const simulation s = {.guid = words[1], .resources = words[2], .path = words[3]};
	const fmi2ValueReference replay = (fmi2ValueReference)atoi(words[4]);
	const fmi2Boolean off = fmi2False;
	const int steps = atoi(words[6]);
	size_t size;
	const unsigned char *view = read_file(words[5], &size);
	c = view != NULL && load(&f, s.path) ? instantiate(&f, &s) : NULL;
	put_address(input, view, size);
	if (c == NULL || f.fmi2SetBoolean(c, &replay, 1, &off) != fmi2OK || !initialize(&f, c))
		return 1;
	pthread_t thread;
	for (int k = 0; k < steps; k++) {
		expect(f.fmi2SetInteger(c, sensor_view, 3, input) == fmi2OK, "a Set failed");
		expect(f.fmi2DoStep(c, k * h, h, fmi2True) == fmi2OK, "a step failed");
		if (k == 3 && pthread_create(&thread, NULL, other, NULL) != 0)
			return 1;
	}
	finished = 1;
	pthread_join(thread, NULL);
	f.fmi2FreeInstance(c);
	printf("%d %ld\n", steps, others);
	return failures != 0;
}
