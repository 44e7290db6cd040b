//go:build linux

// FMI 2.0: the differences from FMI 3.0 in the life of a co-simulation slave.

#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve.h"

// callbacks is fmi2CallbackFunctions (FMI 2.0, 2.1.5).
typedef struct {
	void (*logger)(void *, const char *, int32_t, const char *, const char *, ...);
	void *(*allocate)(size_t, size_t);
	void (*release)(void *);
	void (*finished)(void *, int32_t);
	void *environment;
} callbacks;

typedef void *(*instantiate)(const char *, int32_t, const char *, const char *, const callbacks *,
                             int32_t, int32_t);
typedef int32_t (*setup)(void *, int32_t, double, double, int32_t, double);
typedef int32_t (*do_step)(void *, double, double, int32_t);
typedef int32_t (*get_boolean_status)(void *, int32_t, int32_t *);
typedef int32_t (*get_real_status)(void *, int32_t, double *);
typedef int32_t (*get_status)(void *, int32_t, int32_t *);

enum { DO_STEP_STATUS, PENDING_STATUS, LAST_SUCCESSFUL_TIME, TERMINATED }; // fmi2StatusKind

void gw_format_message(uint32_t slot, int32_t status, const char *category, const char *message,
                       va_list list)
{
	char small[2048], *text = small;
	va_list again;
	va_copy(again, list);
	int n = message == NULL ? -1 : vsnprintf(small, sizeof small, message, list);
	if (n >= (int)sizeof small) {
		char *large = malloc((size_t)n + 1);
		if (large != NULL) {
			vsnprintf(large, (size_t)n + 1, message, again);
			text = large;
		}
	}
	va_end(again);
	gw_message(slot, status, category, n < 0 ? message : text);
	if (text != small) {
		free(text);
	}
}

__attribute__((format(printf, 5, 6))) static void logger(void *environment, const char *name,
                                                         int32_t status, const char *category,
                                                         const char *message, ...)
{
	(void)name;
	va_list list;
	va_start(list, message);
	gw_format_message((uint32_t)(uintptr_t)environment, status, category, message, list);
	va_end(list);
}

void *gw_allocate(size_t n, size_t size) { return calloc(n == 0 ? 1 : n, size == 0 ? 1 : size); }

int32_t gw_fmi2_instantiate(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	gw_function f = GW_fmi2Instantiate;
	// The standard guarantees these pointers during the call only; some FMUs keep them.
	callbacks *b = malloc(sizeof *b);
	if (b == NULL || !gw_keep_texts(i)) {
		return gw_fail(GW_FULL, f, "no memory for an instance");
	}
	// FMUs that declare canNotUseMemoryManagementFunctions ignore these two (4.3.1), but some of
	// them refuse NULL.
	*b = (callbacks){logger, gw_allocate, free, NULL, (void *)(uintptr_t)i->slot};
	i->flags = c->flags;
	int visible = (c->flags & GW_VISIBLE) != 0, logging = (c->flags & GW_LOGGING_ON) != 0;
	gw_begin(i, f);
	i->component =
		GW_CALL(i, f, instantiate)(i->name, 1, i->token, i->resources, b, visible, logging);
	gw_shared->reply.address = (uint64_t)(uintptr_t)i->component;
	gw_end(i, f, 0,
	       "instanceName=\"%s\", fmuType=1, fmuGUID=\"%s\", fmuResourceLocation=\"%s\", "
	       "functions=%p, visible=%d, loggingOn=%d -> %p",
	       i->name, i->token, i->resources == NULL ? "" : i->resources, (void *)b, visible, logging,
	       i->component);
	return i->component == NULL ? gw_fail(GW_NULL, f, "%s", "") : 0;
}

