//go:build ignore

/* A host that executes its input, one call per line, and prints the results: for tests written in
 * Go.
 *
 *   script GUID RESOURCES LIBRARY < SCRIPT
 *
 * RESOURCES is - for NULL. The fields of a command are separated by tabs; texts and values of
 * Strings are in hexadecimal digits:
 *
 *   new NAME LOGGING        instantiates; NAME is shown with its log lines
 *   use N                   switches to the N-th instance, from 0
 *   debug ON [CATEGORY...]  fmi2SetDebugLogging
 *   set TYPE REFERENCE VALUE
 *   get TYPE REFERENCE
 *   setup START STOP        fmi2SetupExperiment; STOP is - for none
 *   enter | exit            the initialization mode
 *   terminate | reset | free
 *   step TIME SIZE
 *   message                 size and hash of SensorData
 *   save FILE               writes the serialized state
 *   load FILE SIZE BIT      restores SIZE bytes of FILE as a state, with one bit flipped; SIZE -1
 *                           is all of it, BIT -1 flips none
 *   library PATH            loads another copy, which the following commands use
 *   go PATH                 changes the working directory
 *   holdings                what the process holds
 *   child                   a forked child runs the lines up to the matching "end"; the parent
 *                           waits, and kills a child that still runs after a minute
 *   end
 *
 * Each call prints its status in letters, with the value if it has one, and the lines that were
 * logged, each as "| STATUS CATEGORY INSTANCE TEXT" where TEXT is in hexadecimal digits. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"
#include "simulation.h"
#include "value.h"

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

/* hear prints a log line as it appears in a host that uses the message as a printf format. */
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
	const char type = *fields[1];
	char *text = unhex(fields[3]);
	answer(set_value(&f, c, type, (fmi2ValueReference)strtoul(fields[2], NULL, 10),
	                 parse_value(type, type == 'S' ? text : fields[3])));
	free(text);
}

static void get(char *fields[])
{
	const char type = *fields[1];
	value v;
	printf("%s ",
	       statuses[get_value(&f, c, type, (fmi2ValueReference)strtoul(fields[2], NULL, 10), &v)]);
	if (type == 'S')
		print_hex(v.text);
	else
		printf("%.17g", v.number);
	printf("\n");
}

static void debug(char *fields[])
{
	fmi2String names[FIELDS];
	size_t n = 0;
	for (; 2 + n < FIELDS && *fields[2 + n] != '\0'; n++)
		names[n] = fields[2 + n];
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
	serialized s = {NULL, 0};
	fmi2Status status = f.fmi2GetFMUstate(c, &state);
	if (status == fmi2OK)
		status = serialize(&f, c, state, &s);
	if (!write_file(path, s.bytes, s.size))
		exit(1);
	free(s.bytes);
	f.fmi2FreeFMUstate(c, &state);
	printf("%s %zu\n", statuses[status], s.size);
}

static void restore(const char *path, long size, long bit)
{
	fmi2FMUstate state = NULL;
	size_t n;
	unsigned char *bytes = read_file(path, &n);
	if (bytes == NULL)
		exit(1);
	if (size >= 0 && (size_t)size < n)
		n = (size_t)size;
	if (bit >= 0)
		bytes[bit / 8] = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
	fmi2Status status = f.fmi2DeSerializeFMUstate(c, (const fmi2Byte *)bytes, n, &state);
	if (status == fmi2OK)
		status = f.fmi2SetFMUstate(c, state);
	f.fmi2FreeFMUstate(c, &state);
	free(bytes);
	answer(status);
}

/* wait_for waits for a child and prints how it ended. */
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

/* perform runs the lines from first up to the matching "end". */
static void perform(char *lines[], int first)
{
	for (int k = first; lines[k] != NULL && strcmp(lines[k], "end") != 0; k++) {
		fflush(stdout);
		if (strcmp(lines[k], "child") != 0) {
			char *fields[FIELDS];
			split(lines[k], fields, FIELDS);
			if (!act(fields))
				printf("no such command: %s\n", fields[0]);
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
}

int main(int count, char **words)
{
	static char *lines[LINES + 1];
	if (count != 4)
		return 2;
	guid = words[1];
	resources = strcmp(words[2], "-") == 0 ? NULL : words[2];
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	if (!load(&f, words[3]))
		return 1;
	for (size_t n = 0; n < LINES && (lines[n] = read_line(stdin)) != NULL; n++)
		;
	perform(lines, 0);
	return 0;
}
