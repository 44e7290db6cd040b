//go:build linux

// The functions of FMI 2.0.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "serve.h"

typedef struct {
	void (*logger)(void *, const char *, int, const char *, const char *, ...);
	void *(*allocate)(size_t, size_t);
	void (*release)(void *);
	void (*finished)(void *, int);
	void *environment;
} callbacks;

static int32_t instantiate(const pb_op *o, pb_record *r, void *f)
{
	pb_instance *i = &pb_instances[o->slot % PB_INSTANCES];
	static callbacks c; // static, because pb_check compares with it
	pb_no_environment = (o->flags & PB_NO_ENVIRONMENT) != 0;
	c = (callbacks){o->flags & PB_NO_LOGGER ? NULL : pb_log2, calloc, free, pb_finished,
	                pb_no_environment ? NULL : i};
	if (o->flags & PB_TRACED) {
		c.allocate = pb_allocate, c.release = pb_give_back;
	} else if (o->flags & PB_NO_MEMORY) {
		c.allocate = NULL, c.release = NULL, c.finished = NULL;
	}
	const callbacks *given = pb_const(PB_EXTRA, &c, sizeof c);
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
	i->component =
		((void *(*)(const char *, int, const char *, const char *, const callbacks *, int, int))f)(
			texts[0], (int)o->values, texts[1], texts[2], given, (o->flags & PB_VISIBLE) != 0,
			(o->flags & PB_LOGGING_ON) != 0);
	(void)r;
	return i->component == NULL ? PB_NULL : 0;
}

static int32_t logging(const pb_op *o, void *f, void *c)
{
	const char *list[64] = {0};
	uint32_t n = o->count < 64 ? o->count : 64;
	const char *text = pb_text(o->data);
	char *copy = text == NULL ? NULL : pb_payload(16384);
	for (uint32_t k = 0; k < n && text != NULL; k++) {
		list[k] = strcpy(copy, text);
		copy += strlen(text) + 1;
		text += strlen(text) + 1;
	}
	int on = (o->flags & PB_LOGGING_ON) != 0;
	pb_seal();
	return ((int32_t (*)(void *, int, size_t, const char *const *))f)(c, on, n, n ? list : NULL);
}

static size_t width(uint32_t code)
{
	switch (code) {
	case PB_fmi2GetReal:
	case PB_fmi2SetReal:
	case PB_fmi2GetRealOutputDerivatives:
	case PB_fmi2SetRealInputDerivatives:
		return sizeof(double);
	case PB_fmi2GetString:
		return sizeof(char *);
	}
	return sizeof(int32_t);
}

typedef int32_t (*getter)(void *, const uint32_t *, size_t, void *);
typedef int32_t (*setter)(void *, const uint32_t *, size_t, const void *);

static int32_t get(const pb_op *o, pb_record *r, void *f, void *c)
{
	bool none = o->flags & PB_NO_ARRAYS;
	size_t size = width(o->code) * o->count;
	const uint32_t *references =
		none ? NULL : pb_const(PB_REFERENCES, pb_at(o->data), 4 * o->count);
	char *values = none ? NULL : pb_out(PB_VALUES, size);
	int32_t status = 0;
	if (o->flags & PB_ONE_BY_ONE) {
		for (uint32_t k = 0; k < o->count && status <= 1; k++) {
			status = ((getter)f)(c, references + k, 1, values + k * width(o->code));
		}
	} else {
		status = ((getter)f)(c, references, o->count, values);
	}
	if (none) {
		return status;
	}
	pb_begin_out(r);
	if (status <= 1 && pb_unwritten(values, size)) {
		r->flags |= PB_UNWRITTEN;
	}
	if (o->code != PB_fmi2GetString) {
		pb_add(r, values, size);
		return status;
	}
	for (uint32_t k = 0; k < o->count && status <= 1; k++) {
		uint64_t at = r->size;
		pb_add_text(r, ((char **)(void *)values)[k]);
		pb_alive(r, at, ((char **)(void *)values)[k], true);
	}
	return status;
}

