#define _GNU_SOURCE
#include <stdarg.h>
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
	void *environment;
} callbacks;

#define DO(name)                     \
	int status = unruly_do(c, name); \
	if (status > WARNING) {          \
		return status;               \
	}

static void log_line(unruly *u, int status, const char *category, const char *text)
{
	const callbacks *b = u->callbacks; // kept beyond the call, as some FMUs do
	b->logger(b->environment, "unruly", status, category, "%s%d%s", text, 42, "");
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void)
{
	unruly_do(NULL, "GetVersion");
	return unruly_ordered("GetVersion", "version") ? "1.0" : "2.0";
}
int fmi2SetDebugLogging(unruly *c, int on, size_t n, const char *const names[])
{
	(void)on, (void)n, (void)names;
	DO("SetDebugLogging")
	return status;
}
void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const callbacks *b, int visible, int on)
{
	(void)visible, (void)on;
	unruly early = {.log = log_line, .callbacks = b};
	if (unruly_do(&early, "Instantiate") > WARNING || type != 1 || name == NULL || *name == '\0') {
		return NULL;
	}
	if (strcmp(guid, TOKEN) != 0) {
		b->logger(b->environment, name, ERROR, "logStatusError", "the guid is %s, not %s", TOKEN,
		          guid);
		return NULL;
	}
	if (b->allocate == NULL || b->release == NULL) {
		b->logger(b->environment, name, ERROR, "logStatusError", "no functions for memory");
		return NULL;
	}
	unruly *u = b->allocate(1, sizeof *u);
	u->log = log_line;
	u->callbacks = b;
	u->real[0] = u->real[2] = 1;
	u->resources = resources;
	snprintf(u->string[2], sizeof u->string[2], "%s", resources == NULL ? "NULL" : resources);
	return u;
}
void fmi2FreeInstance(unruly *c) { unruly_do(c, "FreeInstance"); }
int fmi2SetupExperiment(unruly *c, int defined, double tolerance, double start, int stop_defined,
                        double stop)
{
	(void)defined, (void)tolerance, (void)stop_defined, (void)stop;
	DO("SetupExperiment")
	c->time = c->last_time = start;
	c->real[3] = start;
	return status;
}
// read_truth reads OSMPGroundTruthInit, whose bytes are valid until fmi2ExitInitializationMode
// returns, into the text truth.
static void read_truth(unruly *c)
{
	uint64_t address = (uint64_t)(uint32_t)c->integer[32] | (uint64_t)(uint32_t)c->integer[33]
	                                                            << 32;
	snprintf(c->string[3], sizeof c->string[3], "%.*s", (int)c->integer[34],
	         address == 0 ? "" : (const char *)(uintptr_t)address);
}
int fmi2EnterInitializationMode(unruly *c)
{
	DO("EnterInitializationMode")
	c->real[6] = 2 * c->real[2]; // a calculated parameter, if the model description has it
	return status;
}
int fmi2ExitInitializationMode(unruly *c)
{
	DO("ExitInitializationMode")
	c->real[1] = c->real[2] * c->real[0];
	c->integer[11] = c->integer[10];
	c->boolean[1] = c->boolean[0];
	memcpy(c->string[1], c->string[0], sizeof c->string[0]);
	read_truth(c);
	return status;
}
int fmi2Terminate(unruly *c) { DO("Terminate") return status; }
int fmi2Reset(unruly *c)
{
	DO("Reset")
	unruly_reset(c);
	return status;
}

