//go:build linux

// The commands of the host.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "serve.h"

static gw_instance *instances[GW_INSTANCES];

// simple calls a function whose only argument is the instance.
static int32_t simple(gw_instance *i, gw_function f)
{
	if (gw_symbol(i, f) == NULL) {
		return GW_MISSING;
	}
	gw_begin(i, f);
	int32_t status = GW_CALL(i, f, int32_t (*)(void *))(i->component);
	return gw_end(i, f, status, i->major < 3 ? "c=%p" : "instance=%p", i->component);
}

static int32_t either(gw_instance *i, gw_function fmi2, gw_function fmi3)
{
	return simple(i, gw_function_of(i, fmi2, fmi3));
}

static int32_t leave_initialization(gw_instance *i, const gw_command *c)
{
	int32_t status = i->major == 1
	                     ? gw_fmi1_begin(i)
	                     : either(i, GW_fmi2ExitInitializationMode, GW_fmi3ExitInitializationMode);
	if (status <= 1 && (c->flags & GW_EVENT_MODE)) {
		status = gw_fmi3_update(i);
		if (status <= 1 && !gw_shared->reply.terminate) {
			status = simple(i, GW_fmi3EnterStepMode);
		}
	}
	return status <= 1 ? gw_get_plan(i, c->plan_out) : status;
}

static int32_t event(gw_instance *i, const gw_command *c)
{
	int32_t status = simple(i, GW_fmi3EnterEventMode);
	if (status <= 1) {
		status = gw_set_plan(i, c->plan_in);
	}
	if (status <= 1) {
		status = gw_fmi3_update(i);
	}
	if (status <= 1) {
		status = gw_get_plan(i, c->plan_out);
	}
	return status <= 1 && !gw_shared->reply.terminate ? simple(i, GW_fmi3EnterStepMode) : status;
}

// enter_event and enter_step begin and end an event with clocks; in between, the host decides what
// happens.
static int32_t enter_event(gw_instance *i, const gw_command *c)
{
	int32_t status = simple(i, GW_fmi3EnterEventMode);
	if (status <= 1) {
		status = gw_set_plan(i, c->plan_in);
	}
	return status <= 1 ? gw_get_plan(i, c->plan_out) : status;
}

static int32_t enter_step(gw_instance *i, const gw_command *c)
{
	int32_t status = gw_get_plan(i, c->plan_out);
	return status <= 1 ? simple(i, GW_fmi3EnterStepMode) : status;
}

static int32_t free_instance(gw_instance *i)
{
	gw_function f = gw_function_of(i, GW_fmi2FreeInstance, GW_fmi3FreeInstance);
	if (i->component != NULL) {
		gw_begin(i, f);
		GW_CALL(i, f, void (*)(void *))(i->component);
		gw_end(i, f, 0, i->major < 3 ? "c=%p" : "instance=%p", i->component);
	}
	// The library stays loaded: pointers that it has registered may refer to it.
	i->component = NULL;
	gw_forget_shelves(i);
	fflush(NULL); // the process may serve another instance
	return 0;
}

gw_instance *gw_instance_at(uint32_t slot) { return slot < GW_INSTANCES ? instances[slot] : NULL; }

static int32_t exchange(gw_instance *i, const gw_command *c)
{
	int32_t status = gw_set_plan(i, c->plan_in);
	if (status <= 1) {
		status = gw_fmi1_begin(i);
	}
	return status <= 1 ? gw_get_plan(i, c->plan_out) : status;
}

typedef int32_t (*operation)(gw_instance *);

// by_version returns the function for the FMU's standard.
static operation by_version(const gw_instance *i, operation fmi1, operation fmi2, operation fmi3)
{
	return i->major == 1 ? fmi1 : i->major < 3 ? fmi2 : fmi3;
}

