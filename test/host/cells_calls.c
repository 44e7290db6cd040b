//go:build ignore

/* cells_calls.c: the calls of cells. Each function interprets the column of arguments of the table.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"

#define ON(text) if (is(what, text))
#define HUGE_N SIZE_MAX

static const fmi2ValueReference largest = UINT32_MAX;

static int call_set_debug_logging(probe *p, const char *what)
{
	const fmi2String two[2] = {"logStatusError", "logStatusWarning"}, null[1] = {NULL},
					 unknown[1] = {"logWeather"};
	ON("all on") return f.fmi2SetDebugLogging(p->component, fmi2True, 0, two);
	ON("all off") return f.fmi2SetDebugLogging(p->component, fmi2False, 0, NULL);
	ON("two categories") return f.fmi2SetDebugLogging(p->component, fmi2True, 2, two);
	ON("NULL array, n = 0") return f.fmi2SetDebugLogging(p->component, fmi2True, 0, NULL);
	ON("NULL array, n = 2") return f.fmi2SetDebugLogging(p->component, fmi2True, 2, NULL);
	ON("NULL category") return f.fmi2SetDebugLogging(p->component, fmi2True, 1, null);
	ON("unknown category") return f.fmi2SetDebugLogging(p->component, fmi2True, 1, unknown);
	ON("huge n") return f.fmi2SetDebugLogging(p->component, fmi2True, HUGE_N, two);
	return UNKNOWN;
}

/* upper_braced writes the guid in upper case and braces, as some tools do. */
static const char *upper_braced(char to[80])
{
	snprintf(to, 80, "{%s}", guid);
	for (char *c = to; *c != '\0'; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	return to;
}

/* escaped writes every character of a file URI's path as a percent escape, except for slashes and
 * existing escapes. */
static const char *escaped(char *to)
{
	const char *from = strncmp(resources, "file://", 7) == 0 ? resources + 7 : resources;
	char *end = to + sprintf(to, "file://");
	for (; *from != '\0'; from++)
		if (*from == '/' || *from == '%' || from[-1] == '%' || from[-2] == '%')
			*end++ = *from;
		else
			end += sprintf(end, "%%%02X", (unsigned char)*from);
	*end = '\0';
	return to;
}

static int call_instantiate(probe *p, const char *what)
{
	newcomer n = {
		.name = "newcomer", .guid = guid, .resources = resources, .type = fmi2CoSimulation};
	char braced[80], *percent = malloc(3 * strlen(resources) + 8);
	int got = NOTHING;
	ON("guid in braces and capitals") n.guid = upper_braced(braced);
	else ON("wrong guid") n.guid = "0f5a1c2d";
	else ON("NULL guid") n.guid = NULL;
	else ON("model exchange") n.type = fmi2ModelExchange;
	else ON("NULL name") n.name = NULL;
	else ON("empty name") n.name = "";
	else ON("NULL callbacks") n.without_callbacks = 1;
	else ON("NULL logger") n.without_logger = 1;
	else ON("logging off") n.logging_off = 1;
	else ON("NULL resource location") n.resources = NULL;
	else ON("percent-encoded resources") n.resources = escaped(percent);
	else ON("broken escape in resources") n.resources = odd;
	else ON("resources of another scheme") n.resources = "https://example.com/r";
	else ON("model panics") got = NOT_HERE; /* only the FMU of the Go tests supports this */
	else if (!is(what, "good")) got = UNKNOWN;
	if (got == NOTHING)
		p->newcomer = make(&p->heard, n);
	free(percent);
	return got;
}

static int call_setup_experiment(probe *p, const char *what)
{
	double start = 0, stop = 10;
	int defined = 1;
	ON("good") defined = 0;
	else ON("negative start") start = -5, stop = -1;
	else ON("start NaN") start = NAN;
	else ON("start infinite") start = -INFINITY;
	else ON("stop NaN") stop = NAN;
	else ON("stop infinite: there is no end") stop = INFINITY;
	else ON("stop before start") stop = -1;
	else if (!is(what, "with stop time")) return UNKNOWN;
	return f.fmi2SetupExperiment(p->component, fmi2True, 1e-6, start, defined, stop);
}

/* behaving sets the behaviour of the model, as far as the state allows. */
static int behaving(probe *p, const char *how)
{
	if (!has_behaviour)
		return NOT_HERE;
	return strchr("IMC", p->state) != NULL ? (int)behave(p->c, how) : (int)fmi2OK;
}

/* behaving_in turns "model warns" into "step warns", or likewise for another call. */
static int behaving_in(probe *p, const char *call, const char *what)
{
	char how[64];
	const char *verb = strchr(what, ' ');
	snprintf(how, sizeof how, "%s%s", call, verb != NULL ? verb : "");
	return behaving(p, how);
}

static int call_exit_initialization_mode(probe *p, const char *what)
{
	if (!is(what, "none") && strncmp(what, "model ", 6) != 0)
		return UNKNOWN;
	int set = is(what, "none") ? (int)fmi2OK : behaving_in(p, "initialize", what);
	return set != fmi2OK ? set : (int)f.fmi2ExitInitializationMode(p->component);
}

static int call_reset(probe *p, const char *what)
{
	if (!is(what, "none") && !is(what, "model panics"))
		return UNKNOWN;
	int set = is(what, "none") ? (int)fmi2OK : behaving(p, "reset panics");
	return set != fmi2OK ? set : (int)f.fmi2Reset(p->component);
}

/* ---- Values. ---- */

/* An array of the right type whose elements are all the same; v is NULL for NULL. */
typedef struct {
	fmi2Real real[4096];
	fmi2Integer integer[4096];
	fmi2String string[4096];
} values;

static values all_values;

static void fill(int type, value v, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (type == REAL)
			all_values.real[k] = v.number;
		else if (type == STRING)
			all_values.string[k] = v.text;
		else
			all_values.integer[k] = (fmi2Integer)v.number;
}

/* access_values calls the Get or Set function of a type; without an array it passes NULL. */
static int access_values(probe *p, int type, int set, const fmi2ValueReference *vr, size_t n,
                         int array)
{
	fmi2Real *r = array ? all_values.real : NULL;
	fmi2Integer *i = array ? all_values.integer : NULL;
	fmi2String *s = array ? all_values.string : NULL;
	switch (type) {
	case REAL:
		return set ? f.fmi2SetReal(p->component, vr, n, r) : f.fmi2GetReal(p->component, vr, n, r);
	case INTEGER:
		return set ? f.fmi2SetInteger(p->component, vr, n, i)
		           : f.fmi2GetInteger(p->component, vr, n, i);
	case BOOLEAN:
		return set ? f.fmi2SetBoolean(p->component, vr, n, i)
		           : f.fmi2GetBoolean(p->component, vr, n, i);
	default:
		return set ? f.fmi2SetString(p->component, vr, n, s)
		           : f.fmi2GetString(p->component, vr, n, s);
	}
}

static int one(probe *p, int type, int set, fmi2ValueReference vr)
{
	return access_values(p, type, set, &vr, 1, 1);
}

/* what_both_have handles the arguments that all eight functions share. */
static int what_both_have(probe *p, int type, int set, const char *what)
{
	fmi2ValueReference zero = 0;
	int other = REAL;
	for (int k = 0; k < TYPES; k++)
		other = counts[k] > counts[other] ? k : other;
	fill(type, (value){1, "x"}, 1);
	ON("NULL arrays, n = 0") return access_values(p, type, set, NULL, 0, 0);
	ON("NULL references, n = 1") return access_values(p, type, set, NULL, 1, 1);
	ON("NULL values, n = 1") return access_values(p, type, set, &zero, 1, 0);
	ON("unknown reference") return one(p, type, set, (fmi2ValueReference)counts[type]);
	ON("largest reference") return one(p, type, set, largest);
	ON("reference of another type")
	return other == type ? NOT_HERE : one(p, type, set, (fmi2ValueReference)counts[other] - 1);
	ON("huge n") return access_values(p, type, set, &zero, HUGE_N, 1);
	return UNKNOWN;
}

static int call_get(probe *p, int type, const char *what)
{
	static fmi2ValueReference every[4096];
	ON("all")
	{
		for (size_t k = 0; k < counts[type]; k++)
			every[k] = (fmi2ValueReference)k;
		return access_values(p, type, 0, every, counts[type], 1);
	}
	if (strncmp(what, "model ", 6) == 0) {
		int set = behaving(p, is(what, "model warns to initialize") ? "initialize warns"
		                                                            : "initialize fails");
		const fmi2ValueReference calculated = uses[REAL][CALCULATED_PARAMETER].reference;
		return set != fmi2OK ? set : one(p, REAL, 0, calculated);
	}
	return what_both_have(p, type, 0, what);
}

static int call_set(probe *p, int type, const char *what)
{
	for (int k = 0; k < KINDS; k++)
		ON(kinds[k])
		{
			if (!uses[type][k].known)
				return NOT_HERE;
			fill(type, parse_value(type_letters[type], uses[type][k].value), 1);
			return one(p, type, 1, uses[type][k].reference);
		}
	int first = uses[type][TUNABLE].known ? TUNABLE : FIXED;
	const fmi2ValueReference any = uses[type][first].reference;
	/* Invalid values are refused in any state; the others need a variable that can still be set. */
	int settable = uses[type][TUNABLE].known || p->state != 'C';
	ON("NaN") return fill(type, (value){.number = NAN}, 1), one(p, type, 1, any);
	ON("infinite") return fill(type, (value){.number = INFINITY}, 1), one(p, type, 1, any);
	ON("NULL string") return fill(type, (value){.text = NULL}, 1), one(p, type, 1, any);
	ON("invalid UTF-8")
	return !settable ? NOT_HERE
	                 : (fill(type, (value){.text = "\xff\xfe"}, 1), one(p, type, 1, any));
	ON("neither 0 nor 1")
	{
		if (!uses[type][INPUT].known)
			return NOT_HERE;
		return fill(type, (value){.number = -7}, 1), one(p, type, 1, uses[type][INPUT].reference);
	}
	return what_both_have(p, type, 1, what);
}

/* ---- States. ---- */

/* foreign returns a number that is not a state. */
static fmi2FMUstate foreign(const probe *p)
{
	return (fmi2FMUstate)((uintptr_t)p->saved + (1 << 19));
}

/* state_of finds the state that the arguments name; -1 if they name none of these. */
static int state_of(const probe *p, const char *what, fmi2FMUstate *state)
{
	*state = p->saved;
	ON("stale") *state = p->stale;
	else ON("foreign") *state = foreign(p);
	else ON("NULL") *state = NULL;
	else return is(what, "good") ? 0 : -1;
	return 0;
}

static int call_get_state(probe *p, const char *what)
{
	fmi2FMUstate state = NULL;
	ON("NULL place") return f.fmi2GetFMUstate(p->component, NULL);
	ON("model panics")
	{
		int set = behaving(p, "save panics");
		return set != fmi2OK ? set : (int)f.fmi2GetFMUstate(p->component, &state);
	}
	ON("into an old one") state = p->saved;
	else ON("into a stale one") state = p->stale;
	else ON("into a foreign one") state = foreign(p);
	else if (!is(what, "new")) return UNKNOWN;
	return f.fmi2GetFMUstate(p->component, &state);
}

static int call_set_state(probe *p, const char *what)
{
	fmi2FMUstate state;
	ON("a component") return f.fmi2SetFMUstate(p->component, p->c);
	return state_of(p, what, &state) < 0 ? UNKNOWN : (int)f.fmi2SetFMUstate(p->component, state);
}

static int call_free_state(probe *p, const char *what)
{
	fmi2FMUstate state = NULL;
	ON("NULL place") return f.fmi2FreeFMUstate(p->component, NULL);
	if (!is(what, "place of NULL") && state_of(p, what, &state) < 0)
		return UNKNOWN;
	return f.fmi2FreeFMUstate(p->component, &state);
}

static int call_state_size(probe *p, const char *what)
{
	fmi2FMUstate state;
	size_t size;
	ON("NULL place") return f.fmi2SerializedFMUstateSize(p->component, p->saved, NULL);
	return state_of(p, what, &state) < 0
	           ? UNKNOWN
	           : (int)f.fmi2SerializedFMUstateSize(p->component, state, &size);
}

static int call_serialize(probe *p, const char *what)
{
	fmi2FMUstate state;
	fmi2Byte *to = malloc(p->bytes.size);
	int got = UNKNOWN;
	ON("one byte short")
	got = f.fmi2SerializeFMUstate(p->component, p->saved, to, p->bytes.size - 1);
	else ON("NULL array, n = 0") got = f.fmi2SerializeFMUstate(p->component, p->saved, NULL, 0);
	else ON("NULL array, n = 1") got = f.fmi2SerializeFMUstate(p->component, p->saved, NULL, 1);
	else ON("huge n") got = f.fmi2SerializeFMUstate(p->component, p->saved, to, HUGE_N);
	else if (state_of(p, what, &state) == 0) got =
		f.fmi2SerializeFMUstate(p->component, state, to, p->bytes.size);
	free(to);
	return got;
}

static int call_deserialize(probe *p, const char *what)
{
	fmi2FMUstate state = NULL;
	ON("good")
	return f.fmi2DeSerializeFMUstate(p->component, p->bytes.bytes, p->bytes.size, &state);
	ON("one byte short")
	return f.fmi2DeSerializeFMUstate(p->component, p->bytes.bytes, p->bytes.size - 1, &state);
	ON("one bit changed")
	{
		p->bytes.bytes[p->bytes.size / 2] ^= 4;
		return f.fmi2DeSerializeFMUstate(p->component, p->bytes.bytes, p->bytes.size, &state);
	}
	ON("NULL array, n = 0") return f.fmi2DeSerializeFMUstate(p->component, NULL, 0, &state);
	ON("NULL array, n = 1") return f.fmi2DeSerializeFMUstate(p->component, NULL, 1, &state);
	ON("NULL place")
	return f.fmi2DeSerializeFMUstate(p->component, p->bytes.bytes, p->bytes.size, NULL);
	ON("huge n") return f.fmi2DeSerializeFMUstate(p->component, p->bytes.bytes, HUGE_N, &state);
	return UNKNOWN;
}

/* ---- Derivatives, steps, status queries. ---- */

static int call_derivatives(probe *p, const char *function, const char *what)
{
	const fmi2ValueReference out = uses[REAL][CALCULATED].reference,
							 no_output = uses[REAL][FIXED].reference;
	const fmi2ValueReference none = (fmi2ValueReference)counts[REAL], *vr = &out;
	const fmi2Integer first = 1, zero = 0, *order = &first;
	fmi2Real x = 1, *to = &x;
	size_t n = 1;
	ON("NULL arrays, n = 0") vr = NULL, order = NULL, to = NULL, n = 0;
	else ON("NULL arrays, n = 1") vr = NULL, order = NULL, to = NULL;
	else ON("NULL references, n = 1") vr = NULL;
	else ON("NULL orders, n = 1") order = NULL;
	else ON("NULL values, n = 1") to = NULL;
	else ON("order 0") order = &zero;
	else ON("no output") vr = &no_output;
	else ON("unknown reference") vr = &none;
	else ON("huge n") n = HUGE_N;
	else if (!is(what, "good")) return UNKNOWN;
	if (is(function, "fmi2GetDirectionalDerivative"))
		return f.fmi2GetDirectionalDerivative(p->component, vr, n, vr, n, to, to);
	return is(function, "fmi2SetRealInputDerivatives")
	           ? f.fmi2SetRealInputDerivatives(p->component, vr, n, order, to)
	           : f.fmi2GetRealOutputDerivatives(p->component, vr, n, order, to);
}

static int call_do_step(probe *p, const char *what)
{
	double t = 0.5, step = 0.25;
	if (strncmp(what, "model ", 6) == 0) {
		int set = behaving_in(p, "step", what);
		return set != fmi2OK ? set : (int)f.fmi2DoStep(p->component, t, step, fmi2True);
	}
	ON("to the stop time") step = 0.5;
	else ON("an ulp beyond the stop time") step = nextafter(1, 2) - 0.5;
	else ON("10 us beyond the stop time") step = 0.5 + 10e-6;
	else ON("a step beyond the stop time") step = 1;
	else ON("an ulp off in time") t = nextafter(0.5, 1);
	else ON("the same step again") t = 0, step = 0.5;
	else ON("a gap in time") t = 0.75;
	else ON("time NaN") t = NAN;
	else ON("time infinite") t = INFINITY;
	else ON("step 0") step = 0;
	else ON("step negative") step = -0.25;
	else ON("step NaN") step = NAN;
	else ON("step infinite") step = INFINITY;
	else ON("step below the resolution") step = 1e-10;
	else if (!is(what, "good")) return UNKNOWN;
	return f.fmi2DoStep(p->component, t, step, fmi2True);
}

static int call_status(probe *p, const char *function, const char *what)
{
	union {
		fmi2Status status;
		fmi2Real real;
		fmi2Integer integer;
		fmi2Boolean boolean;
		fmi2String string;
	} place;
	static const char *const names[] = {"fmi2DoStepStatus", "fmi2PendingStatus",
	                                    "fmi2LastSuccessfulTime", "fmi2Terminated", "unknown kind"};
	int there = !is(what, "NULL place"), kind = 0;
	if (!there) /* the kind that the function supports, if any */
		kind = is(function, "fmi2GetRealStatus") ? 2 : is(function, "fmi2GetBooleanStatus") ? 3 : 0;
	else
		while (!is(what, names[kind]))
			if (++kind == 5)
				return UNKNOWN;
	fmi2StatusKind k = (fmi2StatusKind)kind;
	if (is(function, "fmi2GetStatus"))
		return f.fmi2GetStatus(p->component, k, there ? &place.status : NULL);
	if (is(function, "fmi2GetRealStatus"))
		return f.fmi2GetRealStatus(p->component, k, there ? &place.real : NULL);
	if (is(function, "fmi2GetIntegerStatus"))
		return f.fmi2GetIntegerStatus(p->component, k, there ? &place.integer : NULL);
	if (is(function, "fmi2GetBooleanStatus"))
		return f.fmi2GetBooleanStatus(p->component, k, there ? &place.boolean : NULL);
	return f.fmi2GetStringStatus(p->component, k, there ? &place.string : NULL);
}

/* ---- All functions. ---- */

/* call_stranger makes the most harmless call of a function with a number that is not a
 * component. */
static int call_stranger(probe *p, const char *function, const char *what)
{
	static const char *const harmless[] = {"good",
	                                       "none",
	                                       "all",
	                                       "all on",
	                                       "new",
	                                       "NULL arrays, n = 0",
	                                       "fmi2DoStepStatus",
	                                       "fmi2PendingStatus",
	                                       "fmi2LastSuccessfulTime"};
	ear nobody = {0};
	p->component = (fmi2Component)((uintptr_t)p->c + (1 << 19));
	ON("NULL component") p->component = NULL;
	else ON("a state as component") p->component = p->saved;
	else ON("stale component") f.fmi2FreeInstance(p->component = usual(&nobody, "gone"));
	else if (!is(what, "foreign component")) return UNKNOWN;
	int got = UNKNOWN;
	for (size_t k = 0; got == UNKNOWN && k < sizeof harmless / sizeof *harmless; k++)
		got = call(p, function, harmless[k]);
	return got;
}

static int call_by_name(probe *p, const char *function, const char *what)
{
	static const char *const typed[TYPES] = {"Real", "Integer", "Boolean", "String"};
	for (int k = 0; k < TYPES; k++)
		if (is(function + 7, typed[k]))
			return function[4] == 'G' ? call_get(p, k, what) : call_set(p, k, what);
	if (strstr(function, "Derivative") != NULL)
		return call_derivatives(p, function, what);
	size_t n = strlen(function);
	if (n > 6 && is(function + n - 6, "Status"))
		return call_status(p, function, what);
	return UNKNOWN;
}

int call(probe *p, const char *function, const char *what)
{
#define IN(name, ...)              \
	if (is(function, "fmi2" name)) \
		return __VA_ARGS__;
	IN("GetTypesPlatform", is(f.fmi2GetTypesPlatform(), "default") ? TEXT : NOTHING)
	IN("GetVersion", is(f.fmi2GetVersion(), "2.0") ? TEXT : NOTHING)
	if (is(function, "fmi2Instantiate"))
		return call_instantiate(p, what);
	if (strstr(what, "component") != NULL && !is(what, "a component"))
		return call_stranger(p, function, what);
	IN("SetDebugLogging", call_set_debug_logging(p, what))
	IN("SetupExperiment", call_setup_experiment(p, what))
	IN("ExitInitializationMode", call_exit_initialization_mode(p, what))
	IN("Reset", call_reset(p, what))
	IN("GetFMUstate", call_get_state(p, what))
	IN("SetFMUstate", call_set_state(p, what))
	IN("FreeFMUstate", call_free_state(p, what))
	IN("SerializedFMUstateSize", call_state_size(p, what))
	IN("SerializeFMUstate", call_serialize(p, what))
	IN("DeSerializeFMUstate", call_deserialize(p, what))
	IN("DoStep", call_do_step(p, what))
	if (!is(what, "none") && !is(what, "good"))
		return call_by_name(p, function, what);
	IN("FreeInstance", (f.fmi2FreeInstance(p->component), NOTHING))
	IN("EnterInitializationMode", f.fmi2EnterInitializationMode(p->component))
	IN("Terminate", f.fmi2Terminate(p->component))
	IN("CancelStep", f.fmi2CancelStep(p->component))
	return call_by_name(p, function, what);
}
