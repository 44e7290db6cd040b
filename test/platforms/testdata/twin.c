/* A life of the FMU for FMI 3.0:
 *
 *   twin TOKEN RESOURCES LIBRARY OUT VIEWS
 *
 * One of the SensorViews in VIEWS is the input of each step, and the SensorData go to OUT; both are
 * files of messages, see message.h. Each input is overwritten as soon as it has been set. After
 * each eighth step the state is saved as bytes and restored, and the step is made again: it has to
 * give the same message. Trouble goes to stderr and makes the exit code 1. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3.h"
#include "message.h"

static const fmi3ValueReference in = 1, out = 2;
static const double h = 0.02;

static library fmu3;
static int lines;

/* check ends the program if a call has failed. */
static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "twin: cannot %s\n", what);
	exit(1);
}

#define CALL(name) ((__typeof__(name) *)found(#name))

static function found(const char *name)
{
	function f = symbol(fmu3, name);
	check(f != NULL, name);
	return f;
}

static void log_line(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                     fmi3String text)
{
	check(environment == &lines && category != NULL, "log");
	if (status == fmi3OK)
		return;
	fprintf(stderr, "twin: status %d: %s\n", status, text);
	lines++;
}

/* step makes step k with an input, and reads the message. */
static message step(fmi3Instance i, int k, const input_message *view)
{
	fmi3Boolean event = true, terminate = true, early = true;
	fmi3Float64 last = -1;
	message m = {0};
	unsigned char *own = malloc(view->size);
	check(own != NULL, "copy the input");
	memcpy(own, view->bytes, view->size);
	fmi3Binary given = own;
	check(CALL(fmi3SetBinary)(i, &in, 1, &view->size, &given, 1) == fmi3OK, "set the SensorView");
	memset(own, 0xa5, view->size);
	free(own);
	check(CALL(fmi3DoStep)(i, k * h, h, false, &event, &terminate, &early, &last) == fmi3OK,
	      "step");
	check(!event && !early && last > (k + 0.5) * h, "complete a step");
	check(CALL(fmi3GetBinary)(i, &out, 1, &m.size, &m.bytes, 1) == fmi3OK, "get the SensorData");
	return m;
}

/* go_back restores the state of before as bytes. */
static void go_back(fmi3Instance i, fmi3FMUState *before)
{
	size_t size;
	check(CALL(fmi3SerializedFMUStateSize)(i, *before, &size) == fmi3OK, "get the size of a state");
	fmi3Byte *bytes = malloc(size);
	check(bytes != NULL && CALL(fmi3SerializeFMUState)(i, *before, bytes, size) == fmi3OK,
	      "serialize a state");
	check(CALL(fmi3FreeFMUState)(i, before) == fmi3OK && *before == NULL, "free a state");
	check(CALL(fmi3DeserializeFMUState)(i, bytes, size, before) == fmi3OK, "read a state");
	free(bytes);
	check(CALL(fmi3SetFMUState)(i, *before) == fmi3OK, "restore a state");
	check(CALL(fmi3FreeFMUState)(i, before) == fmi3OK, "free a state again");
}

/* live makes all steps. */
static void live(fmi3Instance i, const input_message views[], int count, FILE *to)
{
	for (int k = 0; k < count; k++) {
		fmi3FMUState before = NULL;
		if (k % 8 == 7)
			check(CALL(fmi3GetFMUState)(i, &before) == fmi3OK, "save a state");
		message m = step(i, k, &views[k]);
		check(m.size > views[k].size && write_next(to, &m), "write a message");
		if (before == NULL)
			continue;
		unsigned char *first = malloc(m.size);
		check(first != NULL, "copy a message");
		memcpy(first, m.bytes, m.size);
		go_back(i, &before);
		message again = step(i, k, &views[k]);
		check(again.size == m.size && memcmp(again.bytes, first, m.size) == 0,
		      "get the same message again");
		free(first);
	}
}

int main(int count, char **words)
{
	static input_message views[MOST_MESSAGES];
	words = utf8_words(&count, words);
	check(count == 6, "start without TOKEN RESOURCES LIBRARY OUT VIEWS");
	fmu3 = open_library(words[3]);
	check(fmu3 != NULL, open_failure());
	check(strcmp(CALL(fmi3GetVersion)(), "3.0") == 0, "get the version 3.0");
	fmi3Instance i = CALL(fmi3InstantiateCoSimulation)(
		"twin", words[1], words[2], false, true, false, false, NULL, 0, &lines, log_line, NULL);
	check(i != NULL, "instantiate");
	check(CALL(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize");
	check(CALL(fmi3ExitInitializationMode)(i) == fmi3OK, "exit initialization mode");
	FILE *to = fopen(words[4], "wb");
	check(to != NULL, "write the output");
	const size_t n = read_inputs(words[5], views);
	live(i, views, (int)n, to);
	check(n > 0 && fclose(to) == 0, "write all messages");
	check(CALL(fmi3Reset)(i) == fmi3OK && CALL(fmi3EnterEventMode)(i) == fmi3Error && lines == 1,
	      "have a call refused");
	CALL(fmi3FreeInstance)(i);
	check(close_library(fmu3), "close the library");
	printf("%d steps\n", (int)n);
	return 0;
}
