//go:build ignore

/* Calls every function of an FMU in every state and holds the answers against a table.
 *
 *   cells GUID RESOURCES ODD LIBRARY < TABLE
 *
 * ODD is a second name of the resources, with a percent sign that escapes nothing. TABLE has lines
 * of fields with tabs between them: count TYPE N | use KIND TYPE REFERENCE VALUE | behaviour
 * REFERENCE | states LETTERS | row FUNCTION ARGUMENTS CELLS where TYPE is R, I, B or S, a KIND is
 * one of those in kinds below, VALUE one that the variable takes, and the behaviour is the String
 * parameter that tells the FMU of the tests to discard, fail or panic. What CELLS mean stands in
 * internal/fmitest/testdata/cells.txt. Without a behaviour the states and rows that need one are
 * left out.
 *
 * Prints a line for each cell that is wrong, and at the end "N of N cells". Exit code 0 when all
 * are right. */
#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

/* ---- What is known of the FMU. ---- */

enum { REAL, INTEGER, BOOLEAN, STRING, TYPES };
enum { FIXED, TUNABLE, INPUT, OUTPUT, CALCULATED, CONSTANT, CALCULATED_PARAMETER, ABOVE, KINDS };
static const char *const kinds[KINDS] = {"fixed parameter",         "tunable parameter", "input",
                                         "output with start value", "calculated output", "constant",
                                         "calculated parameter",    "above the maximum"};

static fmu f;
static const char *guid, *resources, *odd;
static size_t counts[TYPES];
static struct {
	int known;
	fmi2ValueReference reference;
	const char *value;
} uses[TYPES][KINDS];
static int has_behaviour;
static fmi2ValueReference behaviour;

static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static int type_of(const char *letter) { return (int)(strchr("RIBS", *letter) - "RIBS"); }

/* ---- The host. ---- */

typedef struct {
	int count;
	fmi2Status status;
	char instance[64], category[64], text[1024];
	int category_missing;
} ear;

static int strays;

static void hear(fmi2ComponentEnvironment e, fmi2String instance, fmi2Status status,
                 fmi2String category, fmi2String text, ...)
{
	ear *to = e;
	if (to == NULL) {
		strays++;
		return;
	}
	va_list arguments;
	va_start(arguments, text);
	to->count++;
	to->status = status;
	to->category_missing = category == NULL;
	snprintf(to->instance, sizeof to->instance, "%s", instance != NULL ? instance : "");
	snprintf(to->category, sizeof to->category, "%s", category != NULL ? category : "");
	vsnprintf(to->text, sizeof to->text, text, arguments);
	va_end(arguments);
}

/* An instance in one of the states, with all that the calls of the table are made of. */
typedef struct {
	ear heard;
	char state, name[32];
	fmi2Component c;         /* the instance */
	fmi2Component component; /* what is passed: c, or a number that is none */
	fmi2Component newcomer;  /* made by a call of fmi2Instantiate */
	fmi2FMUstate saved, stale;
	fmi2Byte *bytes; /* saved, serialized */
	size_t size;
} probe;

/* make instantiates with copies that are overwritten when the call returns. */
static fmi2Component make(ear *to, const char *name, const char *id, const char *where, int logger,
                          int callbacks, int on, fmi2Type type)
{
	char *copies[3] = {name ? strdup(name) : NULL, id ? strdup(id) : NULL,
	                   where ? strdup(where) : NULL};
	fmi2CallbackFunctions prepared = {logger ? hear : NULL, NULL, NULL, NULL, to},
						  *passed = malloc(sizeof prepared);
	memcpy(passed, &prepared, sizeof prepared);
	fmi2Component c = f.fmi2Instantiate(copies[0], type, copies[1], copies[2],
	                                    callbacks ? passed : NULL, fmi2False, on);
	memset(passed, 0xDD, sizeof prepared);
	free(passed);
	for (int k = 0; k < 3; k++) {
		if (copies[k] != NULL)
			memset(copies[k], 0xDD, strlen(copies[k]));
		free(copies[k]);
	}
	return c;
}

static fmi2Component usual(ear *to, const char *name)
{
	return make(to, name, guid, resources, 1, 1, 1, fmi2CoSimulation);
}

static int initialize_at(fmi2Component c, double start)
{
	return f.fmi2SetupExperiment(c, 1, 1e-6, start, 0, 0) == fmi2OK &&
	       f.fmi2EnterInitializationMode(c) == fmi2OK && f.fmi2ExitInitializationMode(c) == fmi2OK;
}

/* live takes a fresh instance through a short life. */
static int live(fmi2Component c)
{
	double last = 0;
	if (!initialize_at(c, 1))
		return 0;
	for (int k = 0; k < 3; k++)
		if (f.fmi2DoStep(c, 1 + 0.5 * k, 0.5, fmi2True) != fmi2OK)
			return 0;
	return f.fmi2GetRealStatus(c, fmi2LastSuccessfulTime, &last) == fmi2OK && last == 2.5 &&
	       f.fmi2Terminate(c) == fmi2OK;
}

