//go:build linux

// Values between cells and FMUs: a group of a plan is one call of a getter or setter.

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"

typedef int32_t (*fmi2_values)(void *, const uint32_t[], size_t, void *);
typedef int32_t (*fmi2_derivatives)(void *, const uint32_t[], size_t, const int32_t[], double[]);
typedef int32_t (*fmi3_values)(void *, const uint32_t[], size_t, void *, size_t);
typedef int32_t (*fmi3_binaries)(void *, const uint32_t[], size_t, size_t[], void *, size_t);
typedef int32_t (*fmi3_clocks)(void *, const uint32_t[], size_t, void *);

// The array passed to FMUs, in the FMUs' own types. It grows to the size of the largest group and
// is reused.
static void *scratch;
static size_t *sizes;
static size_t scratch_room;

static int make_room(uint32_t values)
{
	if (values < scratch_room) {
		return 1;
	}
	size_t room = 2 * ((size_t)values + 16);
	void *a = realloc(scratch, room * sizeof(uint64_t));
	scratch = a != NULL ? a : scratch;
	size_t *b = realloc(sizes, room * sizeof(size_t));
	sizes = b != NULL ? b : sizes;
	if (a == NULL || b == NULL) {
		return 0;
	}
	scratch_room = room;
	return 1;
}

// Returns the getter of a kind; setters are in the same order, starting with the setter of Float64.
static gw_function getter(const gw_instance *i, uint32_t kind)
{
	if (i->major >= 3) {
		return kind < GW_FLOAT64 || kind > GW_CLOCK
		           ? GW_nothing
		           : (gw_function)(GW_fmi3GetFloat64 + (kind - GW_FLOAT64));
	}
	switch (kind) {
	case GW_FLOAT64:
		return GW_fmi2GetReal;
	case GW_INT32:
	case GW_OSMP:
		return GW_fmi2GetInteger;
	case GW_BOOLEAN:
		return GW_fmi2GetBoolean;
	case GW_STRING:
		return GW_fmi2GetString;
	case GW_SLOPE:
		return GW_fmi2GetRealOutputDerivatives;
	}
	return GW_nothing;
}

static gw_function setter(const gw_instance *i, uint32_t kind)
{
	if (kind == GW_SLOPE) {
		return i->major >= 3 ? GW_nothing : GW_fmi2SetRealInputDerivatives;
	}
	gw_function f = getter(i, kind);
	if (f == GW_nothing) {
		return f;
	}
	return (gw_function)(i->major >= 3 ? f + (GW_fmi3SetFloat64 - GW_fmi3GetFloat64)
	                                   : f + (GW_fmi2SetReal - GW_fmi2GetReal));
}

#define EACH for (uint32_t k = 0; k < g->values; k++)
#define OUT(type) EACH((type *)scratch)[k] = (type)cells[k]
#define IN(type) EACH cells[k] = (uint64_t)(int64_t)((type *)scratch)[k]

// lay_out builds the FMU's array from the cells of a group.
static void *lay_out(const gw_instance *i, const gw_group *g, uint64_t *cells)
{
	switch (g->kind) {
	case GW_SLOPE:
		// The order of each derivative is 1.
		EACH((int32_t *)scratch)[k] = 1;
		// fallthrough
	case GW_FLOAT64:
	case GW_INT64:
	case GW_UINT64:
		return cells;
	case GW_FLOAT32:
	case GW_INT32:
	case GW_UINT32:
		OUT(uint32_t);
		break;
	case GW_INT8:
	case GW_UINT8:
		OUT(uint8_t);
		break;
	case GW_INT16:
	case GW_UINT16:
		OUT(uint16_t);
		break;
	case GW_BOOLEAN:
		if (i->major == 2) {
			EACH((int32_t *)scratch)[k] = cells[k] != 0;
			break;
		} // fallthrough
	case GW_CLOCK:
		EACH((bool *)scratch)[k] = cells[k] != 0;
		break;
	case GW_STRING:
	case GW_BINARY:
		for (uint32_t k = 0; k < g->values; k++) {
			((const void **)scratch)[k] = cells[2 * k] == 0 ? "" : gw_blob_at(cells[2 * k]);
			sizes[k] = cells[2 * k + 1];
		}
		break;
	case GW_OSMP: { // OSMP: no data is 0/0/0, never an old address
		uintptr_t address = cells[1] == 0 ? 0 : (uintptr_t)gw_blob_at(cells[0]);
		int32_t *v = scratch;
		v[0] = (int32_t)(uint32_t)address;
		v[1] = (int32_t)(uint32_t)((uint64_t)address >> 32);
		v[2] = (int32_t)cells[1];
		break;
	}
	}
	return scratch;
}

