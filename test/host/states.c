//go:build ignore

/* Saves the state of an FMU, does something else, restores the state, and verifies that all outputs
 * continue as before.
 *
 *   states save GUID RESOURCES LIBRARY SCENARIO OTHER VIEWS FOLDER < OUTPUTS
 *   states load GUID RESOURCES LIBRARY SCENARIO OTHER VIEWS FOLDER < OUTPUTS
 *
 * save takes a state in each of the slave's states, and writes it in serialized form, with the
 * outputs that follow, to FOLDER. It then restores each one from every state, in the same instance
 * and in one that has played OTHER, and expects the same outputs. load does the same from the
 * files, in another process. SCENARIO and OTHER are recordings, VIEWS contains SensorViews as in
 * host.c. OUTPUTS has a line "TYPE REFERENCE" for each variable that is compared besides
 * SensorData.
 *
 * The program prints a line for each comparison and "N of N". The exit code is 0 if all are
 * equal. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "simulation.h"
#include "value.h"

static fmu f;
static simulation settings;
static const char *scenario, *other, *folder;
static const char taken[] =
	"IMCTE"; /* instantiated, initialization mode, step complete, terminated, error */

enum { BEFORE = 230, AFTER = 120, OUTPUTS = 1024 };

/* ---- What is compared. ---- */

static struct {
	char type;
	fmi2ValueReference reference;
} outputs[OUTPUTS];
static size_t count_outputs;

static void read_outputs(void)
{
	while (count_outputs < OUTPUTS &&
	       scanf(" %c %u", &outputs[count_outputs].type, &outputs[count_outputs].reference) == 2)
		count_outputs++;
}

/* A record of all outputs. */
typedef struct {
	unsigned char *bytes;
	size_t size, capacity;
} record;

static void put(record *r, const void *bytes, size_t n)
{
	if (r->size + n > r->capacity) {
		r->capacity = 2 * (r->size + n);
		if ((r->bytes = realloc(r->bytes, r->capacity)) == NULL)
			abort();
	}
	if (n > 0)
		memcpy(r->bytes + r->size, bytes, n);
	r->size += n;
}

static message sensor_data_of(fmi2Component c)
{
	message m;
	if (!read_message(&f, c, sensor_data, &m))
		exit(!trouble("SensorData cannot be read"));
	return m;
}

static void look_at(fmi2Component c, record *r)
{
	for (size_t k = 0; k < count_outputs; k++) {
		value v;
		if (get_value(&f, c, outputs[k].type, outputs[k].reference, &v) != fmi2OK)
			exit(!trouble("%c%u cannot be read", outputs[k].type, outputs[k].reference));
		put(r, &v.number, sizeof v.number);
		put(r, v.text, strlen(v.text) + 1);
	}
	message p = sensor_data_of(c);
	put(r, &p.size, sizeof p.size);
	put(r, p.bytes, p.size);
}

/* ---- The input. ---- */

static input_message views[MOST_MESSAGES];
static size_t count_views;

/* advance makes a step with the SensorView for its number, from memory that is freed afterwards. */
static void advance(fmi2Component c, int k)
{
	size_t n = views[(size_t)k % count_views].size;
	unsigned char *view = malloc(n);
	memcpy(view, views[(size_t)k % count_views].bytes, n);
	if (!write_message(&f, c, sensor_view, view, n) ||
	    f.fmi2DoStep(c, k * h, h, fmi2True) != fmi2OK)
		exit(!trouble("step %d", k));
	memset(view, 0xDD, n);
	free(view);
}

/* ---- Ways into a state, and out of it. ---- */

static void enter(fmi2Component c)
{
	MUST(f.fmi2SetupExperiment(c, 0, 0, 0, 0, 0), fmi2OK);
	MUST(f.fmi2EnterInitializationMode(c), fmi2OK);
}

static int muted; /* the refused step in the error state is intended */

/* bring takes a fresh instance into a state, with a recording and a number of steps. */
static void bring(fmi2Component c, char state, const char *recording, int steps)
{
	const fmi2ValueReference file = 0;
	MUST(f.fmi2SetString(c, &file, 1, &recording), fmi2OK);
	if (state == 'I')
		return;
	enter(c);
	if (state == 'M')
		return;
	MUST(f.fmi2ExitInitializationMode(c), fmi2OK);
	for (int k = 0; k < steps; k++)
		advance(c, k);
	if (state == 'T')
		MUST(f.fmi2Terminate(c), fmi2OK);
	if (state == 'E') {
		muted = 1;
		MUST(f.fmi2DoStep(c, steps * h, -h, fmi2True), fmi2Error);
		muted = 0;
	}
}

/* future returns all outputs from a state on. */
static record future(fmi2Component c, char state)
{
	record r = {0};
	int first = state == 'C' ? BEFORE : 0;
	if (state == 'I')
		enter(c);
	look_at(c, &r);
	if (state == 'I' || state == 'M')
		MUST(f.fmi2ExitInitializationMode(c), fmi2OK);
	if (state == 'T' || state == 'E') { /* only the outputs can be read */
		muted = 1;
		MUST(f.fmi2DoStep(c, BEFORE * h, h, fmi2True), fmi2Error);
		muted = 0;
		look_at(c, &r);
		return r;
	}
	for (int k = first; k < first + AFTER; k++) {
		message before = sensor_data_of(c);
		advance(c, k);
		look_at(c, &r);
		if (!is_intact(&before))
			exit(!trouble("step %d: the previous message has changed", k));
	}
	return r;
}