static fmi2Status behave(fmi2Component c, const char *how)
{
	return f.fmi2SetString(c, &behaviour, 1, &how);
}

static int save(probe *p)
{
	int good = initialize_at(p->c, 0) && f.fmi2GetFMUstate(p->c, &p->stale) == fmi2OK;
	fmi2FMUstate gone = p->stale;
	good = good && f.fmi2FreeFMUstate(p->c, &gone) == fmi2OK && gone == NULL &&
	       f.fmi2GetFMUstate(p->c, &p->saved) == fmi2OK &&
	       f.fmi2SerializedFMUstateSize(p->c, p->saved, &p->size) == fmi2OK &&
	       (p->bytes = malloc(p->size)) != NULL;
	return good && f.fmi2SerializeFMUstate(p->c, p->saved, p->bytes, p->size) == fmi2OK &&
	       f.fmi2Reset(p->c) == fmi2OK;
}

static int fails(probe *p, const char *how, fmi2Status wanted)
{
	return has_behaviour
			   ? behave(p->c, how) == fmi2OK && f.fmi2DoStep(p->c, 0.5, 0.25, fmi2True) == wanted
			   : wanted == fmi2Error && f.fmi2DoStep(p->c, 0.5, -1, fmi2True) == wanted;
}

/* reach brings an instance into a state on the shortest legal way, with no lines waiting. */
static int reach(probe *p, char state)
{
	memset(p, 0, sizeof *p);
	p->state = state;
	snprintf(p->name, sizeof p->name, "probe in %c", state);
	p->c = p->component = usual(&p->heard, p->name);
	int good = p->c != NULL && save(p);
	if (state != 'I')
		good = good && f.fmi2SetupExperiment(p->c, 1, 1e-6, 0, 1, 1) == fmi2OK &&
		       f.fmi2EnterInitializationMode(p->c) == fmi2OK;
	if (state != 'I' && state != 'M')
		good = good && f.fmi2ExitInitializationMode(p->c) == fmi2OK &&
		       f.fmi2DoStep(p->c, 0, 0.5, fmi2True) == fmi2OK;
	switch (state) {
	case 'F':
		good = good && fails(p, "step discards", fmi2Discard);
		break;
	case 'T':
		good = good && f.fmi2Terminate(p->c) == fmi2OK;
		break;
	case 'E':
		good = good && fails(p, "step fails", fmi2Error);
		break;
	case 'D':
		good = good && fails(p, "step panics", fmi2Fatal);
		break;
	}
	if (!good)
		return trouble("state %c cannot be reached: %s", state, p->heard.text);
	memset(&p->heard, 0, sizeof p->heard);
	return 1;
}

#include "cells_calls.h"

/* ---- Cells. ---- */

static const struct {
	char letter;
	fmi2Status status;
	const char *category;
} answers[] = {{'o', fmi2OK, ""},
               {'w', fmi2Warning, "logStatusWarning"},
               {'d', fmi2Discard, "logStatusDiscard"},
               {'e', fmi2Error, "logStatusError"},
               {'i', fmi2Error, "logStatusError"},
               {'n', fmi2Error, ""},
               {'f', fmi2Fatal, "logStatusFatal"},
               {'v', fmi2Error, "logStatusError"}};

/* one_line checks the only line: of the right instance and category, about the right function. */
static const char *one_line(const ear *e, const char *instance, fmi2Status status,
                            const char *category, const char *function)
{
	size_t n = strlen(function);
	if (e->count != 1)
		return e->count == 0 ? "nothing was logged" : "more than one line was logged";
	if (e->status != status || e->category_missing || !is(e->category, category))
		return "logged in another category or with another status";
	if (!is(e->instance, instance))
		return "logged under another instance's name";
	if (strncmp(e->text, function, n) != 0 || e->text[n] != ':' || strchr(e->text, '\n') != NULL)
		return "the line does not begin with the function, or has a line break";
	return NULL;
}

static const char *silent(const ear *e) { return e->count != 0 ? "something was logged" : NULL; }

/* introduced allows the one line in which a new instance names its release, if it has one. */
static const char *introduced(const ear *e)
{
	int good = e->count == 1 && e->status == fmi2OK && strcmp(e->category, "logAll") == 0;
	return e->count != 0 && !good ? "something other than the introduction was logged" : NULL;
}