static int32_t full(gw_function f, uint64_t size)
{
	return gw_fail(GW_FULL, f, "%" PRIu64 " bytes in one value", size);
}

// take_blobs copies texts and binaries before the next call of the FMU.
static int32_t take_blobs(const gw_group *g, gw_shelf *s, uint64_t *cells, gw_function f)
{
	const void **values = scratch;
	for (uint32_t k = 0; k < g->values; k++) {
		uint64_t size =
			g->kind == GW_STRING ? (values[k] == NULL ? 0 : strlen(values[k])) : sizes[k];
		if (values[k] == NULL && (g->kind == GW_STRING || size > 0)) {
			return gw_fail(GW_BAD_VALUE, f, "NULL as value %" PRIu32 " of %" PRIu32, k + 1,
			               g->values);
		}
		if (!gw_keep(&s->blob[g->blobs + k], values[k], size, &cells[2 * k])) {
			return full(f, size);
		}
	}
	return 0;
}

static int32_t take_osmp(gw_instance *i, const gw_group *g, gw_shelf *s, uint64_t *cells)
{
	const int32_t *v = scratch;
	uint64_t address = (uint64_t)(uint32_t)v[0] | (uint64_t)(uint32_t)v[1] << 32;
	uint64_t size = address == 0 || v[2] <= 0 ? 0 : (uint64_t)v[2];
	gw_begin(i, GW_osmp_read); // a wrong address ends this process: it is the FMU's mistake
	bool kept = gw_keep(&s->blob[g->blobs], (const void *)(uintptr_t)address, size, cells);
	atomic_store_explicit(&gw_shared->place.function, 0, memory_order_release);
	return kept ? 0 : full(GW_osmp_read, size);
}

// take converts the FMU's array to cells.
static int32_t take(gw_instance *i, const gw_group *g, gw_shelf *s, uint64_t *cells, gw_function f)
{
	switch (g->kind) {
	case GW_FLOAT32:
	case GW_UINT32:
		IN(uint32_t);
		break;
	case GW_INT32:
		IN(int32_t);
		break;
	case GW_INT8:
		IN(int8_t);
		break;
	case GW_UINT8:
		IN(uint8_t);
		break;
	case GW_INT16:
		IN(int16_t);
		break;
	case GW_UINT16:
		IN(uint16_t);
		break;
	case GW_BOOLEAN:
		if (i->major == 2) {
			EACH cells[k] = ((int32_t *)scratch)[k] != 0;
			break;
		} // fallthrough
	case GW_CLOCK:
		// A byte that is neither 0 nor 1 is not a valid bool in C.
		EACH cells[k] = ((uint8_t *)scratch)[k] != 0;
		break;
	case GW_STRING:
	case GW_BINARY:
		return take_blobs(g, s, cells, f);
	case GW_OSMP:
		return take_osmp(i, g, s, cells);
	}
	return 0;
}

