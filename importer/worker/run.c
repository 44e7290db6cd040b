//go:build linux

// The commands of the host.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve.h"

static gw_instance *instances[GW_INSTANCES];

void *gw_symbol(gw_instance *i, gw_function f)
{
	if (i->function[f] == NULL) {
		i->function[f] = dlsym(i->library, gw_function_name(f));
	}
	if (i->function[f] == NULL) {
		gw_fail(GW_MISSING, f, "%s", gw_function_name(f));
	}
	return i->function[f];
}

// open_library loads a library. A library linked for fast math disables denormal numbers for the
// thread that loads it, so the floating-point settings are restored afterwards.
static void *open_library(const char *path, int mode)
{
	gw_place *p = &gw_shared->place;
	atomic_store(&p->function, GW_dlopen);
	void *library = dlopen(path, mode);
	gw_restore_floats();
	atomic_store(&p->function, 0);
	return library;
}

// absent collects the libraries in list, one per line, that cannot be loaded.
static void absent(const char *list, gw_string *found)
{
	char *copy = strdup(list == NULL ? "" : list), *rest = NULL;
	for (char *name = strtok_r(copy, "\n", &rest); name != NULL;
	     name = strtok_r(NULL, "\n", &rest)) {
		void *library = open_library(name, RTLD_LAZY | RTLD_LOCAL);
		if (library == NULL) {
			gw_add(found, "%s%s", found->length == 0 ? "" : ", ", name);
		} else {
			dlclose(library);
		}
	}
	free(copy);
}

// load: texts are the library, the libraries that it needs, one per line, and one to load first
// with global visibility.
static int32_t load(gw_instance *i)
{
	const char *before = gw_text(2);
	if (before != NULL && open_library(before, RTLD_NOW | RTLD_GLOBAL) == NULL) {
		return gw_fail(GW_UNLOADABLE, GW_dlopen, "%s", dlerror());
	}
	i->library = open_library(gw_text(0), RTLD_NOW | RTLD_LOCAL);
	if (i->library == NULL) {
		char reason[GW_REASON];
		snprintf(reason, sizeof reason, "%s", dlerror());
		gw_string list = {0};
		absent(gw_text(1), &list);
		gw_fail(GW_UNLOADABLE, GW_dlopen, "%s%s%s", reason,
		        list.length > 0 ? "; libraries that cannot be loaded: " : "",
		        list.length > 0 ? list.bytes : "");
		free(list.bytes);
		return GW_UNLOADABLE;
	}
	static const gw_function needed2[] = {GW_fmi2GetVersion,
	                                      GW_fmi2Instantiate,
	                                      GW_fmi2FreeInstance,
	                                      GW_fmi2SetupExperiment,
	                                      GW_fmi2EnterInitializationMode,
	                                      GW_fmi2ExitInitializationMode,
	                                      GW_fmi2Terminate,
	                                      GW_fmi2DoStep,
	                                      GW_nothing};
	static const gw_function needed3[] = {GW_fmi3GetVersion,
	                                      GW_fmi3InstantiateCoSimulation,
	                                      GW_fmi3FreeInstance,
	                                      GW_fmi3EnterInitializationMode,
	                                      GW_fmi3ExitInitializationMode,
	                                      GW_fmi3Terminate,
	                                      GW_fmi3DoStep,
	                                      GW_nothing};
	for (const gw_function *f = i->major < 3 ? needed2 : needed3; *f != GW_nothing; f++) {
		if (gw_symbol(i, *f) == NULL) {
			return GW_MISSING;
		}
	}
	gw_function f = i->major < 3 ? GW_fmi2GetVersion : GW_fmi3GetVersion;
	gw_begin(i, f);
	const char *version = GW_CALL(i, f, const char *(*)(void))();
	gw_end(i, f, 0, "%s", "");
	snprintf(gw_shared->reply.reason, GW_REASON, "%s", version == NULL ? "" : version);
	return 0;
}

