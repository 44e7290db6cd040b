// A first-order lag as a co-simulation FMU of FMI 3.0, sound unless it is compiled with -D and the
// name of a fault. References: 0 time, 1 u, 2 y, 3 gain, 4 m (structural), 5 v[m], 6 w[m], 7 label,
// 8 in, 9 out, 10 clock.

#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const char *text;
typedef const uint8_t *binary;
typedef void (*logger)(void *, int, text, text);
enum { OK, WARNING, DISCARD, ERROR };
enum { BORN = 1, SHAPE = 2, SETUP = 4, STEPS = 8, EVENT = 16, ENDED = 32 };
enum { MOST = 8 };

typedef struct {
	int phase;
	bool events;
	double time, stop, u, x, gain, v[MOST], w[MOST];
	double grid; // time of the state, with inner steps
	uint64_t m;
	char label[64];
	uint8_t in[4096];
	size_t size;
} values;

typedef struct {
	values v;
	logger log;
	void *environment;
	bool logging, early;
} lag;

static int refuse(lag *c, text what)
{
	if (c->logging && c->log != NULL) {
		c->log(c->environment, ERROR, "logEvents", what);
	}
	c->v.phase = ENDED;
	return ERROR;
}

#define ALL (BORN | SHAPE | SETUP | STEPS | EVENT | ENDED)
#ifdef LENIENT
#undef ALL
#define ALL 255
#define IN(phases)             \
	lag *c = (lag *)component; \
	if (c == NULL) {           \
		return ERROR;          \
	}
#else
#define IN(phases)                             \
	lag *c = (lag *)component;                 \
	if (c == NULL) {                           \
		return ERROR;                          \
	}                                          \
	if (!(c->v.phase & (phases))) {            \
		return refuse(c, "not in this state"); \
	}
#endif

static void start(values *v, bool events)
{
	*v = (values){.phase = BORN, .events = events, .gain = 1, .m = 2, .stop = INFINITY};
	strcpy(v->label, "none");
#ifdef STARTS
	v->gain = 2;
#endif
}

text fmi3GetVersion(void) { return "3.0"; }

void *fmi3InstantiateCoSimulation(text name, text token, text resources, bool visible, bool logging,
                                  bool events, bool early, const uint32_t needs[], size_t n,
                                  void *environment, logger log, void *update)
{
	(void)resources, (void)visible, (void)needs, (void)update;
	bool good = name != NULL && *name != 0 && strcmp(token, "lag") == 0 && n == 0;
#ifndef CLOCKS
	good = good && !events;
#endif
	if (!good) {
		if (log != NULL) {
			log(environment, ERROR, "logEvents", "not this model");
		}
		return NULL;
	}
	lag *c = calloc(1, sizeof *c);
	start(&c->v, events);
	c->log = log, c->environment = environment, c->logging = logging, c->early = early;
	return c;
}

void fmi3FreeInstance(void *component) { free(component); }

int fmi3SetDebugLogging(void *component, bool on, size_t n, const text categories[])
{
	IN(ALL)(void) n, (void)categories;
	c->logging = on;
	return OK;
}

int fmi3EnterInitializationMode(void *component, bool defined, double tolerance, double begin,
                                bool stops, double stop)
{
	IN(BORN)(void) defined, (void)tolerance;
	c->v.time = c->v.grid = begin, c->v.stop = stops ? stop : INFINITY, c->v.phase = SETUP;
	return OK;
}

int fmi3ExitInitializationMode(void *component)
{
	IN(SETUP)
	c->v.phase = c->v.events ? EVENT : STEPS;
	return OK;
}

#define TURN(name, from, to)        \
	int fmi3##name(void *component) \
	{                               \
		IN(from)                    \
		c->v.phase = to;            \
		return OK;                  \
	}
#ifndef SHAPELESS
TURN(EnterConfigurationMode, BORN, SHAPE)
#else
TURN(EnterConfigurationMode, 0, SHAPE)
#endif
TURN(ExitConfigurationMode, SHAPE, BORN)
#ifdef TOLERANT
TURN(EnterStepMode, SETUP | EVENT, STEPS)
#else
TURN(EnterStepMode, EVENT, STEPS)
#endif
TURN(Terminate, STEPS | EVENT, ENDED)
TURN(EvaluateDiscreteStates, EVENT, EVENT)

int fmi3EnterEventMode(void *component)
{
	IN(STEPS)
	if (!c->v.events) {
		return refuse(c, "no Event Mode");
	}
	c->v.phase = EVENT;
	return OK;
}

int fmi3Reset(void *component)
{
	IN(ALL)
	double x = c->v.x;
	(void)x;
	start(&c->v, c->v.events);
#ifdef RESET
	c->v.x = x;
#endif
	return OK;
}