static void add_value(gw_string *s, const gw_instance *i, const gw_group *g, uint32_t k,
                      const void *values)
{
	switch (g->kind) {
	case GW_FLOAT64:
	case GW_SLOPE:
		gw_add_double(s, ((const double *)values)[k]);
		break;
	case GW_FLOAT32:
		gw_add_double(s, ((const float *)values)[k]);
		break;
	case GW_INT8:
		gw_add(s, "%d", ((const int8_t *)values)[k]);
		break;
	case GW_UINT8:
		gw_add(s, "%u", ((const uint8_t *)values)[k]);
		break;
	case GW_INT16:
		gw_add(s, "%d", ((const int16_t *)values)[k]);
		break;
	case GW_UINT16:
		gw_add(s, "%u", ((const uint16_t *)values)[k]);
		break;
	case GW_INT32:
	case GW_OSMP:
		gw_add(s, "%" PRId32, ((const int32_t *)values)[k]);
		break;
	case GW_UINT32:
		gw_add(s, "%" PRIu32, ((const uint32_t *)values)[k]);
		break;
	case GW_INT64:
		gw_add(s, "%" PRId64, ((const int64_t *)values)[k]);
		break;
	case GW_UINT64:
		gw_add(s, "%" PRIu64, ((const uint64_t *)values)[k]);
		break;
	case GW_BOOLEAN:
	case GW_CLOCK: {
		int v = i->major == 2 ? ((const int32_t *)values)[k] : ((const uint8_t *)values)[k];
		gw_add(s, "%s", i->major < 3 ? (v ? "1" : "0") : (v ? "True" : "False"));
		break;
	}
	case GW_STRING: {
		const char *text = ((const char *const *)values)[k];
		gw_add(s, "\"%s\"", text == NULL ? "(null)" : text);
		break;
	}
	case GW_BINARY:
		gw_add(s, "%zu bytes", sizes[k]);
		break;
	}
}

// log_values ends a call, with its arguments if calls are logged.
static int32_t log_values(gw_instance *i, const gw_group *g, gw_function f, int32_t status,
                          const void *values, int failed)
{
	if (!gw_shared->log_calls) {
		return gw_end(i, f, status, "%s", "");
	}
	gw_string s = {0};
	const uint32_t *r = gw_at(g->reference);
	gw_add(&s, i->major < 3 ? "c=%p, vr=[" : "instance=%p, valueReferences=[", i->component);
	for (uint32_t k = 0; k < g->references; k++) {
		gw_add(&s, "%s%" PRIu32, k == 0 ? "" : ", ", r[k]);
	}
	gw_add(&s,
	       i->major < 3 ? "], nvr=%" PRIu32 "%s, value=["
	                    : "], nValueReferences=%" PRIu32 "%s, values=[",
	       g->references, g->kind == GW_SLOPE ? ", order=1" : "");
	uint32_t n = failed ? 0 : g->kind == GW_OSMP ? 3 : g->values;
	for (uint32_t k = 0; k < n; k++) {
		gw_add(&s, "%s", k == 0 ? "" : ", ");
		add_value(&s, i, g, k, values);
	}
	gw_add(&s, "]");
	status = gw_end(i, f, status, "%s", s.bytes == NULL ? "" : s.bytes);
	free(s.bytes);
	return status;
}

static int32_t call(gw_instance *i, const gw_group *g, gw_function f, void *values)
{
	const uint32_t *r = gw_at(g->reference);
	if (g->kind == GW_SLOPE) {
		return GW_CALL(i, f, fmi2_derivatives)(i->component, r, g->references, scratch, values);
	}
	if (i->major < 3) {
		return GW_CALL(i, f, fmi2_values)(i->component, r, g->references, values);
	}
	switch (g->kind) {
	case GW_BINARY:
		return GW_CALL(i, f, fmi3_binaries)(i->component, r, g->references, sizes, values,
		                                    g->values);
	case GW_CLOCK:
		return GW_CALL(i, f, fmi3_clocks)(i->component, r, g->references, values);
	}
	return GW_CALL(i, f, fmi3_values)(i->component, r, g->references, values, g->values);
}

static int32_t one_group(gw_instance *i, const gw_group *g, gw_shelf *s, int set);

