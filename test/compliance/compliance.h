/* Declarations shared by the sources of the compliance checker. */
#ifndef GOSMP_COMPLIANCE_H
#define GOSMP_COMPLIANCE_H

#include "value.h"

/* ---- The model description: compliance_description.c. ---- */

enum { VARIABLES = 4096, CATEGORIES = 64, FIELDS = 10 };

typedef struct {
	char type; /* R, I, B or S */
	fmi2ValueReference reference;
	const char *causality, *variability, *initial, *name, *start, *min, *max;
} variable;

typedef struct {
	char *guid, *categories[CATEGORIES];
	double start, stop, tolerance, step;
	variable variables[VARIABLES];
	size_t category_count, variable_count;
} description;
extern description md;

int is(const char *a, const char *b);
int given(const char *field);

/* stop_with ends the program if nothing can be checked. */
void stop_with(const char *what, const char *which);

void read_description(void);

/* sibling finds the variable with the name of v in which the last n characters are replaced by
 * role. */
const variable *sibling(const variable *v, size_t n, const char *role);

/* ---- Results: compliance.c. ---- */

extern int failed;

/* fail stores why the current check failed; only the first reason is printed. */
void fail(const char *format, ...);

/* ---- One instance: compliance_instance.c. ---- */

extern fmu f;
extern const char *resources;

/* What the FMU called: the logger, and the memory functions that it must not call. */
typedef struct {
	int lines, errors, memory;
	char wrong[512];
} calls;
extern calls heard;

/* make_instance lets its callback structure go out of scope after the call, which FMI 2.0.5
 * allows. */
fmi2Component make_instance(const char *name, const char *guid, fmi2Boolean logging_on);

/* get reads a value; the check fails if the FMU refuses. */
int get(fmi2Component c, const variable *v, value *out);

/* sane checks a single value: finite, within its range, decodable. */
void sane(const variable *v, const value *x);

/* examine reads every calculated value, checks each one and hashes them all. */
uint64_t examine(fmi2Component c);

#endif