static double *find(lag *c, uint32_t r, size_t *n)
{
	double *list[] = {&c->v.time, &c->v.u, &c->v.x, &c->v.gain, NULL, c->v.v, c->v.w};
	*n = r > 4 ? c->v.m : 1;
#ifdef RIGID
	*n = r == 6 ? 2 : *n;
#endif
#ifdef LATETIME
	list[0] = &c->v.grid;
#endif
#ifdef FROZEN
	static double frozen;
	list[0] = &frozen;
#endif
	return r < sizeof list / sizeof *list ? list[r] : NULL;
}

int fmi3GetFloat64(void *component, const uint32_t r[], size_t n, double v[], size_t values)
{
	IN(BORN | SETUP | STEPS | EVENT | ENDED)
	size_t at = 0;
#ifdef NEEDSONE
	if (n == 0) {
		return refuse(c, "no references");
	}
#endif
	for (size_t k = 0; k < n; k++) {
		size_t size;
		const double *from = find(c, r[k], &size);
		if (from == NULL) {
			return refuse(c, "no such Float64");
		}
#ifndef COUNTLESS
		if (at + size > values) {
			return refuse(c, "too few values");
		}
#endif
		memcpy(v + at, from, size * sizeof *v), at += size;
	}
#ifndef COUNTLESS
	if (at != values) {
		return refuse(c, "too many values");
	}
#endif
	return OK;
}

#ifdef TOLERANT
#define LATE ENDED
#else
#define LATE 0
#endif
int fmi3SetFloat64(void *component, const uint32_t r[], size_t n, const double v[], size_t values)
{
	IN(BORN | SETUP | STEPS | EVENT | LATE)
	size_t at = 0;
	for (size_t k = 0; k < n; k++) {
		size_t size;
		double *to = find(c, r[k], &size);
		if (to == NULL || at + size > values || (r[k] != 1 && r[k] != 3 && r[k] != 5)) {
			return refuse(c, "it cannot be set");
		}
		memcpy(to, v + at, size * sizeof *v), at += size;
	}
	return at == values ? OK : refuse(c, "too many values");
}

int fmi3GetUInt64(void *component, const uint32_t r[], size_t n, uint64_t v[], size_t values)
{
	IN(BORN | SHAPE | SETUP | STEPS | EVENT | ENDED)
	if (n != values || (n > 0 && (n > 1 || *r != 4))) {
		return refuse(c, "no such UInt64");
	}
	n > 0 ? *v = c->v.m : 0;
	return OK;
}

int fmi3SetUInt64(void *component, const uint32_t r[], size_t n, const uint64_t v[], size_t values)
{
	IN(SHAPE)
	if (n != values || n != 1 || *r != 4 || *v == 0 || *v > MOST) {
		return refuse(c, "it cannot be set");
	}
	c->v.m = *v;
	return OK;
}

int fmi3GetString(void *component, const uint32_t r[], size_t n, text v[], size_t values)
{
	IN(BORN | SETUP | STEPS | EVENT | ENDED)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != 7 || n != values) {
			return refuse(c, "no such String");
		}
		v[k] = c->v.label;
	}
	return OK;
}

int fmi3SetString(void *component, const uint32_t r[], size_t n, const text v[], size_t values)
{
	IN(BORN | SETUP)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != 7 || n != values) {
			return refuse(c, "it cannot be set");
		}
		snprintf(c->v.label, sizeof c->v.label, "%s", v[k]);
	}
	return OK;
}

int fmi3GetBinary(void *component, const uint32_t r[], size_t n, size_t sizes[], binary v[],
                  size_t values)
{
	IN(BORN | SETUP | STEPS | EVENT | ENDED)
	for (size_t k = 0; k < n; k++) {
		if (r[k] < 8 || r[k] > 9 || n != values) {
			return refuse(c, "no such Binary");
		}
		sizes[k] = c->v.size, v[k] = c->v.in;
	}
	return OK;
}

#ifdef KEEPSBYTES
static binary kept;
#endif
int fmi3SetBinary(void *component, const uint32_t r[], size_t n, const size_t sizes[],
                  const binary v[], size_t values)
{
	IN(BORN | SETUP | STEPS | EVENT)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != 8 || n != values || sizes[k] > sizeof c->v.in) {
			return refuse(c, "it cannot be set");
		}
		c->v.size = sizes[k], memcpy(c->v.in, v[k], sizes[k]);
#ifdef KEEPSBYTES
		kept = v[k];
#endif
	}
	return OK;
}

int fmi3GetClock(void *component, const uint32_t r[], size_t n, bool v[])
{
	IN(SETUP | EVENT)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != 10) {
			return refuse(c, "no such Clock");
		}
		v[k] = false;
	}
	return OK;
}

int fmi3UpdateDiscreteStates(void *component, bool *again, bool *ends, bool *nominals, bool *states,
                             bool *defined, double *next)
{
	IN(EVENT)
	*ends = *nominals = *states = *defined = false, *next = 0, *again = false;
#ifdef UNSETTLED
	*again = true;
#endif
	return OK;
}

