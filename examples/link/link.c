//go:build ignore

// The model of OSMPLink.fmu, which main.go describes, as a co-simulation FMU of FMI 3.0. It needs
// no headers but the C library's: the prototypes come from FMI 3.0.1, chapters 2 and 4.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link.h"

// The value references.
enum { TIME, LATENCY, CHANNELS, VALUES_IN, VALUES_OUT, MESSAGE_IN, MESSAGE_OUT };

#define MOST 64 // channels
#define TOKEN "gosmp-example-link-1"
#define LATE 0.04     // s, the latency without a parameter
#define FORGIVEN 1e-9 // s, by which a time may be missed: communication points are rounded

typedef struct {
	unsigned char *bytes;
	size_t size;
} message;

// A parcel is what has been under way since one step.
typedef struct parcel {
	struct parcel *next;
	double sent;
	double values[MOST];
	message message;
} parcel;

struct instance {
	logger log;
	void *environment;
	int state;
	double stop;
	double time, latency;
	uint64_t channels;
	double in[MOST], out[MOST];
	message received, delivered;
	parcel *first, **last; // in the order of time
};

int refuse(instance *c, const char *text)
{
	if (c->log != NULL) {
		c->log(c->environment, ERROR, "logStatusError", text);
	}
	c->state = ENDED;
	return ERROR;
}

bool permitted(instance *c, int states, const char *function)
{
	if (c == NULL) {
		return false;
	}
	if (c->state & states) {
		return true;
	}
	char text[128];
	snprintf(text, sizeof text, "%s is not allowed in this state", function);
	refuse(c, text);
	return false;
}

static void drop_message(message *m)
{
	free(m->bytes);
	*m = (message){0};
}

static void drop_parcels(instance *c)
{
	while (c->first != NULL) {
		parcel *p = c->first;
		c->first = p->next;
		drop_message(&p->message);
		free(p);
	}
	c->last = &c->first;
}

// start gives all variables their start values.
static void start(instance *c)
{
	drop_parcels(c);
	drop_message(&c->received);
	drop_message(&c->delivered);
	c->state = BORN;
	c->time = 0;
	c->stop = INFINITY;
	c->latency = LATE;
	c->channels = 3;
	memset(c->in, 0, sizeof c->in);
	memset(c->out, 0, sizeof c->out);
}

// copy_message replaces the bytes of m. A message without bytes is none.
static bool copy_message(message *m, const unsigned char *bytes, size_t size)
{
	unsigned char *copy = size == 0 ? NULL : malloc(size);
	if (size > 0 && copy == NULL) {
		return false;
	}
	if (size > 0) {
		memcpy(copy, bytes, size);
	}
	free(m->bytes);
	*m = (message){copy, size};
	return true;
}

// -- the life of an instance

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

EXPORT int fmi3SetDebugLogging(instance *c, bool on, size_t n, const char *const categories[])
{
	(void)on, (void)n, (void)categories; // only errors are logged
	NEED(ALIVE | ENDED, SetDebugLogging)
	return OK;
}

EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                         bool visible, bool logging, bool events, bool early,
                                         const reference intermediate[], size_t n,
                                         void *environment, logger log, void *update)
{
	(void)resources, (void)visible, (void)logging, (void)events, (void)early;
	(void)intermediate, (void)n, (void)update;
	bool named = name != NULL && *name != 0;
	if (!named || token == NULL || strcmp(token, TOKEN) != 0) {
		if (log != NULL) {
			log(environment, ERROR, "logStatusError",
			    named ? "the instantiation token is not that of this FMU: expected " TOKEN
			          : "the name of the instance is empty");
		}
		return NULL;
	}
	instance *c = calloc(1, sizeof *c);
	if (c != NULL) {
		c->log = log;
		c->environment = environment;
		start(c);
	}
	return c;
}

EXPORT void fmi3FreeInstance(instance *c)
{
	if (c != NULL) {
		start(c);
		free(c);
	}
}

EXPORT int fmi3EnterInitializationMode(instance *c, bool has_tolerance, double tolerance, double at,
                                       bool has_stop, double stop)
{
	(void)has_tolerance, (void)tolerance;
	NEED(BORN, EnterInitializationMode)
	c->time = at;
	c->stop = has_stop ? stop : INFINITY;
	c->state = STARTING;
	return OK;
}

EXPORT int fmi3ExitInitializationMode(instance *c)
{
	NEED(STARTING, ExitInitializationMode)
	c->state = STEPPING;
	return OK;
}

EXPORT int fmi3EnterConfigurationMode(instance *c)
{
	NEED(BORN, EnterConfigurationMode)
	c->state = SHAPING;
	return OK;
}

EXPORT int fmi3ExitConfigurationMode(instance *c)
{
	NEED(SHAPING, ExitConfigurationMode)
	c->state = BORN;
	return OK;
}

EXPORT int fmi3Terminate(instance *c)
{
	NEED(STEPPING, Terminate)
	c->state = ENDED;
	return OK;
}

EXPORT int fmi3Reset(instance *c)
{
	NEED(ALIVE | ENDED, Reset)
	start(c);
	return OK;
}

// -- a step

// send puts the inputs of the step on their way.
static bool send(instance *c, double now)
{
	parcel *p = calloc(1, sizeof *p);
	if (p == NULL) {
		return false;
	}
	if (!copy_message(&p->message, c->received.bytes, c->received.size)) {
		free(p);
		return false;
	}
	p->sent = now;
	memcpy(p->values, c->in, sizeof p->values);
	*c->last = p;
	c->last = &p->next;
	return true;
}

