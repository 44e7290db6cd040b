//go:build ignore

/* A host that runs a chain of FMUs in one process and passes only three integers from one to the
 * next:
 *
 *     source --SensorView--> fog --SensorView--+--> front --SensorData--+--> fusion
 *                                              +--> left ---SensorData--+
 *
 *   chain forward|backward|late NOISE STEPS RECORD SOURCE FOG SENSOR FUSION
 *
 * With forward, every FMU steps after its sources and reads the output of the same step; with
 * backward it steps before them and reads the output of the previous step. The last four arguments
 * are folders of unpacked FMUs, each with a file variables.txt: the modelIdentifier and the guid in
 * the first line, then a line with type, value reference and name for each variable.
 *
 * An FMU must not change what it has published until the second step after it begins (OSMP,
 * lifetime of outputs). The host hashes each message when it is new, and again at the end of its
 * lifetime. The order late proves that the host notices a change: it is forward, but checks after
 * the lifetime has ended.
 *
 * NOISE is 1 for sensors with noise and 0 for sensors without. Noise depends on the number of the
 * step, so a step that runs later gets different noise.
 *
 * RECORD receives all messages in the order of their creation: one byte with the number of the FMU
 * in the chain, the size in 4 bytes, least significant first, and the bytes. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "value.h"

static const double h = 0.02;

/* ---- The parts of the chain, and what connects them. ---- */

enum { SOURCE, FOG, FRONT, LEFT, FUSION, PARTS };

typedef struct {
	const char *name, *output; /* prefix of the binary variable that is passed on */
	const char *folder;
	char identifier[64], guid[64];
	fmu library;
	fmi2Component component;
	fmi2ValueReference out[3]; /* of the output */
	message published[2];      /* by the newest step, and by the one before */
} part;

static part parts[PARTS] = {
	[SOURCE] = {.name = "source", .output = "OSMPSensorViewOut"},
	[FOG] = {.name = "fog", .output = "OSMPSensorViewOut"},
	[FRONT] = {.name = "front", .output = "OSMPSensorDataOut"},
	[LEFT] = {.name = "left", .output = "OSMPSensorDataOut"},
	[FUSION] = {.name = "fusion", .output = "OSMPSensorDataOut"},
};

static struct {
	int from, to;
	const char *input;
	fmi2ValueReference in[3]; /* of the input */
} links[] = {
	{SOURCE, FOG, "OSMPSensorViewIn", {0}},     {FOG, FRONT, "OSMPSensorViewIn", {0}},
	{FOG, LEFT, "OSMPSensorViewIn", {0}},       {FRONT, FUSION, "OSMPSensorDataIn[1]", {0}},
	{LEFT, FUSION, "OSMPSensorDataIn[2]", {0}},
};
enum { LINKS = sizeof links / sizeof *links };

static const struct {
	int part;
	const char *type, *name;
	double value;
} parameters[] = {
	{SOURCE, "Integer", "vehicles", 19},
	{SOURCE, "Real", "gap", 30},
	{FOG, "Real", "visibility", 60},
	{FRONT, "Boolean", "replay.enabled", fmi2False},
	{FRONT, "Integer", "sensorId", 1},
	{FRONT, "Integer", "objects.seed", 1},
	{FRONT, "Real", "objects.positionNoise", 0.2},
	{FRONT, "Real", "objects.velocityNoise", 0.1},
	{FRONT, "Real", "mounting.x", 3.5},
	{LEFT, "Boolean", "replay.enabled", fmi2False},
	{LEFT, "Integer", "sensorId", 2},
	{LEFT, "Integer", "objects.seed", 2},
	{LEFT, "Real", "objects.positionNoise", 0.2},
	{LEFT, "Real", "objects.velocityNoise", 0.1},
	{LEFT, "Real", "objects.halfAngle", 0.75},
	{LEFT, "Real", "mounting.x", 2},
	{LEFT, "Real", "mounting.y", 0.75},
	{LEFT, "Real", "mounting.z", 0.5},
	{LEFT, "Real", "mounting.yaw", 0.7},
};

/* ---- The life of one part. ---- */

/* open_variables opens an FMU's list of variables and reads its first line. */
static FILE *open_variables(part *p)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/variables.txt", p->folder);
	FILE *f = fopen(path, "r");
	if (f == NULL || fscanf(f, "%63s %63s", p->identifier, p->guid) != 2) {
		trouble("%s cannot be read", path);
		exit(1);
	}
	return f;
}

static fmi2ValueReference reference(part *p, const char *type, const char *name)
{
	char this_type[32], this_name[256];
	unsigned reference;
	FILE *f = open_variables(p);
	while (fscanf(f, "%31s %u %255s", this_type, &reference, this_name) == 3)
		if (strcmp(this_type, type) == 0 && strcmp(this_name, name) == 0) {
			fclose(f);
			return reference;
		}
	trouble("%s has no %s named %s", p->name, type, name);
	exit(1);
}

/* references finds the three integers of a binary variable. */
static void references(part *p, const char *prefix, fmi2ValueReference found[3])
{
	static const char *const ends[3] = {"base.lo", "base.hi", "size"};
	for (int k = 0; k < 3; k++) {
		char name[256];
		snprintf(name, sizeof name, "%s.%s", prefix, ends[k]);
		found[k] = reference(p, "Integer", name);
	}
}

