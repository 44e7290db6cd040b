//go:build linux

// FMI 3.0 clocks: their timing, and their activation.

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>

#include "serve.h"

typedef int32_t (*get_interval)(void *, const uint32_t[], size_t, double[], int[]);
typedef int32_t (*get_fraction)(void *, const uint32_t[], size_t, uint64_t[], uint64_t[], int[]);
typedef int32_t (*get_shift)(void *, const uint32_t[], size_t, double[]);
typedef int32_t (*get_shift_fraction)(void *, const uint32_t[], size_t, uint64_t[], uint64_t[]);
typedef int32_t (*set_interval)(void *, const uint32_t[], size_t, const double[]);
typedef int32_t (*set_fraction)(void *, const uint32_t[], size_t, const uint64_t[],
                                const uint64_t[]);
typedef int32_t (*set_clock)(void *, const uint32_t[], size_t, const bool[]);

bool gw_is_timing(const gw_group *g, int set)
{
	return (g->kind >= GW_INTERVAL && g->kind <= GW_SHIFT_FRACTION) || (set && g->kind == GW_CLOCK);
}

static gw_function timing_function(const gw_group *g, int set)
{
	switch (g->kind) {
	case GW_CLOCK:
		return GW_fmi3SetClock;
	case GW_INTERVAL:
		return set ? GW_fmi3SetIntervalDecimal : GW_fmi3GetIntervalDecimal;
	case GW_INTERVAL_FRACTION:
		return set ? GW_fmi3SetIntervalFraction : GW_fmi3GetIntervalFraction;
	case GW_SHIFT:
		return set ? GW_nothing : GW_fmi3GetShiftDecimal;
	case GW_SHIFT_FRACTION:
		return set ? GW_nothing : GW_fmi3GetShiftFraction;
	}
	return GW_nothing;
}

// parts is the number of cells of each clock.
static uint32_t parts(const gw_group *g, int set)
{
	static const uint32_t get[] = {2, 3, 1, 2};
	return g->kind == GW_CLOCK ? 1 : get[g->kind - GW_INTERVAL] - (set ? 1 : 0);
}

static int32_t call(gw_instance *i, const gw_group *g, gw_function f, uint64_t *cells,
                    int *qualifiers)
{
	const uint32_t *r = gw_at(g->reference);
	size_t n = g->references;
	switch ((int)f) {
	case GW_fmi3GetIntervalDecimal:
		return GW_CALL(i, f, get_interval)(i->component, r, n, (double *)cells, qualifiers);
	case GW_fmi3GetIntervalFraction:
		return GW_CALL(i, f, get_fraction)(i->component, r, n, cells, cells + n, qualifiers);
	case GW_fmi3GetShiftDecimal:
		return GW_CALL(i, f, get_shift)(i->component, r, n, (double *)cells);
	case GW_fmi3GetShiftFraction:
		return GW_CALL(i, f, get_shift_fraction)(i->component, r, n, cells, cells + n);
	case GW_fmi3SetIntervalDecimal:
		return GW_CALL(i, f, set_interval)(i->component, r, n, (const double *)cells);
	}
	return GW_CALL(i, f, set_fraction)(i->component, r, n, cells, cells + n);
}

// log_timing ends a call, with its arguments if calls are logged.
static int32_t log_timing(gw_instance *i, gw_function f, int32_t status, const uint32_t *references,
                          uint32_t n, const char *name, const gw_string *values)
{
	if (!gw_shared->log_calls) {
		return gw_end(i, f, status, "%s", "");
	}
	gw_string s = {0};
	for (uint32_t k = 0; k < n; k++) {
		gw_add(&s, "%s%" PRIu32, k == 0 ? "" : ", ", references[k]);
	}
	status = gw_end(i, f, status,
	                "instance=%p, valueReferences=[%s], nValueReferences=%" PRIu32 ", %s=[%s]",
	                i->component, s.bytes == NULL ? "" : s.bytes, n, name,
	                values->bytes == NULL ? "" : values->bytes);
	free(s.bytes);
	return status;
}

// activate passes only the clocks that tick: setting another one to inactive may be illegal (FMI
// 3.0, canBeDeactivated).
static int32_t activate(gw_instance *i, const gw_group *g)
{
	const uint32_t *r = gw_at(g->reference);
	const uint64_t *cells = gw_at(g->cells);
	uint32_t *references = calloc((size_t)g->references + 1, sizeof *references), n = 0;
	bool *active = calloc((size_t)g->references + 1, sizeof *active);
	if (references == NULL || active == NULL) {
		free(references);
		free(active);
		return gw_fail(GW_FULL, GW_fmi3SetClock, "no memory for %" PRIu32 " clocks", g->references);
	}
	gw_string values = {0};
	for (uint32_t k = 0; k < g->references; k++) {
		if (cells[k] != 0) {
			gw_add(&values, n == 0 ? "True" : ", True");
			references[n] = r[k];
			active[n++] = true;
		}
	}
	int32_t status = 0;
	if (n > 0) {
		gw_begin(i, GW_fmi3SetClock);
		status = GW_CALL(i, GW_fmi3SetClock, set_clock)(i->component, references, n, active);
		status = log_timing(i, GW_fmi3SetClock, status, references, n, "values", &values);
	}
	free(values.bytes);
	free(references);
	free(active);
	return status;
}

static void add_cells(gw_string *s, const gw_group *g, const uint64_t *cells, uint32_t n)
{
	for (uint32_t k = 0; gw_shared->log_calls && k < n; k++) {
		gw_add(s, "%s", k == 0 ? "" : ", ");
		if (k < g->references && (g->kind == GW_INTERVAL || g->kind == GW_SHIFT)) {
			gw_add_double(s, ((const double *)cells)[k]);
		} else {
			gw_add(s, "%" PRIu64, cells[k]);
		}
	}
}

int32_t gw_timing(gw_instance *i, const gw_group *g, int set)
{
	gw_function f = timing_function(g, set);
	if (f == GW_nothing || i->major < 3 || (uint64_t)g->references * parts(g, set) != g->values) {
		return gw_fail(GW_MISUSE, f, "kind %" PRIu32 " with %" PRIu32 " values", g->kind,
		               g->values);
	}
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	if (g->kind == GW_CLOCK) {
		return activate(i, g);
	}
	uint64_t *cells = gw_at(g->cells);
	int *qualifiers = calloc((size_t)g->references + 1, sizeof *qualifiers);
	if (qualifiers == NULL) {
		return gw_fail(GW_FULL, f, "no memory for %" PRIu32 " clocks", g->references);
	}
	gw_begin(i, f);
	int32_t status = call(i, g, f, cells, qualifiers);
	if (!set && (g->kind == GW_INTERVAL || g->kind == GW_INTERVAL_FRACTION)) {
		for (uint32_t k = 0; k < g->references; k++) {
			cells[g->values - g->references + k] = (uint64_t)(int64_t)qualifiers[k];
		}
	}
	free(qualifiers);
	gw_string values = {0};
	add_cells(&values, g, cells, g->values);
	status = log_timing(i, f, status, gw_at(g->reference), g->references,
	                    g->kind >= GW_SHIFT ? "shifts" : "intervals", &values);
	free(values.bytes);
	return status;
}
