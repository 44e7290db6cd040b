//go:build linux

// The steps and events of FMI 3.0: their Booleans, clocks, and intermediate updates.

#define _GNU_SOURCE
#include <string.h>

#include "serve.h"

// truth is a Boolean with room after it, which stays unless an FMU writes an integer.
typedef struct {
	unsigned char value, beyond[7];
} truth;

// judge_truths marks a record if Booleans are unset although the status is OK, or if more than they
// was written.
static void judge_truths(pb_record *r, const truth *list, size_t n, int32_t status)
{
	for (size_t k = 0; k < n; k++) {
		if (status <= 1 && pb_unwritten(&list[k].value, 1)) {
			r->flags |= PB_UNWRITTEN;
		}
		if (!pb_unwritten(list[k].beyond, sizeof list[k].beyond)) {
			r->flags |= PB_OVERRUN;
		}
	}
}

// What an instance does in intermediate updates.
static struct {
	bool wanted, early;
	uint32_t outputs, inputs;
	const uint32_t *references; // outputs, then inputs
	const double *values;       // for the inputs
	double ahead;               // from the time of an update to the one of an early return
	bool requested;             // in this step, for the time when
	double when;
	pb_record *step; // that runs
} updates[PB_INSTANCES];

int32_t pb_updates(const pb_op *o)
{
	uint32_t slot = o->slot % PB_INSTANCES, n = o->values < o->count ? o->values : o->count;
	memset(&updates[slot], 0, sizeof updates[slot]);
	updates[slot].wanted = true;
	updates[slot].outputs = n;
	updates[slot].inputs = o->count - n;
	updates[slot].references = pb_at(o->data);
	updates[slot].values = pb_at(o->data2);
	updates[slot].early = o->x[0] != 0;
	updates[slot].ahead = o->x[1];
	return 0;
}

_Static_assert(sizeof(pb_update) == 24, "as in update.go");

void *pb_update_of(uint32_t slot, const uint32_t **references, size_t *n)
{
	slot %= PB_INSTANCES;
	*references = updates[slot].references;
	*n = updates[slot].outputs + updates[slot].inputs;
	*references = *n == 0 ? NULL : *references;
	return updates[slot].wanted ? (void *)pb_intermediate : NULL;
}

static int32_t read_outputs(pb_instance *i, uint32_t slot)
{
	size_t n = updates[slot].outputs;
	const uint32_t *v = pb_const(PB_REFERENCES, updates[slot].references, 4 * n);
	double *values = pb_out(PB_VALUES, 8 * n);
	int32_t (*f)(void *, const uint32_t *, size_t, double *, size_t) =
		pb_symbol(i->library, PB_fmi3GetFloat64);
	return f == NULL ? PB_MISSING : f(i->component, v, n, values, n);
}

static int32_t set_inputs(pb_instance *i, uint32_t slot)
{
	size_t n = updates[slot].inputs;
	const uint32_t *v =
		pb_const(PB_REFERENCES, updates[slot].references + updates[slot].outputs, 4 * n);
	const double *values = pb_const(PB_VALUES, updates[slot].values, 8 * n);
	int32_t (*f)(void *, const uint32_t *, size_t, const double *, size_t) =
		pb_symbol(i->library, PB_fmi3SetFloat64);
	return f == NULL ? PB_MISSING : f(i->component, v, n, values, n);
}

// stray marks the operation that runs: an update came outside a step, or with the environment of no
// instance.
static void stray(void)
{
	uint32_t op = atomic_load(&pb_shared->op);
	pb_record *records = pb_at(pb_shared->records_at);
	if (op > 0 && op <= pb_shared->ops) {
		records[op - 1].flags |= PB_STRAY;
	}
}

void pb_intermediate(void *environment, double time, bool set, bool get, bool finished, bool can,
                     bool *early, double *early_time)
{
	pb_instance *i = environment;
	bool known = i >= pb_instances && i < pb_instances + PB_INSTANCES;
	uint32_t slot = known ? i->slot : 0;
	if (early != NULL) {
		*early = false;
	}
	if (!known || updates[slot].step == NULL) {
		stray();
		return;
	}
	pb_update u = {.time = time, .set = set, .get = get, .finished = finished, .can = can};
	u.got = get && updates[slot].outputs > 0 ? read_outputs(i, slot) : PB_NOT_RUN;
	u.given = set && updates[slot].inputs > 0 ? set_inputs(i, slot) : PB_NOT_RUN;
	if (can && updates[slot].early && early != NULL && early_time != NULL) {
		*early = true;
		u.requested = 1;
		if (!updates[slot].requested) {
			updates[slot].requested = true;
			updates[slot].when = time + updates[slot].ahead;
		}
		*early_time = time > updates[slot].when ? time : updates[slot].when;
	}
	pb_add(updates[slot].step, &u, sizeof u);
}

