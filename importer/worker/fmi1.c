//go:build linux

// FMI 1.0: the differences from FMI 2.0 in the life of a co-simulation slave. There is no
// Initialization Mode: fmiInitializeSlave takes its place, and is called at the latest possible
// time, when the host first reads values or ends initialization.

#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>

#include "serve.h"

// callbacks is fmiCallbackFunctions (FMI 1.0 for Co-Simulation, 3.2), which is passed by value.
typedef struct {
	void (*logger)(void *, const char *, int32_t, const char *, const char *, ...);
	void *(*allocate)(size_t, size_t);
	void (*release)(void *);
	void (*finished)(void *, int32_t);
} callbacks;

typedef void *(*instantiate)(const char *, const char *, const char *, const char *, double, char,
                             char, callbacks, char);
typedef int32_t (*initialize)(void *, double, char, double);
typedef int32_t (*do_step)(void *, double, double, char);
typedef int32_t (*get_real_status)(void *, int32_t, double *);

enum { LAST_SUCCESSFUL_TIME = 2 }; // fmiStatusKind

// slot_of returns the slot of an instance. A logger of FMI 1.0 receives no environment, and an
// instance may log before fmiInstantiateSlave has returned it.
static uint32_t slot_of(const void *component)
{
	for (uint32_t slot = 0; component != NULL && slot < GW_INSTANCES; slot++) {
		const gw_instance *i = gw_instance_at(slot);
		if (i != NULL && i->component == component) {
			return slot;
		}
	}
	return atomic_load(&gw_shared->place.slot);
}

__attribute__((format(printf, 5, 6))) static void logger(void *component, const char *name,
                                                         int32_t status, const char *category,
                                                         const char *message, ...)
{
	(void)name;
	va_list list;
	va_start(list, message);
	gw_format_message(slot_of(component), status, category, message, list);
	va_end(list);
}

int32_t gw_fmi1_instantiate(gw_instance *i)
{
	static const char mime[] = "application/x-fmu-sharedlibrary";
	const gw_command *c = &gw_shared->command;
	gw_function f = GW_fmiInstantiateSlave;
	if (!gw_keep_texts(i)) {
		return gw_fail(GW_FULL, f, "no memory for an instance");
	}
	callbacks b = {logger, gw_allocate, free, NULL};
	i->flags = c->flags;
	char visible = (c->flags & GW_VISIBLE) != 0, logging = (c->flags & GW_LOGGING_ON) != 0;
	const char *location = i->resources == NULL ? "" : i->resources;
	gw_begin(i, f);
	i->component =
		GW_CALL(i, f, instantiate)(i->name, i->token, location, mime, 0, visible, 0, b, logging);
	gw_shared->reply.address = (uint64_t)(uintptr_t)i->component;
	gw_end(i, f, 0,
	       "instanceName=\"%s\", fmuGUID=\"%s\", fmuLocation=\"%s\", mimeType=\"%s\", timeout=0, "
	       "visible=%d, interactive=0, loggingOn=%d -> %p",
	       i->name, i->token, location, mime, visible, logging, i->component);
	return i->component == NULL ? gw_fail(GW_NULL, f, "%s", "") : 0;
}

int32_t gw_fmi1_initialize(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	i->initialized = false;
	i->begun = c->time;
	i->ends = (c->flags & GW_STOP_TIME) != 0;
	i->stop = c->stop;
	return gw_set_plan(i, c->plan_in);
}

int32_t gw_fmi1_begin(gw_instance *i)
{
	if (i->major != 1 || i->initialized) {
		return 0;
	}
	gw_function f = GW_fmiInitializeSlave;
	i->initialized = true;
	gw_begin(i, f);
	int32_t status = GW_CALL(i, f, initialize)(i->component, i->begun, i->ends, i->stop);
	return gw_end(i, f, status, "c=%p, tStart=%s, StopTimeDefined=%d, tStop=%s", i->component,
	              gw_digits(i->begun).text, i->ends, gw_digits(i->stop).text);
}

// ask queries how far a discarded step came. The FMU may refuse, which is not a failure.
static void ask(gw_instance *i)
{
	gw_reply *r = &gw_shared->reply;
	int32_t worst = r->status;
	uint32_t function = r->function;
	double last = 0;
	gw_function f = GW_fmiGetRealStatus;
	if (gw_symbol(i, f) != NULL) {
		gw_begin(i, f);
		int32_t status = GW_CALL(i, f, get_real_status)(i->component, LAST_SUCCESSFUL_TIME, &last);
		r->answered |= status <= 1 ? 2 : 0;
		gw_end(i, f, status, "c=%p, s=2, value=%s", i->component, gw_digits(last).text);
	}
	r->status = worst;
	r->function = function;
	r->last_time = last;
}

int32_t gw_fmi1_step(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	gw_function f = GW_fmiDoStep;
	int32_t status = gw_set_plan(i, c->plan_in);
	if (status > 1) {
		return status;
	}
	gw_begin(i, f);
	status = GW_CALL(i, f, do_step)(i->component, c->time, c->step, 1);
	if (status == 5 && (c->flags & GW_ASYNCHRONOUS)) {
		status = gw_wait_for(i, GW_fmiGetStatus);
	}
	if (__builtin_expect(gw_shared->log_calls, 0)) {
		gw_number time = gw_digits(c->time), step = gw_digits(c->step);
		status = gw_end(i, f, status,
		                "c=%p, currentCommunicationPoint=%s, communicationStepSize=%s, newStep=1",
		                i->component, time.text, step.text);
	} else {
		status = gw_end(i, f, status, "%s", "");
	}
	if (status == 2) {
		ask(i);
	}
	return status <= 1 ? gw_get_plan(i, c->plan_out) : status;
}
