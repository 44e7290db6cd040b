// A lag with clocks, discrete inputs and intermediate updates as a co-simulation FMU of FMI 3.0.
// References: 0 time, 1 u, 2 y, 3 level, 4 sum, 5 add, 6 count, 7 seen; clocks 10 beat (constant),
// 11 kick (triggered), 12 later (countdown), 13 full (output), 14 slow (changing), 15 own (fixed).

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const char *text;
typedef void (*logger)(void *, int, text, text);
typedef void (*updater)(void *, double, bool, bool, bool, bool, bool *, double *);
enum { OK, WARNING, DISCARD, ERROR };
enum { BORN = 1, SETUP = 2, STEPS = 4, EVENT = 8, ENDED = 16, INSIDE = 32 };
enum { BEAT = 10, KICK, LATER, FULL, SLOW, OWN, END };
enum { UNKNOWN, SAME, NEW };
enum { SETS = 1, GETS = 1, DONE = 1 }; // what an intermediate update allows, and what it is

typedef struct {
	int phase;
	double time, stop, u, y;
	int32_t level, sum, add, count, seen;
	bool active[END];
	double wait; // until LATER ticks
	int known;   // the qualifier of it
	int slow, asked, own;
	bool evaluated;
} values;

typedef struct {
	values v;
	logger log;
	void *environment;
	updater update;
	bool logging, events, early;
	uint64_t required;
} beat;

static int refuse(beat *c, text what)
{
	if (c->logging && c->log != NULL) {
		c->log(c->environment, ERROR, "logEvents", what);
	}
	c->v.phase = ENDED;
	return ERROR;
}

#define ALL (BORN | SETUP | STEPS | EVENT | ENDED)
#define IN(phases)                             \
	beat *c = (beat *)component;               \
	if (c == NULL) {                           \
		return ERROR;                          \
	}                                          \
	if (!(c->v.phase & (phases))) {            \
		return refuse(c, "not in this state"); \
	}

static void start(values *v) { *v = (values){.phase = BORN}; }

text fmi3GetVersion(void) { return "3.0"; }

void *fmi3InstantiateCoSimulation(text name, text token, text resources, bool visible, bool logging,
                                  bool events, bool early, const uint32_t needs[], size_t n,
                                  void *environment, logger log, updater update)
{
	(void)resources, (void)visible;
	bool good = name != NULL && *name != 0 && strcmp(token, "beat") == 0;
	for (size_t k = 0; k < n; k++) {
		good = good && (needs[k] == 1 || needs[k] == 2);
	}
	if (!good) {
		if (log != NULL) {
			log(environment, ERROR, "logEvents", "not this model");
		}
		return NULL;
	}
	beat *c = calloc(1, sizeof *c);
	start(&c->v);
	c->log = log, c->environment = environment, c->update = update;
	c->logging = logging, c->events = events, c->early = early;
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
	c->v.time = begin, c->v.stop = stops ? stop : INFINITY, c->v.phase = SETUP;
	return OK;
}

int fmi3ExitInitializationMode(void *component)
{
	IN(SETUP)
	c->v.phase = c->events ? EVENT : STEPS;
	return OK;
}

int fmi3EnterEventMode(void *component)
{
	IN(STEPS)
	if (!c->events) {
		return refuse(c, "no Event Mode");
	}
	c->v.phase = EVENT;
	return OK;
}

#define TURN(name, from, to)        \
	int fmi3##name(void *component) \
	{                               \
		IN(from)                    \
		c->v.phase = to;            \
		return OK;                  \
	}
TURN(EnterStepMode, EVENT, STEPS)
TURN(Terminate, STEPS | EVENT, ENDED)
TURN(EnterConfigurationMode, 0, BORN)
TURN(ExitConfigurationMode, 0, BORN)

int fmi3Reset(void *component)
{
	IN(ALL)
	start(&c->v);
	return OK;
}

// evaluate computes the discrete states of active clocks, once in an event.
static void evaluate(values *v)
{
	if (v->evaluated) {
		return;
	}
	v->evaluated = true;
	v->sum += v->level;
	if (v->active[BEAT]) {
		v->count += 1 + v->add;
		v->active[FULL] = v->count % 3 == 0;
	}
	if (v->active[KICK]) {
		v->seen = v->count;
		v->wait = 0.03, v->known = NEW;
	}
	v->own += v->active[OWN] + v->active[LATER];
	if (v->active[SLOW]) {
		v->slow++, v->asked = NEW;
	}
}

int fmi3EvaluateDiscreteStates(void *component)
{
	IN(EVENT)
	evaluate(&c->v);
	return OK;
}

int fmi3UpdateDiscreteStates(void *component, bool *again, bool *ends, bool *nominals, bool *states,
                             bool *defined, double *next)
{
	IN(EVENT)
	*ends = *nominals = *states = *defined = *again = false, *next = 0;
	evaluate(&c->v);
	c->v.evaluated = false;
	memset(c->v.active, 0, sizeof c->v.active);
	return OK;
}

int fmi3GetFloat64(void *component, const uint32_t r[], size_t n, double v[], size_t values)
{
	IN(ALL | INSIDE)
	const double *list[] = {&c->v.time, &c->v.u, &c->v.y};
	if (n != values) {
		return refuse(c, "another number of values");
	}
	for (size_t k = 0; k < n; k++) {
		if (r[k] > 2) {
			return refuse(c, "no such Float64");
		}
		v[k] = *list[r[k]];
	}
	return OK;
}