static void execute(gw_instance *i, const gw_command *c)
{
	switch (c->operation) {
	case GW_INSTANTIATE:
		by_version(i, gw_fmi1_instantiate, gw_fmi2_instantiate, gw_fmi3_instantiate)(i);
		break;
	case GW_CONFIGURE:
		gw_fmi3_configure(i);
		break;
	case GW_SET:
		gw_set_plan(i, c->plan_in);
		break;
	case GW_GET:
		gw_get_plan(i, c->plan_out);
		break;
	case GW_EXCHANGE:
		exchange(i, c);
		break;
	case GW_INITIALIZE:
		by_version(i, gw_fmi1_initialize, gw_fmi2_initialize, gw_fmi3_initialize)(i);
		break;
	case GW_LEAVE_INITIALIZATION:
		leave_initialization(i, c);
		break;
	case GW_STEP:
		by_version(i, gw_fmi1_step, gw_fmi2_step, gw_fmi3_step)(i);
		break;
	case GW_EVENT:
		event(i, c);
		break;
	case GW_ENTER_EVENT:
		enter_event(i, c);
		break;
	case GW_UPDATE:
		gw_fmi3_update_once(i);
		break;
	case GW_ENTER_STEP:
		enter_step(i, c);
		break;
	case GW_TERMINATE:
		either(i, GW_fmi2Terminate, GW_fmi3Terminate);
		break;
	case GW_RESET:
		either(i, GW_fmi2Reset, GW_fmi3Reset);
		break;
	case GW_FREE:
		free_instance(i);
		break;
	case GW_PRELOAD:
		gw_preload();
		break;
	case GW_NOTE:
		gw_note(c);
		break;
	case GW_RENEW:
		gw_renew(i);
		break;
	case GW_LOGGING:
		gw_logging(i);
		break;
	case GW_SAVE:
	case GW_RESTORE:
	case GW_FORGET:
	case GW_SERIALIZE:
	case GW_DESERIALIZE:
		gw_state(i);
		break;
	default:
		gw_fail(GW_MISUSE, GW_nothing, "operation %u", c->operation);
	}
}

// fresh returns the empty instance of a slot, into which a library can be loaded.
static gw_instance *fresh(uint32_t slot, uint32_t major)
{
	if (instances[slot] == NULL) {
		instances[slot] = malloc(sizeof(gw_instance));
	} else {
		gw_forget_shelves(instances[slot]);
		gw_updates_forget(instances[slot]);
		free(instances[slot]->name);
		free(instances[slot]->token);
		free(instances[slot]->resources);
		free(instances[slot]->prefix);
	}
	if (instances[slot] != NULL) {
		*instances[slot] = (gw_instance){.slot = slot, .major = major};
	}
	return instances[slot];
}

void gw_unload_all(void)
{
	for (int slot = GW_INSTANCES - 1; slot >= 0; slot--) {
		if (instances[slot] != NULL) {
			gw_unload(instances[slot]);
		}
	}
}

void gw_run(void)
{
	const gw_command *c = &gw_shared->command;
	gw_clear_reply();
	if (c->slot >= GW_INSTANCES) {
		gw_fail(GW_MISUSE, GW_nothing, "slot %u", c->slot);
		return;
	}
	if (c->operation == GW_LOAD) {
		gw_instance *i = fresh(c->slot, c->major);
		i == NULL ? gw_fail(GW_FULL, GW_nothing, "no memory for an instance") : gw_load(i);
		return;
	}
	if (c->operation == GW_COPY) {
		gw_copy();
		return;
	}
	gw_instance *i = instances[c->slot];
	if (i == NULL ||
	    (i->component == NULL && c->operation != GW_INSTANTIATE && c->operation != GW_FREE &&
	     c->operation != GW_PRELOAD && c->operation != GW_NOTE && c->operation != GW_RENEW)) {
		gw_fail(GW_MISUSE, GW_nothing, "operation %u without an instance", c->operation);
		return;
	}
	execute(i, c);
}
