//go:build linux

// Saved states and logging: the same in both standards except for names and types.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "serve.h"

typedef int32_t (*logging1)(void *, char);
typedef int32_t (*logging2)(void *, int32_t, size_t, const char *const[]);
typedef int32_t (*logging3)(void *, bool, size_t, const char *const[]);
typedef int32_t (*with_state)(void *, void *);
typedef int32_t (*with_place)(void *, void **);
typedef int32_t (*state_size)(void *, void *, size_t *);
typedef int32_t (*serialize)(void *, void *, void *, size_t);
typedef int32_t (*deserialize)(void *, const void *, size_t, void **);

// gw_logging sets the log categories: text 0 has the categories, each with its terminator, and
// count is their number. FMI 1.0 has no categories.
int32_t gw_logging(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	gw_function f = gw_function_of(i, GW_fmi2SetDebugLogging, GW_fmi3SetDebugLogging);
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	const char **list = calloc((size_t)c->count + 1, sizeof *list), *next = gw_text(0);
	if (list == NULL) {
		return gw_fail(GW_FULL, f, "no memory for categories");
	}
	for (uint32_t k = 0; k < c->count; k++, next += strlen(next) + 1) {
		list[k] = next;
	}
	int on = (c->flags & GW_LOGGING_ON) != 0;
	gw_begin(i, f);
	int32_t status = i->major == 1  ? GW_CALL(i, f, logging1)(i->component, (char)on)
	                 : i->major < 3 ? GW_CALL(i, f, logging2)(i->component, on, c->count, list)
	                                : GW_CALL(i, f, logging3)(i->component, on, c->count, list);
	free(list);
	return gw_end(i, f, status, "%s=%p, loggingOn=%d, nCategories=%u",
	              i->major < 3 ? "c" : "instance", i->component, on, c->count);
}

static int32_t call_place(gw_instance *i, gw_function f, void **state)
{
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	gw_begin(i, f);
	int32_t status = GW_CALL(i, f, with_place)(i->component, state);
	return gw_end(i, f, status, "%s=%p, FMUState=%p", i->major < 3 ? "c" : "instance", i->component,
	              *state);
}

static int32_t restore(gw_instance *i, void *state)
{
	gw_function f = gw_function_of(i, GW_fmi2SetFMUstate, GW_fmi3SetFMUState);
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	gw_begin(i, f);
	int32_t status = GW_CALL(i, f, with_state)(i->component, state);
	return gw_end(i, f, status, "%s=%p, FMUState=%p", i->major < 3 ? "c" : "instance", i->component,
	              state);
}

static int32_t write_state(gw_instance *i, void *state)
{
	gw_reply *r = &gw_shared->reply;
	gw_function f = gw_function_of(i, GW_fmi2SerializedFMUstateSize, GW_fmi3SerializedFMUStateSize);
	gw_function g = gw_function_of(i, GW_fmi2SerializeFMUstate, GW_fmi3SerializeFMUState);
	if (gw_symbol(i, f) == NULL || gw_symbol(i, g) == NULL) {
		return GW_MISSING;
	}
	size_t size = 0;
	gw_begin(i, f);
	int32_t status = gw_end(i, f, GW_CALL(i, f, state_size)(i->component, state, &size),
	                        "FMUState=%p, size=%zu", state, size);
	if (status > 1) {
		return status;
	}
	static uint64_t offset, capacity; // the host copies a state before it requests another one
	if (capacity < size) {
		if (!gw_reserve(size, &offset)) {
			return gw_fail(GW_FULL, f, "%zu bytes of a state", size);
		}
		capacity = size;
	}
	gw_begin(i, g);
	status = GW_CALL(i, g, serialize)(i->component, state, gw_arena + offset, size);
	r->blob = offset;
	r->size = size;
	return gw_end(i, g, status, "FMUState=%p, size=%zu", state, size);
}

static int32_t read_state(gw_instance *i, void **state)
{
	const gw_command *c = &gw_shared->command;
	gw_function f = gw_function_of(i, GW_fmi2DeSerializeFMUstate, GW_fmi3DeserializeFMUState);
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	gw_begin(i, f);
	int32_t status = GW_CALL(i, f, deserialize)(i->component, gw_at(c->blob), c->size, state);
	return gw_end(i, f, status, "size=%llu, FMUState=%p", (unsigned long long)c->size, *state);
}

int32_t gw_state(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	if (c->state >= GW_STATES ||
	    (c->operation != GW_SAVE && c->operation != GW_DESERIALIZE && i->state[c->state] == NULL)) {
		return gw_fail(GW_MISUSE, GW_nothing, "state %u", c->state);
	}
	void **state = &i->state[c->state];
	switch (c->operation) {
	case GW_SAVE:
		return call_place(i, gw_function_of(i, GW_fmi2GetFMUstate, GW_fmi3GetFMUState), state);
	case GW_RESTORE:
		return restore(i, *state);
	case GW_FORGET:
		return call_place(i, gw_function_of(i, GW_fmi2FreeFMUstate, GW_fmi3FreeFMUState), state);
	case GW_SERIALIZE:
		return write_state(i, *state);
	}
	return read_state(i, state);
}