/* judge compares an answer with a cell. */
static const char *judge(probe *p, const char *function, char cell, int got)
{
	int instantiating = is(function, "fmi2Instantiate");
	if (cell == 't')
		return got != TEXT ? "another text" : silent(&p->heard);
	if (cell == 'c') {
		const char *wrong = p->newcomer == NULL || !live(p->newcomer) ? "no component that works"
		                                                              : introduced(&p->heard);
		f.fmi2FreeInstance(p->newcomer);
		return wrong;
	}
	if (cell == 'v' && instantiating) { /* its name may be what was wrong */
		int named = is(p->heard.instance, "newcomer") || p->heard.instance[0] == '\0';
		return p->newcomer != NULL ? "a component"
		                           : one_line(&p->heard, named ? p->heard.instance : "newcomer",
		                                      fmi2Error, "logStatusError", function);
	}
	if (cell == 'v' || (is(function, "fmi2FreeInstance") && cell == 'n'))
		return silent(&p->heard);
	size_t k = 0;
	while (answers[k].letter != cell)
		k++;
	if (got != (int)answers[k].status)
		return "another status";
	if (answers[k].category[0] == '\0')
		return silent(&p->heard);
	const char *wrong =
		one_line(&p->heard, p->name, answers[k].status, answers[k].category, function);
	int of_state = strstr(p->heard.text, "illegal call sequence") != NULL;
	return wrong == NULL && of_state != (cell == 'i') ? "the line gives another reason" : wrong;
}

/* recovers shows that a bad call costs no more than itself. */
static const char *recovers(probe *p, const char *function, char cell)
{
	if (is(function, "fmi2FreeInstance") && cell == 'v') {
		fmi2Status status = f.fmi2Reset(p->c);
		p->c = NULL;
		return status != fmi2Error ? "the component is not stale" : NULL;
	}
	if (p->state == 'D' || cell == 'f') {
		ear e = {0};
		fmi2Component other = usual(&e, "other");
		int good = live(other);
		f.fmi2FreeInstance(other);
		return good ? NULL : "another instance does not live";
	}
	if ((cell == 'e' || cell == 'i') && f.fmi2EnterInitializationMode(p->c) != fmi2Error)
		return "the instance is not in the error state";
	return f.fmi2Reset(p->c) == fmi2OK && live(p->c) ? NULL : "no life after fmi2Reset";
}

/* check fills one cell in: 1 right, 0 wrong, -1 left out because this FMU has no such variable. */
static int check(const char *function, const char *arguments, char state, char cell)
{
	probe p;
	if (!reach(&p, state))
		return 0;
	int got = call(&p, function, arguments);
	const char *wrong = got == UNKNOWN ? "this program has no such call" : NULL;
	if (got >= 0) {
		wrong = judge(&p, function, cell, got);
		char text[sizeof p.heard.text];
		memcpy(text, p.heard.text, sizeof text);
		if (wrong == NULL)
			wrong = recovers(&p, function, cell);
		if (wrong != NULL)
			printf("WRONG %s/%s/%c: expected %c, got %d: %s; %s\n", function, arguments, state,
			       cell, got, wrong, text);
	} else if (wrong != NULL) {
		printf("WRONG %s/%s: %s\n", function, arguments, wrong);
	}
	f.fmi2FreeInstance(p.c);
	free(p.bytes);
	return got == NOT_HERE ? -1 : wrong == NULL;
}

/* ---- The table. ---- */

static char states[16];
static int right, all, left_out;

static void row(const char *function, const char *arguments, const char *cells)
{
	for (size_t k = 0; states[k] != '\0'; k++) {
		if (!has_behaviour && (states[k] == 'F' || states[k] == 'D')) {
			left_out++;
			continue;
		}
		int result = check(function, arguments, states[k], cells[k]);
		left_out += result < 0;
		all += result >= 0;
		right += result > 0;
	}
}

static void understand(char *field[])
{
	if (is(field[0], "count")) {
		counts[type_of(field[1])] = strtoul(field[2], NULL, 10);
	} else if (is(field[0], "use")) {
		for (int k = 0; k < KINDS; k++)
			if (is(field[1], kinds[k])) {
				uses[type_of(field[2])][k].known = 1;
				uses[type_of(field[2])][k].reference =
					(fmi2ValueReference)strtoul(field[3], NULL, 10);
				uses[type_of(field[2])][k].value = field[4];
			}
	} else if (is(field[0], "behaviour")) {
		has_behaviour = 1;
		behaviour = (fmi2ValueReference)strtoul(field[1], NULL, 10);
	} else if (is(field[0], "states")) {
		snprintf(states, sizeof states, "%s", field[1]);
	} else if (is(field[0], "row")) {
		row(field[1], field[2], field[3]);
	}
}

int main(int count, char **words)
{
	if (count != 5)
		return 2;
	guid = words[1], resources = words[2], odd = words[3];
	if (!load(&f, words[4]))
		return 1;
	char *line = NULL;
	size_t size = 0;
	while (getline(&line, &size, stdin) > 0) {
		char *rest = strdup(line), *fields[5];
		for (int k = 0; k < 5; k++)
			if ((fields[k] = strsep(&rest, "\t\n")) == NULL)
				fields[k] = "";
		understand(fields); /* some fields are kept to the end */
	}
	free(line);
	if (strays != 0)
		printf("WRONG: %d lines with another componentEnvironment\n", strays);
	printf("%d of %d cells, %d left out\n", right, all, left_out);
	return right != all || all == 0 || strays != 0;
}