int fmi3SetFloat64(void *component, const uint32_t r[], size_t n, const double v[], size_t values)
{
	IN(BORN | SETUP | STEPS | EVENT | INSIDE)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != 1 || n != values) {
			return refuse(c, "it cannot be set");
		}
		c->v.u = v[k];
	}
	return n == values ? OK : refuse(c, "another number of values");
}

static const int owners[] = {[5] = BEAT, [6] = BEAT, [7] = KICK};

// find returns an Int32; NULL if it does not exist, or if its clock is not active.
static int32_t *find(values *v, uint32_t r)
{
	int32_t *list[] = {&v->level, &v->sum, &v->add, &v->count, &v->seen};
	if (r < 3 || r > 7 ||
	    (owners[r] != 0 && (v->phase & (STEPS | EVENT)) && !v->active[owners[r]])) {
		return NULL;
	}
	return list[r - 3];
}

int fmi3GetInt32(void *component, const uint32_t r[], size_t n, int32_t v[], size_t values)
{
	IN(ALL)
	for (size_t k = 0; k < n; k++) {
		const int32_t *from = find(&c->v, r[k]);
		if (from == NULL || n != values) {
			return refuse(c, "no such Int32");
		}
		v[k] = *from;
	}
	return n == values ? OK : refuse(c, "another number of values");
}

int fmi3SetInt32(void *component, const uint32_t r[], size_t n, const int32_t v[], size_t values)
{
	IN(BORN | SETUP | EVENT)
	for (size_t k = 0; k < n; k++) {
		int32_t *to = find(&c->v, r[k]);
		if (to == NULL || n != values || (r[k] != 3 && r[k] != 5)) {
			return refuse(c, "it cannot be set");
		}
		*to = v[k];
	}
	return n == values ? OK : refuse(c, "another number of values");
}

int fmi3GetClock(void *component, const uint32_t r[], size_t n, bool v[])
{
	IN(SETUP | EVENT)
	for (size_t k = 0; k < n; k++) {
		if (r[k] < BEAT || r[k] >= END) {
			return refuse(c, "no such Clock");
		}
		v[k] = c->v.active[r[k]];
	}
	return OK;
}

int fmi3SetClock(void *component, const uint32_t r[], size_t n, const bool v[])
{
	IN(SETUP | EVENT)
	for (size_t k = 0; k < n; k++) {
		if (r[k] < BEAT || r[k] >= END || r[k] == FULL) {
			return refuse(c, "no such input Clock");
		}
		c->v.active[r[k]] = v[k];
	}
	return OK;
}

static double interval(values *v, uint32_t r, int *qualifier)
{
	*qualifier = SAME;
	switch (r) {
	case BEAT:
		return 0.1;
	case LATER:
		*qualifier = v->known;
		v->known = v->known == NEW ? SAME : v->known;
		return v->wait;
	case SLOW:
		*qualifier = v->asked == SAME ? SAME : NEW;
		v->asked = SAME;
		return v->slow % 2 == 0 ? 0.1 : 0.15;
	case OWN:
		return 0.2;
	}
	return NAN;
}

int fmi3GetIntervalDecimal(void *component, const uint32_t r[], size_t n, double v[], int q[])
{
	IN(SETUP | EVENT)
	for (size_t k = 0; k < n; k++) {
		v[k] = interval(&c->v, r[k], &q[k]);
		if (isnan(v[k])) {
			return refuse(c, "no such interval");
		}
	}
	return OK;
}

int fmi3GetIntervalFraction(void *component, const uint32_t r[], size_t n, uint64_t v[],
                            uint64_t d[], int q[])
{
	IN(SETUP | EVENT)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != BEAT) {
			return refuse(c, "no such fraction");
		}
		v[k] = 1, d[k] = 10, q[k] = SAME;
	}
	return OK;
}

int fmi3GetShiftDecimal(void *component, const uint32_t r[], size_t n, double v[])
{
	IN(SETUP | EVENT)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != BEAT && r[k] != OWN) {
			return refuse(c, "no such shift");
		}
		v[k] = r[k] == OWN ? 0.1 : 0;
	}
	return OK;
}

int fmi3GetShiftFraction(void *component, const uint32_t r[], size_t n, uint64_t v[], uint64_t d[])
{
	IN(SETUP | EVENT)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != BEAT) {
			return refuse(c, "no such fraction");
		}
		v[k] = 0, d[k] = 10;
	}
	return OK;
}

int fmi3DoStep(void *component, double t, double h, bool keep, bool *event, bool *ends, bool *early,
               double *last)
{
	IN(STEPS)(void) keep;
	double slack = 1e-9 * (1 + fabs(t) + fabs(h)), when = 0;
	if (!(fabs(t - c->v.time) <= slack) || !(h > 0) || t + h > c->v.stop + slack) {
		return refuse(c, "not from here, or beyond the stop time");
	}
	*event = *ends = *early = false;
	const int inner = 4;
	bool stop = false;
	for (int k = 1; k <= inner && !stop; k++) {
		c->v.time = k == inner ? t + h : t + h * k / inner;
		c->v.y += (c->v.u - c->v.y) * (1 - exp(-h / inner));
		if (c->update != NULL) {
			c->v.phase = INSIDE;
			c->update(c->environment, c->v.time, SETS, GETS, DONE, c->early, &stop, &when);
			c->v.phase = STEPS;
		}
	}
	*early = stop && c->v.time < t + h;
	*last = c->v.time;
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
	values old = c->v;
	memcpy(&c->v, s, sizeof(values));
	(void)old;
	return OK;
}

int fmi3FreeFMUState(void *component, void **s)
{
	IN(ALL)
	return free(*s), *s = NULL, OK;
}
