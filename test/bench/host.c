//go:build ignore

/* The plain host: FMUs of FMI 2.0 in a row in this process, called in the most straightforward way.
 *
 *   host STEPS STEP CSV < DESCRIPTION
 *
 * DESCRIPTION consists of words:
 *
 *   fmu GUID RESOURCES LIBRARY             begins an FMU
 *   set Real|Integer|Boolean REFERENCE VALUE
 *   in LO HI SIZE                          the input that gets the output of the previous FMU
 *   out LO HI SIZE                         the output that is passed to the next FMU
 *   wire OUT IN                            a Real output, which the input of the next FMU gets; the
 *                                          first one gets the output of the last
 *   real REFERENCE | integer REFERENCE     an output to record, at most 8 of each type
 *
 * CSV is the file to write, or - to keep only the values of the newest step. The program prints the
 * nanoseconds of one step of all FMUs, in the fastest section of the run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"

enum { MOST = 8, PARTS = 64 };
typedef struct {
	fmu f;
	fmi2Component c;
	fmi2ValueReference in[3], out[3], real[MOST], integer[MOST];
	size_t reals, integers;
	int takes, gives, wired;
	fmi2ValueReference from, to;
} part;

static part parts[PARTS];
static int count;

/* An FMU may rely on the host's memory functions unless it declares otherwise (FMI 2.0.5,
 * 2.1.5). */
static const fmi2CallbackFunctions host = {log_troubles, calloc, free, NULL, NULL};

static void fail(const char *what) { exit(!trouble("%s", what)); }

static void open_part(const char *guid, const char *resources, const char *path)
{
	if (count == PARTS)
		fail("too many FMUs");
	part *p = &parts[count++];
	if (!load(&p->f, path))
		exit(1);
	p->c = p->f.fmi2Instantiate("plain", fmi2CoSimulation, guid, resources, &host, fmi2False,
	                            fmi2False);
	if (p->c == NULL)
		exit(!trouble("%s: no instance", path));
}

static void read_description(void)
{
	char word[16], guid[256], resources[4096], path[4096];
	unsigned r[3];
	double number;
	while (scanf("%15s", word) == 1) {
		part *p = count == 0 ? NULL : &parts[count - 1];
		if (strcmp(word, "fmu") == 0 && scanf("%255s %4095s %4095s", guid, resources, path) == 3) {
			open_part(guid, resources, path);
		} else if (strcmp(word, "set") == 0 && scanf("%15s %u %lf", word, r, &number) == 3) {
			MUST(set_value(&p->f, p->c, *word, r[0], (value){.number = number}), fmi2OK);
		} else if (strcmp(word, "real") == 0 && scanf("%u", r) == 1 && p->reals < MOST) {
			p->real[p->reals++] = r[0];
		} else if (strcmp(word, "integer") == 0 && scanf("%u", r) == 1 && p->integers < MOST) {
			p->integer[p->integers++] = r[0];
		} else if (strcmp(word, "wire") == 0 && scanf("%u %u", r, r + 1) == 2) {
			p->wired = 1;
			p->from = r[0];
			p->to = r[1];
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
	static double reals[MOST], carried;
	static fmi2Integer integers[MOST];
	for (int k = 0; k < count; k++) {
		part *p = &parts[k];
		if (p->takes && p->f.fmi2SetInteger(p->c, p->in, 3, message) != fmi2OK)
			fail("an input is refused");
		if (p->wired && p->f.fmi2SetReal(p->c, &p->to, 1, &carried) != fmi2OK)
			fail("an input is refused");
		if (p->f.fmi2DoStep(p->c, t, h, fmi2True) != fmi2OK)
			fail("a step failed");
		if (p->wired && p->f.fmi2GetReal(p->c, &p->from, 1, &carried) != fmi2OK)
			fail("an output cannot be read");
		if ((p->gives && p->f.fmi2GetInteger(p->c, p->out, 3, message) != fmi2OK) ||
		    (p->reals > 0 && p->f.fmi2GetReal(p->c, p->real, p->reals, reals) != fmi2OK) ||
		    (p->integers > 0 &&
		     p->f.fmi2GetInteger(p->c, p->integer, p->integers, integers) != fmi2OK))
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

int main(int words, char **word)
{
	if (words != 4 || atol(word[1]) < 10)
		fail("STEPS STEP CSV, with at least 10 steps");
	const long steps = atol(word[1]), stretch = steps / 10 < 200 ? steps / 10 : 200;
	const double h = atof(word[2]);
	FILE *csv = strcmp(word[3], "-") == 0 ? NULL : fopen(word[3], "w");
	read_description();
	for (int k = 0; k < count; k++)
		if (!initialize(&parts[k].f, parts[k].c))
			return 1;
	double fastest = 1e300;
	for (long first = 0; first < steps; first += stretch) {
		const double begin = now();
		for (long k = first; k < first + stretch; k++)
			step((double)k * h, h, csv);
		const double taken = (now() - begin) / (double)stretch;
		fastest = taken < fastest ? taken : fastest;
	}
	for (int k = 0; k < count; k++) {
		parts[k].f.fmi2Terminate(parts[k].c);
		parts[k].f.fmi2FreeInstance(parts[k].c);
	}
	printf("%.1f\n", fastest);
	return csv != NULL && fclose(csv) != 0;
}