static int32_t set_texts(const pb_op *o, const uint32_t *references, void *f, void *c)
{
	const char *from = pb_at(o->data2);
	size_t all = 0;
	for (uint32_t k = 0; k < o->count; k++) {
		all += strlen(from + all) + 1;
	}
	char *copy = pb_payload(all);
	memcpy(copy, from, all);
	const char **list = pb_out(PB_TEXTS, o->count * sizeof *list);
	for (uint32_t k = 0; k < o->count; k++) {
		list[k] = copy;
		copy += strlen(copy) + 1;
	}
	pb_seal();
	return ((setter)f)(c, references, o->count, list);
}

static int32_t set(const pb_op *o, void *f, void *c)
{
	bool none = o->flags & PB_NO_ARRAYS;
	const uint32_t *references =
		none ? NULL : pb_const(PB_REFERENCES, pb_at(o->data), 4 * o->count);
	if (o->code == PB_fmi2SetString && !none) {
		return set_texts(o, references, f, c);
	}
	const void *values =
		none ? NULL : pb_const(PB_VALUES, pb_at(o->data2), width(o->code) * o->count);
	return ((setter)f)(c, references, o->count, values);
}

// derivatives calls the functions for derivatives of inputs and outputs, all of which have order
// count.
static int32_t derivatives(const pb_op *o, pb_record *r, void *f, void *c, bool read)
{
	const uint32_t *references = pb_const(PB_REFERENCES, pb_at(o->data), 4 * o->count);
	const int32_t *orders = pb_const(PB_ORDERS, pb_at(o->data3), 4 * o->count);
	size_t size = sizeof(double) * o->count;
	if (!read) {
		const double *values = pb_const(PB_VALUES, pb_at(o->data2), size);
		return ((int32_t (*)(void *, const uint32_t *, size_t, const int32_t *, const double *))f)(
			c, references, o->count, orders, values);
	}
	double *values = pb_out(PB_VALUES, size);
	int32_t status = ((int32_t (*)(void *, const uint32_t *, size_t, const int32_t *, double *))f)(
		c, references, o->count, orders, values);
	pb_begin_out(r);
	pb_add(r, values, size);
	return status;
}

// directional gets directional derivatives: data has count unknowns, data2 values knowns, and data3
// the seeds.
static int32_t directional(const pb_op *o, pb_record *r, void *f, void *c)
{
	const uint32_t *unknowns = pb_const(PB_REFERENCES, pb_at(o->data), 4 * o->count);
	const uint32_t *knowns = pb_const(PB_KNOWNS, pb_at(o->data2), 4 * o->values);
	const double *seeds = pb_const(PB_SEEDS, pb_at(o->data3), 8 * o->values);
	double *result = pb_out(PB_RESULT, 8 * o->count);
	int32_t status =
		((int32_t (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
	                  double *))f)(c, unknowns, o->count, knowns, o->values, seeds, result);
	pb_begin_out(r);
	pb_add(r, result, 8 * o->count);
	return status;
}

static int32_t ask(uint32_t code, uint32_t kind, pb_record *r, pb_instance *i, double *value)
{
	void *f = pb_symbol(i->library, code);
	union {
		double d;
		int32_t n;
		const char *s;
	} *out = pb_out(PB_RESULT, sizeof *out);
	if (f == NULL) {
		return PB_MISSING;
	}
	int32_t status = ((int32_t (*)(void *, int, void *))f)(i->component, (int)kind, out);
	if (status <= 1 && code != PB_fmi2GetStringStatus) {
		*value = code == PB_fmi2GetRealStatus ? out->d : out->n;
	}
	(void)r;
	return status;
}

