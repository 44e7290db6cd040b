package host_test

// host3 is the beginning of a host: it brings an instance into a state. MODES means that the FMU
// has all modes.
//
//nolint:dupword // it is C
const host3 = `#include <dlfcn.h>
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmi3.h"

static void *library;
static const char *token, *resources;
static int lines;

/* Whether the host rounds up, which no call may change, and every callback must find. */
static int rounds_up;

static int kept(void)
{
	volatile double one = 1, little = 1e-30;
	return (one + little > 1) == rounds_up;
}

/* at_line is called by the logger at the next line. */
static void (*at_line)(void);

static void log_line(fmi3InstanceEnvironment e, fmi3Status s, fmi3String category, fmi3String text)
{
	void (*call)(void) = at_line;
	lines += e == &lines && s > fmi3OK && category != NULL && text != NULL && strchr(text, '\n') == NULL &&
	         kept();
	at_line = NULL;
	if (call != NULL)
		call();
}

#define FIND(name) ((__typeof__(name) *)dlsym(library, #name))

/* check ends the program when a state cannot be reached. */
static void check(int good, const char *what)
{
	if (good && kept())
		return;
	printf(good ? "cannot keep the rounding mode: %s\n" : "cannot %s\n", what);
	exit(1);
}

/* at_update is called at the next intermediate update. */
static void (*at_update)(double time);
static int wants_return;

static void update(fmi3InstanceEnvironment e, fmi3Float64 time, fmi3Boolean set, fmi3Boolean get, fmi3Boolean finished,
                   fmi3Boolean can_return, fmi3Boolean *requested, fmi3Float64 *until)
{
	void (*call)(double) = at_update;
	check(e == &lines && !set && get && finished && can_return, "update");
	at_update = NULL;
	*requested = wants_return;
	*until = time;
	if (call != NULL)
		call(time);
}

static fmi3Instance reach(char state)
{
	fmi3Boolean event, terminate, early;
	fmi3Float64 last;
	if (state == 'N')
		return (void *)(uintptr_t)0x1234;
	fmi3Instance i = FIND(fmi3InstantiateCoSimulation)("probe", token, resources, false, true, MODES, MODES, NULL, 0,
	                                                   &lines, log_line, MODES ? update : NULL);
	check(i != NULL, "instantiate");
	if (state == 'K')
		check(FIND(fmi3EnterConfigurationMode)(i) == fmi3OK, "enter configuration mode");
	if (strchr("IK", state) == NULL)
		check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, true, 1) == fmi3OK, "enter initialization mode");
	if (strchr("IKM", state) == NULL) {
		check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "exit initialization mode");
		check(!MODES || FIND(fmi3EnterStepMode)(i) == fmi3OK, "enter step mode");
		check(FIND(fmi3DoStep)(i, 0, MODES ? 0.25 : 0.5, true, &event, &terminate, &early, &last) == fmi3OK, "step");
	}
	if (state == 'V')
		check(FIND(fmi3EnterEventMode)(i) == fmi3OK, "enter event mode");
	if (state == 'R')
		check(FIND(fmi3EnterConfigurationMode)(i) == fmi3OK, "enter reconfiguration mode");
	if (state == 'T')
		check(FIND(fmi3Terminate)(i) == fmi3OK, "terminate");
	if (state == 'E')
		check(FIND(fmi3ExitInitializationMode)(i) == fmi3Error, "fail");
	lines = 0;
	return i;
}

/* leave shows that the instance can be reset and completes a step, whatever was called before. */
static void leave(fmi3Instance i, char state)
{
	fmi3Boolean event, terminate, early;
	fmi3Float64 last = 0;
	if (state == 'N')
		return;
	check(FIND(fmi3Reset)(i) == fmi3OK, "reset");
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize again");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "exit initialization mode again");
	check(!MODES || FIND(fmi3EnterStepMode)(i) == fmi3OK, "enter step mode again");
	check(FIND(fmi3DoStep)(i, 0, 0.25, true, &event, &terminate, &early, &last) == fmi3OK && last == 0.25,
	      "step again");
	FIND(fmi3FreeInstance)(i);
}
`

// cell3 defines calls, each with its arguments, and cells, each a call in a state. In the state U
// it is made by the callback of an intermediate update.
const cell3 = `
#define CALL(name, variant, ...)                            \
	static int name##_##variant(fmi3Instance i)             \
	{                                                       \
		fmi3Boolean flag = false;                           \
		fmi3Float64 number = 0;                             \
		size_t count = 0;                                   \
		fmi3FMUState state = NULL;                          \
		(void)flag, (void)number, (void)count, (void)state; \
		return FIND(name)(__VA_ARGS__);                     \
	}

static int (*nested)(fmi3Instance i);
static fmi3Instance updated;
static int nested_status = -1, nested_lines;

static void call_nested(double time)
{
	(void)time;
	lines = 0;
	nested_status = nested(updated);
	nested_lines = lines;
}

static void cell(const char *name, char letter, const char *variant, int (*call)(fmi3Instance))
{
	fmi3Boolean event, terminate, early;
	fmi3Float64 last;
	fmi3Instance i;
	int status;
	rounds_up = fesetround(FE_UPWARD) == 0;
	i = reach(letter);
	if (letter == 'U') {
		nested = call, updated = i, at_update = call_nested;
		FIND(fmi3DoStep)(i, 0.25, 0.25, true, &event, &terminate, &early, &last);
		status = nested_status, lines = nested_lines;
		check(at_update == NULL, "reach an update");
	} else {
		status = call(i);
	}
	check(1, name);
	printf("%s %c %s: %d %d\n", name, letter, variant, status, lines);
	lines = 0;
	leave(i, letter);
	rounds_up = fesetround(FE_TONEAREST) != 0;
}

#define CELL(name, letter, variant) cell(#name, letter, #variant, name##_##variant);
`

// main3 is the beginning of the host's function main.
const main3 = `
int main(int n, char **a)
{
	check(n == 4, "start");
	library = dlopen(a[1], RTLD_NOW | RTLD_LOCAL);
	check(library != NULL, "load");
	token = a[2];
	resources = a[3];
`