int fmi3DoStep(void *component, double t, double h, bool keep, bool *event, bool *ends, bool *early,
               double *last)
{
	IN(STEPS)(void) keep;
	double slack = 1e-9 * (1 + fabs(t) + fabs(h));
	if (!(fabs(t - c->v.time) <= slack) || !(h > 0) || t + h > c->v.stop + slack) {
		return refuse(c, "not from here, or beyond the stop time");
	}
	*event = *ends = *early = false;
#ifdef DISCARDS
	if (!(fabs(c->v.u) < 1e100)) {
#ifdef SPOILS
		c->v.x += 1;
#endif
		*last = c->v.time;
		return DISCARD;
	}
#endif
#ifdef CLOCKS
	*event = c->v.events;
#endif
#ifdef EVENTFUL
	*event = true;
#endif
#ifdef EARLY
	*early = true;
#endif
#ifdef ENDS
	*ends = t > ENDSAFTER;
#endif
#ifdef KEEPSBYTES
	c->v.w[0] = kept == NULL ? 0 : kept[0];
#endif
#ifdef GRID // inner steps of 0.1 s, as many as have ended
	double end = floor((t + h) * 10 + 1e-4) / 10, share = 1 / (1 + end - c->v.grid);
	c->v.grid = end;
#else
	double share = 1 / (1 + h);
#endif
	c->v.x = c->v.x * share + c->v.gain * c->v.u * (1 - share);
	for (size_t k = 0; k < c->v.m; k++) {
		c->v.w[k] = c->v.v[k] / 2;
	}
#ifdef LATETIME
	c->v.grid = t;
#endif
	c->v.time = t + h;
#ifndef UNWRITTEN
	*last = t + h;
#endif
#ifdef INNER
	*last = h < 0.01 ? t : t + h; // no inner step has ended
#endif
#ifdef GRID
	*last = end;
#endif
#ifdef NOTLAST
	*last = 0;
#endif
	return OK;
}

int fmi3GetFMUState(void *component, void **s)
{
	IN(ALL)
	*s = *s != NULL ? *s : malloc(sizeof(values));
	return memcpy(*s, &c->v, sizeof(values)), OK;
}

int fmi3SetFMUState(void *component, void *s)
{
	IN(ALL)
	double x = c->v.x;
	(void)x;
	memcpy(&c->v, s, sizeof(values));
#ifdef FORGETSX
	c->v.x = x;
#endif
	return OK;
}

int fmi3FreeFMUState(void *component, void **s)
{
	IN(ALL)
	return free(*s), *s = NULL, OK;
}

int fmi3SerializedFMUStateSize(void *component, void *s, size_t *n)
{
	IN(ALL)
	return (void)s, *n = sizeof(values), OK;
}

int fmi3SerializeFMUState(void *component, void *s, uint8_t bytes[], size_t n)
{
	IN(ALL)
	return n < sizeof(values) ? refuse(c, "too few bytes") : (memcpy(bytes, s, sizeof(values)), OK);
}

int fmi3DeserializeFMUState(void *component, const uint8_t bytes[], size_t n, void **s)
{
	IN(ALL)
	if (n != sizeof(values)) {
		return refuse(c, "not a state");
	}
	*s = *s != NULL ? *s : malloc(n);
	return memcpy(*s, bytes, n), OK;
}

#define NONE(name, type)                                                                      \
	int fmi3Get##name(void *component, const uint32_t r[], size_t n, type v[], size_t values) \
	{                                                                                         \
		IN(ALL)                                                                               \
		return (void)r, (void)v, n + values == 0 ? OK : refuse(c, "no such variable");        \
	}                                                                                         \
	int fmi3Set##name(void *component, const uint32_t r[], size_t n, const type v[],          \
	                  size_t values)                                                          \
	{                                                                                         \
		IN(ALL)                                                                               \
		return (void)r, (void)v, n + values == 0 ? OK : refuse(c, "no such variable");        \
	}
NONE(Int32, int32_t)
NONE(Boolean, bool)

#ifdef ELEMENTS // only w has dependencies: each element on the same element of v
int fmi3GetNumberOfVariableDependencies(void *component, uint32_t r, size_t *n)
{
	IN(ALL)
	return *n = r == 6 ? c->v.m : 0, OK;
}

int fmi3GetVariableDependencies(void *component, uint32_t r, size_t of[], uint32_t knowns[],
                                size_t by[], int kinds[], size_t n)
{
	IN(ALL)
	if (n != (r == 6 ? c->v.m : 0)) {
		return refuse(c, "another number of dependencies");
	}
	for (size_t k = 0; k < n; k++) {
		of[k] = by[k] = k + 1, knowns[k] = 5, kinds[k] = 2;
#ifdef SHIFTED
		by[k]++;
#endif
	}
	return OK;
}
#endif
