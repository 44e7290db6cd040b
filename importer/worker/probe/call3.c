//go:build linux

// The functions of FMI 3.0.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "serve.h"

static int32_t instantiate(const pb_op *o, void *f)
{
	typedef void (*logger)(void *, int, const char *, const char *);
	pb_instance *i = &pb_instances[o->slot % PB_INSTANCES];
	const char *texts[3];
	const uint64_t offsets[3] = {o->data, o->data2, o->data3};
	char *at = pb_names(16384);
	for (int k = 0; k < 3; k++) {
		const char *text = pb_text(offsets[k]);
		texts[k] = text == NULL ? NULL : strcpy(at, text);
		at += text == NULL ? 0 : strlen(text) + 1;
	}
	pb_christen(i, texts[0]);
	pb_seal();
	i->library = o->state;
	i->event = false;
	pb_no_environment = (o->flags & PB_NO_ENVIRONMENT) != 0;
	void *environment = pb_no_environment ? NULL : i;
	bool visible = (o->flags & PB_VISIBLE) != 0;
	if (o->code == PB_fmi3InstantiateModelExchange) {
		i->component =
			((void *(*)(const char *, const char *, const char *, bool, bool, void *, logger))f)(
				texts[0], texts[1], texts[2], visible, (o->flags & PB_LOGGING_ON) != 0, environment,
				pb_log3);
		return i->component == NULL ? PB_NULL : 0;
	}
	if (o->code == PB_fmi3InstantiateScheduledExecution) {
		i->component = ((void *(*)(const char *, const char *, const char *, bool, bool, void *,
		                           logger, void *, void *, void *))f)(
			texts[0], texts[1], texts[2], visible, (o->flags & PB_LOGGING_ON) != 0, environment,
			pb_log3, NULL, NULL, NULL);
		return i->component == NULL ? PB_NULL : 0;
	}
	const uint32_t *required;
	size_t n;
	void *update = pb_update_of(i->slot, &required, &n);
	const uint32_t *list = pb_const(PB_REFERENCES, required, 4 * n);
	i->component = ((void *(*)(const char *, const char *, const char *, bool, bool, bool, bool,
	                           const uint32_t *, size_t, void *, logger, void *))f)(
		texts[0], texts[1], texts[2], visible, (o->flags & PB_LOGGING_ON) != 0,
		(o->flags & PB_EVENT_MODE) != 0, (o->flags & PB_EARLY) != 0, list, n, environment,
		o->flags & PB_NO_LOGGER ? NULL : pb_log3, update);
	return i->component == NULL ? PB_NULL : 0;
}

static int32_t logging(const pb_op *o, void *f, void *c)
{
	const char *list[64] = {0};
	uint32_t n = o->count < 64 ? o->count : 64;
	const char *text = pb_text(o->data);
	for (uint32_t k = 0; k < n && text != NULL; k++) {
		list[k] = text;
		text += strlen(text) + 1;
	}
	bool on = o->flags & PB_LOGGING_ON;
	return ((int32_t (*)(void *, bool, size_t, const char *const *))f)(c, on, n, n ? list : NULL);
}

static int32_t initialize(const pb_op *o, void *f, void *c)
{
	return ((int32_t (*)(void *, bool, double, double, bool, double))f)(
		c, (o->flags & PB_HAS_TOLERANCE) != 0, o->x[2], o->x[0], (o->flags & PB_HAS_STOP) != 0,
		o->x[1]);
}

static size_t width(uint32_t code)
{
	switch (code) {
	case PB_fmi3GetFloat64:
	case PB_fmi3SetFloat64:
	case PB_fmi3GetInt64:
	case PB_fmi3SetInt64:
	case PB_fmi3GetUInt64:
	case PB_fmi3SetUInt64:
	case PB_fmi3GetString:
	case PB_fmi3GetBinary:
		return 8;
	case PB_fmi3GetFloat32:
	case PB_fmi3SetFloat32:
	case PB_fmi3GetInt32:
	case PB_fmi3SetInt32:
	case PB_fmi3GetUInt32:
	case PB_fmi3SetUInt32:
		return 4;
	case PB_fmi3GetInt16:
	case PB_fmi3SetInt16:
	case PB_fmi3GetUInt16:
	case PB_fmi3SetUInt16:
		return 2;
	}
	return 1;
}

// Returns the number of values that the FMU is told: x[0] more than there are.
static size_t told(const pb_op *o) { return (size_t)((double)o->values + o->x[0]); }

