//go:build ignore

/* A small importer: it loads an unpacked FMU like any tool, and prints the results in a form that
 * can be compared.
 *
 *   host run    GUID RESOURCES LIBRARY [STEPS [REALS...]]
 *        one simulation; for each step the time, the size and hash of SensorData, and the hash of
 *        the Real outputs with these value references
 *   host copies GUID RESOURCES LIBRARY...
 *        a short simulation with each library, loaded and unloaded in turn
 *   host rounds GUID RESOURCES LIBRARY...
 *        the same, and the library's folder is removed after each
 *   host race   GUID RESOURCES LIBRARY...
 *        the same as copies, each on a thread of its own, all starting at once
 *   host life   GUID RESOURCES LIBRARY OUT VIEWS
 *        a simulation that calls all functions, with one of the SensorViews in VIEWS as the input
 *        of each step; its SensorData go to OUT. Both are files of messages, see message.h
 *   host pair   GUID RESOURCES LIBRARY GUID RESOURCES LIBRARY
 *        two FMUs stepped alternately; each has to give the same results as alone
 *
 * RESOURCES may be - for a host that passes no resource location. Errors of any kind go to stderr
 * and make the exit code 1; after a wrong command line it is 2. One source serves Linux, macOS and
 * Windows: C11 with __typeof__, as supported by gcc, clang and mingw. Threads, files and cores are
 * counted on Linux and Windows. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation.h"
#include "value.h"

/* ---- The commands. ---- */

static int run(simulation s, int count, char **words)
{
	s.path = words[0];
	s.steps = count > 1 ? atoi(words[1]) : 100;
	for (int k = 2; k < count && s.reals < MOST_REALS; k++)
		s.references[s.reals++] = (fmi2ValueReference)strtoul(words[k], NULL, 10);
	if (!simulate(&s))
		return 1;
	printf("all %016llx\n", (unsigned long long)s.hash);
	return 0;
}

/* in_turn simulates with one library after the other. Removing a folder may leave files that are
 * still mapped, which Windows does not delete. */
static int in_turn(simulation s, int count, char **words, int removing)
{
	uint64_t first = 0;
	int left = 0;
	for (int k = 0; k < count; k++) {
		s.path = words[k];
		if (!simulate(&s))
			return 1;
		if (k == 0) {
			first = s.hash;
			print_holdings("first");
		}
		if (s.hash != first)
			return !trouble("%s: other results than the first copy", s.path);
		if (removing)
			left += clear(s.path);
	}
	print_holdings("last");
	if (removing)
		printf("left: %d of %d files\n", left, 2 * count);
	return 0;
}

static int copies(simulation s, int count, char **words) { return in_turn(s, count, words, 0); }
static int rounds(simulation s, int count, char **words) { return in_turn(s, count, words, 1); }

/* runner is one thread of a race. */
typedef struct {
	simulation simulation;
	atomic_int *ready; /* how many have loaded their library; all start when
	                      all have */
	int racers, well;
} runner;

static void race_one(void *argument)
{
	runner *r = argument;
	fmu f;
	int loaded = load(&f, r->simulation.path);
	atomic_fetch_add(r->ready, 1);
	while (atomic_load(r->ready) < r->racers)
		;
	r->well = loaded && play(&f, &r->simulation);
}

static int race(simulation s, int count, char **words)
{
	atomic_int ready = 0;
	thread *threads = calloc((size_t)count, sizeof *threads);
	runner *runners = calloc((size_t)count, sizeof *runners);
	int well = threads != NULL && runners != NULL ? 1 : trouble("out of memory");
	for (int k = 0; k < count && well; k++) {
		s.path = words[k];
		runners[k] = (runner){s, &ready, count, 0};
		threads[k].work = race_one;
		threads[k].argument = &runners[k];
		if (!start(&threads[k]))
			exit(!trouble("no thread %d", k));
	}
	for (int k = 0; k < count && well; k++) {
		join(&threads[k]);
		if (!runners[k].well || runners[k].simulation.hash != runners[0].simulation.hash)
			well = trouble("%s: no or other results", words[k]);
	}
	print_holdings("raced");
	free(threads);
	free(runners);
	return !well;
}

/* ---- A life cycle that calls everything. ---- */

/* A life is one instance with its files. */
typedef struct {
	const fmu *f;
	fmi2Component c;
	FILE *views, *out;
	input_message view;
} life;