// step makes a step and, after a Discard, asks whether the FMU has ended the simulation, and when:
// y[0] is the status of the first answer and y[1] the answer itself; y[2] and y[3] hold the same
// for the second answer.
static int32_t step(const pb_op *o, pb_record *r, void *f, pb_instance *i, void *c)
{
	int keep = (o->flags & PB_KEEP_STATE) != 0;
	int32_t status = ((int32_t (*)(void *, double, double, int))f)(c, o->x[0], o->x[1], !keep);
	if (status == 2 && c != NULL) {
		enum { TERMINATED = 3, LAST_TIME = 2 };
		r->y[0] = ask(PB_fmi2GetBooleanStatus, TERMINATED, r, i, &r->y[1]);
		r->y[2] = ask(PB_fmi2GetRealStatus, LAST_TIME, r, i, &r->y[3]);
	}
	return status;
}

static int32_t setup(const pb_op *o, void *f, void *c)
{
	return ((int32_t (*)(void *, int, double, double, int, double))f)(
		c, (o->flags & PB_HAS_TOLERANCE) != 0, o->x[2], o->x[0], (o->flags & PB_HAS_STOP) != 0,
		o->x[1]);
}

static int32_t release(pb_instance *i, void *f, void *c)
{
	((void (*)(void *))f)(c);
	if (c != NULL) {
		atomic_store(&i->freed, 1);
		i->component = NULL;
	}
	return 0;
}

static int32_t version(pb_record *r, void *f)
{
	pb_begin_out(r);
	pb_add_text(r, ((const char *(*)(void))f)());
	return 0;
}

int32_t pb_call2(const pb_op *o, pb_record *r)
{
	pb_instance *i = &pb_instances[o->slot % PB_INSTANCES];
	bool fresh = o->code <= PB_fmi2GetVersion || o->code == PB_fmi2Instantiate;
	void *f = pb_symbol(fresh ? o->state : i->library, o->code);
	void *c = o->flags & PB_NO_INSTANCE ? NULL : i->component;
	if (f == NULL) {
		return PB_MISSING;
	}
	switch (o->code) {
	case PB_fmi2GetTypesPlatform:
	case PB_fmi2GetVersion:
		return version(r, f);
	case PB_fmi2Instantiate:
		return instantiate(o, r, f);
	case PB_fmi2FreeInstance:
		return release(i, f, c);
	case PB_fmi2SetDebugLogging:
		return logging(o, f, c);
	case PB_fmi2SetupExperiment:
		return setup(o, f, c);
	case PB_fmi2GetReal:
	case PB_fmi2GetInteger:
	case PB_fmi2GetBoolean:
	case PB_fmi2GetString:
		return get(o, r, f, c);
	case PB_fmi2SetReal:
	case PB_fmi2SetInteger:
	case PB_fmi2SetBoolean:
	case PB_fmi2SetString:
		return set(o, f, c);
	case PB_fmi2GetDirectionalDerivative:
		return directional(o, r, f, c);
	case PB_fmi2SetRealInputDerivatives:
	case PB_fmi2GetRealOutputDerivatives:
		return derivatives(o, r, f, c, o->code == PB_fmi2GetRealOutputDerivatives);
	case PB_fmi2DoStep:
		return step(o, r, f, i, c);
	case PB_fmi2GetStatus:
	case PB_fmi2GetRealStatus:
	case PB_fmi2GetIntegerStatus:
	case PB_fmi2GetBooleanStatus:
	case PB_fmi2GetStringStatus:
		return ask(o->code, o->count, r, i, &r->y[0]);
	case PB_fmi2GetFMUstate:
	case PB_fmi2SetFMUstate:
	case PB_fmi2FreeFMUstate:
	case PB_fmi2SerializedFMUstateSize:
	case PB_fmi2SerializeFMUstate:
	case PB_fmi2DeSerializeFMUstate:
		return pb_state(o, r, c);
	}
	return ((int32_t (*)(void *))f)(c);
}
