#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unruly.h"

#ifndef TOKEN
#define TOKEN "unruly-token"
#endif

typedef void (*log_message)(void *, int, const char *, const char *);

#define DO(name)                     \
	int status = unruly_do(c, name); \
	if (status > WARNING) {          \
		return status;               \
	}

static void log_line(unruly *u, int status, const char *category, const char *text)
{
	((log_message)u->callbacks)(u->environment, status, category, text);
}

const char *fmi3GetVersion(void)
{
	unruly_do(NULL, "GetVersion");
	return "3.0";
}
int fmi3SetDebugLogging(unruly *c, bool on, size_t n, const char *const names[])
{
	(void)on, (void)n, (void)names;
	DO("SetDebugLogging")
	return status;
}
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool visible, bool on, bool events, bool early,
                                  const uint32_t required[], size_t n, void *environment,
                                  log_message log, unruly_update update)
{
	(void)visible, (void)on, (void)early, (void)required, (void)name;
	unruly first = {.log = log_line, .callbacks = (void *)log, .environment = environment};
	first.update = update;
	first.required = n;
	if (unruly_do(&first, "Instantiate") > WARNING) {
		return NULL;
	}
	if (strcmp(token, TOKEN) != 0) {
		log(environment, ERROR, "logStatusError", "the token is another one");
		return NULL;
	}
	unruly *u = calloc(1, sizeof *u);
	*u = first;
	u->real[0] = u->real[2] = 1;
	u->columns = 3;
	u->clocks.resolution = 10;
	u->clocks.counter = 1;
	u->clocks.interval = 0.1;
	u->clocks.shift = 0.05;
	u->events = events;
	u->resources = resources;
	snprintf(u->string[2], sizeof u->string[2], "%s", resources == NULL ? "NULL" : resources);
	return u;
}
void fmi3FreeInstance(unruly *c) { unruly_do(c, "FreeInstance"); }
int fmi3EnterInitializationMode(unruly *c, bool defined, double tolerance, double start,
                                bool stop_defined, double stop)
{
	(void)defined, (void)tolerance, (void)stop_defined, (void)stop;
	DO("EnterInitializationMode")
	c->time = start;
	unruly_clock_mode(c, INITIALIZATION);
	c->real[3] = start;
	return status;
}
int fmi3ExitInitializationMode(unruly *c)
{
	DO("ExitInitializationMode")
	double counted = (double)c->integer[12];
	unruly_compute(c, c->time, 0);
	c->integer[12] = (int64_t)counted;
	unruly_clock_mode(c, c->events ? EVENT : STEP);
	for (int k = 0; k < 9; k++)
		c->integer[20 + k] = c->integer[k];
	return status;
}
int fmi3Terminate(unruly *c) { DO("Terminate") return status; }
int fmi3Reset(unruly *c)
{
	DO("Reset")
	unruly_reset(c);
	return status;
}
int fmi3EnterConfigurationMode(unruly *c) { DO("EnterConfigurationMode") return status; }
int fmi3ExitConfigurationMode(unruly *c) { DO("ExitConfigurationMode") return status; }
int fmi3EnterEventMode(unruly *c)
{
	DO("EnterEventMode")
	unruly_clock_mode(c, EVENT);
	return status;
}
int fmi3EnterStepMode(unruly *c)
{
	DO("EnterStepMode")
	c->updates = 0;
	return unruly_clock_step(c) == OK ? status : ERROR;
}
int fmi3UpdateDiscreteStates(unruly *c, bool *more, bool *terminate, bool *nominals, bool *values,
                             bool *next, double *time)
{
	DO("UpdateDiscreteStates")
	*more = unruly_ordered("UpdateDiscreteStates", "never") || ++c->updates < 3;
	*terminate = unruly_ordered("UpdateDiscreteStates", "terminate");
	*nominals = *values = *next = false;
	*time = 0;
	if (c->wants_event)
		c->integer[13]++;
	c->wants_event = false;
	return unruly_clock_update(c, more) == OK ? status : ERROR;
}

// References: floats 0-9, of them 0 input, 1 output, 2 gain, 3 time; 40 + kind inputs, 60 + kind
// outputs of the other types.
static int place(uint32_t r) { return r >= 40 ? (int)r - 40 : (int)r; }
static const int width = INTEGERS;

