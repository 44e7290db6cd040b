package host_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// newModes packs the FMU that has all modes of FMI 3.0.
func newModes(t testing.TB) importer {
	output := filepath.Join(t.TempDir(), "Modes.fmu")
	c := exec.Command("go", "run", "./test/host/modes", "pack", "-fmi", "3", "-o", output)
	c.Dir = filepath.Join("..", "..")
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
	return unpack(t, output)
}

// modes3 continues main3, with an FMU that has a message at each multiple of 0.3 s.
//
//nolint:dupword // it is C
const modes3 = `
	fmi3ValueReference clock = 1, message = 2, way = 6, number = 5, required[] = {6};
	fmi3Boolean event, terminate, early, update_needed, nominals, values, next_defined;
	fmi3Float64 last, next, x;
	fmi3Int32 count;
	fmi3Clock tick;
	fmi3Binary data;
	size_t size;
	leave(reach('I'), 'I');
	/* an early return at each event, and a clock that ticks with each message */
	fmi3Instance i = FIND(fmi3InstantiateCoSimulation)("early", token, resources, false, true, true, true, NULL, 0, &lines,
	                                                   log_line, NULL);
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK && FIND(fmi3EnterStepMode)(i) == fmi3OK, "start");
	for (double now = 0; now < 1;) {
		check(FIND(fmi3DoStep)(i, now, 0.5, true, &event, &terminate, &early, &last) == fmi3OK && event, "step");
		now = last;
		check(FIND(fmi3GetBinary)(i, &message, 1, &size, &data, 1) == fmi3OK, "get");
		size_t before = size;
		check(FIND(fmi3EnterEventMode)(i) == fmi3OK, "enter event mode");
		check(FIND(fmi3GetClock)(i, &clock, 1, &tick) == fmi3OK, "get clock");
		check(FIND(fmi3GetBinary)(i, &message, 1, &size, &data, 1) == fmi3OK, "get");
		check(FIND(fmi3UpdateDiscreteStates)(i, &update_needed, &terminate, &nominals, &values, &next_defined, &next) == fmi3OK,
		      "update");
		check(!update_needed && !terminate && next_defined, "end the event");
		printf("%.1f early %d tick %d message %zu %.*s, next %.1f\n", now, early, tick, before, (int)size, data, next);
		check(FIND(fmi3GetClock)(i, &clock, 1, &tick) == fmi3OK && !tick, "get clock again");
		check(FIND(fmi3EnterStepMode)(i) == fmi3OK, "enter step mode");
	}
	FIND(fmi3FreeInstance)(i);

	/* intermediate updates, in a host that cannot return early */
	i = FIND(fmi3InstantiateCoSimulation)("update", token, resources, false, true, false, false, required, 1, &lines,
	                                      log_line, watch);
	watched = i, watched_way = way;
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "start");
	check(FIND(fmi3DoStep)(i, 0, 1, true, &event, &terminate, &early, &last) == fmi3OK && !event && !early && last == 1,
	      "step");
	check(FIND(fmi3GetInt32)(i, &number, 1, &count, 1) == fmi3OK && count == 3, "count");
	check(FIND(fmi3GetFloat64)(i, &way, 1, &x, 1) == fmi3OK && x == 1, "get way");
	/* a callback that never returns: the instance can be freed */
	if (setjmp(away) == 0) {
		leaps = 1;
		FIND(fmi3DoStep)(i, 1, 1, true, &event, &terminate, &early, &last);
		check(0, "leap");
	}
	FIND(fmi3FreeInstance)(i);

	/* one that asks for an early return */
	leaps = 0, returns = 1;
	i = FIND(fmi3InstantiateCoSimulation)("return", token, resources, false, true, false, true, required, 1, &lines,
	                                      log_line, watch);
	watched = i;
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "start");
	check(FIND(fmi3DoStep)(i, 0, 1, true, &event, &terminate, &early, &last) == fmi3OK, "step");
	printf("returns %d at %.1f\n", early, last);
	check(FIND(fmi3DoStep)(i, last, 0.1, true, &event, &terminate, &early, &last) == fmi3OK && !early, "go on");
	FIND(fmi3FreeInstance)(i);

	/* with Event Mode, a step returns at an event that needs handling, also without a request */
	returns = 0;
	i = FIND(fmi3InstantiateCoSimulation)("event", token, resources, false, true, true, true, required, 1, &lines,
	                                      log_line, watch);
	watched = i;
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK && FIND(fmi3EnterStepMode)(i) == fmi3OK, "start");
	check(FIND(fmi3DoStep)(i, 0, 1, true, &event, &terminate, &early, &last) == fmi3OK && event && early, "step");
	printf("event at %.1f\n", last);
	check(FIND(fmi3EnterEventMode)(i) == fmi3OK && FIND(fmi3EnterStepMode)(i) == fmi3OK, "handle the event");

	FIND(fmi3FreeInstance)(i);

	/* the model discards the rest of a step after an event: the step ends there if it can, else it fails */
	fmi3ValueReference key = 7;
	fmi3Binary later = (fmi3Binary)"later";
	for (int can_return = 0; can_return < 2; can_return++) {
		i = FIND(fmi3InstantiateCoSimulation)("later", token, resources, false, true, false, can_return, required, 1, &lines,
		                                      log_line, watch);
		watched = i, size = 5, lines = 0;
		check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
		check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "start");
		check(FIND(fmi3SetBinary)(i, &key, 1, &size, &later, 1) == fmi3OK, "set the key");
		fmi3Status status = FIND(fmi3DoStep)(i, 0, 1, true, &event, &terminate, &early, &last);
		printf("discarded: %d early %d at %.1f, %d lines\n", status, early, last, lines);
		check(FIND(fmi3Reset)(i) == fmi3OK, "reset");
		FIND(fmi3FreeInstance)(i);
	}

	/* a warning in one part of a step is the status of the step; one of Setup is the status of the first Get */
	fmi3ValueReference heard = 15;
	fmi3Binary warn = (fmi3Binary)"warn";
	fmi3String text = NULL;
	for (int binary = 0; binary < 2; binary++) {
		i = FIND(fmi3InstantiateCoSimulation)("warn", token, resources, false, true, false, false, required, 1, &lines,
		                                      log_line, watch);
		watched = i, size = 4, lines = 0, data = NULL;
		check(FIND(fmi3SetBinary)(i, &key, 1, &size, &warn, 1) == fmi3OK, "set the key");
		check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
		if (binary)
			check(FIND(fmi3GetBinary)(i, &key, 1, &size, &data, 1) == fmi3Warning && size == 4 &&
			      memcmp(data, "warn", 4) == 0, "get the key with a warning");
		else
			check(FIND(fmi3GetString)(i, &heard, 1, &text, 1) == fmi3Warning && text != NULL && *text == '\0',
			      "get a text with a warning");
		check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK && lines == 1, "start");
		check(FIND(fmi3DoStep)(i, 0, 1, true, &event, &terminate, &early, &last) == fmi3Warning &&
		      lines == 2 && last == 1, "step with a warning");
		FIND(fmi3FreeInstance)(i);
	}

	/* a model that has nothing more to compute: the step ends at the next event if it can */
	fmi3Binary end = (fmi3Binary)"end";
	for (int can_return = 0; can_return < 2; can_return++) {
		i = FIND(fmi3InstantiateCoSimulation)("end", token, resources, false, true, false, can_return,
		                                      required, 1, &lines, log_line, watch);
		watched = i, size = 3, terminate = false;
		check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
		check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "start");
		check(FIND(fmi3SetBinary)(i, &key, 1, &size, &end, 1) == fmi3OK, "set the key");
		check(FIND(fmi3DoStep)(i, 0, 1, true, &event, &terminate, &early, &last) == fmi3OK &&
		      terminate, "step to the end");
		printf("ended: early %d at %.1f\n", early, last);
		FIND(fmi3FreeInstance)(i);
	}
	i = FIND(fmi3InstantiateCoSimulation)("end", token, resources, false, true, true, true, NULL, 0, &lines, log_line,
	                                      NULL);
	size = 3, terminate = false;
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
	check(FIND(fmi3SetBinary)(i, &key, 1, &size, &end, 1) == fmi3OK, "set the key");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "start");
	check(FIND(fmi3UpdateDiscreteStates)(i, &update_needed, &terminate, &nominals, &values,
	                                     &next_defined, &next) == fmi3OK &&
	      terminate, "end in an event");
	FIND(fmi3FreeInstance)(i);

	/* a logger that does not return from the first of two lines: the next call delivers the second one */
	i = FIND(fmi3InstantiateCoSimulation)("lines", token, resources, false, true, false, false, required, 1, &lines,
	                                      log_line, watch);
	watched = i, size = 5, lines = 0, at_line = leap;
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "start");
	check(FIND(fmi3SetBinary)(i, &key, 1, &size, &later, 1) == fmi3OK, "set the key");
	if (setjmp(away) == 0) {
		FIND(fmi3DoStep)(i, 0, 1, true, &event, &terminate, &early, &last);
		check(0, "leap out of the logger");
	}
	check(lines == 1, "receive one line");
	check(FIND(fmi3GetBinary)(i, &message, 1, &size, &data, 1) == fmi3OK && lines == 2, "receive the second line");

	/* the maximum size of an input holds in every state */
	check(FIND(fmi3Reset)(i) == fmi3OK, "reset");
	for (int started = 0; started < 2; started++) {
		fmi3Binary word = (fmi3Binary)"123456789";
		size = 8;
		check(FIND(fmi3SetBinary)(i, &key, 1, &size, &word, 1) == fmi3OK, "set eight bytes");
		size = 9, lines = 0;
		check(FIND(fmi3SetBinary)(i, &key, 1, &size, &word, 1) == fmi3Error && lines == 1, "refuse nine bytes");
		check(FIND(fmi3Reset)(i) == fmi3OK, "reset");
		check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
		check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "start");
		check(FIND(fmi3DoStep)(i, 0, 0.1, true, &event, &terminate, &early, &last) == fmi3OK, "step");
	}
	FIND(fmi3FreeInstance)(i);

	/* one that frees the instance, against the rules */
	frees = 1;
	i = FIND(fmi3InstantiateCoSimulation)("free", token, resources, false, true, false, true, required, 1, &lines,
	                                      log_line, watch);
	watched = i;
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "start");
	check(FIND(fmi3DoStep)(i, 0, 1, true, &event, &terminate, &early, &last) == fmi3Fatal, "step");

	/* references of intermediate variables that are none */
	check(FIND(fmi3InstantiateCoSimulation)("bad", token, resources, false, true, false, true, &number, 1, &lines, log_line,
	                                        watch) == NULL, "refuse");
	check(FIND(fmi3InstantiateCoSimulation)("bad", token, resources, false, true, false, true, NULL, 3, &lines, log_line,
	                                        watch) == NULL, "refuse NULL");
	check(FIND(fmi3InstantiateCoSimulation)("bad", token, resources, false, true, false, true, &number, SIZE_MAX, &lines,
	                                        log_line, watch) == NULL, "refuse many");
	return 0;
}
`

