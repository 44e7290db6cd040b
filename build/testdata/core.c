//go:build ignore

/* A core for tests of the loader: every function logs its own name and what it was given, so that a
 * test sees that each call arrives where it should and with its arguments in place. The guid
 * decides how fmi2Instantiate behaves. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2.h"
#ifdef FORKS /* a core that notices a fork, as those of FMUs do */
#include "process.c"
#endif

typedef struct {
	fmi2CallbackLogger logger;
	fmi2ComponentEnvironment environment;
	char name[64];
} instance;

static void say(fmi2Component c, const char *format, ...)
{
	instance *i = c;
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	i->logger(i->environment, i->name, fmi2Warning, "logTest", text);
}

const char *fmi2GetTypesPlatform(void) { return "of the core"; }
const char *fmi2GetVersion(void) { return "of the core"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean loggingOn)
{
	instance *i = calloc(1, sizeof *i);
#ifdef REMOVED /* a core whose file is gone as soon as it is used */
	Dl_info info;
	if (dladdr((void *)fmi2GetVersion, &info) != 0)
		remove(info.dli_fname);
#endif
	i->logger = callbacks->logger;
	i->environment = callbacks->componentEnvironment;
	snprintf(i->name, sizeof i->name, "%s", name == NULL ? "NULL" : name);
	if (strcmp(guid, "quiet") != 0)
		say(i, "fmi2Instantiate %s %d %s %s %d %d", i->name, type, guid, resources, visible,
		    loggingOn);
	if (strcmp(guid, "refused") == 0) {
		say(i, "refused for two reasons: one");
		say(i, "refused for two reasons: two");
		free(i);
		return NULL;
	}
	return i;
}

void fmi2FreeInstance(fmi2Component c)
{
	say(c, "fmi2FreeInstance: first line");
	say(c, "fmi2FreeInstance: second line");
	free(c);
}

#define LOGGED(name, parameters, ...)  \
	fmi2Status name parameters         \
	{                                  \
		say(c, #name " " __VA_ARGS__); \
		return fmi2Discard;            \
	}

LOGGED(fmi2SetDebugLogging, (fmi2Component c, fmi2Boolean on, size_t n, const fmi2String names[]),
       "%d %zu %s", on, n, names[0])
LOGGED(fmi2SetupExperiment,
       (fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d, fmi2Boolean e, fmi2Real f),
       "%d %g %g %d %g", a, b, d, e, f)
LOGGED(fmi2EnterInitializationMode, (fmi2Component c), "")
LOGGED(fmi2ExitInitializationMode, (fmi2Component c), "")
LOGGED(fmi2Terminate, (fmi2Component c), "")
LOGGED(fmi2Reset, (fmi2Component c), "")
LOGGED(fmi2GetReal, (fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real v[]),
       "%u %zu %g", r[0], n, v[0])
LOGGED(fmi2GetInteger, (fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Integer v[]),
       "%u %zu %d", r[0], n, v[0])
LOGGED(fmi2GetBoolean, (fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Boolean v[]),
       "%u %zu %d", r[0], n, v[0])
LOGGED(fmi2GetString, (fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2String v[]),
       "%u %zu %s", r[0], n, v[0])
#ifdef SHARED /* a core that shares its integers: three, of which the first can be set */
#include "integers.h"

static fmi2Integer values[] = {1, 2, 3};
static unsigned char settable[] = {1, 0, 0}, set[] = {0, 0, 0};
static gosmp_integers shared = {.count = 3, .values = values, .settable = settable, .set = set};

GOSMP_EXPORT gosmp_integers *gosmp_integers_of(fmi2Component core)
{
	shared.owner = core;
	return &shared;
}

/* It logs what the loader has done and prepares the next test: {allowed, owner}. */
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[])
{
	(void)r, (void)n;
	say(c, "turns %u, changed %u, set %d%d%d, values %d %d %d", (unsigned)shared.turn,
	    shared.changed, set[0], set[1], set[2], values[0], values[1], values[2]);
	shared.turn = 1; /* the one that the loader has begun */
	shared.allowed = (unsigned)v[0];
	shared.owner = v[1] != 0 ? c : NULL;
	shared.changed = set[0] = 0;
	return fmi2OK;
}
#else
LOGGED(fmi2SetReal, (fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real v[]),
       "%u %zu %g", r[0], n, v[0])
#endif
LOGGED(fmi2SetInteger,
       (fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer v[]),
       "%u %zu %d", r[0], n, v[0])
LOGGED(fmi2SetBoolean,
       (fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Boolean v[]),
       "%u %zu %d", r[0], n, v[0])
LOGGED(fmi2SetString,
       (fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2String v[]), "%u %zu %s",
       r[0], n, v[0])
LOGGED(fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate *s), "%s", (char *)*s)
LOGGED(fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate s), "%s", (char *)s)
LOGGED(fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate *s), "%s", (char *)*s)
LOGGED(fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate s, size_t *n), "%s %zu",
       (char *)s, *n)
LOGGED(fmi2SerializeFMUstate, (fmi2Component c, fmi2FMUstate s, fmi2Byte b[], size_t n),
       "%s %s %zu", (char *)s, b, n)
LOGGED(fmi2DeSerializeFMUstate, (fmi2Component c, const fmi2Byte b[], size_t n, fmi2FMUstate *s),
       "%s %zu %s", b, n, (char *)*s)
LOGGED(fmi2GetDirectionalDerivative,
       (fmi2Component c, const fmi2ValueReference u[], size_t nu, const fmi2ValueReference k[],
        size_t nk, const fmi2Real dk[], fmi2Real du[]),
       "%u %zu %u %zu %g %g", u[0], nu, k[0], nk, dk[0], du[0])
LOGGED(fmi2SetRealInputDerivatives,
       (fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer o[],
        const fmi2Real v[]),
       "%u %zu %d %g", r[0], n, o[0], v[0])
LOGGED(fmi2GetRealOutputDerivatives,
       (fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer o[],
        fmi2Real v[]),
       "%u %zu %d %g", r[0], n, o[0], v[0])
LOGGED(fmi2CancelStep, (fmi2Component c), "")
LOGGED(fmi2GetStatus, (fmi2Component c, const fmi2StatusKind k, fmi2Status *v), "%d %d", k, *v)
LOGGED(fmi2GetRealStatus, (fmi2Component c, const fmi2StatusKind k, fmi2Real *v), "%d %g", k, *v)
LOGGED(fmi2GetIntegerStatus, (fmi2Component c, const fmi2StatusKind k, fmi2Integer *v), "%d %d", k,
       *v)
LOGGED(fmi2GetBooleanStatus, (fmi2Component c, const fmi2StatusKind k, fmi2Boolean *v), "%d %d", k,
       *v)
LOGGED(fmi2GetStringStatus, (fmi2Component c, const fmi2StatusKind k, fmi2String *v), "%d %s", k,
       *v)

#ifndef INCOMPLETE
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean noSet)
{
	say(c, "fmi2DoStep %g %g %d", t, h, noSet);
	say(c, "100 %%%% of ##r1##"); /* as the core sends it: doubled */
	say(c, "the third line");
	return fmi2Discard;
}
#endif