static int32_t get(const pb_op *o, pb_record *r, void *f, void *c)
{
	bool none = o->flags & PB_NO_ARRAYS;
	size_t size = width(o->code) * o->values;
	const uint32_t *v = none ? NULL : pb_const(PB_REFERENCES, pb_at(o->data), 4 * o->count);
	char *values = none ? NULL : pb_out(PB_VALUES, size);
	size_t *sizes = none || o->code != PB_fmi3GetBinary ? NULL : pb_out(PB_SIZES, 8 * o->values);
	int32_t status;
	if (o->code == PB_fmi3GetBinary) {
		status = ((int32_t (*)(void *, const uint32_t *, size_t, size_t *, void *, size_t))f)(
			c, v, o->count, sizes, values, told(o));
	} else if (o->code == PB_fmi3GetClock) {
		status = ((int32_t (*)(void *, const uint32_t *, size_t, void *))f)(c, v, o->count, values);
	} else {
		status = ((int32_t (*)(void *, const uint32_t *, size_t, void *, size_t))f)(
			c, v, o->count, values, told(o));
	}
	if (none) {
		return status;
	}
	pb_begin_out(r);
	if (status <= 1 && pb_unwritten(values, size)) {
		r->flags |= PB_UNWRITTEN;
	}
	char *const *pointers = (char *const *)(void *)values;
	for (uint32_t k = 0; width(o->code) == 8 && k < o->values && status <= 1; k++) {
		uint64_t at = r->size;
		if (o->code == PB_fmi3GetString) {
			pb_add_text(r, pointers[k]);
		} else if (o->code == PB_fmi3GetBinary) {
			pb_add_blob(r, pointers[k], sizes[k]);
		} else {
			break;
		}
		pb_alive(r, at, pointers[k], o->code == PB_fmi3GetString);
	}
	if (o->code != PB_fmi3GetString && o->code != PB_fmi3GetBinary) {
		pb_add(r, values, size);
	}
	return status;
}

// padded returns the room of a text or binary in a script, with a terminator.
static size_t padded(size_t n) { return (n + 8) / 8 * 8; }

// set_blobs sets texts or binaries; data2 has a length and bytes for each value, padded to a
// multiple of eight. Nothing follows the last value.
static int32_t set_blobs(const pb_op *o, const uint32_t *v, void *f, void *c)
{
	const char *first = pb_at(o->data2), *from = first;
	bool texts = o->code == PB_fmi3SetString;
	size_t all = 0;
	for (uint32_t k = 0; k < o->values; k++) {
		size_t n = *(const uint64_t *)(const void *)from;
		all += k + 1 < o->values ? padded(n) : n + texts;
		from += 8 + padded(n);
	}
	char *copy = memset(pb_payload(all), 0, all);
	from = first;
	const char **list = pb_out(PB_TEXTS, 8 * o->values);
	size_t *sizes = pb_out(PB_RESULT, 8 * o->values);
	for (uint32_t k = 0; k < o->values; k++) {
		sizes[k] = *(const uint64_t *)(const void *)from;
		list[k] = memcpy(copy, from + 8, sizes[k] + texts);
		from += 8 + padded(sizes[k]);
		copy += padded(sizes[k]);
	}
	pb_seal();
	if (texts) {
		return ((int32_t (*)(void *, const uint32_t *, size_t, const char *const *, size_t))f)(
			c, v, o->count, list, told(o));
	}
	const size_t *given = pb_const(PB_SIZES, sizes, 8 * o->values);
	return ((int32_t (*)(void *, const uint32_t *, size_t, const size_t *, const void *, size_t))f)(
		c, v, o->count, given, list, told(o));
}

static int32_t set(const pb_op *o, void *f, void *c)
{
	bool none = o->flags & PB_NO_ARRAYS;
	const uint32_t *v = none ? NULL : pb_const(PB_REFERENCES, pb_at(o->data), 4 * o->count);
	if (!none && (o->code == PB_fmi3SetString || o->code == PB_fmi3SetBinary)) {
		return set_blobs(o, v, f, c);
	}
	const void *values =
		none ? NULL : pb_const(PB_VALUES, pb_at(o->data2), width(o->code) * o->values);
	if (o->code == PB_fmi3SetClock) {
		return ((int32_t (*)(void *, const uint32_t *, size_t, const void *))f)(c, v, o->count,
		                                                                        values);
	}
	if (none && o->code == PB_fmi3SetBinary) {
		return ((int32_t (*)(void *, const uint32_t *, size_t, const size_t *, const void *,
		                     size_t))f)(c, NULL, o->count, NULL, NULL, told(o));
	}
	return ((int32_t (*)(void *, const uint32_t *, size_t, const void *, size_t))f)(
		c, v, o->count, values, told(o));
}

static int32_t derivative(const pb_op *o, pb_record *r, void *f, void *c)
{
	bool adjoint = o->code == PB_fmi3GetAdjointDerivative;
	size_t seeds = adjoint ? o->count : o->values, results = adjoint ? o->values : o->count;
	if (o->x[0] > 0) { // elements of arrays
		seeds = (size_t)o->x[0], results = (size_t)o->x[1];
	}
	const uint32_t *unknowns = pb_const(PB_REFERENCES, pb_at(o->data), 4 * o->count);
	const uint32_t *knowns = pb_const(PB_KNOWNS, pb_at(o->data2), 4 * o->values);
	const double *seed = pb_const(PB_SEEDS, pb_at(o->data3), 8 * seeds);
	double *result = pb_out(PB_RESULT, 8 * results);
	int32_t status = ((int32_t (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t,
	                               const double *, size_t, double *, size_t))f)(
		c, unknowns, o->count, knowns, o->values, seed, seeds, result, results);
	pb_begin_out(r);
	pb_add(r, result, 8 * results);
	return status;
}