/* ---- Comparisons. ---- */

static int compared, equal;

static void compare(const record *want, record got, const char *format, char a, char b)
{
	int same = want->size == got.size && memcmp(want->bytes, got.bytes, got.size) == 0;
	compared++, equal += same;
	printf("%s: ", same ? "equal" : "DIFFERENT");
	printf(format, a, b);
	printf(", %zu bytes\n", got.size);
	free(got.bytes);
}

static char *path_of(char state, const char *kind)
{
	static char path[4096];
	snprintf(path, sizeof path, "%s/%c.%s", folder, state, kind);
	return path;
}

static void save_file(char state, const char *kind, const void *bytes, size_t n)
{
	if (!write_file(path_of(state, kind), bytes, n))
		exit(1);
}

static record load_file(char state, const char *kind)
{
	record r = {0};
	r.bytes = read_file(path_of(state, kind), &r.size);
	if (r.bytes == NULL || r.size == 0)
		exit(!trouble("%s is missing or empty", path_of(state, kind)));
	return r;
}

static void log_unless_muted(fmi2ComponentEnvironment e, fmi2String name, fmi2Status status,
                             fmi2String category, fmi2String text, ...)
{
	(void)e, (void)category;
	if (status != fmi2OK && !muted)
		fprintf(stderr, "%s: %s\n", name, text);
}

static fmi2Component fresh(void)
{
	static const fmi2CallbackFunctions ours = {log_unless_muted, NULL, NULL, NULL, NULL};
	fmi2Component c = f.fmi2Instantiate("s", fmi2CoSimulation, settings.guid, settings.resources,
	                                    &ours, fmi2False, fmi2True);
	if (c == NULL)
		exit(!trouble("no instance"));
	return c;
}

/* from_everywhere restores a state from every other state, after an unrelated recording has been
 * played. */
static void from_everywhere(fmi2Component c, fmi2FMUstate state, char of, const record *want,
                            const char *format)
{
	for (const char *from = taken; *from != '\0'; from++) {
		MUST(f.fmi2Reset(c), fmi2OK);
		bring(c, *from, other, 37);
		MUST(f.fmi2SetFMUstate(c, state), fmi2OK);
		compare(want, future(c, of), format, of, *from);
	}
}

/* same_place verifies that both messages are back at the addresses they had when the state was
 * saved. */
static void same_place(fmi2Component c, fmi2FMUstate state, message last, message live)
{
	int gone = !is_intact(&last) && !is_intact(&live);
	MUST(f.fmi2SetFMUstate(c, state), fmi2OK);
	message newest = sensor_data_of(c);
	int same = gone && newest.bytes == live.bytes && newest.size == live.size && is_intact(&live) &&
	           is_intact(&last);
	compared++, equal += same;
	printf("%s: both messages where they were\n", same ? "equal" : "DIFFERENT");
}

static void save(char of)
{
	fmi2FMUstate state = NULL;
	serialized s;
	fmi2Component c = fresh(), second = fresh();
	bring(c, of, scenario, of == 'C' ? BEFORE - 1 : BEFORE);
	message last = {0}, live = {0};
	if (of == 'C') {
		last = sensor_data_of(c);
		advance(c, BEFORE - 1);
		live = sensor_data_of(c);
	}
	MUST(f.fmi2GetFMUstate(c, &state), fmi2OK);
	MUST(serialize(&f, c, state, &s), fmi2OK);
	record want = future(c, of);
	if (of == 'C')
		same_place(c, state, last, live);
	else
		MUST(f.fmi2SetFMUstate(c, state), fmi2OK);
	compare(&want, future(c, of), "state %c, at once %c", of, of);
	from_everywhere(c, state, of, &want, "state %c, the same instance in %c");
	from_everywhere(second, state, of, &want, "state %c, another instance in %c");
	MUST(f.fmi2FreeFMUstate(c, &state), fmi2OK);
	save_file(of, "state", s.bytes, s.size);
	save_file(of, "future", want.bytes, want.size);
	f.fmi2FreeInstance(c);
	f.fmi2FreeInstance(second);
	free(s.bytes);
	free(want.bytes);
}

static void load_state(char of)
{
	fmi2FMUstate state = NULL;
	fmi2Component c = fresh();
	record bytes = load_file(of, "state"), want = load_file(of, "future");
	MUST(f.fmi2DeSerializeFMUstate(c, (const fmi2Byte *)bytes.bytes, bytes.size, &state), fmi2OK);
	MUST(f.fmi2SetFMUstate(c, state), fmi2OK);
	compare(&want, future(c, of), "state %c, another process %c", of, of);
	from_everywhere(c, state, of, &want, "state %c, another process in %c");
	f.fmi2FreeInstance(c);
	free(bytes.bytes);
	free(want.bytes);
}

int main(int count, char **words)
{
	if (count != 9)
		return 2;
	settings.guid = words[2], settings.resources = words[3];
	scenario = words[5], other = words[6], folder = words[8];
	if (!load(&f, words[4]))
		return 1;
	if ((count_views = read_inputs(words[7], views)) == 0)
		return 1;
	read_outputs();
	for (const char *of = taken; *of != '\0'; of++)
		if (strcmp(words[1], "save") == 0)
			save(*of);
		else
			load_state(*of);
	printf("%d of %d\n", equal, compared);
	return equal != compared;
}
