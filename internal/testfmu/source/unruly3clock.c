#include "unruly.h"

// Clocks have the references 90 to 96, in the order of BEAT to SUB; what kind a clock is stands in
// the model description. It refuses everything that the standard forbids.
//
//	beat     periodic: a tenth of a second from 0.05 s on, unless the host sets the interval
//	pulse    changing: its nth interval is n tenths of a second
//	delay    countdown: 0.04 s after each alarm; with the order "GetIntervalDecimal zero" at once,
//	         with "GetIntervalDecimal subclock" it may be asked only with a tick of pulse
//	trigger  triggered by the host
//	alarm    output: with each third beat
//	inner    local: with each alarm
//	sub      of beat
//
// What belongs to them: 100 ticks of beat, 101 in + u at the last beat, 102 the input u, 103 to
// 106 the times at which pulse, delay, trigger and alarm have ticked, 107 ticks of trigger, 108
// ticks of sub, 109 ticks of inner.

enum { FIRST = 90 };
enum { NOT_YET_KNOWN, UNCHANGED, CHANGED };

static int refuse(unruly *u, const char *why)
{
	u->log(u, ERROR, "logStatusError", why);
	return ERROR;
}

void unruly_clock_mode(unruly *u, int mode)
{
	clockwork *c = &u->clocks;
	c->mode = mode;
	for (int k = 0; k < CLOCKS; k++) {
		c->active[k] = c->ticked[k] = c->asked[k] = false;
	}
}

static void tick(unruly *u, int k)
{
	clockwork *c = &u->clocks;
	c->active[k] = c->ticked[k] = true;
	c->ticks[k]++;
	c->time[k] = u->time;
}

static bool alarmed(const clockwork *c) { return c->active[BEAT] && c->ticks[BEAT] % 3 == 0; }

int unruly_clocked(unruly *u, uint32_t reference, double *value, bool set)
{
	static const int of[] = {BEAT, BEAT, BEAT, PULSE, DELAY, TRIGGER, ALARM, TRIGGER, SUB, INNER};
	clockwork *c = &u->clocks;
	unsigned n = reference - CLOCKED;
	if (n >= sizeof of / sizeof *of || (set && n != 2)) {
		return refuse(u, "no such clocked variable");
	}
	int k = of[n];
	bool active = c->active[k] || ((k == ALARM || k == INNER) && alarmed(c));
	if (c->mode != INITIALIZATION && !(c->mode == EVENT && active)) {
		return refuse(u, "a clocked variable is touched while its clock is not active");
	}
	if (set) {
		c->u = *value;
		return OK;
	}
	switch (n) {
	case 1:
		*value = c->mode == EVENT ? u->real[0] + c->u : -1;
		break;
	case 2:
		*value = c->u;
		break;
	case 0:
	case 7:
	case 8:
	case 9:
		*value = (double)c->ticks[k];
		break;
	default:
		*value = c->time[k];
	}
	return OK;
}

int unruly_clock_update(unruly *u, bool *more)
{
	clockwork *c = &u->clocks;
	if (alarmed(c)) {
		c->qualifier = CHANGED;
	}
	if (unruly_ordered("UpdateDiscreteStates", "once")) {
		*more = false;
	}
	for (int k = 0; k < CLOCKS; k++) {
		c->active[k] = false;
	}
	return OK;
}

int unruly_clock_step(unruly *u)
{
	clockwork *c = &u->clocks;
	bool ticked = c->ticks[PULSE] > 0 && c->time[PULSE] == u->time;
	if (c->counts_down && !c->asked[DELAY] &&
	    (ticked || !unruly_ordered("GetIntervalDecimal", "subclock"))) {
		return refuse(u, "the interval of a countdown clock was not asked for in this event");
	}
	if (c->ticked[PULSE]) {
		return refuse(u, "the interval of a changing clock was not asked for after its tick");
	}
	c->mode = STEP;
	return OK;
}

#define DO(name)                     \
	int status = unruly_do(u, name); \
	if (status > WARNING) {          \
		return status;               \
	}

int fmi3SetClock(unruly *u, const uint32_t r[], size_t n, const bool v[])
{
	DO("SetClock")
	for (size_t i = 0; i < n; i++) {
		int k = (int)r[i] - FIRST;
		if (u->clocks.mode != EVENT || !u->events)
			return refuse(u, "SetClock outside Event Mode");
		if (k < 0 || k == ALARM || k == INNER || k >= CLOCKS)
			return refuse(u, "SetClock of what is no input clock");
		if (!v[i])
			return refuse(u, "a clock is deactivated that cannot be");
		if (k == SUB && !u->clocks.active[BEAT])
			return refuse(u, "sub ticks without beat");
		if (u->clocks.active[k])
			return refuse(u, "a clock ticks twice in an instant");
		tick(u, k);
		if (k == DELAY)
			u->clocks.qualifier = NOT_YET_KNOWN;
	}
	return status;
}
int fmi3GetClock(unruly *u, const uint32_t r[], size_t n, bool v[])
{
	DO("GetClock")
	for (size_t i = 0; i < n; i++) {
		int k = (int)r[i] - FIRST;
		if (u->clocks.mode != EVENT)
			return refuse(u, "GetClock outside Event Mode");
		if (k < 0 || k >= CLOCKS)
			return refuse(u, "GetClock of what is no clock");
		v[i] = k == ALARM || k == INNER ? alarmed(&u->clocks) : u->clocks.active[k];
		if (v[i] && !u->clocks.active[k])
			tick(u, k);
	}
	return status;
}

