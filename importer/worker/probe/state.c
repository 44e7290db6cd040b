//go:build linux

// States of FMUs, and notional binary variables of OSMP.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "serve.h"

static void *states[PB_STATES];
static struct {
	const char *address;
	int32_t size;
} fetched[PB_FETCHED];

static int32_t serialize(const pb_op *o, pb_record *r, void *f, void *c, void *state)
{
	bool three = o->code == PB_fmi3SerializeFMUState;
	uint32_t library = pb_instances[o->slot % PB_INSTANCES].library;
	int32_t (*measure)(void *, void *, size_t *) =
		pb_symbol(library, three ? PB_fmi3SerializedFMUStateSize : PB_fmi2SerializedFMUstateSize);
	size_t size = 0;
	int32_t status = measure == NULL ? PB_MISSING : measure(c, state, &size);
	if (status > 1 || size > (1u << 30)) {
		return status > 1 ? status : PB_MISUSE;
	}
	char *bytes = pb_out(PB_VALUES, size);
	status = ((int32_t (*)(void *, void *, char *, size_t))f)(c, state, bytes, size);
	pb_begin_out(r);
	pb_add(r, bytes, size);
	return status;
}

static int32_t deserialize(const pb_op *o, void *f, void *c, void **state)
{
	const void *from = pb_at(o->data);
	size_t size = o->values;
	if (o->flags & PB_FROM_OUT) {
		const pb_record *other = (const pb_record *)pb_at(pb_shared->records_at) + o->count;
		from = pb_memory + pb_shared->out_at + other->out;
		size = other->size;
	}
	const char *bytes = pb_const(PB_VALUES, from, size);
	return ((int32_t (*)(void *, const char *, size_t, void **))f)(c, bytes, size, state);
}

int32_t pb_state(const pb_op *o, pb_record *r, void *c)
{
	void *f = pb_symbol(pb_instances[o->slot % PB_INSTANCES].library, o->code);
	void **state = o->flags & PB_NO_ARRAYS ? NULL : &states[o->state % PB_STATES];
	int32_t status;
	size_t size = 0;
	switch (o->code) {
	case PB_fmi2GetFMUstate:
	case PB_fmi3GetFMUState:
	case PB_fmi2FreeFMUstate:
	case PB_fmi3FreeFMUState:
		status = ((int32_t (*)(void *, void **))f)(c, state);
		break;
	case PB_fmi2SetFMUstate:
	case PB_fmi3SetFMUState:
		status = ((int32_t (*)(void *, void *))f)(c, state == NULL ? NULL : *state);
		break;
	case PB_fmi2SerializedFMUstateSize:
	case PB_fmi3SerializedFMUStateSize:
		status =
			((int32_t (*)(void *, void *, size_t *))f)(c, state == NULL ? NULL : *state, &size);
		r->y[1] = (double)size;
		break;
	case PB_fmi2SerializeFMUstate:
	case PB_fmi3SerializeFMUState:
		return serialize(o, r, f, c, state == NULL ? NULL : *state);
	default:
		status = deserialize(o, f, c, state);
	}
	r->y[0] = state != NULL && *state != NULL; // whether there is a state now
	return status;
}

static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static int32_t half(uint64_t address, int upper)
{
	return (int32_t)(uint32_t)(upper ? address >> 32 : address);
}

// pb_send sends a triple; count selects what is sent: 0 address and size, 1 zeros, 2 base 0, 3 size
// 0, 4 a negative size, 5 no low half, 6 to 11 the parts in single calls, in six orders.
int32_t pb_send(const pb_op *o)
{
	pb_instance *i = &pb_instances[o->slot % PB_INSTANCES];
	const pb_buffer *b = &pb_buffers[o->state % PB_BUFFERS];
	void *f = pb_symbol(i->library, PB_fmi2SetInteger);
	uint64_t a = (uint64_t)(uintptr_t)b->begin;
	static int32_t values[3]; // static, because pb_check compares with them
	values[0] = half(a, 0), values[1] = half(a, 1), values[2] = (int32_t)b->size;
	values[0] = o->count == 1 || o->count == 2 || o->count == 5 ? 0 : values[0];
	values[1] = o->count == 1 || o->count == 2 ? 0 : values[1];
	values[2] = o->count == 1 || o->count == 3 ? 0 : o->count == 4 ? -5 : values[2];
	const uint32_t *references = pb_const(PB_REFERENCES, pb_at(o->data), 12);
	const int32_t *given = pb_const(PB_VALUES, values, sizeof values);
	int32_t (*set)(void *, const uint32_t *, size_t, const int32_t *) =
		(int32_t (*)(void *, const uint32_t *, size_t, const int32_t *))f;
	enum { PARTS = 6 };
	if (o->count < PARTS) {
		return set(i->component, references, 3, given);
	}
	int32_t status = 0;
	for (int k = 0; k < 3 && status <= 1; k++) {
		int at = orders[(o->count - PARTS) % 6][k];
		status = set(i->component, references + at, 1, given + at);
	}
	return status;
}

// pb_fetch reads a triple; y receives low half, high half and size as returned by the FMU.
int32_t pb_fetch(const pb_op *o, pb_record *r)
{
	pb_instance *i = &pb_instances[o->slot % PB_INSTANCES];
	int32_t (*f)(void *, const uint32_t *, size_t, int32_t *) =
		pb_symbol(i->library, PB_fmi2GetInteger);
	const uint32_t *references = pb_const(PB_REFERENCES, pb_at(o->data), 12);
	int32_t *values = pb_out(PB_VALUES, 12), status = 0;
	if (o->count > 5) {
		status = f(i->component, references, 3, values);
	}
	for (int k = 0; o->count <= 5 && k < 3 && status <= 1; k++) {
		int at = orders[o->count][k];
		status = f(i->component, references + at, 1, values + at);
	}
	uint64_t address = (uint64_t)(uint32_t)values[1] << 32 | (uint32_t)values[0];
	uint32_t k = o->state % PB_FETCHED;
	fetched[k].address = (const char *)(uintptr_t)address;
	fetched[k].size = values[2];
	for (int n = 0; n < 3; n++) {
		r->y[n] = values[n];
	}
	pb_begin_out(r);
	bool data = status <= 1 && address != 0 && values[2] > 0;
	pb_add_blob(r, data ? fetched[k].address : NULL, data ? (uint64_t)values[2] : 0);
	return status;
}

int32_t pb_peek(const pb_op *o, pb_record *r)
{
	uint32_t k = o->state % PB_FETCHED;
	bool data = fetched[k].address != NULL && fetched[k].size > 0;
	pb_begin_out(r);
	pb_add_blob(r, data ? fetched[k].address : NULL, data ? (uint64_t)fetched[k].size : 0);
	return 0;
}

// pb_dirty overwrites free memory: the stack below it, and malloc blocks of several sizes.
__attribute__((noinline)) void pb_dirty(const pb_op *o)
{
	size_t size = o->count;
	volatile char *stack = __builtin_alloca(size + 1);
	for (size_t k = 0; k < size; k++) {
		stack[k] = 0x5b;
	}
	void *blocks[8];
	for (int k = 0; k < 8; k++) {
		blocks[k] = malloc(o->state + 1);
		if (blocks[k] != NULL) {
			memset(blocks[k], 0x5b, o->state + 1);
		}
	}
	for (int k = 0; k < 8; k++) {
		free(blocks[k]);
	}
}