static int32_t output_derivatives(const pb_op *o, pb_record *r, void *f, void *c)
{
	const uint32_t *v = pb_const(PB_REFERENCES, pb_at(o->data), 4 * o->count);
	const int32_t *orders = pb_const(PB_ORDERS, pb_at(o->data3), 4 * o->count);
	double *values = pb_out(PB_VALUES, 8 * o->count);
	int32_t status = ((int32_t (*)(void *, const uint32_t *, size_t, const int32_t *, double *,
	                               size_t))f)(c, v, o->count, orders, values, o->count);
	pb_begin_out(r);
	pb_add(r, values, 8 * o->count);
	return status;
}

// dependencies returns their number; or their elements, references, elements of those, and kinds.
static int32_t dependencies(const pb_op *o, pb_record *r, void *f, void *c)
{
	uint32_t reference = *(const uint32_t *)pb_at(o->data);
	size_t n = o->values;
	if (o->code == PB_fmi3GetNumberOfVariableDependencies) {
		size_t *number = pb_out(PB_RESULT, sizeof *number);
		int32_t status = ((int32_t (*)(void *, uint32_t, size_t *))f)(c, reference, number);
		pb_begin_out(r);
		pb_add(r, number, sizeof *number);
		return status;
	}
	size_t *elements = pb_out(PB_SIZES, 8 * n), *others = pb_out(PB_VALUES, 8 * n);
	uint32_t *references = pb_out(PB_KNOWNS, 4 * n), *kinds = pb_out(PB_ORDERS, 4 * n);
	int32_t status = ((int32_t (*)(void *, uint32_t, size_t *, uint32_t *, size_t *, void *,
	                               size_t))f)(c, reference, elements, references, others, kinds, n);
	pb_begin_out(r);
	pb_add(r, elements, 8 * n);
	pb_add(r, references, 4 * n);
	pb_add(r, others, 8 * n);
	pb_add(r, kinds, 4 * n);
	return status;
}

int32_t pb_call3(const pb_op *o, pb_record *r)
{
	pb_instance *i = &pb_instances[o->slot % PB_INSTANCES];
	bool fresh = o->code == PB_fmi3GetVersion || o->code == PB_fmi3InstantiateCoSimulation ||
	             o->code == PB_fmi3InstantiateModelExchange ||
	             o->code == PB_fmi3InstantiateScheduledExecution;
	void *f = pb_symbol(fresh ? o->state : i->library, o->code);
	void *c = o->flags & PB_NO_INSTANCE ? NULL : i->component;
	if (f == NULL) {
		return PB_MISSING;
	}
	if (o->code >= PB_fmi3GetFloat32 && o->code <= PB_fmi3GetClock) {
		return get(o, r, f, c);
	}
	if (o->code >= PB_fmi3SetFloat32 && o->code <= PB_fmi3SetClock) {
		return set(o, f, c);
	}
	if (o->code >= PB_fmi3GetFMUState && o->code <= PB_fmi3DeserializeFMUState) {
		return pb_state(o, r, c);
	}
	switch (o->code) {
	case PB_fmi3GetVersion:
		pb_begin_out(r);
		pb_add_text(r, ((const char *(*)(void))f)());
		return 0;
	case PB_fmi3InstantiateCoSimulation:
	case PB_fmi3InstantiateModelExchange:
	case PB_fmi3InstantiateScheduledExecution:
		return instantiate(o, f);
	case PB_fmi3FreeInstance:
		((void (*)(void *))f)(c);
		if (c != NULL) {
			atomic_store(&i->freed, 1);
			i->component = NULL;
		}
		return 0;
	case PB_fmi3SetDebugLogging:
		return logging(o, f, c);
	case PB_fmi3EnterInitializationMode:
		return initialize(o, f, c);
	case PB_fmi3GetDirectionalDerivative:
	case PB_fmi3GetAdjointDerivative:
		return derivative(o, r, f, c);
	case PB_fmi3GetOutputDerivatives:
		return output_derivatives(o, r, f, c);
	case PB_fmi3GetNumberOfVariableDependencies:
	case PB_fmi3GetVariableDependencies:
		return dependencies(o, r, f, c);
	case PB_fmi3UpdateDiscreteStates:
		return pb_update_states(r, f, c);
	case PB_fmi3DoStep:
		return pb_step(o, r, f, i, c);
	case PB_fmi3GetIntervalDecimal:
	case PB_fmi3GetIntervalFraction:
	case PB_fmi3GetShiftDecimal:
	case PB_fmi3GetShiftFraction:
	case PB_fmi3SetIntervalDecimal:
		return pb_timing(o, r, f, c);
	}
	return ((int32_t (*)(void *))f)(c);
}