static int interval(unruly *u, uint32_t r, double *v, int *qualifier)
{
	clockwork *c = &u->clocks;
	int k = (int)r - FIRST;
	if (c->mode != EVENT && c->mode != INITIALIZATION)
		return refuse(u, "an interval is asked for outside Event Mode");
	*qualifier = CHANGED;
	switch (k) {
	case BEAT:
	case SUB:
		*v = c->interval;
		break;
	case PULSE:
		if (c->mode == EVENT && !c->ticked[k])
			return refuse(u, "the interval of a changing clock is asked for without a tick");
		c->ticked[k] = false;
		*v = 0.1 * (double)(c->ticks[k] + 1);
		break;
	case DELAY:
		c->counts_down = c->asked[k] = true;
		*qualifier = c->qualifier;
		c->qualifier = c->qualifier == CHANGED ? UNCHANGED : c->qualifier;
		*v = unruly_ordered("GetIntervalDecimal", "zero") ? 0 : 0.04;
		break;
	default:
		return refuse(u, "no clock of time");
	}
	if (unruly_ordered("GetIntervalDecimal", "negative"))
		*v = -1;
	if (unruly_ordered("GetIntervalDecimal", "odd"))
		*qualifier = 7;
	if (unruly_ordered("GetIntervalDecimal", "unknown"))
		*qualifier = NOT_YET_KNOWN;
	return OK;
}
int fmi3GetIntervalDecimal(unruly *u, const uint32_t r[], size_t n, double v[], int q[])
{
	DO("GetIntervalDecimal")
	for (size_t i = 0; i < n; i++) {
		if (interval(u, r[i], &v[i], &q[i]) != OK)
			return ERROR;
	}
	return status;
}
int fmi3GetIntervalFraction(unruly *u, const uint32_t r[], size_t n, uint64_t counters[],
                            uint64_t resolutions[], int q[])
{
	DO("GetIntervalFraction")
	for (size_t i = 0; i < n; i++) {
		double v;
		if (interval(u, r[i], &v, &q[i]) != OK)
			return ERROR;
		counters[i] = r[i] == FIRST + BEAT ? u->clocks.counter : (uint64_t)(v * 1000 + 0.5);
		resolutions[i] = r[i] == FIRST + BEAT ? u->clocks.resolution : 1000;
		if (unruly_ordered("GetIntervalFraction", "zero"))
			resolutions[i] = 0;
	}
	return status;
}
int fmi3GetShiftDecimal(unruly *u, const uint32_t r[], size_t n, double v[])
{
	DO("GetShiftDecimal")
	for (size_t i = 0; i < n; i++) {
		if (u->clocks.mode != INITIALIZATION || r[i] != FIRST + BEAT)
			return refuse(u, "no shift");
		v[i] = u->clocks.shift;
	}
	return status;
}
int fmi3GetShiftFraction(unruly *u, const uint32_t r[], size_t n, uint64_t counters[],
                         uint64_t resolutions[])
{
	DO("GetShiftFraction")
	for (size_t i = 0; i < n; i++) {
		if (u->clocks.mode != INITIALIZATION || r[i] != FIRST + BEAT)
			return refuse(u, "no shift");
		counters[i] = 1;
		resolutions[i] = 20;
	}
	return status;
}

// A fixed clock gets its interval in Initialization Mode, a tunable one in Event Mode, too.
static bool may_set(const unruly *u, uint32_t r)
{
	int mode = u->clocks.mode;
	return r == FIRST + BEAT &&
	       (mode == INITIALIZATION || (mode == EVENT && unruly_ordered("SetInterval", "tunable")));
}
int fmi3SetIntervalDecimal(unruly *u, const uint32_t r[], size_t n, const double v[])
{
	DO("SetIntervalDecimal")
	for (size_t i = 0; i < n; i++) {
		if (!may_set(u, r[i]))
			return refuse(u, "no interval to set");
		u->clocks.interval = v[i];
	}
	return status;
}
int fmi3SetIntervalFraction(unruly *u, const uint32_t r[], size_t n, const uint64_t counters[],
                            const uint64_t resolutions[])
{
	DO("SetIntervalFraction")
	for (size_t i = 0; i < n; i++) {
		if (!may_set(u, r[i]))
			return refuse(u, "no interval to set");
		u->clocks.counter = counters[i];
		u->clocks.resolution = resolutions[i];
	}
	return status;
}

// What the FMU exports because each one has to, and nobody calls: it promises none of them.
#define ABSENT(name) \
	int name(unruly *u) { return refuse(u, #name " is not supported"); }
ABSENT(fmi3EvaluateDiscreteStates)
ABSENT(fmi3GetAdjointDerivative)
ABSENT(fmi3GetDirectionalDerivative)
ABSENT(fmi3GetNumberOfVariableDependencies)
ABSENT(fmi3GetVariableDependencies)
ABSENT(fmi3GetOutputDerivatives)
ABSENT(fmi3SetShiftDecimal)
ABSENT(fmi3SetShiftFraction)
