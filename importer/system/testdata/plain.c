/* A host that calls three instances of the test FMU as one would write it for this system alone:
 * a -> b -> c -> a, c with steps three times as long, and a message from a to b.
 *
 *   plain STEPS LIBRARY RESOURCES
 *
 * One line for each communication point: a.out b.out b.clock c.out as hexadecimal floating point, and
 * the bytes of b's message. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi2.h"

#define FUNCTIONS(F)                                                                                \
	F(fmi2Instantiate) F(fmi2SetupExperiment) F(fmi2EnterInitializationMode)                    \
	F(fmi2ExitInitializationMode) F(fmi2GetReal) F(fmi2GetInteger) F(fmi2SetReal)               \
	F(fmi2SetInteger) F(fmi2DoStep) F(fmi2Terminate) F(fmi2FreeInstance)
#define FIELD(name) static __typeof__(name) *call_##name;
FUNCTIONS(FIELD)

static void check(int bad, const char *what)
{
	if (bad) {
		fprintf(stderr, "plain: %s\n", what);
		exit(1);
	}
}

static void silent(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String text, ...)
{
	(void)e, (void)name, (void)status, (void)category, (void)text;
}

static const fmi2CallbackFunctions callbacks = {silent, calloc, free, NULL, NULL};

static const fmi2ValueReference in = 0, out = 1, gain = 2, tick = 3;
static const fmi2ValueReference view[3] = {20, 21, 22}, data[3] = {23, 24, 25};

static double get(fmi2Component c, fmi2ValueReference r)
{
	double x;
	check(call_fmi2GetReal(c, &r, 1, &x), "fmi2GetReal");
	return x;
}

static void set(fmi2Component c, fmi2ValueReference r, double x)
{
	check(call_fmi2SetReal(c, &r, 1, &x), "fmi2SetReal");
}

static void row(double a, double b, double t, double c, const fmi2Integer m[3])
{
	printf("%a %a %a %a ", a, b, t, c);
	const unsigned char *bytes = (const void *)(uintptr_t)((uint64_t)(uint32_t)m[1] << 32 | (uint32_t)m[0]);
	for (int k = 0; k < m[2]; k++)
		printf("%02x", bytes[k]);
	printf(".\n");
}

int main(int argc, char **argv)
{
	check(argc != 4, "expected STEPS LIBRARY RESOURCES");
	void *library = dlopen(argv[2], RTLD_NOW);
	check(library == NULL, "no library");
#define FIND(name) check((call_##name = (__typeof__(name) *)dlsym(library, #name)) == NULL, #name);
	FUNCTIONS(FIND)
	const char *names[3] = {"a", "b", "c"};
	const double gains[3] = {3, 0.5, 0.1};
	fmi2Component i[3];
	int64_t point = 0;
	for (int k = 0; k < 3; k++) {
		i[k] = call_fmi2Instantiate(names[k], fmi2CoSimulation, "unruly-token", argv[3], &callbacks, 0, 0);
		check(i[k] == NULL, "fmi2Instantiate");
		set(i[k], gain, gains[k]);
		check(call_fmi2SetupExperiment(i[k], 0, 0, 0, 1, 0.1 * atoi(argv[1])), "fmi2SetupExperiment");
		check(call_fmi2EnterInitializationMode(i[k]), "fmi2EnterInitializationMode");
		set(i[k], in, 0);
	}
	for (int k = 0; k < 3; k++)
		check(call_fmi2ExitInitializationMode(i[k]), "fmi2ExitInitializationMode");
	double made = 0, shown = get(i[2], out);
	fmi2Integer message[3] = {0, 0, 0};
	row(get(i[0], out), get(i[1], out), get(i[1], tick), shown, message);
	static unsigned char text[2][64];
	for (int64_t k = 0; k < atoi(argv[1]); k++) {
		double t = (double)point / 1e9;
		point = (k + 1) * 100000000;
		double next = (double)point / 1e9;
		set(i[0], in, shown);
		int size = snprintf((char *)text[k % 2], sizeof text[0], "message of %lld", (long long)(point - 100000000));
		uint64_t address = (uintptr_t)text[k % 2];
		const fmi2Integer given[3] = {(fmi2Integer)(uint32_t)address, (fmi2Integer)(address >> 32), size};
		check(call_fmi2SetInteger(i[0], view, 3, given), "fmi2SetInteger");
		check(call_fmi2DoStep(i[0], t, next - t, 1), "fmi2DoStep");
		check(call_fmi2GetInteger(i[0], data, 3, message), "fmi2GetInteger");
		set(i[1], in, get(i[0], out));
		check(call_fmi2SetInteger(i[1], view, 3, message), "fmi2SetInteger");
		check(call_fmi2DoStep(i[1], t, next - t, 1), "fmi2DoStep");
		check(call_fmi2GetInteger(i[1], data, 3, message), "fmi2GetInteger");
		if (k % 3 == 0) {
			double end = (double)((k + 3) * 100000000) / 1e9;
			set(i[2], in, get(i[1], tick));
			check(call_fmi2DoStep(i[2], t, end - t, 1), "fmi2DoStep");
			made = get(i[2], out);
		}
		if (k % 3 == 2)
			shown = made;
		row(get(i[0], out), get(i[1], out), get(i[1], tick), shown, message);
	}
	for (int k = 0; k < 3; k++) {
		check(call_fmi2Terminate(i[k]), "fmi2Terminate");
		call_fmi2FreeInstance(i[k]);
	}
	return 0;
}