#define ACCESS(name, type, field, limit, cast)                           \
	int fmi2Get##name(unruly *c, const uint32_t r[], size_t n, type v[]) \
	{                                                                    \
		DO("Get" #name)                                                  \
		for (size_t k = 0; k < n; k++) {                                 \
			if (r[k] >= limit)                                           \
				return ERROR;                                            \
			v[k] = cast c->field[r[k]];                                  \
		}                                                                \
		return status;                                                   \
	}
ACCESS(Real, double, real, REALS, )
ACCESS(Boolean, int, boolean, BOOLEANS, )
int fmi2SetReal(unruly *c, const uint32_t r[], size_t n, const double v[])
{
	DO("SetReal")
	for (size_t k = 0; k < n; k++) {
		if (r[k] >= REALS)
			return ERROR;
		c->real[r[k]] = v[k];
	}
	return status;
}
int fmi2SetBoolean(unruly *c, const uint32_t r[], size_t n, const int v[])
{
	DO("SetBoolean")
	for (size_t k = 0; k < n; k++) {
		if (r[k] >= BOOLEANS)
			return ERROR;
		c->boolean[r[k]] = v[k];
	}
	return status;
}
int fmi2GetInteger(unruly *c, const uint32_t r[], size_t n, int32_t v[])
{
	DO("GetInteger")
	uint64_t address = (uint64_t)(uintptr_t)c->output[c->newest];
	size_t size = c->size[c->newest];
	if (unruly_ordered("GetInteger", "wild")) {
		address = 0x0000000800000010ull; /* below all mappings that a kernel chooses */
		size = 100;
	}
	for (size_t k = 0; k < n; k++) {
		switch (r[k]) {
		case 23:
			v[k] = size == 0 ? 0 : (int32_t)(uint32_t)address;
			break;
		case 24:
			v[k] = size == 0 ? 0 : (int32_t)(uint32_t)(address >> 32);
			break;
		case 25:
			v[k] = (int32_t)size;
			break;
		case 26:
		case 27:
		case 28: { // the request mirrors the configuration once there is one, and follows gain
			       // before
			static double range[2];
			range[0] = c->real[2];
			uint64_t own = (uint64_t)(uintptr_t)range;
			int set = c->integer[31] != 0;
			int32_t mine[3] = {(int32_t)(uint32_t)own, (int32_t)(uint32_t)(own >> 32),
			                   sizeof(double)};
			v[k] = set ? (int32_t)c->integer[r[k] + 3] : mine[r[k] - 26];
			break;
		}
		default:
			if (r[k] >= INTEGERS)
				return ERROR;
			v[k] = (int32_t)c->integer[r[k]];
		}
	}
	return status;
}
int fmi2SetInteger(unruly *c, const uint32_t r[], size_t n, const int32_t v[])
{
	DO("SetInteger")
	for (size_t k = 0; k < n; k++) {
		if (r[k] >= INTEGERS)
			return ERROR;
		c->integer[r[k]] = v[k];
	}
	return status;
}
int fmi2GetString(unruly *c, const uint32_t r[], size_t n, const char *v[])
{
	DO("GetString")
	for (size_t k = 0; k < n; k++) {
		if (r[k] >= STRINGS)
			return ERROR;
		v[k] = unruly_ordered("GetString", "null")   ? NULL
		       : unruly_ordered("GetString", "late") ? c->resources
		                                             : c->string[r[k]];
	}
	return status;
}
int fmi2SetString(unruly *c, const uint32_t r[], size_t n, const char *const v[])
{
	DO("SetString")
	for (size_t k = 0; k < n; k++) {
		if (r[k] >= STRINGS)
			return ERROR;
		snprintf(c->string[r[k]], sizeof c->string[0], "%s", v[k]);
	}
	return status;
}

int fmi2GetFMUstate(unruly *c, void **state)
{
	DO("GetFMUstate")
	*state = *state != NULL ? *state : malloc(sizeof *c);
	memcpy(*state, c, sizeof *c);
	return status;
}
int fmi2SetFMUstate(unruly *c, void *state)
{
	DO("SetFMUstate")
	unruly_restore(c, state);
	return status;
}
int fmi2FreeFMUstate(unruly *c, void **state)
{
	DO("FreeFMUstate")
	free(*state);
	*state = NULL;
	return status;
}
int fmi2SerializedFMUstateSize(unruly *c, void *state, size_t *size)
{
	DO("SerializedFMUstateSize")(void) state;
	*size = sizeof *c;
	return status;
}
int fmi2SerializeFMUstate(unruly *c, void *state, char bytes[], size_t size)
{
	DO("SerializeFMUstate")
	memcpy(bytes, state, size);
	return status;
}
int fmi2DeSerializeFMUstate(unruly *c, const char bytes[], size_t size, void **state)
{
	DO("DeSerializeFMUstate")
	if (size != sizeof *c)
		return ERROR;
	*state = malloc(size);
	memcpy(*state, bytes, size);
	return status;
}

int fmi2DoStep(unruly *c, double time, double step, int forget)
{
	(void)forget;
	int status = unruly_do(c, "DoStep");
	if (status == DISCARD &&
	    unruly_ordered("DoStep", "large")) { // only steps above 0.06 s are too large
		status = step > 0.06 ? DISCARD : OK;
	}
	if (status == DISCARD) {
		c->last_time = time + step / 2;
		c->terminated = unruly_ordered("DoStep", "terminate");
	}
	if (status > WARNING) {
		return status;
	}
	unruly_compute(c, time, step);
	uint64_t address = (uint64_t)(uint32_t)c->integer[20] | (uint64_t)(uint32_t)c->integer[21]
	                                                            << 32;
	if (unruly_ordered("DoStep", "scribble")) { // into its input
		*(char *)(uintptr_t)address = '!';
	}
	unruly_output(c, (const unsigned char *)(uintptr_t)address,
	              c->integer[22] > 0 ? (size_t)c->integer[22] : 0);
	return status;
}
int fmi2GetStatus(unruly *c, int kind, int *value)
{
	DO("GetStatus")
	static int polls;
	*value = kind == 0 && ++polls % 3 != 0 ? PENDING : OK;
	if (*value == OK)
		unruly_compute(c, c->time, 0.1);
	return status;
}
int fmi2GetRealStatus(unruly *c, int kind, double *value)
{
	DO("GetRealStatus")
	*value = c->last_time;
	return kind == 2 ? status : DISCARD;
}
int fmi2GetBooleanStatus(unruly *c, int kind, int *value)
{
	DO("GetBooleanStatus")
	*value = c->terminated;
	return kind == 3 ? status : DISCARD;
}
int fmi2GetIntegerStatus(unruly *c, int kind, int *value)
{
	(void)c, (void)kind, (void)value;
	return DISCARD;
}
int fmi2GetStringStatus(unruly *c, int kind, const char **value)
{
	(void)c, (void)kind, (void)value;
	return DISCARD;
}
int fmi2CancelStep(unruly *c)
{
	(void)c;
	return ERROR;
}
// The derivative of clock is 1, and the derivative of out equals the derivative of in.
// If in has derivatives, the outputs at the end of a step follow from the input at its end.
int fmi2SetRealInputDerivatives(unruly *c, const uint32_t r[], size_t n, const int order[],
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
int fmi2GetRealOutputDerivatives(unruly *c, const uint32_t r[], size_t n, const int order[],
                                 double v[])
{
	DO("GetRealOutputDerivatives")
	for (size_t k = 0; k < n; k++) {
		if ((r[k] != 1 && r[k] != 3) || order[k] != 1)
			return ERROR;
		v[k] = r[k] == 3 ? 1 : c->slope; // of clock, and of out
	}
	return status;
}
int fmi2GetDirectionalDerivative(unruly *c, const uint32_t unknown[], size_t n,
                                 const uint32_t known[], size_t m, const double seed[], double v[])
{
	(void)c, (void)unknown, (void)n, (void)known, (void)m, (void)seed, (void)v;
	return ERROR;
}