// negated reads negated aliases of FMI 1.0 (3.4): their values are the negated values of their
// value references.
static int32_t negated(gw_instance *i, const gw_group *g, gw_shelf *s)
{
	static const uint32_t kinds[] = {GW_FLOAT64, GW_INT32, GW_BOOLEAN};
	gw_group plain = *g;
	plain.kind = kinds[g->kind - GW_NEGATED_FLOAT64];
	int32_t status = one_group(i, &plain, s, 0);
	uint64_t *cells = gw_at(g->cells);
	for (uint32_t k = 0; status <= 1 && k < g->values; k++) {
		switch (plain.kind) {
		case GW_FLOAT64:
			((double *)cells)[k] = -((double *)cells)[k];
			break;
		case GW_INT32:
			cells[k] = (uint64_t)(int64_t)(int32_t)(0 - (uint32_t)cells[k]);
			break;
		default:
			cells[k] = cells[k] == 0;
		}
	}
	return status;
}

static int32_t one_group(gw_instance *i, const gw_group *g, gw_shelf *s, int set)
{
	if (!set && g->kind >= GW_NEGATED_FLOAT64 && g->kind <= GW_NEGATED_BOOLEAN) {
		return negated(i, g, s);
	}
	if (gw_is_timing(g, set)) {
		return gw_timing(i, g, set);
	}
	gw_function f = set ? setter(i, g->kind) : getter(i, g->kind);
	f = i->major == 1 ? gw_function_of(i, f, f) : f;
	if (f == GW_nothing) {
		return gw_fail(GW_MISUSE, f, "kind %" PRIu32 " in FMI %" PRIu32, g->kind, i->major);
	}
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	if (!make_room(g->kind == GW_OSMP ? 3 : g->values)) {
		return full(f, g->values);
	}
	uint64_t *cells = gw_at(g->cells);
	void *values = set ? lay_out(i, g, cells) : scratch;
	if (!set && g->kind == GW_SLOPE) {
		values = lay_out(i, g, cells);
	} else if (!set && (g->kind == GW_FLOAT64 || g->kind == GW_INT64 || g->kind == GW_UINT64)) {
		values = cells;
	} else if (!set) {
		// Values that an FMU does not store are 0, not left over from another call.
		memset(scratch, 0, (g->kind == GW_OSMP ? 3 : g->values) * sizeof(uint64_t));
		memset(sizes, 0, g->values * sizeof *sizes);
	}
	gw_begin(i, f);
	int32_t status = call(i, g, f, values);
	status = log_values(i, g, f, status, values, !set && status > 1);
	if (!set && status <= 1) {
		int32_t trouble = take(i, g, s, cells, f);
		return trouble > status ? trouble : status;
	}
	return status;
}

static int32_t groups_of(gw_instance *i, uint64_t offset, int set, uint32_t limit)
{
	const gw_plan *p = gw_at(offset);
	if (p == NULL) {
		return 0;
	}
	gw_shelf *s = set ? NULL : gw_shelf_of(i, p);
	if (!set && s == NULL) {
		return gw_fail(GW_FULL, GW_nothing, "no memory for a plan");
	}
	const gw_group *g = gw_at(p->group);
	int32_t worst = 0;
	atomic_store_explicit(&gw_shared->place.plan, p->id, memory_order_relaxed);
	for (uint32_t k = 0; k < p->groups && k < limit && worst <= 1; k++) {
		atomic_store_explicit(&gw_shared->place.group, k, memory_order_relaxed);
		int32_t status = one_group(i, &g[k], s, set);
		worst = status > worst ? status : worst;
	}
	atomic_store_explicit(&gw_shared->place.group, GW_NOWHERE, memory_order_relaxed);
	return worst;
}

int32_t gw_set_plan(gw_instance *i, uint64_t plan) { return groups_of(i, plan, 1, UINT32_MAX); }
int32_t gw_get_plan(gw_instance *i, uint64_t plan) { return groups_of(i, plan, 0, UINT32_MAX); }
int32_t gw_set_first(gw_instance *i, uint64_t plan) { return groups_of(i, plan, 1, 1); }