#define INTEGER(name, type)                                                              \
	int fmi3Get##name(unruly *c, const uint32_t r[], size_t n, type v[], size_t m)       \
	{                                                                                    \
		DO("Get" #name)                                                                  \
		for (size_t k = 0; k < n; k++) {                                                 \
			double clocked;                                                              \
			if (r[k] >= CLOCKED) {                                                       \
				if (unruly_clocked(c, r[k], &clocked, false) != OK)                      \
					return ERROR;                                                        \
				v[k] = (type)clocked;                                                    \
				continue;                                                                \
			}                                                                            \
			int at = place(r[k]);                                                        \
			if (m != n || at >= width)                                                   \
				return ERROR;                                                            \
			v[k] = (type)c->integer[at];                                                 \
		}                                                                                \
		return status;                                                                   \
	}                                                                                    \
	int fmi3Set##name(unruly *c, const uint32_t r[], size_t n, const type v[], size_t m) \
	{                                                                                    \
		DO("Set" #name)                                                                  \
		for (size_t k = 0; k < n; k++) {                                                 \
			int at = place(r[k]);                                                        \
			if (m != n || at >= width)                                                   \
				return ERROR;                                                            \
			c->integer[at] = (int64_t)v[k];                                              \
		}                                                                                \
		return status;                                                                   \
	}
INTEGER(Int8, int8_t)
INTEGER(UInt8, uint8_t)
INTEGER(Int16, int16_t)
INTEGER(UInt16, uint16_t)
INTEGER(Int32, int32_t)
INTEGER(UInt32, uint32_t)
INTEGER(Int64, int64_t)

int fmi3GetUInt64(unruly *c, const uint32_t r[], size_t n, uint64_t v[], size_t m)
{
	DO("GetUInt64")
	for (size_t k = 0; k < n; k++) {
		if (m != n)
			return ERROR;
		v[k] = r[k] == 30 ? c->columns : (uint64_t)c->integer[r[k] - 40];
	}
	return status;
}
int fmi3SetUInt64(unruly *c, const uint32_t r[], size_t n, const uint64_t v[], size_t m)
{
	DO("SetUInt64")
	for (size_t k = 0; k < n; k++) {
		if (m != n)
			return ERROR;
		if (r[k] == 30) {
			c->columns = v[k];
		} else {
			c->integer[r[k] - 40] = (int64_t)v[k];
		}
	}
	return status;
}
// Reference 8 is an array of 2 rows and as many columns as the structural parameter 30 says, 9 its
// double as output.
int fmi3GetFloat64(unruly *c, const uint32_t r[], size_t n, double v[], size_t m)
{
	DO("GetFloat64")
	size_t at = 0;
	for (size_t k = 0; k < n; k++) {
		if (r[k] >= CLOCKED) {
			if (at >= m || unruly_clocked(c, r[k], &v[at++], false) != OK)
				return ERROR;
			continue;
		}
		size_t size = r[k] == 8 || r[k] == 9 ? 2 * c->columns : 1;
		if (r[k] >= REALS || at + size > m)
			return ERROR;
		for (size_t e = 0; e < size; e++)
			v[at++] = r[k] == 8 ? c->matrix[e] : r[k] == 9 ? 2 * c->matrix[e] : c->real[r[k]];
	}
	return at == m ? status : ERROR;
}
int fmi3SetFloat64(unruly *c, const uint32_t r[], size_t n, const double v[], size_t m)
{
	DO("SetFloat64")
	size_t at = 0;
	for (size_t k = 0; k < n; k++) {
		if (r[k] >= CLOCKED) {
			double value = at < m ? v[at++] : 0;
			if (unruly_clocked(c, r[k], &value, true) != OK)
				return ERROR;
			continue;
		}
		size_t size = r[k] == 8 ? 2 * c->columns : 1;
		if (r[k] >= REALS || at + size > m)
			return ERROR;
		for (size_t e = 0; e < size; e++) {
			if (r[k] == 8)
				c->matrix[e] = v[at++];
			else
				c->real[r[k]] = v[at++];
		}
	}
	return at == m ? status : ERROR;
}
int fmi3GetFloat32(unruly *c, const uint32_t r[], size_t n, float v[], size_t m)
{
	DO("GetFloat32")
	for (size_t k = 0; k < n; k++)
		v[k] = (float)c->real[r[k]];
	return m == n ? status : ERROR;
}
int fmi3SetFloat32(unruly *c, const uint32_t r[], size_t n, const float v[], size_t m)
{
	DO("SetFloat32")
	for (size_t k = 0; k < n; k++)
		c->real[r[k]] = v[k];
	return m == n ? status : ERROR;
}
int fmi3GetBoolean(unruly *c, const uint32_t r[], size_t n, bool v[], size_t m)
{
	DO("GetBoolean")
	for (size_t k = 0; k < n; k++)
		v[k] = c->boolean[r[k] - 50];
	return m == n ? status : ERROR;
}
int fmi3SetBoolean(unruly *c, const uint32_t r[], size_t n, const bool v[], size_t m)
{
	DO("SetBoolean")
	for (size_t k = 0; k < n; k++)
		c->boolean[r[k] - 50] = v[k];
	return m == n ? status : ERROR;
}
int fmi3GetString(unruly *c, const uint32_t r[], size_t n, const char *v[], size_t m)
{
	DO("GetString")
	for (size_t k = 0; k < n; k++)
		v[k] = unruly_ordered("GetString", "late") ? c->resources : c->string[r[k] - 54];
	return m == n ? status : ERROR;
}
int fmi3SetString(unruly *c, const uint32_t r[], size_t n, const char *const v[], size_t m)
{
	DO("SetString")
	for (size_t k = 0; k < n; k++)
		snprintf(c->string[r[k] - 54], sizeof c->string[0], "%s", v[k]);
	return m == n ? status : ERROR;
}
int fmi3GetBinary(unruly *c, const uint32_t r[], size_t n, size_t sizes[], const unsigned char *v[],
                  size_t m)
{
	DO("GetBinary")(void) r;
	for (size_t k = 0; k < n; k++) {
		sizes[k] = c->size[c->newest];
		v[k] = c->output[c->newest] == NULL ? (const unsigned char *)"" : c->output[c->newest];
		if (unruly_ordered("GetBinary", "null")) {
			sizes[k] = 5;
			v[k] = NULL;
		}
	}
	return m == n ? status : ERROR;
}
int fmi3SetBinary(unruly *c, const uint32_t r[], size_t n, const size_t sizes[],
                  const unsigned char *const v[], size_t m)
{
	DO("SetBinary")(void) r;
	for (size_t k = 0; k < n; k++) {
		free(c->input);
		c->input = malloc(sizes[k] + 1);
		c->input_size = sizes[k];
		memcpy(c->input, v[k], sizes[k]);
	}
	return m == n ? status : ERROR;
}
int fmi3GetFMUState(unruly *c, void **state)
{
	DO("GetFMUState")
	*state = *state != NULL ? *state : malloc(sizeof *c);
	memcpy(*state, c, sizeof *c);
	return status;
}
int fmi3SetFMUState(unruly *c, void *state)
{
	DO("SetFMUState")
	unruly_restore(c, state);
	return status;
}
int fmi3FreeFMUState(unruly *c, void **state)
{
	DO("FreeFMUState")
	free(*state);
	*state = NULL;
	return status;
}
int fmi3SerializedFMUStateSize(unruly *c, void *state, size_t *size)
{
	DO("SerializedFMUStateSize")(void) state;
	*size = sizeof *c;
	return status;
}
int fmi3SerializeFMUState(unruly *c, void *state, unsigned char bytes[], size_t size)
{
	DO("SerializeFMUState")
	memcpy(bytes, state, size);
	return status;
}
int fmi3DeserializeFMUState(unruly *c, const unsigned char bytes[], size_t size, void **state)
{
	DO("DeserializeFMUState")
	if (size != sizeof *c)
		return ERROR;
	*state = malloc(size);
	memcpy(*state, bytes, size);
	return status;
}

// An intermediate update in each quarter of a step, and before each an update with values that are
// tentative.
static void quarters(unruly *c, double time, double step)
{
	for (int k = 1; k < 4 && c->update != NULL; k++) {
		bool early = true;
		double early_time = 0, now = time + k * step / 4;
		unruly_do(c, "update");
		c->real[1] = -1;
		c->update(c->environment, now, false, true, false, true, &early, &early_time);
		c->integer[12]--;
		unruly_compute(c, now, 0);
		c->update(c->environment, now, true, true, true, true, &early, &early_time);
		c->wants_event |= early;
	}
}

// A thread of the FMU calls back, which the standard does not allow.
static void *stray(void *instance)
{
	unruly *c = instance;
	bool early;
	double early_time;
	c->update(c->environment, c->time, true, true, true, true, &early, &early_time);
	return NULL;
}

int fmi3DoStep(unruly *c, double time, double step, bool forget, bool *event, bool *terminate,
               bool *early, double *last)
{
	(void)forget;
	unruly_clock_mode(c, STEP);
	*event = *terminate = *early = false;
	*last = time + step;
	if (unruly_ordered("DoStep", "regret")) { // updates of a step that is discarded later
		quarters(c, time, step);
	}
	int status = unruly_do(c, "DoStep");
	if (status == DISCARD &&
	    unruly_ordered("DoStep", "large")) { // only steps above 0.06 s are too large
		status = step > 0.06 ? DISCARD : OK;
	}
	if (status > WARNING) {
		return status;
	}
	if (unruly_ordered("DoStep", "update")) {
		quarters(c, time, step);
	}
	pthread_t thread;
	if (unruly_ordered("DoStep", "stray") && c->update != NULL &&
	    pthread_create(&thread, NULL, stray, c) == 0) {
		pthread_join(thread, NULL);
	}
	if (unruly_ordered("DoStep", "backwards") && c->update != NULL) {
		bool stop;
		double when;
		c->update(c->environment, time - 1, true, true, true, true, &stop, &when);
		c->update(c->environment, time + 2 * step, true, true, true, true, &stop, &when);
		c->update(c->environment, NAN, true, true, true, true, &stop, &when);
	}
	if (unruly_ordered("DoStep", "early")) {
		*early = true;
		*last = time + step / 2;
		step /= 2;
	}
	if (unruly_ordered("DoStep", "event")) {
		*event = c->wants_event = true;
	}
	*terminate = unruly_ordered("DoStep", "terminate");
	unruly_compute(c, time, step);
	for (int k = 0; k < 9; k++)
		c->integer[20 + k] = c->integer[k];
	unruly_output(c, c->input, c->input_size);
	return status;
}
