//go:build linux

// FMI 3.0: the differences from FMI 2.0 in the life of a co-simulation instance.

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "serve.h"

typedef void (*logger)(void *, int32_t, const char *, const char *);
typedef void (*updater)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef void *(*instantiate)(const char *, const char *, const char *, bool, bool, bool, bool,
                             const uint32_t[], size_t, void *, logger, updater);
typedef int32_t (*initialize)(void *, bool, double, double, bool, double);
typedef int32_t (*do_step)(void *, double, double, bool, bool *, bool *, bool *, double *);
typedef int32_t (*update)(void *, bool *, bool *, bool *, bool *, bool *, double *);

static void log_message(void *environment, int32_t status, const char *category,
                        const char *message)
{
	gw_message((uint32_t)(uintptr_t)environment, status, category, message);
}

int32_t gw_fmi3_instantiate(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	gw_function f = GW_fmi3InstantiateCoSimulation;
	if (!gw_keep_texts(i) || !gw_updates_prepare(i)) {
		return gw_fail(GW_FULL, f, "no memory for an instance");
	}
	i->flags = c->flags;
	bool visible = c->flags & GW_VISIBLE, logging = c->flags & GW_LOGGING_ON,
		 events = c->flags & GW_EVENT_MODE, early = c->flags & GW_EARLY_RETURN;
	gw_begin(i, f);
	i->component =
		GW_CALL(i, f, instantiate)(i->name, i->token, i->resources, visible, logging, events, early,
	                               i->required, i->required_count, (void *)(uintptr_t)i->slot,
	                               log_message, gw_updates_wanted(i) ? gw_fmi3_intermediate : NULL);
	gw_shared->reply.address = (uint64_t)(uintptr_t)i->component;
	gw_end(i, f, 0,
	       "instanceName=\"%s\", instantiationToken=\"%s\", resourcePath=\"%s\", visible=%s, "
	       "loggingOn=%s, eventModeUsed=%s, "
	       "earlyReturnAllowed=%s -> %p",
	       i->name, i->token, i->resources == NULL ? "" : i->resources, visible ? "True" : "False",
	       logging ? "True" : "False", events ? "True" : "False", early ? "True" : "False",
	       i->component);
	return i->component == NULL ? gw_fail(GW_NULL, f, "%s", "") : 0;
}

int32_t gw_fmi3_initialize(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	gw_function f = GW_fmi3EnterInitializationMode;
	bool tolerance = c->flags & GW_TOLERANCE, stop = c->flags & GW_STOP_TIME;
	int32_t status = gw_set_plan(i, c->plan_in);
	if (status > 1) {
		return status;
	}
	gw_begin(i, f);
	status =
		GW_CALL(i, f, initialize)(i->component, tolerance, c->tolerance, c->time, stop, c->stop);
	return gw_end(i, f, status,
	              "instance=%p, toleranceDefined=%s, tolerance=%s, startTime=%s, "
	              "stopTimeDefined=%s, stopTime=%s",
	              i->component, tolerance ? "True" : "False", gw_digits(c->tolerance).text,
	              gw_digits(c->time).text, stop ? "True" : "False", gw_digits(c->stop).text);
}

static int32_t plain(gw_instance *i, gw_function f)
{
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	gw_begin(i, f);
	int32_t status = GW_CALL(i, f, int32_t (*)(void *))(i->component);
	return gw_end(i, f, status, "instance=%p", i->component);
}

int32_t gw_fmi3_configure(gw_instance *i)
{
	int32_t status = plain(i, GW_fmi3EnterConfigurationMode);
	if (status <= 1) {
		status = gw_set_plan(i, gw_shared->command.plan_in);
	}
	return status <= 1 ? plain(i, GW_fmi3ExitConfigurationMode) : status;
}

int32_t gw_fmi3_update_once(gw_instance *i)
{
	gw_reply *r = &gw_shared->reply;
	gw_function f = GW_fmi3UpdateDiscreteStates;
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	bool more = false, terminate = false, nominals = false, changed = false, next = false;
	double time = 0;
	gw_begin(i, f);
	int32_t status =
		GW_CALL(i, f, update)(i->component, &more, &terminate, &nominals, &changed, &next, &time);
	status = gw_end(i, f, status,
	                "instance=%p, discreteStatesNeedUpdate=%s, terminateSimulation=%s, "
	                "nominalsOfContinuousStatesChanged=%s, "
	                "valuesOfContinuousStatesChanged=%s, nextEventTimeDefined=%s, nextEventTime=%s",
	                i->component, more ? "True" : "False", terminate ? "True" : "False",
	                nominals ? "True" : "False", changed ? "True" : "False",
	                next ? "True" : "False", gw_digits(time).text);
	if (status <= 1) {
		r->more = more;
		r->terminate = terminate;
		r->next_event = next;
		r->next_event_time = time;
	}
	return status;
}

int32_t gw_fmi3_update(gw_instance *i)
{
	const gw_reply *r = &gw_shared->reply;
	int32_t worst = 0;
	for (int round = 0; round < GW_UPDATES; round++) {
		int32_t status = gw_fmi3_update_once(i);
		worst = status > worst ? status : worst;
		if (status > 1 || !r->more || r->terminate) {
			return worst;
		}
	}
	return gw_fail(GW_UNSETTLED, GW_fmi3UpdateDiscreteStates, "%d rounds", GW_UPDATES);
}

int32_t gw_fmi3_step(gw_instance *i)
{
	const gw_command *c = &gw_shared->command;
	gw_reply *r = &gw_shared->reply;
	int32_t status = gw_set_plan(i, c->plan_in);
	if (status > 1) {
		return status;
	}
	bool forget = !(c->flags & GW_KEEP_STATE), event = false, terminate = false, early = false;
	double last = c->time + c->step;
	gw_updates_begin(i, c->time);
	gw_begin(i, GW_fmi3DoStep);
	status = GW_CALL(i, GW_fmi3DoStep, do_step)(i->component, c->time, c->step, forget, &event,
	                                            &terminate, &early, &last);
	if (__builtin_expect(gw_shared->log_calls, 0)) {
		gw_string s = {0};
		gw_add_double(&s, c->time);
		gw_add(&s, ", communicationStepSize=");
		gw_add_double(&s, c->step);
		gw_add(&s,
		       ", noSetFMUStatePriorToCurrentPoint=%s, eventHandlingNeeded=%s, "
		       "terminateSimulation=%s, earlyReturn=%s, "
		       "lastSuccessfulTime=",
		       forget ? "True" : "False", event ? "True" : "False", terminate ? "True" : "False",
		       early ? "True" : "False");
		gw_add_double(&s, last);
		status = gw_end(i, GW_fmi3DoStep, status, "instance=%p, currentCommunicationPoint=%s",
		                i->component, s.bytes == NULL ? "" : s.bytes);
		free(s.bytes);
	} else {
		status = gw_end(i, GW_fmi3DoStep, status, "%s", "");
	}
	status = gw_updates_end(i, status);
	r->event_needed = event;
	r->terminate = terminate;
	r->early_return = early;
	r->last_time = last;
	return status <= 1 ? gw_get_plan(i, c->plan_out) : status;
}
