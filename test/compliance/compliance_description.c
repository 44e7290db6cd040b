//go:build ignore

/* compliance_description.c: reads the model description in the format described in compliance.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compliance.h"
#include "input.h"

description md;

int is(const char *a, const char *b) { return strcmp(a, b) == 0; }
int given(const char *field) { return !is(field, "-"); }

void stop_with(const char *what, const char *which)
{
	fprintf(stderr, "compliance: %s: %s\n", what, which);
	exit(2);
}

static void understand(char *f[])
{
	if (is(f[0], "guid")) {
		md.guid = f[1];
	} else if (is(f[0], "experiment")) {
		md.start = atof(f[1]), md.stop = atof(f[2]), md.tolerance = atof(f[3]),
		md.step = atof(f[4]);
	} else if (is(f[0], "category") && md.category_count < CATEGORIES) {
		md.categories[md.category_count++] = f[1];
	} else if (is(f[0], "variable") && md.variable_count < VARIABLES) {
		md.variables[md.variable_count++] = (variable){
			*f[1], (fmi2ValueReference)strtoul(f[2], NULL, 10), f[3], f[4], f[5], f[6], f[7], f[8],
			f[9]};
	} else {
		stop_with("a line that is not understood, or one too many", f[0]);
	}
}

void read_description(void)
{
	for (char *line, *fields[FIELDS]; (line = read_line(stdin)) != NULL;) {
		split(line, fields, FIELDS);
		understand(fields);
	}
	if (md.guid == NULL || !(md.step > 0) || !(md.stop > md.start) || md.variable_count == 0)
		stop_with("the description lacks something", "guid, experiment or variables");
}

const variable *sibling(const variable *v, size_t n, const char *role)
{
	size_t prefix = strlen(v->name) - n;
	for (size_t k = 0; k < md.variable_count; k++)
		if (strncmp(md.variables[k].name, v->name, prefix) == 0 &&
		    is(md.variables[k].name + prefix, role))
			return &md.variables[k];
	return NULL;
}