static int noise; /* a factor */

static int set(part *p, const char *type, const char *name, double number)
{
	if (strstr(name, "Noise") != NULL)
		number *= noise;
	return set_value(&p->library, p->component, *type, reference(p, type, name),
	                 (value){.number = number}) == fmi2OK;
}

/* begin takes a part from its files to the first communication point. */
static int begin(int n)
{
	part *p = &parts[n];
	char path[4096];
	fclose(open_variables(p));
	snprintf(path, sizeof path, "%s/binaries/linux64/%s.so", p->folder, p->identifier);
	if (!load(&p->library, path))
		return 0;
	p->component = p->library.fmi2Instantiate(p->name, fmi2CoSimulation, p->guid, NULL, &callbacks,
	                                          fmi2False, fmi2True);
	if (p->component == NULL)
		return trouble("%s: no instance", p->name);
	references(p, p->output, p->out);
	for (int k = 0; k < LINKS; k++)
		if (links[k].to == n)
			references(p, links[k].input, links[k].in);
	for (size_t k = 0; k < sizeof parameters / sizeof *parameters; k++)
		if (parameters[k].part == n &&
		    !set(p, parameters[k].type, parameters[k].name, parameters[k].value))
			return trouble("%s: %s cannot be set", p->name, parameters[k].name);
	return initialize(&p->library, p->component) || trouble("%s: no initialization", p->name);
}

static void end(part *p)
{
	if (p->component != NULL) {
		p->library.fmi2Terminate(p->component);
		p->library.fmi2FreeInstance(p->component);
	}
	if (p->library.file != NULL)
		close_library(p->library.file);
}

static long intact; /* messages that were unchanged */

/* still_there checks a message at the end of its lifetime. */
static int still_there(const part *p, const message *m)
{
	if (m->size == 0)
		return 1;
	if (!is_intact(m))
		return trouble("%s: a message has changed before the second step after it", p->name);
	intact++;
	return 1;
}

/* ---- The run. ---- */

/* wire copies the integers that a part reads in its next step. */
static int wire(int to)
{
	for (int k = 0; k < LINKS; k++) {
		if (links[k].to != to)
			continue;
		part *from = &parts[links[k].from], *p = &parts[to];
		fmi2Integer triple[3];
		if (from->library.fmi2GetInteger(from->component, from->out, 3, triple) != fmi2OK ||
		    p->library.fmi2SetInteger(p->component, links[k].in, 3, triple) != fmi2OK)
			return trouble("%s to %s: the integers do not pass", from->name, p->name);
	}
	return 1;
}

/* take stores what a part has published, and records it. */
static int take(int n, FILE *record)
{
	part *p = &parts[n];
	message *m = &p->published[0];
	p->published[1] = *m;
	if (!read_message(&p->library, p->component, p->out, m))
		return trouble("%s: the output cannot be read", p->name);
	return (fputc(n, record) == n || trouble("the record cannot be written")) &&
	       write_next(record, m);
}

typedef enum { FORWARD, BACKWARD, LATE } order;

/* step makes step k of one part. The lifetime of the message of the step before the last ends when
 * this step begins, so it is checked right before. */
static int step(int n, int k, order o, FILE *record)
{
	part *p = &parts[n];
	return wire(n) && (o == LATE || still_there(p, &p->published[1])) &&
	       (p->library.fmi2DoStep(p->component, k * h, h, fmi2True) == fmi2OK ||
	        trouble("%s: step %d failed", p->name, k)) &&
	       (o != LATE || still_there(p, &p->published[1])) && take(n, record);
}

static int run(order o, int steps, FILE *record)
{
	for (int n = 0; n < PARTS; n++)
		if (!begin(n))
			return 0;
	for (int k = 0; k < steps; k++)
		for (int turn = 0; turn < PARTS; turn++)
			if (!step(o == BACKWARD ? PARTS - 1 - turn : turn, k, o, record))
				return 0;
	for (int n = 0; n < PARTS; n++)
		if (!still_there(&parts[n], &parts[n].published[1]) ||
		    !still_there(&parts[n], &parts[n].published[0]))
			return 0;
	printf("chain: %d steps, %ld messages, all intact\n", steps, intact);
	return 1;
}

int main(int count, char **words)
{
	static const char *const orders[] = {
		[FORWARD] = "forward", [BACKWARD] = "backward", [LATE] = "late"};
	order o = FORWARD;
	while (count == 9 && o <= LATE && strcmp(words[1], orders[o]) != 0)
		o++;
	if (count != 9 || o > LATE) {
		fputs("chain forward|backward|late NOISE STEPS RECORD SOURCE FOG SENSOR FUSION\n", stderr);
		return 2;
	}
	noise = atoi(words[2]);
	parts[SOURCE].folder = words[5];
	parts[FOG].folder = words[6];
	parts[FRONT].folder = parts[LEFT].folder = words[7];
	parts[FUSION].folder = words[8];
	FILE *record = fopen(words[4], "wb");
	if (record == NULL)
		return !trouble("%s cannot be written", words[4]);
	int well = run(o, atoi(words[3]), record);
	for (int n = 0; n < PARTS; n++)
		end(&parts[n]);
	return fclose(record) != 0 || !well;
}
