//go:build ignore

/* Calls every function of an FMU in every state and compares the results with a table.
 *
 *   cells GUID RESOURCES ODD LIBRARY < TABLE
 *
 * ODD is a second name of the resources folder, with a percent sign that is not part of an escape.
 * TABLE consists of lines of tab-separated fields:
 *
 *   count TYPE N
 *   use KIND TYPE REFERENCE VALUE
 *   behaviour REFERENCE
 *   states LETTERS
 *   row FUNCTION ARGUMENTS CELLS
 *
 * TYPE is R, I, B or S, KIND one of kinds below, VALUE a valid value of the variable, and the
 * behaviour is the String parameter that makes the test FMU discard, fail or panic.
 * internal/fmitest/testdata/cells.txt explains CELLS. Without a behaviour, the states and rows that
 * need one are left out.
 *
 * The program prints a line for each wrong cell, and "N of N cells" at the end. The exit code is 0
 * if all are right.
 *
 * cells.c checks the results; cells_states.c takes instances into states; cells_calls.c makes the
 * calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "input.h"

const char type_letters[] = "RIBS";
const char *const kinds[KINDS] = {"fixed parameter",         "tunable parameter", "input",
                                  "output with start value", "calculated output", "constant",
                                  "calculated parameter",    "above the maximum"};

fmu f;
const char *guid, *resources, *odd;
size_t counts[TYPES];
use uses[TYPES][KINDS];
int has_behaviour;
fmi2ValueReference behaviour;

int is(const char *a, const char *b) { return strcmp(a, b) == 0; }
static int type_of(const char *letter)
{
	return (int)(strchr(type_letters, *letter) - type_letters);
}

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

/* one_line checks the only log line: instance, category, and the function that it names. */
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

/* introduced allows for the one line in which a new instance logs its release, if it has one. */
static const char *introduced(const ear *e)
{
	int good = e->count == 1 && e->status == fmi2OK && strcmp(e->category, "logAll") == 0;
	return e->count != 0 && !good ? "something other than the introduction was logged" : NULL;
}

/* judge compares a result with a cell. */
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
	if (cell == 'v' && instantiating) { /* the name itself may be the error */
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

/* recovers verifies that a bad call has no further effect. */
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

/* check tests one cell: 1 right, 0 wrong, -1 left out because this FMU has no such variable. */
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
	free(p.bytes.bytes);
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
			if (is(field[1], kinds[k]))
				uses[type_of(field[2])][k] =
					(use){1, (fmi2ValueReference)strtoul(field[3], NULL, 10), field[4]};
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
	for (char *line, *fields[5]; (line = read_line(stdin)) != NULL;) {
		split(line, fields, 5);
		understand(fields); /* some fields are kept until the end */
	}
	if (strays != 0)
		printf("WRONG: %d lines with another componentEnvironment\n", strays);
	printf("%d of %d cells, %d left out\n", right, all, left_out);
	return right != all || all == 0 || strays != 0;
}