static int32_t step(const pb_op *o, pb_record *r, void *f, pb_instance *i, void *c)
{
	struct {
		double last;
		truth flags[3];
	} *out = pb_out(PB_RESULT, sizeof *out);
	bool keep = o->flags & PB_KEEP_STATE, none = o->flags & PB_NO_ARRAYS;
	truth *flags = none ? NULL : out->flags;
	int32_t status =
		((int32_t (*)(void *, double, double, bool, void *, void *, void *, double *))f)(
			c, o->x[0], o->x[1], !keep, flags, none ? NULL : flags + 1, none ? NULL : flags + 2,
			none ? NULL : &out->last);
	judge_truths(r, out->flags, 3, status);
	if (status <= 1 && pb_unwritten(&out->last, 8)) {
		r->flags |= PB_UNWRITTEN;
	}
	for (int k = 0; k < 3; k++) {
		r->y[k] = out->flags[k].value;
	}
	r->y[3] = out->last;
	i->event = status <= 1 && out->flags[0].value == 1;
	return status;
}

// pb_step makes a step and returns in y eventHandlingNeeded, terminateSimulation, earlyReturn and
// lastSuccessfulTime; a Boolean that is neither 0 nor 1 is returned as it is. Its output is a list
// of the intermediate updates.
int32_t pb_step(const pb_op *o, pb_record *r, void *f, pb_instance *i, void *c)
{
	uint32_t slot = i->slot;
	if (!updates[slot].wanted) {
		return step(o, r, f, i, c);
	}
	pb_begin_out(r);
	updates[slot].step = r;
	updates[slot].requested = false;
	int32_t status = step(o, r, f, i, c);
	updates[slot].step = NULL;
	return status;
}

// pb_update_states returns in y discreteStatesNeedUpdate, terminateSimulation, nextEventTimeDefined
// and nextEventTime.
int32_t pb_update_states(pb_record *r, void *f, void *c)
{
	enum { MORE, TERMINATE, NOMINALS, STATES, DEFINED, FLAGS };
	struct {
		double next;
		truth flags[FLAGS];
	} *out = pb_out(PB_RESULT, sizeof *out);
	truth *b = out->flags;
	int32_t status = ((int32_t (*)(void *, void *, void *, void *, void *, void *, double *))f)(
		c, b + MORE, b + TERMINATE, b + NOMINALS, b + STATES, b + DEFINED, &out->next);
	judge_truths(r, b, FLAGS, status);
	r->y[0] = b[MORE].value;
	r->y[1] = b[TERMINATE].value;
	r->y[2] = b[DEFINED].value;
	r->y[3] = out->next;
	return status;
}

int32_t pb_settle(const pb_op *o, pb_record *r)
{
	enum { ROUNDS = 1000 };
	pb_instance *i = &pb_instances[o->slot % PB_INSTANCES];
	void *f = pb_symbol(i->library, PB_fmi3UpdateDiscreteStates);
	bool terminate = false; // in any round
	for (int k = 0; f != NULL && k < ROUNDS; k++) {
		int32_t status = pb_update_states(r, f, i->component);
		terminate = terminate || (status <= 1 && r->y[1] == 1);
		if (status > 1 || r->y[0] == 0) {
			r->y[1] = terminate ? 1 : r->y[1];
			return status;
		}
	}
	return f == NULL ? PB_MISSING : PB_UNSETTLED;
}

// pb_timing reads or sets intervals and shifts of clocks. The output has an array of numbers, for
// fractions another one of resolutions, and for intervals the qualifiers.
int32_t pb_timing(const pb_op *o, pb_record *r, void *f, void *c)
{
	typedef int32_t (*decimal)(void *, const uint32_t *, size_t, void *, void *);
	typedef int32_t (*fraction)(void *, const uint32_t *, size_t, void *, void *, void *);
	size_t n = o->count;
	const uint32_t *v = pb_const(PB_REFERENCES, pb_at(o->data), 4 * n);
	if (o->code == PB_fmi3SetIntervalDecimal) {
		const double *given = pb_const(PB_VALUES, pb_at(o->data2), 8 * n);
		return ((int32_t (*)(void *, const uint32_t *, size_t, const double *))f)(c, v, n, given);
	}
	bool fractions = o->code == PB_fmi3GetIntervalFraction || o->code == PB_fmi3GetShiftFraction;
	bool intervals = o->code == PB_fmi3GetIntervalDecimal || o->code == PB_fmi3GetIntervalFraction;
	char *values = pb_out(PB_VALUES, 8 * n), *resolutions = pb_out(PB_SIZES, 8 * n);
	char *qualifiers = pb_out(PB_ORDERS, 4 * n);
	int32_t status = fractions ? ((fraction)f)(c, v, n, values, resolutions, qualifiers)
	                           : ((decimal)f)(c, v, n, values, qualifiers);
	pb_begin_out(r);
	pb_add(r, values, 8 * n);
	pb_add(r, resolutions, fractions ? 8 * n : 0);
	pb_add(r, qualifiers, intervals ? 4 * n : 0);
	if (status <= 1 &&
	    (pb_unwritten(values, 8 * n) || (intervals && pb_unwritten(qualifiers, 4 * n)))) {
		r->flags |= PB_UNWRITTEN;
	}
	return status;
}