// deliver makes the newest parcel that has arrived the outputs.
static void deliver(instance *c, double now)
{
	drop_message(&c->delivered);
	while (c->first != NULL && c->first->sent + c->latency <= now + FORGIVEN) {
		parcel *p = c->first;
		c->first = p->next;
		if (c->first == NULL) {
			c->last = &c->first;
		}
		memcpy(c->out, p->values, sizeof c->out);
		drop_message(&c->delivered);
		c->delivered = p->message;
		free(p);
	}
}

EXPORT int fmi3DoStep(instance *c, double point, double size, bool no_return, bool *event,
                      bool *terminate, bool *early, double *reached)
{
	(void)no_return;
	NEED(STEPPING, DoStep)
	*event = *terminate = *early = false;
	*reached = c->time;
	double slack = FORGIVEN * (1 + fabs(point) + fabs(size));
	if (!(size > 0)) {
		return refuse(c, "fmi3DoStep: the step size is not positive");
	}
	if (!(fabs(point - c->time) <= slack) || point + size > c->stop + slack) {
		return refuse(c, "fmi3DoStep: not from where the last step ended, or beyond the stop time");
	}
	if (!send(c, point)) {
		return refuse(c, "fmi3DoStep: out of memory");
	}
	deliver(c, point + size);
	*reached = c->time = point + size;
	return OK;
}

// -- variables

// numbers finds the values of a variable, and how many they are.
static double *numbers(instance *c, reference r, size_t *count)
{
	*count = r == VALUES_IN || r == VALUES_OUT ? (size_t)c->channels : 1;
	switch (r) {
	case TIME:
		return &c->time;
	case LATENCY:
		return &c->latency;
	case VALUES_IN:
		return c->in;
	case VALUES_OUT:
		return c->out;
	default:
		return NULL;
	}
}

EXPORT int fmi3GetFloat64(instance *c, const reference r[], size_t n, double values[], size_t count)
{
	NEED(BORN | STARTING | STEPPING | ENDED, GetFloat64)
	for (size_t k = 0; k < n; k++) {
		size_t own;
		const double *from = numbers(c, r[k], &own);
		if (from == NULL || own > count) {
			return refuse(c, "fmi3GetFloat64: no such variable, or not as many values as it has");
		}
		memcpy(values, from, own * sizeof *values);
		values += own;
		count -= own;
	}
	return count == 0 ? OK : refuse(c, "fmi3GetFloat64: more values than variables");
}

EXPORT int fmi3SetFloat64(instance *c, const reference r[], size_t n, const double values[],
                          size_t count)
{
	NEED(BORN | STARTING | STEPPING, SetFloat64)
	for (size_t k = 0; k < n; k++) {
		size_t own;
		double *to = numbers(c, r[k], &own);
		if ((r[k] != LATENCY && r[k] != VALUES_IN) || own > count) {
			return refuse(c, "fmi3SetFloat64: no such variable, or not as many values as it has");
		}
		if (r[k] == LATENCY && !(values[0] >= 0)) {
			return refuse(c, "fmi3SetFloat64: latency is negative");
		}
		memcpy(to, values, own * sizeof *values);
		values += own;
		count -= own;
	}
	return count == 0 ? OK : refuse(c, "fmi3SetFloat64: more values than variables");
}

EXPORT int fmi3GetUInt64(instance *c, const reference r[], size_t n, uint64_t values[],
                         size_t count)
{
	NEED(ALIVE | ENDED, GetUInt64)
	if (n != count) {
		return refuse(c, "fmi3GetUInt64: not as many values as variables");
	}
	for (size_t k = 0; k < n; k++) {
		if (r[k] != CHANNELS) {
			return refuse(c, "fmi3GetUInt64: no such variable");
		}
		values[k] = c->channels;
	}
	return OK;
}

EXPORT int fmi3SetUInt64(instance *c, const reference r[], size_t n, const uint64_t values[],
                         size_t count)
{
	NEED(SHAPING, SetUInt64)
	if (n != count) {
		return refuse(c, "fmi3SetUInt64: not as many values as variables");
	}
	for (size_t k = 0; k < n; k++) {
		if (r[k] != CHANNELS) {
			return refuse(c, "fmi3SetUInt64: no such variable");
		}
		if (values[k] < 1 || values[k] > MOST) {
			return refuse(c, "fmi3SetUInt64: channels is not between 1 and 64");
		}
		c->channels = values[k];
	}
	return OK;
}

EXPORT int fmi3GetBinary(instance *c, const reference r[], size_t n, size_t sizes[],
                         const unsigned char *values[], size_t count)
{
	NEED(BORN | STARTING | STEPPING | ENDED, GetBinary)
	if (n != count) {
		return refuse(c, "fmi3GetBinary: not as many values as variables");
	}
	for (size_t k = 0; k < n; k++) {
		if ((r[k] != MESSAGE_IN && r[k] != MESSAGE_OUT)) {
			return refuse(c, "fmi3GetBinary: no such variable");
		}
		const message *m = r[k] == MESSAGE_IN ? &c->received : &c->delivered;
		sizes[k] = m->size;
		values[k] = m->bytes == NULL ? (const unsigned char *)"" : m->bytes;
	}
	return OK;
}

EXPORT int fmi3SetBinary(instance *c, const reference r[], size_t n, const size_t sizes[],
                         const unsigned char *const values[], size_t count)
{
	NEED(BORN | STARTING | STEPPING, SetBinary)
	if (n != count) {
		return refuse(c, "fmi3SetBinary: not as many values as variables");
	}
	for (size_t k = 0; k < n; k++) {
		if (r[k] != MESSAGE_IN) {
			return refuse(c, "fmi3SetBinary: no such variable");
		}
		if (!copy_message(&c->received, values[k], sizes[k])) {
			return refuse(c, "fmi3SetBinary: out of memory");
		}
	}
	return OK;
}