int32_t gw_fmi2_initialize(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	gw_function f = GW_fmi2SetupExperiment;
	int tolerance = (c->flags & GW_TOLERANCE) != 0, stop = (c->flags & GW_STOP_TIME) != 0;
	int32_t status = gw_set_plan(i, c->plan_in);
	if (status > 1) {
		return status;
	}
	gw_begin(i, f);
	status = GW_CALL(i, f, setup)(i->component, tolerance, c->tolerance, c->time, stop, c->stop);
	status = gw_end(i, f, status,
	                "c=%p, toleranceDefined=%d, tolerance=%s, startTime=%s, "
	                "stopTimeDefined=%d, stopTime=%s",
	                i->component, tolerance, gw_digits(c->tolerance).text, gw_digits(c->time).text,
	                stop, gw_digits(c->stop).text);
	if (status > 1) {
		return status;
	}
	f = GW_fmi2EnterInitializationMode;
	gw_begin(i, f);
	status = GW_CALL(i, f, int32_t (*)(void *))(i->component);
	return gw_end(i, f, status, "c=%p", i->component);
}

int32_t gw_wait_for(gw_instance *i, gw_function f)
{
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	gw_begin(i, f);
	int32_t answer = 5;
	while (answer == 5) {
		usleep(100);
		int32_t status = GW_CALL(i, f, get_status)(i->component, DO_STEP_STATUS, &answer);
		if (status > 1) {
			return gw_end(i, f, 3, "c=%p, s=0", i->component);
		}
	}
	return gw_end(i, f, answer, "c=%p, s=0, value=%d", i->component, answer);
}

// ask queries how far a discarded step came. The FMU may refuse these queries, which is not a
// failure.
static void ask(gw_instance *i)
{
	gw_reply *r = &gw_shared->reply;
	int32_t worst = r->status;
	uint32_t function = r->function;
	int32_t terminated = 0;
	double last = 0;
	gw_function f = GW_fmi2GetBooleanStatus;
	if (gw_symbol(i, f) != NULL) {
		gw_begin(i, f);
		int32_t status = GW_CALL(i, f, get_boolean_status)(i->component, TERMINATED, &terminated);
		r->answered |= status <= 1 ? 1 : 0;
		gw_end(i, f, status, "c=%p, s=3, value=%d", i->component, terminated);
	}
	f = GW_fmi2GetRealStatus;
	if (gw_symbol(i, f) != NULL) {
		gw_begin(i, f);
		int32_t status = GW_CALL(i, f, get_real_status)(i->component, LAST_SUCCESSFUL_TIME, &last);
		r->answered |= status <= 1 ? 2 : 0;
		gw_end(i, f, status, "c=%p, s=2, value=%s", i->component, gw_digits(last).text);
	}
	r->status = worst;
	r->function = function;
	r->terminate = terminated != 0;
	r->last_time = last;
}

int32_t gw_fmi2_step(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	int32_t status = gw_set_plan(i, c->plan_in);
	if (status > 1) {
		return status;
	}
	int forget = (c->flags & GW_KEEP_STATE) == 0;
	gw_begin(i, GW_fmi2DoStep);
	status = GW_CALL(i, GW_fmi2DoStep, do_step)(i->component, c->time, c->step, forget);
	if (status == 5 && (c->flags & GW_ASYNCHRONOUS)) {
		status = gw_wait_for(i, GW_fmi2GetStatus);
	}
	if (__builtin_expect(gw_shared->log_calls, 0)) {
		gw_string s = {0};
		gw_add_double(&s, c->time);
		gw_add(&s, ", communicationStepSize=");
		gw_add_double(&s, c->step);
		status = gw_end(i, GW_fmi2DoStep, status,
		                "c=%p, currentCommunicationPoint=%s, noSetFMUStatePriorToCurrentPoint=%d",
		                i->component, s.bytes == NULL ? "" : s.bytes, forget);
		free(s.bytes);
	} else {
		status = gw_end(i, GW_fmi2DoStep, status, "%s", "");
	}
	if (status == 2) {
		ask(i);
	}
	return status <= 1 ? gw_get_plan(i, c->plan_out) : status;
}
