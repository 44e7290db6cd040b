//go:build ignore

/* cells_states.c: takes instances into any state. See cells.c. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"

int strays;

static void hear(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status,
                 fmi2String category, fmi2String text, ...)
{
	ear *to = e;
	if (to == NULL) {
		strays++;
		return;
	}
	va_list arguments;
	va_start(arguments, text);
	to->count++;
	to->status = status;
	to->category_missing = category == NULL;
	snprintf(to->instance, sizeof to->instance, "%s", instance != NULL ? instance : "");
	snprintf(to->category, sizeof to->category, "%s", category != NULL ? category : "");
	vsnprintf(to->text, sizeof to->text, text, arguments);
	va_end(arguments);
}

fmi2Component make(ear *to, newcomer n)
{
	const char *const texts[3] = {n.name, n.guid, n.resources};
	char *copies[3];
	for (int k = 0; k < 3; k++)
		copies[k] = texts[k] != NULL ? strdup(texts[k]) : NULL;
	const fmi2CallbackFunctions prepared = {n.without_logger ? NULL : hear, NULL, NULL, NULL, to};
	fmi2CallbackFunctions *passed = malloc(sizeof prepared);
	memcpy((void *)passed, &prepared, sizeof prepared);
	fmi2Component c =
		f.fmi2Instantiate(copies[0], n.type, copies[1], copies[2],
	                      n.without_callbacks ? NULL : passed, fmi2False, !n.logging_off);
	memset((void *)passed, 0xDD, sizeof prepared);
	free(passed);
	for (int k = 0; k < 3; k++) {
		if (copies[k] != NULL)
			memset(copies[k], 0xDD, strlen(copies[k]));
		free(copies[k]);
	}
	return c;
}

fmi2Component usual(ear *to, const char *name)
{
	return make(
		to,
		(newcomer){.name = name, .guid = guid, .resources = resources, .type = fmi2CoSimulation});
}

static int initialize_at(fmi2Component c, double start)
{
	return f.fmi2SetupExperiment(c, 1, 1e-6, start, 0, 0) == fmi2OK &&
	       f.fmi2EnterInitializationMode(c) == fmi2OK && f.fmi2ExitInitializationMode(c) == fmi2OK;
}

int live(fmi2Component c)
{
	double last = 0;
	if (!initialize_at(c, 1))
		return 0;
	for (int k = 0; k < 3; k++)
		if (f.fmi2DoStep(c, 1 + 0.5 * k, 0.5, fmi2True) != fmi2OK)
			return 0;
	return f.fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &last) == fmi2OK && last == 2.5 &&
	       f.fmi2Terminate(c) == fmi2OK;
}

fmi2Status behave(fmi2Component c, const char *how)
{
	return f.fmi2SetString(c, &behaviour, 1, &how);
}

static int save(probe *p)
{
	int good = initialize_at(p->c, 0) && f.fmi2GetFMUstate(p->c, &p->stale) == fmi2OK;
	fmi2FMUstate gone = p->stale;
	good = good && f.fmi2FreeFMUstate(p->c, &gone) == fmi2OK && gone == NULL &&
	       f.fmi2GetFMUstate(p->c, &p->saved) == fmi2OK;
	return good && serialize(&f, p->c, p->saved, &p->bytes) == fmi2OK &&
	       f.fmi2Reset(p->c) == fmi2OK;
}

static int fails(probe *p, const char *how, fmi2Status wanted)
{
	return has_behaviour
	           ? behave(p->c, how) == fmi2OK && f.fmi2DoStep(p->c, 0.5, 0.25, fmi2True) == wanted
	           : wanted == fmi2Error && f.fmi2DoStep(p->c, 0.5, -1, fmi2True) == wanted;
}

int reach(probe *p, char state)
{
	memset(p, 0, sizeof *p);
	p->state = state;
	snprintf(p->name, sizeof p->name, "probe in %c", state);
	p->c = p->component = usual(&p->heard, p->name);
	int good = p->c != NULL && save(p);
	if (state != 'I')
		good = good && f.fmi2SetupExperiment(p->c, 1, 1e-6, 0, 1, 1) == fmi2OK &&
		       f.fmi2EnterInitializationMode(p->c) == fmi2OK;
	if (state != 'I' && state != 'M')
		good = good && f.fmi2ExitInitializationMode(p->c) == fmi2OK &&
		       f.fmi2DoStep(p->c, 0, 0.5, fmi2True) == fmi2OK;
	switch (state) {
	case 'F':
		good = good && fails(p, "step discards", fmi2Discard);
		break;
	case 'T':
		good = good && f.fmi2Terminate(p->c) == fmi2OK;
		break;
	case 'E':
		good = good && fails(p, "step fails", fmi2Error);
		break;
	case 'D':
		good = good && fails(p, "step panics", fmi2Fatal);
		break;
	}
	if (!good)
		return trouble("state %c cannot be reached: %s", state, p->heard.text);
	memset(&p->heard, 0, sizeof p->heard);
	return 1;
}