static char *copy_of(const char *text) { return text == NULL ? NULL : strdup(text); }

bool gw_keep_texts(gw_instance *i)
{
	i->name = copy_of(gw_text(0));
	i->token = copy_of(gw_text(1) == NULL ? "" : gw_text(1));
	i->resources = copy_of(gw_text(2));
	return i->name != NULL && i->token != NULL && (i->resources != NULL || gw_text(2) == NULL);
}

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
	return simple(i, i->major < 3 ? fmi2 : fmi3);
}

static int32_t leave_initialization(gw_instance *i, const gw_command *c)
{
	int32_t status = either(i, GW_fmi2ExitInitializationMode, GW_fmi3ExitInitializationMode);
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

// enter_event and enter_step are the two ends of an event with clocks, between which the host
// decides what happens.
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
	gw_function f = i->major < 3 ? GW_fmi2FreeInstance : GW_fmi3FreeInstance;
	if (i->component != NULL) {
		gw_begin(i, f);
		GW_CALL(i, f, void (*)(void *))(i->component);
		gw_end(i, f, 0, i->major < 3 ? "c=%p" : "instance=%p", i->component);
	}
	// The library stays loaded: pointers that it has registered may refer to it.
	i->component = NULL;
	gw_forget_shelves(i);
	return 0;
}

static int32_t exchange(gw_instance *i, const gw_command *c)
{
	int32_t status = gw_set_plan(i, c->plan_in);
	return status <= 1 ? gw_get_plan(i, c->plan_out) : status;
}

static void execute(gw_instance *i, const gw_command *c)
{
	int old = i->major < 3;
	switch (c->operation) {
	case GW_INSTANTIATE:
		old ? gw_fmi2_instantiate(i) : gw_fmi3_instantiate(i);
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
		old ? gw_fmi2_initialize(i) : gw_fmi3_initialize(i);
		break;
	case GW_LEAVE_INITIALIZATION:
		leave_initialization(i, c);
		break;
	case GW_STEP:
		old ? gw_fmi2_step(i) : gw_fmi3_step(i);
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

// fresh returns the empty instance of a slot, to load a library into.
static gw_instance *fresh(uint32_t slot, uint32_t major)
{
	if (instances[slot] == NULL) {
		instances[slot] = malloc(sizeof(gw_instance));
	} else {
		gw_forget_shelves(instances[slot]);
		free(instances[slot]->name);
		free(instances[slot]->token);
		free(instances[slot]->resources);
	}
	if (instances[slot] != NULL) {
		*instances[slot] = (gw_instance){.slot = slot, .major = major};
	}
	return instances[slot];
}

static void clear_reply(gw_reply *r)
{
	uint64_t logged = r->logged;
	memset(r, 0, offsetof(gw_reply, reason) + 1);
	r->logged = logged;
	r->group = GW_NOWHERE;
}

void gw_run(void)
{
	const gw_command *c = &gw_shared->command;
	clear_reply(&gw_shared->reply);
	atomic_store_explicit(&gw_shared->place.group, GW_NOWHERE, memory_order_relaxed);
	if (c->operation == GW_BATCH) {
		gw_run_batch();
		return;
	}
	if (c->slot >= GW_INSTANCES) {
		gw_fail(GW_MISUSE, GW_nothing, "slot %u", c->slot);
		return;
	}
	if (c->operation == GW_LOAD) {
		gw_instance *i = fresh(c->slot, c->major);
		i == NULL ? gw_fail(GW_FULL, GW_nothing, "no memory for an instance") : load(i);
		return;
	}
	gw_instance *i = instances[c->slot];
	if (i == NULL ||
	    (i->component == NULL && c->operation != GW_INSTANTIATE && c->operation != GW_FREE)) {
		gw_fail(GW_MISUSE, GW_nothing, "operation %u without an instance", c->operation);
		return;
	}
	execute(i, c);
}