// watch3 is the callback of modes3.
const watch3 = `
#include <setjmp.h>

static fmi3Instance watched;
static fmi3ValueReference watched_way;
static jmp_buf away;
static int leaps, returns, frees;

static void leap(void) { longjmp(away, 1); }

static void watch(fmi3InstanceEnvironment e, fmi3Float64 time, fmi3Boolean set, fmi3Boolean get, fmi3Boolean finished,
                  fmi3Boolean can_return, fmi3Boolean *requested, fmi3Float64 *until)
{
	fmi3Float64 x = 0;
	check(e == &lines && !set && get && finished, "watch");
	check(FIND(fmi3GetFloat64)(watched, &watched_way, 1, &x, 1) == fmi3OK && x == time, "get way in an update");
	if (frees)
		FIND(fmi3FreeInstance)(watched);
	if (leaps)
		longjmp(away, 1);
	printf("update at %.1f, can return %d\n", time, can_return);
	*requested = returns, *until = time;
}
`

// Every function in every state of an FMU that has all modes.
func TestCells3_OfAllModes(t *testing.T) {
	i := newModes(t)
	source, want := cells3(t, statesOfModes, true)
	requireLines(t, run3(t, i, source), want)
	requireModes(t, i)
}

func requireModes(t *testing.T, i importer, flags ...string) {
	source := "#define MODES true\n" + host3 + watch3 + main3 + modes3
	require.Equal(t, []string{
		"0.3 early 1 tick 1 message 0 fix 1 at 0.300, next 0.6",
		"0.6 early 1 tick 1 message 14 fix 2 at 0.600, next 0.9",
		"0.9 early 1 tick 1 message 14 fix 3 at 0.900, next 1.2",
		"1.2 early 1 tick 1 message 14 fix 4 at 1.200, next 1.5",
		"update at 0.3, can return 0", "update at 0.6, can return 0", "update at 0.9, can return 0",
		"update at 0.3, can return 1", "returns 1 at 0.3",
		"update at 0.3, can return 1", "event at 0.3",
		"update at 0.3, can return 0", "discarded: 3 early 0 at 0.3, 2 lines",
		"update at 0.3, can return 1", "discarded: 0 early 1 at 0.3, 1 lines",
		"update at 0.3, can return 0", "update at 0.6, can return 0", "update at 0.9, can return 0",
		"update at 0.3, can return 0", "update at 0.6, can return 0", "update at 0.9, can return 0",
		"update at 0.3, can return 0", "update at 0.6, can return 0", "update at 0.9, can return 0",
		"ended: early 0 at 1.0", "ended: early 1 at 0.3",
		"update at 0.3, can return 0",
		"update at 0.3, can return 1",
	}, run3(t, i, source, flags...))
}

// The same in hosts that are built with sanitizers.
func TestSanitizers_HostsOfAllModes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs under the sanitizers, which takes a while")
	}
	flags := sanitized(t)
	i := newModes(t)
	source, want := cells3(t, statesOfModes, true)
	requireLines(t, run3(t, i, source, flags...), want)
	requireModes(t, i, flags...)
}
