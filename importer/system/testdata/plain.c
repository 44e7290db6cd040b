//go:build ignore

/* A host that calls three instances of the test FMU as one would write it for this system alone:
 * a -> b -> c -> a, c with steps three times as long, and a message from a to b.
 *
 *   plain STEPS LIBRARY RESOURCES
 *
 * One line for each communication point: a.out b.out b.clock c.out as hexadecimal floating point,
 * and the bytes of b's message. */
#include <stdio.h>
#include <stdlib.h>

#include "message.h"

static fmu f;
static const fmi2CallbackFunctions with_memory = {drop_line, calloc, free, NULL, NULL};

static const fmi2ValueReference in = 0, out = 1, gain = 2, tick = 3;
static const fmi2ValueReference view[3] = {20, 21, 22}, data[3] = {23, 24, 25};

static double get(fmi2Component c, fmi2ValueReference r)
{
	double x;
	MUST(f.fmi2GetReal(c, &r, 1, &x), fmi2OK);
	return x;
}

static void set(fmi2Component c, fmi2ValueReference r, double x)
{
	MUST(f.fmi2SetReal(c, &r, 1, &x), fmi2OK);
}

static void row(double a, double b, double t, double c, const fmi2Integer m[3])
{
	printf("%a %a %a %a ", a, b, t, c);
	const unsigned char *bytes = address_in(m);
	for (int k = 0; k < m[2]; k++)
		printf("%02x", bytes[k]);
	printf(".\n");
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return !trouble("expected STEPS LIBRARY RESOURCES");
	if (!resolve(&f, argv[2]))
		return 1;
	const char *names[3] = {"a", "b", "c"};
	const double gains[3] = {3, 0.5, 0.1};
	fmi2Component i[3];
	int64_t point = 0;
	for (int k = 0; k < 3; k++) {
		i[k] = f.fmi2Instantiate(names[k], fmi2CoSimulation, "unruly-token", argv[3], &with_memory,
		                         0, 0);
		if (i[k] == NULL)
			return !trouble("no instance");
		set(i[k], gain, gains[k]);
		MUST(f.fmi2SetupExperiment(i[k], 0, 0, 0, 1, 0.1 * atoi(argv[1])), fmi2OK);
		MUST(f.fmi2EnterInitializationMode(i[k]), fmi2OK);
		set(i[k], in, 0);
	}
	for (int k = 0; k < 3; k++)
		MUST(f.fmi2ExitInitializationMode(i[k]), fmi2OK);
	double made = 0, shown = get(i[2], out);
	fmi2Integer message[3] = {0, 0, 0};
	row(get(i[0], out), get(i[1], out), get(i[1], tick), shown, message);
	static unsigned char text[2][64];
	for (int64_t k = 0; k < atoi(argv[1]); k++) {
		double t = (double)point / 1e9;
		point = (k + 1) * 100000000;
		set(i[0], in, shown);
		int size = snprintf((char *)text[k % 2], sizeof text[0], "message of %lld",
		                    (long long)(point - 100000000));
		if (!write_message(&f, i[0], view, text[k % 2], (size_t)size))
			return 1;
		MUST(f.fmi2DoStep(i[0], t, 0.1, 1), fmi2OK);
		MUST(f.fmi2GetInteger(i[0], data, 3, message), fmi2OK);
		set(i[1], in, get(i[0], out));
		MUST(f.fmi2SetInteger(i[1], view, 3, message), fmi2OK);
		MUST(f.fmi2DoStep(i[1], t, 0.1, 1), fmi2OK);
		MUST(f.fmi2GetInteger(i[1], data, 3, message), fmi2OK);
		if (k % 3 == 0) {
			set(i[2], in, get(i[1], tick));
			MUST(f.fmi2DoStep(i[2], t, 0.3, 1), fmi2OK);
			made = get(i[2], out);
		}
		if (k % 3 == 2)
			shown = made;
		row(get(i[0], out), get(i[1], out), get(i[1], tick), shown, message);
	}
	for (int k = 0; k < 3; k++) {
		MUST(f.fmi2Terminate(i[k]), fmi2OK);
		f.fmi2FreeInstance(i[k]);
	}
	return 0;
}