/* feed sets the next SensorView, which stays in place until the step is over. */
static int feed(life *l)
{
	free(l->view.bytes);
	l->view.bytes = NULL;
	if (!read_next(l->views, &l->view))
		return trouble("no SensorView is left");
	return write_message(l->f, l->c, sensor_view, l->view.bytes, l->view.size);
}

/* emit copies the SensorData of the last step to the file. */
static int emit(life *l)
{
	message m;
	if (!read_message(l->f, l->c, sensor_data, &m) || m.size == 0)
		return trouble("no SensorData");
	return write_next(l->out, &m);
}

static int span(life *l, int from, int to)
{
	for (int k = from; k < to; k++) {
		if (!feed(l))
			return 0;
		MUST(l->f->fmi2DoStep(l->c, k * h, h, fmi2False), fmi2OK);
		if (!emit(l))
			return 0;
	}
	return 1;
}

/* refused makes the calls that a slave without asynchronous steps and derivatives has to refuse,
 * and checks the statuses. */
static int refused(const life *l)
{
	const fmi2ValueReference real = 0;
	const fmi2Integer order = 1;
	fmi2Real x = 0;
	fmi2Status status;
	fmi2Integer integer;
	fmi2Boolean boolean;
	fmi2String string;
	MUST(l->f->fmi2GetStatus(l->c, fmi2DoStepStatus, &status), fmi2Discard);
	MUST(l->f->fmi2GetIntegerStatus(l->c, fmi2DoStepStatus, &integer), fmi2Discard);
	MUST(l->f->fmi2GetBooleanStatus(l->c, fmi2Terminated, &boolean), fmi2OK);
	MUST(l->f->fmi2GetStringStatus(l->c, fmi2PendingStatus, &string), fmi2Discard);
	MUST(l->f->fmi2GetDirectionalDerivative(l->c, &real, 1, &real, 1, &x, &x), fmi2Error);
	MUST(l->f->fmi2SetRealInputDerivatives(l->c, &real, 1, &order, &x), fmi2Error);
	MUST(l->f->fmi2GetRealOutputDerivatives(l->c, &real, 1, &order, &x), fmi2Error);
	MUST(l->f->fmi2CancelStep(l->c), fmi2Error);
	if (boolean != fmi2False)
		return trouble("a slave in the middle of its life is terminated: %d", boolean);
	return 1;
}

/* begin sets a parameter of each type, initializes, and reads the parameters back. */
static int begin(const life *l)
{
	const fmi2ValueReference first = 0, enabled = 1, sensorId = 13, timeUnit = 1;
	fmi2Real range = 135;
	fmi2Boolean yes = fmi2True;
	fmi2Integer id = 7;
	fmi2String unit = "ms";
	MUST(l->f->fmi2SetDebugLogging(l->c, fmi2True, 0, NULL), fmi2OK);
	MUST(l->f->fmi2SetReal(l->c, &first, 1, &range), fmi2OK);
	MUST(l->f->fmi2SetBoolean(l->c, &enabled, 1, &yes), fmi2OK);
	MUST(l->f->fmi2SetInteger(l->c, &sensorId, 1, &id), fmi2OK);
	MUST(l->f->fmi2SetString(l->c, &timeUnit, 1, &unit), fmi2OK);
	range = yes = id = 0;
	if (!initialize(l->f, l->c))
		return 0;
	MUST(l->f->fmi2GetReal(l->c, &first, 1, &range), fmi2OK);
	MUST(l->f->fmi2GetBoolean(l->c, &enabled, 1, &yes), fmi2OK);
	MUST(l->f->fmi2GetInteger(l->c, &sensorId, 1, &id), fmi2OK);
	MUST(l->f->fmi2GetString(l->c, &timeUnit, 1, &unit), fmi2OK);
	if (range != 135 || yes != fmi2True || id != 7 || strcmp(unit, "ms") != 0)
		return trouble("parameters came back as %g, %d, %d, %s", range, yes, id, unit);
	return 1;
}

/* again returns to a state, directly and from its serialized bytes, and continues with the same
 * steps each time. */
