#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unruly.h"

#ifndef TOKEN
#define TOKEN "unruly-token"
#endif

typedef struct {
	void (*logger)(void *, const char *, int, const char *, const char *, ...);
	void *(*allocate)(size_t, size_t);
	void (*release)(void *);
	void (*finished)(void *, int);
} callbacks;

#define DO(name)                     \
	int status = unruly_do(c, name); \
	if (status > WARNING) {          \
		return status;               \
	}

static callbacks host;

// Values are read only after initialization, and parameters are set only before it.
static bool is_initialized(const unruly *c) { return c->clocks.mode == STEP; }

static void log_line(unruly *u, int status, const char *category, const char *text)
{
	host.logger(u, "unruly", status, category, "%s%d%s", text, 42, "");
}

const char *unruly_fmiGetTypesPlatform(void) { return "standard32"; }
const char *unruly_fmiGetVersion(void)
{
	unruly_do(NULL, "GetVersion");
	return unruly_ordered("GetVersion", "version") ? "2.0" : "1.0";
}
int unruly_fmiSetDebugLogging(unruly *c, char on)
{
	(void)on;
	DO("SetDebugLogging")
	return status;
}
void *unruly_fmiInstantiateSlave(const char *name, const char *guid, const char *location,
                                 const char *mime, double timeout, char visible, char interactive,
                                 callbacks b, char on)
{
	host = b;
	(void)timeout, (void)visible, (void)interactive;
	unruly early = {.log = log_line};
	if (unruly_do(&early, "Instantiate") > WARNING || name == NULL || *name == '\0' ||
	    strcmp(mime, "application/x-fmu-sharedlibrary") != 0) {
		return NULL;
	}
	if (strcmp(guid, TOKEN) != 0) {
		b.logger(NULL, name, ERROR, "logStatusError", "the guid is %s, not %s", TOKEN, guid);
		return NULL;
	}
	unruly *u = b.allocate(1, sizeof *u);
	u->log = log_line;
	u->real[0] = u->real[2] = 1;
	u->resources = location;
	if (on) {
		b.logger(NULL, name, OK, "logEvents", "%s", "instantiated");
	}
	snprintf(u->string[2], sizeof u->string[2], "%s", location == NULL ? "NULL" : location);
	return u;
}
void unruly_fmiFreeSlaveInstance(unruly *c) { unruly_do(c, "FreeInstance"); }
int unruly_fmiInitializeSlave(unruly *c, double start, char stop_defined, double stop)
{
	(void)stop_defined, (void)stop;
	DO("Initialize")
	if (is_initialized(c)) {
		return ERROR;
	}
	c->clocks.mode = STEP;
	c->time = c->last_time = start;
	c->real[3] = start;
	c->real[1] = c->real[2] * c->real[0];
	c->integer[11] = c->integer[10];
	c->boolean[1] = c->boolean[0];
	memcpy(c->string[1], c->string[0], sizeof c->string[0]);
	return status;
}
int unruly_fmiTerminateSlave(unruly *c) { DO("Terminate") return status; }
int unruly_fmiResetSlave(unruly *c)
{
	DO("Reset")
	unruly_reset(c);
	c->clocks.mode = INSTANTIATED;
	return status;
}

#define GET(name, type, field, limit)                                          \
	int unruly_fmiGet##name(unruly *c, const uint32_t r[], size_t n, type v[]) \
	{                                                                          \
		DO("Get" #name)                                                        \
		for (size_t k = 0; k < n; k++) {                                       \
			if (r[k] >= limit || !is_initialized(c))                           \
				return ERROR;                                                  \
			v[k] = (type)c->field[r[k]];                                       \
		}                                                                      \
		return status;                                                         \
	}
#define SET(name, type, field, limit, parameter)                                     \
	int unruly_fmiSet##name(unruly *c, const uint32_t r[], size_t n, const type v[]) \
	{                                                                                \
		DO("Set" #name)                                                              \
		for (size_t k = 0; k < n; k++) {                                             \
			if (r[k] >= limit || (is_initialized(c) && r[k] == parameter))           \
				return ERROR;                                                        \
			c->field[r[k]] = v[k];                                                   \
		}                                                                            \
		return status;                                                               \
	}
GET(Real, double, real, REALS)
GET(Integer, int32_t, integer, INTEGERS)
GET(Boolean, char, boolean, BOOLEANS)
GET(String, const char *, string, STRINGS)
SET(Real, double, real, REALS, 2)
SET(Integer, int32_t, integer, INTEGERS, 13)
SET(Boolean, char, boolean, BOOLEANS, BOOLEANS)
int unruly_fmiSetString(unruly *c, const uint32_t r[], size_t n, const char *const v[])
{
	DO("SetString")
	for (size_t k = 0; k < n; k++) {
		if (r[k] >= STRINGS)
			return ERROR;
		snprintf(c->string[r[k]], sizeof c->string[0], "%s", v[k]);
	}
	return status;
}

int unruly_fmiDoStep(unruly *c, double time, double step, char new_step)
{
	int status = unruly_do(c, "DoStep");
	if (status == DISCARD) {
		c->last_time = time + step / 2;
	}
	if (status > WARNING) {
		return status;
	}
	if (!is_initialized(c) || new_step != 1) {
		return ERROR;
	}
	unruly_compute(c, time, step);
	return status;
}
int unruly_fmiCancelStep(unruly *c)
{
	(void)c;
	return ERROR;
}
int unruly_fmiGetStatus(unruly *c, int kind, int *value)
{
	DO("GetStatus")
	static int polls;
	*value = kind == 0 && ++polls % 3 != 0 ? PENDING : OK;
	if (*value == OK)
		unruly_compute(c, c->time, 0.1);
	return status;
}
int unruly_fmiGetRealStatus(unruly *c, int kind, double *value)
{
	DO("GetRealStatus")
	*value = c->last_time;
	return kind == 2 ? status : DISCARD;
}
// The same as in FMI 2.0: the derivative of clock is 1, and the derivative of out equals the
// derivative of in.
int unruly_fmiSetRealInputDerivatives(unruly *c, const uint32_t r[], size_t n, const int order[],
                                      const double v[])
{
	DO("SetRealInputDerivatives")
	for (size_t k = 0; k < n; k++) {
		if (r[k] != 0 || order[k] != 1)
			return ERROR;
		c->slope = v[k];
	}
	return status;
}
int unruly_fmiGetRealOutputDerivatives(unruly *c, const uint32_t r[], size_t n, const int order[],
                                       double v[])
{
	DO("GetRealOutputDerivatives")
	for (size_t k = 0; k < n; k++) {
		if ((r[k] != 1 && r[k] != 3) || order[k] != 1)
			return ERROR;
		v[k] = r[k] == 3 ? 1 : c->slope;
	}
	return status;
}
