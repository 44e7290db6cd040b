//go:build ignore

/* The plain host: FMUs of FMI 2.0 one behind the other in this process, called as one would write it
 * without a second thought.
 *
 *   host STEPS STEP CSV < description
 *
 * The description is words: "fmu GUID RESOURCES LIBRARY" begins an FMU; "set Real|Integer|Boolean
 * REFERENCE VALUE" is a parameter; "in LO HI SIZE" and "out LO HI SIZE" are the binary variables
 * through which it gets what the FMU before has put out; "real REFERENCE" and "integer REFERENCE" are
 * recorded, at most 8 of each. CSV is a file to write, or - to keep the values of the newest step
 * only. The program prints nanoseconds for each step of all FMUs, in the fastest tenth of the run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fmi2.h"

enum { MOST = 8 };
#define FUNCTIONS(F)                                                                                \
	F(fmi2Instantiate) F(fmi2SetupExperiment) F(fmi2EnterInitializationMode)                    \
	F(fmi2ExitInitializationMode) F(fmi2GetReal) F(fmi2GetInteger) F(fmi2SetReal)               \
	F(fmi2SetInteger) F(fmi2SetBoolean) F(fmi2DoStep) F(fmi2Terminate) F(fmi2FreeInstance)
#define FIELD(name) __typeof__(name) *name;
typedef struct {
	FUNCTIONS(FIELD)
	fmi2Component c;
	fmi2ValueReference in[3], out[3], real[MOST], integer[MOST];
	size_t reals, integers;
	int takes, gives;
} part;

static part parts[MOST];
static int count;

static void fail(const char *what)
{
	fprintf(stderr, "host: %s\n", what);
	exit(1);
}

static void silent(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String text, ...)
{
	(void)e, (void)name, (void)status, (void)category, (void)text;
}

static const fmi2CallbackFunctions callbacks = {silent, calloc, free, NULL, NULL};

static void open_part(const char *guid, const char *resources, const char *path)
{
	if (count == MOST)
		fail("too many FMUs");
	part *p = &parts[count++];
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		fail(dlerror());
#define LOOK_UP(name)                                                                               \
	*(void **)&p->name = dlsym(library, #name);                                                 \
	if (p->name == NULL)                                                                        \
		fail("no " #name);
	FUNCTIONS(LOOK_UP)
	p->c = p->fmi2Instantiate("plain", fmi2CoSimulation, guid, resources, &callbacks, fmi2False,
	                          fmi2False);
	if (p->c == NULL)
		fail("no instance");
}

static void set(part *p, const char *type, fmi2ValueReference r, double value)
{
	int integer = (int)value;
	if (strcmp(type, "Real") == 0 ? p->fmi2SetReal(p->c, &r, 1, &value) != fmi2OK
	    : strcmp(type, "Integer") == 0 ? p->fmi2SetInteger(p->c, &r, 1, &integer) != fmi2OK
	                                   : p->fmi2SetBoolean(p->c, &r, 1, &integer) != fmi2OK)
		fail("a parameter is refused");
}

static void read_description(void)
{
	char word[16], guid[256], resources[4096], path[4096];
	unsigned r[3];
	double value;
	while (scanf("%15s", word) == 1) {
		part *p = count == 0 ? NULL : &parts[count - 1];
		if (strcmp(word, "fmu") == 0 && scanf("%255s %4095s %4095s", guid, resources, path) == 3) {
			open_part(guid, resources, path);
		} else if (strcmp(word, "set") == 0 && scanf("%15s %u %lf", word, r, &value) == 3) {
			set(p, word, r[0], value);
		} else if (strcmp(word, "real") == 0 && scanf("%u", r) == 1 && p->reals < MOST) {
			p->real[p->reals++] = r[0];
		} else if (strcmp(word, "integer") == 0 && scanf("%u", r) == 1 && p->integers < MOST) {
			p->integer[p->integers++] = r[0];
		} else if (scanf("%u %u %u", r, r + 1, r + 2) == 3) {
			int in = strcmp(word, "in") == 0;
			memcpy(in ? p->in : p->out, r, sizeof r);
			*(in ? &p->takes : &p->gives) = 1;
		} else {
			fail("a bad description");
		}
	}
}

static void step(double t, double h, FILE *csv)
{
	static fmi2Integer message[3];
	static double reals[MOST];
	static fmi2Integer integers[MOST];
	for (int k = 0; k < count; k++) {
		part *p = &parts[k];
		if (p->takes && p->fmi2SetInteger(p->c, p->in, 3, message) != fmi2OK)
			fail("an input is refused");
		if (p->fmi2DoStep(p->c, t, h, fmi2True) != fmi2OK)
			fail("a step failed");
		if ((p->gives && p->fmi2GetInteger(p->c, p->out, 3, message) != fmi2OK) ||
		    (p->reals > 0 && p->fmi2GetReal(p->c, p->real, p->reals, reals) != fmi2OK) ||
		    (p->integers > 0 && p->fmi2GetInteger(p->c, p->integer, p->integers, integers) != fmi2OK))
			fail("an output cannot be read");
		if (csv == NULL)
			continue;
		fprintf(csv, "%.17g", t + h);
		for (size_t n = 0; n < p->reals; n++)
			fprintf(csv, ",%.17g", reals[n]);
		for (size_t n = 0; n < p->integers; n++)
			fprintf(csv, ",%d", integers[n]);
		fputc('\n', csv);
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int words, char **word)
{
	if (words != 4)
		fail("STEPS STEP CSV");
	const long steps = atol(word[1]), tenth = steps / 10;
	const double h = atof(word[2]);
	FILE *csv = strcmp(word[3], "-") == 0 ? NULL : fopen(word[3], "w");
	read_description();
	for (int k = 0; k < count; k++) {
		part *p = &parts[k];
		if (p->fmi2SetupExperiment(p->c, fmi2False, 0, 0, fmi2False, 0) != fmi2OK ||
		    p->fmi2EnterInitializationMode(p->c) != fmi2OK || p->fmi2ExitInitializationMode(p->c) != fmi2OK)
			fail("no initialization");
	}
	double fastest = 1e300;
	for (int part = 0; part < 10; part++) {
		const double begin = now();
		for (long k = part * tenth; k < (part + 1) * tenth; k++)
			step((double)k * h, h, csv);
		const double taken = (now() - begin) / (double)tenth;
		fastest = taken < fastest ? taken : fastest;
	}
	for (int k = 0; k < count; k++) {
		parts[k].fmi2Terminate(parts[k].c);
		parts[k].fmi2FreeInstance(parts[k].c);
	}
	printf("%.1f\n", fastest);
	return csv != NULL && fclose(csv) != 0;
}