static int again(life *l, int from, int to)
{
	fmi2FMUstate state = NULL, copy = NULL;
	serialized s;
	long place = ftell(l->views);
	MUST(l->f->fmi2GetFMUstate(l->c, &state), fmi2OK);
	MUST(serialize(l->f, l->c, state, &s), fmi2OK);
	MUST(l->f->fmi2DeSerializeFMUstate(l->c, s.bytes, s.size, &copy), fmi2OK);
	free(s.bytes);
	fmi2FMUstate *const states[3] = {NULL, &state, &copy};
	for (int k = 0; k < 3; k++) {
		if (states[k] != NULL)
			MUST(l->f->fmi2SetFMUstate(l->c, *states[k]), fmi2OK);
		if (fseek(l->views, place, SEEK_SET) != 0 || !span(l, from, to))
			return 0;
	}
	MUST(l->f->fmi2FreeFMUstate(l->c, &state), fmi2OK);
	MUST(l->f->fmi2FreeFMUstate(l->c, &copy), fmi2OK);
	return 1;
}

/* through makes the calls in order; OUT gets steps 0 to 50, 50 to 60 three times, 60 to 80, and 0
 * to 20 after a reset. */
static int through(life *l)
{
	fmi2Real last = 0;
	if (!begin(l) || !span(l, 0, 50) || !again(l, 50, 60) || !span(l, 60, 80))
		return 0;
	MUST(l->f->fmi2GetRealStatus(l->c, fmi2LastSuccessfulTime, &last), fmi2OK);
	if (last != 80 * h)
		return trouble("last successful time %g", last);
	MUST(l->f->fmi2Terminate(l->c), fmi2OK);
	MUST(l->f->fmi2Reset(l->c), fmi2OK);
	rewind(l->views);
	return initialize(l->f, l->c) && span(l, 0, 20) && refused(l);
}

static int live(simulation s, int count, char **words)
{
	fmu f;
	s.path = words[0];
	if (count != 3 || !load(&f, s.path))
		return 1;
	life l = {&f, instantiate(&f, &s), fopen(words[2], "rb"), fopen(words[1], "wb"), {NULL, 0}};
	int well = l.views != NULL && l.out != NULL
	               ? 1
	               : trouble("%s or %s cannot be opened", words[1], words[2]);
	well = well && l.c != NULL && through(&l);
	if (l.c != NULL)
		f.fmi2FreeInstance(l.c);
	close_library(f.file);
	return !(well && fclose(l.out) == 0);
}

/* pair steps two FMUs alternately, after each has run alone. */
static int pair(simulation s, int count, char **words)
{
	if (count != 4)
		return !trouble("pair takes two FMUs");
	simulation both[2] = {s, s}, alone[2];
	both[0].path = words[0];
	both[1].guid = words[1];
	both[1].resources = words[2];
	both[1].path = words[3];
	fmu f[2];
	fmi2Component c[2];
	for (int k = 0; k < 2; k++) {
		alone[k] = both[k];
		both[k].hash = hash_start;
		if (!simulate(&alone[k]) || !load(&f[k], both[k].path) ||
		    (c[k] = instantiate(&f[k], &both[k])) == NULL || !initialize(&f[k], c[k]))
			return 1;
	}
	for (int n = 0; n < 2 * s.steps; n++)
		if (!step(&f[n % 2], c[n % 2], &both[n % 2], n / 2))
			return 1;
	for (int k = 0; k < 2; k++) {
		f[k].fmi2FreeInstance(c[k]);
		close_library(f[k].file);
		if (both[k].hash != alone[k].hash)
			return !trouble("%s: other results than alone", both[k].path);
		printf("%016llx\n", (unsigned long long)both[k].hash);
	}
	print_holdings("paired");
	return 0;
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		int (*does)(simulation, int, char **);
		int steps, silent;
	} commands[] = {{"run", run, 100, 0}, {"copies", copies, 5, 1}, {"rounds", rounds, 5, 1},
	                {"race", race, 5, 1}, {"life", live, 0, 1},     {"pair", pair, 100, 1}};
	simulation s = {0};
	words = utf8_words(&count, words);
	for (size_t k = 0; count > 4 && k < sizeof commands / sizeof *commands; k++)
		if (strcmp(words[1], commands[k].name) == 0) {
			s.guid = words[2];
			s.resources = strcmp(words[3], "-") == 0 ? NULL : words[3];
			s.steps = commands[k].steps;
			s.silent = commands[k].silent;
			return commands[k].does(s, count - 4, words + 4);
		}
	fputs("usage: host run GUID RESOURCES LIBRARY [STEPS [REALS...]] | copies|rounds|race GUID "
	      "RESOURCES LIBRARY...\n"
	      "       | life GUID RESOURCES LIBRARY OUT VIEWS | pair GUID RESOURCES LIBRARY GUID "
	      "RESOURCES LIBRARY\n",
	      stderr);
	return 2;
}
