//go:build ignore

/* A host that does what its input says, one call a line, and prints what it gets: for tests whose
 * story is told in Go.
 *
 *   script GUID RESOURCES LIBRARY < SCRIPT
 *
 * RESOURCES is - for NULL. Commands, with tabs between their fields; texts and values of Strings
 * are in hexadecimal digits: new NAME LOGGING        instantiates; NAME is shown with its log lines
 *   use N                   goes on with the N-th instance, from 0
 *   debug ON [CATEGORY...]  fmi2SetDebugLogging
 *   set TYPE REFERENCE VALUE | get TYPE REFERENCE
 *   setup START STOP        STOP is - for none
 *   enter | exit | terminate | reset | free
 *   step TIME SIZE
 *   message                 size and hash of SensorData
 *   save FILE               writes the state, serialized
 *   load FILE SIZE BIT      takes SIZE bytes of FILE as a state, the BIT-th one flipped, and
 * restores it; -1 is all of it, and none library PATH            loads another copy for what
 * follows go PATH                 works in another folder from here on holdings                what
 * the process holds child | end             what stands between is done by a forked child, for
 * which the parent waits; a child that is not done after a minute is ended and called a hang Each
 * call prints its status in letters, with the value if it has one, and the lines that were logged,
 * each as | STATUS CATEGORY INSTANCE TEXT where TEXT is in hexadecimal digits. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulation.h"

enum { INSTANCES = 64, LINES = 100000, FIELDS = 40 };

static const char *const statuses[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
static fmu f;
static const char *guid, *resources;
static fmi2Component instances[INSTANCES], c;
static int count_instances;

static void print_hex(const char *text)
{
	for (; *text != '\0'; text++)
		printf("%02x", (unsigned char)*text);
}

/* hear prints a line as a host sees it that uses the message as a printf format. */
static void hear(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status,
                 fmi2String category, fmi2String text, ...)
{
	(void)e;
	va_list arguments;
	char *shown = NULL;
	va_start(arguments, text);
	int n = vasprintf(&shown, text, arguments);
	va_end(arguments);
	printf("| %s %s ", statuses[status], category != NULL ? category : "NULL");
	print_hex(instance);
	printf(" ");
	print_hex(n >= 0 ? shown : "");
	printf("\n");
	free(n >= 0 ? shown : NULL);
}

static char *unhex(const char *digits)
{
	size_t n = strlen(digits) / 2;
	char *text = calloc(n + 1, 1);
	for (size_t k = 0; k < n && text != NULL; k++) {
		unsigned byte;
		sscanf(digits + 2 * k, "%2x", &byte);
		text[k] = (char)byte;
	}
	return text;
}

static void answer(fmi2Status status) { printf("%s\n", statuses[status]); }

static void instantiate_one(char *fields[])
{
	const fmi2CallbackFunctions ours = {hear, NULL, NULL, NULL, NULL};
	char *name = unhex(fields[1]);
	c = f.fmi2Instantiate(name, fmi2CoSimulation, guid, resources, &ours, fmi2False,
	                      atoi(fields[2]));
	free(name);
	printf("%s\n", c != NULL ? "ok" : "NULL");
	instances[count_instances++ % INSTANCES] = c;
}

static void set(char *fields[])
{
	const fmi2ValueReference vr = (fmi2ValueReference)strtoul(fields[2], NULL, 10);
	const fmi2Real real = atof(fields[3]);
	const fmi2Integer integer = atoi(fields[3]);
	char *text = unhex(fields[3]);
	const fmi2String string = text;
	answer(*fields[1] == 'R'   ? f.fmi2SetReal(c, &vr, 1, &real)
	       : *fields[1] == 'I' ? f.fmi2SetInteger(c, &vr, 1, &integer)
	       : *fields[1] == 'B' ? f.fmi2SetBoolean(c, &vr, 1, &integer)
	                           : f.fmi2SetString(c, &vr, 1, &string));
	free(text);
}

static void get(char *fields[])
{
	const fmi2ValueReference vr = (fmi2ValueReference)strtoul(fields[2], NULL, 10);
	fmi2Real real = 0;
	fmi2Integer integer = 0;
	fmi2String string = "";
	fmi2Status status = *fields[1] == 'R'   ? f.fmi2GetReal(c, &vr, 1, &real)
	                    : *fields[1] == 'I' ? f.fmi2GetInteger(c, &vr, 1, &integer)
	                    : *fields[1] == 'B' ? f.fmi2GetBoolean(c, &vr, 1, &integer)
	                                        : f.fmi2GetString(c, &vr, 1, &string);
	printf("%s ", statuses[status]);
	if (*fields[1] == 'R')
		printf("%.17g\n", real);
	else if (*fields[1] == 'S')
		print_hex(string), printf("\n");
	else
		printf("%d\n", integer);
}

static void debug(char *fields[])
{
	fmi2String names[FIELDS];
	size_t n = 0;
	while (fields[2 + n] != NULL) {
		names[n] = fields[2 + n];
		n++;
	}
	answer(f.fmi2SetDebugLogging(c, atoi(fields[1]), n, names));
}

static void show_message(void)
{
	message m = {0};
	const int status = read_message(&f, c, sensor_data, &m) ? fmi2OK : fmi2Error;
	printf("%s %zu %016llx\n", statuses[status], m.size, (unsigned long long)m.hash);
}

static void save(const char *path)
{
	fmi2FMUstate state = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "wb");
	fmi2Status status = f.fmi2GetFMUstate(c, &state);
	f.fmi2SerializedFMUstateSize(c, state, &size);
	fmi2Byte *bytes = malloc(size);
	if (status == fmi2OK)
		status = f.fmi2SerializeFMUstate(c, state, bytes, size);
	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		exit(!trouble("%s cannot be written", path));
	free(bytes);
	f.fmi2FreeFMUstate(c, &state);
	printf("%s %zu\n", statuses[status], size);
}

static void restore(const char *path, long size, long bit)
{
	static fmi2Byte bytes[1 << 20];
	fmi2FMUstate state = NULL;
	FILE *file = fopen(path, "rb");
	size_t n = file != NULL ? fread(bytes, 1, size < 0 ? sizeof bytes : (size_t)size, file) : 0;
	if (file == NULL || fclose(file) != 0)
		exit(!trouble("%s cannot be read", path));
	if (bit >= 0)
		bytes[bit / 8] = (fmi2Byte)(bytes[bit / 8] ^ 1 << bit % 8);
	fmi2Status status = f.fmi2DeSerializeFMUstate(c, bytes, n, &state);
	if (status == fmi2OK)
		status = f.fmi2SetFMUstate(c, state);
	f.fmi2FreeFMUstate(c, &state);
	answer(status);
}

/* wait_for waits for a child and says how it ended. */
static void wait_for(pid_t child)
{
	int code = 0;
	for (int k = 0; k < 6000; k++) {
		if (waitpid(child, &code, WNOHANG) != 0) {
			if (!WIFEXITED(code) || WEXITSTATUS(code) != 0)
				printf("child: died of %d\n", code);
			return;
		}
		usleep(10000);
	}
	kill(child, SIGKILL);
	waitpid(child, &code, 0);
	printf("child: hung\n");
}

static int act(char *fields[])
{
	const char *what = fields[0];
#define ON(name) if (strcmp(what, name) == 0)
	ON("new") instantiate_one(fields);
	else ON("use") c = instances[atoi(fields[1]) % INSTANCES], printf("ok\n");
	else ON("debug") debug(fields);
	else ON("set") set(fields);
	else ON("get") get(fields);
	else ON("setup") answer(f.fmi2SetupExperiment(c, fmi2False, 0, atof(fields[1]),
	                                              *fields[2] != '-', atof(fields[2])));
	else ON("enter") answer(f.fmi2EnterInitializationMode(c));
	else ON("exit") answer(f.fmi2ExitInitializationMode(c));
	else ON("terminate") answer(f.fmi2Terminate(c));
	else ON("reset") answer(f.fmi2Reset(c));
	else ON("free") f.fmi2FreeInstance(c), printf("ok\n");
	else ON("step") answer(f.fmi2DoStep(c, atof(fields[1]), atof(fields[2]), fmi2True));
	else ON("message") show_message();
	else ON("save") save(fields[1]);
	else ON("load") restore(fields[1], atol(fields[2]), atol(fields[3]));
	else ON("library") printf("%s\n", load(&f, fields[1]) ? "ok" : "not loaded");
	else ON("go") printf("%s\n", chdir(fields[1]) == 0 ? "ok" : "not there");
	else ON("holdings") print_holdings("holds");
	else return 0;
	return 1;
}

/* perform does the lines from first on, up to the end that belongs to it, and returns the line
 * after that. */
static int perform(char *lines[], int first)
{
	int k = first;
	for (; lines[k] != NULL && strcmp(lines[k], "end") != 0; k++) {
		char *fields[FIELDS + 1] = {0}, *rest = strdup(lines[k]);
		for (int n = 0; n < FIELDS && (fields[n] = strsep(&rest, "\t")) != NULL; n++)
			;
		fflush(stdout);
		if (strcmp(fields[0], "child") != 0) {
			if (!act(fields))
				printf("no such command: %s\n", lines[k]);
			continue;
		}
		pid_t child = fork();
		if (child == 0) {
			perform(lines, k + 1);
			fflush(stdout);
			exit(0);
		}
		wait_for(child);
		for (int depth = 1; depth > 0;) {
			k++;
			depth += (strcmp(lines[k], "child") == 0) - (strcmp(lines[k], "end") == 0);
		}
	}
	return k + 1;
}

int main(int count, char **words)
{
	static char *lines[LINES + 1];
	size_t size = 0, n = 0;
	if (count != 4)
		return 2;
	guid = words[1];
	resources = strcmp(words[2], "-") == 0 ? NULL : words[2];
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	if (!load(&f, words[3]))
		return 1;
	while (n < LINES && getline(&lines[n], &size, stdin) > 0) {
		lines[n][strcspn(lines[n], "\n")] = '\0';
		size = 0, n++;
	}
	lines[n] = NULL;
	perform(lines, 0);
	return 0;
}
